"""Laws of counts: what the design says without expansion is what is counted on the plan."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from fabricgen.catalog.models import NodeProfile
from fabricgen.design.capacity.counts import count_links, make_slot_table
from fabricgen.design.fabric_model import TierDesign, find_port
from fabricgen.design.summary import count_accelerators
from fabricgen.export.files import endpoints
from fabricgen.wiring.tables import DeviceClass
from tests.properties.case import Case


def counts_of_the_design_are_counts_of_the_plan(case: Case) -> None:
    plan, design = case.cluster.plan, case.cluster.design
    nodes = {s.name for s in design.layout.node_sets if not s.per_rack}
    assert sum(c.count for c in plan.devices.classes if c.kind == 0 and c.label in nodes) == design.layout.nodes
    links: Counter[tuple[str, str]] = Counter()
    cables: dict[tuple[str, str], set[int]] = {}
    for link in case.network:
        key = (link.segment.fabric, link.segment.key)
        links[key] += 1
        cables.setdefault(key, set()).add(link.cable)
    counted = {(f.name, count.key): count for f in design.fabrics for count in count_links(design, f)}
    assert links == Counter({key: count.links for key, count in counted.items()})
    assert {key: len(of) for key, of in cables.items()} == {k: c.cables for k, c in counted.items() if c.links}
    for tier, cls in case.classes():
        assert tier.switches == cls.count


def accelerators_in_use_are_those_of_nodes_that_are_not_spare(case: Case) -> None:
    """Ports may name an accelerator where a node's profile states none: those are not counted."""
    design, table, classes = case.cluster.design, endpoints.make_table(case.cluster), case.cluster.plan.devices.classes
    having = [c for c in classes if isinstance(c.profile, NodeProfile) and c.profile.accelerators]
    nodes = {name for c in having for name in case.cluster.names[c.rows]}
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
    spare = {row["node"] for row in rows if row.get("spare") == "yes"}
    used = {(row["node"], row["accelerator"]) for row in rows if row["node"] in nodes - spare}
    assert len(used) == count_accelerators(design)
    assert len(spare) <= len(design.layout.spare)


def _ports_meant(case: Case, tier: TierDesign, cls: DeviceClass) -> dict[int, set[tuple[int, int]]]:
    """(run, port) of the down ports of each switch in use, those of omitted nodes and kept for management included."""
    design = case.cluster.design
    ports = {switch: case.down_ports(tier, switch) for switch in range(cls.first, cls.first + cls.count)}
    for fabric in design.fabrics:
        for feed in fabric.feeds_of(tier.key):
            for group, slot in make_slot_table(design, feed).list_holes():
                index, port = feed.find_port_of_slot(slot, tier.count)
                ports[cls.first + group * tier.count + index].add((feed.run, port))
    for feed in tier.feeds:
        if not feed.source.tier:
            kept = [(feed.run, find_port(feed.first, feed.jumps, i)) for i in range(feed.numbered)]
            for used in ports.values():  # where ports of reserved units lie between, the last in use lie behind these
                used.update(sorted(kept, key=lambda port: port not in used)[: feed.used])
    return ports


def oversubscription_is_the_ratio_counted_on_the_fullest_switch(case: Case) -> None:
    """Downlinks over uplinks; extra devices or ports of another kind elsewhere keep it on the safe side.

    It then takes the fullest run of each kind, and the most extra devices, as if these were on one switch.
    """
    for tier, cls in case.classes():
        if tier.up is None:
            continue
        meant = _ports_meant(case, tier, cls).values()
        speeds = [run.speed_gbps for run in tier.downs]
        counted = max(Fraction(sum(speeds[run] for run, _ in used), tier.up.bandwidth_gbps) for used in meant)
        assert counted <= (tier.oversubscription or 0)
        if len(tier.downs) == 1 and not _extras_of(case, tier, 0) and not _of_several_parts(case, tier):
            assert counted == (tier.oversubscription or 0)


def each_run_is_as_full_as_its_fullest_switch(case: Case) -> None:
    """Its ports for nodes, lower tiers and management on one switch, and for extra devices on one."""
    for tier, cls in case.classes():
        meant = _ports_meant(case, tier, cls)
        for i, run in enumerate(tier.downs):
            extras = _extras_of(case, tier, i)
            most = max(Counter(switch for switch, _ in extras).values(), default=0)
            own = [
                sum(1 for j, port in used if j == i and (switch - cls.first, port) not in extras)
                for switch, used in meant.items()
            ]
            assert run.count >= max(own) + most
            beside = _has_a_tier_beside(case, tier) and min(own) < max(own)
            assert run.count == max(own) + most or _of_several_parts(case, tier) or beside


def _of_several_parts(case: Case, tier: TierDesign) -> bool:
    """Whether nodes of several parts of the cluster attach to a tier: the fullest switch of each counts then."""
    feeds = [feed for fabric in case.cluster.design.fabrics for feed in fabric.feeds_of(tier.key)]
    return len({feed.part for feed in feeds}) > 1


def _has_a_tier_beside(case: Case, tier: TierDesign) -> bool:
    """Whether a border hangs below a tier: its uplinks count as if they were on the switch with the most nodes."""
    fabric = case.cluster.design.loaded.blueprint.fabrics[tier.key.fabric]
    return any(stated.below == tier.key.tier for stated in fabric.tiers.values())


def _extras_of(case: Case, tier: TierDesign, run: int) -> set[tuple[int, int]]:
    """(switch of the tier, port) of what extra devices take of a run beside the ports of omitted nodes."""
    return {
        (link.switch, link.slot)
        for fabric in case.cluster.design.fabrics
        for extra in fabric.extras
        if extra.tier == tier.key and extra.run == run
        for link in extra.links
        if not link.in_hole
    }


LAWS = (
    counts_of_the_design_are_counts_of_the_plan,
    accelerators_in_use_are_those_of_nodes_that_are_not_spare,
    oversubscription_is_the_ratio_counted_on_the_fullest_switch,
    each_run_is_as_full_as_its_fullest_switch,
)
