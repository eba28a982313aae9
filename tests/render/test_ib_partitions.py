"""Partitions of tenants in the files of opensm and UFM: members, order, placeholders, scale, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.nos.opensm.writer import list_statements
from tests.conftest import BLUEPRINTS, Ran, example_cluster, example_design
from tests.render.partitions_file import read
from tests.render.rendered import files_of
from tests.render.test_opensm import rendered, small

UFM = "fabrics.compute.subnet_manager=ufm"
TENANTS = "tenants: {blue: {nodes: [p1/su-1/node-1]}, red: {nodes: [p1/su-2]}}\n"


def of_pkeys(*sets: str) -> dict[str, str]:
    prefix = "configs/compute/"
    return {p.removeprefix(prefix): t for p, t in files_of("pkeys", *sets).items() if p.startswith(prefix)}


def test_every_port_is_a_full_member_of_its_tenants_and_of_nothing_else() -> None:
    view = example_cluster("pkeys").whole_fabric("compute")
    found = read(of_pkeys()["partitions.conf"])
    assert {pkey: partition.names for pkey, partition in found.items()} == {
        0x7FFF: {"Default"},
        1: {"blue"},
        2: {"red"},
        0x7FFE: {"compute"},
    }
    default = {"ALL": "limited", "ALL_SWITCHES": "full", "SELF": "full"}
    assert found[0x7FFF].members == default
    of = {a.name: set[str]() for a in view.adapters}
    for adapter in view.adapters:
        of[adapter.name].add(f"0x{adapter.port_guid:016x}")
    blue = of["p1-su01-n001"] | of["p1-su01-n002"] | of["p1-su02-n001"]
    assert found[1].members == dict.fromkeys(blue | of["array"], "full")
    assert found[1].first == blue
    assert found[0x7FFE].members == dict.fromkeys(of["p1-su01-n003"] | of["p1-su01-n004"] | of["array"], "full")
    assert not any(of["ufm-1"] & partition.members.keys() for partition in found.values())


def test_ufm_has_them_in_files_of_its_own() -> None:
    opensm_files, ufm = of_pkeys(), of_pkeys(UFM)
    assert "partitions.conf" not in ufm
    mine = read(ufm["partitions.conf.user_ext"])
    theirs = read(opensm_files["partitions.conf"])
    theirs = {pkey: partition._replace(first=set()) for pkey, partition in theirs.items() if pkey != 0x7FFF}
    assert mine == theirs
    assert "[MngNetwork]\ndefault_membership = limited\n" in ufm["gv.cfg"]
    for option in ("part_enforce both", "m_key_per_port TRUE", "m_key_protection_level 2"):
        assert f"\n{option}\n" in ufm["opensm.conf"]
    assert "m_key" not in opensm_files["opensm.conf"]


def test_the_lock_keeps_the_key_of_a_tenant(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    """Without one, a tenant that comes first by name takes the first key."""
    amber = "tenants.amber.nodes=[p1/su-1/node-4]"
    assert _names(of_pkeys(amber)["partitions.conf"]) == {1: "amber", 2: "blue", 3: "red", 0x7FFE: "compute"}
    file = tmp_path / "pkeys.yaml"
    file.write_text((BLUEPRINTS / "pkeys.yaml").read_text())
    assert fabricgen("lock", file).code == 0
    assert fabricgen("build", file, "-o", tmp_path / "out", "--set", amber).code == 0
    text = (tmp_path / "out/configs/compute/partitions.conf").read_text()
    assert _names(text) == {1: "blue", 2: "red", 3: "amber", 0x7FFE: "compute"}


def _names(text: str) -> dict[int, str]:
    return {pkey: "".join(partition.names) for pkey, partition in read(text).items() if pkey != 0x7FFF}


def test_real_guids_are_not_marked_and_leave_nothing_else_changed(tmp_path: Path) -> None:
    names = [f"OSFP{cage}P{port}" for cage in (1, 2, 3, 4) for port in (1, 2)]
    rows = [f"p1-su01-n001,0xb8cef603000000{i:02x},{name}" for i, name in enumerate(names)]
    (tmp_path / "real.csv").write_text("device,guid,port\n" + "\n".join(rows) + "\n")
    known = rendered(small(tmp_path, more="    guids: real.csv\n" + TENANTS))["partitions.conf"]
    lines = {line.split("# ")[1].split(",")[0]: line for line in known.splitlines() if ";" in line and "# " in line}
    assert lines["p1-su01-n001"].endswith("# p1-su01-n001")
    assert all("0x02" not in guid for guid in lines["p1-su01-n001"].split(":")[1].split(","))
    assert lines["p1-su02-n001"].endswith(", planned GUIDs")


def test_ports_of_fabrics_that_tenants_do_not_name_stay_together(tmp_path: Path) -> None:
    """Two fabrics on the same switches: a tenant is kept apart in one of them alone."""
    more = "  second: {protocol: infiniband, carried_by: compute, attach: storage}\n"
    only = TENANTS.replace("]}", "], fabrics: [compute]}")
    both = read(rendered(small(tmp_path, more=more + TENANTS))["partitions.conf"])
    one = read(rendered(small(tmp_path, more=more + only))["partitions.conf"])
    assert [len(both[key].members) for key in (1, 2, 0x7FFE)] == [10, 20, 10]
    assert [len(one[key].members) for key in (1, 2, 0x7FFE)] == [8, 16, 16]


def test_without_tenants_there_are_none(tmp_path: Path) -> None:
    more = "tenants: {blue: {nodes: [p1/su-1], fabrics: [other]}}\n"
    other = "  other: {protocol: ethernet, attach: inband, tiers: {leaf: {switch: sn5600}}}\n"
    text = rendered(small(tmp_path, more=other + more))["partitions.conf"]
    assert text == rendered(small(tmp_path))["partitions.conf"]


def test_a_large_fabric_has_a_line_a_node() -> None:
    """16,384 ports of 2,048 nodes."""
    sets = (
        *("pods.p1.su=4", "pods.p1.count=16"),
        "tenants={" + ", ".join(f"t{i:02}: {{nodes: [p{i}]}}" for i in range(1, 16)) + "}",
    )
    view = example_cluster("superpod-b200-3tier", *sets).whole_fabric("compute")
    lines = list(list_statements(view))
    assert len(lines) == len({line.node for line in lines}) == 2048
    assert sum(line.guids.count("0x") for line in lines) == len(view.adapters) == 16384
    assert [line.pkey for line in lines] == sorted(line.pkey for line in lines)
    assert len({line.partition for line in lines}) == 16
    text = "".join(f"{s.partition}={s.pkey} : {s.guids} ;\n" for s in lines)
    assert len(read(text)) == 16


@pytest.mark.parametrize(
    ("shared", "says"),
    [
        ("nobody", "there are no extra devices 'nobody'"),
        ("ufm", "are its own"),
        ("mgmt", "have no port in an InfiniBand fabric"),
    ],
)
def test_what_cannot_be_shared_is_said(shared: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        example_design("superpod-b200", f"tenants.blue={{nodes: [p1/su-1], extra: [ufm], shared: [{shared}]}}")
