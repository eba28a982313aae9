"""The judge finds slow links of a lab: FRR chooses the ways, tc limits the links, and packets are counted.

A gigabit of the plan is 20 kbit here. Flows are of UDP, as those of RoCE are; what came is printed as perftest does.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import socket
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran
from tests.lab.test_lab_command import folder  # noqa: F401 - a fixture
from tests.lab.test_lab_command import run as run_lab
from tests.sign_off.paper import PERFTEST, PING, Row
from tests.sign_off.test_plan import make_plan

pytestmark = [pytest.mark.daemon, pytest.mark.flaky(reruns=2)]  # a busy machine may pause a whole round

BIT_PER_GBIT = 20_000
PACKET, HEADERS = 1000, 42
"""Bytes of a packet of UDP, and of Ethernet, IP and UDP around it, which tc counts as well."""
LEADS_S, MEASURED_S = 0.8, 1.5
"""What a flow is sent before it is measured, until links have let their bursts through and queue; and measured, s."""
QUEUE_S, TRIES = 0.1, 10
"""What links queue, which goes on while a busy machine lets nothing be sent, s; and how often a round is measured until
no pause is longer than half of it.
"""
HASTE = -15
"""The niceness of what is measured, beside other tests."""
BIND_TO_DEVICE = 25
Run = Callable[..., Ran]


class LabHall:
    """A lab of leaf-spine, the rates of whose links can be changed."""

    def __init__(self, name: str, links: list[Row]) -> None:
        self.name, self.links = name, {row["link"]: row for row in links}
        for link, row in self.links.items():
            self.limit(link, float(row["speed_gbps"]))

    def limit(self, link: str, gbps: float) -> None:
        """Let a link carry so much in either direction."""
        rate = f"{round(gbps * BIT_PER_GBIT)}bit"
        for side in "ab":
            device, port = self.links[link][f"{side}_device"], self.links[link][f"{side}_port"]
            words = f"qdisc replace dev {port} root tbf rate {rate} burst 3000 latency {QUEUE_S * 1000:.0f}ms"
            subprocess.run(["tc", "-n", f"{self.name}-{device}", *words.split()], check=True)

    @contextmanager
    def inside(self, device: str) -> Iterator[None]:
        """Sockets that are made here are of a device of the lab."""
        libc = ctypes.CDLL(None, use_errno=True)
        with Path("/proc/self/ns/net").open("rb") as home, Path(f"/run/netns/{self.name}-{device}").open("rb") as there:
            assert not libc.setns(there.fileno(), 0)
            try:
                yield
            finally:
                assert not libc.setns(home.fileno(), 0)

    def open_socket(self, run: Row, side: str, port: int) -> socket.socket:
        """A socket of UDP at an end of a run, of the interface of its port."""
        with self.inside(run[f"{side}_host"]):
            made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, BIND_TO_DEVICE, run[f"{side}_port"].encode())
        made.bind((run[f"{side}_address"], port))
        made.setblocking(False)
        return made

    def trace(self, run: Row, sender: socket.socket) -> str:
        """What `traceroute -n` prints of the switches on the way of a flow."""
        lines = ["traceroute to host, 3 hops max"]
        with self.inside(run["from_host"]):
            answers = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        with answers:
            for hops in range(1, 4):
                sender.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, hops)
                sender.sendto(b"x" * 40, (run["to_address"], 4791))
                answered = select.select([answers], [], [], 2)[0]
                address = answers.recvfrom(2000)[1][0] if answered else "*"
                lines.append(f" {hops}  {address}  0.1 ms")
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 64)
        return "\n".join([*lines, ""])

    def measure(self, runs: list[Row]) -> Iterator[tuple[str, str]]:
        """(name of a file, what a tool prints) of the runs of a round, which are done at once."""
        if runs[0]["what"] == "ping":
            yield from ((f"{run['run']}.txt", PING.format(host="h", received=15, loss=0)) for run in runs)
            return
        flows = [(run, "from", "to") for run in runs] + [(run, "to", "from") for run in runs if run["what"] == "ports"]
        senders, receivers = [], {}
        for each, near, far in flows:
            sender = self.open_socket(each, near, 0xC000 + int(each["flow_label"] or 1))
            receiver = self.open_socket(each, far, 4791)
            rate = float(each["most"]) / (2 if each["what"] == "ports" else 1)
            senders.append((sender, (each[f"{far}_address"], 4791), rate))
            receivers[receiver] = each["run"]
            if each["flow_label"]:
                yield f"{each['run']}.trace", self.trace(each, sender)
        for _ in range(TRIES):
            total, pause_s = self._send_all(senders, receivers)
            if pause_s < QUEUE_S / 2:
                break
        for one, *_ in [*senders, *((receiver,) for receiver in receivers)]:
            one.close()
        for name, count in total.items():
            gbps = count * (PACKET + HEADERS) * 8 / MEASURED_S / BIT_PER_GBIT
            yield f"{name}.txt", PERFTEST.format(unit="Gb", average=gbps)

    def _send_all(
        self, senders: list[tuple[socket.socket, tuple[str, int], float]], receivers: dict[socket.socket, str]
    ) -> tuple[dict[str, int], float]:
        """By run the packets that came while it was measured, and the longest pause of what sends, s; flows are sent a
        fifth faster than they may be.
        """
        total: dict[str, int] = dict.fromkeys(receivers.values(), 0)
        start, sent = time.monotonic(), [0] * len(senders)
        before = pause_s = 0.0
        while (now := time.monotonic() - start) < LEADS_S + MEASURED_S:
            pause_s, before = max(pause_s, now - before), now
            for number, (sender, target, gbps) in enumerate(senders):
                due = 1.2 * gbps * BIT_PER_GBIT / 8 / (PACKET + HEADERS) * now
                while sent[number] < due:
                    sent[number] += 1
                    try:
                        sender.sendto(b"x" * PACKET, target)
                    except BlockingIOError:
                        break
            for receiver in select.select(list(receivers), [], [], 0.002)[0]:
                while self._receive(receiver):
                    total[receivers[receiver]] += now > LEADS_S
        return total, pause_s

    @staticmethod
    def _receive(receiver: socket.socket) -> bool:
        try:
            return len(receiver.recv(2000)) == PACKET
        except BlockingIOError:
            return False


def test_slow_links_of_a_lab_are_named(
    folder: Path,  # noqa: F811
    tmp_path: Path,
    fabricgen: Run,
    request: pytest.FixtureRequest,
) -> None:
    runs, _, links = make_plan(fabricgen, tmp_path, "leaf-spine")
    run_lab(folder, "up", BLUEPRINTS / "leaf-spine.yaml")
    hall, rounds = LabHall(folder.name, links), defaultdict(list)
    os.setpriority(os.PRIO_PROCESS, 0, HASTE)
    request.addfinalizer(lambda: os.setpriority(os.PRIO_PROCESS, 0, 0))
    for each in runs:
        rounds[each["round"]].append(each)
    parts = {
        "link p1-su01-n003:eth2 to compute-leaf-p1-su01-r2-01:Ethernet8": ["p1-su01-n003:eth2"],
        "link compute-leaf-p1-su02-r1-01:Ethernet240 to compute-spine-03:Ethernet16": [
            "compute-leaf-p1-su02-r1-01:Ethernet240"
        ],
        "host p1-su02-n001": ["p1-su02-n001:eth1", "p1-su02-n001:eth2"],
        "switch compute-spine-02": [row["link"] for row in links if row["b_device"] == "compute-spine-02"],
    }
    for number, (part, slow) in enumerate(parts.items()):
        for link in slow:
            hall.limit(link, 50)
        results = tmp_path / f"results-{number}"
        results.mkdir()
        for together in rounds.values():
            for name, text in hall.measure(together):
                (results / name).write_text(text, encoding="utf-8")
        for link in slow:
            hall.limit(link, float(hall.links[link]["speed_gbps"]))
        judged = fabricgen("accept", "judge", BLUEPRINTS / "leaf-spine.yaml", results, "--format", "json")
        assert judged.code == 1
        findings = json.loads(judged.out)["findings"]
        assert len(findings) == 1, findings
        # the kernel draws which flows meet a spine: where all of them share a link, runs cannot tell the two apart
        assert part in {findings[0][suspect].partition(" (")[0] for suspect in ("suspect", "or")}, findings
