"""Ansible reads the inventory as the plan, and its playbook compares; it pushes when told to, and what differs only."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.lab import machine
from fabricgen.lab.files import Build
from tests.conftest import BLUEPRINTS, Ran, built_files, example_cluster, require
from tests.render import frr_lab

pytestmark = pytest.mark.daemon

HALL = Path(__file__).parent / "hall"
GOLDEN = Path(__file__).parent.parent / "golden" / "dual-stack" / "blueprint.yaml"
CUMULUS_LEAVES = ("--set", "fabrics.compute.nos.leaf=cumulus")
LEAF = "compute-leaf-p1-su01-r1-01"
LAB = tuple(
    word
    for change in ("routing.underlay=ebgp-unnumbered", "pods.p1.su=1", "fabrics.compute.tiers.spine.count=2")
    for word in ("--set", change)
)
RUNNING = {"sonic": "sonic/config_db.json", "eos": "running.cfg", "cumulus": "nvue.d/startup.yaml"}
"""What switches of the hall run, below /etc; frr.conf beside it."""


def ansible(program: str, folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """One of Ansible's programs, with its home in the folder and the plug-ins of the hall."""
    found = Path(sys.executable).parent / f"ansible-{program}"
    require("" if found.exists() else "Ansible is missing: `pip install -e '.[dev]'` to run the playbook")
    bins = [str(found.parent), os.environ["PATH"]]
    environment = {
        "PATH": ":".join(bins),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": ":".join(sys.path),
        "ANSIBLE_CONNECTION_PLUGINS": str(HALL / "connection"),
        "ANSIBLE_PIPELINING": "1",
        "HALL": str(folder / "hall"),
        "ANSIBLE_COLLECTIONS_PATH": str(HALL / "collections"),
        "ANSIBLE_NOCOLOR": "1",
        **more,
    }
    return subprocess.run(
        [str(found), "-i", str(folder / "out" / "ansible" / "inventory.yaml"), *arguments],
        cwd=folder, env=environment, text=True, capture_output=True, check=False, timeout=300,
    )  # fmt: skip


def test_ansible_reads_the_inventory_as_the_plan(tmp_path: Path) -> None:
    """Every device with its address, and in the groups of all that devices.csv says of it; no name is complained of."""
    files = built_files(example_cluster("superpod-b200"), "ansible", "devices")
    inventory = tmp_path / "out" / "ansible" / "inventory.yaml"
    inventory.parent.mkdir(parents=True)
    inventory.write_bytes(files["ansible/inventory.yaml"])
    read = ansible("inventory", tmp_path, "--list")
    assert (read.returncode, read.stderr) == (0, "")
    listed = json.loads(read.stdout)
    known, members = listed.pop("_meta")["hostvars"], {name: set(of.get("hosts", ())) for name, of in listed.items()}
    rows = list(csv.DictReader(files["devices.csv"].decode().splitlines()))
    assert set(known) == {row["device"] for row in rows}
    for row in rows:
        name, told = row.pop("device"), {key: text for key, text in row.items() if text}
        address, own = told.pop("mgmt", None), known[name]["plan"].pop("bmc", None)
        if address and told["tier"] == "node" and told["model"] != "ufm":  # which has no other port
            assert own == address != known[name]["ansible_host"], "Ansible would log in to the BMC"
        else:
            assert known[name].get("ansible_host") == (address or told.get("loopback"))
        assert known[name]["plan"] == told
        fabric, su = told.get("fabric"), told.get("su")
        groups = {f"fabric_{fabric}", f"tier_{fabric}_{told['tier']}"} if fabric else {"nodes"}
        groups |= {f"{key}_{told[key]}" for key in ("site", "pod", "rail", "plane", "nos") if key in told}
        groups |= {f"unit_{told['pod']}_{su}"} if su else set()
        groups |= {"configured"} if told.get("nos") in RUNNING else set()
        assert {group for group, of in members.items() if name in of} == {re.sub(r"\W", "_", g) for g in groups}


def switch(folder: Path, row: dict[str, str]) -> Path:
    """Make a switch of the hall, which runs what is planned; return its /etc."""
    etc, configs = folder / "hall" / row["mgmt"] / "etc", folder / "out" / "configs" / row["device"]
    running = etc / RUNNING[row["nos"]]
    running.parent.mkdir(parents=True)
    for name in ("passwd", "group"):
        shutil.copy(f"/etc/{name}", etc)
    planned = [file for file in configs.iterdir() if file.name != "frr.conf"]
    shutil.copy(planned[0], running)
    if row["nos"] == "sonic":
        (etc / "sonic" / "frr").mkdir()
        shutil.copy(configs / "frr.conf", etc / "sonic" / "frr")
    return etc


def test_the_playbook_finds_what_frr_runs_otherwise(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    """Switches of a lab, with FRR running: the playbook tells the session whose AS number somebody changed by hand,
    finds the other switch as planned, and changes nothing.
    """
    require(machine.explain_lack())
    out, switches = tmp_path / "out", (LEAF, "compute-spine-01")
    for parts in ((), ("--only", "hosts,ansible")):
        assert fabricgen("build", BLUEPRINTS / "leaf-spine.yaml", "-o", out, *LAB, *parts).code == 0
    build = Build({file.relative_to(out).as_posix(): file.read_text() for file in out.rglob("*") if file.is_file()})
    with frr_lab.short_folder() as folder, frr_lab.lab(build, folder) as lab:
        for name in switches:
            etc = switch(tmp_path, build.devices[name])
            (etc / "netns-of-lab").write_text(lab.spaces[name])
            (etc / "sockets-of-lab").write_text(str(folder / name))
            (etc / "name-in-lab").write_text(name)
        change = (f"router bgp {build.devices[LEAF]['asn']}", "neighbor Ethernet224 remote-as 65099")
        lab.ask_frr(LEAF, "configure terminal", *change)
        compared = ansible("playbook", tmp_path, *playbook(out), ",".join(["localhost", *switches]))
        assert change[1] in lab.ask_frr(LEAF, "show running-config")
    assert compared.returncode == 2, compared.stdout
    assert f"1 differ from the plan, -e push=true pushes it: {LEAF}" in compared.stdout
    spine = build.devices["compute-spine-01"]["asn"]
    told = f"session Ethernet224 (to compute-spine-01 Ethernet0): the neighbour's AS number is 65099, planned: {spine}"
    assert told in compared.stdout, compared.stdout


def playbook(out: Path) -> tuple[str, ...]:
    """The playbook of a build, for switches of the hall: what it is limited to follows."""
    variables = f"ansible_connection=hall ansible_become=false ansible_python_interpreter={sys.executable}"
    return str(out / "ansible" / "configs.yaml"), "-e", variables, "--limit"


def test_the_playbook_pushes_when_told_to_what_differs_only(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    probe = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "true"], capture_output=True, check=False
    )
    require("" if probe.returncode == 0 else f"the playbook is tried in namespaces, as root: {probe.stderr.decode()}")
    for parts in ((), ("--only", "ansible")):
        assert fabricgen("build", GOLDEN, "-o", tmp_path / "out", *CUMULUS_LEAVES, *parts).code == 0
    chosen = {
        "compute-leaf-p1-su01-rg1-01": ("cumulus", "port swp3s0: the MTU is 1500, planned: 9216"),
        "oob-leaf-01": ("sonic", "port Ethernet1: the MTU is 1500, planned: 9216"),
        "compute-spine-01": ("eos", "port Ethernet1/1: the MTU is 1500, planned: 9214"),
        "compute-spine-02": ("eos", ""),
    }
    rows = {row["device"]: row for row in csv.DictReader((tmp_path / "out" / "devices.csv").read_text().splitlines())}
    hall = {name: switch(tmp_path, rows[name]) for name in chosen}
    files = {name: hall[name] / RUNNING[nos] for name, (nos, _) in chosen.items()}
    planned = {name: file.read_text() for name, file in files.items()}
    for name, (_, fault) in chosen.items():
        files[name].write_text(re.sub(r"\b921[46]\b", "1500", planned[name]) if fault else planned[name])

    pushed = ansible(
        "playbook", tmp_path, *playbook(tmp_path / "out"), ",".join(["localhost", *chosen]), "-e", "push=true"
    )
    assert pushed.returncode == 0, pushed.stdout
    told = [fault for _, fault in chosen.values() if fault]
    assert [fault for fault in told if fault not in pushed.stdout] == []
    assert {name: file.read_text() for name, file in files.items()} == planned
    calls = {name: (etc / "calls").read_text().splitlines() for name, etc in hall.items() if (etc / "calls").exists()}
    assert calls == {
        "compute-leaf-p1-su01-rg1-01": [
            "nv config replace /etc/nvue.d/fabricgen.yaml",
            "nv config apply --assume-yes",
            "nv config save",
        ],
        "oob-leaf-01": ["config reload -y", "config save -y", "systemctl restart bgp"],
    }
    recap = dict(re.findall(r"^(\S+) +: ok=\d+ +changed=(\d+)", pushed.stdout, re.MULTILINE))
    assert recap.pop("compute-spine-02") == recap.pop("localhost") == "0"
    assert all(int(changed) for changed in recap.values())
    assert (tmp_path / "out" / "ansible" / "running").stat().st_mode & 0o777 == 0o700
