"""QoS, load balancing and packet trimming of a startup.yaml.

Balancing is `forwarding` of `system`; trimming is `packet-trim` of `system forwarding` and of ports, and their map of
DSCPs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabricgen.running.tree import only, tolerates, unfit
from fabricgen.switch.qos import Ecn, PortQos, Qos, Queue, Trimming, Watchdog

Row = Mapping[str, Any]
NAMED = ("congestion-control", "egress-scheduler", "egress-shaper", "mapping", "pfc")
PFC_ON = {"rx": "enable", "tx": "enable"}


WHOLE_PERCENT = 100
KBPS_PER_GBPS = 1_000_000


def read_qos(qos: Row, ports: Mapping[str, Row], speeds_gbps: Mapping[str, int]) -> Qos:
    """QoS of `qos` and what ports refer to, as the model has it; raises UnknownTextError where these do not fit."""
    only(qos, *NAMED, "egress-queue-mapping", "pfc-watchdog", "traffic-pool")
    only(qos["egress-queue-mapping"], "default-global")
    if not tolerates() and sum(pool["memory-percent"] for pool in qos["traffic-pool"].values()) != WHOLE_PERCENT:
        unfit(f"pools of memory: {qos['traffic-pool']}")
    mappings = {port["mapping"]["profile"] for port in ports.values()}
    (classes,) = [classes_of(qos["mapping"][name]) for name in mappings]
    into = qos["egress-queue-mapping"]["default-global"]["switch-priority"]
    queue_of = {int(priority): row["traffic-class"] for priority, row in into.items()}
    return Qos(
        class_of=classes,
        queue_of={number: queue_of[number] for number in sorted(set(classes))},
        ports={name: _port(qos, port, speeds_gbps[name]) for name, port in ports.items()},
        watchdog=_watchdog(qos["pfc-watchdog"]),
    )


def classes_of(row: Row) -> tuple[int, ...]:
    """The traffic class of each DSCP, of a map of `qos mapping`."""
    only(row, "dscp", "trust")
    if row["trust"] != "l3":
        unfit("DSCPs are not trusted")
    return tuple(row["dscp"][str(dscp)]["switch-priority"] for dscp in range(64))


def _watchdog(row: Row) -> Watchdog:
    """A queue is given back after a poll without pauses: NVUE knows no time for it."""
    only(row, "polling-interval", "robustness")
    return Watchdog(row["robustness"] * row["polling-interval"], 0, row["polling-interval"])


def _port(qos: Row, port: Row, speed_gbps: int) -> PortQos:
    only(port, *NAMED, "pfc-watchdog")
    own = {name: qos[name][port[name]["profile"]] for name in NAMED if name in port}
    pfc = own.get("pfc", {**PFC_ON, "switch-priority": {}})
    only(pfc, *PFC_ON, "cable-length", "switch-priority")
    off = {key: pfc[key] for key in PFC_ON} != PFC_ON
    if off or port.get("pfc-watchdog", {}) not in ({}, {"state": "enable"}):
        unfit("PFC is not on in both directions, or is not watched")
    paused = frozenset(map(int, pfc["switch-priority"]))
    marked = {int(queue): _ecn(row) for queue, row in own["congestion-control"]["traffic-class"].items()}
    shaper = own.get("egress-shaper", {"traffic-class": {}})
    only(shaper, "traffic-class")
    limits = {int(queue): 100 * row["max-rate"] for queue, row in shaper["traffic-class"].items()}
    scheduled = own["egress-scheduler"]["traffic-class"]
    queues = {
        int(queue): replace(
            _queue(row, marked.pop(int(queue), None)),
            limit=limits.get(int(queue), 0) // max(1, speed_gbps * KBPS_PER_GBPS),
        )
        for queue, row in scheduled.items()
    }
    if marked:
        unfit(f"queues that are marked and not scheduled: {sorted(marked)}")
    watched = paused if port.get("pfc-watchdog") else frozenset()
    return PortQos(paused, watched, queues, pfc.get("cable-length", 0))


def _queue(row: Row, ecn: Ecn | None) -> Queue:
    only(row, "bw-percent", "mode")
    return Queue(row["mode"] == "strict", row.get("bw-percent", 0), ecn)


def _ecn(row: Row) -> Ecn:
    only(row, "ecn", "max-threshold", "min-threshold", "probability")
    low, high = (divmod(row[f"{end}-threshold"], 1000) for end in ("min", "max"))
    if row["ecn"] != "enable" or low[1] or high[1]:
        unfit(f"congestion control: {row}")
    return Ecn(low[0], high[0], row["probability"])


def read_seed(system: Mapping[str, Any]) -> int | None:
    """The seed of the hash; None where switchd draws one."""
    found = system.get("forwarding", {})
    only(found, "hash-seed", "packet-trim")
    return int(found["hash-seed"]) if "hash-seed" in found else None


def is_map_alone(qos: Row) -> bool:
    """Whether all that `qos` has is a map of DSCPs: nothing of it is lossless."""
    return set(qos) == {"mapping"}


def read_trimming(tree: Row, rows: Mapping[str, Row]) -> Trimming | None:
    """What is trimmed, None where nothing is; raises UnknownTextError where ports do not fit to the switch."""
    own = tree["system"].get("forwarding", {}).get("packet-trim")
    ports = {name: row for name, row in rows.items() if "packet-trim" in row}
    if own is None:
        if ports or is_map_alone(tree.get("qos", {})):
            unfit("packets are trimmed at ports, and not by the switch")
        return None
    only(own, "remark", "size", "state", "switch-priority")
    if own["state"] != "enabled" or not is_map_alone(tree["qos"]):
        unfit("packet trimming that is off, or beside lossless traffic")
    mapped = {name for name, row in rows.items() if row.get("qos")}
    maps = {rows[name]["qos"]["mapping"]["profile"] for name in mapped}
    if mapped != set(ports) or len(maps) != 1:
        unfit("ports that trim have one map of DSCPs, and others none")
    return Trimming(
        dscp=own["remark"]["dscp"],
        size=own["size"],
        traffic_class=own["switch-priority"],
        class_of=classes_of(tree["qos"]["mapping"][maps.pop()]),
        ports={name: _eligible(row["packet-trim"]) for name, row in ports.items()},
    )


def _eligible(row: Row) -> frozenset[int]:
    only(row, "egress-eligibility")
    only(row["egress-eligibility"], "traffic-class")
    return frozenset(map(int, row["egress-eligibility"]["traffic-class"]))
