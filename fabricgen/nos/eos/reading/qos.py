"""Lossless Ethernet in an EOS configuration, read back (EOS user manual: QoS, PFC, ECN), and its load
balancing: by load, by queue pair, or the flows of hosts in turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fabricgen.running.tree import Line, LineRules, UnknownTextError, is_tolerant, report_misfit
from fabricgen.switch.qos import Balancing, Ecn, PfcWatchdog, PortQos, Queue, SwitchQos

GROUP_CLASSES = (1, 0, 2, 3, 4, 5, 6, 7)
"""The traffic class that EOS gives each group of eight DSCPs by default: 0-7 is class 1, 8-15 is class 0."""


@dataclass
class EosQosProfile:
    """A `qos profile`."""

    watched: bool = False
    words: set[str] = field(default_factory=set)
    no_drop: set[int] = field(default_factory=set)
    queues: dict[int, Queue] = field(default_factory=dict)


@dataclass
class EosQos:
    """What was read."""

    profiles: dict[str, EosQosProfile] = field(default_factory=dict)
    class_of: dict[int, int] = field(default_factory=dict)
    queue_of: dict[int, int] = field(default_factory=dict)
    times: dict[str, str] = field(default_factory=dict)

    def make_qos(self, bound: Mapping[str, str]) -> SwitchQos | None:
        """QoS as the model has it, given the profile of each port; None where there is none."""
        if not self.profiles:
            return None
        classes = tuple(self.class_of.get(dscp, GROUP_CLASSES[dscp // 8]) for dscp in range(64))
        watchdog = self._make_watchdog()
        return SwitchQos(
            class_of=classes,
            queue_of={c: self.queue_of.get(c, c) for c in sorted(set(classes))},
            ports={
                port: self._make_port_qos(self.profiles[name], watchdog is not None) for port, name in bound.items()
            },
            watchdog=watchdog,
        )

    def _make_port_qos(self, profile: EosQosProfile, watched: bool) -> PortQos:
        # QoS of a port from its profile; without PFC nothing is paused or watched
        pauses = {"priority-flow-control on"} if profile.no_drop else set()
        if profile.words != {"qos trust dscp"} | pauses or (profile.watched and not pauses):
            report_misfit(f"a profile lacks trust or PFC: {sorted(profile.words)}")
        no_drop = frozenset(profile.no_drop)
        watched = watched and profile.watched
        return PortQos(no_drop, no_drop if watched else frozenset(), profile.queues)

    def _make_watchdog(self) -> PfcWatchdog | None:
        # the watchdog's times, seconds in EOS, as ms
        if not self.times:
            return None
        detect, restore, poll = (
            round(1000 * float(self.times[word])) for word in ("timeout", "recovery-time", "polling-interval")
        )
        actions = {"drop": "drop", "notify-only": "forward"}
        return PfcWatchdog(detect, restore, poll, actions[self.times["action"]])


class HasQos(Protocol):
    """What is read into."""

    qos: EosQos


_PROFILE, _QUEUE = LineRules(), LineRules()
_QUEUE.ignore_lines("no priority", "random-detect ecn count")


def add_qos_rules(top: LineRules) -> None:
    """Add the sections of QoS to those of a whole configuration."""
    top.ignore_lines("hardware counter feature ecn out")
    top.line(r"qos profile (\S+)")(_read_profile)
    top.line(r"qos map dscp ((?:\d+ )+)to traffic-class (\d)")(_read_classes)
    top.line(r"qos map traffic-class (\d) to tx-queue (\d)")(_read_queue_of_class)
    top.line(r"priority-flow-control pause watchdog (?:default )?(\S+) (\S+)")(_read_time)


def _read_profile(box: HasQos, line: Line, name: str) -> None:
    profile = box.qos.profiles[name] = EosQosProfile()
    _PROFILE.read(line.children, profile)


@_PROFILE.line("qos trust dscp|priority-flow-control on")
def _read_word(profile: EosQosProfile, line: Line) -> None:
    profile.words.add(line.text)


@_PROFILE.line("priority-flow-control pause watchdog")
def _read_watched(profile: EosQosProfile, line: Line) -> None:
    profile.watched = True


@_PROFILE.line(r"priority-flow-control priority (\d) no-drop")
def _read_no_drop(profile: EosQosProfile, line: Line, priority: str) -> None:
    profile.no_drop.add(int(priority))


@_PROFILE.line(r"(?:uc-)?tx-queue (\d)")
def _read_queue(profile: EosQosProfile, line: Line, number: str) -> None:
    # reads a transmit queue of a profile
    words: dict[str, object] = {}
    _QUEUE.read(line.children, words)
    strict, share, ecn = words.get("strict", False), words.get("share", 0), words.get("ecn")
    is_shared = "no priority" in {child.text for child in line.children}
    assert isinstance(share, int)  # noqa: S101 - what `_read_share` puts there
    assert ecn is None or isinstance(ecn, Ecn)  # noqa: S101 - what `_read_ecn` puts there
    strict = strict or (is_tolerant() and not is_shared)  # the default, which EOS does not show
    if bool(strict) == is_shared:
        report_misfit(f"queue {number} is neither strict nor shared")
    limit = words.get("limit", 0)
    assert isinstance(limit, int)  # noqa: S101 - what `_read_limit` puts there
    profile.queues[int(number)] = Queue(bool(strict), share, ecn, limit)


@_QUEUE.line("priority strict")
def _read_strict(words: dict[str, object], line: Line) -> None:
    words["strict"] = True


@_QUEUE.line(r"bandwidth percent (\d+)")
def _read_share(words: dict[str, object], line: Line, percent: str) -> None:
    words["share"] = int(percent)


@_QUEUE.line(r"shape rate (\d+) percent")
def _read_limit(words: dict[str, object], line: Line, percent: str) -> None:
    words["limit"] = int(percent)


@_QUEUE.line(
    r"random-detect ecn minimum-threshold (\d+) kbytes maximum-threshold (\d+) kbytes"
    r" max-mark-probability (\d+) weight 0"
)
def _read_ecn(words: dict[str, object], line: Line, low: str, high: str, percent: str) -> None:
    words["ecn"] = Ecn(int(low), int(high), int(percent))


def _read_classes(box: HasQos, line: Line, dscps: str, number: str) -> None:
    box.qos.class_of |= dict.fromkeys(map(int, dscps.split()), int(number))


def _read_queue_of_class(box: HasQos, line: Line, number: str, queue: str) -> None:
    box.qos.queue_of[int(number)] = int(queue)


def _read_time(box: HasQos, line: Line, word: str, value: str) -> None:
    box.qos.times[word] = value


QUEUE_PAIR = {13, 14, 15}
"""Bytes after the beginning of UDP."""


@dataclass
class EosBalancing:
    """What was read."""

    by_load: bool = False
    offsets: dict[str, set[int]] = field(default_factory=dict)
    """Bytes that are hashed, by family."""
    in_payload: bool = False
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    aging_s: int = 0
    prefix_length: int = 0

    def make_balancing(self, families: frozenset[str]) -> Balancing:
        """As the model has it, given the families routed; raises UnknownTextError for half a hash or cluster."""
        if any(offsets != QUEUE_PAIR for offsets in self.offsets.values()):
            raise UnknownTextError(f"a hash of other bytes than the queue pair: {self.offsets}")
        complete = {"forwarding type routed ipv4", "load-balance method flow round-robin"}
        if self.words != (complete if self.groups else set()) or bool(self.groups) != bool(self.aging_s):
            raise UnknownTextError(f"flows are dealt without all that it takes: {sorted(self.words)}")
        by_pair = families if self.in_payload else frozenset(self.offsets)
        return Balancing(self.by_load, by_pair, None, self.groups, self.aging_s, self.prefix_length)


class HasBalancing(Protocol):
    """Where load balancing is kept while a configuration is read."""

    balancing: EosBalancing


_POLICIES, _HASHED, _FIELDS, _CLUSTER, _LEARNING, _GROUP = (
    LineRules(),
    LineRules(),
    LineRules(),
    LineRules(),
    LineRules(),
    LineRules(),
)
_PORT = r"Ethernet[\d/]+"
_BYTES = (
    r"port-channel load-balance trident udf eth-type IP(v\d) ip-protocol udp header outer l4 offset (\d+) mask 0xff"
)


def add_balancing_rules(top: LineRules) -> None:
    """Add the sections of load balancing to those of a whole configuration."""
    top.line("ip hardware fib load-balance distribution dynamic")(_read_dynamic)
    top.line(_BYTES)(_read_bytes)
    top.line("load-balance policies")(_read_policies)
    top.line("load-balance cluster")(_read_cluster)


def _read_dynamic(box: HasBalancing, line: Line) -> None:
    box.balancing.by_load = True


def _read_bytes(box: HasBalancing, line: Line, family: str, offset: str) -> None:
    box.balancing.offsets.setdefault(family, set()).add(int(offset))


def _read_policies(box: HasBalancing, line: Line) -> None:
    _POLICIES.read(line.children, box.balancing)


def _read_cluster(box: HasBalancing, line: Line) -> None:
    _CLUSTER.read(line.children, box.balancing)


@_POLICIES.line("load-balance sand profile default")
def _read_hash_profile(balancing: EosBalancing, line: Line) -> None:
    _HASHED.read(line.children, balancing)


@_HASHED.line("fields udp dst-port 4791")
def _read_roce_fields(balancing: EosBalancing, line: Line) -> None:
    _FIELDS.read(line.children, balancing)


@_FIELDS.line("payload bytes 5-7")
def _read_payload(balancing: EosBalancing, line: Line) -> None:
    balancing.in_payload = True


@_CLUSTER.line("(?:forwarding type|load-balance method) .*")
def _read_hash_word(balancing: EosBalancing, line: Line) -> None:
    balancing.words.add(line.text)


@_CLUSTER.line(r"destination grouping prefix length (\d+)")
def _read_prefix_length(balancing: EosBalancing, line: Line, length: str) -> None:
    balancing.prefix_length = int(length)


@_CLUSTER.line("flow source learning")
def _read_learning(balancing: EosBalancing, line: Line) -> None:
    _LEARNING.read(line.children, balancing)


@_LEARNING.line(r"aging timeout (\d+) seconds")
def _read_aging(balancing: EosBalancing, line: Line, seconds: str) -> None:
    balancing.aging_s = int(seconds)


@_CLUSTER.line(r"port group host (\S+)")
def _read_group(balancing: EosBalancing, line: Line, host: str) -> None:
    ports: list[str] = []
    _GROUP.read(line.children, ports)
    balancing.groups[host] = frozenset(ports)


@_GROUP.line(rf"interface ({_PORT}(?:,{_PORT})*)")
def _read_group_ports(ports: list[str], line: Line, names: str) -> None:
    ports += names.split(",")
