"""Laws of names, addresses, AS numbers, cables and racks."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np

from fabricgen.allocate.asn import asn_plan
from fabricgen.design.fabric_model import Attachment, TierKey
from fabricgen.design.ports import PortRun
from fabricgen.plan.cabling import side_columns
from tests.properties.case import Case


def names_and_cables_are_unique(case: Case) -> None:
    assert len(set(case.cluster.names)) == len(case.cluster.names)
    assert len(set(case.cluster.cable_ids)) == len(case.cluster.cable_ids)


def addresses_are_unique(case: Case) -> None:
    a = case.cluster.addresses
    pairs = [pair[pair > 0] for pair in a.vrf_links.values()]
    both = [part for pair in pairs for part in (pair, pair + 1)]
    used = np.concatenate([a.a_ip, a.b_ip, a.loopback, *(s.gateway for s in a.subnets.values()), *both])
    used = used[used > 0]
    assert len(np.unique(used)) == len(used)
    managed = a.management[a.management > 0]
    assert len(np.unique(managed)) == len(managed)


def the_ends_of_a_link_are_on_one_subnet(case: Case) -> None:
    a = case.cluster.addresses
    both = (a.a_ip > 0) & (a.b_ip > 0)
    assert (a.length[both] == 31).all()
    assert (a.a_ip[both] ^ a.b_ip[both] == 1).all()
    gateways = {(device, ip >> (32 - n), n) for device, ip, n in _gateways(case)}
    for row in np.flatnonzero((a.a_ip > 0) & (a.b_ip == 0)).tolist():
        n = int(a.length[row])
        assert (int(case.cluster.plan.links.b_device[row]), int(a.a_ip[row]) >> (32 - n), n) in gateways


def _gateways(case: Case) -> list[tuple[int, int, int]]:
    """(device, address, prefix length) of every gateway of bridged nodes."""
    found = []
    for subnets in case.cluster.addresses.subnets.values():
        rows = np.flatnonzero(subnets.gateway)
        columns = (rows, subnets.gateway[rows], subnets.length[rows])
        found += list(zip(*(column.tolist() for column in columns), strict=True))
    return found


def subnets_of_bridged_leaves_do_not_overlap(case: Case) -> None:
    blocks = sorted((ip >> (32 - n) << (32 - n), 1 << (32 - n)) for _, ip, n in _gateways(case))
    for (first, size), (second, _) in pairwise(blocks):
        assert first + size <= second


def neighbours_have_different_as_numbers(case: Case) -> None:
    asn = case.cluster.addresses.asn
    for link in case.network:
        if isinstance(link.segment.a, PortRun):
            a, b = int(asn[link.a]), int(asn[link.b])
            assert a != b or a == 0


def as_numbers_stay_within_a_tier_and_a_plane(case: Case) -> None:
    """Routing domains are apart: fabrics share no number, nor do planes."""
    asn, plane = case.cluster.addresses.asn.tolist(), case.cluster.plan.devices.plane.tolist()
    owner: dict[int, tuple[TierKey, int]] = {}
    for tier, cls in case.classes():
        for row in range(cls.first, cls.first + cls.count):
            if asn[row]:
                here = (tier.key, plane[row] if "plane" in tier.per else -1)
                assert owner.setdefault(asn[row], here) == here


def as_numbers_are_shared_as_the_plan_says(case: Case) -> None:
    asn, design = case.cluster.addresses.asn, case.cluster.design
    for tier, cls in case.classes():
        numbers = asn[cls.rows]
        plan = asn_plan(design, design.fabric(tier.fabric))[0].plan
        groups = np.arange(len(numbers)) // tier.count
        if not numbers.any() or (plan == "per-rack" and tier.lowest and tier.lateral is None):
            continue
        alone = plan == "per-switch" or tier.lowest or (tier.lateral is not None and not tier.lateral.spans)
        pairs = len(np.unique(np.stack([numbers, groups]), axis=1)[0])
        assert len(np.unique(numbers)) == (len(numbers) if alone else tier.groups)
        assert alone or pairs == tier.groups


def every_link_has_a_cable_and_shares_connectors_only_by_breakout(case: Case) -> None:
    links = case.cluster.plan.links
    rows = np.arange(len(links), dtype=np.int32)
    a_connector, b_connector = side_columns(links, rows, cage=False)
    cables_on: dict[tuple[int, int], set[int]] = defaultdict(set)
    connectors_of: dict[int, list[set[tuple[int, int]]]] = defaultdict(lambda: [set(), set()])
    for link in case.network:
        assert link.cable >= 0
        a, b = (link.a, int(a_connector[link.row])), (link.b, int(b_connector[link.row]))
        cables_on[a].add(link.cable)
        cables_on[b].add(link.cable)
        connectors_of[link.cable][0].add(a)
        connectors_of[link.cable][1].add(b)
    assert {len(cables) for cables in cables_on.values()} <= {1, *_joined_breakouts(case)}
    for lower, upper in connectors_of.values():
        assert len(lower) == 1 or len(upper) == 1


def _joined_breakouts(case: Case) -> set[int]:
    """Where both ends are split the far connector takes a leg of several breakouts: at most as many as its ways."""
    both = [
        s.b.per_connector
        for s in {id(link.segment): link.segment for link in case.network}.values()
        if s.a.per_connector > 1 and isinstance(s.b, PortRun) and s.b.per_connector > 1
    ]
    return set(range(1, max(both, default=1) + 1))


def two_devices_never_share_a_place_in_a_rack(case: Case) -> None:
    devices = case.cluster.plan.devices
    taken: set[tuple[int, int]] = set()
    for cls in devices.classes:
        for rack, u in zip(devices.rack[cls.rows].tolist(), devices.u[cls.rows].tolist(), strict=True):
            units = {(rack, u + i) for i in range(cls.profile.rack_units)}
            assert u >= 1
            assert u + cls.profile.rack_units - 1 <= case.cluster.plan.racks.units
            assert not units & taken
            taken |= units


def views_of_switches_agree_with_the_plan(case: Case) -> None:
    names = {name: row for row, name in enumerate(case.cluster.names)}
    for view in case.cluster.switches():
        assert len(view.ports) == len(case.ends[names[view.name]])
        assert len({port.name for port in view.ports}) == len(view.ports)
        assert all(port.role == "host" for port in view.ports if port.service)
    assert all(isinstance(link.segment.a, Attachment) for link in case.network if link.segment.lower == "node") or any(
        fabric.managed_devices for fabric in case.cluster.design.fabrics
    )


LAWS = (
    names_and_cables_are_unique,
    addresses_are_unique,
    the_ends_of_a_link_are_on_one_subnet,
    subnets_of_bridged_leaves_do_not_overlap,
    neighbours_have_different_as_numbers,
    as_numbers_stay_within_a_tier_and_a_plane,
    as_numbers_are_shared_as_the_plan_says,
    every_link_has_a_cable_and_shares_connectors_only_by_breakout,
    two_devices_never_share_a_place_in_a_rack,
    views_of_switches_agree_with_the_plan,
)
