"""Equal shortest paths of one fabric over its links, as wired.

Switches and trays forward, nodes and extra devices do not. Parallel links between two devices are separate paths, as
for ECMP. Weights, policies and the routes of exits are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import did_you_mean
from fabricgen.wiring.arrays import Flags, Ints, Ints64, unique_values
from fabricgen.wiring.tables import SWITCH, TRAY

FAR = -1
"""The distance of what cannot be reached."""


@dataclass(frozen=True, slots=True)
class Path:
    """A way from a device to another: the names of all devices on it, the links between them (rows of `links`), and
    the speed of its slowest link, Gb/s.
    """

    devices: tuple[str, ...]
    links: tuple[int, ...]
    gbps: float


@dataclass(frozen=True, slots=True)
class End:
    """Where a path begins or ends: `device` is a row of the device table; `link` is the row in `links` of the link by
    which the path has to leave or arrive, -1 for any link of the device.
    """

    device: int
    link: int


class FabricPaths:
    """The links over which the nodes of one fabric talk, and paths over them."""

    def __init__(self, cluster: Cluster, fabric: str) -> None:
        """Gather the links of a fabric by device; raises ValueError if there is no such fabric."""
        self._cluster, self.fabric = cluster, fabric
        links = cluster.plan.links
        rows = np.flatnonzero(np.isin(links.segment, np.flatnonzero(_find_segments(cluster, fabric))))
        ends = np.concatenate((links.a_device[rows], links.b_device[rows]))
        # each link twice, once for each end, by device: those of device i are from _start[i] to _start[i + 1]
        order = np.argsort(ends, kind="stable")
        self._link: Ints64 = np.concatenate((rows, rows))[order]
        self._neighbor: Ints = np.concatenate((links.b_device[rows], links.a_device[rows]))[order]
        counts = np.bincount(ends, minlength=len(cluster.plan.devices))
        self._start: Ints64 = np.append(0, np.cumsum(counts))

    @cached_property
    def _forwards(self) -> Flags:
        """Whether each device passes packets on."""
        devices = self._cluster.plan.devices
        return np.isin([cls.kind for cls in devices.classes], (SWITCH, TRAY))[devices.device_class]

    @cached_property
    def _row_by_name(self) -> dict[str, int]:
        """The row of each device by its name."""
        return {name: row for row, name in enumerate(self._cluster.names)}

    def find_end(self, text: str) -> End:
        """Return a device by name, or a port of it as `DEVICE:PORT`; raises ValueError if the fabric has neither."""
        if text in self._row_by_name:
            return End(self._row_by_name[text], -1)
        device, colon, port = text.partition(":")
        if device not in self._row_by_name:
            raise ValueError(f"there is no device '{device}'. {did_you_mean(device, self._cluster.names)}")
        row = self._row_by_name[device]
        a_port, b_port = self._cluster.port_names.port_columns
        links_by_port: dict[str, int] = {}
        for link in np.sort(self._link[self._start[row] : self._start[row + 1]]).tolist():
            names = a_port if self._cluster.plan.links.a_device[link] == row else b_port
            links_by_port[names[link]] = link
        if not colon or port not in links_by_port:
            raise ValueError(
                f"{device} has no port '{port}' with a link in {self.fabric}. {did_you_mean(port, links_by_port)}"
            )
        return End(row, links_by_port[port])

    def find_ends(self, a: str, b: str) -> tuple[End, End]:
        """Return both ends of a path; raises ValueError as `find_end` does, and if both are on one device."""
        ends = self.find_end(a), self.find_end(b)
        if ends[0].device == ends[1].device:
            raise ValueError(f"'{a}' and '{b}' are one device")
        return ends

    def measure_distances(self, end: End, barred: int = -1) -> Ints:
        """Return how many links a shortest path from each device to an end has, int32; -1 if there is none.

        No path passes the device `barred`.
        """
        distance = np.full(len(self._cluster.plan.devices), FAR, dtype=np.int32)
        distance[end.device] = 0
        reached = np.array([end.device], dtype=np.int64)
        while len(reached):
            places = self._find_link_places(reached)
            if end.link >= 0 and reached[0] == end.device:
                # the first step out of a port is over its own link alone
                places = places[self._link[places] == end.link]
            neighbors = self._neighbor[places]
            new = np.array(
                unique_values(neighbors[(distance[neighbors] == FAR) & (neighbors != barred)]), dtype=np.int64
            )
            distance[new] = distance[reached[0]] + 1
            # nodes are reached, and lead nowhere
            reached = new[self._forwards[new]]
        return distance

    def count_paths(self, a: End, b: End) -> int:
        """Return how many equal shortest paths lead from a to b."""
        distance, onward, steps = self.measure_distances(b, a.device), dict[int, list[tuple[int, int]]](), [{a.device}]
        while steps[-1]:
            onward |= {device: self._list_next_hops(device, a, b, distance) for device in steps[-1]}
            steps.append({neighbor for device in steps[-1] for _, neighbor in onward[device]})
        # from the far end back: as many paths lead on from a device as from all of its next ones together
        path_counts = {b.device: 1}
        for device in (device for step in reversed(steps) for device in step - {b.device}):
            path_counts[device] = sum(path_counts[neighbor] for _, neighbor in onward[device])
        return path_counts[a.device]

    def list_paths(self, a: End, b: End) -> Iterator[Path]:
        """Yield the equal shortest paths from a to b, in the order of their links."""
        distance = self.measure_distances(b, a.device)
        links, names = self._cluster.plan.links, self._cluster.names
        stack: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((a.device,), ())]
        while stack:
            devices, path_links = stack.pop()
            if devices[-1] == b.device:
                speed = min(float(links.segments[links.segment[link]].speed_gbps) for link in path_links)
                yield Path(tuple(names[device] for device in devices), path_links, speed)
                continue
            onward = self._list_next_hops(devices[-1], a, b, distance)
            # last in, first out: reversed, so that the first link is followed first
            stack += [((*devices, neighbor), (*path_links, link)) for link, neighbor in reversed(onward)]

    def _list_next_hops(self, device: int, a: End, b: End, distance: Ints) -> list[tuple[int, int]]:
        """Return (link, next device) of each way by which a shortest path from a to b goes on from a device, sorted by
        link.

        There is none at b itself. `distance` is the number of links from each device to b, measured with a barred
        (`measure_distances`), so that no path comes back to a.
        """
        device_links = slice(int(self._start[device]), int(self._start[device + 1]))
        neighbors, links = self._neighbor[device_links], self._link[device_links]
        is_usable = (distance[neighbors] >= 0) & (self._forwards[neighbors] | (neighbors == b.device))
        if device == a.device and a.link >= 0:
            is_usable &= links == a.link
        if b.link >= 0:
            is_usable &= (neighbors != b.device) | (links == b.link)
        neighbors, links = neighbors[is_usable], links[is_usable]
        # the barred device has no distance of its own: its nearest neighbours count
        nearest = distance[device] - 1 if device != a.device else int(distance[neighbors].min(initial=distance.max()))
        chosen = distance[neighbors] == nearest
        return sorted(zip(links[chosen].tolist(), neighbors[chosen].tolist(), strict=True))

    def _find_link_places(self, devices: Ints64) -> Ints64:
        """Return the indexes, in `_link` and `_neighbor`, of the links of some devices: those of the first one, then of
        the next.
        """
        counts = self._start[devices + 1] - self._start[devices]
        # slices one after another without a loop: each place is the start of its slice plus how far it is into it
        starts_in_result = np.cumsum(counts) - counts
        return np.repeat(self._start[devices] - starts_in_result, counts) + np.arange(int(counts.sum()), dtype=np.int64)


def _find_segments(cluster: Cluster, fabric: str) -> Flags:
    """Return which segments carry traffic of a fabric; bool by segment, the links from one line of the blueprint.

    These are the segments of the fabric itself, or those of its carrier if its hosts share the carrier's ports; and
    segments between switches of all fabrics that are joined with it, directly or through others. A fabric is joined
    with its carrier, and the fabrics of sites are joined with the fabric above their spines. Raises ValueError if there
    is no such fabric.
    """
    segments = cluster.plan.links.segments
    fabrics_by_name = {design.name: design for design in cluster.design.fabrics}
    if fabric not in fabrics_by_name and fabric not in (
        link_fabrics := sorted({segment.fabric for segment in segments})
    ):
        raise ValueError(f"there is no fabric '{fabric}'. {did_you_mean(fabric, [*fabrics_by_name, *link_fabrics])}")
    # a VLAN on the ports of another fabric has its hosts there
    at_hosts = fabric
    while at_hosts in fabrics_by_name and fabrics_by_name[at_hosts].shares_ports:
        at_hosts = fabrics_by_name[at_hosts].carrier
    host_flags = [segment.fabric == at_hosts for segment in segments]
    owners = [{key.fabric for key in (segment.lower_tier, segment.tier) if key} for segment in segments]
    joined_fabrics = {fabric}.union(*(owner for owner, at_host in zip(owners, host_flags, strict=True) if at_host))
    fabric_pairs = [owner if segment.lower_tier else set() for owner, segment in zip(owners, segments, strict=True)]
    # fabrics that are joined with those joined so far, until none is new
    while joining := set().union(*(pair for pair in fabric_pairs if pair & joined_fabrics)) - joined_fabrics:
        joined_fabrics |= joining
    is_carrying: Flags = np.array(
        [at_host or bool(pair & joined_fabrics) for at_host, pair in zip(host_flags, fabric_pairs, strict=True)],
        dtype=bool,
    )
    return is_carrying
