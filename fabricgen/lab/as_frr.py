"""A neutral form as an frr.conf: how a switch whose NOS is not FRR's takes part in a fabric of FRR daemons."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fabricgen.lab.as_frr_evpn import over_evpn, vnis
from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Bgp, Peer, Policy, StaticRoute

MAX_PATHS = 256
"""What Debian's FRR is built for."""


def as_frr(switch: Switch, kernel: Callable[[str], str]) -> str:
    """The routing of a switch in FRR's words; `kernel` names its ports as Linux would."""
    lines = [f"frr defaults traditional\nhostname {switch.hostname}"]
    for (vrf, prefix), route in sorted(switch.routes.items()):
        lines += _static(vrf, prefix, route, kernel)
    lines += vnis(switch)
    lines += _sources(switch)
    for vrf, bgp in sorted(switch.bgp.items()):
        lines += _policies(bgp, vrf)
        lines += _instance(bgp, switch, kernel, vrf)
    return "\n".join([*lines, ""])


def _static(vrf: str, prefix: str, route: StaticRoute, kernel: Callable[[str], str]) -> Iterator[str]:
    word, within = "ipv6" if ":" in prefix else "ip", f" vrf {vrf}" if vrf else ""
    yield from (f"{word} route {prefix} {hop} {kernel(port)}{within}" for port, hop in sorted(route.hops))
    if route.discard:
        yield f"{word} route {prefix} blackhole" + (" 250" if route.hops else "") + within


def _sources(switch: Switch) -> Iterator[str]:
    """What the switch itself sends by routes of BGP comes from its loopback, if its DHCPv6 relay is told so."""
    relays = [each.relay for each in switch.vlans.values()] + [each.relay for each in switch.interfaces.values()]
    for source in sorted({relay.source6 for relay in relays if relay} - {""}):
        yield f"route-map OWN-SOURCE6 permit 10\n set src {source}\nexit\nipv6 protocol bgp route-map OWN-SOURCE6"


def _named(bgp: Bgp, vrf: str) -> dict[Policy, str]:
    """A name for each policy of some sessions of a VRF."""
    found = (policy for peer in bgp.peers.values() for policy in (peer.policy_in, peer.policy_out) if policy)
    return {policy: f"POLICY{n}{vrf}" for n, policy in enumerate(dict.fromkeys(found), 1)}


def _policies(bgp: Bgp, vrf: str) -> Iterator[str]:
    yield "bgp as-path access-list OWN seq 5 permit ^$\nroute-map ALL permit 10\nexit"
    for policy, name in _named(bgp, vrf).items():
        for n, permit in enumerate(sorted(policy.permits, key=str), 1):
            word, length = "ipv6" if ":" in permit.prefix else "ip", int(permit.prefix.rpartition("/")[2])
            bounds = f" ge {permit.shortest}" if permit.shortest > length else ""
            bounds += f" le {permit.longest}" if permit.longest > length else ""
            yield f"{word} prefix-list {name} seq {n} permit {permit.prefix}{bounds}"
        own = "\n match as-path OWN" if policy.own_only else ""
        for seq, word in ((10, "ip"), (20, "ipv6")):
            if any((":" in permit.prefix) == (word == "ipv6") for permit in policy.permits):
                yield f"route-map {name} permit {seq}\n match {word} address prefix-list {name}{own}\nexit"


def _instance(bgp: Bgp, switch: Switch, kernel: Callable[[str], str], vrf: str) -> Iterator[str]:
    names = _named(bgp, vrf)
    yield f"router bgp {bgp.asn}" + (f" vrf {vrf}" if vrf else "")
    yield f" bgp router-id {bgp.router_id}\n no bgp default ipv4-unicast"
    if bgp.multipath_relax:
        yield " bgp bestpath as-path multipath-relax"
    for key, peer in bgp.peers.items():
        name, over = (kernel(key), " interface") if key in switch.interfaces else (key, "")
        yield f" neighbor {name}{over} remote-as {peer.remote_asn}"
        yield f" neighbor {name} timers {peer.keepalive_s} {peer.hold_s}\n neighbor {name} timers connect 10"
    for family, word in (("v4", "ipv4"), ("v6", "ipv6")):
        yield f" address-family {word} unicast\n  maximum-paths {min(bgp.max_paths, MAX_PATHS)}"
        yield from (f"  network {prefix}" for prefix in sorted(bgp.announced) if (":" in prefix) == (family == "v6"))
        for key, peer in bgp.peers.items():
            if family in peer.families:
                yield from _session(kernel(key) if key in switch.interfaces else key, peer, names, family)
        yield " exit-address-family"
    yield from over_evpn(switch, vrf)
    yield "exit"


def _session(name: str, peer: Peer, names: dict[Policy, str], family: str) -> Iterator[str]:
    yield f"  neighbor {name} activate"
    for policy, way in ((peer.policy_in, "in"), (peer.policy_out, "out")):
        yield f"  neighbor {name} route-map {names[policy] if policy else 'ALL'} {way}"
    if peer.own_as_in:
        yield f"  neighbor {name} allowas-in {peer.own_as_in}"
    if family in peer.max_prefixes:
        yield f"  neighbor {name} maximum-prefix {peer.max_prefixes[family]}"
