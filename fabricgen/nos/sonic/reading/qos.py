"""SONiC's tables of QoS, hashes and packet trimming read back.

Sonic-buildimage: files/build_templates/qos_config.j2; sonic-pfcwd.yang, sonic-hash.yang, sonic-trimming.yang and
sonic-buffer-profile.yang (packet_discard_action).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.running.tree import UnknownTextError, allow_fields, is_tolerant, report_misfit
from fabricgen.switch.qos import Balancing, Ecn, PacketTrimming, PfcWatchdog, PortQos, Queue, SwitchQos

QOS_TABLES = (
    "DSCP_TO_TC_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "PFC_WD",
    "PORT_QOS_MAP",
    "QUEUE",
    "SCHEDULER",
    "TC_TO_PRIORITY_GROUP_MAP",
    "TC_TO_QUEUE_MAP",
    "WRED_PROFILE",
)
"""Tables of a fabric in which RoCE has a class of its own (sonic-buildimage, files/build_templates/qos_config.j2;
sonic-pfcwd.yang)."""

PFC_TABLES = ("MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PFC_WD")
"""Tables that only a lossless fabric has."""

BITS_PER_MEGABIT = 1_000_000
Tables = Mapping[str, Mapping[str, Mapping[str, str]]]


def read_qos(tables: Tables) -> SwitchQos | None:
    """Return QoS as the model of a switch has it; None without its tables, or if they serve packet trimming alone.

    `tables` are those of config_db.json. Raises UnknownTextError for tables that do not fit together.
    """
    if not set(QOS_TABLES).intersection(tables) or ("SWITCH_TRIMMING" in tables and "QUEUE" not in tables):
        return None
    maps_of_port = {name: row for name, row in tables["PORT_QOS_MAP"].items() if name != "global"}
    classes = _parse_numbers(_find_bound_map(tables, maps_of_port, "dscp_to_tc_map", "DSCP_TO_TC_MAP"))
    queues = _parse_numbers(_find_bound_map(tables, maps_of_port, "tc_to_queue_map", "TC_TO_QUEUE_MAP"))
    pauses = any(_PFC_FIELDS & set(row) for row in maps_of_port.values())
    pfc_queues = (
        _parse_numbers(_find_bound_map(tables, maps_of_port, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"))
        if pauses
        else {}
    )
    groups = _parse_numbers(_find_bound_map(tables, maps_of_port, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"))
    pfc_groups = _read_pfc_groups(tables, maps_of_port)
    queue_rows: dict[str, dict[int, Queue]] = {name: {} for name in maps_of_port}
    for port_and_number, row in tables["QUEUE"].items():
        port, _, number = port_and_number.partition("|")
        queue_rows[port][int(number)] = _make_queue(tables, row, int(tables["PORT"][port]["speed"]))
    ports = {name: _make_port_qos(tables, name, row, queue_rows[name]) for name, row in maps_of_port.items()}
    for priority in {p for port in ports.values() for p in port.pfc}:
        classes_of_group = [traffic_class for traffic_class, group in groups.items() if group == groups[priority]]
        if pfc_queues[priority] != queues[priority] or classes_of_group != [priority]:
            report_misfit(f"priority {priority} pauses another queue or class than its own")
    if pfc_groups is not None and pfc_groups != {p: groups[p] for port in ports.values() for p in port.pfc}:
        report_misfit(f"priorities pause the groups {pfc_groups}, and classes are in {groups}")
    if not is_tolerant() and not set(range(8)) <= groups.keys() & (pfc_queues if pauses else groups).keys():
        report_misfit("classes without a priority group, or priorities without a queue")
    return SwitchQos(
        class_of=tuple(classes[dscp] for dscp in range(64)),
        queue_of={c: queues[c] for c in sorted(set(classes.values()))},
        ports=ports,
        watchdog=_make_watchdog(tables.get("PFC_WD", {}), ports),
    )


def _read_pfc_groups(tables: Tables, bound: Mapping[str, Mapping[str, str]]) -> dict[int, int] | None:
    """Return the priority group that each priority pauses; None for chips whose tables do not say it.

    `bound` are the rows of PORT_QOS_MAP of ports. Raises UnknownTextError if the DSCP map of the switch is not that of
    its ports.
    """
    if tables["PORT_QOS_MAP"].get("global") != {"dscp_to_tc_map": next(iter(bound.values()))["dscp_to_tc_map"]}:
        report_misfit(f"the map of the switch is {tables['PORT_QOS_MAP'].get('global')}")
    if "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP" not in tables:
        return None
    return _parse_numbers(_find_bound_map(tables, bound, "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"))


_PFC_FIELDS = {"pfc_enable", "pfc_to_pg_map", "pfc_to_queue_map", "pfcwd_sw_enable"}
_BOUND = ("dscp_to_tc_map", "pfc_enable", "pfc_to_pg_map", "pfc_to_queue_map", "pfcwd_sw_enable", "tc_to_pg_map")


def _find_bound_map(
    tables: Tables, bound: Mapping[str, Mapping[str, str]], field: str, table: str
) -> Mapping[str, str]:
    """Return the map that all ports name in a field of PORT_QOS_MAP; raises UnknownTextError if they name several."""
    names = {row[field] for row in bound.values()}
    if len(names) != 1:
        report_misfit(f"ports have different maps: {field} {sorted(names)}")
    return tables[table][names.pop()]


def _parse_numbers(row: Mapping[str, str]) -> dict[int, int]:
    """Return a row whose fields and values are texts of numbers, as numbers."""
    return {int(key): int(value) for key, value in row.items()}


def _make_port_qos(tables: Tables, name: str, maps: Mapping[str, str], queues: Mapping[int, Queue]) -> PortQos:
    """Return what a port pauses and watches, with its queues by number; `maps` is its row of PORT_QOS_MAP."""
    allow_fields(maps, *_BOUND, "tc_to_queue_map")
    return PortQos(
        pfc=_parse_priorities(maps.get("pfc_enable", "")),
        watched=_parse_priorities(maps.get("pfcwd_sw_enable", "")) if name in tables.get("PFC_WD", {}) else frozenset(),
        queues=queues,
    )


def _parse_priorities(text: str) -> frozenset[int]:
    """Return priorities from a text that separates them by commas."""
    return frozenset(int(word) for word in text.split(",") if word)


def _make_queue(tables: Tables, row: Mapping[str, str], speed_mbps: int) -> Queue:
    """Return a queue by its row of QUEUE: strict or by weight, its ECN, and its limit in percent of the port's
    speed.
    """
    allow_fields(row, "scheduler", "wred_profile")
    scheduler = tables["SCHEDULER"][row["scheduler"]]
    allow_fields(scheduler, "cir", "meter_type", "pir", "type", "weight")
    ecn = _make_ecn(tables["WRED_PROFILE"][row["wred_profile"]]) if "wred_profile" in row else None
    weight = int(scheduler.get("weight", "0"))
    return Queue(scheduler["type"] == "STRICT", weight, ecn, _find_limit_percent(scheduler, speed_mbps))


def _find_limit_percent(scheduler: Mapping[str, str], speed_mbps: int) -> int:
    """Return the percent of a port that a scheduler lets through, 0 for all of it.

    Its rates are in bytes a second (sonic-scheduler.yang). Raises UnknownTextError for a rate of no whole percent.
    """
    rate_fields = {field: text for field, text in scheduler.items() if field in ("cir", "meter_type", "pir")}
    if not rate_fields:
        return 0
    rate = rate_fields.get("pir", "")
    percent, remainder = divmod(100 * 8 * int(rate), speed_mbps * BITS_PER_MEGABIT)
    if rate_fields != {"cir": rate, "meter_type": "bytes", "pir": rate} or remainder:
        report_misfit(f"no whole percents of {speed_mbps} Mb/s: {rate_fields}")
    return percent


def _make_ecn(row: Mapping[str, str]) -> Ecn:
    """Return the ECN thresholds in kB of a row of WRED_PROFILE, which has them in bytes, and its drop probability in
    percent.

    Raises UnknownTextError if packets of some colours are marked otherwise, or for thresholds of no whole kB.
    """
    colors = ("green", "yellow", "red")
    fields = ("min_threshold", "max_threshold", "drop_probability")
    allow_fields(row, "ecn", *(f"{c}_{f}" for c in colors for f in fields), *(f"wred_{c}_enable" for c in colors))
    # colours are those of a policer, which nobody states here: one set of thresholds for all of them
    thresholds: set[tuple[str, ...]] = {tuple(row[f"{color}_{f}"] for f in fields) for color in colors}
    if len(thresholds) != 1 or row["ecn"] != "ecn_all" or any(row[f"wred_{c}_enable"] != "true" for c in colors):
        report_misfit("colours are marked differently")
    min_bytes, max_bytes, percent = map(int, thresholds.pop())
    if min_bytes % 1000 or max_bytes % 1000:
        report_misfit(f"thresholds are no whole kB: {min_bytes}, {max_bytes}")
    return Ecn(min_bytes // 1000, max_bytes // 1000, percent)


def _make_watchdog(table: Mapping[str, Mapping[str, str]], ports: Mapping[str, PortQos]) -> PfcWatchdog | None:
    """Return the times of the PFC watchdog in ms; None without it.

    `ports` are the QoS of ports by name. Raises UnknownTextError unless all ports that pause have the same times.
    """
    rows = {tuple(sorted(row.items())) for name, row in table.items() if name != "GLOBAL"}
    if not rows:
        return None
    if len(rows) != 1 or set(table) - {"GLOBAL"} != {name for name, port in ports.items() if port.pfc}:
        report_misfit("ports have different watchdogs")
    row = dict(rows.pop())
    allow_fields(row, "action", "detection_time", "restoration_time")
    poll = int(table["GLOBAL"]["POLL_INTERVAL"])
    return PfcWatchdog(int(row["detection_time"]), int(row["restoration_time"]), poll, row["action"])


_FLOW = {"DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT"}


def read_balancing(table: Mapping[str, Mapping[str, Any]]) -> Balancing:
    """Return how equal paths are chosen, from SWITCH_HASH; raises UnknownTextError for RoCE hashed by other fields."""
    allow_fields(table, "GLOBAL")
    row = table.get("GLOBAL", {})
    allow_fields(row, "ecmp_hash_ipv4_rdma", "ecmp_hash_ipv6_rdma")
    if any(set(fields) != _FLOW | {"RDMA_BTH_DEST_QP"} for fields in row.values()):
        raise UnknownTextError(f"a hash of RoCE by other fields: {row}")
    return Balancing(queue_pairs=frozenset(f"v{field.removeprefix('ecmp_hash_ipv')[0]}" for field in row))


def read_trimming(tables: Tables) -> PacketTrimming | None:
    """Return how packets are trimmed, and the numbers of the queues that trim by port; None if nothing is trimmed.

    Raises UnknownTextError if ports are trimmed and the switch does not say how, if trimmed packets have no fixed DSCP
    and queue, if ports that trim have no QoS maps, or several, and if these maps are not those of trimming.
    """
    trimmed = dict(_list_trimmed_queues(tables))
    if "SWITCH_TRIMMING" not in tables:
        if trimmed:
            report_misfit(f"queues are trimmed, and the switch does not say how: {sorted(trimmed)}")
        return None
    allow_fields(tables["SWITCH_TRIMMING"], "GLOBAL")
    settings = tables["SWITCH_TRIMMING"]["GLOBAL"]
    allow_fields(settings, "dscp_value", "queue_index", "size")
    if not (settings["dscp_value"] + settings["queue_index"]).isdigit():
        report_misfit("what is trimmed has no DSCP or queue of its own: from-tc or dynamic")
    maps_of_port = {name: row for name, row in tables["PORT_QOS_MAP"].items() if name != "global"}
    for row in maps_of_port.values():
        allow_fields(row, "dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map")
    trims_without_qos = "QUEUE" not in tables
    maps = {(row["dscp_to_tc_map"], row["tc_to_pg_map"], row["tc_to_queue_map"]) for row in maps_of_port.values()}
    if (
        not set(trimmed) <= set(maps_of_port)
        or (trims_without_qos and set(maps_of_port) != set(trimmed))
        or len(maps) != 1
    ):
        report_misfit("ports that trim have one map of DSCPs, and others none")
    of_dscps, of_groups, of_queues = maps.pop()
    queue_of = {int(class_text): int(value) for class_text, value in tables["TC_TO_QUEUE_MAP"][of_queues].items()}
    if tables["TC_TO_PRIORITY_GROUP_MAP"][of_groups] != {str(n): "0" for n in range(8)} or queue_of != {
        n: n for n in range(8)
    }:
        report_misfit("trimmed traffic is in other priority groups than 0, or in other queues than its classes")
    class_of = tables["DSCP_TO_TC_MAP"][of_dscps]
    return PacketTrimming(
        dscp=int(settings["dscp_value"]),
        size=int(settings["size"]),
        traffic_class=int(settings["queue_index"]),
        class_of=tuple(int(class_of[str(dscp)]) for dscp in range(64)),
        ports=trimmed,
    )


def _list_trimmed_queues(tables: Tables) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield (port, numbers of its queues that trim) for each port that has any."""
    profiles = tables.get("BUFFER_PROFILE", {})
    trimming_profiles = {name for name, row in profiles.items() if row.get("packet_discard_action") == "trim"}
    queues_of_port: dict[str, set[int]] = {}
    for key, row in tables.get("BUFFER_QUEUE", {}).items():
        if row.get("profile") in trimming_profiles:
            port, _, queue_range = key.partition("|")
            lowest, _, highest = queue_range.partition("-")
            queues_of_port.setdefault(port, set()).update(range(int(lowest), int(highest or lowest) + 1))
    for port, queues in queues_of_port.items():
        yield port, frozenset(queues)
