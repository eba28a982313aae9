"""A hall of network namespaces that loses, narrows and delays packets where it is told to, and measures probes.

Switches are those of the SRv6 lab: two planes of four leaves and eight spines, a NIC port of two nodes at each leaf.
A link loses packets by a classifier of `tc` that draws numbers; it is narrow by a token bucket; late by `netem`, or
where the kernel has none by a bucket as well, in which packets wait for each other.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

import numpy as np

from fabricgen.addons.probing.graph import make_graph
from fabricgen.addons.probing.judge import Verdict, judge_results
from fabricgen.addons.probing.paths import Planner
from fabricgen.addons.probing.plan import SRV6, Probes, write_tables
from fabricgen.api import ClusterView
from tests.needs import require
from tests.srv6.fabrics import NicPort
from tests.srv6.lab import PORT, Lab

TWO_PLANES = """
fabricgen: 1
name: two-planes
scalable_unit: {nodes: 2 x dgx-b300-8p}
pods: {p1: {su: 4}}
fabrics:
  compute:
    protocol: roce
    planes: 2
    ip: v6
    oversubscription: "4:1"
    tiers:
      leaf: {switch: sn5640, per: [su, plane], uplinks: 8 x 200G}
      spine: {switch: sn5640, per: plane, count: 8}
    routing: {underlay: srv6}
    qos: {profile: best-effort}
nos: sonic
"""
TRAINS, TRAIN = 15, 8
"""Packets of a probe: so many trains, of so many packets one after the other."""
BYTES, HEADERS = 400, 62
"""Of a packet: UDP's payload, and Ethernet, IPv6 and UDP around it, which tc counts as well."""
NARROW_BITS, LATE_MS = 10_000_000, 2
"""What a narrow link carries a second, a fifth of what it does else at most; and how late packets of a late one are."""
QUIET_S = 0.04
"""So long nothing comes from queues that are empty, s."""
HASTE = -15
"""The niceness of what is measured, beside other tests."""
KINDS = ("single", "double", "link", "half", "switch")
LOSS, RATE, DELAY = "loss", "rate", "delay"
EFFECTS = (LOSS, RATE, DELAY)
_TIMESTAMP, _FORCED_BUFFERS = 35, (32, 33)
"""SO_TIMESTAMPNS, SO_SNDBUFFORCE and SO_RCVBUFFORCE (Linux, uapi/asm-generic/socket.h), which Python does not name."""

Direction = tuple[int, int]
"""Row of a link, and whether it is meant downward."""


@dataclass(frozen=True)
class Fault:
    """What is laid on some directions of links, and the names of the parts that it is."""

    effect: str
    directions: tuple[Direction, ...]
    names: frozenset[str]
    loss: float


def choose_ports(ports: list[NicPort]) -> list[NicPort]:
    """A NIC port of each node at each leaf."""
    return list({(port.node, port.leaf): port for port in reversed(ports)}.values())


class ProbedLab:
    """A lab, the plan of its probes, and the faults on its links."""

    def __init__(self, view: ClusterView, lab: Lab, folder: Path) -> None:
        self.view, self._lab, self._folder = view, lab, folder
        self._ports = {f"{port.node}:{port.port}": port for port in lab.ports}
        self.probes = self._plan_probes()
        for name, content in write_tables([self.probes]).items():
            (folder / name).write_bytes(content)
        self._rows = [line.split(",") for line in (folder / "probes.csv").read_text().splitlines()[1:]]
        for sock in lab.sockets.values():
            sock.settimeout(None)
            sock.setsockopt(socket.SOL_SOCKET, _TIMESTAMP, 1)
            for option in _FORCED_BUFFERS:
                sock.setsockopt(socket.SOL_SOCKET, option, 1 << 23)
        self.has_netem = self._try_netem()
        self._measure()  # neighbours find each other first

    def _plan_probes(self) -> Probes:
        graph, links = make_graph(self.view, "compute"), self.view.links
        kept = graph.level > 0
        for row in np.flatnonzero(graph.edge_of_link >= 0).tolist():
            kept[graph.edge_of_link[row]] |= links.name[row] in self._ports
        graph = graph.choose_edges(kept).leave_out_useless()
        return Probes(self.view, "compute", SRV6, Planner(graph).make_paths(), "")

    def _try_netem(self) -> bool:
        space = next(iter(self._lab.spaces.values()))
        done = subprocess.run(
            ["tc", "-n", space, "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"],
            check=False,
            capture_output=True,
        )
        return done.returncode == 0

    def draw_fault(self, kind: str, effect: str, rng: np.random.Generator) -> Fault:
        """A fault of a kind, where chance has it."""
        links = self.view.links
        rows = self.probes.first_links
        of_modules = np.concatenate([rows[links.a_cage[rows] == cage] for cage in ("63", "64")])
        directions = [(row, side) for row in rows.tolist() for side in (0, 1)]
        drawn = rng.choice(rows, 2 if kind == "double" else 1, replace=False).tolist()
        chosen = [(row, int(rng.integers(2))) for row in drawn]
        row = chosen[0][0]
        ends = {at: (str(links.name[at]), f"{links.b_device[at]}:{links.b_port[at]}") for at, _ in chosen}
        names = {" to ".join(reversed(ends[at]) if side else ends[at]) for at, side in chosen}
        if kind == "link":
            chosen, names = [(row, 0), (row, 1)], {" and ".join(ends[row])}
        elif kind == "half":
            row = int(rng.choice(of_modules))
            device, cage = links.a[row], links.a_cage[row]
            inside_module = np.flatnonzero((links.a == device) & (links.a_cage == cage)).tolist()
            number = inside_module.index(row) >= len(inside_module) / 2
            half = inside_module[len(inside_module) // 2 :] if number else inside_module[: len(inside_module) // 2]
            chosen = [(at, side) for at in half for side in (0, 1)]
            names = {f"{links.a_device[row]}:{cage}, {'second' if number else 'first'} half"}
        elif kind == "switch":
            # what comes in: each packet through it does so once
            chosen = [(at, side) for at, side in directions if (links.a if side else links.b)[at] == links.b[row]]
            names = {str(links.b_device[row])}
        return Fault(effect, tuple(chosen), frozenset(names), float(rng.uniform(0.06, 0.25)))

    def judge_fault(self, fault: Fault | None) -> Verdict:
        """What the judge says of results that are measured with a fault, and none with None."""
        laid, niceness = list[tuple[str, str, str]](), os.getpriority(os.PRIO_PROCESS, 0)
        os.setpriority(os.PRIO_PROCESS, 0, HASTE)
        try:
            if fault:
                laid += [self._lay(fault, direction) for direction in fault.directions]
            (self._folder / "results.csv").write_text("\n".join(self._measure()) + "\n")
        finally:
            for space, port, where in laid:
                subprocess.run(["tc", "-n", space, "qdisc", "del", "dev", port, where], check=True, capture_output=True)
            os.setpriority(os.PRIO_PROCESS, 0, niceness)
        return judge_results(self.view, self._folder, [self._folder / "results.csv"])

    def _find_sender(self, direction: Direction) -> tuple[str, str]:
        # who sends on a direction of a link: the namespace and the interface there
        row, down = direction
        links = self.view.links
        if down:
            return self._lab.spaces[links.b_device[row]], str(links.b_port[row])
        if links.name[row] in self._ports:
            return self._lab.spaces[links.name[row]], "eth0"
        return self._lab.spaces[links.a_device[row]], str(links.a_port[row])

    def _lay(self, fault: Fault, direction: Direction) -> tuple[str, str, str]:
        space, port = self._find_sender(direction)
        if fault.effect == LOSS:
            # SKF_AD_RANDOM; jump if it is as much; ok; shot
            drop = f"4,32 0 0 4294963256,53 0 1 {int(fault.loss * 0xFFFFFFFF)},6 0 0 0,6 0 0 2"
            where = "clsact"
            lines = [
                f"qdisc add dev {port} clsact",
                f"filter add dev {port} egress bpf direct-action bytecode '{drop}'",
            ]
        elif fault.effect == DELAY and self.has_netem:
            where, lines = "root", [f"qdisc add dev {port} root netem delay {LATE_MS}ms"]
        else:
            where = "root"
            lines = [f"qdisc add dev {port} root tbf rate {NARROW_BITS}bit burst 1000 limit 10000000"]
        done = subprocess.run(
            ["tc", "-n", space, "-batch", "-"], input="\n".join(lines), check=False, capture_output=True, text=True
        )
        require("" if done.returncode == 0 else f"tc says {done.stderr.strip()} of {lines}")
        return space, port, where

    def _measure(self) -> list[str]:
        """The results of probes as a table."""
        sends = [(n, self._lab.sockets[self._ports[row[1]]], (row[5], PORT)) for n, row in enumerate(self._rows)]
        came: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._receive(came)
        came.clear()
        filler = bytes(BYTES - 16)
        for train in range(TRAINS):
            Random(train).shuffle(sends)  # what the machine does meanwhile is of no path
            for number, sock, target in sends:
                key = number * TRAINS + train
                for _ in range(TRAIN):
                    sock.sendto(struct.pack("=qq", key, time.time_ns()) + filler, target)
        quiet = 0
        while quiet < 3:  # a narrow link has a queue to send
            time.sleep(QUIET_S)
            quiet = 0 if self._receive(came) else quiet + 1
        lines = ["probe,sent,lost,median_us,gbps"]
        for number, row in enumerate(self._rows):
            trains = [came[number * TRAINS + train] for train in range(TRAINS)]
            took = [arrived - sent for train in trains for sent, arrived in train]
            # bits a second between the first and the last packet of the best train; a megabit stands for a gigabit
            rates = [
                (len(train) - 1) * (BYTES + HEADERS) * 8e3 / max(train[-1][1] - train[0][1], 1)
                for train in trains
                if len(train) > TRAIN / 2
            ]
            figures = (median(took) / 1e3, max(rates)) if rates else ("", "")
            sent = TRAINS * TRAIN
            lines.append(f"{row[0]},{sent},{sent - len(took)},{figures[0]},{figures[1]}")
        return lines

    def _receive(self, came: dict[int, list[tuple[int, int]]]) -> int:
        """Read what arrived into the times (ns) of sending and arrival by train; return how many packets."""
        count = 0
        for sock in self._lab.sockets.values():
            try:
                while True:
                    data, extra, *_ = sock.recvmsg(BYTES, 64, socket.MSG_DONTWAIT)
                    key, sent = struct.unpack_from("=qq", data)
                    seconds, ns = struct.unpack("=qq", extra[0][2])
                    came[key].append((sent, seconds * 1_000_000_000 + ns))
                    count += 1
            except BlockingIOError:
                continue
        return count


def count_named(lab: ProbedLab, seeds: range, tries: int = 1) -> tuple[int, int, list[str]]:
    """(faults of some seeds that are named, those that are named first, what is said of others).

    With more `tries`, what is not named first is measured again: a sender that waits for its turn on a machine that
    does other work looks like a slow link.
    """
    named, first, others = 0, 0, []
    for seed in seeds:
        effect = EFFECTS[seed // len(KINDS) % len(EFFECTS)]
        fault = lab.draw_fault(KINDS[seed % len(KINDS)], effect, np.random.default_rng(seed))
        for left in reversed(range(tries)):
            verdict = lab.judge_fault(fault)
            names = [part.name for part in verdict.named]
            # what else may be meant has its kind before its name
            meant = {other.partition(" ")[2] for part in verdict.named for other in part.others}
            is_named, is_first = fault.names <= {*names, *meant}, bool(names) and names[0] in fault.names
            if (is_named and is_first) or not left:
                break
        named, first = named + is_named, first + is_first
        if not (is_named and is_first):
            others.append(f"{seed}: {effect} of {sorted(fault.names)}, and named are {verdict.named[:3]}")
    return named, first, others
