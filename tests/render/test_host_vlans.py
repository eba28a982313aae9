"""Several fabrics on one host port: VLANs of switch ports in the words of each NOS, and interfaces of hosts.

NVIDIA's DGX BasePOD has in-band and Ethernet storage on the same two ports of a system, port 2 of slots 1 and 2, each
to another SN4600C (docs.nvidia.com/dgx-basepod/deployment-guide-dgx-basepod/latest/network-overview.html). Words:
sonic-vlan.yang (`tagging_mode`), Arista EOS user manual (`switchport trunk`), and Cumulus Linux user guide, VLAN-aware
Bridge Mode (`untagged`, and `vlan` of a bridge port).
"""

from __future__ import annotations

import csv
import io
import json
from ipaddress import ip_interface
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from tests.conftest import BLUEPRINTS, built_files, example_cluster

EXAMPLE = "host-vlans"
LEAF = "configs/inband-leaf-01"
CARRIER_TAGGED = ("fabrics.inband.host_ports=tagged", "fabrics.files.host_ports=untagged")
EOS = ("nos=eos", "fabrics.inband.tiers.leaf.switch=7060dx5-32")


def _built(*sets: str, parts: str = "configs") -> dict[str, str]:
    return {name: text.decode() for name, text in built_files(example_cluster(EXAMPLE, *sets), parts).items()}


@pytest.mark.parametrize(
    ("sets", "untagged", "tagged"), [((), 100, (200, 300)), (CARRIER_TAGGED, 200, (100, 300))], ids=["usual", "tagged"]
)
def test_each_nos_has_the_vlans(sets: tuple[str, ...], untagged: int, tagged: tuple[int, ...]) -> None:
    members = json.loads(_built(*sets)[f"{LEAF}/config_db.json"])["VLAN_MEMBER"]
    first = {key: row["tagging_mode"] for key, row in members.items() if key.endswith("|Ethernet0")}
    modes = {untagged: "untagged", **dict.fromkeys(tagged, "tagged")}
    assert first == {f"Vlan{vlan}|Ethernet0": mode for vlan, mode in modes.items()}

    eos = _built(*sets, *EOS)[f"{LEAF}/inband-leaf-01.cfg"]
    assert (
        f"   switchport trunk native vlan {untagged}\n"
        f"   switchport trunk allowed vlan {untagged},{tagged[0]},{tagged[1]}\n"
        "   switchport mode trunk\n   spanning-tree portfast\n"
    ) in eos

    text = _built(*sets, "nos=cumulus")[f"{LEAF}/startup.yaml"]
    (port,) = [
        port["bridge"]["domain"]["br_default"]
        for item in YAML(typ="safe").load(text)
        for name, port in item.get("set", {}).get("interface", {}).items()
        if name == "swp1"
    ]
    assert (port["untagged"], set(port["vlan"])) == (untagged, {str(vlan) for vlan in modes})


def test_extra_devices_have_ports_of_their_own() -> None:
    """16 ports of nodes are in three VLANs, 4 of management servers in one."""
    members = [
        key for n in (1, 2) for key in json.loads(_built()[f"configs/inband-leaf-0{n}/config_db.json"])["VLAN_MEMBER"]
    ]
    assert [sum(key.startswith(f"Vlan{vlan}|") for key in members) for vlan in (100, 200, 300)] == [20, 16, 16]


def test_both_ports_of_a_basepod_system_go_to_another_switch() -> None:
    rows = list(csv.DictReader(io.StringIO(_built(parts="links")["links.csv"])))
    mine = {(row["a_port"], row["b_device"]) for row in rows if row["a_device"] == "p1-su01-n001"}
    assert mine == {("SLOT1P2", "inband-leaf-01"), ("SLOT2P2", "inband-leaf-02")}


def test_a_node_has_the_same_number_in_every_vlan() -> None:
    rows = list(csv.DictReader(io.StringIO(_built(parts="addresses")["addresses.csv"])))
    found: dict[tuple[str, str], set[int]] = {}
    for row in rows:
        if row["kind"] == "host" and row["device"].startswith("p1"):
            address = ip_interface(row["prefix"])
            number = int(address) - int(address.network.network_address)
            found.setdefault((row["device"], row["port"].split(".")[0]), set()).add(number)
    assert len(found) == 16
    assert all(len(numbers) == 1 for numbers in found.values())


def test_a_vlan_more_moves_no_address(tmp_path: Path) -> None:
    """What was there stays, and no lock is needed: 16 ports and two gateways come, and a pair on each peer link."""
    text = (BLUEPRINTS / f"{EXAMPLE}.yaml").read_text()
    found = []
    for kept in (text, text[: text.index("  provision:")] + text[text.index("nos:") :]):
        file = tmp_path / "cluster.yaml"
        file.write_text(kept)
        made = built_files(build_cluster(build_design(load_blueprint(str(file)))), "addresses")
        found.append(set(made["addresses.csv"].decode().splitlines()))
    assert found[1] < found[0]
    assert len(found[0] - found[1]) == 16 + 2 + 2 * 8


def test_hosts_have_an_interface_for_each_tagged_vlan() -> None:
    text = _built(*CARRIER_TAGGED, parts="hosts")["hosts/p1-su01-n001/60-fabric.yaml"]
    network = YAML(typ="safe").load(text)["network"]
    assert sorted(network["vlans"]) == ["SLOT1P2.100", "SLOT1P2.300", "SLOT2P2.100", "SLOT2P2.300"]
    assert (network["vlans"]["SLOT1P2.100"]["id"], network["vlans"]["SLOT1P2.100"]["link"]) == (100, "SLOT1P2")
    assert [via["to"] for via in network["vlans"]["SLOT1P2.100"]["routes"]] == ["default"]
    assert network["ethernets"]["SLOT1P2"]["routes"][0]["to"] != "default"
