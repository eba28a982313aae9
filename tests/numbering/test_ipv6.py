"""IPv6: which pools it comes from, how much each use takes, and how quickly columns of it are made."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_interface, ip_network
from struct import pack

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.cluster import build_cluster
from fabricgen.export.files import addresses, devices, links
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.intervals import Interval
from fabricgen.numbering.blocks.column import IPv6Column, make_column, pick_addresses
from fabricgen.numbering.blocks.family import FAMILIES, V6, Family
from tests.effort import calls

TEXT = """
fabricgen: 1
name: six
ip: v6
scalable_unit: {nodes: 4 x generic-server}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn4700, per: [su, rail], uplinks: 4 x 400G}
      spine: {switch: sn4700, count: 4}
"""


def list_rows(table) -> list[dict]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows()]


def test_an_ipv6_fabric_has_ipv4_router_ids_and_no_ipv4_address(design_of) -> None:
    cluster = build_cluster(design_of(TEXT))
    address_rows = list_rows(addresses.make_table(cluster))
    assert {r["kind"] for r in address_rows if ":" not in r["prefix"]} == {"router-id"}
    assert {r["kind"] for r in address_rows if ":" in r["prefix"]} == {"loopback", "management", "host", "link"}
    for row in list_rows(links.make_table(cluster)):
        a, b = ip_interface(row["a_ip"]), ip_interface(row["b_ip"])
        assert (a.version, a.network.prefixlen, int(a) - int(b)) == (6, 127, 1)
        assert a.network == b.network
        assert int(a) & (1 << 64) - 1 > 1, "the subnet-router anycast address of a /64 stays free (RFC 6164)"
    for row in list_rows(devices.make_table(cluster)):
        assert not row["tier"] or row["tier"] == "node" or ip_address(row["loopback"]) in ip_network("fd00:fab::/48")
    ids = [switch.router_id for switch in cluster.switches()]
    assert len(set(ids)) == 8
    assert all(ip_address(i) in ip_network("10.0.0.0/12") for i in ids)


def test_dual_links_show_ipv4_and_keep_both(design_of) -> None:
    cluster, alone = (build_cluster(design_of(TEXT, [f"ip={ip}"])) for ip in ("dual", "v4"))
    assert list_rows(links.make_table(cluster)) == list_rows(links.make_table(alone))
    assert list_rows(devices.make_table(cluster)) == list_rows(devices.make_table(alone))
    dual_rows, v4_rows = list_rows(addresses.make_table(cluster)), list_rows(addresses.make_table(alone))
    assert [r for r in dual_rows if ":" not in r["prefix"]] == v4_rows
    assert [(r["kind"], r["device"], r["port"]) for r in dual_rows if ":" in r["prefix"]] == [
        (r["kind"], r["device"], r["port"]) for r in v4_rows
    ]


def test_unnumbered_links_have_no_address_of_either_family(design_of) -> None:
    cluster = build_cluster(design_of(TEXT, ["ip=dual", "routing.underlay=ebgp-unnumbered"]))
    assert {r["kind"] for r in list_rows(addresses.make_table(cluster))} == {"loopback", "management", "host"}


def test_pools_of_both_families_stand_in_one_list_and_fall_back_apart(design_of) -> None:
    pools = 'pools: {hosts: [172.16.0.0/13, "fd12:3456:789a::/52"], fabric: 172.31.0.0/16}'
    text = TEXT.replace("fabrics:", f"{pools}\nfabrics:")
    cluster = build_cluster(design_of(text, ["ip=dual"]))
    pools_by_kind = {
        ("host", 4): "172.16.0.0/13",
        ("host", 6): "fd12:3456:789a::/52",
        ("link", 4): "172.31.0.0/16",
        ("link", 6): "fd00:fab:2::/48",
    }
    for row in list_rows(addresses.make_table(cluster)):
        address = ip_interface(row["prefix"])
        if (row["kind"], address.version) in pools_by_kind:
            assert address.ip in ip_network(pools_by_kind[row["kind"], address.version])


def test_a_fabric_of_another_family_stands_beside(design_of) -> None:
    text = TEXT + "  oob: {protocol: ethernet, attach: bmc, also: switches, ip: v4, tiers: {leaf: {switch: sn2201}}}\n"
    cluster = build_cluster(design_of(text))
    for switch in cluster.switches():
        managements = [address for address, _ in switch.managements]
        assert len(managements) == 1
        assert ip_interface(managements[0]).version == 4
        assert (switch.has_v4, switch.has_v6) == (switch.fabric.name == "oob", switch.fabric.name == "compute")


def test_a_pool_that_is_too_small_says_what_was_needed(design_of) -> None:
    text = TEXT.replace("fabrics:", 'pools: {hosts: "fd12::/62"}\nfabrics:')
    with pytest.raises(InputError) as caught:
        build_cluster(design_of(text, ["fabrics.compute.hosts=bridged", "pods.p1.su=4"]))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "FG024"
    assert diagnostic.span is not None
    assert (
        "has 2^66 addresses: 0 used, 2^66 free in one block; nodes on each compute leaf need 2^67" in diagnostic.message
    )
    assert diagnostic.hint == "add a prefix of /61 or shorter to the pool"


_HEXTETS = st.lists(st.sampled_from([0, 1, 0xA0, 0xFFFF]), min_size=8, max_size=8)


@pytest.mark.slow
@given(st.lists(st.integers(0, (1 << 128) - 1) | _HEXTETS.map(lambda h: int.from_bytes(pack(">8H", *h))), max_size=20))
def test_texts_are_those_of_the_standard_library(numbers: list[int]) -> None:
    column = make_column(V6, numbers)
    texts = [str(IPv6Address(n)) if n else "" for n in numbers]
    mapped = [n > 0 and n >> 32 in (0, 0xFFFF) for n in numbers]  # written with a dotted tail, and in no pool (FG504)
    assert [t for t, m in zip(column.texts(), mapped, strict=True) if not m] == [
        w for w, m in zip(texts, mapped, strict=True) if not m
    ]
    prefixes = column.prefixes(np.arange(len(numbers)))
    assert prefixes == [text and f"{text}/{i}" for i, text in enumerate(column.texts())]
    assert [column.at(i) for i in range(len(numbers))] == numbers
    same = column.number()
    assert all((same[i] == same[j]) == (a == b) for i, a in enumerate(numbers) for j, b in enumerate(numbers))


@given(st.integers(0, 1 << 100), st.sampled_from([1, 2, 1 << 20, 1 << 63, 1 << 64, 1 << 70]), st.integers(0, 1 << 20))
def test_places_are_added_as_integers_are(first: int, size: int, count: int) -> None:
    column = make_column(V6, [first * size % (1 << 127)])
    assert column.plus(np.array([count]), size).at(0) == (column.at(0) + count * size) % (1 << 128)


def test_places_run_on_over_several_intervals() -> None:
    intervals = (Interval(1 << 64, 1 << 65), Interval(1 << 70, 1 << 64))
    column = pick_addresses("ipv6", intervals, np.arange(3), 1 << 64)
    assert [column.at(i) for i in range(3)] == [1 << 64, 2 << 64, 1 << 70]


@given(
    st.sampled_from(FAMILIES), st.lists(st.integers(1, 2**128 - 1), min_size=1), st.integers(0, 2**128 - 1), st.data()
)
def test_prefixes_hold_what_the_standard_library_says(
    family: Family, numbers: list[int], number: int, data: st.DataObject
) -> None:
    family_numbers = [max(1, n >> (128 - family.bits)) for n in numbers]
    lengths = data.draw(
        st.lists(st.integers(1, family.bits), min_size=len(family_numbers), max_size=len(family_numbers))
    )
    address = family_numbers[0] ^ (number >> (128 - family.bits) >> data.draw(st.integers(0, family.bits)))
    column = make_column(family, family_numbers)
    nets = [family.network(n, length) for n, length in zip(family_numbers, lengths, strict=True)]
    held = [net == family.network(address, length) for net, length in zip(nets, lengths, strict=True)]
    assert column.within(address, np.array(lengths, dtype=np.int64)).tolist() == held
    assert column.equals(address).tolist() == [n == address for n in family_numbers]
    assert not make_column(family, [0]).within(0, np.array([1])).any(), "a row without an address is in no prefix"


def test_two_million_addresses_take_no_more_steps_than_one() -> None:
    switches = make_column(V6, [(0xFD000FAB0100 << 80) + (n << 64) for n in range(16384)])

    def make_hosts(count: int) -> IPv6Column:
        index = np.arange(count)
        column = switches[index % 16384].plus(index // 16384 + 2)
        assert isinstance(column, IPv6Column)
        return column

    assert calls(lambda: make_hosts(2_000_000)) == calls(lambda: make_hosts(1)) < 100
    assert make_hosts(2_000_000).at(1_999_999) == switches.at(1_999_999 % 16384) + 1_999_999 // 16384 + 2
