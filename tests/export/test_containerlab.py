"""The lab is the plan: its nodes, links and ports, as containerlab's schema and the images ask for them."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from jsonschema.validators import validator_for
from ruamel.yaml import YAML

from fabricgen.export import containers
from tests.conftest import BLUEPRINTS, Ran, built_files, example_cluster

EOS = ("nos=eos", "fabrics.compute.tiers.leaf.switch=7060dx5-64s", "fabrics.compute.tiers.spine.switch=7060dx5-64s")
CUMULUS = ("nos=cumulus",)
INTERFACES = {"sonic-vs": r"eth[1-9]\d*", "arista_ceos": r"eth[1-9]\d*", "nvidia_cumulusvx": r"swp[1-9]\d*"}
LABS = [("leaf-spine", ()), ("leaf-spine", EOS), ("leaf-spine", CUMULUS), ("monday", ()), ("bonded-pair", ())]


class Lab:
    """A build of an example with its lab, read."""

    def __init__(self, name: str, sets: tuple[str, ...]) -> None:
        self.files = built_files(example_cluster(name, *sets), "configs", "containerlab", "devices", "links")
        self.topology: Any = YAML(typ="safe").load(self.files[f"containerlab/{name}.clab.yaml"].decode())
        self.nodes: dict[str, Any] = self.topology["topology"]["nodes"]
        self.kinds: dict[str, Any] = self.topology["topology"]["kinds"]

    def rows(self, path: str) -> list[dict[str, str]]:
        return list(csv.DictReader(self.files[path].decode().splitlines()))

    def bound(self, node: str) -> dict[str, str]:
        """Paths in the build that a node is given, by where it has them."""
        kind = self.kinds[self.nodes[node]["kind"]]
        told = [*kind.get("binds", ()), *([f"{kind['startup-config']}:startup"] if "startup-config" in kind else ())]
        pairs = (bind.replace("__clabNodeName__", node).split(":")[:2] for bind in told)
        return {there: os.path.normpath(PurePosixPath("containerlab", here)) for here, there in pairs}


@pytest.fixture(scope="module", params=LABS, ids=lambda lab: "-".join((lab[0], *lab[1][:1])))
def lab(request: pytest.FixtureRequest) -> Lab:
    return Lab(*request.param)


def test_nodes_and_links_are_those_of_the_plan(lab: Lab) -> None:
    """Each link but those of BMCs and management ports, under names that the kind takes and no other port has."""
    port = {(row["device"], row["interface"]): row["port"] for row in lab.rows("containerlab/ports.csv")}
    assert len(port) == len(lab.rows("containerlab/ports.csv"))
    assert set(lab.nodes) == {row["device"] for row in lab.rows("devices.csv")}
    wired = [[tuple(end.split(":")) for end in link["endpoints"]] for link in lab.topology["topology"]["links"]]
    for device, interface in (end for both in wired for end in both):
        form = INTERFACES.get(lab.nodes[device]["kind"], r"(?!eth0$)[\w.-]+")
        assert re.fullmatch(form, interface), (device, interface)
        assert len(interface) < 16
    found = {tuple((device, port[device, interface]) for device, interface in both) for both in wired}
    planned = {((r["a_device"], r["a_port"]), (r["b_device"], r["b_port"])) for r in lab.rows("links.csv")}
    fabrics = {row["fabric"]: row["b_device"] for row in lab.rows("links.csv")}
    assert found <= planned
    for (a, a_port), (b, b_port) in planned - found:
        assert "oob" in fabrics
        assert b.startswith("oob-"), (a, a_port, b, b_port)
        assert lab.nodes[a]["kind"] == "linux" or a_port in ("eth0", "Management1"), (a, a_port)


def test_what_nodes_are_given_is_in_the_build(lab: Lab) -> None:
    folders = {str(parent) for path in lab.files for parent in PurePosixPath(path).parents}
    for node in lab.nodes:
        for path in lab.bound(node).values():
            assert path in lab.files or path in folders, (node, path)


def test_sonic_has_the_lanes_of_its_configuration() -> None:
    """By SONiC's start.sh: an interface has the lanes of lanemap.ini, and the port is the one with these lanes."""
    found = Lab("leaf-spine", ())
    port = {(row["device"], row["interface"]): row["port"] for row in found.rows("containerlab/ports.csv")}
    switches = [name for name, told in found.nodes.items() if told["kind"] == "sonic-vs"]
    assert switches
    for name in switches:
        ports = json.loads(found.files[f"configs/{name}/config_db.json"])["PORT"]
        given = {PurePosixPath(there).name: found.files.get(here) for there, here in found.bound(name).items()}
        lane_map, table = given["lanemap.ini.orig"], given["port_config.ini.orig"]
        assert lane_map is not None
        assert table is not None
        lanes = dict(line.split(":") for line in lane_map.decode().splitlines())
        assert {port[name, eth]: of for eth, of in lanes.items()} == {
            key: fields["lanes"] for key, fields in ports.items() if fields["admin_status"] == "up"
        }
        listed = [line.split()[:2] for line in table.decode().splitlines()[1:]]
        assert listed == [[port[name, eth], of] for eth, of in lanes.items()]


def test_eos_has_the_ports_of_its_configuration() -> None:
    found = Lab("leaf-spine", EOS)
    for name in (name for name, told in found.nodes.items() if told["kind"] == "arista_ceos"):
        mapping = json.loads(found.files[found.bound(name)["/mnt/flash/EosIntfMapping.json"]])
        text = found.files[found.bound(name)["startup"]].decode()
        addressed = set(re.findall(r"^interface (Ethernet\S+)\n(?:   .*\n)*?   ip address", text, re.MULTILINE))
        assert addressed
        assert addressed <= set(mapping["EthernetIntf"].values())
        assert mapping["ManagementIntf"] == {"eth0": "Management1"}


def test_nodes_answer_from_the_port_that_was_asked() -> None:
    told = Lab("leaf-spine", ()).nodes["p1-su01-n001"]["exec"]
    assert told[:3] == [
        "ip address add 10.128.0.1/31 dev eth1",
        "ip rule add from 10.128.0.1 table 1001",
        "ip route add default via 10.128.0.0 dev eth1 table 1001",
    ]


def test_the_topology_is_what_containerlab_takes(lab: Lab) -> None:
    """By what we write; by the schema of containerlab where CLAB_SCHEMA names its file."""
    assert set(lab.topology) == {"name", "topology"}
    assert {told["kind"] for told in lab.nodes.values()} == set(lab.kinds)
    for told in lab.nodes.values():
        assert set(told) <= {"kind", "labels", "exec"}
    hold_to_schema(lab.topology)


def hold_to_schema(topology: object) -> None:
    """Hold a topology to the schema of containerlab where CLAB_SCHEMA names its file."""
    if official := os.environ.get("CLAB_SCHEMA"):
        schema = json.loads(Path(official).read_text())
        assert [error.message for error in validator_for(schema)(schema).iter_errors(topology)] == []


FRR = [("leaf-spine", EOS), ("leaf-spine", ())]


@pytest.mark.daemon
@pytest.mark.parametrize(("name", "sets"), FRR, ids=["eos", "sonic"])
def test_frr_runs_what_switches_route(name: str, sets: tuple[str, ...], vtysh: str, tmp_path: Path) -> None:
    """FRR takes each frr.conf; its neighbours are at the far ends of links, and addresses at interfaces there are."""
    files = built_files(example_cluster(name, *sets), "containerlab-frr", "addresses")
    topology = YAML(typ="safe").load(files[f"containerlab-frr/{name}.clab.yaml"].decode())
    hold_to_schema(topology)
    nodes, groups = topology["topology"]["nodes"], topology["topology"]["groups"]
    ports = csv.DictReader(files["containerlab-frr/ports.csv"].decode().splitlines())
    at = {(row["device"], row["interface"]): row["port"] for row in ports}
    far = {}
    for link in topology["topology"]["links"]:
        a, b = ((device, at[device, interface]) for device, interface in (end.split(":") for end in link["endpoints"]))
        far[a], far[b] = b, a
    assert set(far) == set(zip((device for device, _ in at), at.values(), strict=True))
    addresses: dict[tuple[str, str], set[str]] = {}
    for row in csv.DictReader(files["addresses.csv"].decode().splitlines()):
        addresses.setdefault((row["device"], row["port"]), set()).add(row["prefix"].partition("/")[0])
    switches = [device for device, told in nodes.items() if told["group"] == "switches"]
    for device in switches:
        bound = [bind.replace("__clabNodeName__", device).split(":")[0] for bind in groups["switches"]["binds"]]
        assert {f"containerlab-frr/{path}" for path in bound} <= set(files)
        text = files[f"containerlab-frr/{device}/frr.conf"].decode()
        (tmp_path / "frr.conf").write_text(text)
        taken = subprocess.run([vtysh, "-C", "-f", tmp_path / "frr.conf"], capture_output=True, text=True, check=False)
        assert taken.returncode == 0, taken.stdout
        near = {far[device, port] for (of, _), port in at.items() if of == device}
        known = {address for end in near for address in addresses.get(end, ())}
        peers = set(re.findall(r"^ neighbor (\d\S+) remote-as", text, re.MULTILINE))
        assert peers
        assert peers & known
        used = {line.split(" dev ")[1].split()[0] for line in nodes[device]["exec"] if " dev " in line} - {"lo"}
        assert used <= {interface for of, interface in at if of == device}
    assert {int(n) for n in re.findall(rb"maximum-paths (\d+)", b"".join(files.values()))} <= set(range(65))


def test_a_cluster_beyond_any_lab_is_refused(
    fabricgen: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "MOST_DEVICES", 15)
    out = tmp_path / "out"
    ran = fabricgen("build", BLUEPRINTS / "leaf-spine.yaml", "-o", out, "--only", "containerlab")
    assert (ran.code, out.exists()) == (2, False)
    assert "error[FG156]: a containerlab topology has at most 15 devices, and this cluster has 16" in ran.err
    assert "leaf-spine.yaml:7:7: error[FG156]" in ran.err
