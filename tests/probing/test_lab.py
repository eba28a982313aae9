"""Probes over real packets: the SRv6 lab of namespaces, with losses and narrow queues by `tc` on seeded links.

Each of the lab's sixteen leaves has one NIC port. Packets carry when they were sent; all namespaces have one clock.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from fabricgen.addons.probing.graph import make_graph
from fabricgen.addons.probing.judge import judge_results
from fabricgen.addons.probing.paths import Planner
from fabricgen.addons.probing.plan import SRV6, Probes, write_tables
from fabricgen.api import ClusterView, compile_blueprint
from tests.needs import require
from tests.srv6 import test_kernel
from tests.srv6.fabrics import FOUR_PLANES
from tests.srv6.test_kernel import PORT, Lab

lab = test_kernel.lab  # the fixture

FAULTS, SENT, WAIT_S = 24, 250, 0.05
KINDS = ("loss", "slow", "double", "link", "switch", "healthy")
Direction = tuple[int, int]


def plan_lab(view: ClusterView, lab: Lab) -> Probes:
    """The plan of the ports that the lab has."""
    graph, links = make_graph(view, "compute"), view.links
    there = {f"{port.node}:{port.port}" for port in lab.ports}
    kept = graph.level > 0
    for row in np.flatnonzero(graph.edge_of_link >= 0).tolist():
        kept[graph.edge_of_link[row]] |= links.name[row] in there
    graph = graph.choose_edges(kept).leave_out_useless()
    planner = Planner(graph)
    planner.make_paths()
    return Probes(view, "compute", SRV6, graph, planner.paths, planner.label, planner.signs != 0, "")


class Breaker:
    """Lays faults on the links of a lab, and takes them away."""

    def __init__(self, view: ClusterView, lab: Lab) -> None:
        self._view, self._lab = view, lab
        self._nics = {f"{port.node}:{port.port}": f"{port.node}.{port.plane}" for port in lab.ports}
        self._laid: list[tuple[str, str, str]] = []

    def _find_sender(self, direction: Direction) -> tuple[str, str]:
        # who sends on a direction of a link: the namespace and the interface there
        row, down = direction
        links = self._view.links
        if down:
            return self._lab.spaces[links.b_device[row]], links.b_port[row]
        if links.name[row] in self._nics:
            return self._lab.spaces[self._nics[links.name[row]]], "eth0"
        return self._lab.spaces[links.a_device[row]], links.a_port[row]

    def lose(self, direction: Direction, share: float) -> None:
        """Drop a share of what is sent, by a classifier that draws numbers; not all kernels have netem."""
        chosen = int(share * 0xFFFFFFFF)
        program = f"4,32 0 0 4294963256,53 0 1 {chosen},6 0 0 0,6 0 0 2"  # SKF_AD_RANDOM; jge; ok; shot
        self._change(direction, "qdisc", "clsact")
        self._change(direction, "filter", "egress", "bpf", "direct-action", "bytecode", program)

    def slow_down(self, direction: Direction) -> None:
        """Let packets wait for a rate of 64 kb/s."""
        self._change(direction, "qdisc", "root", "tbf", "rate", "64kbit", "burst", "1600", "limit", "1000000")

    def _change(self, direction: Direction, thing: str, *what: str) -> None:
        space, port = self._find_sender(direction)
        command = ["tc", "-n", space, thing, "add", "dev", port, *what]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        require("" if done.returncode == 0 else f"`{' '.join(command)}` says {done.stderr}")
        if thing == "qdisc":
            self._laid.append((space, port, what[0]))

    def mend(self) -> None:
        for space, port, kind in self._laid:
            subprocess.run(["tc", "-n", space, "qdisc", "del", "dev", port, kind], check=True, capture_output=True)
        self._laid.clear()


def send_probes(lab: Lab, rows: list[list[str]]) -> list[str]:
    """The results of probes as a table: packets lost, and the median of their time in us."""
    ports = {f"{port.node}:{port.port}": port for port in lab.ports}
    took: dict[int, list[int]] = {number: [] for number in range(len(rows))}

    def receive() -> int:
        count = 0
        for sock in lab.sockets.values():
            try:
                while True:
                    number, sent = sock.recv(64).split()
                    took[int(number)].append(time.monotonic_ns() - int(sent))
                    count += 1
            except BlockingIOError:
                continue
        return count

    for sock in lab.sockets.values():
        sock.setblocking(False)
    receive()
    took = {number: [] for number in range(len(rows))}
    for _ in range(SENT):
        for number, row in enumerate(rows):
            text = f"{number} {time.monotonic_ns()}".encode()
            lab.sockets[ports[row[1]]].sendto(text, (row[5], PORT))
            if number % 8 == 7:
                receive()
        receive()
    quiet = 0
    while quiet < 5:  # a slow link has a queue to send
        time.sleep(WAIT_S)
        quiet = 0 if receive() else quiet + 1
    lines = ["probe,sent,lost,median_us"]
    for number, row in enumerate(rows):
        us = f"{median(took[number]) / 1000:.1f}" if took[number] else ""
        lines.append(f"{row[0]},{SENT},{SENT - len(took[number])},{us}")
    return lines


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> ClusterView:
    file = tmp_path_factory.mktemp("lab") / "page.yaml"
    file.write_text(FOUR_PLANES)
    return compile_blueprint(file)


def lay_fault(breaker: Breaker, probes: Probes, kind: str, rng: np.random.Generator) -> set[str]:
    """Lay one fault, and say what may be named first."""
    links = probes.view.links
    directions = [(row, side) for row in probes.first_links.tolist() for side in (0, 1)]
    chosen = [directions[i] for i in rng.choice(len(directions), 2 if kind == "double" else 1, replace=False)]
    row = chosen[0][0]
    ends = {r: (str(links.name[r]), f"{links.b_device[r]}:{links.b_port[r]}") for r, _ in chosen}
    names = {" to ".join(reversed(ends[r]) if side else ends[r]) for r, side in chosen}
    if kind == "link":
        chosen, names = [(row, 0), (row, 1)], {" and ".join(ends[row])}
    if kind == "switch":
        switch = links.b[row]
        chosen = [(r, down) for r, down in directions if (links.a if down else links.b)[r] == switch]
        names = {str(links.b_device[row])}
    for direction in () if kind == "healthy" else chosen:
        if kind == "slow":
            breaker.slow_down(direction)
        else:
            breaker.lose(direction, rng.uniform(0.06, 0.25))
    return set() if kind == "healthy" else names


@pytest.mark.daemon
@pytest.mark.slow
def test_faults_of_the_lab_are_named(lab: Lab, view: ClusterView, tmp_path: Path) -> None:
    probes, breaker = plan_lab(view, lab), Breaker(view, lab)
    for name, content in write_tables([probes]).items():
        (tmp_path / name).write_bytes(content)
    rows = [line.split(",") for line in (tmp_path / "probes.csv").read_text().splitlines()[1:]]
    send_probes(lab, rows)  # neighbours find each other first
    first, wrong = 0, []
    for seed in range(FAULTS):
        kind = KINDS[seed % len(KINDS)]
        names = lay_fault(breaker, probes, kind, np.random.default_rng(seed))
        results = tmp_path / f"{seed}.csv"
        results.write_text("\n".join(send_probes(lab, rows)) + "\n")
        breaker.mend()
        named = [part.name for part in judge_results(view, tmp_path, [results]).named]
        is_right = named[0] in names if names and named else not names and not named
        first += is_right
        wrong += [] if is_right else [(seed, kind, names, named[:3])]
    assert first >= 0.95 * FAULTS - 1, "\n".join(map(repr, wrong))
