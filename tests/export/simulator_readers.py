"""What simulators make of the files that are written for them, by the rules of their readers' sources.

Analytical: github.com/astra-sim/astra-network-analytical@599a0473, NetworkParser.cpp (check_validity),
MultiDimTopology.cpp (translate_address, get_dim_to_transfer), basic-topology/*.cpp, NetworkFunction.cpp. ns-3:
github.com/astra-sim/astra-network-ns3@8fd36047, scratch/common.h (SetupNetwork, CalculateRoute, node_id_to_ip) and
src/network/utils/data-rate.cc; SimAI: github.com/aliyun/SimAI@cef83f9d, network_frontend/ns3/common.h and
AstraSimNetwork.cc.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from ruamel.yaml import YAML

HOPS = {
    "Switch": lambda a, b, n: 2,
    "FullyConnected": lambda a, b, n: 1,
    "Ring": lambda a, b, n: min(abs(a - b), n - abs(a - b)),
}


@dataclass
class Analytical:
    """A network of the analytical model: building block, NPUs, GB/s and ns of each dimension."""

    topology: list[str]
    npus: list[int]
    bandwidth: list[float]
    latency: list[float]

    @classmethod
    def read(cls, text: bytes) -> Analytical:
        """As NetworkParser reads it; an assertion fails where that would exit."""
        data = YAML(typ="safe").load(text)
        made = cls(data["topology"], data["npus_count"], data["bandwidth"], data["latency"])
        assert set(made.topology) <= set(HOPS)
        assert len(made.topology) == len(made.npus) == len(made.bandwidth) == len(made.latency) > 0
        assert all(isinstance(npus, int) and npus > 1 for npus in made.npus)
        assert min(made.bandwidth) > 0 <= min(made.latency)
        return made

    def address(self, npu: int) -> list[int]:
        """The place of an NPU in each dimension; the first varies fastest."""
        found = []
        for npus in self.npus:
            npu, place = divmod(npu, npus)
            found.append(place)
        return found

    def send(self, a: int, b: int, size: int) -> float:
        """How long bytes take from one NPU to another, ns."""
        pairs = list(zip(self.address(a), self.address(b), strict=True))
        dim = next(d for d, (x, y) in enumerate(pairs) if x != y)
        hops = HOPS[self.topology[dim]](*pairs[dim], self.npus[dim])
        return hops * self.latency[dim] + size / (self.bandwidth[dim] * 2**30 / 1e9)


def bits(rate: str) -> int:
    """A rate as ns-3 reads it, bit/s."""
    found = re.fullmatch(r"([0-9.]+)(bps|Gbps)", rate)
    assert found
    return int(float(found[1]) * (1e9 if found[2] == "Gbps" else 1))


@dataclass
class Packets:
    """A topology of ns-3: kind of each vertex (0 accelerator, 1 switch, 2 NVSwitch) and links by neighbour."""

    kinds: list[int]
    links: dict[int, dict[int, tuple[int, int]]] = field(default_factory=lambda: defaultdict(dict))
    """By vertex and neighbour: bit/s and ns."""
    each: int = 0
    accelerator: str = ""

    @classmethod
    def read(cls, text: bytes, *, simai: bool = False) -> Packets:
        """As SetupNetwork reads it, SimAI's or that of ASTRA-sim."""
        words = iter(text.decode().split())
        vertices, each = int(next(words)), int(next(words)) if simai else 0
        special = int(next(words)) if simai else 0
        switches, links = int(next(words)), int(next(words))
        made = cls([0] * vertices, each=each, accelerator=next(words) if simai else "")
        for kind, number in ((2, special), (1, switches)):
            for _ in range(number):
                made.kinds[int(next(words))] = kind
        for number in range(links):
            a, b = int(next(words)), int(next(words))
            rate, delay, errors = bits(next(words)), next(words), float(next(words))
            assert (delay[-2:], errors, a != b) == ("ns", 0, True)
            assert b not in made.links[a], "a second link of one pair replaces the first in nbr2if"
            IPv4Address(f"10.{number // 254 + 1}.{number % 254 + 1}.0")
            made.links[a][b] = made.links[b][a] = (rate, int(delay[:-2]))
        assert next(words, None) is None, "SetupNetwork reads no more"
        assert vertices <= 2**16, "node_id_to_ip has two bytes for the vertex"
        assert max(map(len, made.links.values())) <= 1024, "switch-mmu.h: pCnt"
        assert set(made.links) == set(range(vertices)), "RdmaHw asks the first device of every vertex"
        return made

    @property
    def accelerators(self) -> int:
        """How many there are; they have the lowest numbers."""
        assert self.kinds == sorted(self.kinds, key=bool)
        return self.kinds.count(0)

    def hops(self, source: int) -> dict[int, tuple[int, int]]:
        """(links, ns) of a shortest path to each vertex that is reached: only switches pass on (CalculateRoute)."""
        found, queue = {source: (0, 0)}, [source]
        for now in queue:
            for far, (_, ns) in self.links[now].items():
                if far not in found:
                    found[far] = (found[now][0] + 1, found[now][1] + ns)
                    if self.kinds[far]:
                        queue.append(far)
        return found

    def total_gbps(self, vertex: int, kinds: tuple[int, ...] = (0, 1, 2)) -> float:
        """What a vertex sends to neighbours of some kinds, Gb/s."""
        return math.fsum(rate for far, (rate, _) in self.links[vertex].items() if self.kinds[far] in kinds) / 1e9
