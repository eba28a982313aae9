"""Bonds as vendors publish them.

Source: NVIDIA DGX BasePOD deployment guide (docs.nvidia.com/dgx-basepod/deployment-guide-dgx-basepod/latest/
network-deploy.html and network-overview.html): MLAG between two SN4600C over swp63 and swp64, of type `peerlink`, with
`peerlink.4094` and `peer-ip linklocal`, a MAC of 44:38:39:ff:00:00 and following, and a backup address; a virtual
router address for each network beside an address of each switch; every DGX system (ports 2 of slots 1 and 2) and
management server is dual-homed to both by a bond. Five management servers: DGX BasePOD reference architecture.
"""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML

from tests.conftest import built_files, example_cluster

SYSTEMS, SERVERS = 8, 5


def _tree(number: int) -> dict[str, Any]:
    made = built_files(example_cluster("bonded-pair"), "configs")[f"configs/inband-leaf-0{number}/startup.yaml"]
    tree: dict[str, Any] = YAML(typ="safe").load(made.decode())[0]["set"]
    return tree


def test_the_pair_of_a_basepod() -> None:
    for number, other in ((1, 2), (2, 1)):
        tree = _tree(number)
        interfaces, mlag = tree["interface"], tree["mlag"]
        assert set(interfaces["peerlink"]["bond"]["member"]) == {"swp63", "swp64"}
        assert interfaces["peerlink"]["type"] == "peerlink"
        assert interfaces["peerlink.4094"]["base-interface"] == "peerlink"
        assert mlag["peer-ip"] == "linklocal"
        assert mlag["mac-address"].startswith("44:38:39:ff:")
        assert mlag["mac-address"] == _tree(other)["mlag"]["mac-address"]
        gateway = interfaces["vlan100"]["ipv4"]
        assert gateway["vrr"] == _tree(other)["interface"]["vlan100"]["ipv4"]["vrr"]
        assert set(gateway["address"]).isdisjoint(_tree(other)["interface"]["vlan100"]["ipv4"]["address"])


def test_every_system_of_a_basepod_is_on_both_switches() -> None:
    ids = [
        {row["bond"]["mlag"]["id"] for row in _tree(number)["interface"].values() if row["type"] == "bond"}
        for number in (1, 2)
    ]
    assert ids[0] == ids[1]
    assert len(ids[0]) == SYSTEMS + SERVERS
    netplan = built_files(example_cluster("bonded-pair"), "hosts")["hosts/p1-su01-n001/60-fabric.yaml"].decode()
    assert YAML(typ="safe").load(netplan)["network"]["bonds"]["bond-inband"]["interfaces"] == ["SLOT1P2", "SLOT2P2"]
