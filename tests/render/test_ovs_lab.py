"""Bonds and VLANs as the files have them, on real components: Open vSwitch negotiates LACP and bridges, FRR routes.

Needs root, FRR, Open vSwitch and network namespaces; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.lab.files import Build, BuiltEnd, kernel_name
from tests.conftest import built_files, example_cluster, require
from tests.render import ovs_lab
from tests.render.lab_files import PARTS
from tests.render.ovs_lab import Lab

pytestmark = pytest.mark.daemon

BONDED = (
    "fabrics.compute.hosts=bridged",
    "fabrics.compute.bond=node",
    "fabrics.compute.tiers.leaf={switch: sn4700, per: su, uplinks: 2 x 400G}",
    "fabrics.compute.tiers.spine.count=2",
    "fabrics.files={protocol: ethernet, carried_by: compute, host_ports: tagged, vlan: 200, vrf: default}",
    "scalable_unit.nodes=2 x generic-server",
    "names.interfaces.generic-server={bond-compute: bond0}",
)


@pytest.fixture(scope="module", autouse=True)
def components() -> None:
    """What the lab starts."""
    lacking = ovs_lab.missing()
    install = "`apt-get install frr openvswitch-switch iproute2 iputils-ping`, run as root"
    require(f"the lab lacks {lacking}: {install}" if lacking else "")


def _files(name: str, *sets: str) -> tuple[Build, dict[str, str]]:
    made = built_files(example_cluster(name, *sets), *PARTS)
    files = {path: content.decode() for path, content in made.items()}
    netplans = {path.split("/")[1]: text for path, text in files.items() if path.endswith("60-fabric.yaml")}
    return Build(files), netplans


def _until(done: Callable[[], bool], seconds: float = 300) -> bool:
    """Whether something comes true in time: FRR calls a neighbour that was not there again within a minute or so."""
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.5)
    return done()


def _all_up(lab: Lab) -> bool:
    """Whether LACP has attached every port of every bond, at both ends."""
    forms = [(name, str(number)) for name, form in lab.build.forms.items() for number in form.bonds]
    hosts = [(name, bond) for name, network in lab.netplans.items() for bond in network.get("bonds", {})]
    found = [lab.bond(*each) for each in (*forms, *hosts)]
    return all(len(members) == 2 and all(members.values()) for members in found)


def _address(lab: Lab, host: str, interface: str) -> str:
    network = lab.netplans[host]
    one = (network["bonds"] | network.get("vlans", {}))[interface]
    address: str = one["addresses"][0]
    return address.partition("/")[0]


def test_bonds_come_up_and_carry_all_vlans(short_path: Path) -> None:
    """LACP at both ends, the untagged and the tagged VLAN to their gateways and between leaves; one cable is enough."""
    build, netplans = _files("leaf-spine", *BONDED)
    with ovs_lab.lab(build, netplans, short_path) as lab:
        assert _until(lambda: _all_up(lab))
        first, *_, last = build.hosts
        for interface in ("bond0", "bond0.200"):
            for other in build.hosts[1:]:
                address = _address(lab, other, interface)
                assert _until(lambda i=interface, a=address: lab.pings(first, i, a)), (interface, other)
        port = lab.netplans[first]["bonds"]["bond0"]["interfaces"][0]
        lab.cut(BuiltEnd(first, port))
        assert _until(lambda: {end.port: up for end, up in lab.bond(first, "bond0").items()}[port] is False)
        assert sum(lab.bond(first, "bond0").values()) == 1
        assert _until(lambda: lab.pings(first, "bond0", _address(lab, last, "bond0")))
        assert _until(lambda: lab.pings(first, "bond0.200", _address(lab, last, "bond0.200")))


PAIR = (
    "scalable_unit.nodes=2 x dgx-b200",
    "fabrics.inband.extra.mgmt.count=1",
    "fabrics.oob.extra.mgmt.count=1",
    "fabrics.files.vrf=default",
    "fabrics.oob.vrf=default",
)


@pytest.mark.parametrize("nos", ["cumulus", "eos"])
def test_hosts_of_a_pair_reach_their_gateway_and_what_is_below_the_pair(short_path: Path, nos: str) -> None:
    """LACP with both switches as one, one gateway for each VLAN, a session between the two, and routes to others."""
    eos = [f"fabrics.{name}.tiers.leaf.switch=7060dx5-32" for name in ("inband", "storage")]
    more = (*eos, "fabrics.oob.nos=cumulus", "nos=eos") if nos == "eos" else ()
    build, netplans = _files("bonded-pair", *PAIR, *more)
    pair = ("inband-leaf-01", "inband-leaf-02")
    gateways = {vlan: min(build.forms[pair[0]].vlans[vlan].gateways).partition("/")[0] for vlan in (100, 200)}
    below = min(build.forms["oob-leaf-01"].vlans[120].gateways).partition("/")[0]
    with ovs_lab.lab(build, netplans, short_path) as lab:
        assert _until(lambda: _all_up(lab))
        nodes = ("p1-su01-n001", "p1-su01-n002")
        for node in nodes:
            assert _until(lambda n=node: lab.pings(n, "bond-inband", gateways[100]))
            assert _until(lambda n=node: lab.pings(n, "bond-inband.200", gateways[200]))
            assert _until(lambda n=node: lab.pings(n, "bond-inband", below))
        assert _until(lambda: lab.pings(nodes[0], "bond-inband.200", _address(lab, nodes[1], "bond-inband.200")))
        assert _until(lambda: lab.pings(nodes[0], "bond-inband", _address(lab, "mgmt", "bond-inband")))
        for switch in pair:
            wanted = dict.fromkeys(build.forms[switch].bgp[""].peers, "Established")
            assert _until(lambda s=switch, w=wanted: _sessions(lab, s) == w), switch


UPLINKED = (
    "fabrics.compute.hosts=bridged",
    "fabrics.compute.bond=node",
    "fabrics.compute.tiers.spine.count=2",
    "scalable_unit.nodes=1 x generic-server",
    "names.interfaces.generic-server={bond-compute: bond0}",
)
PAIR_OF = (
    "fabrics.compute.tiers.leaf={switch: %s, per: su, count: 2, spread: stripe, peer: 2 x 400G, uplinks: 2 x 400G}"
)


@pytest.mark.parametrize("mends", [True, False], ids=["as rendered", "as if the mate heard own routes alone"])
@pytest.mark.parametrize(("nos", "switch"), [("cumulus", "sn4700"), ("eos", "7060dx5-32")])
def test_a_switch_without_uplinks_goes_by_its_mate(short_path: Path, nos: str, switch: str, mends: bool) -> None:
    """The first switch of a pair, which answers for the gateway, loses both links up: its hosts reach the others."""
    build, netplans = _files("leaf-spine", *UPLINKED, PAIR_OF % switch, f"nos={{leaf: {nos}, spine: cumulus}}")
    first, mate, far = (f"compute-leaf-p1-{end}" for end in ("su01-01", "su01-02", "su02-01"))
    here, there = "p1-su01-n001", "p1-su02-n001"
    if not mends:
        files = {path: _as_to_spines(text) for path, text in build.files.items()}
        assert sum(files[path] != text for path, text in build.files.items()) == 4
        build = Build(files)
    with ovs_lab.lab(build, netplans, short_path) as lab:
        assert _until(lambda: _all_up(lab))
        address = _address(lab, there, "bond0")
        assert _until(lambda: lab.pings(here, "bond0", address))
        ups = [
            near.port
            for link in build.links
            for near, other in ((link.a, link.b), (link.b, link.a))
            if near.device == first and "spine" in other.device
        ]
        assert len(ups) == 2
        for port in ups:
            assert lab.run(first, "ip", "link", "set", kernel_name(port), "down").returncode == 0
        assert _until(
            lambda: _next_hops(lab, first, address) == ({min(_pair_address(build, mate))} if mends else set())
        )
        assert _until(lambda: lab.pings(here, "bond0", address)) if mends else not lab.pings(here, "bond0", address)
        spine = next(name for name in build.switches if "spine" in name)
        said = lab.routing.json(spine, "show bgp ipv4 unicast")[0]["routes"]
        numbers = {build.devices[name]["asn"] for name in (first, mate)}
        assert not any(numbers <= set(way["path"].split()) for ways in said.values() for way in ways)
        assert build.forms[far].bgp[""].peers


def _as_to_spines(text: str) -> str:
    """A configuration that announces to mates what it does to spines."""
    for word in ("neighbor PEER route-map FABRIC-", "outbound: {route-map: FABRIC-"):
        text = text.replace(f"{word}PEER", f"{word}OUT")
    return text


def _next_hops(lab: Lab, switch: str, address: str) -> set[str]:
    """Where a switch sends what is for an address; nowhere, if it has no route."""
    said = lab.routing.json(switch, f"show ip route {address}")[0]
    ways = [hop for routes in said.values() for route in routes for hop in route["nexthops"] if hop.get("active")]
    return {hop["ip"] for hop in ways if "ip" in hop}


def _pair_address(build: Build, switch: str) -> set[str]:
    """The addresses of a switch in the VLAN that it speaks to its mate in."""
    form = build.forms[switch]
    assert form.pair
    return {address.partition("/")[0] for _, own in form.pair.vlans.values() for address in own}


GENERATIONS = (
    "scalable_units.a100.nodes=1 x dgx-a100",
    "scalable_units.h100.nodes=1 x dgx-h100",
    "scalable_units.b300.nodes=1 x dgx-b300",
    "pods.p1.su=1",
    "pods.p2.su=1",
    "pods.p3.su=1",
    "fabrics.inband.extra={}",
    "fabrics.storage.vrf=default",
    "fabrics.oob.vrf=default",
    "expect={}",
)


def test_three_generations_meet_on_one_spine_and_one_pair(short_path: Path) -> None:
    """Nodes of three kinds of units reach each other over their leaves' spine, and both VLANs of the pair by bonds."""
    build, netplans = _files("three-generations", *GENERATIONS)
    with ovs_lab.lab(build, netplans, short_path) as lab:
        assert _until(lambda: _all_up(lab))
        nodes = ("p1-su01-n001", "p2-su01-n001", "p3-su01-n001")
        assert set(nodes) <= set(build.hosts)
        for interface in ("bond-inband", "bond-storage"):
            for other in nodes[1:]:
                assert _until(lambda i=interface, o=other: lab.pings(nodes[0], i, _address(lab, o, i))), (
                    interface,
                    other,
                )
        for switch, form in build.forms.items():
            wanted = {peer for bgp in form.bgp.values() for peer in bgp.peers}
            up = _until(lambda s=switch, w=wanted: _sessions(lab, s) == dict.fromkeys(w, "Established"))
            assert up, (switch, _sessions(lab, switch))
        first, other = (_routed(lab, node) for node in (nodes[0], nodes[-1]))
        assert _until(lambda: lab.pings(nodes[0], first[0], other[1]))


def _sessions(lab: Lab, switch: str) -> dict[str, str]:
    """The state of each BGP session of a switch, by peer."""
    told = lab.routing.json(switch, "show bgp neighbors")[0]
    return {peer: one["bgpState"] for peer, one in told.items() if isinstance(one, dict)}


def _routed(lab: Lab, host: str) -> tuple[str, str]:
    """(interface, address) of the first port of a host that is in no bond."""
    name, one = next((name, one) for name, one in lab.netplans[host]["ethernets"].items() if one.get("addresses"))
    return name, one["addresses"][0].partition("/")[0]


def test_a_cable_in_the_bond_of_another_host_is_left_out(short_path: Path) -> None:
    """LACP finds out that the two ports of a bond do not meet one bond at the far end."""
    build, netplans = _files("leaf-spine", *BONDED)
    head, *rows = build.files["links.csv"].splitlines()
    mine = [n for n, link in enumerate(build.links) if link.a.device in build.hosts[:2]]
    cells = {n: rows[n].split(",") for n in (mine[1], mine[3])}
    one, other = cells.values()
    one[6:9], other[6:9] = other[6:9], one[6:9]
    rows = [",".join(cells.get(n, [row])) for n, row in enumerate(rows)]
    wrong = Build({**build.files, "links.csv": "\n".join([head, *rows, ""])})
    with ovs_lab.lab(wrong, netplans, short_path) as lab:
        assert _until(lambda: sum(lab.bond(build.hosts[-1], "bond0").values()) == 2)
        assert _until(lambda: any(lab.bond(host, "bond0").values() for host in build.hosts[:2]))
        bonds = [lab.bond(host, "bond0") for host in build.hosts[:2]]
        assert [len(members) for members in bonds] == [2, 2]
        assert not any(all(members.values()) for members in bonds)
