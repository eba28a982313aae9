"""Lossless Ethernet in an EOS configuration, read back (EOS user manual: QoS, PFC, ECN), and its load
balancing: by load, by queue pair, or the flows of hosts in turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.running.tree import (
    Line,
    LineRules,
    UnknownTextError,
    is_tolerant,
    make_item,
    mark_present,
    report_misfit,
)
from fabricgen.switch.qos import Balancing, Ecn, PfcWatchdog, PortQos, Queue, SwitchQos

GROUP_CLASSES = (1, 0, 2, 3, 4, 5, 6, 7)
"""The traffic class that EOS gives each group of eight DSCPs by default: 0-7 is class 1, 8-15 is class 0."""


@dataclass
class EosQueue:
    """A transmit queue of a `qos profile`; `share` and `limit` are percent of the port."""

    strict: bool = False
    shared: bool = False
    """Whether the configuration says that it has no priority."""
    share: int = 0
    limit: int = 0
    ecn: Ecn | None = None


@dataclass
class EosQosProfile:
    """A `qos profile`. `watched`: the PFC watchdog guards its ports; `no_drop` are the priorities that pause."""

    watched: bool = False
    words: set[str] = field(default_factory=set)
    """Lines, as they are, that say that a port trusts DSCPs and does PFC."""
    no_drop: set[int] = field(default_factory=set)
    queues: dict[int, Queue] = field(default_factory=dict)


@dataclass
class EosQos:
    """What the lines of a configuration say of classes, queues and the PFC watchdog."""

    profiles: dict[str, EosQosProfile] = field(default_factory=dict)
    class_of: dict[int, int] = field(default_factory=dict)
    """The traffic class of each DSCP that is stated; `queue_of`: the queue of each class that is stated."""
    queue_of: dict[int, int] = field(default_factory=dict)
    times: dict[str, str] = field(default_factory=dict)
    """Settings of the watchdog by EOS's word: `timeout`, `recovery-time` and `polling-interval` (s), `action`."""

    def make_qos(self, bound: Mapping[str, str]) -> SwitchQos | None:
        """Return QoS as the model has it, None if there are no profiles; `bound` is the name of the profile of each
        port.
        """
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
        """Return the QoS of a port by its profile; a port whose profile has no PFC pauses and watches nothing."""
        pauses = {"priority-flow-control on"} if profile.no_drop else set()
        if profile.words != {"qos trust dscp"} | pauses or (profile.watched and not pauses):
            report_misfit(f"a profile lacks trust or PFC: {sorted(profile.words)}")
        no_drop = frozenset(profile.no_drop)
        watched = watched and profile.watched
        return PortQos(no_drop, no_drop if watched else frozenset(), profile.queues)

    def _make_watchdog(self) -> PfcWatchdog | None:
        """Return the times of the watchdog, which EOS has in seconds, in ms; None without a watchdog."""
        if not self.times:
            return None
        detect, restore, poll = (
            round(1000 * float(self.times[word])) for word in ("timeout", "recovery-time", "polling-interval")
        )
        actions = {"drop": "drop", "notify-only": "forward"}
        return PfcWatchdog(detect, restore, poll, actions[self.times["action"]])


_PROFILE, _QUEUE = LineRules(), LineRules()
_PROFILE.store_fields(
    {
        "(qos trust dscp|priority-flow-control on)": ("words", str),
        "priority-flow-control pause watchdog": ("watched", mark_present),
        r"priority-flow-control priority (\d) no-drop": ("no_drop", int),
    }
)
_QUEUE.ignore_lines("random-detect ecn count")
_QUEUE.store_fields(
    {
        "priority strict": ("strict", mark_present),
        "no priority": ("shared", mark_present),
        r"bandwidth percent (\d+)": ("share", int),
        r"shape rate (\d+) percent": ("limit", int),
        r"random-detect ecn minimum-threshold (\d+) kbytes maximum-threshold (\d+) kbytes"
        r" max-mark-probability (\d+) weight 0": ("ecn", lambda *numbers: Ecn(*map(int, numbers))),
    }
)


def add_qos_rules(top: LineRules) -> None:
    """Add the sections of QoS to those of a whole configuration."""
    top.ignore_lines("hardware counter feature ecn out")
    top.line(r"qos profile (\S+)")(_read_profile)
    top.store_fields(
        {
            r"qos map dscp ((?:\d+ )+)to traffic-class (\d)": (
                "qos.class_of",
                lambda dscps, number: dict.fromkeys(map(int, dscps.split()), int(number)),
            ),
            r"qos map traffic-class (\d) to tx-queue (\d)": (
                "qos.queue_of",
                lambda number, queue: {int(number): int(queue)},
            ),
            r"priority-flow-control pause watchdog (?:default )?(\S+) (\S+)": ("qos.times", make_item),
        }
    )


def _read_profile(box: Any, line: Line, name: str) -> None:
    profile = box.qos.profiles[name] = EosQosProfile()
    _PROFILE.read(line.children, profile)


@_PROFILE.line(r"(?:uc-)?tx-queue (\d)")
def _read_queue(profile: EosQosProfile, line: Line, number: str) -> None:
    queue = EosQueue()
    _QUEUE.read(line.children, queue)
    # EOS does not show strict priority, its default
    strict = queue.strict or (is_tolerant() and not queue.shared)
    if strict == queue.shared:
        report_misfit(f"queue {number} is neither strict nor shared")
    profile.queues[int(number)] = Queue(strict, queue.share, queue.ecn, queue.limit)


QUEUE_PAIR = {13, 14, 15}
"""The position of the queue pair: bytes after the beginning of UDP."""


@dataclass
class EosBalancing:
    """What the lines of a configuration say of load balancing."""

    by_load: bool = False
    offsets: dict[str, set[int]] = field(default_factory=dict)
    """The positions of bytes that are hashed, counted from the beginning of UDP, by family."""
    in_payload: bool = False
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    aging_s: int = 0
    prefix_length: int = 0

    def make_balancing(self, families: frozenset[str]) -> Balancing:
        """Return load balancing as the model has it; `families` are those ("v4", "v6") that the switch routes.

        RoCE is hashed by queue pair in all of them if the hash reads the payload, else in those for which byte offsets
        are stated. Raises UnknownTextError for offsets that are not the three bytes of the queue pair, and for host
        groups (`groups`, whose flows are assigned in turn) without one of the lines that they need, or such lines
        without groups.
        """
        if any(offsets != QUEUE_PAIR for offsets in self.offsets.values()):
            raise UnknownTextError(f"a hash of other bytes than the queue pair: {self.offsets}")
        complete = {"forwarding type routed ipv4", "load-balance method flow round-robin"}
        if self.words != (complete if self.groups else set()) or bool(self.groups) != bool(self.aging_s):
            raise UnknownTextError(f"flows are dealt without all that it takes: {sorted(self.words)}")
        by_pair = families if self.in_payload else frozenset(self.offsets)
        return Balancing(self.by_load, by_pair, None, self.groups, self.aging_s, self.prefix_length)


_POLICIES, _HASHED, _FIELDS, _CLUSTER, _LEARNING, _GROUP = (LineRules() for _ in range(6))
_POLICIES.read_below({"load-balance sand profile default": (_HASHED, "")})
_HASHED.read_below({"fields udp dst-port 4791": (_FIELDS, "")})
_FIELDS.store_fields({"payload bytes 5-7": ("in_payload", mark_present)})
_CLUSTER.read_below({"flow source learning": (_LEARNING, "")})
_CLUSTER.store_fields(
    {
        "((?:forwarding type|load-balance method) .*)": ("words", str),
        r"destination grouping prefix length (\d+)": ("prefix_length", int),
    }
)
_LEARNING.store_fields({r"aging timeout (\d+) seconds": ("aging_s", int)})
_PORT = r"Ethernet[\d/]+"
_BYTES = (
    r"port-channel load-balance trident udf eth-type IP(v\d) ip-protocol udp header outer l4 offset (\d+) mask 0xff"
)


def add_balancing_rules(top: LineRules) -> None:
    """Add the sections of load balancing to those of a whole configuration."""
    top.line(_BYTES)(_read_bytes)
    top.store_fields(
        {"ip hardware fib load-balance distribution dynamic": ("balancing.by_load", mark_present)},
    )
    top.read_below(
        {"load-balance policies": (_POLICIES, "balancing"), "load-balance cluster": (_CLUSTER, "balancing")},
    )


def _read_bytes(box: Any, line: Line, family: str, offset: str) -> None:
    box.balancing.offsets.setdefault(family, set()).add(int(offset))


@_CLUSTER.line(r"port group host (\S+)")
def _read_group(balancing: EosBalancing, line: Line, host: str) -> None:
    ports: list[str] = []
    _GROUP.read(line.children, ports)
    balancing.groups[host] = frozenset(ports)


@_GROUP.line(rf"interface ({_PORT}(?:,{_PORT})*)")
def _read_group_ports(ports: list[str], line: Line, names: str) -> None:
    ports += names.split(",")
