"""Shapes of fabrics: what is tried, under names that say what they are, and how many accelerators each can reach.

Closed forms prune before anything is compiled: with D down ports a leaf, U uplinks and R ports a switch, a spine group
takes as many leaves as a spine has ports for, since each leaf has a link to every spine: two tiers carry D x R ports,
three D x (D of a spine) x R; without oversubscription R^2/2 and R^3/4 (Al-Fares et al., SIGCOMM 2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, RackProfile, SwitchProfile
from fabricgen.design.ports import (
    PortDemand,
    PortKind,
    SwitchDemand,
    choose_uplink_speed,
    count_most_downlinks,
    count_needed,
    find_down_class,
    find_up_class,
)
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.size.wishes import Wishes

ROLE = "compute"
"""The NICs that the fabric serves."""

SHUFFLED_WAYS = 4
"""NICs that are split into so many ports or more meet their leaves by way of fibre shuffles."""

MOST_NODES = 4096
"""Nodes of a scalable unit, at most (`blueprint/scalars.py:CountOf`)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A fabric of one model of switch, whatever the number of nodes.

    `legs` are the ports that a node has on each leaf group of a plane: those of the rails that share a leaf. `meet`
    says in which tier rails meet; "" where they never do, and traffic between rails crosses the node's scale-up domain
    first. `pod` is the units of a pod of three tiers; with `by_spine` its spines of one number share cores.
    """

    tiers: int
    switch: str
    planes: int
    attach: str
    rails: int
    """Rails that share a leaf."""
    unit: int
    """Nodes of a scalable unit."""
    ratio: Fraction
    meet: str
    pod: int = 0
    by_spine: bool = False
    ready: bool = False
    """Whether upper tiers have the switches for the growth that is wished for already."""

    @property
    def name(self) -> str:
        """What it is called: `2t-sn5600-p2-su64-1to1`, further words where it differs from the usual."""
        ratio = f"{self.ratio.numerator}to{self.ratio.denominator}"
        words = [f"{self.tiers}t", self.switch, f"p{self.planes}", f"su{self.unit}", ratio]
        words += [f"pod{self.pod}"] if self.pod else []
        words += ["tor"] if self.attach == "tor" else [f"g{self.rails}"] if self.rails > 1 else []
        words += {"": ["apart"], "core": ["atcore"]}.get(self.meet, [])
        words += ["ready"] if self.ready else []
        return "-".join(words)


@dataclass(frozen=True)
class Ports:
    """What a switch offers a leg of a node: its kind of port, and that of the uplinks."""

    profile: SwitchProfile
    kind: PortKind
    legs: int
    """Legs of a NIC in a plane."""
    ways: int
    """Into how many a port of the NIC is split."""

    @cached_property
    def up(self) -> PortKind:
        """The kind of its uplinks, of the speed that designs choose beside such downlinks (`choose_uplink_speed`)."""
        # the class of cages does not depend on how many ports are asked for, which no shape knows yet: 0
        below = find_down_class(self.profile, PortDemand(self.kind, 0))
        cage = self.profile.cages[find_up_class(self.profile, below[0] if below else None)]
        speed = choose_uplink_speed(self.profile, below[0] if below else None, self.kind.speed_gbps)
        # a fabric runs on lanes of one rate: those of its NICs, even where the cages for uplinks could run faster
        return PortKind(speed, min(self.kind.lane_gbps, cage.lane_gbps))

    def most(self, ratio: Fraction | None, spare: int = 0) -> int:
        """The most downlinks of a leaf beside the uplinks for a ratio; of a top switch with None, for uplinks."""
        return _count_most_downlinks(self.profile, self.kind, self.up if ratio else None, ratio or Fraction(1), spare)

    def most_above(self, *, top: bool) -> int:
        """The most downlinks of an upper switch, which takes the uplinks of leaves."""
        return _count_most_downlinks(self.profile, self.up, None if top else self.up, Fraction(1), 0)

    def uplinks(self, down: int, ratio: Fraction) -> int:
        """The uplinks of a leaf with so many downlinks."""
        return count_needed(down * self.kind.speed_gbps, self.up.speed_gbps, ratio)


@cache
def _count_most_downlinks(
    profile: SwitchProfile, kind: PortKind, up: PortKind | None, ratio: Fraction, spare: int
) -> int:
    demand = SwitchDemand((PortDemand(kind, 0),))  # of which as many as fit are counted, whatever it asks for
    return count_most_downlinks(profile, demand, up, ratio, spare_ports=spare)


class Hardware:
    """The node of some wishes, and the switches that its NICs can be cabled to, as the catalogue has them."""

    def __init__(self, wishes: Wishes, catalog: Catalog) -> None:
        self.wishes, self.catalog = wishes, catalog
        self.node: NodeProfile = catalog.node(wishes.node, ("node",))
        if ROLE not in self.node.roles:
            ports = ", ".join(sorted(self.node.roles)) or "none"
            hint = f"its ports are {ports}; `size` lays out the {ROLE} fabric of GPUs"
            raise fault("FG014", f"{self.node.id} has no '{ROLE}' ports", path=("node",), hint=hint)
        if not self.node.accelerators:
            raise fault("FG150", f"{self.node.id} has no accelerators", path=("node",), hint="name a node with GPUs")
        self.gpus_per_node = self.node.accelerators.count
        self.rack: RackProfile | None = None
        if self.node.scale_up in catalog.ids("racks"):
            self.rack = catalog.rack(self.node.scale_up)
        if self.rack and self.rack.fixed.get("node") and wishes.nodes_per_rack not in (None, self.in_rack):
            message = (
                f"{self.node.id} comes in racks of {self.in_rack} ({self.rack.id}), not of {wishes.nodes_per_rack}"
            )
            raise fault("FG150", message, path=("nodes_per_rack",), hint="leave out nodes_per_rack")
        self._ports: dict[tuple[str, int], Ports | str] = {}

    @cached_property
    def rails(self) -> int:
        """NICs of a node that the fabric serves."""
        return len({port.rail for port in self.node.roles[ROLE].ports})

    @cached_property
    def planes(self) -> tuple[int, ...]:
        """The planes that are wished for, else those that NICs can be split into."""
        role = self.node.roles[ROLE]
        return self.wishes.planes or tuple(sorted({split * role.ports_per_nic for split in role.splits} | {1}))

    @cached_property
    def in_rack(self) -> int:
        """Nodes of a rack."""
        if self.rack and self.rack.fixed.get("node"):
            return len(self.rack.fixed["node"])
        return self.wishes.nodes_per_rack or max(1, 46 // self.node.rack_units)

    def ports(self, switch: str, planes: int) -> Ports | str:
        """How a NIC meets a switch over so many planes, or why it does not."""
        key = (switch, planes)
        if key not in self._ports:
            self._ports[key] = self._meet_switch(switch, planes)
        return self._ports[key]

    def _meet_switch(self, switch: str, planes: int) -> Ports | str:
        """How a NIC meets a switch over so many planes, by the rules of designs; else why not, as text."""
        from fabricgen.blueprint.sections.fabric import Fabric
        from fabricgen.design.attach import attach_profile
        from fabricgen.design.media.gearing import LinkOptics
        from fabricgen.design.media.policy import OPEN

        profile = self.catalog.switch(switch, ("switch",))
        nos = self.choose_nos(profile)
        if lack := self.catalog.naming(nos).configuration.lossless_by_image.get(switch) if nos else None:
            return f"{switch} is lossless by no image of {self.catalog.naming(nos).title}: {lack}"
        fabric = Fabric.model_construct(planes=planes, nic={}, speed=None, rail_groups=())
        try:
            met = attach_profile(self.node, ROLE, fabric, profile, ("node",), optics=LinkOptics(self.catalog, (), OPEN))
        except InputError as error:
            return error.diagnostics[0].message
        full = max(self.node.roles[ROLE].speeds)
        if met.speed_gbps * met.per_connector < full:
            reached_gbps = met.speed_gbps * met.per_connector
            return f"{switch} in {planes} plane{'s' * (planes > 1)}: NICs run at {reached_gbps}G of their {full}G"
        if crowd := _find_crowd(profile, met.kind, met.per_connector):
            return f"{switch} in {planes} planes: {crowd}"
        legs = len(met.legs) // (self.rails * planes)
        return Ports(profile, met.kind, legs, met.per_connector)

    def choose_nos(self, profile: SwitchProfile) -> str:
        """The NOS that a switch is given; "" where it is managed or none can be rendered."""
        usable = self.catalog.list_usable_nos(profile) if profile.protocol == "ethernet" else ()
        # ports by a table of the platform are the surest: nothing of them is assumed
        tabled = (nos for nos in usable if self.catalog.naming(nos).has_tables)
        return next(tabled, next(iter(usable), ""))

    @cached_property
    def switches(self) -> dict[str, tuple[str, ...]]:
        """Switches to try -> others of the catalogue with the same face: those wished for, else one fixed box of each
        face that NICs meet at full speed: one whose power is known, of the maker of the node if there is one.
        """
        if self.wishes.switch:
            for name in self.wishes.switch:
                self.catalog.switch(name, ("switch",))
            return dict.fromkeys(self.wishes.switch, ())
        faces: dict[object, list[tuple[bool, bool, str]]] = {}
        for name in self.catalog.ids("switches"):
            profile = self.catalog.switch(name)
            if profile.protocol in ("ethernet", "infiniband") and not profile.line_cards:
                face = tuple(self._describe_face(name, planes) for planes in self.planes)
                if any(face) and (profile.protocol == "infiniband" or self.catalog.list_usable_nos(profile)):
                    foreign = profile.vendor != self.node.vendor
                    order = (profile.power_w.planning_w is None, foreign, name)
                    faces.setdefault((profile.protocol, face), []).append(order)
        ordered = [[name for *_, name in sorted(orders)] for orders in faces.values()]
        return {names[0]: tuple(names[1:]) for names in sorted(ordered)}

    def _describe_face(self, switch: str, planes: int) -> tuple[object, ...]:
        """What of a switch counts for a design: its ports for NICs at full speed and for leaves; empty for none."""
        ports = self.ports(switch, planes)
        if isinstance(ports, str):
            return ()
        cage = max(ports.profile.cages, key=lambda cage: cage.count * cage.lanes_gbps)
        return (cage.form_factor, ports.most(Fraction(1)), ports.most_above(top=True), ports.most_above(top=False))


def _find_crowd(profile: SwitchProfile, kind: PortKind, ways: int) -> str:
    """Why a cage of a leaf has too many cables of NICs that are split into `ways` (FG603); "" where it has not.

    Each leg of such a NIC goes to another leaf by a cable of its own, unless a fibre shuffle deals them out.
    """
    from fabricgen.lint.rules.plan.cabling.fg603_crowded_cage import count_connectors

    below = find_down_class(profile, PortDemand(kind, 0))
    room = count_connectors(profile.cages[below[0]]) if below else 0
    if not below or below[1] <= room or not 1 < ways < SHUFFLED_WAYS:
        return ""
    return f"{below[1]} cables end in each cage of a leaf; a transceiver there takes {room} (FG603)"


def count_nodes(gpus: int, hardware: Hardware) -> int:
    """The fewest nodes that have so many accelerators."""
    return -(-gpus // hardware.gpus_per_node)


def count_most_nodes(shape: Shape, hardware: Hardware) -> int:
    """The most nodes that a shape can carry by the arithmetic of ports; 0 where a leaf takes none of its units."""
    ports = hardware.ports(shape.switch, shape.planes)
    if isinstance(ports, str):
        return 0
    spare, legs = hardware.wishes.spare_ports, shape.rails * ports.legs
    if shape.tiers == 1:
        return (ports.most(None) - spare) // legs
    down = ports.most(shape.ratio, spare)
    leaf_nodes = hardware.in_rack if shape.attach == "tor" else shape.unit
    leaves = -(-leaf_nodes * legs // down) if down else 0
    if not leaves:
        return 0
    groups = 1 if shape.meet == "spine" else hardware.rails // shape.rails
    joined = hardware.rails // shape.rails // groups  # leaf groups of a unit that a spine serves
    leaves_below = leaves * joined
    if shape.tiers == 2:
        return ports.most_above(top=True) // leaves_below * leaf_nodes
    in_pod = shape.pod * (shape.unit // leaf_nodes) * leaves_below
    spines = _count_spines(
        in_pod, ports.uplinks(min(down, leaf_nodes * legs), shape.ratio), ports.most_above(top=False)
    )
    if not spines:
        return 0
    below = groups if shape.meet == "core" else 1
    pods = ports.most_above(top=True) // (below * (1 if shape.by_spine else spines))
    return pods * shape.pod * shape.unit


def find_likeness(shape: Shape, hardware: Hardware, nodes: int) -> tuple[object, ...]:
    """What sizing goes by: of shapes with equal ones, so many nodes take as many switches and links in each tier.

    A leaf for 64 nodes of one rail and one for 32 nodes of two rails have the same ports in use.
    """
    ports = hardware.ports(shape.switch, shape.planes)
    legs = shape.rails * (ports.legs if isinstance(ports, Ports) else 1)
    shape_key = (shape.tiers, shape.switch, shape.planes, shape.ratio, shape.attach == "tor", shape.ready)
    groups = hardware.rails // shape.rails
    if shape.tiers == 1:
        return (*shape_key, nodes * legs, groups)
    # the nodes of one leaf of each rail: those of a rack, or of a unit
    together = hardware.in_rack if shape.attach == "tor" else shape.unit
    joined = groups if shape.meet == "spine" else 1
    leaves_below, units = shape.unit // together * joined, -(-nodes // shape.unit)
    pods, rest = divmod(units, shape.pod) if shape.pod else (1, 0)
    in_pod = (shape.pod or units) * leaves_below
    down = ports.most(shape.ratio, hardware.wishes.spare_ports) if isinstance(ports, Ports) else 0
    full, uneven = divmod(together * legs, -(-together * legs // down)) if down else (0, 1)
    apart = shape.meet == "" and groups > 1 and shape.tiers > 2
    if not (uneven or rest or apart or nodes % shape.unit):
        # full leaves are alike whatever units and pods they are of: so many below each of so many groups of spines
        return (*shape_key, full, in_pod * together * legs // full, groups // joined * pods, shape.by_spine)
    return (*shape_key, together * legs, groups // joined, in_pod, pods, rest * leaves_below, shape.by_spine, apart)


def _count_spines(leaves: int, uplinks: int, down: int) -> int:
    """The fewest spines that divide the uplinks of leaves and have the ports for them; 0 where none do."""
    fits = (count for count in range(1, uplinks + 1) if uplinks % count == 0 and leaves * (uplinks // count) <= down)
    return next(fits, 0)


def list_shapes(hardware: Hardware, nodes: int) -> Iterator[Shape]:
    """Every shape that is wished for, in a fixed order; `count_most_nodes` says which of them fit."""
    wishes = hardware.wishes
    for switch in hardware.switches:
        for planes in hardware.planes:
            ports = hardware.ports(switch, planes)
            if isinstance(ports, str):
                yield Shape(min(wishes.tiers), switch, planes, "rail", 1, 1, Fraction(1), "spine")
                continue
            for tiers in wishes.tiers:
                for ratio in wishes.oversubscription if tiers > 1 else (Fraction(1),):
                    for attach, rails in _list_attachments(hardware, tiers):
                        flat = Shape(tiers, switch, planes, attach, rails, 1, ratio, "")
                        for unit in _list_unit_sizes(hardware, ports, flat, nodes):
                            yield from _list_upper_shapes(replace(flat, unit=unit), hardware, ports, nodes)


def _list_attachments(hardware: Hardware, tiers: int) -> Iterator[tuple[str, int]]:
    """(how nodes attach, rails that share a leaf)."""
    wishes, rails = hardware.wishes, hardware.rails
    if "rail" in wishes.attach:
        yield "rail", 1
    if "group" in wishes.attach:
        yield from (("group", shared_rails) for shared_rails in range(2, rails + 1) if rails % shared_rails == 0)
    if "tor" in wishes.attach and tiers > 1:
        yield "tor", rails


def _list_unit_sizes(hardware: Hardware, ports: Ports, shape: Shape, nodes: int) -> list[int]:
    """Nodes of a unit: as wished, else those that fill leaves, half of them, or all leaves alike."""
    wishes, per_rack = hardware.wishes, hardware.in_rack
    if shape.tiers == 1:
        return [min(nodes, MOST_NODES)]
    if wishes.unit_size:
        return [unit for unit in wishes.unit_size if shape.attach != "tor" or unit % per_rack == 0]
    if shape.attach == "tor":
        racks = -(-nodes // per_rack)
        alike_racks = -(-racks // -(-racks // 8))  # else racks that are not there have leaves
        return [per_rack * count for count in sorted({4, 8, alike_racks}) if per_rack * count <= MOST_NODES]
    if hardware.rack:
        return [per_rack * racks for racks in (1, 2, 4, 8)]
    full = ports.most(shape.ratio, wishes.spare_ports) // (shape.rails * ports.legs)
    if full < 1:
        return []
    # the greatest power of two that fits
    even = 1 << (full.bit_length() - 1)
    # no more units than needed, all of one size but for the last
    alike = -(-nodes // -(-nodes // full))
    sizes = {full, even, even // 2, alike}
    return sorted({min(unit, nodes, MOST_NODES) for unit in sizes if unit})


def _list_upper_shapes(shape: Shape, hardware: Hardware, ports: Ports, nodes: int) -> Iterator[Shape]:
    """A shape with each wished tier in which its rails meet and, of three tiers, each size of its pods."""
    wishes, has_groups = hardware.wishes, hardware.rails > shape.rails
    every = ("spine", "core", "") if has_groups else ("spine",)
    meets = [meet for meet in every if ("meet" if meet else "apart") in wishes.rails]
    if shape.tiers == 1:
        if ("apart" if has_groups else "meet") in wishes.rails:
            yield shape if has_groups else replace(shape, meet="leaf")
        return
    units, grown = -(-nodes // shape.unit), count_nodes(wishes.growth_to or 0, hardware)
    if shape.tiers == 2:  # a spine of one leaf, now and later, joins nothing
        flat_shapes = (replace(shape, meet=meet) for meet in meets if meet != "core")
        yield from (
            flat
            for flat in flat_shapes
            if _count_unit_leaves(flat, hardware, ports) > 1 or max(nodes, grown) > shape.unit
        )
        return
    for meet in meets:
        for pod in _list_pod_sizes(replace(shape, meet=meet), hardware, ports):
            if pod < units:
                pod_shape = replace(shape, meet=meet, pod=pod)
                yield replace(pod_shape, by_spine=count_most_nodes(pod_shape, hardware) < max(nodes, grown))


def _list_pod_sizes(shape: Shape, hardware: Hardware, ports: Ports) -> list[int]:
    """Units of a pod: those that fill its spines, and a half, a quarter and an eighth of them."""
    full = ports.most_above(top=False) // _count_unit_leaves(shape, hardware, ports)
    return sorted({full // part for part in (1, 2, 4, 8)} - {0, 1})


def _count_unit_leaves(shape: Shape, hardware: Hardware, ports: Ports) -> int:
    """Leaves of a unit below one spine."""
    down = ports.most(shape.ratio, hardware.wishes.spare_ports)
    together = hardware.in_rack if shape.attach == "tor" else shape.unit
    # so many leaves for the nodes of one rack, or of the unit, as their ports fill
    leaves = shape.unit // together * -(-together * shape.rails * ports.legs // max(1, down))
    return leaves * (hardware.rails // shape.rails if shape.meet == "spine" else 1)
