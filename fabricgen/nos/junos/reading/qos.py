"""Class of service of a configuration of Junos, read back (Traffic Management User Guide for QFX Series)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Protocol

from fabricgen.nos.junos.reading.lines import pass_on
from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.qos import Balancing, Ecn, PfcWatchdog, PortQos, Queue, SwitchQos

BEST_EFFORT = "best-effort"
"""The class of packets that no classifier names."""

LARGEST_FRAME = 9216
"""The bytes of frames that headroom is for, where the length of the cable is said."""

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
    """What a scheduler says."""

    share: int = 0
    limit: int = 0
    strict: bool = False
    marks: bool = False
    profile: str = ""


@dataclass
class JunosQos:
    """What was read."""

    queue_of: dict[str, int] = field(default_factory=dict)
    priority_of: dict[str, int] = field(default_factory=dict)
    lossless: set[str] = field(default_factory=set)
    class_of: dict[str, dict[int, str]] = field(default_factory=dict)
    """By classifier, the class of each DSCP."""
    profiles: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    buffers: set[str] = field(default_factory=set)
    pauses: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By congestion notification profile: `watchdog`, code points of `input`, and queues of `output` by priority."""
    bound: dict[str, dict[str, str]] = field(default_factory=dict)
    maps: dict[str, dict[str, str]] = field(default_factory=dict)
    schedulers: dict[str, Scheduler] = field(default_factory=dict)
    by_load: set[str] = field(default_factory=set)
    """What is said of load balancing by that of the links."""

    def make_balancing(self, families: Set[str]) -> Balancing:
        """How equal paths are chosen, given the families that are routed; raises UnknownTextError for half of it."""
        if not self.by_load:
            return Balancing()
        families_routed = {f"ether-type ip{family}" for family in families}
        if not is_tolerant() and self.by_load not in (families_routed | FLOWLETS, families_routed | SPRAYED):
            report_misfit(f"load is balanced otherwise: {sorted(self.by_load)}")
        return Balancing(by_load=True)

    def make_qos(self, ports: Mapping[str, str]) -> SwitchQos | None:
        """QoS as the model has it, None where there is none; each port in use is given with its bond, or itself."""
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
        """What is said of a port: by its name, or for all of a kind."""
        return self.bound.get(port) or next((row for name, row in self.bound.items() if fnmatchcase(port, name)), {})

    def _make_port(self, map_: str, profile: str, points: dict[int, str]) -> PortQos:
        # QoS of a port with a scheduler map and a congestion notification profile ("" for none)
        paused = self._find_paused_priorities(profile, points) if profile else frozenset[int]()
        watched = paused if profile and self.pauses[profile].get("watchdog") else frozenset[int]()
        queues = {}
        for name, scheduler in self.maps[map_].items():
            scheduler_read = self.schedulers[scheduler]
            ecn = self._make_ecn(scheduler_read.profile) if scheduler_read.profile else None
            if scheduler_read.marks != (ecn is not None):
                report_misfit(f"scheduler {scheduler} marks without a profile, or drops what it should mark")
            queues[self.queue_of.get(name, 0)] = Queue(
                scheduler_read.strict, scheduler_read.share, ecn, scheduler_read.limit
            )
        return PortQos(paused, watched, queues, length_m=self._find_length(profile) if profile else 0)

    def _find_length(self, profile: str) -> int:
        """How long the fibre is that the headroom of a profile is for, m; 0 where that is Junos's choice."""
        said = self.pauses[profile]
        length_m, largest = int(said.get("cable-length", 0)), said.get("mru", {})
        required = dict.fromkeys(said["input"], LARGEST_FRAME) if length_m else {}
        if largest != required and not is_tolerant():
            report_misfit(f"profile {profile} has headroom for frames of {sorted(largest.values())} bytes")
        return length_m

    def _find_paused_priorities(self, profile: str, points: dict[int, str]) -> frozenset[int]:
        """The priorities that a profile pauses: those of classes without loss, for all of whose packets it does."""
        profile_read = self.pauses[profile]
        lossless_points = {dscp for dscp, name in points.items() if name in self.lossless}
        queues = {self.priority_of[name]: self.queue_of[name] for name in self.lossless if name in self.priority_of}
        if (
            profile_read["input"] != lossless_points
            or profile_read["output"] != queues
            or len(queues) != len(self.lossless)
        ):
            paused = f"{profile_read['input']}, {profile_read['output']}"
            report_misfit(f"profile {profile} pauses others than the classes without loss: {paused}")
        return frozenset(queues)

    def _make_ecn(self, name: str) -> Ecn:
        # fill levels, percent of the buffer, between which packets are marked, and how many of 100 at the upper one
        profile = self.profiles[name]
        low, high = sorted(profile["fill-level"])
        none, percent = sorted(profile["drop-probability"])
        if none:
            report_misfit(f"drop profile {name} begins at {none} %")
        return Ecn(low, high, percent)

    def _make_watchdog(self) -> PfcWatchdog | None:
        # the watchdog's times, ms; Junos counts the detection in polls
        watchdogs = [said["watchdog"] for said in self.pauses.values() if said.get("watchdog")]
        if not watchdogs:
            return None
        said = watchdogs[0]
        if any(other != said for other in watchdogs):
            report_misfit(f"profiles have different watchdogs: {watchdogs}")
        poll = int(said["poll-interval"])
        return PfcWatchdog(poll * int(said["detection"]), int(said["recovery"]), poll, said["watchdog-action"])


class HasQos(Protocol):
    """What is read into."""

    qos: JunosQos


QOS, FORWARDING = LineRules(), LineRules()
_PAUSES, _BOUND, _SCHEDULER = LineRules(), LineRules(), LineRules()


@FORWARDING.line(r"enhanced-hash-key ecmp-dlb (.+)")
def _read_load_balancing(box: HasQos, line: Line, words: str) -> None:
    box.qos.by_load.add(words)


@QOS.line(r"classifiers dscp (\S+) forwarding-class (\S+) loss-priority low code-points ([01]{6})")
def _read_classifier(box: HasQos, line: Line, name: str, class_: str, point: str) -> None:
    box.qos.class_of.setdefault(name, {})[int(point, 2)] = class_


@QOS.line(r"drop-profiles (\S+) interpolate (fill-level|drop-probability) (\d+)")
def _read_drop_probability(box: HasQos, line: Line, name: str, word: str, percent: str) -> None:
    box.qos.profiles.setdefault(name, {}).setdefault(word, []).append(int(percent))


@QOS.line(r"shared-buffer (.+)")
def _read_buffer_share(box: HasQos, line: Line, words: str) -> None:
    box.qos.buffers.add(words)


@QOS.line(r"forwarding-classes class (\S+) (queue-num|pfc-priority) (\d)")
def _read_class(box: HasQos, line: Line, name: str, word: str, number: str) -> None:
    (box.qos.queue_of if word == "queue-num" else box.qos.priority_of)[name] = int(number)


@QOS.line(r"forwarding-classes class (\S+) no-loss")
def _read_no_loss(box: HasQos, line: Line, name: str) -> None:
    box.qos.lossless.add(name)


@QOS.line(r"congestion-notification-profile (\S+) (.+)")
def _read_pause_line(box: HasQos, line: Line, name: str, rest: str) -> None:
    said = box.qos.pauses.setdefault(name, {"watchdog": {}, "input": set(), "output": {}})
    pass_on(_PAUSES, line, rest, said)


@_PAUSES.line(r"pfc-watchdog (\S+) (\S+)")
def _read_watchdog(profile: dict[str, Any], line: Line, word: str, value: str) -> None:
    profile["watchdog"][word] = value


@_PAUSES.line(r"input cable-length (\d+)|input dscp code-point ([01]{6}) mru (\d+)")
def _read_headroom(profile: dict[str, Any], line: Line, length: str, point: str, frame: str) -> None:
    if length:
        profile["cable-length"] = length
    else:
        profile.setdefault("mru", {})[int(point, 2)] = int(frame)


@_PAUSES.line(r"input dscp code-point ([01]{6}) pfc")
def _read_paused_point(profile: dict[str, Any], line: Line, point: str) -> None:
    profile["input"].add(int(point, 2))


@_PAUSES.line(r"output ieee-802.1 code-point ([01]{3}) flow-control-queue (\d)")
def _read_paused_queue(profile: dict[str, Any], line: Line, point: str, queue: str) -> None:
    profile["output"][int(point, 2)] = int(queue)


@QOS.line(r"interfaces (\S+) (.+)")
def _read_port_line(box: HasQos, line: Line, name: str, rest: str) -> None:
    pass_on(_BOUND, line, rest, box.qos.bound.setdefault(name, {}))


@_BOUND.line(r"congestion-notification-profile (\S+)")
def _read_bound_profile(row: dict[str, str], line: Line, name: str) -> None:
    row["profile"] = name


@_BOUND.line(r"scheduler-map (\S+)")
def _read_bound_map(row: dict[str, str], line: Line, name: str) -> None:
    row["scheduler-map"] = name


@_BOUND.line(r"unit \S+ classifiers dscp (\S+)")
def _read_bound_classifier(row: dict[str, str], line: Line, name: str) -> None:
    row["classifier"] = name


@QOS.line(r"scheduler-maps (\S+) forwarding-class (\S+) scheduler (\S+)")
def _read_scheduler_map(box: HasQos, line: Line, name: str, class_: str, scheduler: str) -> None:
    box.qos.maps.setdefault(name, {})[class_] = scheduler


@QOS.line(r"schedulers (\S+) (.+)")
def _read_scheduler_line(box: HasQos, line: Line, name: str, rest: str) -> None:
    pass_on(_SCHEDULER, line, rest, box.qos.schedulers.setdefault(name, Scheduler()))


@_SCHEDULER.line(r"transmit-rate percent (\d+)")
def _read_transmit_rate(scheduler: Scheduler, line: Line, percent: str) -> None:
    scheduler.share = int(percent)


@_SCHEDULER.line(r"shaping-rate percent (\d+)")
def _read_shaping_rate(scheduler: Scheduler, line: Line, percent: str) -> None:
    scheduler.limit = int(percent)


@_SCHEDULER.line("priority strict-high")
def _read_priority(scheduler: Scheduler, line: Line) -> None:
    scheduler.strict = True


@_SCHEDULER.line(r"drop-profile-map loss-priority any protocol any drop-profile (\S+)")
def _read_drop_profile(scheduler: Scheduler, line: Line, name: str) -> None:
    scheduler.profile = name


@_SCHEDULER.line("explicit-congestion-notification")
def _read_ecn(scheduler: Scheduler, line: Line) -> None:
    scheduler.marks = True
