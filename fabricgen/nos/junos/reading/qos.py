"""Class of service of a configuration of Junos, read back (Traffic Management User Guide for QFX Series)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from fabricgen.nos.junos.reading.text import pass_on
from fabricgen.running.tree import Line, LineRules, is_tolerant, make_item, mark_present, report_misfit
from fabricgen.switch.qos import Balancing, Ecn, PfcWatchdog, PortQos, Queue, SwitchQos

BEST_EFFORT = "best-effort"
"""The class of packets that no classifier matches."""

LARGEST_FRAME = 9216
"""The bytes of the largest frame in profiles that state the length of the cable."""

BUFFERS = frozenset(
    {
        "ingress buffer-partition lossless percent 66",
        "ingress buffer-partition lossless dynamic-threshold 10",
        "ingress buffer-partition lossless-headroom percent 24",
        "ingress buffer-partition lossy percent 10",
        "egress buffer-partition lossless percent 66",
        "egress buffer-partition lossy percent 10",
    }
)
"""The shares of a switch's buffer (github.com/Juniper/jvd, aiml_multitenancy_backend)."""

LOSSY_BUFFERS = frozenset(
    {
        "ingress buffer-partition lossless percent 5",
        "ingress buffer-partition lossless-headroom percent 0",
        "ingress buffer-partition lossy percent 95",
        "egress buffer-partition lossless percent 5",
        "egress buffer-partition lossy percent 75",
        "egress buffer-partition multicast percent 20",
    }
)
"""Its shares where nothing is lossless (Traffic Management User Guide for QFX Series, shared buffer pool for networks
with mostly best-effort unicast traffic).
"""


SAMPLED = frozenset({"sampling-rate 1000000"})

SPRAYED = SAMPLED | {"per-packet"}

FLOWLETS = SAMPLED | {
    "flowlet inactivity-interval 128",
    "flowlet flowset-table-size 2048",
    "flowlet reassignment prob-threshold 3",
    "flowlet reassignment quality-delta 6",
}
"""Balancing by flowlets (github.com/Juniper/jvd, aiml_multitenancy_backend)."""


@dataclass
class Scheduler:
    """A scheduler: `share` and `limit` in percent of the port, and the drop profile by which it marks."""

    share: int = 0
    limit: int = 0
    strict: bool = False
    marks: bool = False
    profile: str = ""


@dataclass
class PauseProfile:
    """A congestion notification profile: which DSCPs (`points`) pause, and which queue each priority pauses."""

    watchdog: dict[str, str] = field(default_factory=dict)
    points: set[int] = field(default_factory=set)
    queues: dict[int, int] = field(default_factory=dict)
    length_m: int = 0
    """The length of the cable, 0 if it is not stated."""
    frames: dict[int, int] = field(default_factory=dict)
    """The bytes of the largest frame, by DSCP."""


@dataclass
class JunosQos:
    """What the lines of a configuration say of classes, schedulers, pauses and load balancing."""

    queue_of: dict[str, int] = field(default_factory=dict)
    priority_of: dict[str, int] = field(default_factory=dict)
    lossless: set[str] = field(default_factory=set)
    class_of: dict[str, dict[int, str]] = field(default_factory=dict)
    """The class of each DSCP, by classifier."""
    profiles: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    buffers: set[str] = field(default_factory=set)
    pauses: dict[str, PauseProfile] = field(default_factory=dict)
    bound: dict[str, dict[str, str]] = field(default_factory=dict)
    """The names of `profile`, `scheduler-map` and `classifier`, by port or pattern of ports."""
    maps: dict[str, dict[str, str]] = field(default_factory=dict)
    schedulers: dict[str, Scheduler] = field(default_factory=dict)
    by_load: set[str] = field(default_factory=set)
    """The settings of load balancing by the load of links."""

    def make_balancing(self, families: Set[str]) -> Balancing:
        """Return how equal paths are chosen; `families` are those ("v4", "v6") that the switch routes.

        Raises UnknownTextError for balancing by load that lacks a line or has another figure.
        """
        if not self.by_load:
            return Balancing()
        families_routed = {f"ether-type ip{family}" for family in families}
        if not is_tolerant() and self.by_load not in (families_routed | FLOWLETS, families_routed | SPRAYED):
            report_misfit(f"load is balanced otherwise: {sorted(self.by_load)}")
        return Balancing(by_load=True)

    def make_qos(self, ports: Mapping[str, str]) -> SwitchQos | None:
        """Return QoS as the model has it; None if no port is bound to anything.

        `ports` maps each port in use to its bond, or to itself. Raises UnknownTextError for ports with different
        classifiers, and for other shares of the buffer than those of the designs.
        """
        if not self.bound:
            return None
        bound = {port: row_of_port for port, name in ports.items() if (row_of_port := self._bound_to(name))}
        classifiers = {row["classifier"] for row in bound.values()}
        if len(classifiers) != 1:
            report_misfit(f"ports have classifiers {sorted(classifiers)}")
        points = self.class_of[min(classifiers)]
        number_of = {BEST_EFFORT: 0, **self.queue_of}
        classes = tuple(number_of[points.get(dscp, BEST_EFFORT)] for dscp in range(64))
        buffers = BUFFERS if self.lossless else LOSSY_BUFFERS
        if not is_tolerant() and self.buffers != buffers:
            report_misfit(f"buffers are not shared as they should be: {sorted(self.buffers ^ buffers)}")
        kinds: dict[tuple[str, str], PortQos] = {}
        for row in bound.values():
            key = row["scheduler-map"], row.get("profile", "")
            if key not in kinds:
                kinds[key] = self._make_port(*key, points)
        return SwitchQos(
            class_of=classes,
            queue_of={number: number for number in sorted(set(classes))},
            ports={port: kinds[row["scheduler-map"], row.get("profile", "")] for port, row in bound.items()},
            watchdog=self._make_watchdog(),
        )

    def _bound_to(self, port: str) -> dict[str, str]:
        """Return the names of what is bound to a port, by `profile`, `scheduler-map` and `classifier`; {} if nothing
        is.

        It is what its own name is bound to, else a pattern such as `et-*`.
        """
        return self.bound.get(port) or next((row for name, row in self.bound.items() if fnmatchcase(port, name)), {})

    def _make_port(self, scheduler_map: str, profile: str, points: dict[int, str]) -> PortQos:
        """Return the QoS of a port with a scheduler map and a congestion notification profile ("" for none).

        `points` maps DSCPs to classes. Raises UnknownTextError for a scheduler that marks without a drop profile, or
        has one and does not mark.
        """
        paused = self._find_paused_priorities(profile, points) if profile else frozenset[int]()
        watched = paused if profile and self.pauses[profile].watchdog else frozenset[int]()
        queues = {}
        for name, scheduler in self.maps[scheduler_map].items():
            scheduler_read = self.schedulers[scheduler]
            ecn = self._make_ecn(scheduler_read.profile) if scheduler_read.profile else None
            if scheduler_read.marks != (ecn is not None):
                report_misfit(f"scheduler {scheduler} marks without a profile, or drops what it should mark")
            queues[self.queue_of.get(name, 0)] = Queue(
                scheduler_read.strict, scheduler_read.share, ecn, scheduler_read.limit
            )
        return PortQos(paused, watched, queues, length_m=self._find_length(profile) if profile else 0)

    def _find_length(self, profile: str) -> int:
        """Return the metres of cable that the headroom of a profile is for; 0 if Junos chooses them.

        Raises UnknownTextError if a length is stated and the largest frame is not, for each DSCP that pauses, or the
        reverse.
        """
        pause = self.pauses[profile]
        required = dict.fromkeys(pause.points, LARGEST_FRAME) if pause.length_m else {}
        if pause.frames != required and not is_tolerant():
            report_misfit(f"profile {profile} has headroom for frames of {sorted(pause.frames.values())} bytes")
        return pause.length_m

    def _find_paused_priorities(self, profile: str, points: dict[int, str]) -> frozenset[int]:
        """Return the priorities that a profile pauses; `points` maps DSCPs to classes.

        Raises UnknownTextError unless the DSCPs, priorities and queues that it pauses are just those of the lossless
        classes.
        """
        pause = self.pauses[profile]
        lossless_points = {dscp for dscp, name in points.items() if name in self.lossless}
        queues = {self.priority_of[name]: self.queue_of[name] for name in self.lossless if name in self.priority_of}
        if (pause.points, pause.queues, len(queues)) != (lossless_points, queues, len(self.lossless)):
            paused = f"{pause.points}, {pause.queues}"
            report_misfit(f"profile {profile} pauses others than the classes without loss: {paused}")
        return frozenset(queues)

    def _make_ecn(self, name: str) -> Ecn:
        """Return the fill levels between which packets are marked, in percent of the buffer, and the percentage that is
        marked at the upper one.

        Raises UnknownTextError for a drop profile that marks packets at its lower level already.
        """
        profile = self.profiles[name]
        min_percent, max_percent = sorted(profile["fill-level"])
        lowest_probability, highest_probability = sorted(profile["drop-probability"])
        if lowest_probability:
            report_misfit(f"drop profile {name} begins at {lowest_probability} %")
        return Ecn(min_percent, max_percent, highest_probability)

    def _make_watchdog(self) -> PfcWatchdog | None:
        """Return the times of the watchdog in ms, which Junos counts in polls for the detection; None without a
        watchdog.

        Raises UnknownTextError for profiles with different watchdogs.
        """
        watchdogs = [pause.watchdog for pause in self.pauses.values() if pause.watchdog]
        if not watchdogs:
            return None
        times = watchdogs[0]
        if any(further != times for further in watchdogs):
            report_misfit(f"profiles have different watchdogs: {watchdogs}")
        poll = int(times["poll-interval"])
        return PfcWatchdog(poll * int(times["detection"]), int(times["recovery"]), poll, times["watchdog-action"])


def _make_number_item(name: str, number: str) -> dict[str, int]:
    return {name: int(number)}


QOS, FORWARDING = LineRules(), LineRules()
_PAUSES, _BOUND, _SCHEDULER = LineRules(), LineRules(), LineRules()
FORWARDING.store_fields({"enhanced-hash-key ecmp-dlb (.+)": ("qos.by_load", str)})
QOS.store_fields(
    {
        "shared-buffer (.+)": ("qos.buffers", str),
        r"forwarding-classes class (\S+) queue-num (\d)": ("qos.queue_of", _make_number_item),
        r"forwarding-classes class (\S+) pfc-priority (\d)": ("qos.priority_of", _make_number_item),
        r"forwarding-classes class (\S+) no-loss": ("qos.lossless", str),
    }
)
_PAUSES.store_fields(
    {
        r"pfc-watchdog (\S+) (\S+)": ("watchdog", make_item),
        r"input cable-length (\d+)": ("length_m", int),
        r"input dscp code-point ([01]{6}) mru (\d+)": ("frames", lambda point, size: {int(point, 2): int(size)}),
        "input dscp code-point ([01]{6}) pfc": ("points", lambda point: int(point, 2)),
        r"output ieee-802.1 code-point ([01]{3}) flow-control-queue (\d)": (
            "queues",
            lambda point, queue: {int(point, 2): int(queue)},
        ),
    }
)
_BOUND.store_fields(
    {
        r"congestion-notification-profile (\S+)": ("", lambda name: {"profile": name}),
        r"(scheduler-map) (\S+)": ("", make_item),
        r"unit \S+ classifiers dscp (\S+)": ("", lambda name: {"classifier": name}),
    }
)
_SCHEDULER.store_fields(
    {
        r"transmit-rate percent (\d+)": ("share", int),
        r"shaping-rate percent (\d+)": ("limit", int),
        "priority strict-high": ("strict", mark_present),
        r"drop-profile-map loss-priority any protocol any drop-profile (\S+)": ("profile", str),
        "explicit-congestion-notification": ("marks", mark_present),
    }
)


@QOS.line(r"classifiers dscp (\S+) forwarding-class (\S+) loss-priority low code-points ([01]{6})")
def _read_classifier(box: Any, line: Line, name: str, class_: str, point: str) -> None:
    box.qos.class_of.setdefault(name, {})[int(point, 2)] = class_


@QOS.line(r"drop-profiles (\S+) interpolate (fill-level|drop-probability) (\d+)")
def _read_drop_probability(box: Any, line: Line, name: str, word: str, percent: str) -> None:
    box.qos.profiles.setdefault(name, {}).setdefault(word, []).append(int(percent))


@QOS.line(r"congestion-notification-profile (\S+) (.+)")
def _read_pause_line(box: Any, line: Line, name: str, rest: str) -> None:
    pass_on(_PAUSES, line, rest, box.qos.pauses.setdefault(name, PauseProfile()))


@QOS.line(r"interfaces (\S+) (.+)")
def _read_port_line(box: Any, line: Line, name: str, rest: str) -> None:
    pass_on(_BOUND, line, rest, box.qos.bound.setdefault(name, {}))


@QOS.line(r"scheduler-maps (\S+) forwarding-class (\S+) scheduler (\S+)")
def _read_scheduler_map(box: Any, line: Line, name: str, class_: str, scheduler: str) -> None:
    box.qos.maps.setdefault(name, {})[class_] = scheduler


@QOS.line(r"schedulers (\S+) (.+)")
def _read_scheduler_line(box: Any, line: Line, name: str, rest: str) -> None:
    pass_on(_SCHEDULER, line, rest, box.qos.schedulers.setdefault(name, Scheduler()))
