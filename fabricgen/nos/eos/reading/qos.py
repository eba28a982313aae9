"""Lossless Ethernet in an EOS configuration, read back (EOS user manual: QoS, PFC, ECN), and its load
balancing: by load, by queue pair, or the flows of hosts in turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fabricgen.running.tree import Line, Rules, UnknownTextError, tolerates, unfit
from fabricgen.switch.qos import Balancing, Ecn, PortQos, Qos, Queue, Watchdog

GROUP_CLASSES = (1, 0, 2, 3, 4, 5, 6, 7)
"""The traffic class that EOS gives each group of eight DSCPs by default: 0-7 is class 1, 8-15 is class 0."""


@dataclass
class Profile:
    """A `qos profile`."""

    watched: bool = False
    words: set[str] = field(default_factory=set)
    no_drop: set[int] = field(default_factory=set)
    queues: dict[int, Queue] = field(default_factory=dict)


@dataclass
class EosQos:
    """What was read."""

    profiles: dict[str, Profile] = field(default_factory=dict)
    class_of: dict[int, int] = field(default_factory=dict)
    queue_of: dict[int, int] = field(default_factory=dict)
    times: dict[str, str] = field(default_factory=dict)

    def qos(self, bound: Mapping[str, str]) -> Qos | None:
        """QoS as the model has it, given the profile of each port; None where there is none."""
        if not self.profiles:
            return None
        classes = tuple(self.class_of.get(dscp, GROUP_CLASSES[dscp // 8]) for dscp in range(64))
        watchdog = self._watchdog()
        return Qos(
            class_of=classes,
            queue_of={c: self.queue_of.get(c, c) for c in sorted(set(classes))},
            ports={port: self._port(self.profiles[name], watchdog is not None) for port, name in bound.items()},
            watchdog=watchdog,
        )

    def _port(self, profile: Profile, watched: bool) -> PortQos:
        pauses = {"priority-flow-control on"} if profile.no_drop else set()
        if profile.words != {"qos trust dscp"} | pauses or (profile.watched and not pauses):
            unfit(f"a profile lacks trust or PFC: {sorted(profile.words)}")
        no_drop = frozenset(profile.no_drop)
        watched = watched and profile.watched
        return PortQos(no_drop, no_drop if watched else frozenset(), profile.queues)

    def _watchdog(self) -> Watchdog | None:
        if not self.times:
            return None
        detect, restore, poll = (
            round(1000 * float(self.times[word])) for word in ("timeout", "recovery-time", "polling-interval")
        )
        actions = {"drop": "drop", "notify-only": "forward"}
        return Watchdog(detect, restore, poll, actions[self.times["action"]])


class HasQos(Protocol):
    """What is read into."""

    qos: EosQos


_PROFILE, _QUEUE = Rules(), Rules()
_QUEUE.nothing("no priority", "random-detect ecn count")


def qos_rules(top: Rules) -> None:
    """Add the sections of QoS to those of a whole configuration."""
    top.nothing("hardware counter feature ecn out")
    top.line(r"qos profile (\S+)")(_add_profile)
    top.line(r"qos map dscp ((?:\d+ )+)to traffic-class (\d)")(_classes)
    top.line(r"qos map traffic-class (\d) to tx-queue (\d)")(_queue_of)
    top.line(r"priority-flow-control pause watchdog (?:default )?(\S+) (\S+)")(_time)


def _add_profile(box: HasQos, line: Line, name: str) -> None:
    profile = box.qos.profiles[name] = Profile()
    _PROFILE.read(line.children, profile)


@_PROFILE.line("qos trust dscp|priority-flow-control on")
def _word(profile: Profile, line: Line) -> None:
    profile.words.add(line.text)


@_PROFILE.line("priority-flow-control pause watchdog")
def _watched(profile: Profile, line: Line) -> None:
    profile.watched = True


@_PROFILE.line(r"priority-flow-control priority (\d) no-drop")
def _no_drop(profile: Profile, line: Line, priority: str) -> None:
    profile.no_drop.add(int(priority))


@_PROFILE.line(r"(?:uc-)?tx-queue (\d)")
def _add_queue(profile: Profile, line: Line, number: str) -> None:
    said: dict[str, object] = {}
    _QUEUE.read(line.children, said)
    strict, share, ecn = said.get("strict", False), said.get("share", 0), said.get("ecn")
    plain = "no priority" in {child.text for child in line.children}
    assert isinstance(share, int)  # noqa: S101 - what `_share` puts there
    assert ecn is None or isinstance(ecn, Ecn)  # noqa: S101 - what `_ecn` puts there
    strict = strict or (tolerates() and not plain)  # the default, which EOS does not show
    if bool(strict) == plain:
        unfit(f"queue {number} is neither strict nor shared")
    limit = said.get("limit", 0)
    assert isinstance(limit, int)  # noqa: S101 - what `_limit` puts there
    profile.queues[int(number)] = Queue(bool(strict), share, ecn, limit)


@_QUEUE.line("priority strict")
def _strict(said: dict[str, object], line: Line) -> None:
    said["strict"] = True


@_QUEUE.line(r"bandwidth percent (\d+)")
def _share(said: dict[str, object], line: Line, percent: str) -> None:
    said["share"] = int(percent)


@_QUEUE.line(r"shape rate (\d+) percent")
def _limit(said: dict[str, object], line: Line, percent: str) -> None:
    said["limit"] = int(percent)


@_QUEUE.line(
    r"random-detect ecn minimum-threshold (\d+) kbytes maximum-threshold (\d+) kbytes"
    r" max-mark-probability (\d+) weight 0"
)
def _ecn(said: dict[str, object], line: Line, low: str, high: str, percent: str) -> None:
    said["ecn"] = Ecn(int(low), int(high), int(percent))


def _classes(box: HasQos, line: Line, dscps: str, number: str) -> None:
    box.qos.class_of |= dict.fromkeys(map(int, dscps.split()), int(number))


def _queue_of(box: HasQos, line: Line, number: str, queue: str) -> None:
    box.qos.queue_of[int(number)] = int(queue)


def _time(box: HasQos, line: Line, word: str, value: str) -> None:
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

    def balancing(self, families: frozenset[str]) -> Balancing:
        """As the model has it, given the families routed; raises UnknownTextError for half a hash or cluster."""
        if any(offsets != QUEUE_PAIR for offsets in self.offsets.values()):
            raise UnknownTextError(f"a hash of other bytes than the queue pair: {self.offsets}")
        whole = {"forwarding type routed ipv4", "load-balance method flow round-robin"}
        if self.words != (whole if self.groups else set()) or bool(self.groups) != bool(self.aging_s):
            raise UnknownTextError(f"flows are dealt without all that it takes: {sorted(self.words)}")
        by_pair = families if self.in_payload else frozenset(self.offsets)
        return Balancing(self.by_load, by_pair, None, self.groups, self.aging_s, self.prefix_length)


class HasBalancing(Protocol):
    """Where load balancing is kept while a configuration is read."""

    balancing: EosBalancing


_POLICIES, _HASHED, _FIELDS, _CLUSTER, _LEARNING, _GROUP = Rules(), Rules(), Rules(), Rules(), Rules(), Rules()
_PORT = r"Ethernet[\d/]+"
_BYTES = (
    r"port-channel load-balance trident udf eth-type IP(v\d) ip-protocol udp header outer l4 offset (\d+) mask 0xff"
)


def balancing_rules(top: Rules) -> None:
    """Add the sections of load balancing to those of a whole configuration."""
    top.line("ip hardware fib load-balance distribution dynamic")(_dynamic)
    top.line(_BYTES)(_bytes)
    top.line("load-balance policies")(_policies)
    top.line("load-balance cluster")(_cluster)


def _dynamic(box: HasBalancing, line: Line) -> None:
    box.balancing.by_load = True


def _bytes(box: HasBalancing, line: Line, family: str, offset: str) -> None:
    box.balancing.offsets.setdefault(family, set()).add(int(offset))


def _policies(box: HasBalancing, line: Line) -> None:
    _POLICIES.read(line.children, box.balancing)


def _cluster(box: HasBalancing, line: Line) -> None:
    _CLUSTER.read(line.children, box.balancing)


@_POLICIES.line("load-balance sand profile default")
def _profile(found: EosBalancing, line: Line) -> None:
    _HASHED.read(line.children, found)


@_HASHED.line("fields udp dst-port 4791")
def _of_roce(found: EosBalancing, line: Line) -> None:
    _FIELDS.read(line.children, found)


@_FIELDS.line("payload bytes 5-7")
def _payload(found: EosBalancing, line: Line) -> None:
    found.in_payload = True


@_CLUSTER.line("(?:forwarding type|load-balance method) .*")
def _hash_word(found: EosBalancing, line: Line) -> None:
    found.words.add(line.text)


@_CLUSTER.line(r"destination grouping prefix length (\d+)")
def _prefix_length(found: EosBalancing, line: Line, length: str) -> None:
    found.prefix_length = int(length)


@_CLUSTER.line("flow source learning")
def _learning(found: EosBalancing, line: Line) -> None:
    _LEARNING.read(line.children, found)


@_LEARNING.line(r"aging timeout (\d+) seconds")
def _aging(found: EosBalancing, line: Line, seconds: str) -> None:
    found.aging_s = int(seconds)


@_CLUSTER.line(r"port group host (\S+)")
def _group(found: EosBalancing, line: Line, host: str) -> None:
    ports: list[str] = []
    _GROUP.read(line.children, ports)
    found.groups[host] = frozenset(ports)


@_GROUP.line(rf"interface ({_PORT}(?:,{_PORT})*)")
def _ports(ports: list[str], line: Line, names: str) -> None:
    ports += names.split(",")
