"""A hall of paper under load, which the plan and the judge of an acceptance test know nothing of.

Written from docs/sign-off.md and docs/outputs.md alone: it reads links.csv and devices.csv of a build and runs.csv of a
plan. Flows take links by a hash of their own; where packets spread, they divide over all equal ways. Rates are max-min
fair (Bertsekas and Gallager, Data Networks, 1992, 6.5.2: progressive filling). What tools print is written as they do.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from random import Random

Row = dict[str, str]
Way = dict[tuple[str, str], float]
"""(link, device from which it is passed) -> the share of a flow on it."""

REACHED = 0.97
"""What an idle pair reaches of line rate: more than is expected of it at least."""
NOISE = 0.02
PERFTEST = """\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 1\t\tTransport type : IB
 Link type       : Ethernet
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[{unit}/sec]    BW average[{unit}/sec]   MsgRate[Mpps]
 1048576    143052           0.00               {average:.2f}             0.046810
---------------------------------------------------------------------------------------
"""
PING = """\
PING {host} ({host}) 56(84) bytes of data.

--- {host} ping statistics ---
15 packets transmitted, {received} received, {loss}% packet loss, time 2803ms
rtt min/avg/max/mdev = 0.010/0.014/0.019/0.003 ms
"""
NCCL = """\
# nccl-tests version 2.17.1
# Using devices
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
  {size}    {count}   float   sum   -1   42015.1  204.45  {busbw:.2f}     0   42010.2  204.47  {busbw:.2f}     0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : {busbw:.4f}
"""


@dataclass
class PaperHall:
    """The links of a fabric, how fast each is (Gb/s, changed by faults), and the runs of a plan."""

    links: Mapping[str, Row]
    runs: list[Row]
    spread: bool = False
    seed: int = 0
    loopbacks: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, built: Path, planned: Path, fabric: str) -> PaperHall:
        """The hall of the folder of a build and that of a plan, of a fabric that hashes."""
        links = {row["link"]: row for row in read_rows((built / "links.csv").read_bytes()) if row["fabric"] == fabric}
        loopbacks = {row["device"]: row["loopback"] for row in read_rows((built / "devices.csv").read_bytes())}
        return cls(links, read_rows((planned / "runs.csv").read_bytes()), loopbacks=loopbacks)

    def __post_init__(self) -> None:
        self.gbps = {name: float(row["speed_gbps"]) for name, row in self.links.items()}
        self.random = Random(f"paper {self.seed}")

    @cached_property
    def neighbors(self) -> dict[str, dict[str, list[str]]]:
        """Switch -> switch next to it -> links between both: nodes do not forward."""
        found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        switches = {row["b_device"] for row in self.links.values()}
        for name, row in self.links.items():
            if row["a_device"] in switches:
                found[row["a_device"]][row["b_device"]].append(name)
                found[row["b_device"]][row["a_device"]].append(name)
        return found

    @cached_property
    def _distances(self) -> dict[str, dict[str, int]]:
        return {}

    def distances(self, target: str) -> dict[str, int]:
        """Links from every device to one."""
        if target not in self._distances:
            found, wave = {target: 0}, [target]
            while wave:
                wave = [
                    far
                    for near in wave
                    for far in self.neighbors[near]
                    if far not in found and not found.update({far: found[near] + 1})
                ]
            self._distances[target] = found
        return self._distances[target]

    def hops(self, device: str, target: str) -> list[tuple[str, str]]:
        """(link, next device) of all equal next hops."""
        to = self.distances(target)
        return sorted(
            (link, far)
            for far, links in self.neighbors[device].items()
            if to.get(far, -1) == to[device] - 1
            for link in links
        )

    def find_way(self, run: Row, backwards: bool = False) -> Way:
        """The links of a flow, and its share on each."""
        ends = [f"{run[f'{side}_host']}:{run[f'{side}_port']}" for side in ("from", "to")]
        first, last = reversed(ends) if backwards else ends
        way: Way = {(first, first.split(":")[0]): 1.0}
        at, target = self.links[first]["b_device"], self.links[last]["b_device"]
        here = {at: 1.0}
        while set(here) != {target}:
            ahead: dict[str, float] = defaultdict(float)
            for device, share in here.items():
                options = self.hops(device, target)
                if not self.spread:
                    number = int.from_bytes(
                        sha256(f"{self.seed} {device} {first} {last} {run['flow_label']}".encode()).digest()[:4], "big"
                    )
                    options = [options[number % len(options)]]
                for link, far in options:
                    way[link, device] = way.get((link, device), 0.0) + share / len(options)
                    ahead[far] += share / len(options)
            here = ahead
        way[last, target] = 1.0
        return way

    def print_results(self) -> Iterator[tuple[str, str]]:
        """(name of a file, what the tool printed) of every run of two ports."""
        by_round: dict[str, list[Row]] = defaultdict(list)
        for run in self.runs:
            by_round[run["round"]].append(run)
        for runs in by_round.values():
            if runs[0]["what"] == "ping":
                yield from (
                    (f"{run['run']}.txt", PING.format(host=run["to_host"], received=15, loss=0)) for run in runs
                )
            elif runs[0]["what"] == "collective":
                yield from (
                    (f"{run['run']}.txt", NCCL.format(size=2**33, count=2**31, busbw=float(run["least"]) / 0.75))
                    for run in runs
                )
            else:
                yield from self._print_bandwidths(runs)

    def _print_bandwidths(self, runs: list[Row]) -> Iterator[tuple[str, str]]:
        ways = [
            (run, self.find_way(run, backwards))
            for run in runs
            for backwards in (False, True)[: 1 + (run["what"] != "uplinks")]
        ]
        rates = share_fairly([way for _, way in ways], self.gbps)
        total: dict[str, float] = defaultdict(float)
        for (run, way), rate in zip(ways, rates, strict=True):
            total[run["run"]] += rate
            if run["flow_label"]:
                yield f"{run['run']}.trace", self.trace(way)
        for name, rate in total.items():
            noisy = rate * REACHED * self.random.uniform(1 - NOISE, 1 + NOISE)
            yield f"{name}.txt", PERFTEST.format(unit="Gb", average=noisy)

    def trace(self, way: Way) -> str:
        """What traceroute prints of a way: a switch answers from the port at which it was entered, or its loopback."""
        lines = ["traceroute to host, 3 hops max, 60 byte packets"]
        for number, (link, device) in enumerate(list(way)[:-1], start=1):
            row = self.links[link]
            side = "b" if row["a_device"] == device else "a"
            address = row[f"{side}_ip"].split("/")[0] if number > 1 else ""
            lines.append(f" {number}  {address or self.loopbacks[row[f'{side}_device']]}  0.2{number} ms")
        return "\n".join([*lines, ""])


def share_fairly(ways: list[Way], gbps: Mapping[str, float]) -> list[float]:
    """Max-min fair rates of flows, Gb/s: all grow alike until a link is full, whose flows stay as they are."""
    users: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for number, way in enumerate(ways):
        for place, share in way.items():
            users[place][number] = share
    rates, growing = [0.0] * len(ways), set(range(len(ways)))
    free = {place: gbps[place[0]] for place in users}
    while growing:
        weight = {
            place: sum(share for number, share in flows.items() if number in growing) for place, flows in users.items()
        }
        step = min(free[place] / total for place, total in weight.items() if total > 0)
        for number in growing:
            rates[number] += step
        for place, total in weight.items():
            free[place] -= step * total
        full = [place for place, total in weight.items() if total > 0 and free[place] < 1e-6]
        growing -= {number for place in full for number in users[place]}
    return rates


def read_rows(content: bytes) -> list[Row]:
    """The rows of a CSV file."""
    return list(csv.DictReader(content.decode().splitlines()))
