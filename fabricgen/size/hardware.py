"""The node of some wishes, the switches that its NICs can be cabled to, and the shapes of fabrics of these."""

from __future__ import annotations

from dataclasses import dataclass
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
    form: str = "clos"
    """`dragonfly` or `hyperx` where switches of one tier meet: those of a unit, and those of different units."""
    widths: tuple[int, ...] = ()
    """Of such a form: units with those that growth brings, then switches of a unit along each of its dimensions."""
    links: tuple[int, ...] = ()
    """Links along each of `widths`: of every two switches that meet, or of every two units of a dragonfly."""

    @property
    def name(self) -> str:
        """What it is called: `2t-sn5600-p2-su64-1to1`, further words where it differs from the usual."""
        ratio = f"{self.ratio.numerator}to{self.ratio.denominator}"
        form = f"{self.tiers}t" if self.form == "clos" else self.form
        words = [form, self.switch, f"p{self.planes}", f"su{self.unit}", ratio]
        words += [f"pod{self.pod}"] if self.pod else []
        words += ["x".join(map(str, self.widths))] if self.widths else []
        shared = f"g{self.rails}" if self.rails > 1 and (self.form == "clos" or not self.meet) else ""
        words += ["tor"] if self.attach == "tor" else [shared] if shared else []
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

    @cached_property
    def inside(self) -> PortKind:
        """The kind of links to switches of the same tier: the slowest, no slower than ports of nodes, of which each has
        a connector of its own at both ends, since no cable splits towards both; else the fastest.
        """
        from fabricgen.lint.rules.plan.cabling.fg603_crowded_cage import count_connectors

        below = find_down_class(self.profile, PortDemand(self.kind, 0))
        at = find_up_class(self.profile, below[0] if below else None)
        cage = self.profile.cages[at]
        speeds = sorted(speed for speed in cage.speeds if speed >= self.kind.speed_gbps) or [cage.speed_gbps]
        ways = {speed: self.profile.split_for(at, speed, cage.lane_gbps) or 0 for speed in speeds}
        chosen = next((speed for speed in speeds if 0 < ways[speed] <= count_connectors(cage)), speeds[-1])
        return PortKind(chosen, cage.lane_gbps)

    def count_most_down(self, ratio: Fraction | None, spare: int = 0) -> int:
        """The most downlinks of a leaf beside the uplinks for a ratio; of a top switch with None, for uplinks."""
        return _count_most_downlinks(self.profile, self.kind, self.up if ratio else None, ratio or Fraction(1), spare)

    def count_most_above(self, *, top: bool) -> int:
        """The most downlinks of an upper switch, which takes the uplinks of leaves."""
        return _count_most_downlinks(self.profile, self.up, None if top else self.up, Fraction(1), 0)

    def count_uplinks(self, down: int, ratio: Fraction) -> int:
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

    def find_ports(self, switch: str, planes: int) -> Ports | str:
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
        ports = self.find_ports(switch, planes)
        if isinstance(ports, str):
            return ()
        cage = max(ports.profile.cages, key=lambda cage: cage.count * cage.lanes_gbps)
        return (
            cage.form_factor,
            ports.count_most_down(Fraction(1)),
            ports.count_most_above(top=True),
            ports.count_most_above(top=False),
        )


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
