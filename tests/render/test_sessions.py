"""Every link between switches is a session at both ends, whatever the NOS: a law over all examples."""

from __future__ import annotations

import re

import pytest
from rendered import (
    ALL_EOS,
    BFD,
    BRIDGED,
    EXAMPLES,
    UNNUMBERED,
    cluster_of,
    config_db,
    files_of,
    has_sessions,
    peers_in,
)

CASES = [(name, ()) for name in EXAMPLES if has_sessions(name)] + [
    ("leaf-spine", UNNUMBERED),
    ("leaf-spine", BRIDGED),
    ("leaf-spine", BFD),
    ("leaf-spine", ALL_EOS),
    ("leaf-spine", ALL_EOS + UNNUMBERED),
]
every_case = pytest.mark.parametrize(("name", "sets"), CASES, ids=lambda v: "+".join(v) if isinstance(v, tuple) else v)


def bare(address: str) -> str:
    return address.partition("/")[0]


@every_case
def test_sessions_match_at_both_ends(name: str, sets: tuple[str, ...]) -> None:
    cluster, files = cluster_of(name, *sets), files_of(name, *sets)
    switches = {s.name: s for s in cluster.switches()}
    found = {s.name: {p.key: p for p in peers_in(files, s)} for s in switches.values()}
    links = 0
    for switch in switches.values():
        between = [p for p in switch.ports if p.role != "host"]
        assert len(found[switch.name]) == len(between) + sum(len(port.subinterfaces) for port in between)
        for port in between:
            peer = found[switch.name][bare(port.peer_address) or port.name]
            far = found[port.peer][bare(port.address) or port.peer_port]
            assert (peer.own_asn, peer.far_asn) == (far.far_asn, far.own_asn) == (switch.asn, switches[port.peer].asn)
            assert peer.own_address in ("", bare(port.address))
            links += 1
            for sub in port.subinterfaces:
                peer, far = found[switch.name][bare(sub.peer_address)], found[port.peer][bare(sub.address)]
                assert (peer.own_asn, peer.far_asn) == (far.far_asn, far.own_asn) == (switch.asn, sub.peer_asn)
    assert links > 0
    assert links % 2 == 0


@every_case
def test_own_addresses_of_sessions_are_configured(name: str, sets: tuple[str, ...]) -> None:
    files = files_of(name, *sets)
    for switch in cluster_of(name, *sets).switches():
        for port in switch.ports:
            if not port.address:
                continue
            if switch.tier.nos == "sonic":
                rows = config_db(files, switch.name)["INTERFACE"]
                service = switch.service_of(port)
                in_vrf = {"vrf_name": f"Vrf_{service.vrf}"} if service and service.vrf else {}
                assert (rows[port.name], rows[f"{port.name}|{port.address}"]) == (in_vrf, {})
            else:
                text = files[f"configs/{switch.name}/{switch.name}.cfg"]
                block = re.search(rf"^interface {re.escape(port.name)}\n(   .*\n)+", text, re.M)
                assert block
                assert f"   ip address {port.address}\n" in block[0]


@every_case
def test_router_ids_and_unnumbered_ports(name: str, sets: tuple[str, ...]) -> None:
    files = files_of(name, *sets)
    for switch in cluster_of(name, *sets).switches():
        text = "".join(t for path, t in files.items() if path.startswith(f"configs/{switch.name}/"))
        assert f"{switch.loopback}/32" in text
        bare_links = [p.name for p in switch.ports if p.role != "host" and not p.address]
        if switch.tier.nos == "sonic":
            rows = config_db(files, switch.name).get("INTERFACE", {})
            enabled = [n for n, row in rows.items() if row.get("ipv6_use_link_local_only") == "enable"]
            assert sorted(enabled) == sorted(bare_links)
        else:
            assert text.count("   ipv6 enable\n") == len(bare_links)
