"""QoS, load balancing and packet trimming of a startup.yaml.

Balancing is `forwarding` of `system`; trimming is `packet-trim` of `system forwarding` and of ports, and their map of
DSCPs.

What does not fit raises UnknownTextError in tests alone: what a device runs is read within `tolerate_unknown_text`
(`running/tree.py`), where it is noted and reading goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabricgen.running.tree import UnknownTextError, allow_fields, is_tolerant, report_misfit
from fabricgen.switch.qos import Ecn, PacketTrimming, PfcWatchdog, PortQos, Queue, SwitchQos

Row = Mapping[str, Any]
PFC_ON = {"rx": "enable", "tx": "enable"}
KEYS_OF_PROFILES = {
    "congestion-control": ("traffic-class",),
    "egress-scheduler": ("traffic-class",),
    "egress-shaper": ("traffic-class",),
    "mapping": ("dscp", "trust"),
    "pfc": (*PFC_ON, "cable-length", "switch-priority"),
}
"""The kinds of profiles, to which a port refers as `{profile: NAME}`, each with the keys that a profile may have."""
WATCHED = ("enable", "enabled")
"""`enable` in the command reference and in exports of NVIDIA's designs, `enabled` in prose of 5.16 and later."""
WHOLE_PERCENT = 100
KBPS_PER_GBPS = 1_000_000


def read_qos(qos: Row, ports: Mapping[str, Row], speeds_gbps: Mapping[str, int]) -> SwitchQos:
    """Return QoS as the model has it.

    `qos` is that part of the tree, `ports` what each port says of QoS, `speeds_gbps` their speeds, both by port. Raises
    UnknownTextError if these do not fit.
    """
    allow_fields(qos, *KEYS_OF_PROFILES, "egress-queue-mapping", "pfc-watchdog", "traffic-pool")
    allow_fields(qos["egress-queue-mapping"], "default-global")
    # what a switch shows may leave out pools that are as they were shipped
    pools = qos.get("traffic-pool", {})
    for pool in pools.values():
        allow_fields(pool, "memory-percent")
    if not is_tolerant() and sum(pool["memory-percent"] for pool in pools.values()) != WHOLE_PERCENT:
        report_misfit(f"pools of memory: {pools}")
    map_names = sorted({port["mapping"]["profile"] for port in ports.values()})
    if len(map_names) != 1:
        # raised even if reading is tolerant: the model has one map for all ports
        raise UnknownTextError(f"ports have {len(map_names)} maps of DSCPs, not one: {', '.join(map_names)}")
    classes = list_classes(qos["mapping"][map_names[0]])
    into = qos["egress-queue-mapping"]["default-global"]["switch-priority"]
    queue_of = {int(priority): row["traffic-class"] for priority, row in into.items()}
    return SwitchQos(
        class_of=classes,
        # the file maps all eight priorities, the model has those that carry something
        queue_of={number: queue_of[number] for number in sorted(set(classes))},
        ports={name: _make_port_qos(qos, port, speeds_gbps[name]) for name, port in ports.items()},
        watchdog=_make_watchdog(qos["pfc-watchdog"]) if "pfc-watchdog" in qos else None,
    )


def list_classes(row: Row) -> tuple[int, ...]:
    """Return the traffic class of each of the 64 DSCPs, from a map of `qos mapping`."""
    allow_fields(row, *KEYS_OF_PROFILES["mapping"])
    if row["trust"] != "l3":
        report_misfit("DSCPs are not trusted")
    return tuple(row["dscp"][str(dscp)]["switch-priority"] for dscp in range(64))


def _make_watchdog(row: Row) -> PfcWatchdog:
    """Return the times of the watchdog: it acts after `robustness` polls, and gives a queue back after a poll without
    pauses, for which NVUE knows no time.
    """
    allow_fields(row, "polling-interval", "robustness")
    poll_ms = row["polling-interval"]
    return PfcWatchdog(detect_ms=row["robustness"] * poll_ms, restore_ms=0, poll_ms=poll_ms)


def _make_port_qos(qos: Row, port: Row, speed_gbps: int) -> PortQos:
    """Return the QoS of a port from the profiles that it names; the limit of a queue is in percent of its speed."""
    allow_fields(port, *KEYS_OF_PROFILES, "pfc-watchdog")
    profiles = {kind: qos[kind][port[kind]["profile"]] for kind in KEYS_OF_PROFILES if kind in port}
    for kind, profile in profiles.items():
        allow_fields(port[kind], "profile")
        allow_fields(profile, *KEYS_OF_PROFILES[kind])
    watchdog = port.get("pfc-watchdog", {})
    allow_fields(watchdog, "state")
    # a port without a PFC profile pauses nothing: filled in so that the check below passes
    pfc = profiles.get("pfc", {**PFC_ON, "switch-priority": {}})
    is_watched = watchdog.get("state") in WATCHED
    if {key: pfc[key] for key in PFC_ON} != PFC_ON or ("state" in watchdog and not is_watched):
        # PFC that is on in one direction is read as PFC: the model has no word for it
        report_misfit("PFC is not on in both directions, or its watchdog is stated and off")
    paused = frozenset(map(int, pfc["switch-priority"]))
    marked = {int(queue): _make_ecn(row) for queue, row in profiles["congestion-control"]["traffic-class"].items()}
    shaper = profiles.get("egress-shaper", {"traffic-class": {}})
    for row in shaper["traffic-class"].values():
        allow_fields(row, "max-rate")
    # multiplied before it is divided by the speed below, so that percent stay whole
    limits = {int(queue): 100 * row["max-rate"] for queue, row in shaper["traffic-class"].items()}
    scheduled = profiles["egress-scheduler"]["traffic-class"]
    queues = {
        int(queue): replace(
            _make_queue(row, marked.pop(int(queue), None)),
            # at least 1: a port that could not be read has speed 0
            limit=limits.get(int(queue), 0) // max(1, speed_gbps * KBPS_PER_GBPS),
        )
        for queue, row in scheduled.items()
    }
    if marked:
        report_misfit(f"queues that are marked and not scheduled: {sorted(marked)}")
    return PortQos(
        pfc=paused,
        watched=paused if is_watched else frozenset(),
        queues=queues,
        length_m=pfc.get("cable-length", 0),
    )


def _make_queue(row: Row, ecn: Ecn | None) -> Queue:
    """Return a queue from its row of a scheduler; `ecn` is its marking, None for none."""
    allow_fields(row, "bw-percent", "mode")
    return Queue(strict=row["mode"] == "strict", share=row.get("bw-percent", 0), ecn=ecn)


def _make_ecn(row: Row) -> Ecn:
    """Return the ECN thresholds in kB, which NVUE has in bytes, and the probability of marking in percent.

    Raises UnknownTextError if ECN is off, or for thresholds of no whole kB.
    """
    allow_fields(row, "ecn", "max-threshold", "min-threshold", "probability")
    (min_kb, min_rest), (max_kb, max_rest) = (divmod(row[f"{end}-threshold"], 1000) for end in ("min", "max"))
    if row["ecn"] != "enable" or min_rest or max_rest:
        report_misfit(f"congestion control: {row}")
    return Ecn(min_kb, max_kb, row["probability"])


def read_seed(system: Mapping[str, Any]) -> int | None:
    """Return the seed of the hash; None if switchd draws one."""
    forwarding = system.get("forwarding", {})
    allow_fields(forwarding, "hash-seed", "packet-trim")
    return int(forwarding["hash-seed"]) if "hash-seed" in forwarding else None


def is_map_alone(qos: Row) -> bool:
    """Whether `qos` has only a map of DSCPs: RoCE has no class, and the map serves packet trimming."""
    return set(qos) == {"mapping"}


def read_trimming(tree: Row, rows: Mapping[str, Row]) -> PacketTrimming | None:
    """Return how packets are trimmed, and the classes that are trimmed by port; None if the switch trims nothing.

    `rows` are the switch ports by name. Raises UnknownTextError if ports trim and the switch does not, if trimming is
    off or beside lossless traffic, and if ports that trim have no map of DSCPs, or several.
    """
    trim = tree["system"].get("forwarding", {}).get("packet-trim")
    ports = {name: row for name, row in rows.items() if "packet-trim" in row}
    if trim is None:
        if ports or is_map_alone(tree.get("qos", {})):
            report_misfit("packets are trimmed at ports, and not by the switch")
        return None
    allow_fields(trim, "remark", "size", "state", "switch-priority")
    if trim["state"] != "enabled" or "pfc" in tree["qos"]:
        report_misfit("packet trimming that is off, or beside lossless traffic")
    ports_with_map = {name for name, row in rows.items() if row.get("qos")}
    # a port that trims is bound to a map of DSCPs, and nothing else is where nothing is marked
    map_names = {rows[name]["qos"]["mapping"]["profile"] for name in ports_with_map}
    if (
        not set(ports) <= ports_with_map
        or (ports_with_map != set(ports) and is_map_alone(tree["qos"]))
        or len(map_names) != 1
    ):
        report_misfit("ports that trim have one map of DSCPs, and others none")
    return PacketTrimming(
        dscp=trim["remark"]["dscp"],
        size=trim["size"],
        traffic_class=trim["switch-priority"],
        class_of=list_classes(tree["qos"]["mapping"][map_names.pop()]),
        ports={name: _list_eligible_classes(row["packet-trim"]) for name, row in ports.items()},
    )


def _list_eligible_classes(row: Row) -> frozenset[int]:
    """Return the traffic classes to which a setting of egress applies."""
    allow_fields(row, "egress-eligibility")
    allow_fields(row["egress-eligibility"], "traffic-class")
    return frozenset(map(int, row["egress-eligibility"]["traffic-class"]))
