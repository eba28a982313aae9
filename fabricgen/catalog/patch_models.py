"""What the catalogue says of structured cabling: patch panels, and the trunks between them.

Fibres of an MPO connector are numbered from 1 to 12, or to 16, from the left with the key up (IEC 61754-7). Polarity
types are those of ANSI/TIA-568.3: type A is straight (1 to 1), type B reversed (1 to 12), type C flipped by pairs (1 to
2); an adapter of type A joins key up to key down, so that position 1 meets position 1, one of type B key up to key up.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.profile import Profile

Polarity = Literal["A", "B", "C"]
Adapter = Literal["A", "B"]
Position = Annotated[int, Field(ge=1, le=24)]


class PanelProfile(Profile):
    """A patch panel, with its adapters or cassettes: jumpers plug into its front, trunks into its rear."""

    kind: Annotated[Literal["panel"], Field(description="What the file describes.")] = "panel"
    name: Annotated[str, Field(description="What it is, for people.")]
    rack_units: Annotated[int, Field(gt=0, le=20, description="Height, rack units.")]
    ports: Annotated[int, Field(gt=0, le=1000, description="Front ports.")]
    front: Annotated[str, Field(description="Connector of a front port: MPO-12/APC, LC duplex, ...")]
    rear: Annotated[str, Field(description="Connector of the trunks that plug in behind.")]
    positions: Annotated[
        tuple[tuple[Position, ...], ...],
        Field(
            min_length=1,
            max_length=24,
            description="For each front port of one rear connector, the fibres of that connector it is joined to, in "
            "the order in which an end transmits and receives on them; several ports make it a cassette.",
        ),
    ]
    adapter: Annotated[
        Adapter, Field(description="A: key up to key down; B: key up to key up, which no APC connector fits.")
    ] = "A"
    matings: Annotated[
        int, Field(ge=1, le=4, description="Mated pairs that light passes: 1 in an adapter, 2 in a cassette.")
    ]
    mating_db: Annotated[float, Field(ge=0, le=2, description="Insertion loss of a mated pair at most, dB.")]
    shuffle: Annotated[
        int,
        Field(
            ge=0,
            le=16,
            description="It is a housing of fibre shuffles with so many ports in and as many out each, all in front: "
            "pair k of port i in is pair i of port k out. 0: a panel for trunks.",
        ),
    ] = 0

    @property
    def shuffles(self) -> int:
        """Shuffles in the housing; 0 in a panel for trunks."""
        return self.ports // (2 * self.shuffle) if self.shuffle else 0

    @model_validator(mode="after")
    def _check_whole_numbers(self) -> Self:
        """Raise ValueError if its ports do not make up whole rear connectors, or whole shuffles."""
        if self.shuffle and self.ports % (2 * self.shuffle):
            raise ValueError(f"{self.ports} ports are no whole number of shuffles of {2 * self.shuffle} ports each")
        if self.ports % len(self.positions):
            raise ValueError(
                f"{self.ports} ports are no whole number of connectors of {len(self.positions)} ports each"
            )
        return self


class TrunkProfile(Profile):
    """A family of trunks: many fibres in one jacket, with the same multi-fibre connectors at both ends."""

    kind: Annotated[Literal["trunk"], Field(description="What the file describes.")] = "trunk"
    name: Annotated[str, Field(description="What it is, for people.")]
    fibre: Annotated[Literal["mmf-om4", "smf-os2"], Field(description="The fibre.")]
    fibres: Annotated[
        tuple[Annotated[int, Field(gt=0, le=6912)], ...], Field(min_length=1, description="Fibre counts offered.")
    ]
    connector: Annotated[str, Field(description="Connector at both ends: MPO-12/APC, ...")]
    fibres_per_connector: Annotated[
        Literal[8, 12, 16], Field(description="Fibres that each connector carries: base 8, 12 or 16.")
    ]
    polarity: Annotated[tuple[Polarity, ...], Field(min_length=1, description="Polarity types offered.")]
    pinned: Annotated[bool, Field(description="Its connectors have the guide pins, as jumpers with sockets want.")]
    db_per_km: Annotated[float, Field(gt=0, le=10, description="Attenuation of its fibre, dB/km.")]
