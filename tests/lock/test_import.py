"""`fabricgen lock --import`: a running fabric is adopted with the names and numbers that it has."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS
from tests.lock.test_lock_command import count_kept, edit_once, read_table

pytestmark = pytest.mark.slow

BLUEPRINT = """\
fabricgen: 1
name: demo
scalable_unit: {nodes: 4 x generic-server}
pods:
  p1: {su: 2}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn4700, per: [su, rail], uplinks: 4 x 400G}
      spine: {switch: sn4700, count: 4}
"""
LEAVES = [f"compute-leaf-p1-su{su:02}-r{rail}-01" for su in (1, 2) for rail in (1, 2)]
SPINES = [f"compute-spine-{n:02}" for n in (1, 2, 3, 4)]
UPLINKS = [f"Ethernet{n}" for n in (224, 232, 240, 248)]
LOCK = Path("demo.lock.yaml")


@pytest.fixture
def blueprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A leaf-spine in a folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "demo.yaml"
    file.write_text(BLUEPRINT, encoding="utf-8")
    return file


def write_foreign_list() -> str:
    """The same leaf-spine as somebody else numbered it: in the middle of fabricgen's own pools, leaf ends even."""
    lines = ["Device,Name,ASN,Loopback,Port,Address"]
    lines += [f"{leaf},lf{n},{65101 + n},10.0.0.{9 - n}," + "," for n, leaf in enumerate(LEAVES)]
    lines += [f"{spine},sp{n},65000,10.0.0.{100 + n}/32,," for n, spine in enumerate(SPINES)]
    lines += ["", ",,,,,"]
    for n, leaf in enumerate(LEAVES):
        lines += [f"{leaf},,,,{port},10.64.0.{8 * n + 2 * k}/31" for k, port in enumerate(UPLINKS)]
    return "\n".join(lines) + "\n"


def write_file(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def read_adopted_lines() -> list[str]:
    """Lines of the section in the lock."""
    section = LOCK.read_text(encoding="utf-8").partition("adopted:\n")[2].partition("rooms:")[0]
    return [line.strip() for line in section.splitlines()]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_fabric_in_a_foreign_scheme_is_adopted(blueprint: Path, fabricgen, mark: str) -> None:
    ran = fabricgen("lock", blueprint, "--import", write_file("have.csv", mark + write_foreign_list()))
    assert ran.code == 0, ran.err
    assert fabricgen("build", blueprint, "-o", "one", "--locked").code == 0
    devices = read_table(Path("one"), "devices.csv", "device")
    for n in range(4):
        leaf, spine = devices[f"lf{n}",], devices[f"sp{n}",]
        assert (leaf["asn"], leaf["loopback"]) == (str(65101 + n), f"10.0.0.{9 - n}")
        assert (spine["asn"], spine["loopback"]) == ("65000", f"10.0.0.{100 + n}")
    links = read_table(Path("one"), "links.csv", "a_device", "a_port")
    for n in range(4):
        for k, port in enumerate(UPLINKS):
            link, first = links[f"lf{n}", port], 8 * n + 2 * k
            assert (link["a_ip"], link["b_ip"]) == (f"10.64.0.{first}/31", f"10.64.0.{first + 1}/31")
            assert link["b_device"] == f"sp{k}"
    for device, own_asn, peer, far in (("lf2", 65103, "10.64.0.19", 65000), ("sp1", 65000, "10.64.0.18", 65103)):
        config = json.loads(Path(f"one/configs/{device}/config_db.json").read_text(encoding="utf-8"))
        assert config["DEVICE_METADATA"]["localhost"]["bgp_asn"] == str(own_asn)
        assert config["BGP_NEIGHBOR"][peer]["asn"] == str(far)


def test_growth_steps_around_what_is_adopted(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint, "--import", write_file("have.csv", write_foreign_list()))
    fabricgen("build", blueprint, "-o", "one")
    before = read_adopted_lines()
    edit_once(blueprint, "  p1: {su: 2}", "  p1: {su: 4}\n  p2: {su: 2}")
    ran = fabricgen("build", blueprint, "-o", "two")
    assert ran.code == 0, ran.err
    assert count_kept(Path("one"), Path("two")) > 40
    assert read_adopted_lines() == before
    devices = read_table(Path("two"), "devices.csv", "device").values()
    leaves = [row for row in devices if row["tier"] == "leaf"]
    assert len({row["asn"] for row in leaves}) == len(leaves) == 12
    loopbacks = [row["loopback"] for row in devices if row["loopback"]]
    assert len(set(loopbacks)) == len(loopbacks)
    with Path("two/links.csv").open(encoding="utf-8", newline="") as stream:
        ends = [row[end] for row in csv.DictReader(stream) for end in ("a_ip", "b_ip")]
    assert len(set(ends)) == len(ends)


def test_an_own_allocation_changes_nothing(blueprint: Path, fabricgen) -> None:
    fabricgen("build", blueprint, "-o", "one")
    lists = ("--import", "one/devices.csv", "--import", "one/links.csv")
    fabricgen("lock", blueprint)
    before = LOCK.read_bytes()
    assert fabricgen("lock", blueprint, *lists, "--check").code == 0
    LOCK.unlink()
    assert fabricgen("lock", blueprint, *lists).code == 0
    assert LOCK.read_bytes() == before
    assert b"adopted" not in before


def test_an_own_list_has_links_of_exits_that_are_no_31s(tmp_path: Path, fabricgen, monkeypatch) -> None:
    """The WAN gave 192.0.2.5/30 and 192.0.2.6/30 to one of the links of two-exits: not an even number and the next."""
    monkeypatch.chdir(tmp_path)
    example = shutil.copy(BLUEPRINTS / "two-exits.yaml", "two-exits.yaml")
    fabricgen("build", example, "-o", "one")
    fabricgen("lock", example)
    before = Path("two-exits.lock.yaml").read_bytes()
    assert "192.0.2.6/30" in Path("one/links.csv").read_text()
    imported = fabricgen("lock", example, "--import", "one/links.csv")
    assert imported.code == 0, imported.err
    assert Path("two-exits.lock.yaml").read_bytes() == before


def test_what_was_adopted_is_imported_again_under_its_names(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint, "--import", write_file("have.csv", write_foreign_list()))
    before = LOCK.read_bytes()
    fabricgen("build", blueprint, "-o", "one")
    assert fabricgen("lock", blueprint, "--import", "one/devices.csv", "--import", "one/links.csv").code == 0
    assert LOCK.read_bytes() == before
    assert fabricgen("lock", blueprint, "--import", "have.csv", "--check").code == 0


def test_a_new_name_loses_nothing(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint, "--import", write_file("have.csv", f"device,asn\n{SPINES[0]},65000\n"))
    for setting, name in (
        ("names: {switches: '{tier}{default}'}", f"spine{SPINES[0]}"),
        (f"names: {{devices: {{{SPINES[0]}: edge}}}}", "edge"),
    ):
        write_file("demo.yaml", BLUEPRINT + setting + "\n")
        assert fabricgen("build", blueprint, "-o", "one").code == 0
        assert read_table(Path("one"), "devices.csv", "device")[name,]["asn"] == "65000"


def test_what_the_blueprint_states_wins(blueprint: Path, fabricgen) -> None:
    have = f"device,asn,port,address\n{SPINES[0]},65000,,\n{LEAVES[0]},,Ethernet224,192.0.2.0\n"
    fabricgen("lock", blueprint, "--import", write_file("have.csv", have))
    far = f"{SPINES[0]}: {{asn: 65001, links: {{Ethernet0: 192.0.2.8}}}}"
    write_file("demo.yaml", BLUEPRINT + f"address_of: {{{far}}}\n")
    fabricgen("build", blueprint, "-o", "one")
    assert read_table(Path("one"), "devices.csv", "device")[SPINES[0],]["asn"] == "65001"
    assert (
        read_table(Path("one"), "links.csv", "a_device", "a_port")[LEAVES[0], "Ethernet224"]["a_ip"] == "192.0.2.9/31"
    )
    assert f"{SPINES[0]} asn: 65000" in read_adopted_lines()


def test_what_is_gone_is_a_hole_until_it_is_released(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint, "--import", write_file("have.csv", write_foreign_list()))
    edit_once(blueprint, "su: 2}", "su: 1}")
    ran = fabricgen("lock", blueprint)
    assert f"reserved but unused: adopted {LEAVES[3]} asn" in ran.err
    assert f"{LEAVES[3]} asn: 65104" in read_adopted_lines()
    edit_once(blueprint, "su: 1}", "su: 2}")
    fabricgen("build", blueprint, "-o", "back")
    assert read_table(Path("back"), "devices.csv", "device")["lf3",]["asn"] == "65104"
    edit_once(blueprint, "su: 2}", "su: 1}")
    assert fabricgen("lock", blueprint, "--release", "unused").code == 0
    assert not any(line.startswith(LEAVES[3]) for line in read_adopted_lines())
    assert f"{LEAVES[0]} asn: 65101" in read_adopted_lines()


def test_a_device_in_use_is_released_by_name(blueprint: Path, fabricgen) -> None:
    fabricgen(
        "lock", blueprint, "--import", write_file("have.csv", f"device,asn\n{SPINES[0]},65000\n{SPINES[1]},65000\n")
    )
    assert fabricgen("lock", blueprint, "--release", f"adopted/{SPINES[0]}").code == 0
    assert read_adopted_lines() == [f"{SPINES[1]} asn: 65000"]
    assert fabricgen("lock", blueprint, "--release", "adopted/nobody").code == 2


def test_a_value_that_is_as_allocated_again_is_dropped(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    before = LOCK.read_bytes()
    fabricgen("build", blueprint, "-o", "one")
    have = f"device,name,asn\n{SPINES[0]},old,65000\n"
    fabricgen("lock", blueprint, "--import", write_file("have.csv", have))
    assert len([line for line in read_adopted_lines() if line.startswith(SPINES[0])]) == 2
    asn = read_table(Path("one"), "devices.csv", "device")[SPINES[0],]["asn"]
    again = f"device,name,asn\n{SPINES[0]},{SPINES[0]},{asn}\n"
    assert fabricgen("lock", blueprint, "--import", write_file("again.csv", again)).code == 0
    assert LOCK.read_bytes() == before


def test_a_number_in_a_block_that_the_lock_holds(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    have = write_file("have.csv", f"device,loopback\n{SPINES[0]},10.0.0.13\n")
    ran = fabricgen("lock", blueprint, "--import", have)
    holder = "compute leaf (su, 2 rail) loopback"
    assert f"have.csv:2:18: error[FG050]: 10.0.0.13 lies in 10.0.0.8/29, held for {holder}" in ran.err
    assert "where nothing stands by this lock yet, delete it first" in ran.err
    assert fabricgen("lock", blueprint, "--import", have, "--release", holder).code == 0
    fabricgen("build", blueprint, "-o", "one")
    devices = read_table(Path("one"), "devices.csv", "device")
    assert devices[SPINES[0],]["loopback"] == "10.0.0.13"
    assert devices[LEAVES[0],]["loopback"] == "10.0.0.17"


def test_names_that_exist_come_before_the_lock(blueprint: Path, fabricgen) -> None:
    """What a lock would refuse is taken where the import makes it: the blocks are put elsewhere, and stay there."""
    have = write_file("have.csv", f"device,name,loopback\n{SPINES[0]},dc1-sp1,10.0.0.13\n{LEAVES[0]},dc1-lf1,\n")
    assert fabricgen("lock", blueprint, "--import", have).code == 0
    before = LOCK.read_bytes()
    assert read_adopted_lines() == [
        f'{LEAVES[0]} name: "dc1-lf1"',
        f"{SPINES[0]} loopback: 10.0.0.13",
        f'{SPINES[0]} name: "dc1-sp1"',
    ]
    assert fabricgen("build", blueprint, "-o", "one", "--locked").code == 0
    devices = read_table(Path("one"), "devices.csv", "device")
    assert devices["dc1-sp1",]["loopback"] == "10.0.0.13"
    assert devices["dc1-lf1",]["loopback"] == "10.0.0.17"
    assert fabricgen("lock", blueprint).code == 0
    assert before == LOCK.read_bytes()


def test_numbers_that_change_places(blueprint: Path, fabricgen) -> None:
    fabricgen("lock", blueprint)
    have = write_file("have.csv", f"device,loopback\n{LEAVES[0]},10.0.0.10\n{LEAVES[1]},10.0.0.9\n")
    assert fabricgen("lock", blueprint, "--import", have).code == 0
    fabricgen("build", blueprint, "-o", "one")
    assert read_table(Path("one"), "devices.csv", "device")[LEAVES[0],]["loopback"] == "10.0.0.10"


def test_ipv6_is_adopted_beside_ipv4(blueprint: Path, fabricgen) -> None:
    write_file("demo.yaml", BLUEPRINT + "ip: dual\n")
    have = f"device,loopback\n{SPINES[0]},2001:db8::7\n"
    ran = fabricgen("lock", blueprint, "--import", write_file("have.csv", have))
    assert ran.code == 0, ran.err
    assert f'{SPINES[0]} ipv6 loopback: "2001:db8::7"' in read_adopted_lines()
    assert fabricgen("build", blueprint, "-o", "one", "--locked").code == 0
    assert "2001:db8::7/128" in Path("one/addresses.csv").read_text(encoding="utf-8")
