"""What is wrong with a running fabric, by a build's links.csv, devices.csv and addresses.csv.

Cables, sessions, routes over all equal paths to every loopback and host, nothing else learned, and pings.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

from tests.render.frr_lab import Lab
from tests.render.lab_files import Build, End, kernel

LOOPBACK = "Loopback0"
NOWHERE = 1 << 20


def findings(lab: Lab, right: Build) -> list[str]:
    """A line for everything that is not as a build's files say; none where all is right."""
    check = Check(lab, right)
    found = [*check.cables(), *check.sessions(), *check.routes(), *check.leaks()]
    return found or list(check.pings())


def settled(lab: Lab, right: Build, done: Callable[[list[str]], bool], seconds: float = 300) -> list[str]:
    """The findings once they are as wanted, or after some time."""
    deadline = time.monotonic() + seconds
    while True:
        found = findings(lab, right)
        if done(found) or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


@dataclass
class Check:
    """A running fabric beside the files that it should be like."""

    lab: Lab
    right: Build

    @cached_property
    def far(self) -> dict[End, End]:
        """The far end of every port, by links.csv."""
        return {near: far for link in self.right.links for near, far in ((link.a, link.b), (link.b, link.a))}

    def cables(self) -> Iterator[str]:
        """Yield every port whose cable leads elsewhere than links.csv says."""
        heard = self.lab.far_ends()
        for near, far in sorted(self.far.items(), key=str):
            if heard.get(near) != far:
                yield f"{near}: {heard.get(near) or 'nothing'} is at the far end, links.csv says {far}"

    @cached_property
    def _said(self) -> dict[str, list[dict[str, Any]]]:
        """IPv4 routes, IPv6 routes and, where it runs BGP, neighbours of each switch."""
        bgp = {device: bool(self.right.devices[device]["asn"]) for device in self.right.switches}

        def ask(device: str) -> list[dict[str, Any]]:
            more = ("show bgp neighbors",) if bgp[device] else ()
            return self.lab.json(device, "show ip route", "show ipv6 route", *more)

        with ThreadPoolExecutor() as pool:
            return dict(zip(bgp, pool.map(ask, bgp), strict=True))

    def sessions(self) -> Iterator[str]:
        """Yield every session that is not up, or not with the switch and AS number that it should be with."""
        for device in self.right.switches:
            if self.right.devices[device]["asn"]:
                known = self._said[device][2]
                for key, far in self._peers(device):
                    yield from self._session(device, key, far, known.get(key, {}))

    def _peers(self, device: str) -> Iterator[tuple[str, str]]:
        """(address or own port, device) of every neighbour that a switch should have a session with."""
        for near, far in self.far.items():
            if near.device == device and far.device in self.right.switches:
                addresses = [address.partition("/")[0] for address in self.right.addresses[far]]
                yield from ((key, far.device) for key in addresses or [kernel(near.port)])

    def _session(self, device: str, key: str, far: str, said: dict[str, Any]) -> Iterator[str]:
        asn, state = int(self.right.devices[far]["asn"]), said.get("bgpState", "not configured")
        place = f"{device}: session with {far} at {key}"
        if said and said["remoteAs"] != asn:
            yield f"{place} expects AS {said['remoteAs']}, devices.csv says {asn}"
        if state != "Established":
            yield f"{place} is not up: {state}"
        elif said["remoteRouterId"] != self.right.forms[far].bgp[""].router_id:
            yield f"{place} is with {said['remoteRouterId']} instead"

    @cached_property
    def _levels(self) -> dict[str, int]:
        """How far each switch is above those that hosts are cabled to."""
        known = {far.device: 0 for near, far in self.far.items() if near.device in self.right.hosts}
        while len(known) < len(self.right.switches):
            level = max(known.values())
            ends = [(near.device, far.device) for near, far in self.far.items()]
            above = {far for near, far in ends if known.get(near) == level and far in self.right.switches}
            assert above - set(known), "switches that hosts are nowhere below"
            known |= {far: level + 1 for far in above if far not in known}
        return known

    def _neighbors(self, device: str, step: int) -> list[tuple[str, str]]:
        """(own port, switch) of every link that leads a level up or down."""
        level = self._levels
        ends = [(near.port, far.device) for near, far in self.far.items() if near.device == device]
        return [(port, far) for port, far in ends if level.get(far) == level[device] + step]

    def _ways(self, target: str) -> dict[str, set[str]]:
        """The ports of every switch that lead to another by as few links as can be, up first and then only down."""
        order = sorted(self._levels, key=self._levels.__getitem__)
        down, best = {target: 0}, {target: 0}
        for device in order:
            if device != target:
                down[device] = 1 + min((down[far] for _, far in self._neighbors(device, -1)), default=NOWHERE)
        for device in reversed(order):
            over = min((best[far] for _, far in self._neighbors(device, 1)), default=NOWHERE)
            best[device] = min(down[device], over + 1)
        found = {}
        for device in order:
            lower = {port for port, far in self._neighbors(device, -1) if down[far] + 1 == best[device]}
            upper = {port for port, far in self._neighbors(device, 1) if best[far] + 1 == best[device]}
            if device != target and best[device] < NOWHERE:
                found[device] = {kernel(port) for port in lower | upper}
        return found

    @cached_property
    def _targets(self) -> list[tuple[str, str]]:
        """(address, switch) of every loopback, where BGP announces it, and of every host."""
        found = []
        for end, addresses in self.right.addresses.items():
            if end.port == LOOPBACK and self.right.devices[end.device]["asn"]:
                found += [(address.partition("/")[0], end.device) for address in addresses]
            elif end.device in self.right.hosts and end in self.far:
                found += [(address.partition("/")[0], self.far[end].device) for address in addresses]
        return found

    @cached_property
    def _tables(self) -> dict[str, list[tuple[Any, dict[str, Any]]]]:
        """(network, route) of every route in use of each switch, the longest prefixes first."""
        found = {}
        for device in self.right.switches:
            routes = self._said[device][0] | self._said[device][1]
            used = [(ip_network(prefix), one) for prefix, all_of in routes.items() for one in all_of if _in_use(one)]
            found[device] = sorted(used, key=lambda pair: -pair[0].prefixlen)
        return found

    def routes(self) -> Iterator[str]:
        """Yield every loopback and host that a switch does not reach over all equal paths, and over nothing else."""
        for address, target in self._targets:
            for device, wanted in self._ways_to(target).items():
                found = self._ports(device, address)
                if found != wanted:
                    said = f"over {', '.join(sorted(found))}" if found else "nowhere"
                    yield f"{device}: {address} of {target} goes {said}, wanted {', '.join(sorted(wanted))}"

    def _ports(self, device: str, address: str) -> set[str]:
        wanted = ip_address(address)
        route = next((one for network, one in self._tables[device] if wanted in network), {"nexthops": ()})
        return {hop["interfaceName"] for hop in route["nexthops"] if hop.get("fib") and "interfaceName" in hop}

    def leaks(self) -> Iterator[str]:
        """Yield every prefix that a switch learned and that is neither a reachable loopback nor one of hosts."""
        host_ends = [end for end in self.far if end.device in self.right.hosts]
        hosts = [ip_interface(address).ip for end in host_ends for address in self.right.addresses[end]]
        links = [
            ip_interface(address).ip
            for near, far in self.far.items()
            if {near.device, far.device} <= set(self.right.switches)
            for address in self.right.addresses[near]
        ]
        for device, table in self._tables.items():
            loopbacks = [ip_address(a) for a, target in self._targets if device in self._ways_to(target)]
            for network, route in table:
                single = network.prefixlen == network.max_prefixlen
                good = any(a in network for a in (loopbacks if single else hosts))
                if route["protocol"] == "bgp" and (not good or any(a in network for a in links)):
                    yield f"{device}: {network} is learned, and is neither a loopback nor a prefix of hosts"

    def _ways_to(self, target: str) -> dict[str, set[str]]:
        if target not in self._known_ways:
            self._known_ways[target] = self._ways(target)
        return self._known_ways[target]

    @cached_property
    def _known_ways(self) -> dict[str, dict[str, set[str]]]:
        return {}

    def pings(self) -> Iterator[str]:
        """Yield every leaf whose last host the first host does not reach."""
        ends = {far.device: near for near, far in self.far.items() if near.device in self.right.hosts}
        first = next(near for near in self.far if near.device in self.right.hosts)
        for leaf, end in ends.items():
            for address in self.right.addresses[end]:
                if leaf != self.far[first].device:
                    bare = address.partition("/")[0]
                    if not self.lab.pings(first.device, first.port, bare):
                        yield f"{first}: {bare} of {end} behind {leaf} does not answer"


def _in_use(route: dict[str, Any]) -> bool:
    return bool(route.get("selected") and route.get("installed"))
