"""Classes of RoCE, packet trimming and choice among equal paths of a switch, in words that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Ecn:
    """From `min_kb` kB (1000 bytes) in a queue on packets are marked, at `max_kb` with `percent` %, above it all.

    A NOS that marks by how full a queue is has percent of what that may have in place of kB.
    """

    min_kb: int
    max_kb: int
    percent: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of a port: strict priority, or a share in percent of what those leave.

    `limit` is what it may take of the port, percent, 0 for all.
    """

    strict: bool
    share: int = 0
    ecn: Ecn | None = None
    limit: int = 0


@dataclass(frozen=True, slots=True)
class PortQos:
    """RoCE's class on a port: no-drop priorities, those that the watchdog guards, and queues that are named.

    `length_m` is the cable that headroom is to be kept for, where a configuration names it apart; 0 where it does not.
    """

    pfc: frozenset[int]
    watched: frozenset[int]
    queues: Mapping[int, Queue]
    length_m: int = 0

    @property
    def ecn(self) -> Ecn:
        """Of the queue that marks packets; raises StopIteration where none does."""
        return next(queue.ecn for queue in self.queues.values() if queue.ecn)


@dataclass(frozen=True, slots=True)
class PfcWatchdog:
    """The PFC watchdog, milliseconds, 0 where the NOS has no such time; `action` is "drop" or "forward"."""

    detect_ms: int
    restore_ms: int
    poll_ms: int
    action: str = "drop"


@dataclass(frozen=True, slots=True)
class SwitchQos:
    """Where RoCE has a class of its own: the traffic class of each of the 64 DSCPs, the queue of each, and ports.

    A NOS's defaults are filled in: every DSCP has a class. `queue_of` holds the classes that carry something. No
    watchdog: nothing is paused.
    """

    class_of: tuple[int, ...]
    queue_of: Mapping[int, int]
    ports: Mapping[str, PortQos]
    watchdog: PfcWatchdog | None
    # not compared: a reader cannot know it, and what it changes is seen in the queues
    trim_class: int = field(default=0, compare=False)
    """The class of what is left of trimmed packets, where it has a queue of its own; 0 for none."""

    def __hash__(self) -> int:
        # mappings cannot be hashed; a part of what is compared is enough to find it in a cache
        return hash((self.class_of, frozenset(self.ports), self.watchdog))

    @property
    def classes(self) -> tuple[int, int, int]:
        """Of lossy packets, of notifications, and of RoCE data; the last two are one where lint was overruled."""
        of_port = next(iter(self.ports.values())).queues
        queues = {number: queue for number, queue in of_port.items() if number != self.trim_class or not number}
        # false sorts before True: the lossy queue neither marks nor is strict, that of notifications is strict, that of
        # data marks. Of two queues, where notifications share that of data, the second is both.
        numbers = sorted(queues, key=lambda number: (queues[number].ecn is not None, queues[number].strict))
        return numbers[0], numbers[1], numbers[-1]


@dataclass(frozen=True, slots=True)
class PacketTrimming:
    """Packets that find no room are cut to `size` bytes, and go on with another DSCP in another class.

    `class_of` is the traffic class of each of the 64 DSCPs at these ports, `ports` the classes that are trimmed there.
    """

    dscp: int
    size: int
    traffic_class: int
    class_of: tuple[int, ...]
    ports: Mapping[str, frozenset[int]]

    def __hash__(self) -> int:
        return hash((self.dscp, self.size, self.class_of, frozenset(self.ports)))


@dataclass(frozen=True, slots=True)
class Balancing:
    """How equal paths are chosen: `by_load` by that of the links (adaptive routing, DLB), else by hash alone.

    `queue_pairs` are the families, "v4" and "v6", in which RoCE is hashed by its destination queue pair, too; `seed` is
    that of the hash, None for the NOS's own. `groups` are the ports of hosts whose flows are dealt over the uplinks in
    turn, by name; such a flow is forgotten after `aging_s`, and destinations are told apart by `prefix_length`.
    """

    by_load: bool = False
    queue_pairs: frozenset[str] = frozenset()
    seed: int | None = None
    groups: Mapping[str, Set[str]] = field(default_factory=dict)
    aging_s: int = 0
    prefix_length: int = 0
