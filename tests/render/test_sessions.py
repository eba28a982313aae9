"""Every link between switches is a session at both ends, whatever the NOS: a law over all examples."""

from __future__ import annotations

import re

import pytest

from fabricgen.nos.junos.statements import read_statements
from fabricgen.switch.interfaces import Subinterface
from fabricgen.views.switch import SwitchPort
from tests.render.rendered import (
    ALL_EOS,
    BFD,
    BRIDGED,
    CUMULUS,
    DUAL,
    EXAMPLES,
    JUNOS,
    RAILS,
    UNNUMBERED,
    V6,
    cluster_of,
    config_db,
    files_of,
    has_sessions,
    peers_in,
    startup,
)

ONE_UNIT = ("pods.p1.su=1",)
"""The whole example is a case of its own; its variants have all its fabrics, with fewer switches alike."""

CASES = [(name, ()) for name in EXAMPLES if has_sessions(name)] + [
    ("leaf-spine", UNNUMBERED),
    ("leaf-spine", BRIDGED),
    ("leaf-spine", BFD),
    ("leaf-spine", ALL_EOS),
    ("leaf-spine", ALL_EOS + UNNUMBERED),
    ("leaf-spine", DUAL),
    ("leaf-spine", DUAL + UNNUMBERED),
    ("leaf-spine", DUAL + BFD + RAILS),
    ("leaf-spine", V6),
    ("leaf-spine", V6 + UNNUMBERED),
    ("leaf-spine", ALL_EOS + DUAL),
    ("leaf-spine", ALL_EOS + V6 + UNNUMBERED),
    ("leaf-spine", JUNOS + BFD),
    ("leaf-spine", JUNOS + DUAL),
    ("leaf-spine", JUNOS + DUAL + UNNUMBERED),
    ("leaf-spine", JUNOS + V6 + UNNUMBERED),
    ("leaf-spine", CUMULUS),
    ("leaf-spine", CUMULUS + UNNUMBERED + BFD),
    ("leaf-spine", CUMULUS + DUAL + RAILS),
    ("leaf-spine", CUMULUS + DUAL + UNNUMBERED),
    ("leaf-spine", CUMULUS + V6),
    ("leaf-spine", CUMULUS + V6 + UNNUMBERED),
    ("full-cluster", ONE_UNIT + CUMULUS + DUAL),
    ("full-cluster", ONE_UNIT + DUAL),
    ("full-cluster", ONE_UNIT + V6),
]
every_case = pytest.mark.parametrize(
    ("name", "sets"), CASES, ids=lambda v: "+".join(v) if isinstance(v, tuple) else v, scope="module"
)
"""Of module scope: all tests of a case run after each other, in the process that has rendered it."""


def bare(address: str) -> str:
    return address.partition("/")[0]


def both_ends(end: SwitchPort | Subinterface) -> list[tuple[str, str]]:
    """(own, far) address of each family that a link has."""
    return [(bare(own), bare(far)) for own, far in end.pairs if own]


@pytest.mark.tenth
@every_case
def test_sessions_match_at_both_ends(name: str, sets: tuple[str, ...]) -> None:
    cluster, files = cluster_of(name, *sets), files_of(name, *sets)
    switches = {s.name: s for s in cluster.switches()}
    found = {s.name: {p.key: p for p in peers_in(files, s)} for s in switches.values()}
    links = 0
    for switch in switches.values():
        between = [p for p in switch.ends if p.role not in ("host", "exit") and not p.bond]
        subs = [sub for port in between for sub in port.subinterfaces]
        assert len(found[switch.name]) == sum(len(end.addresses) or 1 for end in (*between, *subs))
        for port in between:
            for own, at_peer in both_ends(port) or [(port.name, port.peer_port)]:
                keys = (at_peer, own) if port.addresses else (own, at_peer)
                peer, far = found[switch.name][keys[0]], found[port.peer][keys[1]]
                asns = (switch.asn, switches[port.peer].asn)
                assert (peer.own_asn, peer.far_asn) == (far.far_asn, far.own_asn) == asns
                assert peer.own_address in ("", own)
                links += 1
            for sub in port.subinterfaces:
                for own, at_peer in both_ends(sub):
                    peer, far = found[switch.name][at_peer], found[port.peer][own]
                    assert (peer.own_asn, peer.far_asn) == (far.far_asn, far.own_asn) == (switch.asn, sub.peer_asn)
    assert links > 0
    assert links % 2 == 0


@pytest.mark.parametrize("name", ["evpn-guests", "monday"])
def test_sessions_of_the_overlay_match_at_both_ends(name: str) -> None:
    overlays = {s.name: (s.asn, s.overlay) for s in cluster_of(name).switches() if s.overlay}
    ends = {(own, far.description) for own, (_, overlay) in overlays.items() for far in overlay.peers.values()}
    assert ends
    assert ends == {(far, own) for own, far in ends}
    for _, overlay in overlays.values():
        assert all(
            (far.remote_asn, address) == (overlays[far.description][0], overlays[far.description][1].source)
            for address, far in overlay.peers.items()
        )


@pytest.mark.tenth
@every_case
def test_own_addresses_of_sessions_are_configured(name: str, sets: tuple[str, ...]) -> None:
    files = files_of(name, *sets)
    for switch in cluster_of(name, *sets).switches():
        addressed = [port for port in switch.ports if port.addresses]
        if addressed and switch.tier.nos == "sonic":
            rows = config_db(files, switch.name)["INTERFACE"]
            for port in addressed:
                service = switch.find_service(port)
                in_vrf = {"vrf_name": f"Vrf_{service.vrf}"} if service and service.vrf else {}
                assert rows[port.name] == in_vrf
                assert all(rows[f"{port.name}|{address}"] == {} for address in port.addresses)
        elif addressed and switch.tier.nos == "cumulus":
            rows = startup(files, switch.name)["interface"]
            for port in addressed:
                words = (rows[port.name].get(word, {"address": {}}) for word in ("ipv4", "ipv6"))
                assert {a for word in words for a in word["address"]} == set(port.addresses)
        elif addressed and switch.tier.nos == "junos":
            stated = read_statements({"juniper.conf": files[f"configs/{switch.name}/juniper.conf"]})
            for port in addressed:
                own = [path[-1] for path in stated if path[:2] == ("interfaces", port.name) and path[-2] == "address"]
                assert own == list(port.addresses)
        elif addressed:
            blocks = interface_blocks(files[f"configs/{switch.name}/{switch.name}.cfg"])
            for port in addressed:
                assert not port.address or f"ip address {port.address}" in blocks[port.name]
                assert not port.address6 or f"ipv6 address {port.address6}" in blocks[port.name]


def interface_blocks(text: str) -> dict[str, list[str]]:
    """Lines of each interface of an EOS configuration."""
    found = re.findall(r"^interface (\S+)\n((?:   .*\n)+)", text, re.M)
    return {name: [line.strip() for line in block.splitlines()] for name, block in found}


@pytest.mark.tenth
@every_case
def test_router_ids_and_unnumbered_ports(name: str, sets: tuple[str, ...]) -> None:
    files = files_of(name, *sets)
    for switch in cluster_of(name, *sets).switches():
        text = "".join(t for path, t in files.items() if path.startswith(f"configs/{switch.name}/"))
        assert f"{switch.loopback}/32" in text if switch.has_v4 else f"{switch.router_id}/32" not in text
        assert f"{switch.loopback6}/128" in text if switch.has_v6 else "/128" not in text
        bare_links = [p.name for p in switch.ports if p.role != "host" and not p.addresses and not p.bond]
        if switch.tier.nos == "sonic":
            rows = config_db(files, switch.name).get("INTERFACE", {})
            enabled = [n for n, row in rows.items() if row.get("ipv6_use_link_local_only") == "enable"]
            assert sorted(enabled) == sorted(bare_links)
        elif switch.tier.nos == "cumulus":
            neighbours = startup(files, switch.name)["vrf"]["default"]["router"]["bgp"].get("neighbor", {})
            assert sorted(k for k, row in neighbours.items() if row["type"] == "unnumbered") == sorted(bare_links)
        elif switch.tier.nos == "junos":
            assert re.findall(r"^ {20}interface (et-\S+)\.0;$", text, re.M) == bare_links
        else:
            assert text.count("   ipv6 enable\n") == len(bare_links)
