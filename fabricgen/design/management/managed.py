"""The devices that have management ports: switches of every tier, and scale-up trays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import NamedTuple

from fabricgen.blueprint.dimensions import WHOLE
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.layout import Layout, PodLayout, find_kind
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.design.shape import count_places, find_depth, list_inner_dimensions, number_places

TRAY_TIER = "switch-tray"
"""What devices.csv calls the tier of scale-up switch trays."""

PLACES = ("all", "site", "pod", "su", "rack")
"""The places for which a lock keeps management ports, from wide to narrow."""


def find_management_place(scope: str) -> str:
    """Return the scope itself if it is one of `PLACES`, else the next wider one that is."""
    return next(place for place in reversed(PLACES) if find_depth(place) <= find_depth(scope))


@dataclass(frozen=True, slots=True)
class ManagedDevices:
    """Switches of one tier, or scale-up trays, that have management ports: where they stand (`scope`, one of `PLACES`)
    and how many there are.
    """

    fabric: str
    tier: str
    scope: str
    count: int
    slots: int
    """How many there would be if no slot were omitted."""
    labels: tuple[str, ...] = ("",)
    """The labels that tell the groups in one place apart, such as `rail1 plane2`."""
    in_rack: int = 0
    """The most trays in a rack; 0 for switches."""
    in_unit: int = 0
    """The most trays in a unit; 0 for switches."""
    layout: Layout | None = field(default=None, compare=False, repr=False)
    """The units that the switches' tier serves; None for trays."""
    kinds: tuple[str, ...] = ()
    """The kinds of units that have trays; empty for switches."""

    @property
    def key(self) -> TierKey:
        """The tier by fabric and name."""
        return TierKey.of(self.fabric, self.tier, self.layout.parts[0].name if self._of_part and self.layout else "")

    @property
    def _of_part(self) -> bool:
        """Whether its tier serves one of several parts of a cluster."""
        return self.layout is not None and self.layout.cluster is not None

    def may_stand_in(self, layout: Layout) -> bool:
        """Whether some of these devices may stand in pods of a layout, of the cluster or of a part of it."""
        if layout.cluster is None or self.scope == "site":
            return True
        if self.scope == WHOLE:
            return layout.cluster.part_order[0] == layout.parts[0].name
        return bool(self.select_pods(layout.pods))

    def select_pods(self, pods: Sequence[PodLayout]) -> Sequence[PodLayout]:
        """Return the pods, of those given, that the tier serves, or that have units of a kind with trays."""
        if self._of_part and self.layout:
            pod_names = {pod.name for pod in self.layout.pods}
            return [pod for pod in pods if pod.name in pod_names]
        return [pod for pod in pods if not self.kinds or find_kind(pod.part) in self.kinds]

    def find_scope_in(self, place: str) -> str:
        """Return the scope of these devices seen from a place: trays that stand in racks are counted over their whole
        unit.
        """
        return "su" if self.tier == TRAY_TIER and self.scope == "rack" and place != "rack" else self.scope


class Holder(NamedTuple):
    """A group of switches that has positions in a place, by where in the place it stands and by its label."""

    fabric: str
    tier: str
    inside: str
    label: str

    @property
    def name(self) -> str:
        """Its lock key: `compute leaf p1 su1 rail2`."""
        return " ".join(part for part in self if part)


def list_managed_devices(
    fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign], management_fabric: str
) -> tuple[ManagedDevices, ...]:
    """Return all devices with a management port, without the switches of the management fabric itself."""
    tiers = [
        _manage_switches(fabric, tier)
        for fabric in fabrics
        if fabric.name != management_fabric
        for tier in fabric.tiers
    ]
    trays = [_manage_trays(domain) for domain in scale_up if domain.trays]
    return (*tiers, *trays)


def _manage_switches(fabric: FabricDesign, tier: TierDesign) -> ManagedDevices:
    """Return the switches of a tier as managed devices.

    If the groups of the tier are narrower than any place of `PLACES`, they count for the next wider place, and their
    own place becomes part of the label.
    """
    scope, labels = tier.scope, label_groups(tier.per, tier.sizes)
    management_place = find_management_place(scope)
    make_devices = partial(ManagedDevices, fabric.name, tier.name, layout=tier.layout)
    if management_place == scope:
        return make_devices(scope, tier.switches, tier.switches, labels)
    places_inside = max(number_places(tier.layout, scope, management_place, by_slot=False)) + 1
    labels = tuple(f"{scope}{n + 1} {label}".rstrip() for n in range(places_inside) for label in labels)
    slots = count_places(tier.layout, management_place) * len(labels) * tier.count
    return make_devices(management_place, tier.switches, slots, labels)


def _manage_trays(scale_up: ScaleUpDesign) -> ManagedDevices:
    """Return the trays of scale-up domains as managed devices."""
    trays_per_domain = scale_up.trays_each
    slots = scale_up.places.slots * trays_per_domain  # of trays, as if no domain were empty
    in_unit = trays_per_domain * max(map(len, scale_up.places.groups.values()))
    make_devices = partial(ManagedDevices, scale_up.name, TRAY_TIER, kinds=tuple(scale_up.places.groups))
    return make_devices(scale_up.tray_scope, scale_up.trays, slots, in_rack=trays_per_domain, in_unit=in_unit)


def label_groups(per: tuple[str, ...], sizes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the labels that tell the groups in one place apart, in their order: `rail1 plane2`. `sizes` has how many
    values each inner dimension of `per` has.
    """
    dimensions = list_inner_dimensions(per)
    values = product(*(range(1, sizes[d] + 1) for d in dimensions))
    return tuple(" ".join(f"{d}{v}" for d, v in zip(dimensions, numbers, strict=True)) for numbers in values)
