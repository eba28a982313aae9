"""Phases: published planes, guests and pairs that come later, the commands, and growth between them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import format_lock
from fabricgen.cluster import Cluster
from fabricgen.pipeline import compile_cluster, compile_design
from tests.conftest import BLUEPRINTS, Ran

FabricGen = Callable[..., Ran]
PLANES = str(BLUEPRINTS / "phased-planes.yaml")

SMALL = """\
fabricgen: 1
name: small
scalable_unit: {nodes: 8 x dgx-h100}
pods: {p1: {su: 2}, p2: {su: 1}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: su, count: 2, peer: 2 x 400G}
      spine: {switch: sn5600, count: 4}
  storage: {protocol: ethernet, carried_by: compute, attach: storage, vrf: store, speed: 400G}
routing: {underlay: ebgp-numbered}
nos: sonic
"""


def compile_at(tmp_path: Path, phases: str, phase: str | None, text: str = SMALL) -> Cluster:
    file = tmp_path / "small.yaml"
    file.write_text(f"{text}phases: {phases}\n", encoding="utf-8")
    return compile_cluster(compile_design(str(file)), phase)


def test_planes_are_clos_networks_of_their_own(fabricgen: FabricGen) -> None:
    """Four of eight planes are four whole networks, and leave nothing of the others half done.

    Oracle, "Oracle Acceleron multiplanar network architecture" (blogs.oracle.com/cloud-infrastructure/?p=14046): each
    plane is an independent Clos fabric, and no plane shares the fate of another; an 800G NIC fans out into them
    (?p=15524). That planes run before all switches are there is asked for in NVIDIA/infra-controller, issue 6453.
    """
    final = json.loads(fabricgen("show", PLANES, "--format", "json").out)["fabrics"]["compute"]
    part = json.loads(fabricgen("show", PLANES, "--phase", "april", "--format", "json").out)
    half = part["fabrics"]["compute"]
    assert part["phase"] == "april"
    assert (half["planes"], half["rails"]) == (4, 8)
    assert half["oversubscription"] == final["oversubscription"] == {"leaf": 1}
    for key in ("switches", "links"):
        assert {name: 2 * count for name, count in half[key].items()} == final[key]
    assert half["cables"]["node-leaf"] == final["cables"]["node-leaf"]  # a cable has a leg for each plane


@pytest.mark.slow
def test_the_work_order_of_a_phase_only_adds(fabricgen: FabricGen) -> None:
    for old, new in (("now", "april"), ("april", "end")):
        ran = fabricgen("plan", PLANES, PLANES, "--phase-old", old, "--phase", new, "--format", "json")
        assert ran.code == 1
        counts = json.loads(ran.out)["counts"]
        done = {kind for counts_of_list in counts.values() for kind, number in counts_of_list.items() if number}
        assert done <= {"added", "changed", "leg-added"}
        assert counts["cables"]["changed"] == counts["cables"]["leg-added"]
    unchanged = fabricgen("plan", PLANES, PLANES, "--phase-old", "end")
    assert unchanged.code == 0, unchanged.out


def test_fewer_spines_mean_fewer_uplinks(tmp_path: Path, fabricgen: FabricGen) -> None:
    compile_at(tmp_path, "{now: {switches: {compute.spine: 1}}, end: {}}", None)
    file = str(tmp_path / "small.yaml")
    end = json.loads(fabricgen("show", file, "--format", "json").out)["fabrics"]["compute"]
    now = json.loads(fabricgen("show", file, "--phase", "now", "--format", "json").out)["fabrics"]["compute"]
    assert now["switches"]["spine"] == 1
    assert now["links"]["leaf-spine"] * 4 == end["links"]["leaf-spine"]
    assert now["oversubscription"]["leaf"] == pytest.approx(4 * end["oversubscription"]["leaf"])


def test_a_guest_that_is_not_there_leaves_no_trace_on_its_carrier(tmp_path: Path) -> None:
    phases = "{now: {fabrics: [compute]}, end: {}}"
    now, end = compile_at(tmp_path, phases, "now"), compile_at(tmp_path, phases, "end")
    guests = [{s.fabric for switch in cluster.switches() for s in switch.services} for cluster in (now, end)]
    assert guests == [{"compute"}, {"compute", "storage"}]
    for switch in now.switches():
        assert not any(port.subinterfaces or port.service == "storage" for port in switch.ports)


def test_a_guest_on_ports_of_its_carrier_has_no_vlan_there_before_it_comes(tmp_path: Path) -> None:
    text = (BLUEPRINTS / "host-vlans.yaml").read_text(encoding="utf-8")
    phases = "{now: {fabrics: [inband, files]}, end: {}}"
    now, end = compile_at(tmp_path, phases, "now", text), compile_at(tmp_path, phases, "end", text)
    shared = [
        {p.shared for s in cluster.switches() for p in s.ports if p.service == "inband"} for cluster in (now, end)
    ]
    assert {name for names in shared[0] for name in names} == {"files"}
    assert {name for names in shared[1] for name in names} == {"files", "provision"}


def test_one_switch_of_a_pair_has_no_peer(tmp_path: Path) -> None:
    now = compile_at(tmp_path, "{now: {switches: {compute.leaf: 1}}, end: {}}", "now")
    leaves = [switch for switch in now.switches() if switch.tier.name == "leaf"]
    assert len(leaves) == 3
    assert {port.role for leaf in leaves for port in leaf.ports} == {"host", "up"}


def test_a_build_has_nothing_of_what_is_not_there(tmp_path: Path, fabricgen: FabricGen) -> None:
    compile_at(tmp_path, "{now: {pods: [p1], units: {p1: 1}, switches: {compute.spine: 2}}, end: {}}", None)
    out = tmp_path / "out"
    ran = fabricgen("build", str(tmp_path / "small.yaml"), "--phase", "now", "-o", str(out), "--fail-on", "never")
    assert ran.code == 0, ran.err
    listed = (out / "devices.csv").read_text(encoding="utf-8").splitlines()
    names = {row["device"] for row in csv.DictReader(listed)}
    assert len(names) == 8 + 2 + 2
    configured = {folder.name for folder in (out / "configs").iterdir() if folder.is_dir()}
    assert configured == {name for name in names if "compute" in name}
    for file in out.rglob("*"):
        text = file.read_text(encoding="utf-8") if file.is_file() and file.suffix in (".csv", ".json", ".conf") else ""
        assert "spine-03" not in text
        assert "su02" not in text
        assert "p2-" not in text


def test_the_lock_is_that_of_the_end(tmp_path: Path) -> None:
    """A lock written at a phase, and then growth in the next: nothing of what is there is renumbered."""
    phases = "{now: {units: {p1: 1}, pods: [p1]}, end: {}}"
    now = compile_at(tmp_path, phases, "now")
    lock = format_lock(now.lock)
    assert lock == format_lock(compile_at(tmp_path, phases, None).lock)
    (tmp_path / "small.lock.yaml").write_text(lock, encoding="utf-8")
    grown = compile_at(tmp_path, phases, "now", SMALL.replace("p2: {su: 1}", "p2: {su: 1}, p3: {su: 1}"))
    assert grown.names == now.names
    assert grown.addresses.loopback.tolist() == now.addresses.loopback.tolist()


@pytest.mark.parametrize("command", ["show", "lint", "bom", "wiring", "plan", "build"])
def test_an_unknown_phase_is_refused(command: str, tmp_path: Path, fabricgen: FabricGen) -> None:
    more = {"plan": [PLANES], "build": ["-o", str(tmp_path / "out")]}.get(command, [])
    ran = fabricgen(command, PLANES, *more, "--phase", "aprill")
    assert ran.code == 2
    text = ran.out + ran.err
    assert "FG095" in text
    assert "did you mean 'april'?" in text
