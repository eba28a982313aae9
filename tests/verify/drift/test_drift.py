"""What devices run against the plan: what is as planned is known however a NOS prints it, and faults are told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.kernel.diagnostics import InputError, Severity
from fabricgen.reports.formats import list_formats, write_report
from fabricgen.verify.drift.checking import CheckRequest, check_running
from fabricgen.verify.drift.finding import Drift
from fabricgen.verify.drift.planned import RenderedConfigs
from tests.conftest import BLUEPRINTS, Ran
from tests.render.rendered import ALL_EOS, BFD, CUMULUS, MANAGED, cluster_of

HARDWARE: dict[str, tuple[str, ...]] = {
    "eos": ALL_EOS,
    "sonic": (),
    "frr": BFD,
    "cumulus": ("nos=cumulus", *BFD),
}
LEAF = "compute-leaf-p1-su01-r1-01"
REPORTS = "fabricgen.verify.drift.reports"

Files = Mapping[str, str]


@cache
def planned(kind: str) -> RenderedConfigs:
    return RenderedConfigs(cluster_of("leaf-spine", *HARDWARE[kind], *MANAGED))


@cache
def files_of(kind: str) -> dict[str, str]:
    ((_, files),) = planned(kind).read([LEAF])
    return dict(files)


def checked(tmp_path: Path, kind: str, files: Files) -> Drift:
    """What is found where the leaf runs some files, collected in a folder of its name."""
    (tmp_path / LEAF).mkdir(exist_ok=True)
    for name, text in files.items():
        (tmp_path / LEAF / name).write_text(text)
    return check_running(str(tmp_path), planned(kind), 1)


def texts(drift: Drift) -> list[str]:
    return [f"{f.severity.label}: {f.subject}: {f.text}" for f in drift.checked[0].findings]


def as_eos_shows(text: str) -> str:
    """The same configuration as EOS shows it: with comments, without defaults, with lines of the box."""
    text = re.sub(r"^ +(?:switchport mode access|priority strict)\n|^   no shutdown\n", "", text, flags=re.M)
    head = f"! Command: show running-config\n! device: {LEAF} (DCS-7060DX5-64S, EOS-4.32.1F)\n!\n! boot system x\n!\n"
    more = "transceiver qsfp default-mode 4x10G\n!\nagent KernelFib environment ECMP=1\n!\nenable password $6$secret\n"
    return f"{head}{more}{text}\nend\n"


def as_eos_json(text: str) -> str:
    """`show running-config | json`."""
    root: dict[str, Any] = {}
    inside: list[tuple[int, dict[str, Any]]] = [(-1, root)]
    for line in text.splitlines():
        words, indent = line.strip(), len(line) - len(line.lstrip())
        if not words or words == "!":
            continue
        while inside[-1][0] >= indent:
            inside.pop()
        below: dict[str, Any] = {"cmds": {}, "comments": []}
        inside[-1][1][words] = below
        inside.append((indent, below["cmds"]))
    return json.dumps({"header": [], "comments": [], "cmds": root})


def as_sonic_shows(files: Files) -> str:
    """`show runningconfiguration all`: all tables, with more of them and of their fields, and what FRR runs."""
    tables = json.loads(files["config_db.json"])
    for row in tables["PORT"].values():
        row |= {"dom_polling": "enabled", "tpid": "0x8100"}
    tables["DEVICE_METADATA"]["localhost"]["cloudtype"] = "None"
    more = {"CRM": {"Config": {"polling_interval": "300"}}, "KDUMP": {"config": {"enabled": "false"}}}
    frr = files.get("frr.conf", "")
    raw = f"Building configuration...\n\nCurrent configuration:\n!\nfrr version 8.5.4\n{frr}!\nend\n"
    return json.dumps({**dict(sorted({**tables, **more}.items())), "bgpraw": raw})


def as_nvue_shows(text: str) -> str:
    """`nv config show`: with a header, unused ports in runs."""
    ((item),) = YAML(typ="safe").load(text)
    header = {"header": {"model": "MSN4700", "nvue-api-version": "nvue_v1", "version": "Cumulus Linux 5.15.0"}}
    ports = item["set"]["interface"]
    down = [name for name, row in ports.items() if row == {"type": "swp", "link": {"state": {"down": {}}}}]
    if len(down) > 1:
        shared = ports[down[0]]
        for name in down:
            del ports[name]
        ports[",".join([down[0], *(name.removeprefix("swp") for name in down[1:])])] = shared
    return json.dumps([header, item])


def eos_text() -> str:
    return next(iter(files_of("eos").values()))


def nvue_text() -> str:
    return as_nvue_shows(files_of("cumulus")["startup.yaml"])


def in_a_terminal(command: str, prompt: str, text: str) -> dict[str, str]:
    """A text with the prompt and command before it, and the prompt behind it."""
    return {"session.txt": f"{command}\n{text}\n{prompt}\n"}


SHOWN: dict[str, tuple[str, Callable[[], dict[str, str]]]] = {
    "eos text": ("eos", lambda: {"show_run.txt": as_eos_shows(next(iter(files_of("eos").values())))}),
    "eos in a terminal": ("eos", lambda: in_a_terminal("leaf-01#show running-config", "leaf-01#", eos_text())),
    "eos json": ("eos", lambda: {"run.json": as_eos_json(next(iter(files_of("eos").values())))}),
    "sonic tables": ("sonic", lambda: {"config_db.json": files_of("sonic")["config_db.json"]}),
    "sonic all": ("frr", lambda: {"all.json": as_sonic_shows(files_of("frr"))}),
    "nvue in a terminal": (
        "cumulus",
        lambda: in_a_terminal("cumulus@leaf-01:mgmt:~$ nv config show", "cumulus@leaf-01:mgmt:~$ ", nvue_text()),
    ),
    "nvue": ("cumulus", lambda: {"nv.json": as_nvue_shows(files_of("cumulus")["startup.yaml"])}),
    "startup": ("cumulus", lambda: {"startup.yaml": "# by NVUE\n" + files_of("cumulus")["startup.yaml"]}),
}


@pytest.mark.tenth
@pytest.mark.parametrize("form", SHOWN)
def test_what_is_as_planned_is_known_however_it_is_shown(form: str, tmp_path: Path) -> None:
    kind, files = SHOWN[form]
    if form == "eos json":
        files = {
            "run.json": as_eos_json(
                re.sub(r"^banner.*?^EOF\n", "", next(iter(files_of("eos").values())), flags=re.M | re.S)
            )
        }.copy
    drift = checked(tmp_path, kind, files())
    found = [text for text in texts(drift) if "banner" not in text and "motd" not in text]
    assert not found
    neutral = {"CRM Config", "DEVICE_METADATA localhost", "KDUMP", "KDUMP config", "PORT tpid", "readings of modules"}
    assert (neutral <= drift.checked[0].neutral.keys()) == (form == "sonic all"), drift.checked[0].neutral
    assert "$6$" not in write_report(REPORTS, "text", drift) + write_report(REPORTS, "json", drift)


def _edited(text: str, pattern: str, new: str) -> str:
    edited, count = re.subn(pattern, new, text, count=1, flags=re.M)
    assert count == 1, pattern
    return edited


EOS_FAULTS = {
    r"remote-as \d+": ("remote-as 65099", "the neighbour's AS number is 65099, planned: 42"),
    r"^   mtu 9214$": ("   mtu 1500", "the MTU is 1500, planned: 9214"),
    r"^   neighbor (\S+) remote-as": (r"   neighbor \1 shutdown\n   neighbor \1 remote-as", "is shut down"),
    r"^   neighbor UP route-map \S+ in\n": ("", "takes every prefix: it has no policy"),
    r"^   error-correction encoding reed-solomon\n": ("", "FEC is not there, planned: rs"),
    r"^router bgp (\d{2})": ("vlan 77\n!\nrouter bgp \\1", "VLAN 77: is not planned"),
    r"^ntp server vrf MGMT 10\.16\.0\.30.*\n": ("", "management: time servers"),
    r"no-drop": ("", "no-drop priorities (PFC): missing 3"),
    r"minimum-threshold \d+": ("minimum-threshold 999", "ECN: marked from, kB (or % full) is 999"),
    r"^router bgp (?=4)": (
        "ip route 10.99.0.0/16 10.64.0.0\n!\nrouter bgp ",
        "static route 10.99.0.0/16: is not planned",
    ),
    r"^qos map dscp 56.*\n": ("", "DSCP 56, 57, 58"),
    r"^priority-flow-control pause watchdog \S+ \S+\n": ("", "priority-flow-control pause watchdog action"),
}


@pytest.mark.parametrize("pattern", EOS_FAULTS)
def test_faults_of_eos_are_told(pattern: str, tmp_path: Path) -> None:
    new, told = EOS_FAULTS[pattern]
    text = _edited(next(iter(files_of("eos").values())), pattern, new)
    found = texts(checked(tmp_path, "eos", {"run.cfg": text}))
    assert any(told in line and line.startswith("error") for line in found), found
    assert len(found) < 20


def test_faults_of_sonic_are_told(tmp_path: Path) -> None:
    tables = json.loads(files_of("sonic")["config_db.json"])
    peer = sorted(tables["BGP_NEIGHBOR"])[0]
    tables["BGP_NEIGHBOR"][peer]["admin_status"] = "down"
    port = next(name for name, row in tables["PORT"].items() if row["admin_status"] == "up")
    tables["PORT"][port] |= {"mtu": "1500", "speed": "25000"}
    del tables["PORT_QOS_MAP"][port]["pfc_enable"]
    tables["SYSLOG_SERVER"] = {}
    found = texts(checked(tmp_path, "sonic", {"config_db.json": json.dumps(tables)}))
    for told in (
        "is shut down",
        "the MTU is 1500",
        "the speed, Gb/s is 25",
        "no-drop priorities (PFC): missing 3",
        "syslog collectors",
    ):
        assert any(told in line for line in found), (told, found)


def test_a_session_without_bfd_and_frr_left_out_are_told(tmp_path: Path) -> None:
    files = files_of("frr")
    found = texts(
        checked(tmp_path, "frr", {**files, "frr.conf": _edited(files["frr.conf"], r"^ neighbor \S+ bfd.*\n", "")})
    )
    assert any("has no BFD" in line for line in found), found
    (tmp_path / LEAF / "frr.conf").unlink()
    found = texts(checked(tmp_path, "frr", {"config_db.json": files["config_db.json"]}))
    assert [line.partition(" (")[0] for line in found] == ["error: BGP: no configuration of FRR was collected"]


def test_devices_missing_unknown_and_of_another_nos_are_told(tmp_path: Path) -> None:
    eos = next(iter(files_of("eos").values()))
    (tmp_path / "10.0.0.1.txt").write_text(eos)
    (tmp_path / "other.cfg").write_text(eos.replace(f"hostname {LEAF}", "hostname stranger"))
    (tmp_path / "notes.md").write_text("collected on Monday")
    drift = check_running(str(tmp_path), planned("eos"), 1)
    assert [each.device for each in drift.checked] == [LEAF]
    assert drift.unknown == ((f"{tmp_path}/other.cfg", "stranger"),)
    assert len(drift.missing) == 7
    assert drift.ignored == (f"{tmp_path}/notes.md",)
    assert {finding.severity for finding in drift.list_findings()} == {Severity.WARNING}
    for form in list_formats(REPORTS):
        assert "stranger" in write_report(REPORTS, form, drift)
    other = check_running(str(tmp_path), planned("cumulus"), 1)
    assert texts(other) == ["error: : runs EOS; the plan has Cumulus Linux"]


HOSTILE = {
    "binary": b"\0\1\2" * 1000,
    "deep json": b"[" * 100_000,
    "deep tables": b'{"PORT":' * 2000 + b"1" + b"}" * 2000,
    "wrong shapes": b'{"DEVICE_METADATA": [], "PORT": 7, "BGP_NEIGHBOR": {"x": null}, "VLAN": {"a": {}}}',
    "yaml bomb": b"- set:\n    a: &a {x: 1}\n"
    + b"".join(b"    b%d: &b%d [*%s, *%s, *%s]\n" % (n, n, *(b"b%d" % (n - 1) if n else b"a",) * 3) for n in range(40)),
    "yaml map bomb": b"- set:\n    interface:\n      a0: &a0 {x: 1}\n"
    + b"".join(b"      a%d: &a%d {p: *a%d, q: *a%d, r: *a%d}\n" % (n, n, n - 1, n - 1, n - 1) for n in range(1, 40)),
    "yaml cycle": b"- set: &a\n    interface: *a\n",
    "yaml tag": b"- set: !!python/object/apply:os.system ['true']\n",
    "ranges": b"- set:\n    interface:\n      swp1-999999999999: {type: swp}\n",
    "deep text": b"hostname x\ninterface Ethernet1\n" + b"".join(b" " * n + b"deeper\n" for n in range(1, 3000)),
    "odd eos": b"hostname x\ninterface Ethernet1/1\n mtu 9\ninterface Ethernet1/1\nvlan 1-99999999999\n"
    b"router bgp 1\n neighbor interface Et1-99999999 peer-group X remote-as 1\nbanner motd\n",
    "surrogates": b'{"PORT": {"\\ud800": {"speed": "1000\\u0000"}}}',
    "gzip": b"\x1f\x8b\x08\0junk",
    "empty": b"",
}


@pytest.mark.tenth
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_input_is_told_and_stops_nothing(what: str, tmp_path: Path) -> None:
    (tmp_path / f"{LEAF}.txt").write_bytes(HOSTILE[what])
    (tmp_path / "link").symlink_to("/etc/passwd")
    for kind in ("sonic", "eos", "cumulus"):
        drift = check_running(str(tmp_path), planned(kind), 1)
        assert drift.checked[0].findings
        for form in list_formats(REPORTS):
            assert write_report(REPORTS, form, drift)


def test_a_folder_of_another_cluster_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="FG144"):
        check_running(str(tmp_path), planned("eos"), 1)
    with pytest.raises(InputError, match="FG144"):
        check_running(str(tmp_path / "none"), planned("eos"), 1)


def test_the_command_ends_with_its_verdict(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    built, running = tmp_path / "built", tmp_path / "running"
    fabricgen("build", "blueprints/leaf-spine.yaml", "-o", built, "--only", "configs")
    text = (built / "configs" / LEAF / "config_db.json").read_text()
    (running / LEAF).mkdir(parents=True)
    (running / LEAF / "config_db.json").write_text(text)
    assert fabricgen("check", "--running", running, built).code == 0
    (running / LEAF / "config_db.json").write_text(text.replace('"mtu": "9216"', '"mtu": "1500"'))
    ran = fabricgen("check", "--running", running, built)
    assert ran.code == 1
    assert f"{LEAF}: error: port Ethernet0, port Ethernet12," in ran.out
    assert fabricgen("check", "--running", tmp_path / "none", built).code == 2
    assert fabricgen("check", "--jobs", "2", built).code == 2


@pytest.mark.parametrize("nos", [(), CUMULUS])
def test_secrets_of_sessions_are_neither_compared_nor_printed(nos: tuple[str, ...], tmp_path: Path) -> None:
    """A password that differs from its reference is none; one that is not there is told."""
    plan = RenderedConfigs(cluster_of("two-exits", *nos, "fabrics.compute.exits.wan.password=env:FABRICGEN_X"))
    ((name, files),) = plan.read(["compute-border-01"])
    for change, told in (("hunter2", 0), (None, 1)):
        (tmp_path / name).mkdir(exist_ok=True)
        for file, text in files.items():
            line = r".*password.*FABRICGEN_X.*\n"
            new = re.sub(line, "", text) if change is None else text.replace("<env:FABRICGEN_X>", change)
            (tmp_path / name / file).write_text(new)
        found = texts(check_running(str(tmp_path), plan, 1))
        assert [text.rpartition(": ")[2] for text in found] == ["has no password"] * told


@pytest.mark.slow
def test_files_that_a_build_wrote_beside_those_of_devices_are_not_told(
    tmp_path: Path, fabricgen: Callable[..., Ran]
) -> None:
    """README-sonic.md is no running configuration, and nobody put it there by mistake; other notes may be."""
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    assert fabricgen("build", blueprint, "-o", tmp_path / "built", "--only", "configs", "--jobs", "1").code == 0
    compared = "8 devices compared: 0 errors, 0 warnings, 0 infos\n"
    for folder in (tmp_path / "built", tmp_path / "built/configs"):
        assert fabricgen("check", blueprint, "--running", folder, "--jobs", "1").out == compared
    notes = tmp_path / "built/configs/notes.md"
    notes.write_text("who did what")
    told = fabricgen("check", blueprint, "--running", tmp_path / "built", "--jobs", "1").out
    assert told == f"1 file passed over: {notes}\n{compared}"


def test_a_user_without_password_or_key_is_told_with_its_reason(tmp_path: Path) -> None:
    ((name, text),) = files_of("eos").items()
    found = texts(checked(tmp_path, "eos", {name: f"username eve privilege 15 role network-admin nopassword\n{text}"}))
    assert [line for line in found if "eve" in line and line.endswith("asked for neither a password nor a key")]
    assert not [line for line in found if line.endswith("user eve: is not planned")]


def test_communities_of_traps_are_not_printed(tmp_path: Path) -> None:
    ((name, text),) = files_of("eos").items()
    change = CheckRequest(strict=True)
    (tmp_path / LEAF).mkdir()
    (tmp_path / LEAF / name).write_text(f"snmp-server host 10.0.0.9 version 2c hunter2\n{text}")
    found = texts(check_running(str(tmp_path), planned("eos"), 1, change))
    assert [line for line in found if "snmp-server host 10.0.0.9 <secret>" in line]
    assert "hunter2" not in "".join(found)


def test_a_line_in_the_place_of_another_is_told_as_one_change(tmp_path: Path) -> None:
    """Neither alone is what the switch runs: without its line a DSCP has the class of the factory."""
    ((name, text),) = files_of("eos").items()
    changed = text.replace(" 46 47 to traffic-class 1", " 47 to traffic-class 1")
    changed = changed.replace("qos map dscp 26 to traffic-class 3", "qos map dscp 26 46 to traffic-class 3")
    changed = changed.replace("   error-correction encoding reed-solomon", "   error-correction encoding fire-code", 1)
    assert changed != text
    found = [line for line in texts(checked(tmp_path, "eos", {name: changed})) if line.startswith("error")]
    assert sorted(line.partition(": ")[2] for line in found) == [
        "QoS: DSCP 46 in class 3, planned: 1",
        "port Ethernet1/1: FEC is fc, planned: rs",
    ]
