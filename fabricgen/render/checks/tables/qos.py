"""Lossless Ethernet: maps, schedulers, ECN and the PFC watchdog.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-dscp-tc-map.yang and its like, sonic-scheduler.yang,
sonic-queue.yang, sonic-wred-profile.yang, sonic-port-qos-map.yang, sonic-pfcwd.yang. YANG takes a traffic class of 9 in
some of them: here it is 0 to 7, and a DSCP 0 to 63.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Mapping, Row, ref, table

CLASSES = k.listed(k.traffic_class)
QUEUES = k.pattern(r"[0-7](-[0-7])?", "a queue 0 to 7, or a range such as 0-2")


class PortMaps(Row):
    """PORT_QOS_MAP|port."""

    dscp_to_tc_map: Annotated[str, ref("DSCP_TO_TC_MAP")] = ""
    pfc_enable: Annotated[str, Is(CLASSES)] = ""
    pfc_to_pg_map: Annotated[str, ref("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP")] = ""
    pfc_to_queue_map: Annotated[str, ref("MAP_PFC_PRIORITY_TO_QUEUE")] = ""
    pfcwd_sw_enable: Annotated[str, Is(CLASSES)] = ""
    scheduler: Annotated[str, ref("SCHEDULER")] = ""
    tc_to_pg_map: Annotated[str, ref("TC_TO_PRIORITY_GROUP_MAP")] = ""
    tc_to_queue_map: Annotated[str, ref("TC_TO_QUEUE_MAP")] = ""


class GlobalMaps(Row):
    """PORT_QOS_MAP|global."""

    dscp_to_tc_map: Annotated[str, ref("DSCP_TO_TC_MAP")]


class Scheduler(Row):
    """SCHEDULER|name; rates in bytes/s, bursts in bytes."""

    type: Annotated[str, Is(k.one_of("DWRR", "WRR", "STRICT"))]
    weight: Annotated[str, Is(k.number(1, 100))] = ""
    meter_type: Annotated[str, Is(k.one_of("bytes", "packets"))] = ""
    cir: Annotated[str, Is(k.size)] = ""
    cbs: Annotated[str, Is(k.number(0, (1 << 32) - 1))] = ""
    pir: Annotated[str, Is(k.size)] = ""
    pbs: Annotated[str, Is(k.number(0, (1 << 32) - 1))] = ""


class Queue(Row):
    """QUEUE|port|queues."""

    scheduler: Annotated[str, ref("SCHEDULER")] = ""
    wred_profile: Annotated[str, ref("WRED_PROFILE")] = ""


_PERCENT = k.number(0, 100)
_COLOURS = ("none", "green", "yellow", "red", "green_yellow", "green_red", "yellow_red", "all")
_MARKED = tuple(f"ecn_{colours}" for colours in _COLOURS)


class Wred(Row):
    """WRED_PROFILE|name; thresholds in bytes."""

    ecn: Annotated[str, Is(k.one_of(*_MARKED))]
    green_drop_probability: Annotated[str, Is(_PERCENT)]
    green_max_threshold: Annotated[str, Is(k.size)]
    green_min_threshold: Annotated[str, Is(k.size)]
    wred_green_enable: Annotated[str, Is(k.truth)]
    red_drop_probability: Annotated[str, Is(_PERCENT)] = ""
    red_max_threshold: Annotated[str, Is(k.size)] = ""
    red_min_threshold: Annotated[str, Is(k.size)] = ""
    wred_red_enable: Annotated[str, Is(k.truth)] = ""
    yellow_drop_probability: Annotated[str, Is(_PERCENT)] = ""
    yellow_max_threshold: Annotated[str, Is(k.size)] = ""
    yellow_min_threshold: Annotated[str, Is(k.size)] = ""
    wred_yellow_enable: Annotated[str, Is(k.truth)] = ""


class Watchdog(Row):
    """PFC_WD|port, times in ms."""

    action: Annotated[str, Is(k.one_of("drop", "forward", "alert"))]
    detection_time: Annotated[str, Is(k.number(100, 5000))]
    restoration_time: Annotated[str, Is(k.number(100, 60000))]


class WatchdogPolling(Row):
    """PFC_WD|GLOBAL, ms."""

    POLL_INTERVAL: Annotated[str, Is(k.number(100, 1000))]


_BY_CLASS = Mapping(k.traffic_class, k.traffic_class)

TABLES = (
    table("DSCP_TO_TC_MAP", (k.map_name, Mapping(k.dscp, k.traffic_class))),
    table("MAP_PFC_PRIORITY_TO_QUEUE", (k.map_name, _BY_CLASS)),
    table("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", (k.map_name, _BY_CLASS)),
    table("PFC_WD", (k.one_of("GLOBAL"), WatchdogPolling), ((k.port_name, ref("PORT_QOS_MAP")), Watchdog)),
    table("PORT_QOS_MAP", (k.one_of("global"), GlobalMaps), ((k.port_name, ref("PORT")), PortMaps)),
    table("QUEUE", ((k.port_name, ref("PORT")), QUEUES, Queue)),
    table("SCHEDULER", (k.label, Scheduler)),
    table("TC_TO_PRIORITY_GROUP_MAP", (k.map_name, _BY_CLASS)),
    table("TC_TO_QUEUE_MAP", (k.map_name, _BY_CLASS)),
    table("WRED_PROFILE", (k.map_name, Wred)),
)
