"""A switch in maintenance: what its files say on each NOS, and that real traffic leaves it before it goes."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.lab.fabric import Lab, wait_until
from fabricgen.lab.files import Build, Link, kernel_name
from fabricgen.lint.engine import lint
from fabricgen.switch.model import list_differences
from fabricgen.verify.drift.checking import check_running
from fabricgen.verify.drift.planned import RenderedConfigs
from tests.parity.switches import first, read, switches_of, wanted
from tests.render import frr_lab
from tests.render.frr_lab import settled
from tests.render.lab_files import built
from tests.render.rendered import ALL_EOS, BFD, DUAL, STATIC, UNNUMBERED, cluster_of

SPINE, LEAF = "compute-spine-01", "compute-leaf-p1-su01-r1-01"
DRAINED = f"config_of.{SPINE}.maintenance=true"
NOSES = {"eos": ALL_EOS, "sonic": (), "frr": BFD, "cumulus": ("nos=cumulus",)}
WORDS = {
    "eos": ("set community 65535:0 additive", "set as-path prepend ", "send-community"),
    "sonic": ('"tsa_enabled": "true"',),
    "frr": (" set community 65535:0 additive", " set as-path prepend "),
    "cumulus": ("graceful-shutdown: enabled", "as-path-prepend: {as: "),
}


@pytest.mark.tenth
@pytest.mark.parametrize("more", [(), DUAL, UNNUMBERED], ids=["v4", "dual", "unnumbered"])
@pytest.mark.parametrize("nos", NOSES)
def test_a_switch_is_drained_and_no_other(nos: str, more: tuple[str, ...]) -> None:
    sets = (*NOSES[nos], *more, DRAINED, f"config_of.{LEAF}.maintenance=true")
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        found = read(switch, files)
        assert not list(list_differences(found, wanted(cluster, switch))), first(
            list_differences(found, wanted(cluster, switch))
        )
        assert found.drained == (switch.name in (SPINE, LEAF))
        said = any(word in text for text in files.values() for word in WORDS[nos] if more != UNNUMBERED)
        assert said == (found.drained and more != UNNUMBERED)


def test_half_a_drain_is_none() -> None:
    sets = (*BFD, DRAINED)
    switch, files = next(each for each in switches_of("leaf-spine", sets) if each[0].name == SPINE)
    half = files["frr.conf"].replace(" set community 65535:0 additive\n", "", 1)
    with pytest.raises(ValueError, match="drains some"):
        read(switch, {**files, "frr.conf": half})
    whole = cluster_of("leaf-spine", *sets)
    assert not replace(wanted(whole, switch), drained=False).drained
    static = cluster_of("leaf-spine", *STATIC, DRAINED)
    for switch, files in switches_of("leaf-spine", (*STATIC, DRAINED)):
        assert not list(list_differences(read(switch, files), wanted(static, switch)))


def judged(*sets: str) -> dict[str, str]:
    cluster = cluster_of("leaf-spine", *sets)
    return {d.code: d.message for d in lint(cluster.design, cluster).findings if d.code in ("FG744", "FG745")}


def test_lint_says_who_is_in_maintenance_and_who_loses_a_nic() -> None:
    assert judged(DRAINED) == {"FG745": f"{SPINE} is in maintenance; all figures of the design count it"}
    both = judged(f"config_of.{LEAF}.maintenance=true")
    assert re.match(rf"\d+ nodes lose a port each, or more, when {LEAF} goes", both["FG744"])


@pytest.mark.daemon
def test_traffic_leaves_a_drained_spine_before_it_goes(short_path: Path) -> None:
    """Routes over it vanish while its sessions stay up; it is then unplugged, and no ping is ever lost."""
    sets = (*UNNUMBERED, "fabrics.compute.tiers.spine.count=2", "pods.p1.su=1")
    build, drained = Build(built("leaf-spine", *sets)), Build(built("leaf-spine", *sets, DRAINED))
    leaf, other = (name for name in build.switches if "leaf" in name)
    far = build.devices[other]["loopback"]
    over = {(link.a if link.a.device == leaf else link.b).port for link in build.links if _joins(link, leaf, SPINE)}

    with frr_lab.lab(build, short_path) as lab:
        assert not settled(lab, build, lambda found: not found)

        def ways() -> set[str]:
            (route,) = json.loads(lab.ask_frr(leaf, f"show ip route {far}/32 json")).values()
            return {hop["interfaceName"] for hop in route[0]["nexthops"] if hop.get("fib")}

        assert over & ways()
        source = build.devices[leaf]["loopback"]
        command = ["ip", "netns", "exec", lab.spaces[leaf], "ping", "-i", "0.02", "-w", "900", "-I", source, far]
        answers = [short_path / f"ping{number}" for number in range(4)]
        pings = [_started(command, file) for file in answers]
        wait_until(lambda: all(map(_answered, answers)), "every ping is answered")
        file = short_path / "drained.conf"
        file.write_text(drained.make_frr_config(SPINE))
        lab.run(SPINE, "vtysh", "--vty_socket", str(short_path / SPINE), "-f", str(file))
        wait_until(lambda: bool(ways()) and not ways() & over, "routes stay on the drained spine")
        summary = json.loads(lab.ask_frr(SPINE, "show bgp ipv4 unicast summary json"))
        assert {peer["state"] for peer in summary["peers"].values()} == {"Established"}
        for end in {end for link in build.links for end in (link.a, link.b) if end.device == SPINE}:
            lab.run(SPINE, "ip", "link", "set", kernel_name(end.port), "down")
        before = [len(_answered(file)) for file in answers]
        wait_until(lambda: all(len(_answered(f)) > n + 25 for f, n in zip(answers, before, strict=True)), "pings go on")
        for ping, file in zip(pings, answers, strict=True):
            assert ping.poll() is None, "it ended before the spine was gone"
            ping.kill()
            ping.wait()
            answered = _answered(file)
            assert answered == [*range(1, len(answered) + 1)], "an answer was lost"

        running, plan = short_path / "running", RenderedConfigs(cluster_of("leaf-spine", *sets))
        assert judged_as_shown(lab, leaf, running, plan) == []
        link = next(link for link in build.links if _joins(link, leaf, SPINE))
        port, asn = link.a.port, build.devices[leaf]["asn"]
        lab.ask_frr(leaf, "configure terminal", f"router bgp {asn}", f"neighbor {port} shutdown")
        assert judged_as_shown(lab, leaf, running, plan) == [
            f"session {port} (to {link.b.device} {link.b.port}): is shut down"
        ]


def _started(command: list[str], file: Path) -> subprocess.Popen[bytes]:
    with file.open("wb") as output:
        return subprocess.Popen(command, stdout=output)


def _answered(file: Path) -> list[int]:
    """The numbers of the pings that were answered; a line that is not whole yet is left out."""
    return sorted(map(int, re.findall(r"icmp_seq=(\d+) .*\n", file.read_text())))


def judged_as_shown(lab: Lab, device: str, folder: Path, plan: RenderedConfigs) -> list[str]:
    """What `check --running` says of a switch by what its real FRR shows, and its tables as they were built.

    FRR shows the name of the machine, which all switches of a lab share.
    """
    own = folder / device
    own.mkdir(parents=True, exist_ok=True)
    shown = lab.ask_frr(device, "show running-config")
    (own / "frr.txt").write_text(re.sub("^hostname .*$", f"hostname {device}", shown, flags=re.M))
    (own / "config_db.json").write_text(lab.build.files[f"configs/{device}/config_db.json"])
    (found,) = check_running(str(folder), plan, 1).checked
    return [f"{each.subject}: {each.text}" for each in found.findings]


def _joins(link: Link, one: str, other: str) -> bool:
    return {link.a.device, link.b.device} == {one, other}
