"""Links that running configurations tell, in the kinds in which published designs have them (docs/adopt.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.adopt.configurations import Configurations, gather_configurations
from fabricgen.adopt.facts import End
from fabricgen.adopt.gathering import gather_facts
from fabricgen.kernel.diagnostics import InputError

JUNOS = """\
system { host-name %s; }
interfaces {
%s
}
"""
JUNOS_PORT = """    %s {
        description "%s";
        unit 0 { family inet { address %s; } }
    }
"""


def write_junos(folder: Path, host: str, *ports: tuple[str, str, str]) -> None:
    """A switch whose ports have a description and an address each."""
    file = folder / f"{host}.conf"
    file.write_text(JUNOS % (host, "".join(JUNOS_PORT % port for port in ports)), encoding="utf-8")


def list_ends(configurations: Configurations) -> set[tuple[End, End]]:
    return {(link.a, link.b) for link in configurations.configured.links}


def test_descriptions_and_subnets_of_two_addresses_join_ports(tmp_path: Path) -> None:
    """As Apstra describes them: the far end in any capitals; one of hosts with its port, and one without."""
    write_junos(
        tmp_path,
        "GPU-R1-L1",
        ("et-0/0/0:0", "facing_spine1:et-0/0/0:0", "10.0.2.1/31"),
        ("et-0/0/1:0", "VRF tenant-1 to H100-01", "10.200.0.1/31"),
        ("et-0/0/2", "to.head-01:eth0", "10.200.0.3/31"),
        ("et-0/0/3", "10.0.2.9", "10.0.2.8/31"),
    )
    write_junos(
        tmp_path,
        "spine1",
        ("et-0/0/0:0", "facing_gpu-r1-l1:et-0/0/0:0", "10.0.2.0/31"),
        ("et-0/0/7", "", "10.0.2.9/31"),
    )
    read = gather_configurations(str(tmp_path))
    assert list_ends(read) == {
        (End("GPU-R1-L1", "et-0/0/0:0"), End("spine1", "et-0/0/0:0")),
        (End("GPU-R1-L1", "et-0/0/2"), End("head-01", "eth0")),
        (End("GPU-R1-L1", "et-0/0/3"), End("spine1", "et-0/0/7")),
    }
    assert read.configured.notes == ()


def test_a_description_that_contradicts_a_subnet_is_told(tmp_path: Path) -> None:
    write_junos(tmp_path, "leaf1", ("et-0/0/0", "spine1 et-0/0/5", "10.0.2.1/31"))
    write_junos(tmp_path, "spine1", ("et-0/0/4", "leaf1 et-0/0/0", "10.0.2.0/31"), ("et-0/0/5", "", "10.0.9.0/31"))
    read = gather_configurations(str(tmp_path))
    assert list_ends(read) == {(End("leaf1", "et-0/0/0"), End("spine1", "et-0/0/4"))}
    told = "leaf1 port et-0/0/0 is described as joined to spine1 port et-0/0/5"
    assert read.configured.notes == (f"{told}, and its subnet joins it to spine1 port et-0/0/4",)


def test_lists_come_before_configurations_and_dumps_stand_alone(tmp_path: Path) -> None:
    write_junos(tmp_path, "leaf1", ("et-0/0/0", "", "10.0.2.1/31"), ("et-0/0/1", "n1 eth0", "10.0.3.1/31"))
    write_junos(tmp_path, "spine1", ("et-0/0/4", "", "10.0.2.0/31"))
    configured = gather_configurations(str(tmp_path)).configured
    cables = tmp_path / "cables.csv"
    cables.write_text("device,port,neighbor,neighbor_port\nleaf1,et-0/0/1,n2,eth0\n", encoding="utf-8")
    facts = gather_facts([], [str(cables)], configured=configured)
    assert [link[:2] for link in facts.links] == [
        (End("leaf1", "et-0/0/0"), End("spine1", "et-0/0/4")),
        (End("leaf1", "et-0/0/1"), End("n2", "eth0")),
    ]
    assert facts.notes == ("1 links are those that descriptions and subnets in configurations tell",)
    facts = gather_facts([str(cables)], configured=configured, jobs=1)
    assert [link[:2] for link in facts.links] == [(End("leaf1", "et-0/0/1"), End("n2", "eth0"))]


NVUE = """\
- header: {nvue-api-version: nvue_v1, version: Cumulus Linux 5.4.0}
- set:
    system: {hostname: leaf01}
    bridge: {domain: {br_default: {type: vlan-aware}}}
    interface:
      bond1: {bond: {member: {swp3: {}}}, type: bond}
      swp1: {type: swp}
    router: {bgp: {enable: on}}
    vrf: {default: {router: {bgp: {enable: on, autonomous-system: 65101, neighbor: {swp1: {type: unnumbered}}}}}}
"""


def test_members_of_bonds_and_vlans_that_nvue_leaves_to_defaults_are_read(tmp_path: Path) -> None:
    (tmp_path / "leaf01").mkdir()
    (tmp_path / "leaf01" / "startup.yaml").write_text(NVUE, encoding="utf-8")
    read = gather_configurations(str(tmp_path))
    (switch,) = read.switches.values()
    assert (read.facts.notes, switch.model.interfaces["swp3"].bond) == ((), 1)


GROUPS = """\
- set:
    system: {hostname: leaf01}
    bridge: {domain: {br_default: {type: vlan-aware}}}
    interface: {swp51: {type: swp}, swp52: {type: swp}, swp53: {type: swp}, swp54: {type: swp}}
    router: {bgp: {enable: on}}
    vrf:
      default:
        router:
          bgp:
            enable: on
            autonomous-system: 65101
            router-id: 10.10.10.1
            address-family: {ipv4-unicast: {enable: on}, l2vpn-evpn: {enable: on}}
            neighbor:
              swp51: {peer-group: underlay, type: unnumbered}
              swp52: {peer-group: inner, type: unnumbered}
              swp53: {peer-group: core, type: unnumbered}
              swp54: {peer-group: core, type: unnumbered, remote-as: 65199}
            peer-group:
              underlay: {remote-as: external, address-family: {l2vpn-evpn: {enable: on}}}
              inner: {remote-as: internal}
              core: {remote-as: 65100}
      RED:
        evpn: {enable: on, vni: {'4001': {}}}
        router: {bgp: {enable: on, autonomous-system: 65101, address-family: {ipv4-unicast: {enable: on}}}}
"""
"""As NVIDIA exports its designs (berkinkartal/cumulus_ansible_modules, evpn_symmetric): AS numbers at groups, IPv4 and
EVPN on the sessions of links, derived route targets, and no AS number above the VRFs.
"""


def test_members_of_groups_have_the_remote_as_of_their_group(tmp_path: Path) -> None:
    """`external` is any number but the own one, which is not told: 0."""
    (tmp_path / "startup.yaml").write_text(GROUPS, encoding="utf-8")
    (switch,) = gather_configurations(str(tmp_path)).switches.values()
    assert not any(text.startswith(("BGP", "remote-as")) for text in switch.unread), switch.unread
    bgp = switch.model.bgp[""]
    assert {name: (peer.remote_asn, set(peer.families)) for name, peer in bgp.peers.items()} == {
        "swp51": (0, {"v4"}),
        "swp52": (65101, {"v4"}),
        "swp53": (65100, {"v4"}),
        "swp54": (65199, {"v4"}),
    }
    assert (bgp.asn, switch.model.bgp["RED"].asn) == (65101, 65101)


DOT = """\
graph vx {
 "leaf01" [function="leaf"]
 "air" [function="fake"]
 "leaf01":"swp1" -- "spine01":"swp1" [left_mac="44:38:39:00:00:01"]
 leaf01:swp2 -- server01:eth1
 "leaf01":"swp9" -- "air":"eth1"
}
"""


def test_a_topology_of_ptm_is_a_list_of_cables(tmp_path: Path) -> None:
    file = tmp_path / "topology.dot"
    file.write_text(DOT, encoding="utf-8")
    assert [link[:2] for link in gather_facts([], [str(file)]).links] == [
        (End("leaf01", "swp1"), End("spine01", "swp1")),
        (End("leaf01", "swp2"), End("server01", "eth1")),
    ]
    file.write_text("graph empty {\n}\n", encoding="utf-8")
    with pytest.raises(InputError, match="this graph joins no ports"):
        gather_facts([], [str(file)])


@pytest.mark.slow
def test_configurations_alone_give_the_page(tmp_path: Path, fabricgen: Any) -> None:
    """Descriptions of ours name both ends of each link, those of nodes among them."""
    page, found = "blueprints/leaf-spine.yaml", tmp_path / "found.yaml"
    assert fabricgen("build", page, "-o", tmp_path / "was").code == 0
    told = ("--configs", tmp_path / "was/configs", "--netbox", tmp_path / "was/devices.csv")
    ran = fabricgen("adopt", *told, "--name", "leaf-spine", "-o", found)
    assert (ran.code, ran.err) == (0, ""), ran.out
    assert fabricgen("build", found, "-o", tmp_path / "is").code == 0
    for file in ("devices.csv", "links.csv"):
        assert (tmp_path / "is" / file).read_bytes() == (tmp_path / "was" / file).read_bytes()
