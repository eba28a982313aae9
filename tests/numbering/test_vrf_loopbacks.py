"""Loopbacks of VRFs over EVPN: who has one, that no other address moves for it, and that a lock keeps it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabricgen.blueprint.beside.lock import format_lock, parse_lock
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.export.files.addresses import make_table
from tests.conftest import example_cluster, example_design
from tests.render.rendered import DUAL, EVPN_PAIRS, EVPN_PAIRS_CUMULUS

BOTH = "fabrics.inband.dhcp={servers: [10.99.0.9, 'fd00:99::9']}"


def _list_rows(cluster: Cluster) -> list[tuple[str, ...]]:
    columns = [column.texts() for column in make_table(cluster).columns.values()]
    return [tuple(map(str, row)) for row in zip(*columns, strict=True)]


def _list_loopback_rows(cluster: Cluster) -> list[tuple[str, ...]]:
    return [row for row in _list_rows(cluster) if row[1] == "vrf-loopback"]


@pytest.mark.parametrize("sets", [EVPN_PAIRS, EVPN_PAIRS_CUMULUS], ids=["eos", "cumulus"])
def test_each_leaf_that_relays_has_one_and_nothing_moves(sets: tuple[str, ...]) -> None:
    plain, relayed = example_cluster("evpn-guests", *sets, *DUAL), example_cluster("evpn-guests", *sets, *DUAL, BOTH)
    loopback_rows = _list_loopback_rows(relayed)
    assert not _list_loopback_rows(plain)
    assert [row for row in _list_rows(relayed) if row not in loopback_rows] == _list_rows(plain)
    leaves = [name for name in relayed.names if "leaf" in name]
    for ending in ("/32", "/128"):
        family_rows = [row for row in loopback_rows if row[0].endswith(ending)]
        assert [device for _, _, device, _ in family_rows] == leaves
        assert len({prefix for prefix, *_ in family_rows}) == len(leaves) == 4
    number = relayed.design.vnis["compute", "inband"].number
    assert {port for *_, port in loopback_rows} == {f"Loopback{number}"}


@pytest.mark.parametrize(
    ("sets", "lengths"),
    [
        (("nos=sonic",), set()),
        (("nos=cumulus",), {"128"}),
        (("nos=cumulus", "routing.overlay=none"), set()),
        (("nos=cumulus", "fabrics.inband.vrf=default"), set()),
        (EVPN_PAIRS, {"32", "128"}),
    ],
    ids=["sonic", "cumulus", "sub-interfaces", "default", "multihomed"],
)
def test_it_is_there_where_the_relay_has_no_other(sets: tuple[str, ...], lengths: set[str]) -> None:
    loopback_rows = _list_loopback_rows(example_cluster("evpn-guests", *DUAL, BOTH, *sets))
    assert {prefix.partition("/")[2] for prefix, *_ in loopback_rows} == lengths


def test_of_a_tenant_the_switches_with_its_nodes_have_one() -> None:
    sets = ("fabrics.compute.dhcp.servers=10.99.0.9", "tenants={blue: {nodes: [p1/su-1]}, red: {nodes: [p1/su-2]}}")
    cluster = example_cluster("evpn-guests", *EVPN_PAIRS, *sets)
    columns = {vrf: column for (_, vrf), column in cluster.addresses.v4.vrf_loopbacks.items()}
    where = {vrf: {cluster.names[row] for row in np.flatnonzero(column.present)} for vrf, column in columns.items()}
    assert where.keys() == {"blue", "red"}
    assert len(where["blue"]) == len(where["red"]) == 2
    assert not where["blue"] & where["red"]
    moved = example_cluster("evpn-guests", *EVPN_PAIRS, sets[0], "tenants={blue: {nodes: ['p1/su-*']}}")
    blue = moved.addresses.v4.vrf_loopbacks["compute", "blue"]
    assert np.count_nonzero(blue.present) == 4
    rows = np.flatnonzero(columns["blue"].present)
    assert blue[rows].texts() == columns["blue"][rows].texts(), "a node that moves renumbers nobody"


def test_a_lock_keeps_them() -> None:
    """A tenant that sorts before the VRF takes its addresses without a lock, and none of them with one."""
    more = ("fabrics.compute.dhcp.servers=10.99.0.9", "tenants={blue: {nodes: [p1/su-1]}}")
    now = example_cluster("evpn-guests", *EVPN_PAIRS, *DUAL, BOTH)
    anew = example_design("evpn-guests", *EVPN_PAIRS, *DUAL, BOTH, *more)
    held = parse_lock(format_lock(now.lock).encode(), "x.lock.yaml")
    locked = build_cluster(build_design(replace(anew.loaded, lock=held)))
    before, after, without = (
        {
            row
            for row in _list_loopback_rows(cluster)
            if row[0].endswith(("/32", "/128")) and _is_in_vrf(cluster, "inband", row)
        }
        for cluster in (now, locked, build_cluster(anew))
    )
    assert before == after
    assert {prefix for prefix, *_ in before} != {prefix for prefix, *_ in without}
    assert len(_list_loopback_rows(locked)) == len(_list_loopback_rows(now)) + 2 * 2, (
        "blue's, at two leaves and in two families"
    )


def _is_in_vrf(cluster: Cluster, vrf: str, row: tuple[str, ...]) -> bool:
    return row[3] == f"Loopback{cluster.design.vnis['compute', vrf].number}"
