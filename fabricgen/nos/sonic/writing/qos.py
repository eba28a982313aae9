"""The class of RoCE as SONiC's QoS tables have it, load balancing, and packet trimming.

Shape of the tables: sonic-buildimage, files/build_templates/qos_config.j2; watchdog: sonic-pfcwd.yang. The maps are
always written out, since images ship different ones.

A lossy class has the same queues and marks (WRED_PROFILE: ECN does not need PFC), and no table or field of PFC; its
packets are in priority group 0 with all others. Where the buffers of a best-effort switch are published they are
written out, with one change: the queue of RoCE has the profile of the class that has all packets there.

SWITCH_HASH has a list of fields for each kind of packet in images with sonic-buildimage 27335, sonic-swss 4568 (open
in 2026; FG763); those of RoCE get the destination queue pair beside the five that flows have. Other packets
are hashed as the image does. The chip's SAI says which fields it takes (`show switch-hash capabilities`), and orchagent
refuses others. The seed is the image's, by the type of the switch.

Trimming: sonic-net/SONiC, doc/packet_trimming/packet-trimming-design.md (symmetric DSCP, static queue);
sonic-buildimage, sonic-trimming.yang and sonic-buffer-profile.yang. A queue is trimmed by its profile's
`packet_discard_action`, and no priority group or port may share that profile (sonic-swss, orchagent/bufferorch.cpp), so
that the buffers of the switch are written out: they are the platform's, with one profile more. They are for the
traditional model.

Images from 202511 have it; sonic-mgmt (tests/packet_trimming, tests_mark_conditions.yaml) runs its tests of it on the
SN5640 and on one Tomahawk 5 whose chip cuts to 206 bytes alone (packet_trimming_config.py). As on Cumulus Linux, the
next switch knows what is left of a packet by its DSCP alone, and ports that lead out are as they were. Every class has
priority group 0, and is scheduled as the image does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fabricgen.catalog.sonic_models import LossyBuffers, SonicPlatform
from fabricgen.nos.sonic.writing.buffers import Rows
from fabricgen.nos.sonic.writing.ports import PortTable
from fabricgen.switch.qos import Ecn, PacketTrimming, PfcWatchdog, SwitchQos
from fabricgen.views.model.forwarding import model_balancing, model_qos, model_trimming
from fabricgen.views.switch import SwitchView

CLASSES = 8
LOSSY_CLASS = 0
NETWORK_CLASS = 7
"""A class that has a priority group of its own, as the RoCE class has (qos_config.j2); others share group 0."""

MAPS = "ROCE"
"""The name of the QoS maps."""

PAUSED_NEVER: dict[str, Any] = {}
"""The PFC fields in PORT_QOS_MAP of a port that drops packets for which it has no room."""

MAX_POLL_MS = 1000
"""The longest poll interval of the watchdog, ms (sonic-pfcwd.yang)."""


def make_qos_values(view: SwitchView) -> dict[str, Any] | None:
    """Return the rows of the QoS tables, by table, and what else their templates name; None if RoCE has no class of its
    own.

    Switches with like ports get the very same mapping, so that its tables are rendered once.
    """
    qos = model_qos(view)
    if qos is None:
        return None
    speeds = tuple(port.speed_gbps for port in view.ports)
    return _make_qos_values(qos, qos.watchdog, speeds, view.profile.asic.startswith("Spectrum"))


@lru_cache(maxsize=256)
def _make_qos_values(
    qos: SwitchQos, watchdog: PfcWatchdog | None, speeds: tuple[int, ...], spectrum: bool
) -> dict[str, Any]:
    """Return the values of switches with like ports; `speeds` are Gb/s, `spectrum`: whether the chip is NVIDIA's."""
    lossy_class, cnp_class, roce_class = qos.classes
    # ports of one speed are told the same, and the last stands for all
    by_speed = dict(zip(speeds, qos.ports.values(), strict=True))
    # shares and percents are alike at every speed: any port tells them
    first = by_speed[speeds[0]]
    # without a watchdog nothing pauses, and one group does for all
    group_of = {group: group for group in (roce_class, NETWORK_CLASS)} if watchdog else {}
    shaped_percent, queues = first.queues[cnp_class].limit, {str(n): n for n in range(CLASSES)}
    guarded = (
        {
            "action": watchdog.action,
            "detection_time": watchdog.detect_ms,
            "restoration_time": watchdog.restore_ms,
        }
        if watchdog
        else {}
    )
    # both name the class: what may be paused is what is watched
    paused = {"pfc_enable": roce_class, "pfcwd_sw_enable": roce_class}
    queue_rows = {
        f"{name}|{number}": row
        for name, speed in zip(qos.ports, speeds, strict=True)
        for number, row in (
            (lossy_class, {"scheduler": "scheduler.0"}),
            (roce_class, {"scheduler": "scheduler.1", "wred_profile": make_wred_name(speed)}),
            (cnp_class, {"scheduler": make_shaper_name(shaped_percent, speed)}),
            *([(qos.trim_class, {"scheduler": "scheduler.3"})] if qos.trim_class else []),
        )
    }
    return {
        "maps": MAPS,
        "maps_of_switch": MAPS,
        "pauses": watchdog is not None,
        "lossy_weight": first.queues[lossy_class].share,
        "roce_weight": first.queues[roce_class].share,
        "trim_weight": first.queues[qos.trim_class].share if qos.trim_class else 0,
        "mark_percent": first.marking.percent,
        # the schema takes no more
        "poll_ms": min(watchdog.poll_ms, MAX_POLL_MS) if watchdog else 0,
        "DSCP_TO_TC_MAP": {MAPS: {str(dscp): number for dscp, number in enumerate(qos.class_of)}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {MAPS: queues},
        # qos_config.j2 has this map for chips of some vendors, NVIDIA's among them
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {MAPS: {str(roce_class): roce_class}} if spectrum and watchdog else {},
        "PFC_WD": {name: guarded for name, port in qos.ports.items() if port.watched},
        "PORT_QOS_MAP": {name: paused if port.pfc else PAUSED_NEVER for name, port in qos.ports.items()},
        "QUEUE": queue_rows,
        "SCHEDULER": {
            make_shaper_name(shaped_percent, speed): _make_shaper(shaped_percent, speed) for speed in by_speed
        },
        # lossy classes share group 0
        "TC_TO_PRIORITY_GROUP_MAP": {MAPS: {str(n): group_of.get(n, 0) for n in range(CLASSES)}},
        "TC_TO_QUEUE_MAP": {MAPS: queues},
        "WRED_PROFILE": {
            make_wred_name(speed): _make_wred_thresholds(port.marking) for speed, port in by_speed.items()
        },
    }


def make_wred_name(speed_gbps: int) -> str:
    """Return the name of the WRED profile of ports of a speed."""
    return f"ROCE_{speed_gbps}G"


def make_shaper_name(shaped_percent: int, speed_gbps: int) -> str:
    """Return the name of the scheduler of the notification queue at ports of a speed.

    `shaped_percent` is the share of the port that notifications may take; for 0, no limit, all speeds have one
    scheduler.
    """
    return f"scheduler.cnp_{speed_gbps}G" if shaped_percent else "scheduler.2"


def _make_shaper(shaped_percent: int, speed_gbps: int) -> dict[str, Any]:
    """Return the fields of a scheduler that lets notifications take a percentage of a port, in bytes/s; {} for 0 %."""
    # bits to bytes first, in whole numbers
    rate = speed_gbps * 1_000_000_000 // 8 * shaped_percent // 100
    return {"cir": rate, "meter_type": "bytes", "pir": rate} if rate else {}


def _make_wred_thresholds(ecn: Ecn) -> dict[str, int]:
    """Return the fill levels, bytes, at which marking begins and ends: alike for packets of all colours."""
    ends = {"min": 1000 * ecn.low, "max": 1000 * ecn.high}
    # RoCE is not coloured by a meter, so that green would do; the image sets all three
    return {f"{colour}_{end}_threshold": ends[end] for colour in ("green", "yellow", "red") for end in ends}


FLOW_FIELDS = ("DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT")
QUEUE_PAIR = "RDMA_BTH_DEST_QP"


def make_balancing_values(view: SwitchView) -> dict[str, Any]:
    """Return the rows of SWITCH_HASH; none if RoCE is hashed as the image does it."""
    fields, families = [*FLOW_FIELDS, QUEUE_PAIR], sorted(model_balancing(view).queue_pairs)
    rows = {"GLOBAL": {f"ecmp_hash_ip{family}_rdma": fields for family in families}}
    return {"SWITCH_HASH": rows if families else {}}


TRIM_MAPS = "TRIM"
"""The name of the maps of trimming."""


def find_lossy_tables(
    view: SwitchView, platform: SonicPlatform, port_table: PortTable
) -> Mapping[str, Mapping[str, Any]]:
    """Return, by table, the values that its template names, for a switch that trims packets or whose RoCE is lossy.

    Empty for any other switch, and for one without published buffers.
    """
    trimming, buffers = model_trimming(view), platform.find_lossy_buffers(port_table.hwsku)
    qos = view.fabric.qos
    if buffers is None or qos.lossless or not (trimming or qos.marks):
        return {}
    cabled = frozenset(port.name for port in view.ports)
    names = tuple(port.name for port in port_table.ports)
    # the buffers hold dicts, which have no hash; the catalogue keeps them, so that an identity stays theirs
    return _make_lossy_tables(_LossyKey(id(buffers), trimming, qos.trimmed_class, names, cabled, buffers))


@dataclass(frozen=True, slots=True)
class _LossyKey:
    """Cache key of the tables of a switch: the buffers are compared by identity."""

    set_id: int
    trimming: PacketTrimming | None
    data_class: int
    """The class that may be dropped and is to have room: that of RoCE, or the one that has all."""
    names: tuple[str, ...]
    """Names of all ports."""
    cabled: frozenset[str]
    buffers: LossyBuffers = field(compare=False)


@lru_cache(maxsize=64)
def _make_lossy_tables(key: _LossyKey) -> Mapping[str, Mapping[str, Any]]:
    """Return, by table, the values of its template; all tables of a switch share one mapping.

    Switches with equal keys get the very same mapping, so that its tables are rendered once.
    """
    trimming = key.trimming
    buffers = _make_lossy_buffers(key)
    if trimming is None:
        return dict.fromkeys(buffers, buffers)
    values: dict[str, Any] = {
        **buffers,
        "maps": TRIM_MAPS,
        "maps_of_switch": None,
        "pauses": False,
        "DSCP_TO_TC_MAP": {TRIM_MAPS: {str(dscp): number for dscp, number in enumerate(trimming.class_of)}},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {},
        "PORT_QOS_MAP": {name: {} for name in trimming.ports},
        "SWITCH_TRIMMING": {
            "GLOBAL": {
                "dscp_value": trimming.dscp,
                "queue_index": trimming.traffic_class,
                "size": trimming.size,
            },
        },
        "TC_TO_PRIORITY_GROUP_MAP": {TRIM_MAPS: dict.fromkeys(map(str, range(CLASSES)), LOSSY_CLASS)},
        "TC_TO_QUEUE_MAP": {TRIM_MAPS: {str(n): n for n in range(CLASSES)}},
    }
    # where RoCE has a class of its own, the maps are those of its queues
    return dict.fromkeys([*buffers, *(TRIM_MAP_TABLES if key.data_class == LOSSY_CLASS else ()), TRIM_TABLE], values)


def _make_lossy_buffers(switch_key: _LossyKey) -> Mapping[str, Rows]:
    """Return the rows of the buffer tables, by table, as the platform has them for ports in use and for unused ports.

    The queue of data has a profile of its own, which trims packets, at the ports that trim.
    """
    buffers, trimming_ports = switch_key.buffers, switch_key.trimming.ports if switch_key.trimming else {}
    lossy_profile, trim_profile = buffers.cabled.queues[str(LOSSY_CLASS)], f"queue{switch_key.data_class}_trim_profile"
    profiles: Rows = {name: dict(profile) for name, profile in buffers.profiles.items()}
    if trimming_ports:
        profiles[trim_profile] = {**dict(buffers.profiles[lossy_profile]), "packet_discard_action": "trim"}
    buffers_of_port = {
        port: buffers.cabled if port in switch_key.cabled else buffers.unused for port in switch_key.names
    }

    def find_profile(port: str, queue_range: str, profile: str) -> str:
        # only the queue of data is trimmed, and only of ports in use
        if port not in switch_key.cabled or queue_range != str(switch_key.data_class):
            return profile
        return trim_profile if port in trimming_ports else lossy_profile

    queues: Rows = {
        f"{port}|{queue_range}": {"profile": find_profile(port, queue_range, profile)}
        for port, port_buffers in buffers_of_port.items()
        for queue_range, profile in port_buffers.queues.items()
    }
    return {
        "BUFFER_PG": {
            f"{port}|{LOSSY_CLASS}": {"profile": port_buffers.group} for port, port_buffers in buffers_of_port.items()
        },
        "BUFFER_POOL": {name: dict(pool) for name, pool in buffers.pools.items()},
        "BUFFER_PORT_EGRESS_PROFILE_LIST": {
            port: {"profile_list": ",".join(port_buffers.egress)} for port, port_buffers in buffers_of_port.items()
        },
        "BUFFER_PORT_INGRESS_PROFILE_LIST": {
            port: {"profile_list": ",".join(port_buffers.ingress)} for port, port_buffers in buffers_of_port.items()
        },
        "BUFFER_PROFILE": profiles,
        "BUFFER_QUEUE": queues,
    }


BUFFER_TABLES = (
    "BUFFER_PG",
    "BUFFER_POOL",
    "BUFFER_PORT_EGRESS_PROFILE_LIST",
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "BUFFER_PROFILE",
    "BUFFER_QUEUE",
)
TRIM_MAP_TABLES = ("DSCP_TO_TC_MAP", "PORT_QOS_MAP", "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP")
TRIM_TABLE = "SWITCH_TRIMMING"
TRIM_TABLES = (*BUFFER_TABLES, *TRIM_MAP_TABLES, TRIM_TABLE)
"""All tables that a switch with trimming may have."""
