"""Cables on another device than planned: what follows, what stays, and where that cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from fabricgen.cluster import Cluster
from fabricgen.export.files import cables as cables_part
from fabricgen.export.files import links as links_part
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.plan.cabling.fg632_cable_too_short import CableTooShort
from fabricgen.lint.rules.plan.topology.fg310_port_used_twice import PortUsedTwice
from fabricgen.lint.rules.plan.topology.fg311_rail_crossed import RailCrossed
from fabricgen.phases.tables import build_at_phase
from fabricgen.views.model.ports import model_bonds
from tests.conftest import built_files, example_cluster, example_design

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine"
NODE = "p1-su01-n00"
OTHER = "compute-leaf-p1-su02-r1-01"

Own = dict[str, dict[str, object]]

AT_SPINES: Own = {
    f"{LEAF}:29": {"b_cage": f"{SPINE}-02:1"},  # a ring of three over three spines,
    f"{LEAF}:30": {"b_cage": f"{SPINE}-03:1"},
    f"{LEAF}:31": {"b_cage": f"{SPINE}-01:1"},
    f"{LEAF}:32": {"b_cage": f"{SPINE}-03:Ethernet152"},  # and one in a free cage of another
}
HOSTS: Own = {
    f"{LEAF}:1": {"a_cage": {f"{NODE}1:eth1": "p1-su02-n002:eth1"}},
    f"{OTHER}:1": {"a_cage": {"p1-su02-n002:eth1": f"{NODE}1:eth1"}},
}


def built(name: str, own: Own, *sets: str) -> Cluster:
    return example_cluster(name, f"cable_of={json.dumps(own)}", *sets)


def refused(name: str, own: Own, *sets: str) -> str:
    with pytest.raises(InputError) as error:
        built(name, own, *sets)
    return str(error.value)


def ends(cluster: Cluster) -> dict[str, list[tuple[str, ...]]]:
    """(device, cage, rack) of both ends of cables, by id, in the order of rows."""
    columns = cables_part.make_table(cluster).columns
    wanted = ("a_device", "a_cage", "a_rack", "b_device", "b_cage", "b_rack")
    found: dict[str, list[tuple[str, ...]]] = {}
    for cable, *row in zip(columns["cable"], *(columns[c] for c in wanted), strict=True):
        found.setdefault(str(cable), []).append(tuple(map(str, row)))
    return found


def sessions(cluster: Cluster, switch: str) -> set[tuple[str, str, str, int]]:
    view = cluster.switch(cluster.names.index(switch))
    return {(port.name, port.peer, port.peer_address, port.peer_asn) for port in view.ports if port.role != "host"}


def test_a_ring_over_spines_keeps_addresses_and_moves_sessions() -> None:
    usual, own = example_cluster("leaf-spine"), built("leaf-spine", AT_SPINES)
    before, after = ends(usual), ends(own)
    assert list(before) == list(after)
    assert {cable for cable in before if before[cable] != after[cable]} == set(AT_SPINES)
    assert after[f"{LEAF}:32"][0][3:5] == (f"{SPINE}-03", "20")
    assert after[f"{LEAF}:31"][0][5] == before[f"{LEAF}:29"][0][5]
    for end in "ab":
        assert (getattr(own.addresses, f"{end}_ip") == getattr(usual.addresses, f"{end}_ip")).all()
    asn = {name: int(number) for name, number in zip(own.names, own.addresses.asn, strict=True)}
    for cluster in (usual, own):
        for switch in cluster.switches():
            for name, peer, address, number in sessions(cluster, switch.name):
                assert number == asn[peer]
                back = {
                    (port.peer, port.peer_port): port.address
                    for port in cluster.switch(cluster.names.index(peer)).ports
                }
                assert back[switch.name, name].startswith(address.partition("/")[0])
    assert {peer for _, peer, _, _ in sessions(own, LEAF)} == {f"{SPINE}-0{n}" for n in (1, 2, 3)}
    assert len(sessions(own, f"{SPINE}-03")) == len(sessions(usual, f"{SPINE}-03")) + 1
    assert list(PortUsedTwice().check(own)) == list(RailCrossed().check(own)) == []


def test_hosts_that_are_exchanged_take_over_the_addresses_of_the_leaf_ports() -> None:
    usual, own = example_cluster("leaf-spine"), built("leaf-spine", HOSTS)
    changed = {path for path, text in built_files(own, "hosts").items() if built_files(usual, "hosts")[path] != text}
    assert {path.split("/")[1] for path in changed} == {f"{NODE}1", "p1-su02-n002"}
    at = {
        (row[0], row[1]): row[2:]
        for cluster in (own,)
        for row in zip(
            *(links_part.make_table(cluster).columns[c] for c in ("a_device", "a_port", "b_device", "b_port")),
            strict=True,
        )
    }
    assert at["p1-su02-n002", "eth1"] == (LEAF, "Ethernet0")
    assert at[f"{NODE}1", "eth1"] == (OTHER, "Ethernet4")
    text = built_files(own, "hosts")["hosts/p1-su02-n002/60-fabric.yaml"].decode()
    link = own.addresses.list_link_addresses()[0]
    row = int(np.flatnonzero(own.plan.links.a_device == own.names.index("p1-su02-n002"))[0])
    assert str(link[row]) in text
    assert usual.addresses.list_link_addresses()[0][row] == link[row]


def test_a_cable_of_a_host_on_another_leaf_is_stated_at_the_host() -> None:
    own: Own = {f"{LEAF}:1": {"b_cage": f"{OTHER}:1"}, f"{OTHER}:1": {"b_cage": f"{LEAF}:1"}}
    for hosts in ("routed", "bridged"):
        told = refused("leaf-spine", own, f"fabrics.compute.hosts={hosts}")
        assert told.count("error[FG077]") == 2
        assert f"{LEAF} and {OTHER} announce host addresses of their own" in told
        assert "state the other ends: `a_cage: DEVICE:CAGE`" in told


CROSSED: Own = {
    f"{NODE}2:OSFP4.2": {"b_cage": "compute-leaf-p1-su01-r2-01:1.2"},
    f"{NODE}2:OSFP3.2": {"b_cage": f"{LEAF}:1.2"},
}


def test_a_crossed_rail_is_an_error_at_the_cable_and_another_unit_of_the_rail_none() -> None:
    found = list(RailCrossed().check(built("superpod-b200", CROSSED)))
    assert [d.path for d in found] == [("cable_of", cable) for cable in CROSSED]
    assert f"this cable joins {NODE}2 and compute-leaf-p1-su01-r2-01" in found[0].message
    other: Own = {f"{NODE}1:OSFP4.2": {"b_cage": f"{OTHER}:1.1"}, "p1-su02-n001:OSFP4.2": {"b_cage": f"{LEAF}:1.1"}}
    own = built("superpod-b200", other)
    assert list(RailCrossed().check(own)) == []
    assert ends(own)[f"{NODE}1:OSFP4.2"][0][3:] == (OTHER, "1", "p1-su02-net01")
    (longer,) = list(CableTooShort().check(own))
    assert "where it is now this cable runs" in longer.message
    stated = {cable: {**fields, "length_m": 20} for cable, fields in other.items()}
    assert list(CableTooShort().check(built("superpod-b200", stated))) == []


def test_a_crossed_plane_is_an_error_at_the_cable() -> None:
    usual = ends(example_cluster("phased-planes"))
    first, second = (f"compute-leaf-p1-su01-pl{n}-01:" for n in (1, 2))
    up = [next(c for c in usual if c.startswith(leaf) and "spine" in usual[c][0][3]) for leaf in (first, second)]
    at = [":".join(usual[cable][0][3:5]) for cable in up]
    own = built("phased-planes", {up[0]: {"b_cage": at[1]}, up[1]: {"b_cage": at[0]}})
    assert [d.path for d in RailCrossed().check(own)] == [("cable_of", cable) for cable in up]


def test_uplinks_of_two_leaves_that_are_exchanged_at_the_leaves_cross_nothing() -> None:
    second = "compute-leaf-p1-su01-r2-01"
    own = built("leaf-spine", {f"{LEAF}:29": {"a_cage": f"{second}:29"}, f"{second}:29": {"a_cage": f"{LEAF}:29"}})
    assert list(RailCrossed().check(own)) == []


def test_management_addresses_follow_the_link() -> None:
    pairs = ((f"{NODE}1:BMC", "p1-su02-n001:BMC"), ("storage-spine-01:eth0", "storage-spine-02:eth0"))
    own = {cable: {"a_cage": other} for pair in pairs for cable, other in (pair, pair[::-1])}
    usual, built_so = example_cluster("superpod-b200"), built("superpod-b200", own)
    before, after = (c.addresses.list_device_addresses()[1] for c in (usual, built_so))
    for one, other in pairs:
        rows = [usual.names.index(cable.partition(":")[0]) for cable in (one, other)]
        assert [after[rows[0]], after[rows[1]]] == [before[rows[1]], before[rows[0]]]
    table = links_part.make_table(built_so).columns
    row = [
        i
        for i, place in enumerate(zip(table["a_device"], table["a_port"], strict=True))
        if place == (f"{NODE}1", "BMC")
    ]
    assert str(table["a_ip"][row[0]]).partition("/")[0] == after[built_so.names.index(f"{NODE}1")]


@pytest.mark.parametrize(
    ("name", "own", "code", "said"),
    [
        ("leaf-spine", {f"{LEAF}:29": {"b_cage": f"{OTHER}:1"}}, "FG077", "another tier, leaf instead of spine"),
        ("leaf-spine", {f"{LEAF}:29": {"b_cage": f"{NODE}1:eth1"}}, "FG077", "which is a node, not a switch"),
        ("leaf-spine", {f"{LEAF}:29": {"b_cage": f"{SPINE}-09:1"}}, "FG080", f"there is no device '{SPINE}-09'"),
        ("leaf-spine", {f"{LEAF}:29": {"b_cage": f"{SPINE}-02:99"}}, "FG080", "has no cage '99'"),
        ("leaf-spine", {f"{LEAF}:29": {"b_cage": f"{SPINE}-02:1"}}, "FG081", f"cable {LEAF}:30 stays there"),
        ("leaf-spine", {f"{LEAF}:30": {"b_cage": f"{SPINE}-02:2"}}, "FG081", f"cage 2 of {SPINE}-02 is taken"),
        (
            "superpod-b200",
            {f"{NODE}1:OSFP4.2": {"b_cage": "storage-leaf-p1-su01-r1-01:1"}},
            "FG077",
            "another fabric, storage instead of compute",
        ),
        ("superpod-b200", {f"{NODE}1:OSFP4.2": {"a_cage": "mgmt-1:eth1"}}, "FG077", "an extra device, not a node"),
        ("superpod-b200", {"ufm-1:ib1": {"a_cage": "mgmt-1:eth1"}}, "FG077", "which is a mgmt-server, not a ufm"),
        ("superpod-b200", {f"{NODE}1:BMC": {"a_cage": f"{NODE}2:BMC"}}, "FG081", "port BMC"),
        ("superpod-b200", {"storage-spine-01:eth0": {"a_cage": "storage-spine-02:eth0"}}, "FG081", "port management"),
    ],
)
def test_what_cannot_be_is_refused_and_why(name: str, own: Own, code: str, said: str) -> None:
    if code:
        told = refused(name, own)
        assert f"error[{code}]" in told
        assert said in told


def test_a_patched_cable_stays_in_its_rack() -> None:
    usual = ends(example_cluster("patched-hall"))
    cable, (end,) = next((c, rows) for c, rows in usual.items() if c.startswith(f"{LEAF}:") and len(rows) == 1)
    there = {row[3]: row for rows in usual.values() for row in rows if row[3].startswith(f"{SPINE}-")}
    told = refused("patched-hall", {cable: {"a_cage": f"{OTHER}:{end[1]}"}})
    assert "error[FG077]" in told
    assert f"its trunk ends at the panels of {LEAF}" in told
    assert there


PAIR: Own = {
    "p1-su01-n001:SLOT1P2": {"b_cage": "inband-leaf-02:1"},
    "p1-su01-n001:SLOT2P2": {"b_cage": "inband-leaf-01:1"},
}
"""The two legs of a bond exchanged between the switches of a pair."""


def test_legs_of_a_bond_stay_on_a_pair_and_of_one_host() -> None:
    usual, own = example_cluster("bonded-pair"), built("bonded-pair", PAIR)
    assert (own.plan.bonds.kind == usual.plan.bonds.kind).all()
    assert built_files(own, "addresses") == built_files(usual, "addresses")
    hosts = {
        "p1-su01-n001:SLOT1P2": {"a_cage": f"{NODE}2:SLOT1P2"},
        "p1-su01-n002:SLOT1P2": {"a_cage": f"{NODE}1:SLOT1P2"},
    }
    own = built("bonded-pair", hosts)
    for switch in ("inband-leaf-01", "inband-leaf-02"):
        view = own.switch(own.names.index(switch))
        peers = {port.name: port.peer for port in view.ports}
        assert all(len({peers[name] for name in bond.members}) == 1 for bond in model_bonds(view).values())
    numbers = [
        {port.peer: port.bond for port in own.switch(own.names.index(s)).ports if port.bond and port.role == "host"}
        for s in ("inband-leaf-01", "inband-leaf-02")
    ]
    assert numbers[0][f"{NODE}1"] == numbers[1][f"{NODE}1"]


def test_a_cable_planned_on_a_switch_to_come_is_there_where_it_is() -> None:
    second = "compute-leaf-p1-su04-pl1-01"
    first = "compute-leaf-p1-su01-pl1-01"
    usual = ends(example_cluster("phased-planes"))
    mine, other = (
        next(c for c in usual if c.startswith(f"{leaf}:") and "spine" in usual[c][0][3]) for leaf in (first, second)
    )
    cages = [c.partition(":")[2] for c in (mine, other)]
    own = {mine: {"a_cage": f"{second}:{cages[1]}"}, other: {"a_cage": f"{first}:{cages[0]}"}}
    design = example_design("phased-planes", f"cable_of={json.dumps(own)}")
    now = build_at_phase(design, "now")
    assert mine not in now.cable_ids
    assert ends(now)[other][0][0] == first
    assert other in {port.cable for port in now.switch(now.names.index(first)).ports}
    assert now.planned.port_names.cages[0][list(now.cable_ids).index(other)]


def test_a_sheet_states_another_device_and_is_taken_twice(fabricgen: Callable[..., object], tmp_path) -> None:
    from tests.as_built.test_sheets import BLUEPRINTS, HEAD

    overlay, sheet, site = (tmp_path / name for name in ("as-built.yaml", "list.csv", "site.yaml"))
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    overlay.write_text("cable_of: {}\n", encoding="utf-8")
    site.write_text(f"include: as-built.yaml\n{text}", encoding="utf-8")
    lines = [
        f"{LEAF}:29,{LEAF},29,{SPINE}-01,1,x,,{SPINE}-02:1,,",
        f"{LEAF}:30,{LEAF},30,{SPINE}-02,1,x,,{SPINE}-01:1,,",
    ]
    sheet.write_text("\n".join((HEAD, *lines, "")), encoding="utf-8")
    assert fabricgen("as-built", site, sheet, "-o", overlay).code == 0
    assert f'"{LEAF}:29": {{b_cage: "{SPINE}-02:1"}}' in overlay.read_text(encoding="utf-8")
    assert "no new changes" in fabricgen("as-built", site, sheet, "-o", overlay).out
    printed = [f"{LEAF}:29,{LEAF},29,{SPINE}-02,1,x,,20,,", f"{LEAF}:30,{LEAF},30,{SPINE}-01,1,x,,,,"]
    sheet.write_text("\n".join((HEAD, *printed, "")), encoding="utf-8")
    assert fabricgen("as-built", site, sheet, "-o", overlay).code == 0
    assert f'"{LEAF}:29": {{b_cage: "{SPINE}-02:20"}}' in overlay.read_text(encoding="utf-8")
