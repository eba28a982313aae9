"""Bonds of hosts: LACP to one switch in the words of each NOS, and the bond in the files of hosts.

Words: sonic-portchannel.yang (`PORTCHANNEL`, `PORTCHANNEL_MEMBER`), Arista EOS user manual (`channel-group`,
`lacp timer`), NVUE Command Reference of Cumulus Linux (`bond member`, `bond lacp-rate`), netplan reference (`bonds`).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.plan.configuration.fg737_mclag_not_in_image import MclagNotInImage
from fabricgen.phases.tables import build_at_phase
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.running.tree import UnknownTextError
from fabricgen.switch.model import Switch, list_differences
from fabricgen.views.model.ports import model_bonds
from tests.conftest import BLUEPRINTS, built_files, example_cluster, example_design
from tests.parity.switches import first, read, rendered, wanted
from tests.render.nvue_model import faults
from tests.render.rendered import EVPN_PAIRS, EVPN_PAIRS_CUMULUS, EVPN_PAIRS_JUNOS, EVPN_PAIRS_SONIC

EXAMPLE, LEAF = "host-vlans", "configs/inband-leaf-01"
ONE_SWITCH = (
    "fabrics.inband.bond=node",
    "fabrics.inband.tiers.leaf={switch: sn4600c}",
    "fabrics.files.vrf=default",
    "fabrics.provision.vrf=default",
)
EOS = ("nos=eos", "fabrics.inband.tiers.leaf.switch=7060dx5-32")
NOS = {"sonic": (), "eos": EOS, "cumulus": ("nos=cumulus",)}
CARRIER_TAGGED = ("fabrics.inband.host_ports=tagged", "fabrics.files.host_ports=untagged")


def _built(*sets: str, parts: str = "configs") -> dict[str, str]:
    return {name: text.decode() for name, text in built_files(example_cluster(EXAMPLE, *sets), parts).items()}


def _addresses(*sets: str) -> set[tuple[str, str, str]]:
    rows = csv.DictReader(io.StringIO(_built(*ONE_SWITCH, *sets, parts="addresses")["addresses.csv"]))
    return {(row["device"], row["port"], row["prefix"]) for row in rows if row["kind"] == "host"}


@pytest.mark.parametrize("tagged", [(), CARRIER_TAGGED], ids=["usual", "tagged"])
@pytest.mark.parametrize("nos", NOS)
def test_both_ends_of_every_bond_agree(nos: str, tagged: tuple[str, ...]) -> None:
    cluster = example_cluster(EXAMPLE, *ONE_SWITCH, *NOS[nos], *tagged)
    ((switch, files),) = rendered(cluster)
    found = read(switch, files)
    assert not first(list_differences(found, wanted(cluster, switch)))
    far = {port.name: (port.peer, port.peer_port) for port in switch.ports}
    ports = {frozenset(far[port] for port in bond.members) for bond in found.bonds.values()}
    hosts = built_files(cluster, "hosts")
    in_files = set()
    for name in {name.split("/")[1] for name in hosts}:
        network = YAML(typ="safe").load(hosts[f"hosts/{name}/60-fabric.yaml"].decode())["network"]
        ((bond, row),) = network["bonds"].items()
        assert row["parameters"] == {
            "mode": "802.3ad",
            "lacp-rate": "fast",
            "mii-monitor-interval": 100,
            "transmit-hash-policy": "layer3+4",
        }
        assert bond == "bond-inband"
        assert not any("addresses" in network["ethernets"][port] for port in row["interfaces"])
        in_files.add(frozenset((name, port) for port in row["interfaces"]))
        vlans = {row["id"] for row in network.get("vlans", {}).values() if row["link"] == bond}
        (own,) = (b for b in found.bonds.values() if far[min(b.members)][0] == name)
        assert vlans == own.tagged_vlans
    assert in_files == ports
    assert len(ports) == 10


def test_a_bond_has_the_number_of_its_first_port() -> None:
    table = json.loads(_built(*ONE_SWITCH)[f"{LEAF}/config_db.json"])
    assert [key for key in table["PORTCHANNEL_MEMBER"] if key.startswith("PortChannel3|")] == [
        "PortChannel3|Ethernet12",
        "PortChannel3|Ethernet8",
    ]
    assert "mtu" not in table["PORT"]["Ethernet8"]
    eos = _built(*ONE_SWITCH, *EOS)[f"{LEAF}/inband-leaf-01.cfg"]
    assert "   channel-group 1 mode active\n   lacp timer fast\n" in eos
    assert (
        "interface Port-Channel1\n   description p1-su01-n001 bond of inband\n   mtu 9214\n"
        "   switchport trunk native vlan 100\n   switchport trunk allowed vlan 100,200,300\n"
        "   switchport mode trunk\n   spanning-tree portfast\n   no shutdown\n"
    ) in eos


def test_a_bond_has_one_address_for_each_fabric() -> None:
    node = {(port, prefix) for device, port, prefix in _addresses() if device == "p1-su01-n001"}
    assert {port for port, _ in node} == {"bond-inband", "bond-inband.200", "bond-inband.300"}
    assert len(node) == 3


def test_nodes_more_move_nothing() -> None:
    assert _addresses() < _addresses("pods.p1={su: 1}", "scalable_unit.nodes=12 x dgx-b200")


def test_a_bond_has_the_name_that_the_blueprint_gives_it() -> None:
    named = "names.interfaces.dgx-b200={bond-inband: bond0, SLOT1P2: ens1}"
    made = _built(*ONE_SWITCH, named, parts="hosts")["hosts/p1-su01-n001/60-fabric.yaml"]
    network = YAML(typ="safe").load(made)["network"]
    assert network["bonds"]["bond0"]["interfaces"] == ["ens1", "SLOT2P2"]
    assert set(network["vlans"]) == {"bond0.200", "bond0.300"}


def test_nics_of_one_port_are_no_bonds() -> None:
    """ConnectX-7 with two ports: of the DGX B200's storage NICs, slots 1 and 2, each has one in-band."""
    with pytest.raises(InputError, match="no NIC has two ports in inband"):
        example_cluster(EXAMPLE, "fabrics.inband.bond=nic", *ONE_SWITCH[1:])


def test_ports_of_each_nic_are_a_bond(tmp_path: Path) -> None:
    """Alibaba HPN: both ports of each of eight NICs, one to each of two switches of its rail (SIGCOMM 2024)."""
    file = tmp_path / "nics.yaml"
    leaf = "{switch: 7060x6-64pe, per: [su, rail], count: 2, spread: stripe, peer: 2 x 400G}"
    file.write_text(
        "fabricgen: 1\nname: nics\nscalable_unit: {nodes: 4 x hpn-node}\nnos: eos\nfabrics:\n"
        f"  compute: {{protocol: roce, hosts: bridged, bond: nic, tiers: {{leaf: {leaf}}}}}\n",
        encoding="utf-8",
    )
    cluster = build_cluster(build_design(load_blueprint(str(file))))
    made = built_files(cluster, "hosts")["hosts/p1-su01-n001/60-fabric.yaml"]
    bonds = YAML(typ="safe").load(made.decode())["network"]["bonds"]
    assert {name: bond["interfaces"] for name, bond in bonds.items()} == {
        f"bond-compute-{nic}": [f"NIC{nic}P1", f"NIC{nic}P2"] for nic in range(1, 9)
    }
    for switch, files in rendered(cluster, 2):
        found = read(switch, files)
        assert not first(list_differences(found, wanted(cluster, switch)))
        assert {bond.mlag_id for bond in found.bonds.values()} == set(found.bonds)
        assert len(found.bonds) == 4


def test_a_phase_has_the_bonds_of_its_nodes() -> None:
    sets = (*ONE_SWITCH, "pods.p1={su: 2}", "phases={now: {units: {p1: 1}}, end: {}}")
    now, whole = build_at_phase(example_design(EXAMPLE, *sets), "now"), example_cluster(EXAMPLE, *sets)
    assert len(model_bonds(whole.switch(whole.switch_rows()[0]))) == 18
    bonds = {n: bond.description for n, bond in model_bonds(now.switch(now.switch_rows()[0])).items()}
    assert len(bonds) == 10
    every = model_bonds(whole.switch(whole.switch_rows()[0]))
    assert bonds.items() <= {n: bond.description for n, bond in every.items()}.items()
    small, large = (built_files(cluster, "addresses")["addresses.csv"].decode() for cluster in (now, whole))
    assert set(small.splitlines()) < set(large.splitlines())


PAIR = "bonded-pair"
EOS_PAIR = (
    "nos=eos",
    "fabrics.oob.nos=cumulus",
    *(f"fabrics.{name}.tiers.leaf.switch=7060dx5-32" for name in ("inband", "storage")),
)
PAIR_ON = {"cumulus": (), "eos": EOS_PAIR, "sonic": ("fabrics.inband.nos=sonic",)}
UNDERLAYS = {"": (), "unnumbered": ("routing.underlay=ebgp-unnumbered",), "dual": ("ip=dual",), "v6": ("ip=v6",)}


@pytest.mark.tenth
@pytest.mark.parametrize("underlay", UNDERLAYS)
@pytest.mark.parametrize("nos", ["cumulus", "eos", "sonic"])
def test_both_switches_of_a_pair_agree(nos: str, underlay: str) -> None:
    """BasePOD: two switches, of which each system has a port on both; 2 x 100G between them."""
    cluster = example_cluster(PAIR, *PAIR_ON[nos], *UNDERLAYS[underlay])
    read_back = {}
    for switch, files in rendered(cluster):
        found = read_back[switch.name] = read(switch, files)
        assert not first(list_differences(found, wanted(cluster, switch))), switch.name
    one, two = (read_back[f"inband-leaf-0{n}"] for n in (1, 2))
    assert one.pair
    assert two.pair
    assert one.pair.name == two.pair.name
    assert len(one.pair.members) == len(two.pair.members) == 2
    assert one.pair.vlans.keys() == two.pair.vlans.keys()
    assert one.bonds.keys() == two.bonds.keys()
    for number, bond in one.bonds.items():
        other = two.bonds[number]
        assert bond.mlag_id == other.mlag_id == number
        same = ("access_vlan", "tagged_vlans", "mtu", "description", "admin_up")
        assert [getattr(bond, key) for key in same] == [getattr(other, key) for key in same]
        assert len(bond.members) == len(other.members) == 1
    assert len(one.bonds) == 8 + 5
    for vlan, here in one.vlans.items():
        there = two.vlans[vlan]
        assert here.gateways == there.gateways
        assert bool(here.own) == (nos != "sonic")
        assert not here.own & there.own
    assert {bond.mlag_id for bond in read_back["storage-leaf-01"].bonds.values()} == {0}
    assert len(read_back["storage-leaf-01"].bonds) == 8


def test_a_pair_has_one_subnet_and_one_gateway() -> None:
    rows = list(csv.DictReader(io.StringIO(built_files(example_cluster(PAIR), "addresses")["addresses.csv"].decode())))
    of_inband = [row for row in rows if row["port"] in ("Vlan100", "bond-inband")]
    subnets = {ip_interface(row["prefix"]).network for row in of_inband}
    assert len(subnets) == 1
    gateways = {row["prefix"] for row in of_inband if row["kind"] == "gateway"}
    assert len(gateways) == 1
    mine = [row["prefix"] for row in of_inband if row["kind"] != "gateway"]
    assert len(mine) == len(set(mine)) == 2 + 8 + 5
    assert not gateways & set(mine)
    netplan = built_files(example_cluster(PAIR), "hosts")["hosts/p1-su01-n001/60-fabric.yaml"].decode()
    (gateway,) = gateways
    assert f'via: "{gateway.partition("/")[0]}"' in netplan


def test_units_more_move_nothing_of_a_pair() -> None:
    made = []
    for su in (1, 2):
        text = built_files(example_cluster(PAIR, f"pods.p1.su={su}"), "addresses")["addresses.csv"].decode()
        made.append({line for line in text.splitlines() if ",link," not in line})
    assert made[0] < made[1]
    numbers = [
        {n: bond.description for n, bond in model_bonds(cluster.switch(cluster.names.index("inband-leaf-01"))).items()}
        for cluster in (example_cluster(PAIR), example_cluster(PAIR, "pods.p1.su=2"))
    ]
    assert numbers[0].items() <= numbers[1].items()
    assert len(numbers[1]) == 16 + 5


SONIC_PAIR = (*PAIR_ON["sonic"], "fabrics.inband.tiers.leaf.pair=mclag")


@pytest.mark.parametrize("underlay", UNDERLAYS)
def test_the_tables_of_a_sonic_pair_are_sonics(underlay: str) -> None:
    """sonic-mclag.yang; sonic-net/SONiC, doc/mclag: one bond name on both, unique addresses in the VLAN of the two."""
    cluster = example_cluster(PAIR, *SONIC_PAIR, *UNDERLAYS[underlay])
    sides = []
    for switch, files in rendered(cluster):
        if switch.name.startswith("inband-leaf"):
            tables = json.loads(files["config_db.json"])
            assert not list(check_config_db(tables, cluster.design.catalog))
            sides.append(tables)
    one, two = sides
    ((domain, row),), ((other, far),) = one["MCLAG_DOMAIN"].items(), two["MCLAG_DOMAIN"].items()
    assert domain == other
    assert (row["source_ip"], row["peer_ip"], row["peer_link"]) == (far["peer_ip"], far["source_ip"], far["peer_link"])
    assert one["MCLAG_INTERFACE"] == two["MCLAG_INTERFACE"]
    assert "Vlan4094" in one["MCLAG_UNIQUE_IP"]
    assert one["FEATURE"]["iccpd"] == {"state": "enabled"}
    hosts = [k for k in one["VLAN_INTERFACE"] if "|" in k and k.partition("|")[0] not in one["MCLAG_UNIQUE_IP"]]
    assert set(hosts) <= set(two["VLAN_INTERFACE"])
    assert ("own" in built_files(cluster, "addresses")["addresses.csv"].decode()) is False


LINKS_UP = (
    "fabrics.inband.tiers.spine={switch: sn4600c, count: 2}",
    "fabrics.inband.tiers.leaf.uplinks=2 x 100G",
)
IN_VRFS = {
    "vrfs": (),
    "dual": ("ip=dual",),
    "v6": ("ip=v6",),
    "unnumbered": ("ip=dual", "routing.underlay=ebgp-unnumbered"),
    "tenant": ("tenants={blue: {nodes: [p1/su-1]}}",),
    "tenant-of-one-switch": ("ip=dual", "tenants={blue: {nodes: [p1/su-1/node-1]}}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", IN_VRFS.values(), ids=IN_VRFS)
def test_vrfs_of_a_sonic_pair_pass_in_vlans_of_the_peer_link(case: tuple[str, ...]) -> None:
    """MCLAG_Enhancements_HLD.md, 2.1.9: in a VLAN of hosts the two are one; beside it each has an address in it."""
    cluster = example_cluster(PAIR, *SONIC_PAIR, *LINKS_UP, *case)
    read_back, tables = [], []
    for switch, files in rendered(cluster):
        if switch.name.startswith("inband-leaf"):
            read_back.append(read(switch, files))
            assert not first(list_differences(read_back[-1], wanted(cluster, switch))), switch.name
            tables.append(json.loads(files["config_db.json"]))
            assert not list(check_config_db(tables[-1], cluster.design.catalog))
    one, two = read_back
    assert one.pair
    assert two.pair
    assert one.pair.vlans.keys() == two.pair.vlans.keys()
    assert one.pair.vlans.keys().isdisjoint(one.vlans)
    between = {vrf: addresses for vrf, addresses in one.pair.vlans.values() if vrf}
    assert {"files"} <= between.keys() == one.vrfs
    listed = {
        (row["device"], row["port"], row["prefix"])
        for row in csv.DictReader(io.StringIO(built_files(cluster, "addresses")["addresses.csv"].decode()))
    }
    for side, far in ((one, two), (two, one)):
        assert side.pair
        assert far.pair
        for vlan, (vrf, addresses) in side.pair.vlans.items():
            other_vrf, others = far.pair.vlans[vlan]
            assert vrf == other_vrf
            assert addresses.isdisjoint(others)
            assert {ip_interface(a).network for a in addresses} == {ip_interface(a).network for a in others}
            if vrf:
                assert {text.partition("/")[0] for text in others} <= side.bgp[vrf].peers.keys()
                assert {(side.hostname, f"Vlan{vlan}", address) for address in addresses} <= listed
    assert all(f"Vlan{vlan}" in tables[0]["MCLAG_UNIQUE_IP"] for vlan in one.pair.vlans)


def test_a_lock_keeps_the_vlans_of_a_pairs_vrfs(tmp_path: Path, fabricgen: Callable[..., Any]) -> None:
    """A VRF that comes later, and sorts first, takes a VLAN of its own."""
    file = tmp_path / "cluster.yaml"
    text = (BLUEPRINTS / f"{PAIR}.yaml").read_text(encoding="utf-8")
    edits = {"    bond: node": "    bond: node\n    nos: sonic", "peer: 2 x 100G": "peer: 2 x 100G, pair: mclag"}
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new, 1)
    more = "  archive: {protocol: ethernet, carried_by: inband, host_ports: tagged, vlan: 300}\n  files:"
    found = []
    for changed in (text, text.replace("  files:", more, 1)):
        file.write_text(changed, encoding="utf-8")
        assert fabricgen("lock", str(file)).code == 0
        found.append(dict(build_design(load_blueprint(str(file))).peer_vlans))
    assert set(found[0]) == {"files", "oob"}
    assert found[0].items() < found[1].items()
    assert len(set(found[1].values())) == len(found[1])


def test_vrfs_over_evpn_need_no_vlan_of_the_peer_link() -> None:
    """The two have an EVPN session with each other, as with switches above."""
    cluster = example_cluster(PAIR, *SONIC_PAIR, *LINKS_UP, "routing.overlay=evpn")
    for switch, files in rendered(cluster):
        if switch.name.startswith("inband-leaf"):
            found = read(switch, files)
            assert not first(list_differences(found, wanted(cluster, switch))), switch.name
            assert found.pair
            assert set(found.pair.vlans) == {4094}
            assert switch.overlay
            assert switch.pair
            assert switch.pair.mate in {peer.description for peer in switch.overlay.peers.values()}


TENANTS = ("tenants={blue: {nodes: [p1/su-1]}, red: {nodes: [p1/su-2/node-1]}}",)


@pytest.mark.slow
@pytest.mark.parametrize("tenants", [(), TENANTS], ids=["", "tenants"])
@pytest.mark.parametrize(
    "sets",
    [EVPN_PAIRS, EVPN_PAIRS_CUMULUS, EVPN_PAIRS_SONIC, EVPN_PAIRS_JUNOS],
    ids=["eos", "cumulus", "sonic", "junos"],
)
def test_both_switches_of_a_segment_agree(sets: tuple[str, ...], tenants: tuple[str, ...]) -> None:
    """RFC 7432, section 8: both have the segment of a bond, and the route target of its VLAN; no others have either."""
    cluster = example_cluster("evpn-guests", *sets, *tenants)
    sides: dict[str, list[Switch]] = {}
    for switch, files in rendered(cluster, 4):
        found = read(switch, files)
        assert not first(list_differences(found, wanted(cluster, switch))), switch.name
        if "startup.yaml" in files:
            (item,) = YAML(typ="safe").load(files["startup.yaml"])
            assert not list(faults(item["set"]))
        if "config_db.json" in files:
            assert not check_config_db(json.loads(files["config_db.json"]), cluster.design.catalog)
        if switch.is_lowest:
            sides.setdefault(switch.multihomed, []).append(found)
    assert len(sides) == 2
    segments, targets = [], []
    for one, two in sides.values():
        assert {n: bond.segment for n, bond in one.bonds.items()} == {n: bond.segment for n, bond in two.bonds.items()}
        assert all(bond.segment for bond in one.bonds.values())
        assert {n: vlan.gateways for n, vlan in one.vlans.items()} == {n: v.gateways for n, v in two.vlans.items()}
        assert all(vlan.anycast or vlan.own for vlan in one.vlans.values())
        assert one.overlay
        assert two.overlay
        for vlan, own in one.overlay.vlans.items():
            far = two.overlay.vlans[vlan]
            assert (own.vni, own.targets) == (far.vni, far.targets)
            assert own.distinguisher != far.distinguisher
        assert any(port.tracked for port in one.interfaces.values())
        segments += [bond.segment for bond in one.bonds.values()]
        targets += [target for own in one.overlay.vlans.values() for target in own.targets]
    assert len(segments) == len(set(segments))
    assert len(targets) == len(set(targets)) == (8 if tenants else 4)


def test_sonic_has_the_segments_of_cumulus_linux() -> None:
    """RFC 7432, section 5, type 3: a MAC and a number, of the tables and of FRR there, and of NVUE here."""
    found: dict[str, set[tuple[int, str, str]]] = {}
    for sets in (EVPN_PAIRS_SONIC, EVPN_PAIRS_CUMULUS):
        for switch, files in rendered(example_cluster("evpn-guests", *sets), 4):
            bonds = read(switch, files).bonds if switch.multihomed else {}
            found.setdefault(switch.nos, set()).update((n, bond.segment, switch.name) for n, bond in bonds.items())
            for number, bond in bonds.items() if switch.nos == "sonic" else ():
                tables = json.loads(files["config_db.json"])
                row = tables["EVPN_ETHERNET_SEGMENT"][f"PortChannel{number}"]
                assert row == {"df_pref": "32767", "esi": "AUTO", "type": "TYPE_3_MAC_BASED"}
                assert tables["PORTCHANNEL"][f"PortChannel{number}"]["system_mac"] == bond.segment
                lines = f"interface PortChannel{number}\n evpn mh es-id {number}\n evpn mh es-sys-mac {bond.segment}\n"
                assert lines in files["frr.conf"]
    assert found["sonic"]
    assert len(found["sonic"]) == len(found["cumulus"])
    assert {(n, mac) for n, mac, _ in found["sonic"]} == {(n, mac) for n, mac, _ in found["cumulus"]}


def test_segments_of_sonic_are_no_mclag() -> None:
    """Lint asks for an image with ICCPd of MLAG pairs alone."""
    assert not list(MclagNotInImage().check(example_cluster("evpn-guests", *EVPN_PAIRS_SONIC)))
    peers = ("fabrics.compute.tiers.leaf.pair=null", "fabrics.compute.tiers.leaf.peer=2 x 400G")
    assert len(list(MclagNotInImage().check(example_cluster("evpn-guests", *EVPN_PAIRS_SONIC, *peers)))) == 1


BROKEN_SEGMENTS = {
    "another-mac": ("frr.conf", r"es-sys-mac 02:\S+", "es-sys-mac 02:00:00:00:00:99", "segments are"),
    "another-number": ("frr.conf", r"evpn mh es-id \d+", "evpn mh es-id 99", "segments are"),
    "another-wait": ("frr.conf", "startup-delay 300", "startup-delay 180", "180 s of FRR"),
    "no-vni": ("frr.conf", r"  vni \d+\n   rd .*\n.*\n.*\n  exit-vni\n", "", "VNIs of VLANs are"),
    "no-uplink": ("frr.conf", " evpn mh uplink\n", "", "tracked: False, wanted True"),
    "no-mac-of-gateways": ("config_db.json", '"gateway_mac"', '"mac"', "no MAC in common"),
    "no-gateway": ("config_db.json", '"static_anycast_gateway": "true"', '"vrf_name": ""', "anycast: False"),
    "another-type": ("config_db.json", '"df_pref": "32767"', '"df_pref": "1"', "of another type"),
}


@pytest.mark.parametrize("case", BROKEN_SEGMENTS.values(), ids=BROKEN_SEGMENTS)
def test_a_broken_segment_of_sonic_is_noticed(case: tuple[str, str, str, str]) -> None:
    file, old, new, said = case
    cluster = example_cluster("evpn-guests", *EVPN_PAIRS_SONIC)
    switch, files = next((switch, files) for switch, files in rendered(cluster, 2) if switch.multihomed)
    text, count = re.subn(old, new, files[file], count=1)
    assert count == 1
    try:
        found = "\n".join(list_differences(read(switch, {**files, file: text}), wanted(cluster, switch)))
    except UnknownTextError as error:
        found = str(error)
    assert said in found


REFUSED = {
    "no-overlay": ("routing.overlay=null", "no overlay"),
    "peer-links": ("fabrics.compute.tiers.leaf.peer=2 x 400G", "peer links"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_multihoming_that_is_not_written_is_refused(case: tuple[str, ...]) -> None:
    *more, said = case
    with pytest.raises(InputError, match=f"(?s)FG099.*{said}"):
        example_cluster("evpn-guests", *EVPN_PAIRS, *more)


def test_a_phase_has_the_pair_and_the_bonds_of_its_nodes() -> None:
    sets = ("pods.p1.su=2", "phases={now: {units: {p1: 1}}, end: {}}")
    now, whole = build_at_phase(example_design(PAIR, *sets), "now"), example_cluster(PAIR, *sets)
    for cluster, bonds in ((now, 8 + 5), (whole, 16 + 5)):
        switch = cluster.switch(cluster.names.index("inband-leaf-02"))
        assert switch.pair
        assert switch.pair.mate == "inband-leaf-01"
        assert len(model_bonds(switch)) == bonds
        assert all(bond.mlag_id for bond in model_bonds(switch).values())


def test_cables_as_built_keep_the_bond_and_its_number() -> None:
    """A cable in another port of the switch, and the two ports of a node exchanged."""
    exchanged = ("'p1-su01-n002:SLOT1P2': {a_cage: SLOT2P2}", "'p1-su01-n002:SLOT2P2': {a_cage: SLOT1P2}")
    moved = f"cable_of={{'p1-su01-n001:SLOT1P2': {{b_cage: '30'}}, {', '.join(exchanged)}}}"
    planned, built = example_cluster(PAIR), example_cluster(PAIR, moved)
    bonds = [
        {n: (bond.description, list(bond.members)) for n, bond in model_bonds(switch).items()}
        for cluster in (planned, built)
        for switch in cluster.switches()
        if switch.name == "inband-leaf-01"
    ]
    assert bonds[1] == bonds[0] | {1: (bonds[0][1][0], ["swp30"])}
    listed = [built_files(cluster, "addresses")["addresses.csv"] for cluster in (planned, built)]
    assert listed[0] == listed[1]


def test_a_lock_keeps_what_bonds_have(tmp_path: Path, fabricgen: Callable[..., Any]) -> None:
    """A node fewer, a unit and a fabric more: with a lock, hosts and gateways keep their addresses."""
    file = tmp_path / "cluster.yaml"
    text = (BLUEPRINTS / f"{PAIR}.yaml").read_text(encoding="utf-8")
    found = []
    scratch = "  scratch: {protocol: ethernet, carried_by: inband, host_ports: tagged, vlan: 300}\n"
    grown = {"su: 1, reserve: 2": "su: 3, reserve: 4", "  files:": f"{scratch}  files:"}
    for edit in ({}, {"pods:": "omit: [p1/su-1/node-3]\npods:"}, grown):
        changed = text
        for old, new in edit.items():
            assert old in changed
            changed = changed.replace(old, new, 1)
        file.write_text(changed, encoding="utf-8")
        assert fabricgen("lock", str(file)).code == 0
        cluster = build_cluster(build_design(load_blueprint(str(file))))
        lines = built_files(cluster, "addresses")["addresses.csv"].decode().splitlines()
        found.append({line for line in lines if ",host," in line or ",own," in line or ",gateway," in line})
    assert {line for line in found[0] if "n003" not in line} == found[1]
    assert found[0] < found[2]
