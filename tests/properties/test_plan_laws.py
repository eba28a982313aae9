"""Laws of the plan, over generated blueprints: what the design counts is what the plan holds."""

from __future__ import annotations

import json
from collections import Counter

import networkx as nx
import numpy as np
from hypothesis import HealthCheck, assume, given, settings

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.models import Blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.counts import link_counts
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.located_yaml import parse_located, validate
from tests.properties.blueprints import blueprints

LAWS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def compiled(tree: dict) -> Cluster:
    """Compile, or drop the example where fabricgen refuses it with a located reason."""
    from pathlib import Path

    source = parse_located(json.dumps(tree), "generated.yaml")
    try:
        design = build_design(LoadedBlueprint(validate(Blueprint, source), source, Path("/nonexistent")))
        return build_cluster(design)
    except InputError as refusal:
        if not all(d.span and d.message for d in refusal.diagnostics):
            raise
        assume(False)
        raise


@LAWS
@given(blueprints())
def test_counts_of_the_design_are_counts_of_the_plan(tree: dict) -> None:
    cluster = compiled(tree)
    plan, design = cluster.plan, cluster.design
    assert sum(c.count for c in plan.devices.classes if c.kind == 0) == design.layout.nodes
    for fabric in design.fabrics:
        found_links: Counter[str] = Counter()
        found_cables: dict[str, set[int]] = {}
        for i, segment in enumerate(plan.links.segments):
            if segment.fabric == fabric.name:
                rows = plan.links.segment == i
                found_links[segment.key] += int(rows.sum())
                found_cables.setdefault(segment.key, set()).update(plan.links.cable[rows].tolist())
        for count in link_counts(design, fabric):
            assert found_links[count.key] == count.links
            assert len(found_cables.get(count.key, ())) == count.cables


@LAWS
@given(blueprints())
def test_no_port_is_used_twice_and_ports_lie_on_the_face(tree: dict) -> None:
    cluster = compiled(tree)
    ends = Counter(zip(_names(cluster, "a"), cluster.a_port.tolist(), strict=True))
    ends.update(zip(_names(cluster, "b"), cluster.b_port.tolist(), strict=True))
    assert not [end for end, times in ends.items() if times > 1]
    for view in cluster.switches():
        split: dict[int, int] = {}
        for port in view.ports:
            assert 1 <= port.cage <= view.profile.cage_count
            assert 0 <= port.sub < port.ways
            assert split.setdefault(port.cage, port.ways) == port.ways


def _names(cluster: Cluster, end: str) -> list[str]:
    column = cluster.plan.links.a_device if end == "a" else cluster.plan.links.b_device
    return [cluster.names[i] for i in column.tolist()]


@LAWS
@given(blueprints())
def test_rails_and_planes_do_not_cross(tree: dict) -> None:
    cluster = compiled(tree)
    devices, links = cluster.plan.devices, cluster.plan.links
    for i, segment in enumerate(links.segments):
        rows = np.flatnonzero(links.segment == i)
        for column, own in ((links.rail, devices.rail), (links.plane, devices.plane)):
            for ends in (links.a_device, links.b_device):
                has = own[ends[rows]] >= 0
                if segment.lower != "node" or ends is links.b_device:
                    assert (column[rows][has] == own[ends[rows]][has] + 1).all()


@LAWS
@given(blueprints())
def test_every_lower_switch_reaches_its_upper_group_as_equally_as_divides(tree: dict) -> None:
    cluster = compiled(tree)
    links = cluster.plan.links
    for fabric in cluster.design.fabrics:
        for tier in fabric.tiers:
            if tier.uplink is None:
                continue
            segment = next(i for i, s in enumerate(links.segments) if (s.fabric, s.lower) == (fabric.name, tier.name))
            rows = links.segment == segment
            pairs = Counter(zip(links.a_device[rows].tolist(), links.b_device[rows].tolist(), strict=True))
            shares = {tier.uplink.share(i) for i in range(tier.uplink.upper_count)}
            assert set(pairs.values()) == shares - {0}
            each = Counter(a for a, _ in pairs)
            reached = tier.uplink.upper_groups * min(tier.uplink.upper_count, tier.uplink.links_per_group)
            assert set(each.values()) == {reached}


@LAWS
@given(blueprints())
def test_addresses_names_and_cables_are_unique_and_links_share_a_subnet(tree: dict) -> None:
    cluster = compiled(tree)
    a = cluster.addresses
    assert len(set(cluster.names)) == len(cluster.names)
    assert len(set(cluster.cable_ids)) == len(cluster.cable_ids)
    used = np.concatenate([a.a_ip, a.b_ip, a.loopback, *(s.gateway for s in a.subnets.values()), *a.vrf_links.values()])
    used = used[used > 0]
    assert len(np.unique(used)) == len(used)
    both = (a.a_ip > 0) & (a.b_ip > 0)
    assert (a.length[both] == 31).all()
    assert (a.a_ip[both] ^ a.b_ip[both] == 1).all()
    managed = a.management[a.management > 0]
    assert len(np.unique(managed)) == len(managed)


@LAWS
@given(blueprints())
def test_uplinks_join_different_as_numbers(tree: dict) -> None:
    cluster = compiled(tree)
    links, asn = cluster.plan.links, cluster.addresses.asn
    for i, segment in enumerate(links.segments):
        if segment.lower != "node":
            rows = links.segment == i
            a, b = asn[links.a_device[rows]], asn[links.b_device[rows]]
            assert ((a == 0) == (b == 0)).all()
            assert (a[a > 0] != b[a > 0]).all()


@LAWS
@given(blueprints())
def test_a_fabric_is_as_connected_as_its_design(tree: dict) -> None:
    cluster = compiled(tree)
    links = cluster.plan.links
    for fabric in cluster.design.fabrics:
        top = fabric.tiers[-1]
        graph = nx.Graph()
        for i, segment in enumerate(links.segments):
            if segment.fabric == fabric.name and segment.lower != "node":
                rows = links.segment == i
                graph.add_edges_from(zip(links.a_device[rows].tolist(), links.b_device[rows].tolist(), strict=True))
        if not top.per and len(fabric.tiers) > 1 and top.count <= fabric.tiers[-2].up.count:
            assert nx.is_connected(graph)


@LAWS
@given(blueprints())
def test_two_devices_never_share_a_place_in_a_rack(tree: dict) -> None:
    cluster = compiled(tree)
    devices = cluster.plan.devices
    taken: set[tuple[int, int]] = set()
    for cls in devices.classes:
        for rack, u in zip(devices.rack[cls.rows].tolist(), devices.u[cls.rows].tolist(), strict=True):
            units = {(rack, u + i) for i in range(cls.profile.rack_units)}
            assert u >= 1
            assert u + cls.profile.rack_units - 1 <= cluster.plan.racks.units
            assert not units & taken
            taken |= units
