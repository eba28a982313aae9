"""Kinds of cable ends: the cage that each plugs into, the transceiver for it, and whether two ends are compatible."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

from fabricgen.catalog.cable_models import CageLanes
from fabricgen.catalog.models import OPTICAL_CAGES, CableProfile
from fabricgen.catalog.product_models import Product
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.wiring.cabling.assemblies import count_connectors
from fabricgen.wiring.cabling.shelf import Shelf
from fabricgen.wiring.tables import ScaleUpPort, Segment, Side


@dataclass(frozen=True, slots=True)
class EndKind:
    """The cage that an end of a cable plugs into: form factor, bandwidth of the whole cage and of an electrical lane,
    Gb/s.

    `takes_fibre` where a fibre plugs in without a transceiver: co-packaged optics, an optical circuit switch. `top` is
    that of OSFP plugs, finned or flat; `connectors` says how many the cage has, 2 if it is twin-port. `protocol` and
    `vendor` matter only where there is a `shelf` of products to order from, and are "" without.
    """

    form_factor: str
    gbps: int
    lane_gbps: float
    takes_fibre: bool = False
    top: str = ""
    protocol: str = ""
    vendor: str = ""
    shelf: Shelf | None = field(default=None, compare=False)
    connectors: int = 1
    light_gbps: float = 0
    """The rate of a lane on the fibre, Gb/s, if the cage needs a module with a gearbox, as its electrical lanes have
    another rate; else 0."""
    speed_gbps: float = 0
    """The speed of one link, Gb/s, if the cage needs a module with a gearbox; else 0."""
    geared: tuple[CableProfile, ...] = field(default=(), compare=False)
    """Profiles of modules with a gearbox."""

    def find_module_or_medium(self, medium: CableProfile) -> CableProfile:
        """Return the profile of the module for a medium: the medium itself, unless the module has to have a gearbox.

        Then it is the profile of such a module, or the medium if none is sold: also a cable without a legal module has
        a line in the bill, and lint says what is wrong with it. (`Segment.find_module`, by which media are chosen,
        returns None then.)
        """
        if not self.light_gbps or medium.attached:
            return medium
        # the gearbox is in the module: what the cage offers electrically and what the fibre carries are told apart here
        cage_lanes = CageLanes(self.form_factor, self.lane_gbps, self.speed_gbps)
        return medium.find_module_at(cage_lanes, self.light_gbps, self.geared) or medium

    def takes_transceiver(self, medium: CableProfile) -> bool:
        """Whether the end needs a transceiver: the cable has no fixed ends, and the cage takes no bare fibre."""
        return not (medium.attached or self.takes_fibre)

    def find_transceiver_part(self, medium: CableProfile) -> str:
        """Return the part number of the transceiver, "" if the end takes none.

        If no product list has the transceiver, the number is an identifier made up of module, form factor and
        bandwidth.
        """
        if not self.takes_transceiver(medium):
            return ""
        product = self.find_product(medium)
        if product:
            return product.part
        flat = "-flat" if self._find_top(medium) == "flat" else ""
        return f"{self.find_module_or_medium(medium).id}-{make_slug(self.find_plug_form(medium))}-{self.gbps}g{flat}"

    def transceiver_text(self, medium: CableProfile) -> str:
        """Return the description of the transceiver for the bill of materials: the name of the product, else one made
        up.
        """
        product = self.find_product(medium)
        if product:
            return product.name
        module = self.find_module_or_medium(medium)
        plugs = module.describe_connectors(self.gbps / self.lane_gbps, self.connectors)
        details = (module.name, plugs, f"{module.reach_m:g} m", f"{top} top" if (top := self._find_top(medium)) else "")
        return f"{self.find_plug_form(medium)} {self.gbps}G transceiver, {', '.join(filter(None, details))}"

    def _find_top(self, medium: CableProfile) -> str:
        """Return the top of the OSFP module of a medium, finned or flat; "" if its modules have another form factor."""
        return self.top if self.find_plug_form(medium).startswith("OSFP") else ""

    def find_plug_form(self, medium: CableProfile) -> str:
        """Return the form factor of the modules of a medium for the cage, such as QSFP56 for 50G lanes in a QSFP112
        cage.
        """
        modules = self.find_module_or_medium(medium).find_modules(self.form_factor)
        return (modules.form_factor if modules else "") or self.form_factor

    def is_unsold(self, medium: CableProfile) -> bool:
        """Whether the end needs a transceiver that nobody is known to sell, and that no product list has."""
        modules = self.find_module_or_medium(medium).find_modules(self.form_factor)
        has_made_up_part = bool(self.find_transceiver_part(medium)) and self.find_product(medium) is None
        return has_made_up_part and modules is not None and self.gbps in modules.unsold

    def transceiver_w(self, medium: CableProfile) -> float | None:
        """Return the power of the transceiver, W, as the product list or else the catalogue has it; None if unknown."""
        product = self.find_product(medium)
        draws = product.draws_w(self.gbps) if product else None
        return self.catalogue_power_w(medium) if draws is None else draws

    def catalogue_power_w(self, medium: CableProfile) -> float | None:
        """Return the power of one end of a medium, W, as the catalogue has it; None if it is not known."""
        return self.find_module_or_medium(medium).end_power_w(self.gbps / self.lane_gbps)

    def find_product(self, medium: CableProfile) -> Product | None:
        """Return the transceiver of the product lists; None without lists, or if they have none for this cage."""
        if self.shelf is None or medium.attached or self.takes_fibre:
            return None
        return self.shelf.find_transceiver(self.find_module_or_medium(medium), self)


def make_slug(text: str) -> str:
    """Return text in the form of part numbers: lower case, other characters replaced by dashes."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def make_end_kind(side: Side, segment: Segment, shelf: Shelf | None = None) -> EndKind:
    """Return the kind of the lower or upper ends (`side`) of the cables of a segment: the cage that they plug into.

    With a `shelf` it has the protocol and vendor by which products are looked up.
    """
    kind = partial(EndKind, top=getattr(side, "top", ""), connectors=count_connectors(side))
    if shelf:
        vendor = shelf.find_vendor_key(find_vendor(side))
        kind = partial(kind, protocol=segment.protocol, vendor=vendor, shelf=shelf)
    if isinstance(side, PortRun | Attachment) and side.lane_gbps != segment.lane_gbps:
        # the lane between the ends is not that of the cage: a module with a gearbox makes one of the other
        light_gbps, speed_gbps = segment.lane_gbps, segment.speed_gbps
        kind = partial(kind, light_gbps=light_gbps, speed_gbps=speed_gbps, geared=segment.gearboxes)
    if isinstance(side, PortRun):
        takes_fibre = side.form_factor in OPTICAL_CAGES
        return kind(side.form_factor, side.speed_gbps * side.ways, side.lane_gbps, takes_fibre)
    if isinstance(side, Attachment):
        # a NIC with legs in one cage: the transceiver has the bandwidth of all of them
        in_cage = max(sum(neighbour.cage == leg.cage for neighbour in side.legs) for leg in side.legs)
        return kind(side.form_factor, side.speed_gbps * in_cage, side.lane_gbps)
    if isinstance(side, ScaleUpPort):
        gbps = round(segment.speed_gbps * side.links_per_connector)
        return kind(side.form_factor, gbps, segment.lane_gbps, side.takes_fibre)
    return kind("RJ45", int(segment.speed_gbps), segment.lane_gbps)


def find_vendor(side: Side) -> str:
    """Return who makes the switches or nodes at a side; "" for scale-up ports and management ports."""
    if isinstance(side, PortRun):
        return side.vendor
    return side.profile.vendor if isinstance(side, Attachment) else ""


def explain_mismatch(a: EndKind, medium: CableProfile, b: EndKind, far: CableProfile | None = None) -> str:
    """Return why a cable of a medium cannot connect two ends; "" if it can.

    `far` is the medium of the transceiver at `b` if it is another one. DR4 meets 2xDR4; SR never meets DR, nor FR4 DR4:
    they differ in fibre, connector or wavelengths.
    """
    far_medium = far or medium
    if not medium.interoperates_with(far_medium):
        return f"{medium.id} does not meet {far_medium.id}: other fibre, connector, lane rate or wavelengths"
    for end, end_medium in ((a, medium), (b, far_medium)):
        if end.takes_fibre and end_medium.attached:
            return f"{end_medium.id} has ends of its own, and {end.form_factor} takes fibres"
        if not end.find_module_or_medium(end_medium).plugs_into(end.form_factor):
            return f"{end_medium.id} does not go into {end.form_factor}"
        if end.lane_gbps not in end.find_module_or_medium(end_medium).lane_gbps:
            return f"{end_medium.id} does not carry lanes of {end.lane_gbps:g}G"
    # what meets is on the fibre: behind a gearbox another rate than that of the cage
    lights = [end.light_gbps or end.lane_gbps for end in (a, b)]
    if lights[0] != lights[1]:
        return f"lanes of {lights[0]:g}G at one end, of {lights[1]:g}G at the other"
    return ""
