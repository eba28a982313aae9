"""The language of spares, and of what racks are fitted out with."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import PERCENT_FORM, Percent
from fabricgen.models.forms import PART, PART_PATTERN, SPECIFICATION, make_text_form


class Spare(Model):
    """How many spares of each part: a share of what is installed, and no fewer than a minimum."""

    percent: Percent = Field(0.0, description="Of what is installed, rounded up.")
    minimum: int = Field(0, ge=0, le=100000, description="Of each part that is installed, at least so many.")
    per: Literal["cluster", "site"] = Field(
        "cluster", description="Rounded up, and at least the minimum, once for the cluster or at every site."
    )


def _read_share(value: Any) -> Any:
    """Return a share that is written without a map, such as `2%`, as the map `{"percent": ...}`; any other value as it
    is.
    """
    return {"percent": value} if isinstance(value, str | int | float) and not isinstance(value, bool) else value


class _ShareAlone:
    """Lets the schema take a share where a whole policy may stand."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [PERCENT_FORM, handler(core)], "examples": ["2%", {"percent": "5%", "minimum": 2}]}


SpareOf = Annotated[Spare, BeforeValidator(_read_share), _ShareAlone()]
"""Spares of a kind of parts: a share, or share, minimum and where they are kept."""

_KEY = Annotated[
    str, Field(pattern=PART_PATTERN), WithJsonSchema(make_text_form(PART_PATTERN, "a part, such as sn5600 or dr8-*"))
]


def _make_none() -> Spare:
    """Return the default of a kind of parts for which no spares are stated: none, neither a share nor a minimum."""
    return Spare.model_construct(percent=0.0, minimum=0, per="cluster")


class Spares(Model):
    """Spares ordered beside what is installed, each kind by its share, rounded up."""

    cables: SpareOf = Field(default_factory=_make_none, description="Cables, fibres and trunks.")
    transceivers: SpareOf = Field(default_factory=_make_none, description="Transceivers.")
    laser_modules: SpareOf = Field(
        default_factory=_make_none, description="External laser modules of switches with co-packaged optics."
    )
    switches: SpareOf = Field(default_factory=_make_none, description="Switches, and line cards of chassis.")
    nodes: SpareOf = Field(default_factory=_make_none, description="Nodes and extra devices.")
    power_cords: SpareOf = Field(default_factory=_make_none, description="Power cords.")
    parts: dict[_KEY, SpareOf] = Field(
        default_factory=dict,
        max_length=1000,
        description="Of single parts, instead of their kind: by number, with * and ?; the longest that fits counts.",
    )


USUAL = "usual"
"""The word for spares as usual: 2 % of cables, transceivers and lasers, 1 % of switches, of each part at least one."""


def _read_word(value: Any) -> Any:
    """Return the spares that the word `usual` stands for; any other value as it is."""
    if value != USUAL:
        return value
    one_percent, two_percent = {"percent": 0.01, "minimum": 1}, {"percent": 0.02, "minimum": 1}
    return {
        "cables": two_percent,
        "transceivers": two_percent,
        "laser_modules": two_percent,
        "switches": one_percent,
        "power_cords": two_percent,
    }


class _WordAlone:
    """Lets the schema take the word where policies may stand."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        # either the word or what pydantic makes of the field
        word = {
            "type": "string",
            "const": USUAL,
            "description": "2 % of cables and optics, 1 % of switches, at least 1.",
        }
        return {"anyOf": [word, handler(core)]}


SparesOf = Annotated[Spares, BeforeValidator(_read_word), _WordAlone()]
"""Spares by kind, or `usual`."""


class RackPdus(Model):
    """The three-phase supply of racks, by which rack PDUs and whips are specified."""

    volts: int = Field(415, ge=100, le=600, description="From line to line, V.")
    amps: tuple[Annotated[int, Field(ge=10, le=200, description="A breaker, A.")], ...] = Field(
        (30, 60), min_length=1, max_length=8, description="Ratings to choose from, ascending: the least that suffices."
    )
    load: Percent = Field(
        0.8,
        gt=0,
        description="Of its rating that a PDU may carry all the time.",
        json_schema_extra={"not": {"enum": [0, "0%"]}},
    )

    @model_validator(mode="after")
    def _check_ascending(self) -> "RackPdus":
        """Raise ValueError unless ratings ascend, so that the first that suffices is the least."""
        if list(self.amps) != sorted(set(self.amps)):
            raise ValueError(f"ratings ascend, each once; got {list(self.amps)}")
        return self


class Accessories(Model):
    """What the bill lists of rack PDUs, whips, blanking panels, cable managers, rails and console servers.

    Each is listed by its specification, unless `parts` names a product for that.
    """

    order: bool = Field(True, description="Whether the bill lists them.")
    pdu: RackPdus = Field(default_factory=RackPdus.model_construct, description="The supply of racks.")
    console_ports: int | None = Field(
        None,
        ge=1,
        le=96,
        description="Ports of a console server; so many at each site as switches need. Default: none.",
    )
    cord_m: float | None = Field(
        None, gt=0, le=10, description="Length of power cords, m. Default: open, as the order sheet then says."
    )
    parts: dict[
        Annotated[
            str,
            Field(pattern=SPECIFICATION),
            WithJsonSchema(make_text_form(SPECIFICATION, "a specification", "blanking-panel-1u")),
        ],
        Annotated[str, Field(pattern=PART, description="What is ordered for it.")],
    ] = Field(
        default_factory=dict,
        max_length=100,
        description="Products by specification, as the bill lists it, e.g. {rack-pdu-3ph-60a-415v: PDU-4711}.",
    )
