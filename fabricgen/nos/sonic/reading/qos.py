"""SONiC's QoS tables read back (sonic-buildimage, files/build_templates/qos_config.j2; sonic-pfcwd.yang)."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.nos.sonic.tables import QOS_TABLES
from fabricgen.running.tree import only, unfit
from fabricgen.switch.qos import Ecn, PortQos, Qos, Queue, Watchdog

BITS_PER_MEGABIT = 1_000_000
Tables = Mapping[str, Mapping[str, Mapping[str, str]]]


def read_qos(tables: Tables) -> Qos | None:
    """QoS in neutral form; None without tables of it, or where they are those of packet trimming.

    Raises UnknownTextError where tables do not fit together.
    """
    if "SWITCH_TRIMMING" in tables or not set(QOS_TABLES).intersection(tables):
        return None
    bound = {name: row for name, row in tables["PORT_QOS_MAP"].items() if name != "global"}
    classes = _numbers(_bound_map(tables, bound, "dscp_to_tc_map", "DSCP_TO_TC_MAP"))
    queues = _numbers(_bound_map(tables, bound, "tc_to_queue_map", "TC_TO_QUEUE_MAP"))
    pfc_queues = _numbers(_bound_map(tables, bound, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"))
    groups = _numbers(_bound_map(tables, bound, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"))
    queue_rows: dict[str, dict[int, Queue]] = {name: {} for name in bound}
    for key, row in tables["QUEUE"].items():
        port, _, number = key.partition("|")
        queue_rows[port][int(number)] = _queue(tables, row, int(tables["PORT"][port]["speed"]))
    ports = {name: _port(tables, name, row, queue_rows[name]) for name, row in bound.items()}
    for priority in {p for port in ports.values() for p in port.pfc}:
        alone = [traffic_class for traffic_class, group in groups.items() if group == groups[priority]]
        if pfc_queues[priority] != queues[priority] or alone != [priority]:
            unfit(f"priority {priority} pauses another queue or class than its own")
    return Qos(
        class_of=tuple(classes[dscp] for dscp in range(64)),
        queue_of={c: queues[c] for c in sorted(set(classes.values()))},
        ports=ports,
        watchdog=_watchdog(tables.get("PFC_WD", {}), ports),
    )


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
