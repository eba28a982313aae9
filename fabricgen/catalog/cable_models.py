"""What the catalogue says of a kind of cable: how far it reaches at a lane rate, and what light it sends."""

from collections.abc import Iterable
from itertools import pairwise
from math import ceil
from typing import Annotated, Literal, NamedTuple, Self, get_args

from pydantic import AfterValidator, Field

from fabricgen.catalog.profile import Profile
from fabricgen.models.forms import FrozenModel

Medium = Literal["DAC", "ACC", "AEC", "AOC", "SR", "VR", "DR", "FR", "LR", "ZR", "LPO", "LRO", "NPO", "CPO", "COPPER"]
"""The categories of media. A further one is added here; where its cables are electrical, to `COPPER_MEDIA`; where its
optics have no retimers, to `design.media.policy.LINEAR`; where `verify --optics` is to tell it by the words of an
EEPROM, to `verify/optics/modules.py`; and to `MEDIA` of `addons/netbox_objects/cables.py`, unless it is a fibre.
"""

MEDIA: tuple[str, ...] = get_args(Medium)
"""The words for media, as blueprints and cable profiles have them."""

OPTICAL_CAGES = ("CPO", "LC")
"""Cages that light leaves: fibres plug in, nothing electrical does."""

COPPER_MEDIA = ("DAC", "ACC", "AEC")
"""Media that are electrical cables with ends of their own."""

FIBRES_IN_USE = {"MPO-12": 8, "MPO-12/APC": 8, "MPO-16": 16, "MPO-16/APC": 16, "LC duplex": 2, "LC simplex": 1}
"""Connector -> fibres in use: an MPO-12 of parallel optics leaves its middle four dark (IEEE 802.3, clause 86,
40GBASE-SR4; SFF-8024 names the clauses of other media)."""

_QSFP_DD = {"QSFP-DD800": "QSFP-DD", "QSFP56-DD": "QSFP-DD"}

ROUNDING_M = 1e-9
"""The tolerance of a run against a length, m: a run of 3 m, summed from parts, must not miss 3 m by rounding."""


def require_ascending(lengths: tuple[float, ...]) -> tuple[float, ...]:
    """Return lengths, m, as they are; raises ValueError if one is not longer than the one before."""
    for before, after in pairwise(lengths):
        if after <= before:
            raise ValueError(f"lengths ascend, and {after:g} m stands behind {before:g} m")
    return lengths


class CageLanes(NamedTuple):
    """A port's cage by form factor, and the rate of its electrical lanes and of the port itself, Gb/s."""

    form_factor: str
    lane_gbps: float
    speed_gbps: float


class Modules(FrozenModel):
    """The modules of a medium that are sold for a cage."""

    cage: Annotated[str, Field(min_length=1, max_length=16, description="The cage: QSFP112, ...")]
    form_factor: Annotated[
        str, Field(max_length=16, description="The form factor of modules sold for it. Default: as the cage.")
    ] = ""
    unsold: Annotated[
        tuple[int, ...],
        Field(max_length=8, description="Gb/s of modules that nobody is known to sell, as `note` says (FG656)."),
    ] = ()


class NarrowConnector(FrozenModel):
    """What modules of a few lanes have where the widest ones have another connector."""

    lanes: Annotated[int, Field(gt=0, le=16, description="Lanes of a module that has it, at most.")]
    connector: Annotated[str, Field(min_length=2, max_length=32, description="MPO-12, LC duplex, ...")]


class CableProfile(Profile):
    """A cable technology: how far it reaches at a lane rate, and what its ends draw."""

    kind: Annotated[Literal["cable"], Field(description="What the file describes.")] = "cable"
    name: Annotated[str, Field(description="What it is, for people.")]
    medium: Annotated[Medium, Field(description="Kind of medium.")]
    lane_gbps: Annotated[tuple[float, ...], Field(description="Lane rates it carries, Gb/s.")]
    link_gbps: Annotated[
        tuple[int, ...],
        Field(description="Link speeds it carries, one link a module, Gb/s; empty: whatever its lanes make up."),
    ] = ()
    reach_m: Annotated[float, Field(gt=0, description="Greatest length, m.")]
    power_w_per_end: Annotated[
        float | None,
        Field(ge=0, description="At the widest (eight-lane) end, W; where `link_gbps` is given, of any one module."),
    ] = None
    attached: Annotated[
        bool, Field(description="The ends are part of the cable (DAC, AOC); otherwise transceivers and fibre.")
    ]
    fibre: Annotated[
        Literal["", "mmf-om4", "smf-os2"], Field(description="The fibre; empty: copper, or fixed to its ends.")
    ] = ""
    connector: Annotated[str, Field(description="What one fibre plugs into: MPO-12/APC, LC duplex, ...")] = ""
    narrow: Annotated[
        tuple[NarrowConnector, ...],
        Field(max_length=4, description="Connectors of modules of fewer lanes, the fewest first, where they differ."),
    ] = ()
    wavelengths: Annotated[
        int, Field(ge=1, le=16, description="Wavelengths on one fibre: 4 for FR4 and LR4, 1 for DR and SR.")
    ] = 1
    lanes_per_connector: Annotated[
        int, Field(gt=0, description="Electrical lanes that one such connector carries.")
    ] = 4
    light_gbps: Annotated[
        float | None,
        Field(
            gt=0,
            description="What one wavelength on a fibre carries where a gearbox in the module makes it of slower "
            "electrical lanes, Gb/s: 100 of a QSFP-DD 400GBASE-DR4. Default: as its lanes.",
        ),
    ] = None
    geared_cages: Annotated[
        tuple[str, ...],
        Field(max_length=8, description="Cages whose modules have that gearbox. Default: all that it fits."),
    ] = ()
    splits_of: Annotated[
        str,
        Field(
            max_length=32,
            description="The connector of wider modules of which such a module takes one lane, over a splitter.",
        ),
    ] = ""
    own_fec: Annotated[
        bool, Field(description="The module corrects errors itself, so that its port is configured without FEC.")
    ] = False
    form_factors: Annotated[tuple[str, ...], Field(description="Cages it fits; empty: any pluggable cage.")] = ()
    splittable: Annotated[
        bool, Field(description="One connector may serve several links, each on lanes of its own.")
    ] = True
    loss_db: Annotated[
        float | None,
        Field(gt=0, le=60, description="Insertion loss of fibre and connectors between its ends at most, dB."),
    ] = None
    cost_rank: Annotated[
        int, Field(gt=0, description="Order of preference by cost; the cheapest that reaches is taken.")
    ]
    stock_m: Annotated[
        tuple[Annotated[float, Field(gt=0, le=100_000)], ...],
        Field(
            max_length=64,
            description="Lengths it is sold in, m, ascending; empty: those that fibre is sold in. Nothing between is "
            "made.",
        ),
        AfterValidator(require_ascending),
    ] = ()
    modules: Annotated[
        tuple[Modules, ...],
        Field(max_length=16, description="What modules are sold for cages for which not all are, or of another form."),
    ] = ()
    not_offered_by: Annotated[tuple[str, ...], Field(description="Vendors that sell none for their ports.")] = ()
    selectable: Annotated[bool, Field(description="Chosen without being asked for.")] = True

    @property
    def copper(self) -> bool:
        """Whether it is a copper cable with fixed ends, such as a DAC; twisted pair, whose ends are plugs, does not
        count.
        """
        return self.medium in COPPER_MEDIA

    def find_modules(self, cage: str) -> Modules | None:
        """Return what the profile states of its modules for a cage, by form factor.

        None if it states nothing: then they have the form of the cage, and are sold at any speed.
        """
        return next((sold for sold in self.modules if sold.cage == cage), None)

    def end_power_w(self, lanes: float) -> float | None:
        """Return what one end draws, W, if `lanes` of its lanes are in use; None if no figure is published.

        If the profile states `link_gbps`, its figure is that of any module. Else it is that of an end of eight lanes,
        and an end with fewer lanes draws proportionally less.
        """
        if self.power_w_per_end is None or self.link_gbps:
            return self.power_w_per_end
        return self.power_w_per_end * min(1.0, lanes / 8)

    def plugs_into(self, form_factor: str) -> bool:
        """Whether an end fits a cage, by its form factor; a QSFP-DD cage of any spelling takes QSFP-DD modules.

        Twisted pair alone fits RJ45. Single-mode fibre alone fits CPO, whose light comes from silicon photonics at 1310
        nm.
        """
        if "RJ45" in (*self.form_factors, form_factor):
            return form_factor in self.form_factors
        if form_factor in OPTICAL_CAGES:
            return not self.attached and self.fibre == "smf-os2"
        return not self.form_factors or _QSFP_DD.get(form_factor, form_factor) in self.form_factors

    def find_connector(self, lanes: float) -> str:
        """Return the kind of each connector, such as MPO-12, of a module of `lanes` lanes: that of the first entry of
        `narrow` with at least as many lanes, else the usual one.
        """
        return next((narrow.connector for narrow in self.narrow if lanes <= narrow.lanes), self.connector)

    def describe_connectors(self, lanes: float, twin: int = 1) -> str:
        """Return the connectors of a module of `lanes` lanes, at least `twin` of them: `2x MPO-12/APC`; "" for
        copper.
        """
        count = max(twin, ceil(lanes / self.lanes_per_connector)) if self.connector else 1
        connector = self.find_connector(lanes / count)
        return f"{count}x {connector}" if count > 1 else connector

    @property
    def fibres(self) -> int:
        """Fibres of one connector; 0 for copper, and for cables with ends of their own."""
        return FIBRES_IN_USE.get(self.connector, 0)

    @property
    def polarity(self) -> str:
        """How a jumper between two of its transceivers crosses: type B of TIA-568 for MPO, A-B for duplex; "" if there
        is none.

        Such jumpers have female ends, since transceivers have the pins (NVIDIA Interconnect Structured Cabling
        Requirements, MPO/LC Cable Requirements).
        """
        if self.connector.startswith("MPO"):
            return "type B"
        return "A-B" if self.connector == "LC duplex" else ""

    @property
    def light(self) -> frozenset[float]:
        """The rates that one wavelength on a fibre may carry, Gb/s.

        They are the rates of the electrical lanes, or `light_gbps` alone if a gearbox in the module changes the rate.
        """
        return frozenset(self.lane_gbps if self.light_gbps is None else (self.light_gbps,))

    def interoperates_with(self, other: Self) -> bool:
        """Whether modules of this and another kind understand each other's light: same fibre, connector, wavelengths
        and rate.

        A four-lane DR4 meets either half of 2xDR4, whatever the electrical lanes of each; SR and DR, or FR4 and DR4,
        never.
        """
        alike = (self.fibre, self.wavelengths) == (other.fibre, other.wavelengths)
        plugs = {self.connector, self.splits_of} & {other.connector, other.splits_of} - {""}
        return self.id == other.id or (alike and not self.attached and bool(plugs) and bool(self.light & other.light))

    def find_module_at(self, end: CageLanes, light_gbps: float, profiles: Iterable[Self]) -> Self | None:
        """Return the profile of the module at an end of a link whose light carries `light_gbps` a wavelength, or None.

        It is this profile if the electrical lanes of the end are as fast as the light, or if the module runs on them
        whatever its light, as coherent optics do. Else it is the first of `profiles` with a gearbox for this light that
        fits the end, understands this one's light, and reaches as far.
        """
        if end.lane_gbps == light_gbps or (self.link_gbps and end.lane_gbps in self.lane_gbps):
            return self
        fitting = (
            c
            for c in profiles
            if c.light_gbps == light_gbps and self.interoperates_with(c) and c.reach_m >= self.reach_m
        )
        return next((c for c in fitting if c.has_gearbox_for(end)), None)

    def has_gearbox_for(self, end: CageLanes) -> bool:
        """Return whether its modules serve a port: they take its lane rate and speed, and go into its cage.

        It is asked of profiles whose modules have a gearbox. `geared_cages`, if stated, are the cages for which there
        are such modules.
        """
        cage = _QSFP_DD.get(end.form_factor, end.form_factor)
        carries = end.lane_gbps in self.lane_gbps and (not self.link_gbps or end.speed_gbps in self.link_gbps)
        return carries and self.plugs_into(cage) and (not self.geared_cages or cage in self.geared_cages)

    def splits_for(self, lanes_per_link: int) -> bool:
        """Whether one cage may serve several links of `lanes_per_link` lanes.

        It may if modules of this kind are `splittable`, or if each link fills whole connectors, as 400G does in 2xLR4:
        then nothing has to be split.
        """
        return self.splittable or lanes_per_link % self.lanes_per_connector == 0
