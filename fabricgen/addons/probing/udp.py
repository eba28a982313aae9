"""The source ports that lead packets over a path, if it is known how switches hash, or if paths were learnt.

Among n equal next hops in the order of links.csv, a switch takes the one whose number is its hash modulo n. The hash is
of both addresses, the protocol, and both ports; two models of it have names.

- `crc32`: CRC-32 (IEEE 802.3) of these bytes in this order, rotated right by twice the seed of the switch. A CRC is
linear, so that a seed that is only prepended, or added, changes the same bits of all hashes; chips use other bits of it
instead (Zhang et al., Hashing Linearity Enables Relative Path Control in Data Centers, USENIX ATC 2021).

- `xor`: the exclusive or of the same bytes as words of 16 bits, rotated right by the seed.

Paths that were learnt in the hall are the output of traceroute between pairs of endpoints, for one source port at a
time.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, permutations
from pathlib import Path
from typing import Any

import numpy as np

from fabricgen.addons.probing.graph import NONE, Graph
from fabricgen.addons.probing.paths import Choices, Paths
from fabricgen.addons.probing.tables import parse_numbers, read_rows, refuse
from fabricgen.api import ClusterView, Ints64

UDP, TO_PORT = 17, 862
"""Probes go to the port of STAMP (RFC 8762), whose reflectors count the packets that arrive."""
PORTS = range(49152, 65536)
"""Source ports to choose from: the dynamic ones (RFC 6335)."""
TRIES, BLOCK = 7, 1 << 20
"""Ports to try for each combination of next hops, and hashes that are computed together."""
FAR = 100
"""Number of links to what cannot be reached."""
MOST_AT_ONCE = 50_000
"""Paths whose next hops are listed together."""
GAP = "*"
"""What traceroute prints for a switch that does not answer; a path with such a switch is left out."""


@dataclass(frozen=True)
class HashedPorts:
    """Finds the source ports of paths in a graph whose edges are single links; `model` is `crc32` or `xor`."""

    graph: Graph
    addresses: list[bytes]
    """By edge from an endpoint, the address of the endpoint."""
    model: str
    seeds: Ints64
    """By row of `Graph.height`, the seed of the switch."""

    def __call__(self, paths: Paths) -> Ints64:
        """Return the first source port that leads packets over each path; -1 if none does, or if the path is not a
        shortest one.
        """
        steps = self._list_steps(paths)
        pairs = zip(paths.up[:, 0].tolist(), paths.down[:, 0].tolist(), strict=True)
        hashes_of_0 = [self._hash_fields(self.addresses[sender] + self.addresses[target]) for sender, target in pairs]
        start = np.array(hashes_of_0, dtype=np.uint32)
        # after this many ports, each combination of next hops has come up for all but one path in a thousand
        tries = np.full(len(paths), TRIES)
        for number, count, _ in steps:
            tries = np.where(number == NONE, 0, np.minimum(tries * count, len(PORTS)))
        ports, tried, waiting = np.full(len(paths), NONE), 0, np.flatnonzero(tries)
        while len(waiting):
            changes = self._changes_by_port[tried : tried + BLOCK // len(waiting) + 1]
            hashes, fits = start[waiting, None] ^ changes, np.ones((len(waiting), len(changes)), dtype=bool)
            for number, count, seed in steps[:, :, waiting, None]:
                fits &= self._turn_right(hashes, seed) % count == number
            is_led = fits.any(axis=1)
            ports[waiting[is_led]] = PORTS[0] + tried + fits[is_led].argmax(axis=1)
            tried += len(changes)
            waiting = waiting[~is_led & (tries[waiting] > tried)]
        return ports

    @cached_property
    def _changes_by_port(self) -> Ints64:
        """The bits that each source port changes in any hash, by index in `PORTS`; they are the same for all, as hashes
        are linear.
        """
        nowhere = bytes(2 * len(max(self.addresses)))
        return np.array(
            [self._hash_fields(nowhere, port) ^ self._hash_fields(nowhere) for port in PORTS], dtype=np.uint32
        )

    def _hash_fields(self, addresses: bytes, port: int = 0) -> int:
        ports = port.to_bytes(2, "big") + TO_PORT.to_bytes(2, "big")
        if self.model == "crc32":
            return zlib.crc32(addresses + bytes([UDP]) + ports)
        return int(np.bitwise_xor.reduce(np.frombuffer(addresses + bytes([0, UDP]) + ports, dtype=">u2")))

    def _turn_right(self, hashes: Ints64, seed: Ints64) -> Ints64:
        """Return hashes rotated right by a number of bits that follows from the seed of the switch."""
        width, shift = (32, 2 * seed % 32) if self.model == "crc32" else (16, seed % 16)
        hashes_64 = hashes.astype(np.int64)
        return (hashes_64 >> shift | hashes_64 << (width - shift)) & ((1 << width) - 1)

    @cached_property
    def _distances(self) -> tuple[Ints64, Any]:
        """(column, distances): how many links each device is away from each switch with endpoints.

        `distances` is int8 with a row for each device and a column for each of these switches; `column` has, by switch,
        its column there.
        """
        graph, column = self.graph, np.zeros(len(self.graph.height), dtype=np.int64)
        leaves = np.unique(graph.upper[graph.level == 0])
        column[leaves] = np.arange(len(leaves))
        distances = np.full((len(graph.height), len(leaves)), FAR, dtype=np.int8)
        distances[leaves, column[leaves]] = 0
        between = np.argsort(graph.level, kind="stable")[int((graph.level == 0).sum()) :]
        lower, upper = graph.lower[between].tolist(), graph.upper[between].tolist()
        # first distances to switches below, from the leaves up, then to those reached by climbing, from the top down
        for nearer, switch in chain(zip(lower, upper, strict=True), zip(upper[::-1], lower[::-1], strict=True)):
            distances[switch] = np.minimum(distances[switch], distances[nearer] + 1)
        return column, distances

    def _list_steps(self, paths: Paths) -> Ints64:
        """Return what switches choose among on each path, int64 of shape (steps, 3, paths).

        The three are the number of the next hop among those that the switch may choose, from 0 (-1 if no hash leads to
        it, as it is on no shortest path), the number of next hops, and the seed of the switch. A step that a path does
        not have is number 0 of 1.
        """
        graph, (column, distances), edge_count = self.graph, self._distances, len(self.graph)
        # edges upward, and then the same downward
        edge_start, edge_end = np.concatenate((graph.lower, graph.upper)), np.concatenate((graph.upper, graph.lower))
        between_switches = np.flatnonzero(graph.level > 0)
        choices = Choices.group_edges(
            np.concatenate((between_switches, edge_count + between_switches)), edge_start, len(graph.height)
        )
        # edges are numbered as in `edge_start`: those downward after all those upward
        down_edges, targets = np.where(paths.down >= 0, edge_count + paths.down, NONE), graph.upper[paths.down[:, 0]]
        edges_of_paths = np.concatenate((paths.up[:, 1:], down_edges[:, 1:]), axis=1).T
        seeds = np.where(edges_of_paths >= 0, self.seeds[edge_start[edges_of_paths]], 0)
        steps = np.stack((np.zeros_like(edges_of_paths), np.ones_like(edges_of_paths), seeds), axis=1)
        for step, edge_by_path in zip(steps, edges_of_paths, strict=True):
            rows = np.flatnonzero(edge_by_path >= 0)
            for batch in np.array_split(rows, len(rows) // MOST_AT_ONCE + 1):
                switch, edge = edge_start[edge_by_path[batch]], edge_by_path[batch]
                owner, candidates = choices.list_all(switch)
                is_usable = (
                    distances[edge_end[candidates], column[targets[batch]][owner]]
                    == distances[switch, column[targets[batch]]][owner] - 1
                )
                is_taken = np.bincount(owner, is_usable & (candidates == edge[owner]), len(batch)) > 0
                candidates_before = np.bincount(owner, is_usable & (candidates < edge[owner]), len(batch))
                step[0, batch] = np.where(is_taken, candidates_before, NONE)
                step[1, batch] = np.maximum(np.bincount(owner, is_usable, len(batch)), 1)
        return steps


class Tracer:
    """Finds the links between switches that `traceroute` reports, by addresses of ports or switches, or by name.

    It knows only the links at some rows of `view.links`.
    """

    def __init__(self, view: ClusterView, rows: Ints64) -> None:
        links = view.links
        self.devices = {name: row for row, name in enumerate(view.devices.name.tolist())}
        owners = zip(view.addresses.prefix.tolist(), view.addresses.device.tolist(), strict=True)
        self.devices |= {text.partition("/")[0]: self.devices[name] for text, name in owners if name in self.devices}
        self._link_by_address: dict[str, int] = {}
        self._links_by_ends: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for row in rows.tolist():
            for ends in permutations((int(links.a[row]), int(links.b[row]))):
                self._links_by_ends[ends].append(row)
            for address in filter(None, (links.a_ip[row], links.b_ip[row])):
                self._link_by_address[address.partition("/")[0]] = row

    def find_links(self, device: int, next_device: int, hop: str) -> list[int]:
        """Return the rows of the links from a device to the next one that a packet may have taken.

        It is the one link that `hop`, the address or name that answered, belongs to; all links between the two if `hop`
        does not tell; none if no link joins them.
        """
        links, entered_link = (
            self._links_by_ends.get((device, next_device), []),
            self._link_by_address.get(hop, NONE),
        )
        return [entered_link] if entered_link in links else links


class Learner:
    """Reads learnt paths of a fabric, whose switches are named as in `Tracer`."""

    def __init__(self, view: ClusterView, graph: Graph, file: Path) -> None:
        self._graph, self._file, self._links, self._names = graph, file, view.links, view.devices.name
        rows = np.flatnonzero(graph.edge_of_link >= 0)
        self._tracer = Tracer(view, rows)
        self._row_by_name = {view.links.name[row]: row for row in rows.tolist()}

    def read_paths(self) -> tuple[Paths, int]:
        """Return the paths, and how many were left out because a switch did not answer.

        Raises InputError (FG181) for a row that names something unknown, or a path that the fabric does not have.
        """
        edges_of_paths, ports, paths_with_gaps = list[tuple[list[int], list[int]]](), list[float](), 0
        for line, source, target, port, hops in read_rows(self._file, ("from", "to", "source_port", "hops")):
            if GAP in hops.split():
                paths_with_gaps += 1
                continue
            ports += parse_numbers([port], "source_port", self._file, [line], most=65535).tolist()
            edges_of_paths.append(self._split_at_turn(self._follow_hops(source, target, hops.split(), line), line))
        up_edges, down_edges = (
            np.array(edges_of_paths, dtype=np.int64).reshape(-1, 2, self._graph.levels).swapaxes(0, 1)
        )
        return Paths(up_edges, down_edges, np.nan_to_num(ports).astype(np.int64)), paths_with_gaps

    def _follow_hops(self, source: str, target: str, hops: list[str], line: int) -> list[int]:
        """Return the links, as rows, in the order in which packets cross them; nodes are at the a ends of theirs.

        Raises InputError (FG181), at this line of the file, for hops that the fabric does not have.
        """
        for name in (source, target):
            if name not in self._row_by_name:
                refuse(f"'{name}' is no port of an endpoint of the fabric (device:port)", self._file, line)
        rows, names = [self._row_by_name[source]], self._names
        switch = int(self._links.b[rows[0]])
        for number, hop in enumerate(hops):
            next_switch = self._tracer.devices.get(hop, NONE)
            if next_switch == NONE:
                refuse(f"'{hop}' is no address or name of a switch", self._file, line)
            # the first switch answers for the sender's own link
            joining = self._tracer.find_links(switch, next_switch, hop) if number else []
            if not number and next_switch != switch:
                refuse(f"{source} is cabled to {names[switch]}, and not to {names[next_switch]}", self._file, line)
            if number and len(joining) != 1:
                links_join = f"{len(joining)} links join" if joining else "no link joins"
                refuse(
                    f"{links_join} {names[switch]} and {names[next_switch]}",
                    self._file,
                    line,
                    hint="name the address of the port that it came in by" if joining else "",
                )
            rows += joining
            switch = next_switch
        if switch != self._links.b[self._row_by_name[target]]:
            refuse(f"the path ends at {names[switch]}, and {target} is elsewhere", self._file, line)
        return [*rows, self._row_by_name[target]]

    def _split_at_turn(self, rows: list[int], line: int) -> tuple[list[int], list[int]]:
        """Return the edges of a path over links by level, -1 for none: first those that lead up, then those that lead
        down.

        Raises InputError (FG181), at this line of the file, for a path that leads down and up again.
        """
        graph, links, turned = self._graph, self._links, False
        up_and_down, device = ([NONE] * graph.levels, [NONE] * graph.levels), links.a[rows[0]]
        for row in rows:
            edge, falls = int(graph.edge_of_link[row]), bool(links.b[row] == device)
            steps = [(edge, falls)]
            if graph.upper[edge] >= len(self._names):  # not a device: packets take both edges of the turning point
                both = np.flatnonzero(graph.upper == graph.upper[edge])[:: -1 if falls else 1].tolist()
                steps = list(zip(both, (False, True), strict=True))
            for step_edge, is_down in steps:
                if turned and not is_down:
                    refuse("the path leads down and up again", self._file, line)
                up_and_down[is_down][graph.level[step_edge]], turned = step_edge, is_down
            device = links.a[row] if falls else links.b[row]
        return up_and_down
