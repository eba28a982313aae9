"""Partitions of any tenants: two ports meet as full members exactly where they have a tenant in common."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from fabricgen.views.fabric import REST, TenantPort, make_partitions

NAMES = ("", "blue", "green", "red")
OWNERS = st.lists(st.sets(st.sampled_from(NAMES), min_size=1), max_size=12)


@given(OWNERS)
def test_ports_meet_where_they_have_a_tenant_in_common(owners: list[set[str]]) -> None:
    numbers = {name: number for number, name in enumerate(NAMES[1:], start=1)}
    ports = [TenantPort(f"n{i // 2}", i, i % 3 == 0, tuple(sorted(own))) for i, own in enumerate(owners)]
    found = make_partitions(ports, numbers, "compute")
    keys: dict[int, set[int]] = {port.guid: set() for port in ports}
    first: dict[int, int] = dict.fromkeys(keys, 0)
    for partition in found:
        assert partition.pkey == numbers.get(partition.name, REST)
        for member in partition.members:
            assert member.planned == any(not ports[guid].stated for guid in member.guids)
            for guid in member.guids:
                assert ports[guid].node == member.node
                keys[guid].add(partition.pkey)
                first[guid] += member.alone
    assert [partition.pkey for partition in found] == sorted({key for mine in keys.values() for key in mine})
    assert all(first[guid] == (len(mine) == 1) for guid, mine in keys.items())
    for one, other in combinations(ports, 2):
        assert bool(keys[one.guid] & keys[other.guid]) == bool(set(one.tenants) & set(other.tenants))
