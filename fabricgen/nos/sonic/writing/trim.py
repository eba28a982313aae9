"""Packet trimming of SONiC: which queues are trimmed, and what is left of their packets.

Tables: sonic-net/SONiC, doc/packet_trimming/packet-trimming-design.md (symmetric DSCP, static queue); sonic-buildimage,
sonic-trimming.yang and sonic-buffer-profile.yang. A queue is trimmed by its profile's `packet_discard_action`, and no
priority group or port may share that profile (sonic-swss, orchagent/bufferorch.cpp), so that the buffers of the switch
are written out: they are the platform's, with one profile more. They are for the traditional model.

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
from fabricgen.nos.sonic.writing.qos import CLASSES, LOSSY_CLASS
from fabricgen.switch.qos import Trimming
from fabricgen.views.model.forwarding import model_trimming
from fabricgen.views.switch import SwitchView

TRIMMED = "queue0_trim_profile"
"""The profile of the queue that is trimmed."""

MAPS = "TRIM"
"""The name of the maps."""


def trim_tables(switch: SwitchView, platform: SonicPlatform, port_table: PortTable) -> Mapping[str, Mapping[str, Any]]:
    """By table, what its template names; nothing for a switch that is not asked to trim, or cannot."""
    trimming, found = model_trimming(switch), platform.lossy_buffers_of(port_table.hwsku)
    if trimming is None or found is None:
        return {}
    cabled = frozenset(port.name for port in switch.ports)
    names = tuple(port.name for port in port_table.ports)
    return _tables(_Key(id(found), trimming, names, cabled, found))


@dataclass(frozen=True, slots=True)
class _Key:
    """Cache key of the tables of a switch: the buffers are compared by identity."""

    set_id: int
    trimming: Trimming
    names: tuple[str, ...]
    """Of all ports."""
    cabled: frozenset[str]
    buffers: LossyBuffers = field(compare=False)


@lru_cache(maxsize=64)
def _tables(key: _Key) -> Mapping[str, Mapping[str, Any]]:
    """Switches with like ports get the very same mapping, so that its tables are rendered once."""
    trimming = key.trimming
    values: dict[str, Any] = {
        **_buffers(key),
        "maps": MAPS,
        "pauses": False,
        "DSCP_TO_TC_MAP": {MAPS: {str(dscp): number for dscp, number in enumerate(trimming.class_of)}},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {},
        "PORT_QOS_MAP": {name: {} for name in trimming.ports},
        "SWITCH_TRIMMING": {
            "GLOBAL": {
                "dscp_value": trimming.dscp,
                "queue_index": trimming.traffic_class,
                "size": trimming.size,
            },
        },
        "TC_TO_PRIORITY_GROUP_MAP": {MAPS: dict.fromkeys(map(str, range(CLASSES)), LOSSY_CLASS)},
        "TC_TO_QUEUE_MAP": {MAPS: {str(n): n for n in range(CLASSES)}},
    }
    return dict.fromkeys(TABLES, values)


def _buffers(key: _Key) -> Mapping[str, Rows]:
    """Rows of the BUFFER_ tables: the platform's, and the profile of the queue that is trimmed."""
    found, trimmed = key.buffers, key.trimming.ports
    lossy = found.cabled.queues[str(LOSSY_CLASS)]
    profiles: Rows = {name: dict(profile) for name, profile in found.profiles.items()}
    profiles[TRIMMED] = {**dict(found.profiles[lossy]), "packet_discard_action": "trim"}
    uses = {name: found.cabled if name in key.cabled else found.unused for name in key.names}
    queues: Rows = {
        f"{name}|{run}": {"profile": TRIMMED if name in trimmed and profile == lossy else profile}
        for name, use in uses.items()
        for run, profile in use.queues.items()
    }
    return {
        "BUFFER_PG": {f"{name}|{LOSSY_CLASS}": {"profile": use.group} for name, use in uses.items()},
        "BUFFER_POOL": {name: dict(pool) for name, pool in found.pools.items()},
        "BUFFER_PORT_EGRESS_PROFILE_LIST": {n: {"profile_list": ",".join(use.egress)} for n, use in uses.items()},
        "BUFFER_PORT_INGRESS_PROFILE_LIST": {n: {"profile_list": ",".join(use.ingress)} for n, use in uses.items()},
        "BUFFER_PROFILE": profiles,
        "BUFFER_QUEUE": queues,
    }


TABLES = (
    "BUFFER_PG",
    "BUFFER_POOL",
    "BUFFER_PORT_EGRESS_PROFILE_LIST",
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "BUFFER_PROFILE",
    "BUFFER_QUEUE",
    "DSCP_TO_TC_MAP",
    "PORT_QOS_MAP",
    "SWITCH_TRIMMING",
    "TC_TO_PRIORITY_GROUP_MAP",
    "TC_TO_QUEUE_MAP",
)
"""All that a switch that trims may have."""
