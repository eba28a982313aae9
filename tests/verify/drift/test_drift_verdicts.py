"""What `check --running` calls a difference: an error at its path, foreign, neutral, or waived by the blueprint."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabricgen.kernel.diagnostics import Severity
from fabricgen.running.differences import Verdict
from fabricgen.running.statements import Difference
from fabricgen.verify.drift.checking import check_running, describe_by_path
from fabricgen.verify.drift.planned import RenderedConfigs
from tests.conftest import Ran
from tests.render.rendered import cluster_of

LEAF = "compute-leaf-p1-su01-r1-01"
LISTED = {
    "ACL_TABLE": {"SSH_ONLY": {"type": "CTRLPLANE", "stage": "ingress", "services": ["SSH"]}},
    "ACL_RULE": {"SSH_ONLY|R1": {"PRIORITY": "9999", "SRC_IP": "10.0.0.0/8", "PACKET_ACTION": "ACCEPT"}},
}
WAIVER = "drift.waive=[{nos: sonic, path: [PORT, Ethernet*, mtu], why: trial of jumbo frames%s}]"


@pytest.fixture
def running(tmp_path: Path, fabricgen: Callable[..., Ran]) -> Callable[..., Ran]:
    """Compare leaf-spine's first leaf, with its tables changed, with the blueprint."""
    fabricgen("build", "blueprints/leaf-spine.yaml", "-o", tmp_path / "built", "--only", "configs")
    built = json.loads((tmp_path / "built" / "configs" / LEAF / "config_db.json").read_text())

    def check(change: Callable[[dict[str, Any]], object], *options: object) -> Ran:
        tables = json.loads(json.dumps(built))
        change(tables)
        (tmp_path / "running" / LEAF).mkdir(parents=True, exist_ok=True)
        (tmp_path / "running" / LEAF / "config_db.json").write_text(json.dumps(tables))
        return fabricgen("check", "--running", tmp_path / "running", "blueprints/leaf-spine.yaml", *options)

    return check


def shrink(tables: dict[str, Any]) -> None:
    tables["PORT"]["Ethernet0"]["mtu"] = "1500"


def test_an_error_has_its_path_and_words(running: Callable[..., Ran]) -> None:
    ran = running(shrink, "--format", "json")
    assert ran.code == 1
    assert json.loads(ran.out)["devices"][LEAF]["findings"] == [
        {
            "severity": "error",
            "subject": "port Ethernet0",
            "path": ["PORT", "Ethernet0", "mtu"],
            "text": "the MTU is 1500, planned: 9216",
        }
    ]


def test_foreign_differences_are_counted_by_name_and_errors_when_strict(running: Callable[..., Ran]) -> None:
    ran = running(lambda tables: tables.update(LISTED))
    assert ran.code == 0
    assert f"{LEAF}: note: 8 foreign: control-plane list SSH_ONLY" in ran.out
    assert "0 errors" in ran.out
    strict = running(lambda tables: tables.update(LISTED), "--strict")
    assert strict.code == 1
    assert f"{LEAF}: error: ACL_TABLE|SSH_ONLY|type: is CTRLPLANE, planned: not set" in strict.out
    on_a_port = {**LISTED, "ACL_TABLE": {"SSH_ONLY": {"type": "L3", "ports": ["Ethernet0"]}}}
    assert running(lambda tables: tables.update(on_a_port)).code == 1


def test_each_of_many_alike_is_told_at_its_own_place(running: Callable[..., Ran]) -> None:
    """Rows share numbers, such as that of a queue: words of one port belong to no other."""

    def shorten(tables: dict[str, Any]) -> None:
        for port in ("Ethernet0", "Ethernet4", "Ethernet12"):
            del tables["QUEUE"][f"{port}|3"]

    findings = json.loads(running(shorten, "--format", "json").out)["devices"][LEAF]["findings"]
    assert [(finding["path"][1], finding["subject"]) for finding in findings] == [
        (f"{port}|3", f"QoS of port {port}, queue 3") for port in ("Ethernet0", "Ethernet12", "Ethernet4")
    ]


def test_a_second_loopback_is_told_as_one_and_is_no_router_id(running: Callable[..., Ran]) -> None:
    ran = running(lambda tables: tables["LOOPBACK_INTERFACE"].update({"Loopback1|10.0.0.1/32": {}}))
    assert f"{LEAF}: error: LOOPBACK_INTERFACE|Loopback1|10.0.0.1/32: is not planned" in ran.out
    assert "router id" not in ran.out


def test_a_vni_that_is_gone_is_told_as_missing_and_its_vlan_as_nothing_new(tmp_path: Path) -> None:
    planned = RenderedConfigs(cluster_of("evpn-guests"))
    name = planned.list_devices()[0]
    ((_, files),) = planned.read([name])
    tables = json.loads(files["config_db.json"])
    gone = sorted(tables["VXLAN_TUNNEL_MAP"])[0]
    del tables["VXLAN_TUNNEL_MAP"][gone]
    (tmp_path / name).mkdir()
    (tmp_path / name / "config_db.json").write_text(json.dumps(tables))
    (tmp_path / name / "frr.conf").write_text(files["frr.conf"])
    (told,) = check_running(str(tmp_path), planned, 1).checked[0].findings
    assert (told.subject, told.text) == (f"VXLAN_TUNNEL_MAP|{gone}", "is missing, with vlan, vni")


def test_an_error_that_a_rule_names_says_why() -> None:
    difference = Difference(("ACL_TABLE", "SSH_ONLY"), "", None)
    finding = describe_by_path(LEAF, Verdict(difference, "error", why="it drops BFD"), Severity.ERROR)
    assert (finding.subject, finding.text) == ("ACL_TABLE|SSH_ONLY", "is not planned: it drops BFD")


def test_a_blueprint_waives_a_difference_until_a_day(running: Callable[..., Ran]) -> None:
    until = WAIVER % ", until: 2027-01-31"
    ran = running(shrink, "--set", until, "--as-of", "2027-01-31")
    assert (ran.code, "1 waived" in ran.out) == (0, True)
    ended = running(shrink, "--set", until, "--as-of", "2027-02-01")
    assert ended.code == 1
    assert "the waiver of PORT | Ethernet* | mtu ended on 2027-01-31" in ended.out
    idle = running(lambda _: None, "--set", WAIVER % "")
    assert idle.code == 0
    assert "the waiver of PORT | Ethernet* | mtu covers no difference" in idle.out


def test_one_thing_that_cannot_be_read_hides_nothing_else(running: Callable[..., Ran]) -> None:
    def damage(tables: dict[str, Any]) -> None:
        shrink(tables)
        tables["BGP_NEIGHBOR"] = ["not a table"]
        tables["PORT"]["Ethernet4"] = "not a row"

    ran = running(damage, "--format", "json")
    found = {(*each["path"],): each["text"] for each in json.loads(ran.out)["devices"][LEAF]["findings"]}
    assert ran.code == 1
    assert found[("BGP_NEIGHBOR",)] == "cannot be read: no map of rows"
    assert found[("PORT", "Ethernet4")] == "cannot be read: no map of fields"
    assert ("PORT", "Ethernet0", "mtu") in found


def test_two_files_of_one_device_that_differ_are_told(running: Callable[..., Ran], tmp_path: Path) -> None:
    running(lambda _: None)
    old = (tmp_path / "running" / LEAF / "config_db.json").read_text().replace('"9216"', '"1500"')
    (tmp_path / "running" / LEAF / "old.json").write_text(old)
    ran = running(lambda _: None)
    assert ran.code == 1
    assert "are both its config_db.json, and differ" in ran.out
    assert running(lambda _: None, "--as-of", "tomorrow").code == 2


@pytest.mark.slow
def test_secrets_are_not_printed_wherever_they_stand(running: Callable[..., Ran]) -> None:
    def tell(tables: dict[str, Any]) -> None:
        tables["BGP_NEIGHBOR"][next(iter(tables["BGP_NEIGHBOR"]))]["auth_password"] = "hunter2hunter2"
        tables["TACPLUS"] = {"global": {"passkey": "hunter2hunter2"}}
        tables["SNMP_COMMUNITY"] = {"hunter2hunter2": {"TYPE": "RW"}}
        tables["VENDOR"] = {"x": {"api_secret": "hunter2hunter2", "line": "password hunter2hunter2"}}

    for form in ("text", "json", "junit", "github"):
        ran = running(tell, "--format", form)
        assert ran.code == 1
        assert "auth_password" in ran.out
        assert "write by SNMP" in ran.out
        assert "hunter2" not in ran.out
