"""Laws of the wiring: both ends agree, tiers meet as `per` says, pairs pair up, and what is joined is connected."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product

import networkx as nx

from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.wiring.links.columns import make_tier_columns
from fabricgen.wiring.links.fabric import rank_lower_switches
from fabricgen.wiring.tables import NODE
from tests.properties.case import Case, Link

PLACES = {"site": "site", "pod": "pod", "su": "unit", "rack": "rack"}
MOST_PAIRS = 40_000
"""Beyond so many pairs of switches they are not compared one by one."""


def both_ends_agree_on_speed_and_lanes(case: Case) -> None:
    for segment in {id(link.segment): link.segment for link in case.network}.values():
        for side in (segment.a, segment.b):
            if isinstance(side, Attachment | PortRun):
                assert side.speed_gbps == segment.speed_gbps
                assert side.lane_gbps == segment.lane_gbps


def nodes_meet_switches_of_their_coordinates(case: Case) -> None:
    """A leaf per rack, rail, plane or port has node links of one rack, rail, plane or port alone: its own."""
    devices, design = case.cluster.plan.devices, case.cluster.design
    for tier, cls in case.classes():
        coordinates = case.coordinates(tier)
        for switch in range(cls.first, cls.first + cls.count):
            at = coordinates[switch - cls.first]
            for _, _, link in case.ends[switch]:
                side = link.segment.a
                node = devices.classes[devices.device_class[link.a]].kind == NODE
                if link.b != switch or not node or not isinstance(side, Attachment):
                    continue
                assert tier.key in design.fabric(link.segment.fabric).leaves
                leg = side.legs[link.a_port]
                assert (link.rail, link.plane) == (leg.rail, leg.plane)
                of_leg = {"rail": leg.rail, "rail-group": leg.rail_group, "plane": leg.plane, "port": leg.port}
                own = {d: value - 1 for d, value in of_leg.items()}
                own |= {"site": devices.site[link.a], "pod": devices.pod[link.a], "su": devices.unit[link.a]}
                own["rack"] = devices.rack_in_unit[link.a]
                assert all(own[d] == at[PLACES.get(d, d)] for d in tier.per)


def tiers_meet_as_their_grouping_says(case: Case) -> None:
    """Each switch reaches every switch of the upper groups that agree with it, with its share of links; no other."""
    design = case.cluster.design
    for tier, cls in case.classes():
        if tier.uplink is None:
            continue
        upper = design.tier(tier.uplink.upper)
        above = case.class_of(upper.key)
        found = Counter(
            (link.a, link.b)
            for link in case.network
            if cls.first <= link.a < cls.first + cls.count and link.segment.a is tier.up
        )
        if cls.count * above.count > MOST_PAIRS:
            continue
        lowers, uppers = case.coordinates(tier), case.coordinates(upper)
        told = (*tier.per, tier.name)
        if "rail" in tier.per and "rail-group" in upper.per:
            group_of = case.groups_of_rails(tier.fabric)
            lowers = [low | {"rail-group": group_of.get(low["rail"] + 1, 0)} for low in lowers]
            told = (*told, "rail-group")
        shared = [PLACES.get(d, d) for d in upper.per if d in told]
        ranks = rank_lower_switches(tier, upper, make_tier_columns(tier))
        expected = {}
        for (i, low), (j, high) in product(enumerate(lowers), enumerate(uppers)):
            if all(low[d] == high[d] for d in shared):
                rank = int(ranks[i]) if tier.uplink.uneven else 0
                expected[cls.first + i, above.first + j] = tier.uplink.count_links_to(high[upper.name], rank)
        assert found == {pair: share for pair, share in expected.items() if share}
        shares = {tier.uplink.count_links_to(i) for i in range(upper.count)}
        assert max(shares) - min(shares) <= 1


def parallel_links_lie_side_by_side_where_that_is_asked(case: Case) -> None:
    """On the lower switch by port, on the upper one by connector: its ports may be parts of a split cage."""
    design = case.cluster.design
    for tier, cls in case.classes():
        uplink = tier.uplink
        upper = design.tier(uplink.upper) if uplink else tier
        asked = design.loaded.blueprint.fabrics[upper.fabric].tiers[upper.name].parallel
        if uplink is None or not asked or uplink.uneven or uplink.links_per_group <= uplink.upper_count:
            continue
        met: dict[tuple[int, int], list[Link]] = defaultdict(list)
        for link in case.network:
            if link.segment.a is tier.up and cls.first <= link.a < cls.first + cls.count:
                met[link.a, link.b].append(link)
        feed = upper.find_feed(tier.key)
        per = 1 if feed.beside_nodes else upper.downs[feed.run].links_per_connector
        for links in met.values():
            for ports in ({link.a_port for link in links}, {link.b_port // per for link in links}):
                assert max(ports) - min(ports) == len(ports) - 1


def links_between_switches_keep_rail_and_plane(case: Case) -> None:
    devices = case.cluster.plan.devices
    for link in case.network:
        ends = (link.b,) if isinstance(link.segment.a, Attachment) else (link.a, link.b)
        managed = not isinstance(link.segment.a, Attachment | PortRun)
        lower, upper = link.segment.lower_tier, link.segment.tier
        joined = lower is not None and upper is not None and lower.fabric != upper.fabric
        for value, own in ((link.rail, devices.rail), (link.plane, devices.plane)):
            if joined:  # fabrics count rails and planes each for itself
                assert value == max(own[end] for end in ends) + 1
                continue
            for end in (link.b,) if managed else ends:
                assert own[end] < 0 or value == own[end] + 1


def peers_pair_up(case: Case) -> None:
    for tier, cls in case.classes():
        if tier.peer_links is None:
            continue
        met: dict[int, Counter[int]] = defaultdict(Counter)
        for link in case.network:
            if link.segment.a is tier.peer_links.run:
                met[link.a][link.b] += 1
                met[link.b][link.a] += 1
                assert link.a_port == link.b_port
        for switch in range(cls.first, cls.first + cls.count):
            ((other, links),) = met[switch].items()
            assert links == tier.peer_links.run.count
            assert set(met[other]) == {switch}
            assert (switch - cls.first) // tier.count == (other - cls.first) // tier.count


def extras_land_where_they_are_sent(case: Case) -> None:
    """On the switches named, all of their ports; and on different switches where as many have room."""
    design = case.cluster.design
    for fabric in design.fabrics:
        for extra in fabric.extras:
            spec = design.loaded.blueprint.fabrics[fabric.name].extra[extra.name]
            first = case.class_of(extra.tier).first
            names = [case.cluster.names[first + link.switch] for link in extra.links]
            assert not spec.switches or set(names) <= set(spec.switches)
            assert len(extra.links) == extra.count * len(extra.attachment.legs)
            free = len(set(names)) if spec.switches else min(len(set(names)), len(extra.attachment.legs))
            for device in range(extra.count) if len(set(names)) >= len(extra.links) else ():
                own = [link.switch for link in extra.links if link.device == device]
                assert len(set(own)) == min(len(own), free)
            wired = Counter(link.a for link in case.network if link.segment.path == extra.path)
            assert sorted(wired.values()) == [len(extra.attachment.legs)] * extra.count


def a_fabric_is_as_connected_as_its_design(case: Case) -> None:
    """Switches that differ in what every tier of their fabric is grouped by never meet; what can meet does.

    The second holds where the top tier is grouped by nothing else, and every switch reaches all of its upper groups.
    """
    for fabric in case.cluster.design.fabrics:
        tiers = fabric.tiers
        if len(tiers) < 2 or any(t.uplink and t.uplink.upper.fabric != fabric.name for t in tiers):
            continue
        common = sorted(set.intersection(*(set(tier.per) for tier in tiers)))
        place: dict[int, tuple[int, ...]] = {}
        for tier in tiers:
            first = case.class_of(tier.key).first
            for i, at in enumerate(case.coordinates(tier)):
                place[first + i] = tuple(at[PLACES.get(d, d)] for d in common)
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(place)
        graph.add_edges_from(
            (link.a, link.b)
            for link in case.network
            if link.a in place and link.b in place and isinstance(link.segment.a, PortRun)
        )
        for component in nx.connected_components(graph):
            assert len({place[switch] for switch in component}) == 1
        whole = all(t.uplink is None or t.uplink.links_per_group >= t.uplink.upper_count for t in tiers)
        tops = [t for t in tiers if t.uplink is None]
        if whole and len(tops) == 1 and set(tops[0].per) == set(common):
            assert nx.number_connected_components(graph) == len(set(place.values()))


LAWS = (
    both_ends_agree_on_speed_and_lanes,
    nodes_meet_switches_of_their_coordinates,
    tiers_meet_as_their_grouping_says,
    parallel_links_lie_side_by_side_where_that_is_asked,
    links_between_switches_keep_rail_and_plane,
    peers_pair_up,
    extras_land_where_they_are_sent,
    a_fabric_is_as_connected_as_its_design,
)
