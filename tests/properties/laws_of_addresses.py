"""Laws of names, addresses, AS numbers, cables and racks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from itertools import pairwise

import numpy as np

from fabricgen.design.fabric_model import Attachment, TierKey
from fabricgen.design.ports import PortRun
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.asn import merge_asn_plans
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.numbering.underlay import list_families
from fabricgen.wiring.arrays import Flags
from fabricgen.wiring.cabling.end_numbers import number_device_connectors, number_ends
from fabricgen.wiring.tables import NODE, SWITCH
from tests.properties.case import Case


def names_and_cables_are_unique(case: Case) -> None:
    assert len(set(case.cluster.names)) == len(case.cluster.names)
    assert len(set(case.cluster.cable_ids)) == len(case.cluster.cable_ids)


def addresses_are_unique(case: Case) -> None:
    for family in case.cluster.addresses.families:
        used = [address for address, _ in _used(case, family)]
        assert len(set(used)) == len(used)
        managed = family.management[family.management.present].texts()
        assert len(set(managed)) == len(managed)
    ids = case.cluster.addresses.router_id
    assert len(np.unique(ids[ids > 0])) == np.count_nonzero(ids)


def addresses_lie_in_their_pools(case: Case) -> None:
    blueprint = case.cluster.design.loaded.blueprint
    for family in case.cluster.addresses.families:
        pools = {
            (fabric, name): [ip_network(p) for p in find_pool_prefixes(blueprint, fabric, name, family.family)[0]]
            for fabric in ("", *blueprint.fabrics)
            for name in ("loopback", "fabric", "hosts", "management")
        }
        for address, holders in _used(case, family):
            text = ip_address(family.format_address(address))
            assert any(text in network for holder in holders for network in pools[holder]), (str(text), holders)
        for row in np.flatnonzero(family.management.present).tolist():
            text = ip_address(family.format_address(family.management.at(row)))
            ours = [n for (_, name), found in pools.items() if name in ("management", "loopback") for n in found]
            assert any(text in network for network in ours), str(text)


def _used(case: Case, found: FamilyAddresses) -> Iterator[tuple[int, tuple[tuple[str, str], ...]]]:
    """(address, the pools it may be from) of every interface; a pool by fabric and name."""
    plan, design = case.cluster.plan, case.cluster.design
    for row in np.flatnonzero(found.loopback.present).tolist():
        fabric = plan.devices.classes[plan.devices.device_class[row]].fabric
        yield found.loopback.at(row), ((fabric, "loopback"),)
    for link in case.links:
        for column in (found.a, found.b):
            if column.at(link.row):
                kinds = ("hosts", "management") if link.segment.lower == "node" else ("fabric",)
                owners = (link.segment.fabric, *(f.name for f in design.fabrics if link.segment.lower != "node"))
                yield column.at(link.row), tuple((owner, kind) for owner in owners for kind in kinds)
    for fabric, subnets in found.subnets.items():
        pools = ((fabric, "hosts"), (fabric, "management"))
        for row in np.flatnonzero(subnets.gateway.present & ~_seconds(case)).tolist():
            yield from ((gateway, pools) for gateway in found.list_gateways(fabric, row))
        yield from (
            (subnets.own_address.at(row), pools) for row in np.flatnonzero(subnets.own_address.present).tolist()
        )
    for (owner, _), column in found.vrf_loopbacks.items():
        yield from ((column.at(row), ((owner, "loopback"),)) for row in np.flatnonzero(column.present).tolist())
    for (owner, vrf), pairs in found.vrf_links.items():
        guests = tuple((f.name, "fabric") for f in design.fabrics if (f.carrier, f.vrf) == (owner, vrf))
        for row in np.flatnonzero(pairs.present).tolist():
            yield pairs.at(row), guests
            yield pairs.at(row) + 1, guests


def _seconds(case: Case) -> Flags:
    """The second switch of each MLAG pair, which has the gateways of the first; bool."""
    bonds, rows = case.cluster.plan.bonds, np.arange(len(case.cluster.plan.devices))
    found: Flags = (bonds.mate >= 0) & (bonds.mate < rows) if bonds else rows < 0
    return found


def the_ends_of_a_link_are_on_one_subnet(case: Case) -> None:
    for found in case.cluster.addresses.families:
        bits = found.family.bits
        gateways = {(device, ip >> (bits - n), n) for device, ip, n in _gateways(found)}
        for link in case.links:
            a, b, n = found.a.at(link.row), found.b.at(link.row), int(found.length[link.row])
            if a and b:
                assert n == bits - 1
                assert a ^ b == 1
            elif a:
                assert (link.b, a >> (bits - n), n) in gateways


def links_have_the_families_of_their_fabric(case: Case) -> None:
    design = case.cluster.design
    words = {fabric.name: list_families(design, fabric) for fabric in design.fabrics}
    for found in case.cluster.addresses.families:
        for link in case.network:
            mine = found.family.word in words[link.segment.fabric]
            assert mine or not (found.a.at(link.row) or found.b.at(link.row))
        for cls in case.cluster.plan.devices.classes:
            if cls.kind == SWITCH:
                assert found.loopback[cls.rows].present.all() == (found.family.word in words[cls.fabric])
    both = [fabric.name for fabric in design.fabrics if len(words[fabric.name]) > 1]
    v4, v6 = case.cluster.addresses.v4, case.cluster.addresses.v6
    for link in case.network:
        if link.segment.fabric in both and v6 is not None:
            assert bool(v4.a.at(link.row)) == bool(v6.a.at(link.row))
            assert bool(v4.b.at(link.row)) == bool(v6.b.at(link.row))


def hosts_have_one_number_on_all_rails(case: Case) -> None:
    design, plan = case.cluster.design, case.cluster.plan
    for fabric in design.fabrics:
        for found in case.cluster.addresses.families if fabric.name in case.cluster.addresses.rails else ():
            numbers: dict[int, set[int]] = defaultdict(set)
            for link in case.network:
                is_node = plan.devices.classes[plan.devices.device_class[link.a]].kind == NODE
                if link.segment.fabric == fabric.name and link.segment.lower == "node" and found.a.at(link.row):
                    host = found.a.at(link.row) & (1 << found.family.bits - int(found.length[link.row])) - 1
                    if is_node and isinstance(link.segment.a, Attachment):
                        numbers[link.a].add(host)
                        assert found.family.bits - int(found.length[link.row]) >= 8
            assert all(len(found_here) == 1 for found_here in numbers.values())


def _gateways(found: FamilyAddresses) -> list[tuple[int, int, int]]:
    """(device, address, prefix length) of every gateway of bridged nodes."""
    return [
        (row, gateway, int(subnets.subnet_length[row]))
        for fabric, subnets in found.subnets.items()
        for row in np.flatnonzero(subnets.gateway.present).tolist()
        for gateway in found.list_gateways(fabric, row)
    ]


def subnets_of_bridged_leaves_do_not_overlap(case: Case) -> None:
    for found in case.cluster.addresses.families:
        bits = found.family.bits
        others = _seconds(case)
        told = [(ip >> (bits - n) << (bits - n), n) for row, ip, n in _gateways(found) if not others[row]]
        blocks = sorted((first, 1 << (bits - n)) for first, n in told)
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
        plan = merge_asn_plans(design, design.fabric(tier.fabric))[0].plan
        groups = np.arange(len(numbers)) // tier.count
        if not numbers.any() or (plan == "per-rack" and tier.lowest and not tier.links_inside):
            continue
        alone = plan == "per-switch" or tier.lowest or tier.peer_links is not None
        pairs = len(np.unique(np.stack([numbers, groups]), axis=1)[0])
        assert len(np.unique(numbers)) == (len(numbers) if alone else tier.groups)
        assert alone or pairs == tier.groups


def every_link_has_a_cable_and_shares_connectors_only_by_breakout(case: Case) -> None:
    links = case.cluster.plan.links
    numbers = number_ends(case.cluster.plan.devices, links, number_device_connectors)
    cables_on: dict[tuple[int, int], set[int]] = defaultdict(set)
    connectors_of: dict[int, list[set[tuple[int, int]]]] = defaultdict(lambda: [set(), set()])
    for link in case.network:
        assert link.cable >= 0
        a, b = (link.a, int(numbers.a[link.row])), (link.b, int(numbers.b[link.row]))
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
        s.b.links_per_connector
        for s in {id(link.segment): link.segment for link in case.network}.values()
        if s.a.links_per_connector > 1 and isinstance(s.b, PortRun) and s.b.links_per_connector > 1
    ]
    return set(range(1, max(both, default=1) + 1))


def two_devices_never_share_a_place_in_a_rack(case: Case) -> None:
    devices = case.cluster.plan.devices
    taken: set[tuple[int, int]] = set()
    for cls in devices.classes:
        for rack, u in zip(devices.rack[cls.rows].tolist(), devices.u[cls.rows].tolist(), strict=True):
            units = {(rack, u + i) for i in range(cls.profile.rack_units)}
            assert u >= 1
            assert u + cls.profile.rack_units - 1 <= case.cluster.plan.racks.units[rack]
            assert not units & taken
            taken |= units


def views_of_switches_agree_with_the_plan(case: Case) -> None:
    names = {name: row for row, name in enumerate(case.cluster.names)}
    for view in case.switches:
        assert len(view.ports) == len(case.ends[names[view.name]])
        assert len({port.name for port in view.ports}) == len(view.ports)
        assert all(port.role == "host" for port in view.ports if port.service)
    assert all(isinstance(link.segment.a, Attachment) for link in case.network if link.segment.lower == "node") or any(
        fabric.managed_devices for fabric in case.cluster.design.fabrics
    )


LAWS = (
    names_and_cables_are_unique,
    addresses_are_unique,
    addresses_lie_in_their_pools,
    links_have_the_families_of_their_fabric,
    hosts_have_one_number_on_all_rails,
    the_ends_of_a_link_are_on_one_subnet,
    subnets_of_bridged_leaves_do_not_overlap,
    neighbours_have_different_as_numbers,
    as_numbers_stay_within_a_tier_and_a_plane,
    as_numbers_are_shared_as_the_plan_says,
    every_link_has_a_cable_and_shares_connectors_only_by_breakout,
    two_devices_never_share_a_place_in_a_rack,
    views_of_switches_agree_with_the_plan,
)
