"""The source ports that lead packets over a path, where it is known how switches hash, or paths were learnt.

A switch takes, of n equal next hops in the order of links.csv, the one whose number is its hash modulo n. The hash is
of both addresses, the protocol, and both ports; two models of it are known by name.

- `crc32`: CRC-32 (IEEE 802.3) of these bytes in this order, turned right by twice the seed of the switch. A CRC is
  linear, so that a seed that is only begun with, or added, changes the same bits of all hashes; chips take other bits
  of it instead (Zhang et al., Hashing Linearity Enables Relative Path Control in Data Centers, USENIX ATC 2021).
- `xor`: the exclusive or of the same as words of 16 bits, turned right by the seed.

Paths that were learnt in the hall are what traceroute says of pairs of endpoints, a source port at a time.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.addons.probing.graph import NONE
from fabricgen.addons.probing.paths import Choices, Paths
from fabricgen.addons.probing.tables import parse_numbers, read_rows, refuse

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from fabricgen.addons.probing.graph import Graph, Ints
    from fabricgen.api import ClusterView

MODELS = ("crc32", "xor")
UDP, TO_PORT = 17, 862
"""Probes go to the port of STAMP (RFC 8762), whose reflectors count what arrives."""
PORTS = range(49152, 65536)
"""Source ports to choose from: the dynamic ones (RFC 6335)."""
TRIES, BLOCK = 7, 1 << 20
"""Ports to be tried for each combination of next hops; hashes that are reckoned at once."""
FAR = 100
"""Links to what cannot be reached."""


@dataclass(frozen=True)
class HashedPorts:
    """Finds the source ports of paths in a graph whose edges are single links."""

    graph: Graph
    ends: list[bytes]
    """By edge from an endpoint, the address of that."""
    model: str
    seeds: Ints
    """As `Graph.height` has rows."""

    def __call__(self, paths: Paths) -> Ints:
        """The first source port that leads packets over each path; -1 where none does, or it is no shortest one."""
        steps = self._list_steps(paths)
        pairs = zip(paths.up[:, 0].tolist(), paths.down[:, 0].tolist(), strict=True)
        start = np.array([self._hash_fields(self.ends[a] + self.ends[b]) for a, b in pairs], dtype=np.uint32)
        # after so many ports each combination of next hops has come up but for one path in a thousand
        tries = np.full(len(paths), TRIES)
        for step in steps:
            tries = np.where(step.number == NONE, 0, np.minimum(tries * step.count, len(PORTS)))
        ports, done = np.full(len(paths), NONE), 0
        alone = np.flatnonzero(tries)
        while len(alone):
            more = self._bits[done : done + BLOCK // len(alone) + 1]
            hashes, fits = start[alone, None] ^ more, np.ones((len(alone), len(more)), dtype=bool)
            for step in steps:
                number, count, seed = step.number[alone, None], step.count[alone, None], step.seed[alone, None]
                fits &= self._turn_right(hashes, seed) % count == number
            led = fits.any(axis=1)
            ports[alone[led]] = PORTS[0] + done + fits[led].argmax(axis=1)
            done += len(more)
            alone = alone[~led & (tries[alone] > done)]
        return ports

    @cached_property
    def _bits(self) -> Ints:
        """What each source port changes of all hashes: they are linear."""
        ends = bytes(2 * len(max(self.ends)))
        return np.array([self._hash_fields(ends, port) ^ self._hash_fields(ends) for port in PORTS], dtype=np.uint32)

    def _hash_fields(self, ends: bytes, port: int = 0) -> int:
        data = ends + bytes([UDP]) + port.to_bytes(2, "big") + TO_PORT.to_bytes(2, "big")
        if self.model == "crc32":
            return zlib.crc32(data)
        words = np.frombuffer(ends + bytes([0, UDP]) + data[-4:], dtype=">u2")
        return int(np.bitwise_xor.reduce(words))

    def _turn_right(self, hashes: Ints, seed: Ints) -> Ints:
        # turned right within its width
        width, by = (32, 2 * seed % 32) if self.model == "crc32" else (16, seed % 16)
        wide = hashes.astype(np.int64)
        return (wide >> by | wide << (width - by)) & ((1 << width) - 1)

    @cached_property
    def _hops(self) -> tuple[Ints, npt.NDArray[np.int8]]:
        """(column of each switch with endpoints; by device and column how many links packets take to there, int8)."""
        graph, column = self.graph, np.zeros(len(self.graph.height), dtype=np.int64)
        leaves = np.unique(graph.upper[graph.level == 0])
        column[leaves] = np.arange(len(leaves))
        hops = np.full((len(graph.height), len(leaves)), FAR, dtype=np.int8)
        hops[leaves, column[leaves]] = 0
        between = np.argsort(graph.level, kind="stable")[int((graph.level == 0).sum()) :]
        lower, upper = graph.lower[between].tolist(), graph.upper[between].tolist()
        # first what is below a switch, from the leaves up, then what it climbs to, from above down
        for far, near in chain(zip(lower, upper, strict=True), zip(upper[::-1], lower[::-1], strict=True)):
            hops[near] = np.minimum(hops[near], hops[far] + 1)
        return column, hops

    def _list_steps(self, paths: Paths) -> list[_Step]:
        """What each switch chooses among on its way, one level after the other."""
        graph, (column, hops), edges = self.graph, self._hops, len(self.graph)
        # edges upward, and then the same downward
        near, far = np.concatenate((graph.lower, graph.upper)), np.concatenate((graph.upper, graph.lower))
        between = np.flatnonzero(graph.level > 0)
        choices = Choices.group_edges(np.concatenate((between, edges + between)), near, len(graph.height))
        leaf, steps = column[graph.upper[paths.down[:, 0]]], []
        for chosen in (*paths.up[:, 1:].T, *np.where(paths.down >= 0, edges + paths.down, NONE)[:, 1:].T):
            number, count = np.zeros(len(paths), dtype=np.int64), np.ones(len(paths), dtype=np.int64)
            rows = np.flatnonzero(chosen >= 0)
            for part in np.array_split(rows, len(rows) // 50_000 + 1):
                switch, edge = near[chosen[part]], chosen[part]
                owner, others = choices.list_all(switch)
                usable = hops[far[others], leaf[part][owner]] == hops[switch, leaf[part]][owner] - 1
                count[part] = np.bincount(owner, usable, len(part))
                number[part] = np.bincount(owner, usable & (others < edge[owner]), len(part))
                is_taken = np.bincount(owner, usable & (others == edge[owner]), len(part)) > 0
                number[part[~is_taken]] = NONE  # which no hash is
            steps.append(_Step(number, np.maximum(count, 1), np.where(chosen >= 0, self.seeds[near[chosen]], 0)))
        return steps


@dataclass(frozen=True)
class _Step:
    """By path, the number of its next hop, among how many, and the seed of the switch that chooses."""

    number: Ints
    count: Ints
    seed: Ints


COLUMNS = ("from", "to", "source_port", "hops")
GAP = "*"
"""What traceroute prints for a switch that does not answer; such a path is left out."""


class Tracer:
    """Finds the links between switches that `traceroute` tells, by addresses of their ports, of themselves, or by name.

    `joining` has by two devices the links (rows) from one to the other, of those that are asked for.
    """

    def __init__(self, view: ClusterView, rows: Ints) -> None:
        links = view.links
        self.devices = {name: row for row, name in enumerate(view.devices.name.tolist())}
        owners = zip(view.addresses.prefix.tolist(), view.addresses.device.tolist(), strict=True)
        self.devices |= {text.partition("/")[0]: self.devices[name] for text, name in owners if name in self.devices}
        self._entered: dict[str, int] = {}
        self.joining: dict[tuple[int, int], list[int]] = defaultdict(list)
        for row in rows.tolist():
            near, far = int(links.a[row]), int(links.b[row])
            self.joining[near, far].append(row)
            self.joining[far, near].append(row)
            self._entered |= {text.partition("/")[0]: row for text in (links.a_ip[row], links.b_ip[row]) if text}

    def find_links(self, near: int, far: int, hop: str) -> list[int]:
        """The link from a device to the next that its answer came in by; all, where an address does not tell."""
        joining = self.joining.get((near, far), [])
        entered = self._entered.get(hop, NONE)
        return [entered] if entered in joining else joining


class Learner:
    """Reads paths of a fabric, whose switches are named as `Tracer` has it."""

    def __init__(self, view: ClusterView, graph: Graph, file: Path) -> None:
        self._graph, self._file, self._links, self._names = graph, file, view.links, view.devices.name
        rows = np.flatnonzero(graph.edge_of_link >= 0)
        self._tracer = Tracer(view, rows)
        self._ends = {view.links.name[row]: row for row in rows.tolist()}

    def read_paths(self) -> tuple[Paths, int]:
        """(the paths, how many were left out for a switch that did not answer).

        Raises InputError (FG181) for a row that names what there is not, or no path of the fabric.
        """
        up, down, ports, gaps = [], [], [], 0
        for line, source, target, port, hops in read_rows(self._file, COLUMNS):
            if GAP in hops.split():
                gaps += 1
                continue
            (number,) = parse_numbers([port], "source_port", self._file, [line], most=65535)
            climbed, descended = self._follow_hops(source, target, hops.split(), line)
            up.append(climbed)
            down.append(descended)
            ports.append(int(number) if number == number else 0)
        shape = (len(up), self._graph.levels)
        up_array, down_array = (np.array(side, dtype=np.int64).reshape(shape) for side in (up, down))
        return Paths(up_array, down_array, np.array(ports, dtype=np.int64)), gaps

    def _follow_hops(self, source: str, target: str, hops: list[str], line: int) -> tuple[list[int], list[int]]:
        # the edges by level, upward and downward
        for text in (source, target):
            if text not in self._ends:
                refuse(f"'{text}' is no port of an endpoint of the fabric (device:port)", self._file, line)
        first, last = self._ends[source], self._ends[target]
        rows, at = [first], int(self._links.b[first])
        for number, hop in enumerate(hops):
            device = self._tracer.devices.get(hop, NONE)
            if device == NONE:
                refuse(f"'{hop}' is no address or name of a switch", self._file, line)
            # the first switch answers for the sender's own link
            joining = self._tracer.find_links(at, device, hop) if number else []
            if not number and device != at:
                cabled = f"{source} is cabled to {self._names[at]}, and not to {self._names[device]}"
                refuse(cabled, self._file, line)
            if number and len(joining) != 1:
                what = f"{len(joining)} links join" if joining else "no link joins"
                hint = "name the address of the port that it came in by" if joining else ""
                refuse(f"{what} {self._names[at]} and {self._names[device]}", self._file, line, hint=hint)
            rows += joining
            at = device
        if at != self._links.b[last]:
            refuse(f"the path ends at {self._names[at]}, and {target} is elsewhere", self._file, line)
        return self._split_at_turn(rows, last, line)

    def _split_at_turn(self, rows: list[int], last: int, line: int) -> tuple[list[int], list[int]]:
        # what leads up, then what leads down
        graph, before = self._graph, 0
        sides, at = ([NONE] * graph.levels, [NONE] * graph.levels), self._links.a[rows[0]]
        for row in rows:
            edge, falls = int(graph.edge_of_link[row]), int(self._links.b[row] == at)
            steps = [(edge, falls)]
            if graph.upper[edge] >= len(self._names):  # no device: packets take both edges of the turning point
                both = np.flatnonzero(graph.upper == graph.upper[edge])[:: -1 if falls else 1].tolist()
                steps = list(zip(both, (0, 1), strict=True))
            for edge, side in steps:
                if side < before:
                    refuse("the path leads down and up again", self._file, line)
                sides[side][graph.level[edge]], before = edge, side
            at = self._links.a[row] if falls else self._links.b[row]
        sides[1][0] = int(graph.edge_of_link[last])
        return sides
