"""Load balancing in an EOS configuration, read back: by load, by queue pair, or the flows of hosts in turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from fabricgen.running.tree import Line, Rules, UnknownTextError
from fabricgen.switch.balancing import Balancing

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
        """The neutral form, given the families that are routed; raises UnknownTextError for half a hash or cluster."""
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


_POLICIES, _PROFILE, _FIELDS, _CLUSTER, _LEARNING, _GROUP = Rules(), Rules(), Rules(), Rules(), Rules(), Rules()
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
    _PROFILE.read(line.children, found)


@_PROFILE.line("fields udp dst-port 4791")
def _of_roce(found: EosBalancing, line: Line) -> None:
    _FIELDS.read(line.children, found)


@_FIELDS.line("payload bytes 5-7")
def _payload(found: EosBalancing, line: Line) -> None:
    found.in_payload = True


@_CLUSTER.line("(?:forwarding type|load-balance method) .*")
def _word(found: EosBalancing, line: Line) -> None:
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
