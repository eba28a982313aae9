"""The source ports that lead packets over a path, where it is known how switches hash.

A switch takes, of n equal next hops in the order of links.csv, the one whose number is its hash modulo n. The hash is
of both addresses, the protocol, and both ports; two models of it are known by name.

- `crc32`: CRC-32 (IEEE 802.3) of these bytes in this order, turned right by twice the seed of the switch. A CRC is
  linear, so that a seed that is only begun with, or added, changes the same bits of all hashes; chips take other bits
  of it instead (Zhang et al., Hashing Linearity Enables Relative Path Control in Data Centers, USENIX ATC 2021).
- `xor`: the exclusive or of the same as words of 16 bits, turned right by the seed.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.addons.probing.graph import NONE
from fabricgen.addons.probing.paths import Choices

if TYPE_CHECKING:
    import numpy.typing as npt

    from fabricgen.addons.probing.graph import Graph, Ints
    from fabricgen.addons.probing.paths import Paths

MODELS = ("crc32", "xor")
UDP, TO_PORT = 17, 862
"""Probes go to the port of STAMP (RFC 8762), whose reflectors count what arrives."""
PORTS = range(49152, 65536)
"""Source ports to choose from: the dynamic ones (RFC 6335)."""
TRIES, BLOCK = 7, 1 << 20
"""Ports to be tried for each combination of next hops; hashes that are reckoned at once."""
FAR = 100
"""Climbs to what cannot be reached."""


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
    def _climbs(self) -> tuple[Ints, npt.NDArray[np.int8]]:
        """(column of each switch with endpoints; by device and column, how many links packets climb to there, int8)"""
        graph = self.graph
        leaves = np.unique(graph.upper[graph.level == 0])
        column = np.zeros(len(graph.height), dtype=np.int64)
        column[leaves] = np.arange(len(leaves))
        climbs = np.full((len(graph.height), len(leaves)), FAR, dtype=np.int8)
        climbs[leaves, np.arange(len(leaves))] = 0
        for level in range(1, graph.levels):
            here = np.flatnonzero(graph.level == level)
            for edge in here.tolist():
                below = climbs[graph.lower[edge]] == 0
                climbs[graph.upper[edge], below] = 0
        for level in range(graph.levels - 1, 0, -1):
            for edge in np.flatnonzero(graph.level == level).tolist():
                lower = graph.lower[edge]
                climbs[lower] = np.minimum(climbs[lower], climbs[graph.upper[edge]] + 1)
        return column, climbs

    def _list_steps(self, paths: Paths) -> list[_Step]:
        """What each switch chooses among on its way, one level after the other."""
        graph, (column, climbs) = self.graph, self._climbs
        edges = np.flatnonzero(graph.level > 0)
        switches = len(graph.height)
        up, down = Choices.group_edges(edges, graph.lower, switches), Choices.group_edges(edges, graph.upper, switches)
        far = column[graph.upper[paths.down[:, 0]]]
        steps = []
        for chosen, choices, near, next_end in (
            *((paths.up[:, level], up, graph.lower, graph.upper) for level in range(1, graph.levels)),
            *((paths.down[:, level], down, graph.upper, graph.lower) for level in range(1, graph.levels)),
        ):
            rows = np.flatnonzero(chosen >= 0)
            number, count = np.zeros(len(paths), dtype=np.int64), np.ones(len(paths), dtype=np.int64)
            for part in np.array_split(rows, len(rows) // 50_000 + 1):
                switch = near[chosen[part]]
                owner, others = choices.list_all(switch)
                # upward one climb less is left, downward none
                left = np.maximum(climbs[switch, far[part]] - 1, 0) if choices is up else np.zeros(len(part))
                usable = climbs[next_end[others], far[part][owner]] == left[owner]
                usable &= (climbs[switch, far[part]] > 0)[owner] == (choices is up)
                count[part] = np.bincount(owner, usable, len(part))
                number[part] = np.bincount(owner, usable & (others < chosen[part][owner]), len(part))
                taken = np.bincount(owner, usable & (others == chosen[part][owner]), len(part)) > 0
                number[part[~taken]] = NONE  # which no hash is
            steps.append(_Step(number, np.maximum(count, 1), np.where(chosen >= 0, self.seeds[near[chosen]], 0)))
        return steps


@dataclass(frozen=True)
class _Step:
    """By path, the number of its next hop, among how many, and the seed of the switch that chooses."""

    number: Ints
    count: Ints
    seed: Ints
