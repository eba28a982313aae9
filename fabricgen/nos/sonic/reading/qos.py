"""SONiC's tables of QoS, hashes and packet trimming read back.

Sonic-buildimage: files/build_templates/qos_config.j2; sonic-pfcwd.yang, sonic-hash.yang, sonic-trimming.yang and
sonic-buffer-profile.yang (packet_discard_action).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.nos.sonic.reading.tables import QOS_TABLES
from fabricgen.running.tree import UnknownTextError, only, tolerates, unfit
from fabricgen.switch.qos import Balancing, Ecn, PortQos, Qos, Queue, Trimming, Watchdog

BITS_PER_MEGABIT = 1_000_000
Tables = Mapping[str, Mapping[str, Mapping[str, str]]]


def read_qos(tables: Tables) -> Qos | None:
    """QoS as the model of a switch has it; None without tables of it, or where they are those of packet trimming.

    Raises UnknownTextError where tables do not fit together.
    """
    if "SWITCH_TRIMMING" in tables or not set(QOS_TABLES).intersection(tables):
        return None
    bound = {name: row for name, row in tables["PORT_QOS_MAP"].items() if name != "global"}
    classes = _numbers(_bound_map(tables, bound, "dscp_to_tc_map", "DSCP_TO_TC_MAP"))
    queues = _numbers(_bound_map(tables, bound, "tc_to_queue_map", "TC_TO_QUEUE_MAP"))
    pfc_queues = _numbers(_bound_map(tables, bound, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"))
    groups = _numbers(_bound_map(tables, bound, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"))
    pfc_groups = _pfc_groups(tables, bound)
    queue_rows: dict[str, dict[int, Queue]] = {name: {} for name in bound}
    for key, row in tables["QUEUE"].items():
        port, _, number = key.partition("|")
        queue_rows[port][int(number)] = _queue(tables, row, int(tables["PORT"][port]["speed"]))
    ports = {name: _port(tables, name, row, queue_rows[name]) for name, row in bound.items()}
    for priority in {p for port in ports.values() for p in port.pfc}:
        alone = [traffic_class for traffic_class, group in groups.items() if group == groups[priority]]
        if pfc_queues[priority] != queues[priority] or alone != [priority]:
            unfit(f"priority {priority} pauses another queue or class than its own")
    if pfc_groups is not None and pfc_groups != {p: groups[p] for port in ports.values() for p in port.pfc}:
        unfit(f"priorities pause the groups {pfc_groups}, and classes are in {groups}")
    if not tolerates() and not set(range(8)) <= groups.keys() & pfc_queues.keys():
        unfit("classes without a priority group, or priorities without a queue")
    return Qos(
        class_of=tuple(classes[dscp] for dscp in range(64)),
        queue_of={c: queues[c] for c in sorted(set(classes.values()))},
        ports=ports,
        watchdog=_watchdog(tables.get("PFC_WD", {}), ports),
    )


def _pfc_groups(tables: Tables, bound: Mapping[str, Mapping[str, str]]) -> dict[int, int] | None:
    """The groups that priorities pause, of chips that are told; raises UnknownTextError where the switch's map of
    DSCPs is not that of its ports.
    """
    if tables["PORT_QOS_MAP"].get("global") != {"dscp_to_tc_map": next(iter(bound.values()))["dscp_to_tc_map"]}:
        unfit(f"the map of the switch is {tables['PORT_QOS_MAP'].get('global')}")
    if "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP" not in tables:
        return None
    return _numbers(_bound_map(tables, bound, "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"))


_BOUND = ("dscp_to_tc_map", "pfc_enable", "pfc_to_pg_map", "pfc_to_queue_map", "pfcwd_sw_enable", "tc_to_pg_map")


def _bound_map(tables: Tables, bound: Mapping[str, Mapping[str, str]], field: str, table: str) -> Mapping[str, str]:
    """The map that all ports name in a field."""
    names = {row[field] for row in bound.values()}
    if len(names) != 1:
        unfit(f"ports have different maps: {field} {sorted(names)}")
    return tables[table][names.pop()]


def _numbers(row: Mapping[str, str]) -> dict[int, int]:
    return {int(key): int(value) for key, value in row.items()}


def _port(tables: Tables, name: str, row: Mapping[str, str], queues: Mapping[int, Queue]) -> PortQos:
    only(row, *_BOUND, "tc_to_queue_map")
    return PortQos(
        pfc=_priorities(row.get("pfc_enable", "")),
        watched=_priorities(row.get("pfcwd_sw_enable", "")) if name in tables["PFC_WD"] else frozenset(),
        queues=queues,
    )


def _priorities(text: str) -> frozenset[int]:
    return frozenset(int(word) for word in text.split(",") if word)


def _queue(tables: Tables, row: Mapping[str, str], speed_mbps: int) -> Queue:
    only(row, "scheduler", "wred_profile")
    scheduler = tables["SCHEDULER"][row["scheduler"]]
    only(scheduler, "cir", "meter_type", "pir", "type", "weight")
    ecn = _ecn(tables["WRED_PROFILE"][row["wred_profile"]]) if "wred_profile" in row else None
    weight = int(scheduler.get("weight", "0"))
    return Queue(scheduler["type"] == "STRICT", weight, ecn, _limit(scheduler, speed_mbps))


def _limit(scheduler: Mapping[str, str], speed_mbps: int) -> int:
    """What a scheduler lets through of a port, percent; rates are of bytes a second (sonic-scheduler.yang)."""
    shaped = {field: text for field, text in scheduler.items() if field in ("cir", "meter_type", "pir")}
    if not shaped:
        return 0
    rate = shaped.get("pir", "")
    percent, rest = divmod(100 * 8 * int(rate), speed_mbps * BITS_PER_MEGABIT)
    if shaped != {"cir": rate, "meter_type": "bytes", "pir": rate} or rest:
        unfit(f"no whole percents of {speed_mbps} Mb/s: {shaped}")
    return percent


def _ecn(row: Mapping[str, str]) -> Ecn:
    """Thresholds of bytes; packets of all colours are marked alike."""
    colors = ("green", "yellow", "red")
    fields = ("min_threshold", "max_threshold", "drop_probability")
    only(row, "ecn", *(f"{c}_{f}" for c in colors for f in fields), *(f"wred_{c}_enable" for c in colors))
    found: set[tuple[str, ...]] = {tuple(row[f"{color}_{f}"] for f in fields) for color in colors}
    if len(found) != 1 or row["ecn"] != "ecn_all" or any(row[f"wred_{c}_enable"] != "true" for c in colors):
        unfit("colours are marked differently")
    low, high, percent = map(int, found.pop())
    if low % 1000 or high % 1000:
        unfit(f"thresholds are no whole kB: {low}, {high}")
    return Ecn(low // 1000, high // 1000, percent)


def _watchdog(table: Mapping[str, Mapping[str, str]], ports: Mapping[str, PortQos]) -> Watchdog | None:
    """The watchdog's times, which all ports share."""
    rows = {tuple(sorted(row.items())) for name, row in table.items() if name != "GLOBAL"}
    if not rows:
        return None
    if len(rows) != 1 or set(table) - {"GLOBAL"} != {name for name, port in ports.items() if port.pfc}:
        unfit("ports have different watchdogs")
    row = dict(rows.pop())
    only(row, "action", "detection_time", "restoration_time")
    poll = int(table["GLOBAL"]["POLL_INTERVAL"])
    return Watchdog(int(row["detection_time"]), int(row["restoration_time"]), poll, row["action"])


_FLOW = {"DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT"}


def read_balancing(table: Mapping[str, Mapping[str, Any]]) -> Balancing:
    """How equal paths are chosen, from the rows of SWITCH_HASH; raises UnknownTextError for other hashes of RoCE."""
    only(table, "GLOBAL")
    row = table.get("GLOBAL", {})
    only(row, "ecmp_hash_ipv4_rdma", "ecmp_hash_ipv6_rdma")
    if any(set(fields) != _FLOW | {"RDMA_BTH_DEST_QP"} for fields in row.values()):
        raise UnknownTextError(f"a hash of RoCE by other fields: {row}")
    return Balancing(queue_pairs=frozenset(f"v{field.removeprefix('ecmp_hash_ipv')[0]}" for field in row))


def read_trimming(tables: Tables) -> Trimming | None:
    """What is trimmed, None where nothing is; raises UnknownTextError where ports do not fit to the switch."""
    trimmed = dict(_trimmed_queues(tables))
    if "SWITCH_TRIMMING" not in tables:
        if trimmed:
            unfit(f"queues are trimmed, and the switch does not say how: {sorted(trimmed)}")
        return None
    only(tables["SWITCH_TRIMMING"], "GLOBAL")
    own = tables["SWITCH_TRIMMING"]["GLOBAL"]
    only(own, "dscp_value", "queue_index", "size")
    if not (own["dscp_value"] + own["queue_index"]).isdigit():
        unfit("what is trimmed has no DSCP or queue of its own: from-tc or dynamic")
    bound = {name: row for name, row in tables["PORT_QOS_MAP"].items() if name != "global"}
    for row in bound.values():
        only(row, "dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map")
    maps = {(row["dscp_to_tc_map"], row["tc_to_pg_map"], row["tc_to_queue_map"]) for row in bound.values()}
    if set(bound) != set(trimmed) or len(maps) != 1:
        unfit("ports that trim have one map of DSCPs, and others none")
    of_dscps, of_groups, of_queues = maps.pop()
    queue_of = {int(key): int(value) for key, value in tables["TC_TO_QUEUE_MAP"][of_queues].items()}
    if tables["TC_TO_PRIORITY_GROUP_MAP"][of_groups] != {str(n): "0" for n in range(8)} or queue_of != {
        n: n for n in range(8)
    }:
        unfit("trimmed traffic is in other priority groups than 0, or in other queues than its classes")
    class_of = tables["DSCP_TO_TC_MAP"][of_dscps]
    return Trimming(
        dscp=int(own["dscp_value"]),
        size=int(own["size"]),
        traffic_class=int(own["queue_index"]),
        class_of=tuple(int(class_of[str(dscp)]) for dscp in range(64)),
        ports=trimmed,
    )


def _trimmed_queues(tables: Tables) -> Iterator[tuple[str, frozenset[int]]]:
    """(port, queues that trim) of each port that has any."""
    profiles = tables.get("BUFFER_PROFILE", {})
    trims = {name for name, row in profiles.items() if row.get("packet_discard_action") == "trim"}
    found: dict[str, set[int]] = {}
    for key, row in tables.get("BUFFER_QUEUE", {}).items():
        if row.get("profile") in trims:
            port, _, run = key.partition("|")
            first, _, last = run.partition("-")
            found.setdefault(port, set()).update(range(int(first), int(last or first) + 1))
    for port, queues in found.items():
        yield port, frozenset(queues)
