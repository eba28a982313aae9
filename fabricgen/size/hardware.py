"""The node of some wishes, the switches that its NICs can be cabled to, and the shapes of fabrics of them."""

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
"""The role of the NICs that the fabric serves."""

SHUFFLED_WAYS = 4
"""NICs that are split into at least this many ports meet their leaves by way of fibre shuffles."""

MOST_NODES = 4096
"""Nodes of a scalable unit, at most (`blueprint/scalars.py:CountOf`)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A fabric of one model of switch, whatever the number of nodes.

    `meet` says in which tier rails meet; it is "" if they never do, and traffic between rails crosses the node's
    scale-up domain first. `pod` is the number of units in a pod, with three tiers. With `by_spine`, spines of the same
    number in all pods share cores.
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
    """Whether upper tiers have the switches for the wished growth from the first day."""
    form: str = "clos"
    """`dragonfly` or `hyperx` if switches of one tier meet, within a unit and between units."""
    widths: tuple[int, ...] = ()
    """Of a dragonfly or HyperX: the units, with those of growth, then the switches of a unit along each dimension."""
    links: tuple[int, ...] = ()
    """Links along each of `widths`: between every two switches that meet, or every two units of a dragonfly."""

    @property
    def name(self) -> str:
        """Its name, such as `2t-sn5600-p2-su64-1to1`, with a further word for each thing that is not usual."""
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
    """How a NIC is cabled to a switch, and which ports the switch has besides.

    `kind` is the kind (speed and lane rate) of the switch's ports for the NIC; those of uplinks (`up`) and of links
    within a tier (`inside`) follow from it.
    """

    profile: SwitchProfile
    kind: PortKind
    legs: int
    """Links of a NIC to the switches of one plane."""
    ways: int
    """Into how many ports a port of the NIC is split."""

    @cached_property
    def up(self) -> PortKind:
        """The kind of port of its uplinks, of the speed that designs choose (`choose_uplink_speed`)."""
        # the class of cages does not depend on the number of ports, which is not known yet: 0
        below = find_down_class(self.profile, PortDemand(self.kind, 0))
        cage = self.profile.cages[find_up_class(self.profile, below[0] if below else None)]
        speed = choose_uplink_speed(self.profile, below[0] if below else None, self.kind.speed_gbps)
        # a fabric runs on lanes of one rate: those of its NICs, even where the cages for uplinks could run faster
        return PortKind(speed, min(self.kind.lane_gbps, cage.lane_gbps))

    @cached_property
    def inside(self) -> PortKind:
        """The kind of port for links to switches of the same tier.

        Each link needs a connector of its own, since no cable can be split at both ends. The slowest kind that has
        that, and is no slower than ports of nodes, is taken; the fastest if there is none.
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
        """Return the most downlinks of a leaf that has the uplinks for an oversubscription ratio; None: no uplinks.

        `spare` downlink ports are kept free.
        """
        return _count_most_downlinks(self.profile, self.kind, self.up if ratio else None, ratio or Fraction(1), spare)

    def count_most_above(self, *, top: bool) -> int:
        """Return the most downlinks of an upper switch, of the kind of port that leaves have for uplinks.

        It has as many uplinks, or none at the `top`.
        """
        return _count_most_downlinks(self.profile, self.up, None if top else self.up, Fraction(1), 0)

    def count_uplinks(self, down: int, ratio: Fraction) -> int:
        """Return the uplinks of a leaf with `down` downlinks, at an oversubscription ratio."""
        return count_needed(down * self.kind.speed_gbps, self.up.speed_gbps, ratio)


@cache
def _count_most_downlinks(
    profile: SwitchProfile, kind: PortKind, up: PortKind | None, ratio: Fraction, spare: int
) -> int:
    """Return the most ports of a kind that a switch has for links downward; cached.

    It keeps `spare` further ones free, and has ports of the kind `up` for an oversubscription of `ratio`; None: none.
    """
    demand = SwitchDemand((PortDemand(kind, 0),))  # a demand of 0: as many ports as fit are counted
    return count_most_downlinks(profile, demand, up, ratio, spare_ports=spare)


class Hardware:
    """The node of some wishes, and the switches that its NICs can be cabled to, as the catalogue has them.

    Raises InputError: FG014 if the node has no ports of `ROLE`, FG150 if it has no accelerators or if its racks do not
    take the wished number of nodes.
    """

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
    def domain_nodes(self) -> int:
        """The number of nodes that share a scale-up domain; 1 if the catalogue has no domain for the node."""
        domain = self.node.scale_up
        if domain not in self.catalog.ids("scale_up"):
            return 1
        return max(1, (self.catalog.scale_up(domain).accelerators or 0) // self.gpus_per_node)

    @cached_property
    def rails(self) -> int:
        """The number of rails of a node: NICs that the fabric serves."""
        return len({port.rail for port in self.node.roles[ROLE].ports})

    @cached_property
    def planes(self) -> tuple[int, ...]:
        """The wished numbers of planes, else those that NICs can be split into, ascending."""
        role = self.node.roles[ROLE]
        return self.wishes.planes or tuple(sorted({split * role.ports_per_nic for split in role.splits} | {1}))

    @cached_property
    def in_rack(self) -> int:
        """The number of nodes in a rack: of the node's rack type, else as wished, else those of a scale-up domain that
        has several, else as many as fit 46 units.
        """
        if self.rack and self.rack.fixed.get("node"):
            return len(self.rack.fixed["node"])
        domain_nodes = self.domain_nodes if self.domain_nodes > 1 else 0
        return self.wishes.nodes_per_rack or domain_nodes or max(1, 46 // self.node.rack_units)

    def find_ports(self, switch: str, planes: int) -> Ports | str:
        """Return how a NIC is cabled to a switch over `planes` planes, or in words why it cannot be; cached.

        Raises InputError (FG011) for an unknown switch.
        """
        key = (switch, planes)
        if key not in self._ports:
            self._ports[key] = self._attach_nic(switch, planes)
        return self._ports[key]

    def _attach_nic(self, switch: str, planes: int) -> Ports | str:
        """Return how a NIC is cabled to a switch over `planes` planes, by the rules of designs, else why not."""
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
            attachment = attach_profile(
                self.node, ROLE, fabric, profile, ("node",), optics=LinkOptics(self.catalog, (), OPEN)
            )
        except InputError as error:
            return error.diagnostics[0].message
        full_gbps, reached_gbps = (
            max(self.node.roles[ROLE].speeds),
            attachment.speed_gbps * attachment.links_per_connector,
        )
        if reached_gbps < full_gbps:
            return f"{switch} in {planes} plane{'s' * (planes > 1)}: NICs run at {reached_gbps}G of their {full_gbps}G"
        if reason := _explain_crowded_cage(profile, attachment.kind, attachment.links_per_connector):
            return f"{switch} in {planes} planes: {reason}"
        legs = len(attachment.legs) // (self.rails * planes)
        return Ports(profile, attachment.kind, legs, attachment.links_per_connector)

    def choose_nos(self, profile: SwitchProfile) -> str:
        """Return the NOS for a switch; "" if it is no Ethernet switch or if no NOS for it can be rendered."""
        usable = self.catalog.list_usable_nos(profile) if profile.protocol == "ethernet" else ()
        # a NOS with a table of the platform's ports is preferred: nothing about the ports is assumed then
        tabled = (nos for nos in usable if self.catalog.naming(nos).has_tables)
        return next(tabled, next(iter(usable), ""))

    @cached_property
    def switches(self) -> dict[str, tuple[str, ...]]:
        """Switches to try -> others of the catalogue with the same face (see `_describe_face`).

        They are the wished switches, else one fixed box for each face to which NICs can be cabled at full speed. A box
        of known power is preferred, then one of the node's vendor.
        """
        if self.wishes.switch:
            # raises InputError for a name that the catalogue lacks
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
                    # the box to try sorts first: False is before True
                    order = (profile.power_w.planning_w is None, foreign, name)
                    faces.setdefault((profile.protocol, face), []).append(order)
        ordered = [[name for *_, name in sorted(orders)] for orders in faces.values()]
        return {names[0]: tuple(names[1:]) for names in sorted(ordered)}

    def _describe_face(self, switch: str, planes: int) -> tuple[object, ...]:
        """Return the face of a switch, what a design depends on; empty if NICs cannot be cabled to it at full speed.

        It is (form factor of the largest class of cages, most downlinks of a leaf, of a top switch, of a middle one).
        """
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


def _explain_crowded_cage(profile: SwitchProfile, kind: PortKind, ways: int) -> str:
    """Return why the cables of NICs split into `ways` ports do not fit a cage of a leaf (FG603), or "" if they fit.

    Each leg of such a NIC goes to another leaf by a cable of its own, unless a fibre shuffle deals them out.
    """
    from fabricgen.lint.rules.plan.cabling.fg603_crowded_cage import count_connectors

    class_and_ports = find_down_class(profile, PortDemand(kind, 0))
    # NICs that are not split have no such legs; those split further are dealt out by shuffles
    if not class_and_ports or not 1 < ways < SHUFFLED_WAYS:
        return ""
    cage_class, ports_per_cage = class_and_ports
    connectors = count_connectors(profile.cages[cage_class])
    if ports_per_cage <= connectors:
        return ""
    return f"{ports_per_cage} cables end in each cage of a leaf; a transceiver there takes {connectors} (FG603)"


def count_nodes(gpus: int, hardware: Hardware) -> int:
    """Return the fewest nodes that have `gpus` accelerators."""
    return -(-gpus // hardware.gpus_per_node)
