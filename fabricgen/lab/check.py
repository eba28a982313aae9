"""What is wrong with a running lab, by a build's links.csv, devices.csv, addresses.csv and configurations.

Cables, sessions, routes over all equal paths to every loopback and host, nothing else learned, and pings. Links that
are broken on purpose are told, and what is lost with them; routes and pings are held to what is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any, TypeVar

from fabricgen.lab import inside
from fabricgen.lab.fabric import DAEMON_NAMES, Lab, explain_failure
from fabricgen.lab.files import Build, BuiltEnd, Link, kernel_name
from fabricgen.lab.inside import ADVERTISED, BGP, KERNEL, LOOPBACK, KernelRoute

T = TypeVar("T")
NOWHERE = 1 << 20
"""A number of links greater than that of any path: no path leads to the target."""

UP = "Established"


@dataclass(frozen=True, slots=True)
class LabFinding:
    """Something that is not as planned, of a device or of its port, "" for the device as a whole.

    `kind` is `daemon`, `cable`, `address`, `session`, `route`, `leak` or `ping`.
    """

    kind: str
    device: str
    port: str
    text: str

    def __str__(self) -> str:
        return f"{self.device}{':' if self.port else ''}{self.port}: {self.text}"


def check_lab(lab: Lab, build: Build, broken: frozenset[Link] = frozenset()) -> list[LabFinding]:
    """Return everything that is not as the files of a build say, with some links broken on purpose.

    Pings are sent only if all else is right. Raises InputError (FG175) for a lab that does not answer.
    """
    checker = Check(lab, build, ask_neighbours(lab, build), broken)
    findings_so_far = [
        *checker.find_ended_daemons(),
        *checker.check_cables(),
        *checker.check_addresses(),
        *checker.check_sessions(checker.has_whole_link),
    ]
    findings_so_far += [*checker.check_routes(), *checker.find_leaks()]
    return [*checker.find_lost_links(), *(findings_so_far or checker.check_pings())]


def ask_neighbours(lab: Lab, build: Build) -> dict[str, dict[str, Any]]:
    """Return, by switch, what FRR says of its BGP neighbours (`show bgp neighbors json`), by their address or port; {}
    for a switch whose bgpd does not run.
    """
    running = inside.list_daemons(lab)

    def ask_bgp(device: str) -> dict[str, Any]:
        runs_bgp = build.devices[device]["asn"] and (device, "bgpd") in running
        return lab.json(device, "show bgp neighbors")[0] if runs_bgp else {}

    return ask_each(ask_bgp, build.switches)


def ask_each(ask_one: Callable[[str], T], devices: Iterable[str]) -> dict[str, T]:
    """Return what each of some devices answers; all are asked at once."""
    names = tuple(devices)
    with ThreadPoolExecutor() as pool:
        return dict(zip(names, pool.map(ask_one, names), strict=True))


def list_peers(build: Build, device: str) -> Iterator[tuple[BuiltEnd, str, str]]:
    """Yield (own end, neighbour, far device) for every BGP neighbour that a switch should have.

    `neighbour` is what FRR calls it: each address of the far end, or the kernel's name of the own port if the far end
    has no address. There are neighbours over each link between switches that both have AS numbers.
    """
    has_asn = {name: bool(row["asn"]) for name, row in build.devices.items()}
    for near, far in build.far.items():
        if near.device == device and has_asn.get(device) and has_asn.get(far.device) and far.device in build.forms:
            addresses = [address.partition("/")[0] for address in build.addresses.get(far, ())]
            yield from ((near, neighbour, far.device) for neighbour in addresses or [kernel_name(near.port)])


@dataclass
class Check:
    """A running lab beside the build that it should be like; `said` is what `ask_neighbours` returned."""

    lab: Lab
    right: Build
    said: Mapping[str, Mapping[str, Any]]
    broken: frozenset[Link] = frozenset()

    @cached_property
    def _far(self) -> dict[BuiltEnd, BuiltEnd]:
        """The far end of every port whose link is not broken."""
        dead = {end for link in self.broken for end in (link.a, link.b)}
        return {near: far for near, far in self.right.far.items() if near not in dead}

    def find_lost_links(self) -> Iterator[LabFinding]:
        """Yield every broken link, and the sessions over it that are not up."""
        for link in sorted(self.broken, key=str):
            yield LabFinding(
                "cable", link.a.device, link.a.port, f"the link to {link.b} is down; `lab mend` brings it back"
            )
        yield from self.check_sessions(lambda near: near not in self._far)

    def find_ended_daemons(self) -> Iterator[LabFinding]:
        """Yield every daemon of FRR that has ended."""
        running = inside.list_daemons(self.lab)
        for device in self.right.switches:
            for name in DAEMON_NAMES:
                if (device, name) not in running:
                    yield LabFinding("daemon", device, "", f"{name} does not run")

    def check_addresses(self) -> Iterator[LabFinding]:
        """Yield every loopback, and every port of a link that is whole, whose addresses differ from
        the planned ones.
        """
        ports_by_device = ask_each(lambda device: inside.read_ports(self.lab, device).addresses, self.lab.spaces)
        ends = [(end, kernel_name(end.port)) for end in self._far]
        ends += [(BuiltEnd(device, LOOPBACK), "lo") for device in self.right.switches]
        for end, name in ends:
            addresses = ports_by_device[end.device].get(name, frozenset())
            planned = inside.list_planned_addresses(self.right, end)
            if addresses != planned:
                message = (
                    f"has {', '.join(sorted(addresses)) or 'no address'}, wanted {', '.join(sorted(planned)) or 'none'}"
                )
                yield LabFinding("address", end.device, end.port, message)

    def check_cables(self) -> Iterator[LabFinding]:
        """Yield every port whose cable leads elsewhere than links.csv says."""
        actual_far_ends = self.lab.far_ends()
        for near, far in sorted(self._far.items(), key=str):
            if actual_far_ends.get(near) != far:
                far_end = actual_far_ends.get(near) or "nothing"
                yield LabFinding("cable", near.device, near.port, f"{far_end} is at the far end, links.csv says {far}")

    def count_sessions(self) -> tuple[int, int]:
        """Return how many sessions are up, and how many should be.

        Each session has two ends, which are counted and halved: an odd number that are up is rounded down.
        """
        states = [
            self._read_session_state(device, neighbour)
            for device in self.right.switches
            for _, neighbour, _ in list_peers(self.right, device)
        ]
        return sum(state == UP for state in states) // 2, len(states) // 2

    def has_whole_link(self, end: BuiltEnd) -> bool:
        """Whether the link at an end is not broken."""
        return end in self._far

    def check_sessions(self, is_wanted: Callable[[BuiltEnd], bool]) -> Iterator[LabFinding]:
        """Yield every session of wanted ends that is not up, or is with another switch or AS number than planned."""
        for device in self.right.switches:
            for end, neighbour, far_device in list_peers(self.right, device):
                if is_wanted(end):
                    yield from self._check_session(device, neighbour, far_device)

    def _read_session_state(self, device: str, neighbour: str) -> str:
        return str(self.said[device].get(neighbour, {}).get("bgpState", "not configured"))

    def _check_session(self, device: str, neighbour: str, far_device: str) -> Iterator[LabFinding]:
        """Yield what is not as planned of the session of a switch with a neighbour (an address or the own port), which
        should be `far_device`.
        """
        asn = int(self.right.devices[far_device]["asn"])
        state, answer = self._read_session_state(device, neighbour), self.said[device].get(neighbour)
        session = f"session with {far_device} at {neighbour}"
        if answer and answer["remoteAs"] != asn:
            yield LabFinding(
                "session", device, "", f"{session} expects AS {answer['remoteAs']}, devices.csv says {asn}"
            )
        if state != UP or answer is None:
            yield LabFinding("session", device, "", f"{session} is not up: {state}")
        elif answer["remoteRouterId"] != self.right.forms[far_device].bgp[""].router_id:
            yield LabFinding("session", device, "", f"{session} is with {answer['remoteRouterId']} instead")

    @cached_property
    def _levels(self) -> dict[str, int]:
        """The fewest links from each switch to a switch that hosts are cabled to: 0 for these.

        Raises InputError (FG175) if links do not join all switches to one of them.
        """
        levels = dict.fromkeys(sorted(self.right.lowest), 0)
        while len(levels) < len(self.right.switches):
            level = max(levels.values())
            links = [(near.device, far.device) for near, far in self.right.far.items()]
            neighbours = {far for near, far in links if levels.get(near) == level and far in self.right.switches}
            if not neighbours - set(levels):
                raise explain_failure(f"no host is below {', '.join(sorted(set(self.right.switches) - set(levels)))}")
            levels |= {device: level + 1 for device in neighbours if device not in levels}
        return levels

    def _list_neighbours(self, device: str, step: int) -> list[tuple[str, str]]:
        """Return (own port, switch at the far end) of the unbroken links of a switch to the level above or below it.

        `step` is 1 for the level above and -1 for the level below; levels are those of `_levels`.
        """
        level = self._levels
        return [
            (port, neighbour) for port, neighbour in self._links[device] if level.get(neighbour) == level[device] + step
        ]

    @cached_property
    def _links(self) -> dict[str, list[tuple[str, str]]]:
        """(own port, device at the far end) of every unbroken link, by device."""
        links: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for near, far in self._far.items():
            links[near.device].append((near.port, far.device))
        return links

    def _find_shortest_ports(self, target: str) -> dict[str, set[str]]:
        """Return, by switch, the ports (names of the kernel) that lead to the switch `target` over the fewest links,
        first up and then only down.

        Left out are `target` itself, switches with no such path, and switches with a shorter path over links within a
        level: policies decide on its use, so that no route of theirs is judged.
        """
        lowest_first = sorted(self._levels, key=self._levels.__getitem__)
        # links from each switch to the target: on paths that only lead down, and on all paths that are allowed
        links_down, links_to_target = {target: 0}, {target: 0}
        for device in lowest_first:
            if device != target:
                neighbours = self._list_neighbours(device, -1)
                links_down[device] = 1 + min((links_down[lower] for _, lower in neighbours), default=NOWHERE)
        # from the top down, so that the fewest links from all switches above are known already
        for device in reversed(lowest_first):
            links_from_above = min(
                (links_to_target[upper] for _, upper in self._list_neighbours(device, 1)), default=NOWHERE
            )
            # valley-free: a path may go up and then down, never down and up again
            links_to_target[device] = min(links_down[device], links_from_above + 1)
        ports, shortest_distances = {}, self._measure_across(target)
        for device in lowest_first:
            links = links_to_target[device]
            lower_ports = {port for port, lower in self._list_neighbours(device, -1) if links_down[lower] + 1 == links}
            upper_ports = {
                port for port, upper in self._list_neighbours(device, 1) if links_to_target[upper] + 1 == links
            }
            if device != target and links < NOWHERE and links <= shortest_distances.get(device, NOWHERE):
                ports[device] = {kernel_name(port) for port in lower_ports | upper_ports}
        return ports

    @cached_property
    def _is_tiered(self) -> bool:
        """Whether every link between switches leads a level up or down; those of MLAG peers and rings do not."""
        level, far_ends = self._levels, self.right.far
        return all(
            abs(level[a.device] - level[b.device]) == 1
            for a, b in far_ends.items()
            if {a.device, b.device} <= level.keys()
        )

    def _measure_across(self, target: str) -> dict[str, int]:
        """Return the number of links on a shortest path from each switch to the switch `target`, over links within a
        level as well; switches without a path are left out.

        Returns {} for a tiered fabric, which has no links within a level.
        """
        distances, newly_reached = {target: 0}, [target]
        while newly_reached and not self._is_tiered:
            neighbours = dict.fromkeys(
                neighbour
                for device in newly_reached
                for _, neighbour in self._links[device]
                if neighbour in self._levels
            )
            newly_reached = [neighbour for neighbour in neighbours if neighbour not in distances]
            distances |= dict.fromkeys(newly_reached, max(distances.values()) + 1)
        return {} if self._is_tiered else distances

    @cached_property
    def _targets(self) -> list[tuple[str, str]]:
        """(address, switch) of every loopback that BGP announces, and of every host."""
        targets = []
        for end, addresses in self.right.addresses.items():
            if end.port == LOOPBACK and self.right.devices[end.device]["asn"]:
                targets += [(address.partition("/")[0], end.device) for address in addresses]
            elif end.device in self.right.hosts and end in self._far:
                targets += [(address.partition("/")[0], self._far[end].device) for address in addresses]
        return targets

    @cached_property
    def _tables(self) -> dict[str, list[KernelRoute]]:
        """The routes of each switch, the longest prefixes first."""
        return ask_each(lambda device: inside.read_routes(self.lab, device), self.right.switches)

    def check_routes(self) -> Iterator[LabFinding]:
        """Yield a finding for each switch whose route to a loopback or host does not use exactly the ports of the
        shortest paths.

        Targets of one switch with the same used and the same planned ports share a finding, which names the first.
        Switches that `_find_shortest_ports` leaves out are not judged.
        """
        targets_by_fault = defaultdict[tuple[str, frozenset[str], frozenset[str]], list[str]](list)
        for address, target in self._targets:
            for device, planned in self._find_ports_towards(target).items():
                ports = self._find_route_ports(device, address)
                if ports != planned:
                    targets_by_fault[device, ports, frozenset(planned)].append(f"{address} of {target}")
        for (device, ports_used, ports_planned), targets in targets_by_fault.items():
            way = f"over {', '.join(sorted(ports_used))}" if ports_used else "nowhere"
            others = f" and {len(targets) - 1} more" if len(targets) > 1 else ""
            message = f"{targets[0]}{others} go{'es' * (not others)} {way}, wanted {', '.join(sorted(ports_planned))}"
            yield LabFinding("route", device, "", message)

    def _find_route_ports(self, device: str, address: str) -> frozenset[str]:
        """Return the ports of the route that a device uses for an address; no ports if it has no route, or if the route
        drops packets.
        """
        target = ip_address(address)
        return next((route.ports for route in self._tables[device] if target in route.network), frozenset())

    def find_leaks(self) -> Iterator[LabFinding]:
        """Yield every route of a switch that it should not have.

        That is a BGP route to a prefix that is neither a loopback in the switch's reach nor has hosts in it, or that
        has addresses of links between switches in it; and a static route that no configuration has. Static routes and
        aggregates of configurations are no leaks.
        """
        host_ends = [end for end in self.right.far if end.device in self.right.hosts]
        hosts = [ip_interface(address).ip for end in host_ends for address in self.right.addresses.get(end, ())]
        switches = set(self.right.switches)
        link_addresses = [
            ip_interface(address).ip
            for near, far in self.right.far.items()
            if {near.device, far.device} <= switches
            for address in self.right.addresses.get(near, ())
        ]
        forms = self.right.forms.values()
        static = {ip_network(prefix) for form in forms for _, prefix in form.routes}
        static |= {ip_network(prefix) for form in forms for bgp in form.bgp.values() for prefix in bgp.aggregates}
        for device, table in self._tables.items():
            reachable = [
                a for a, target in self._targets if not self._is_tiered or device in self._find_ports_towards(target)
            ]
            loopbacks = [ip_address(address) for address in reachable]
            for network, maker in ((route.network, route.maker) for route in table):
                is_single_address = network.prefixlen == network.max_prefixlen
                allowed_addresses = loopbacks if is_single_address else hosts
                is_planned = any(a in network for a in allowed_addresses) or network in static
                if maker == BGP and (not is_planned or any(a in network for a in link_addresses)):
                    message = f"{network} is learned, and is neither a loopback nor a prefix of hosts"
                    yield LabFinding("leak", device, "", message)
                elif maker not in (BGP, KERNEL, ADVERTISED) and network not in static:
                    yield LabFinding("leak", device, "", f"{network} is a static route, and no configuration has it")

    def _find_ports_towards(self, target: str) -> dict[str, set[str]]:
        """Return the ports of shortest paths to a device, by device; computed once."""
        if target not in self._ports_by_target:
            self._ports_by_target[target] = self._find_shortest_ports(target)
        return self._ports_by_target[target]

    @cached_property
    def _ports_by_target(self) -> dict[str, dict[str, set[str]]]:
        return {}

    def check_pings(self) -> Iterator[LabFinding]:
        """Yield a finding for each address of the last host of each leaf that does not answer pings.

        They are sent from the first host of another leaf that has a path there; without one, none is sent.
        """
        hosts = [near for near in self._far if near.device not in self.right.forms and self.right.addresses.get(near)]
        last_hosts = {self._far[near].device: near for near in hosts}
        # of several hosts of a leaf, a dict keeps the last that it is given: the first of them here, the last above
        first_hosts = {self._far[near].device: near for near in reversed(hosts)}
        probes = []
        for leaf, target in last_hosts.items():
            ports_of_switches = self._find_ports_towards(leaf)
            # None if no other leaf with a host has a path to this leaf
            source = next((first_hosts[other] for other in last_hosts if other in ports_of_switches), None)
            if source:
                probes += [
                    (source, target, leaf, address.partition("/")[0]) for address in self.right.addresses[target]
                ]

        def send_probe(probe: tuple[BuiltEnd, BuiltEnd, str, str]) -> bool:
            return self.lab.answers_ping(probe[0].device, probe[0].port, probe[3])

        with ThreadPoolExecutor() as pool:
            for (source, target, leaf, address), answers in zip(probes, pool.map(send_probe, probes), strict=True):
                if not answers:
                    message = f"{address} of {target} behind {leaf} does not answer"
                    yield LabFinding("ping", source.device, source.port, message)
