"""What the catalogue says of a NOS: how it names ports, and what its configuration can carry (a file of platforms/)."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from fabricgen.catalog.models import CageClass
from fabricgen.catalog.nos_configuration import DumpFacts, NosConfiguration, SystemFacts
from fabricgen.models.forms import FrozenModel

if TYPE_CHECKING:
    from fabricgen.catalog.sonic_models import SonicPlatform

Pattern = Annotated[str, Field(pattern=r"^([A-Za-z0-9/:._-]|\{(cage0?|lane|sub0?|number)\}){1,60}$")]
"""A port name with fields in braces, and nothing else that braces could mean."""

CardPattern = Annotated[str, Field(pattern=r"^([A-Za-z0-9/._-]|\{(slot|cage)\}){1,60}$")]
"""Likewise the place of a cage in a chassis."""


class NosNaming(FrozenModel):
    """What is known of a NOS: patterns of its port names, and what its configuration can carry.

    Fields of patterns are cage, lane and sub (from 1), cage0 and sub0 (from 0), and number. On a chassis `cage` is what
    `card_cage` makes of the line card's slot and the cage's number on that card.
    """

    nos: str
    source: Annotated[str, Field(min_length=8)]
    management: Annotated[str, Field(description="The management port.")]
    single_lane: Annotated[Pattern, Field(description="A cage of one lane.")]
    unsplit: Annotated[Pattern, Field(description="A cage that is one port.")]
    split: Annotated[Pattern, Field(description="A port of a split cage.")]
    card_cage: Annotated[
        CardPattern | None,
        Field(
            description="A cage of a line card; fields: slot, cage (from 1 on each card). None: no names for a chassis."
        ),
    ] = None
    card_management: Annotated[str, Field(description="The management port of a chassis.")] = ""
    numbers: Annotated[
        Literal["face", "platform-table"],
        Field(description="platform-table: `number` is the first lane's port number in the switch's port table."),
    ] = "face"

    title: Annotated[str, Field(description="Its name in messages.")] = ""
    systems: Annotated[SystemFacts, Field(description="What the systems around its switches have to know.")] = Field(
        default_factory=SystemFacts
    )
    dumps: Annotated[DumpFacts, Field(description="What dumps of neighbours call its ports.")] = Field(
        default_factory=DumpFacts
    )
    configuration: Annotated[NosConfiguration, Field(description="What its configuration can carry.")] = Field(
        default_factory=NosConfiguration
    )

    @property
    def has_tables(self) -> bool:
        """Whether a port table of each switch names its ports."""
        return self.numbers == "platform-table"

    def name_port(
        self,
        cage: int,
        sub: int,
        ways: int,
        cage_class: CageClass,
        platform: "SonicPlatform | None",
        slot: tuple[int, int] | None = None,
    ) -> str:
        """Return the name of port `sub` (from 0) of a cage (from 1) that is split into `ways`: `Ethernet4`, `swp1s0`.

        `slot` is (slot, cage on the card) in a chassis. Raises LookupError if names come from a port table and the
        switch has none, or none for this split, or if the NOS has no names for line cards.
        """
        number = 0
        lanes_each = cage_class.lanes // ways
        if self.has_tables:
            if platform is None or not platform.has_split(ways):
                raise LookupError(self.nos)
            table_cage = platform.cages[cage - 1]
            # SONiC numbers ports by their first lane: Ethernet0, Ethernet2 of a cage of eight lanes split in four
            number = table_cage.port + sub * (len(table_cage.lanes) // ways)
        # names of cages of one lane, as SFP, may differ from those of whole cages
        pattern = self.split if ways > 1 else self.single_lane if cage_class.lanes == 1 else self.unsplit
        return pattern.format(
            cage=self._name_cage(cage, slot),
            cage0=self._name_cage(cage - 1, slot),
            lane=1 + sub * lanes_each,
            sub=sub + 1,
            sub0=sub,
            number=number,
        )

    def _name_cage(self, cage: int, slot: tuple[int, int] | None) -> str:
        """Return a cage as port names have it: its number or, with `slot` (slot, cage on the card), what the NOS makes
        of that. Raises LookupError if the NOS has no names for line cards.
        """
        if slot is None:
            return str(cage)
        if self.card_cage is None:
            raise LookupError(self.nos)
        return self.card_cage.format(slot=slot[0], cage=slot[1])

    def find_management_port(self, profile: object) -> str:
        """Return the name of the management port of a switch or chassis."""
        return (getattr(profile, "line_cards", ()) and self.card_management) or self.management


def make_face_naming(nos: str) -> NosNaming:
    """Return the facts of a NOS of which nothing is known: it names ports as labelled on the face of the switch."""
    return NosNaming(
        nos=nos,
        source="the face of the switch: cages, and the ports of a split one, from 1",
        management="mgmt",
        single_lane="{cage}",
        unsplit="{cage}",
        split="{cage}/{sub}",
        card_cage="{slot}/{cage}",
    )
