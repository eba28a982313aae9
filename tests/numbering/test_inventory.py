"""The hardware table beside a blueprint: what is refused, and where what is known goes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from fabricgen.blueprint.beside.tables import parse_inventory
from fabricgen.kernel.diagnostics import InputError

EXAMPLES = Path(__file__).parents[2] / "blueprints"
HEADER = "device,port,mac,guid,serial\n"
KNOWN = HEADER + (
    "compute-leaf-p1-su01-r1-01,,B8-3F-D2-00-00-01,,MT1\np1-su01-n001,,,,A1\np1-su01-n001,eth1,b83f.d200.0002,,NIC-1\n"
)


def write_blueprint(folder: Path, table: str, example: str = "leaf-spine", more: str = "") -> Path:
    text = (EXAMPLES / f"{example}.yaml").read_text(encoding="utf-8")
    (folder / "b.yaml").write_text(f"{text}inventory: hardware.csv\n{more}", encoding="utf-8")
    (folder / "hardware.csv").write_text(table, encoding="utf-8")
    return folder / "b.yaml"


REFUSED = {
    "port,mca\n": ["1:1: the table has no column 'device'", "1:1: there is no column 'mca'"],
    "device,mac,mac\n": ["1:1: the column 'mac' is there twice"],
    "device,mac\na,b8:3f:d2:00:00\nb,01:00:5e:00:00:01\nc,00:00:00:00:00:00\n,b8:3f:d2:00:00:01\n": [
        "2:3: 'b8:3f:d2:00:00' is no MAC",
        "3:3: '01:00:5e:00:00:01' is no MAC of a port: it is of no machine, or of several",
        "4:3: '00:00:00:00:00:00' is no MAC of a port: it is of no machine, or of several",
        "5:1: the line names no device",
    ],
    'device,guid,serial\n"a",12,\nb,0x02f0000000000001,x\nc,,a;b\n': [
        "2:5: '12' is no GUID",
        "3:3: '0x02f0000000000001' is a planned GUID, which no hardware has",
        "4:4: 'a;b' is no serial number",
    ],
    "device,port,mac,guid,serial\na,p,b83fd2000001,,s\na,q,B8:3F:D2:00:00:01,,s\na,p,,,\nb,,,,s\n": [
        "3:5: MAC b8:3f:d2:00:00:01 is there twice, first in line 2",
        "4:1: port p of a is there twice, first in line 2",
        "5:6: serial number s is there twice, first in line 2",
    ],
    "device\na,b\n": ["2:3: the line has 2 cells, the header 1"],
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda t: t[:24])
def test_what_cannot_be_right_is_refused_at_its_cell(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_inventory(text, "t.csv")
    assert [f"{d.span.line}:{d.span.column}: {d.message}" for d in caught.value.diagnostics if d.span] == REFUSED[text]
    assert {d.code for d in caught.value.diagnostics} == {"FG060"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compute-leaf-p1-su01-r1-1,,,,x", "2:1: error[FG060]: there is no device 'compute-leaf-p1-su01-r1-1'"),
        ("p1-su01-n001,NIC9,b83fd2000001,,", "2:14: error[FG060]: p1-su01-n001 has no cabled port 'NIC9'"),
        ("p1-su01-n001,,b83fd2000001,,", "2:15: error[FG060]: of which port of p1-su01-n001 this is, is not said"),
    ],
)
def test_lines_of_what_is_not_planned_are_refused(line: str, said: str, tmp_path: Path, fabricgen) -> None:
    ran = fabricgen("wiring", write_blueprint(tmp_path, f"{HEADER}{line}\n"))
    assert (ran.code, f"hardware.csv:{said}" in ran.err) == (2, True), ran.err
    assert ("FG060" in fabricgen("lint", "--fast", tmp_path / "b.yaml").out) is ("no device" in said)


@pytest.mark.slow
def test_switch_trays_of_a_scale_up_domain_have_a_mac_of_their_own(tmp_path: Path, fabricgen) -> None:
    """They run a NOS, tell their MAC by LLDP, and ask for a management address by it, as other switches do."""
    line = "p1-su01-rk01-nvlink-01,,b8:3f:d2:00:00:01,,"
    file = write_blueprint(tmp_path, f"{HEADER}{line}\n", "nvl72-gb200")
    assert fabricgen("wiring", file).code == 0
    assert fabricgen("build", file, "-o", tmp_path / "out", "--only", "kea", "--jobs", "1").code == 0
    assert "b8:3f:d2:00:00:01" in "".join(conf.read_text() for conf in (tmp_path / "out/kea").iterdir())


def test_guids_come_from_one_table(tmp_path: Path, fabricgen) -> None:
    file = write_blueprint(tmp_path, HEADER, "superpod-b200")
    file.write_text(file.read_text().replace("protocol: infiniband", "protocol: infiniband\n    guids: g.csv", 1))
    (tmp_path / "g.csv").write_text("device,guid\n")
    assert "GUIDs of compute come from `guids` and from `inventory`" in fabricgen("show", file).err


@pytest.mark.parametrize("name", ["../hardware.csv", "/etc/hostname", "no.csv"])
def test_the_table_stays_in_the_folder_of_the_blueprint(name: str, tmp_path: Path, fabricgen) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    file = write_blueprint(inside, HEADER)
    shutil.move(inside / "hardware.csv", tmp_path / "hardware.csv")
    file.write_text(file.read_text().replace("inventory: hardware.csv", f"inventory: {name}"))
    ran = fabricgen("show", file)
    assert (ran.code, "FG001" in ran.err or "FG007" in ran.err) == (2, True)


def test_macs_reach_switches_and_hosts(tmp_path: Path, fabricgen) -> None:
    file = write_blueprint(tmp_path, KNOWN)
    built = fabricgen("build", file, "-o", tmp_path / "out", "--only", "configs,hosts")
    assert built.code == 0, built.err
    configs = {p.parent.name: json.loads(p.read_text()) for p in (tmp_path / "out/configs").glob("*/config_db.json")}
    macs = {name: c["DEVICE_METADATA"]["localhost"].get("mac") for name, c in configs.items()}
    assert {name: mac for name, mac in macs.items() if mac} == {"compute-leaf-p1-su01-r1-01": "b8:3f:d2:00:00:01"}
    ports = yaml.safe_load((tmp_path / "out/hosts/p1-su01-n001/60-fabric.yaml").read_text())["network"]["ethernets"]
    matched = {name: (p["match"]["macaddress"], p["set-name"]) for name, p in ports.items() if "match" in p}
    assert list(matched.values()) == [("b8:3f:d2:00:00:02", next(iter(matched)))]


def test_switches_of_one_shape_have_their_own_macs(tmp_path: Path, fabricgen) -> None:
    lines = "".join(f"compute-spine-{n:02},,b8:3f:d2:00:01:{n:02x},,\n" for n in range(1, 5))
    assert (
        fabricgen("build", write_blueprint(tmp_path, HEADER + lines), "-o", tmp_path / "out", "--only", "configs").code
        == 0
    )
    for n in range(1, 5):
        config = json.loads((tmp_path / f"out/configs/compute-spine-{n:02}/config_db.json").read_text())
        assert config["DEVICE_METADATA"]["localhost"]["mac"] == f"b8:3f:d2:00:01:{n:02x}"


@pytest.mark.slow
def test_guids_reach_opensm_as_those_of_a_table_of_guids_do(tmp_path: Path, fabricgen) -> None:
    lines = "compute-spine-01,,,0xfc6a1c0300000001,\np1-su01-n002,OSFP3P1,,b83f:d203:0000:0001,\n"
    files = []
    for name in ("old", "new"):
        folder = tmp_path / name
        folder.mkdir()
        file = write_blueprint(folder, HEADER + lines, "superpod-b200")
        if name == "old":
            text = file.read_text().replace("inventory: hardware.csv\n", "")
            file.write_text(text.replace("protocol: infiniband", "protocol: infiniband\n    guids: g.csv", 1))
            table = "device,port,guid\ncompute-spine-01,,0xfc6a1c0300000001\np1-su01-n002,OSFP3P1,b83f:d203:0000:0001\n"
            (folder / "g.csv").write_text(table)
        assert fabricgen("build", file, "-o", folder / "out", "--only", "configs").code == 0
        files.append({p.name: p.read_bytes() for p in (folder / "out/configs/compute").iterdir()})
    assert files[0] == files[1]
    assert b"fc6a1c0300000001" in files[1]["topology.net"]


def test_plan_tells_which_hardware_was_exchanged(tmp_path: Path, fabricgen) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    was, now = (
        write_blueprint(old, KNOWN),
        write_blueprint(new, KNOWN.replace("B8-3F-D2-00-00-01", "b8:3f:d2:00:00:09")),
    )
    ran = fabricgen("plan", was, now)
    changed = "compute-leaf-p1-su01-r1-01 mac b8:3f:d2:00:00:01 -> b8:3f:d2:00:00:09"
    assert f"inventory: {changed}" in ran.out, ran.out
    assert "config compute-leaf-p1-su01-r1-01 config_db.json: changed" in ran.out
