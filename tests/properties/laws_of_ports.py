"""Laws of the face: ports, breakouts, cages, spare ports, and the purposes that ports are kept for."""

from __future__ import annotations

from collections import Counter

from fabricgen.design.capacity.reserved import list_reserved_ports
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.design.sizing.spread import make_run_ports
from fabricgen.design.tiers import is_border
from fabricgen.wiring.tables import NODE
from tests.properties.case import Case


def no_port_is_used_twice(case: Case) -> None:
    cluster = case.cluster
    names = Counter(zip(cluster.plan.links.a_device.tolist(), cluster.a_port.tolist(), strict=True))
    names.update(zip(cluster.plan.links.b_device.tolist(), cluster.b_port.tolist(), strict=True))
    assert not [end for end, times in names.items() if times > 1]
    for ports in case.ends.values():
        places = Counter((run.cages[port // run.ways], port % run.ways) for run, port, _ in ports)
        assert set(places.values()) <= {1}


def ports_lie_on_the_face_and_breakouts_are_legal(case: Case) -> None:
    for tier, cls in case.classes():
        profile = tier.profile
        for switch in range(cls.first, cls.first + cls.count):
            split: dict[int, int] = {}
            for run, port, _ in case.ends[switch]:
                number = run.cages[port // run.ways]
                cage = profile.find_cage_class(number)
                assert cage == profile.cages[run.cage_class]
                assert run.speed_gbps in cage.breakouts[run.ways]
                assert -(-run.speed_gbps // run.lane_gbps) * run.ways <= cage.lanes
                assert run.lane_gbps <= cage.lane_gbps
                assert split.setdefault(number, run.ways) == run.ways
            for number, ways in split.items():
                first = profile.find_first_cage(profile.cages.index(profile.find_cage_class(number)))
                block = profile.find_cage_class(number).block(ways)
                assert (number - first) % block == 0
                assert not any(number + i in split for i in range(1, block)), "a cage is used that a split disables"


def sonic_ports_are_those_of_the_platform(case: Case) -> None:
    for tier, _ in case.classes():
        platform = case.cluster.design.catalog.sonic_platform(tier.profile.id) if tier.nos == "sonic" else None
        for run in (*tier.downs, *tier.switch_runs):
            if platform is not None and run.ways > 1 and run.count:
                modes = platform.breakout_modes.get(run.ways, ())
                own = {(r.ways, r.speed_gbps) for runs in platform.hwskus.values() for r in runs}
                known = any(str(run.speed_gbps) in mode for mode in modes) or (run.ways, run.speed_gbps) in own
                assert known, (tier.profile.id, run.ways, run.speed_gbps)


def cage_ranges_are_kept(case: Case) -> None:
    for tier, _ in case.classes():
        spec = case.cluster.design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name]
        runs = [(run.purpose or "down", run) for run in tier.downs]
        runs += [("up", tier.up)] if tier.up else []
        runs += [("peer", run) for run in tier.switch_runs if run is not tier.up]
        for role, run in runs:
            cages = set(run.cages) - {0}
            if "." in role and [other for other, _ in runs].count(role) == 1:
                assert [c for c in spec.cages[role] if c in cages] == list(run.cages), "in the order that is written"
            if role in spec.cages:
                assert cages <= set(spec.cages[role])
            others = {cage for other, kept in spec.cages.items() if other != role for cage in kept}
            assert not cages & others


def runs_of_a_face_share_no_cage(case: Case) -> None:
    for tier, _ in case.classes():
        runs = [*tier.downs, *tier.switch_runs]
        cages = Counter(cage for run in runs for cage in run.cages if cage)  # 0: a gap
        assert set(cages.values()) <= {1}
        assert all(run.count <= run.capacity for run in runs)


def spare_ports_are_free_on_every_switch(case: Case) -> None:
    for tier, cls in case.classes():
        spare = case.cluster.design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].spare_ports
        if spare and tier.downs:
            for switch in range(cls.first, cls.first + cls.count):
                used = [port for run, port in case.down_ports(tier, switch) if run == 0]
                assert tier.downs[0].capacity - len(used) >= spare


def reserved_ports_get_no_cable(case: Case) -> None:
    design = case.cluster.design
    for tier, cls in case.classes():
        stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].reserved_ports
        kept = list_reserved_ports(design, tier)
        assert Counter(port.purpose for port in kept) == {
            name: one.ports or len(one.cages) for name, one in stated.items()
        }
        whole = {cage for one in stated.values() for cage in one.cages}
        for switch in range(cls.first, cls.first + cls.count) if kept else ():
            used = {(run.cages[port // run.ways], port % run.ways) for run, port, _ in case.ends[switch]}
            assert not used & {(port.cage, port.sub) for port in kept}
            assert not whole & {cage for cage, _ in used}


def purposes_of_down_ports_never_overlap(case: Case) -> None:
    design = case.cluster.design
    for tier, _ in case.classes():
        kept = [(feed.run, make_run_ports(tier, feed.run).list_ports_of(feed)) for feed in tier.feeds]
        assert all(feed.used <= feed.numbered == len(ports) for feed, (_, ports) in zip(tier.feeds, kept, strict=True))
        for fabric in design.fabrics:
            kept += [(f.run, tuple(range(f.first, f.first + f.per_switch))) for f in fabric.feeds_of(tier.key)]
        for i, run in enumerate(tier.downs):
            left = make_run_ports(tier, i).list_left_over(tier.numbered[i])
            taken = Counter([*left, *(port for j, ports in kept if j == i for port in ports)])
            assert set(taken.values()) <= {1}
            assert all(port < run.numbers and run.cages[port // run.ways] for port in taken)
            assert tier.numbered[i] <= run.capacity
            told = any(feed.laid for feed in tier.feeds)  # these leave parts of connectors here and there
            assert told or run.capacity < tier.numbered[i] + len(left) + run.links_per_connector


def links_use_the_ports_kept_for_them(case: Case) -> None:
    design = case.cluster.design
    kept: dict[int, tuple[int, ...]] = {}
    for link in case.network:
        segment = link.segment
        assert segment.tier is not None
        tier = design.tier(segment.tier)
        if segment.lower in {t.name for t in design.tiers} and segment.b in tier.downs:
            lower = case.cluster.plan.devices.classes[case.cluster.plan.devices.device_class[link.a]]
            feed = tier.find_feed(lower.key)
            assert tier.downs.index(segment.b) == feed.run
            if id(feed) not in kept:  # of the design, which stays
                kept[id(feed)] = make_run_ports(tier, feed.run).list_ports_of(feed)
            assert link.b_port in kept[id(feed)]


def every_port_of_a_present_node_is_wired_once(case: Case) -> None:
    devices = case.cluster.plan.devices
    wired = Counter(
        (link.a, link.segment.a.role, link.segment.a.legs[link.a_port].name)
        for link in case.network
        if isinstance(link.segment.a, Attachment)
    )
    assert set(wired.values()) <= {1}
    design = case.cluster.design
    for fabric in design.fabrics:
        spec = design.loaded.blueprint.fabrics[fabric.name]
        asked = spec.attach or fabric.name
        having = {s.path for s in design.layout.node_sets if s.attaches_to(fabric.name, asked)}
        takes_nodes = any(not is_border(tier) for tier in spec.tiers.values()) or spec.carried_by
        assert {nodes.path for nodes, _ in fabric.attachments} == (having if takes_nodes and fabric.leaves else set())
        for nodes, attachment in fabric.attachments:
            cls = next(c for c in devices.classes if c.kind == NODE and c.path == nodes.path)
            for device in range(cls.first, cls.first + cls.count):
                assert all(wired[device, attachment.role, leg.name] == 1 for leg in attachment.legs)


def pairs_that_are_shuffled_keep_their_lanes(case: Case) -> None:
    """Every link of a shuffled cable passes one shuffle once, and no port or pair of a shuffle is taken twice."""
    plan = case.cluster.plan
    if plan.patching is None:
        return
    shuffles, policies = plan.patching.shuffles, plan.patching.policies
    own = [p.shuffles for p in policies]
    wanted = [row for row, cable in enumerate(plan.cables.end_cable.tolist()) if own[plan.patching.policy[cable]]]
    assert sorted(shuffles.row.tolist()) == [
        row for row in wanted if plan.patching.policy[plan.cables.end_cable[row]] >= 0
    ]
    columns = (shuffles.panel, shuffles.shuffle, shuffles.port_in, shuffles.port_out)
    pairs = Counter(zip(*(column.tolist() for column in columns), strict=True))
    assert set(pairs.values()) <= {1}
    for panel, inside, port_in, port_out in pairs:
        model = policies[plan.patching.panels.policy[panel]].panel
        assert inside < model.shuffles
        assert max(port_in, port_out) < model.shuffle


def ports_are_counted_by_their_run(case: Case) -> None:
    for tier, cls in case.classes():
        for switch in range(cls.first, cls.first + cls.count):
            used = Counter(id(run) for run, _, _ in case.ends[switch])
            assert used.get(id(tier.up), 0) == (tier.up.count if tier.up else 0)
            if tier.peer_links:
                assert used[id(tier.peer_links.run)] == tier.peer_links.run.count
    assert all(isinstance(run, PortRun) for tier, _ in case.classes() for run in tier.downs)


LAWS = (
    no_port_is_used_twice,
    ports_lie_on_the_face_and_breakouts_are_legal,
    sonic_ports_are_those_of_the_platform,
    cage_ranges_are_kept,
    runs_of_a_face_share_no_cage,
    spare_ports_are_free_on_every_switch,
    reserved_ports_get_no_cable,
    purposes_of_down_ports_never_overlap,
    links_use_the_ports_kept_for_them,
    every_port_of_a_present_node_is_wired_once,
    pairs_that_are_shuffled_keep_their_lanes,
    ports_are_counted_by_their_run,
)
