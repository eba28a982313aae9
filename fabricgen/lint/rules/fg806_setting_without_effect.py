"""A setting changes nothing in this design."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.slots import omitted_slots
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Path, Severity
from fabricgen.lint.rule import DesignRule

REMOVE = "remove it"
"""The hint where nothing else could be meant."""

Idle = tuple[Path, str, str]
"""Where a setting stands that changes nothing, why, and what to do."""


class SettingWithoutEffect(DesignRule):
    """A setting is understood, and the same cluster would be built without it.

    It is left over from another design, or its author expects of it what it does not do: a VLAN where hosts are routed,
    thresholds where nothing is lossless, growth for a tier whose count is stated. Remove it, or make it hold.
    """

    id = "FG806"
    severity = Severity.WARNING
    title = "a setting changes nothing in this design"
    bad = """
        fabrics:
          compute:
            vlan: 200  # <-
            tiers:
              spine:
                size_for: reserve  # <-
    """
    good = """
        fabrics:
          compute:
            hosts: bridged
            vlan: 200
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Go through settings whose effect hangs on others."""
        for fabric in design.fabrics:
            for found in (_of_protocol, _of_carrier, _of_hosts, _of_qos, _of_sizes, _of_spread, _of_ratio):
                yield from map(self._idle, found(design, fabric))
        for cluster_wide in (_shared, _of_nos, _of_omit, _of_floor):
            yield from map(self._idle, cluster_wide(design))

    def _idle(self, found: Idle) -> Diagnostic:
        """A finding; where nothing else could be meant its repair takes the setting away."""
        path, why, hint = found
        return self.flag(path, why, hint, [Edit("remove", path)] if hint == REMOVE else [])


def _of_protocol(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """What InfiniBand switches do not take; their routing, pools, QoS and management are another rule's."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    for key in ("ip", "hosts", "vlan", "nos"):
        if fabric.protocol == "infiniband" and getattr(spec, key):
            yield (*fabric.path, key), f"InfiniBand fabric {fabric.name} takes no {key}", REMOVE


def _of_carrier(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Routing of a fabric that another carries: the switches are the carrier's, and route as it says."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    if spec.carried_by and fabric.protocol != "infiniband":
        for key in sorted({"underlay", "asn"} & spec.routing.model_fields_set):
            why = f"switches of {spec.carried_by} carry {fabric.name}, and route as {spec.carried_by} says"
            yield (*fabric.path, "routing", key), why, f"remove it, or state it for {spec.carried_by}"


def _of_hosts(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """A VLAN of nodes that are in none."""
    stated = design.loaded.blueprint.fabrics[fabric.name].vlan
    if stated and fabric.protocol != "infiniband" and fabric.hosts in ("routed", "none"):
        why = f"nodes of {fabric.name} are in no VLAN: hosts is {fabric.hosts}"
        yield (*fabric.path, "vlan"), why, "remove it, or let hosts be `bridged`"


def is_lossless(design: Design, fabric: FabricDesign) -> bool:
    """Whether the switches of a fabric keep a lossless class, as stated nearest to it."""
    blueprint = design.loaded.blueprint
    shared = blueprint.qos.profile if fabric.protocol == "roce" else None
    profile = blueprint.fabrics[fabric.name].qos.profile or shared
    return profile == "roce-lossless" if profile else fabric.protocol == "roce"


def _of_qos(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """Figures of a lossless class where there is none."""
    stated = sorted(design.loaded.blueprint.fabrics[fabric.name].qos.model_fields_set - {"profile"})
    if stated and fabric.protocol != "infiniband" and not is_lossless(design, fabric):
        for key in stated:
            why = f"{fabric.name} has no lossless class that {key} could be of"
            yield (*fabric.path, "qos", key), why, "remove it, or state `profile: roce-lossless`"


def _of_sizes(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """What derived counts are to suffice for, where the count is stated."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    for name, tier in spec.tiers.items():
        if tier.size_for and tier.count is not None:
            path = (*fabric.path, "tiers", name, "size_for")
            yield path, f"the count of {fabric.name} {name} is stated, and not derived", "remove one of the two"
    if spec.size_for and spec.tiers and all(tier.size_for or tier.count for tier in spec.tiers.values()):
        why = f"no tier of {fabric.name} takes its size from it: each has a `count` or `size_for`"
        yield (*fabric.path, "size_for"), why, REMOVE


def _of_spread(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """How nodes are dealt over the switches of a group, where no node attaches or a group is one switch."""
    for tier in fabric.tiers:
        spread = design.loaded.blueprint.fabrics[fabric.name].tiers[tier.name].spread
        if spread and not any(other.leaf == tier.key for other in design.fabrics):
            yield (*tier.path, "spread"), f"no nodes attach to {fabric.name} {tier.name}", REMOVE
        elif spread and tier.count == 1:
            yield (*tier.path, "spread"), f"a group of {fabric.name} {tier.name} is one switch", REMOVE


def _of_ratio(design: Design, fabric: FabricDesign) -> Iterator[Idle]:
    """An oversubscription of a fabric none of whose tiers has uplinks that it could be of."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    wide = [t for t in fabric.tiers if t.up is not None or (t.peer_links is not None and t.peer_links.spans)]
    takers = [t for t in wide if spec.tiers[t.name].oversubscription is None]
    if spec.oversubscription is not None and not takers:
        why = f"no tier of {fabric.name} has uplinks that its oversubscription could limit"
        yield (*fabric.path, "oversubscription"), why, REMOVE


def _shared(design: Design) -> Iterator[Idle]:
    """Settings of the cluster that no fabric takes."""
    blueprint = design.loaded.blueprint
    ethernet = [fabric for fabric in design.fabrics if fabric.protocol != "infiniband"]
    if not ethernet:
        for key in ("routing", "qos", "management"):
            if key in blueprint.model_fields_set:
                yield (key,), f"every fabric is InfiniBand, and takes no {key}", REMOVE
        return
    for key in sorted(blueprint.qos.model_fields_set - {"profile"}):
        if not any(is_lossless(design, fabric) for fabric in ethernet):
            yield ("qos", key), f"no fabric has a lossless class that {key} could be of", REMOVE
    roce = [f for f in ethernet if f.protocol == "roce" and not blueprint.fabrics[f.name].qos.profile]
    if blueprint.qos.profile and not roce:
        yield ("qos", "profile"), "no RoCE fabric takes its profile from here", REMOVE


def _of_nos(design: Design) -> Iterator[Idle]:
    """A NOS that no switch runs: none of those in question can, and they keep their usual one."""
    for name, nos in sorted(design.loaded.blueprint.nos.items()):
        tiers = [t for t in design.tiers if name in ("all", t.name)]
        if tiers and not any(t.nos == nos for t in tiers):
            run = ", ".join(sorted({t.nos for t in tiers}))
            yield ("nos", name), f"no switch that it is for runs {nos}", f"they run {run}"


def _of_omit(design: Design) -> Iterator[Idle]:
    """Slots that are left empty twice."""
    blueprint = design.loaded.blueprint
    pods, per_rack = blueprint.expanded_pods(), design.layout.nodes_per_rack
    seen: frozenset[object] = frozenset()
    for i, text in enumerate(blueprint.omit):
        own = blueprint.model_copy(update={"omit": (text,)})
        slots = omitted_slots(own, pods, per_rack)
        if slots <= seen:
            yield ("omit", i), f"{text} is left empty already", REMOVE
        seen |= slots


def _of_floor(design: Design) -> Iterator[Idle]:
    """Measures that others stand in place of."""
    floor, racks = design.loaded.blueprint.floor, design.loaded.blueprint.scalable_unit.racks
    if floor.aisles and "row_pitch_m" in floor.model_fields_set:
        yield ("floor", "row_pitch_m"), "rows are as far apart as rack_depth_m and `aisles` say", REMOVE
    if racks.type and "units" in racks.model_fields_set:
        yield ("scalable_unit", "racks", "units"), f"a rack of the type {racks.type} has its own height", REMOVE
