"""What MACs prove of plugs in a hall whose hosts speak no LLDP, and what is told of those that prove nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.addons.emulation.dumps.mac_tables import write_hall
from fabricgen.addons.emulation.model import Hall
from tests.conftest import BLUEPRINTS, Ran
from tests.hall.compiled import Verdict, plan_of, verify

Run = Callable[..., Ran]
EXAMPLE = "leaf-spine"
LEAF, OTHER_LEAF = "compute-leaf-p1-su01-r1-01", "compute-leaf-p1-su02-r1-01"
TABLE, LLDP, REDFISH = f"mac-{LEAF}.txt", f"lldp-{LEAF}.json", "redfish-p1-su01-n001.json"
FIRST_LINK = ("Ethernet0", "p1-su01-n001", "eth1")


def _dumps(example: str = EXAMPLE) -> dict[str, str]:
    """A hall as planned, with MAC tables as `bridge fdb show` prints them: any line may be added."""
    hall = Hall(plan_of(example))
    nos = {name: hall.plan.devices[name]["nos"] for name in hall.names.values()}
    return write_hall(hall.list_sightings(), nos, "bridge-fdb")


def _row(mac: str, port: str) -> str:
    return f"{mac} dev {port} vlan 1000 master br_default offload\n"


def _first_mac(dumps: dict[str, str]) -> str:
    """The MAC of the host that is planned at the first port of the leaf."""
    uri = "/redfish/v1/Chassis/1/NetworkAdapters/eth1/Ports/1"
    mac: str = json.loads(dumps[REDFISH])[uri]["Ethernet"]["AssociatedMACAddresses"][0]
    assert _row(mac, FIRST_LINK[0]) in dumps[TABLE]
    return mac


def _told(verdict: Verdict) -> tuple[int, int, list[str]]:
    """(cables as planned, cables unseen, notes on MACs but for uplinks)."""
    assert verdict.errors == ""
    assert [action["text"] for action in verdict.actions] == []
    notes = [note for note in verdict.report["notes"] if "MACs" in note and "that lead to other switches" not in note]
    cables = verdict.report["cables"]
    return cables["as_planned"], cables["unseen"], notes


def test_a_mac_at_a_port_without_neighbours_is_a_plug_and_one_through_an_uplink_is_none() -> None:
    verdict = verify(EXAMPLE, _dumps())
    assert (verdict.code, _told(verdict)) == (0, (24, 0, []))
    uplinks = "not compared by MACs: 8 ports that lead to other switches: compute-leaf-p1-su01-r1-01:Ethernet224"
    assert any(note.startswith(uplinks) for note in verdict.report["notes"])


def _add(dumps: dict[str, str], name: str, text: str) -> dict[str, str]:
    return {**dumps, name: dumps[name] + text}


def test_what_proves_nothing_is_told_and_not_called_dark() -> None:
    dumps = _dumps()
    mac, port = _first_mac(dumps), FIRST_LINK[0]
    several = "not compared by MACs: 1 ports with several MACs, as if something were between: "
    # a MAC of a maker beside that of the host, and that of another host
    assert _told(verify(EXAMPLE, _add(dumps, TABLE, _row("b8:3f:d2:00:00:99", port)))) == (
        23,
        1,
        [f"{several}{LEAF}:{port}"],
    )
    # one that software made up is of the host itself
    assert _told(verify(EXAMPLE, _add(dumps, TABLE, _row("02:42:ac:11:00:02", port)))) == (24, 0, [])
    unknown = {**dumps, TABLE: dumps[TABLE].replace(mac, "b8:3f:d2:00:00:99")}
    told = "not compared by MACs: 1 ports with MACs that no inventory and no BMC tells: "
    assert _told(verify(EXAMPLE, unknown)) == (23, 1, [f"{told}{LEAF}:{port}"])
    twice = verify(EXAMPLE, _add(dumps, f"mac-{OTHER_LEAF}.txt", _row(mac, "Ethernet40")))
    told = "not compared by MACs: 1 ports of hosts, each seen at several ports: p1-su01-n001:eth1/1"
    assert _told(twice) == (23, 1, [told])
    bond = _add(dumps, TABLE, _row("b8:3f:d2:00:00:99", "PortChannel1"))
    told = "not compared by MACs: 1 ports that no cable has by that name, as of bonds and tunnels: "
    assert _told(verify(EXAMPLE, bond)) == (24, 0, [f"{told}{LEAF}:PortChannel1"])


def test_without_lldp_of_the_switch_the_tables_of_all_switches_are_needed() -> None:
    dumps = {name: text for name, text in _dumps().items() if name != LLDP}
    assert _told(verify(EXAMPLE, dumps)) == (24, 0, [])
    dumps = {name: text for name, text in dumps.items() if name != "mac-compute-spine-01.txt"}
    as_planned, unseen, (note,) = _told(verify(EXAMPLE, dumps))
    # two breakouts of two tails
    assert (as_planned, unseen) == (22, 2)
    told = "4 ports where a switch could be between: give its LLDP table, or the MAC tables of all switches: "
    assert note.removeprefix("not compared by MACs: ").startswith(f"{told}{LEAF}:Ethernet0, {LEAF}:Ethernet4")


def test_hosts_of_bonds_are_not_compared_by_a_mac_that_their_ports_share() -> None:
    verdict = verify("bonded-pair", _dumps("bonded-pair"))
    as_planned, unseen, (note,) = _told(verdict)
    assert (as_planned + unseen, unseen) == (68, 42)
    assert note.startswith("not compared by MACs: 42 ports of bonds, and ports that see another by LLDP: ")


def test_tables_that_are_of_no_use_are_told() -> None:
    dumps = {**_dumps(), "elsewhere.txt": _row("b8:3f:d2:00:00:99", "swp1")}
    dumps["mac-p1-su01-n001.txt"] = _row("b8:3f:d2:00:00:99", "swp1")
    notes = [note.partition(" are not compared: ")[2] for note in _told(verify(EXAMPLE, dumps))[2]]
    assert notes == ["it is no device of the plan by its name or file", "it is a host, and no switch"]


def test_the_inventory_names_ports_of_hosts_without_a_bmc(tmp_path: Path, fabricgen: Run) -> None:
    dumps, page, folder = _dumps(), tmp_path / "page.yaml", tmp_path / "dumps"
    macs = {line.split()[2]: line.split()[0] for line in dumps[TABLE].splitlines()}
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    page.write_text(f"{text}\ninventory: hardware.csv\n", encoding="utf-8")
    rows = [f"p1-su01-n00{n},eth1,{macs[port]}\n" for n, port in ((1, "Ethernet0"), (2, "Ethernet4"))]
    (tmp_path / "hardware.csv").write_text("".join(["device,port,mac\n", *rows]), encoding="utf-8")
    folder.mkdir()
    for name in (TABLE, LLDP):
        (folder / name).write_text(dumps[name], encoding="utf-8")
    args = ("verify", page, folder, "--format", "json", "--only", "p1-su01-n001")
    report = json.loads(fabricgen(*args).out)
    assert (report["cables"]["as_planned"], report["cables"]["elsewhere"]) == (1, 0)
    # both tails of the breakout are crossed
    crossed = _row(macs["Ethernet4"], "Ethernet0") + _row(macs["Ethernet0"], "Ethernet4")
    (folder / TABLE).write_text(crossed, encoding="utf-8")
    report = json.loads(fabricgen(*args).out)
    assert report["cables"]["elsewhere"] == 1
    assert any("p1-su01-n001:eth1" in action["text"] for action in report["actions"])


@pytest.mark.slow
def test_what_bmcs_and_switches_tell_is_learnt(tmp_path: Path, fabricgen: Run) -> None:
    folder = tmp_path / "dumps"
    folder.mkdir()
    dumps = _dumps()
    for name, text in dumps.items():
        (folder / name).write_text(text, encoding="utf-8")
    learnt = tmp_path / "hardware.csv"
    assert fabricgen("verify", BLUEPRINTS / "leaf-spine.yaml", folder, "--learn", learnt).code == 0
    assert f"p1-su01-n001,eth1,{_first_mac(dumps)},,\n" in learnt.read_text(encoding="utf-8")
