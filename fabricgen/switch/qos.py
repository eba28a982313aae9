"""Classes of RoCE, packet trimming and the choice among equal paths of a switch, in terms that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Ecn:
    """Marking of packets: it begins if a queue holds `low`, is `percent` % at `high`, and 100 % above.

    `low` and `high` are in kB (1000 bytes); of a NOS that marks by how full a queue is (`ecn_fill` in the catalogue:
    Junos), in percent of what the queue may hold. Two are compared only if they are of one NOS, so that none states its
    unit.
    """

    low: int
    high: int
    percent: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of a port: strict priority, or a share (percent) of what strict ones leave.

    `limit` is the most that it may take of the port, percent, 0 for all.
    """

    strict: bool
    share: int = 0
    ecn: Ecn | None = None
    limit: int = 0


@dataclass(frozen=True, slots=True)
class PortQos:
    """RoCE's class on a port: no-drop priorities, those that the watchdog guards, and queues by number.

    `length_m` is the cable length for which headroom is reserved, if a configuration states it apart; else 0.
    """

    pfc: frozenset[int]
    watched: frozenset[int]
    queues: Mapping[int, Queue]
    length_m: int = 0

    @property
    def marking(self) -> Ecn:
        """The ECN marking of the queue that marks packets; raises StopIteration if no queue does.

        In the ports of a view one always does.
        """
        return next(queue.ecn for queue in self.queues.values() if queue.ecn)


@dataclass(frozen=True, slots=True)
class PfcWatchdog:
    """The PFC watchdog, in milliseconds, 0 if the NOS has no such time; `action` is "drop" or "forward"."""

    detect_ms: int
    restore_ms: int
    poll_ms: int
    action: str = "drop"


@dataclass(frozen=True, slots=True)
class SwitchQos:
    """QoS if RoCE has a class of its own: the traffic class of each of the 64 DSCPs, the queue of each class, and
    ports.

    Defaults of the NOS are filled in: every DSCP has a class. `queue_of` has the classes that carry something. There is
    no watchdog if nothing is paused.
    """

    class_of: tuple[int, ...]
    queue_of: Mapping[int, int]
    ports: Mapping[str, PortQos]
    watchdog: PfcWatchdog | None
    # not compared: a reader cannot know it, and what it changes is seen in the queues
    trim_class: int = field(default=0, compare=False)
    """The class of trimmed packets, if it has a queue of its own; 0 for none. A reader leaves 0, and whoever asks for
    `classes` puts it in from `Switch.trimming`."""

    def __hash__(self) -> int:
        """Return a hash of a part of the values, which suffices for caches; mappings cannot be hashed."""
        return hash((self.class_of, frozenset(self.ports), self.watchdog))

    @property
    def classes(self) -> tuple[int, int, int]:
        """The classes of lossy packets, of notifications, and of RoCE data; the last two are equal if lint was
        overruled.

        They are found by what the queues of the first port do, since no configuration names them: each class has the
        queue of its own number. Without `trim_class` the queue of trimmed packets, a share without marks, may be taken
        for that of lossy packets.

        A port with fewer than two queues is an IndexError, and a switch without ports StopIteration: `model_qos` makes
        neither.
        """
        of_port = next(iter(self.ports.values())).queues
        # a `trim_class` of 0 stands for no class of trimmed packets, and must not drop queue 0
        queues = {number: queue for number, queue in of_port.items() if number != self.trim_class or not number}
        # false sorts before True: the lossy queue neither marks nor is strict, that of notifications is strict, that of
        # data marks. Of two queues, where notifications share that of data, the second is both.
        numbers = sorted(queues, key=lambda number: (queues[number].ecn is not None, queues[number].strict))
        return numbers[0], numbers[1], numbers[-1]


@dataclass(frozen=True, slots=True)
class PacketTrimming:
    """Packets for which a queue has no room are cut to `size` bytes, and sent with `dscp` in `traffic_class`.

    `class_of` is the traffic class of each of the 64 DSCPs at these ports; `ports` has the classes that are trimmed
    there.
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
    """How equal paths are chosen: `by_load`, by the load of the links (adaptive routing, DLB), else only by hash.

    `queue_pairs` are the families, "v4" and "v6", in which RoCE is hashed by its destination queue pair, too; `seed` is
    that of the hash, None for the default of the NOS. `groups` has the ports of each host, by the name of the host,
    whose flows are assigned to the uplinks in turn; such a flow is forgotten after `aging_s`, and destinations are
    distinguished by their first `prefix_length` bits.
    """

    by_load: bool = False
    queue_pairs: frozenset[str] = frozenset()
    seed: int | None = None
    groups: Mapping[str, Set[str]] = field(default_factory=dict)
    aging_s: int = 0
    prefix_length: int = 0
