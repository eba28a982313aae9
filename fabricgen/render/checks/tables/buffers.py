"""Buffers: pools, profiles, what ports, groups and queues use of them, and lengths of cables.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-buffer-pool.yang and its like,
sonic-cable-length.yang, sonic-trimming.yang.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Mapping, Row, ref, table
from fabricgen.render.checks.tables.qos import QUEUES

_PROFILE = ref("BUFFER_PROFILE")


class Pool(Row):
    """BUFFER_POOL|name; bytes."""

    type: Annotated[str, Is(k.one_of("ingress", "egress", "both"))]
    mode: Annotated[str, Is(k.one_of("static", "dynamic"))]
    size: Annotated[str, Is(k.size)] = ""
    xoff: Annotated[str, Is(k.size)] = ""


class Profile(Row):
    """BUFFER_PROFILE|name; bytes, but for the dynamic threshold: a power of two of what is free."""

    pool: Annotated[str, ref("BUFFER_POOL")]
    size: Annotated[str, Is(k.size)]
    dynamic_th: Annotated[str, Is(k.number(-8, 7))] = ""
    packet_discard_action: Annotated[str, Is(k.one_of("drop", "trim"))] = ""
    static_th: Annotated[str, Is(k.size)] = ""
    xoff: Annotated[str, Is(k.size)] = ""
    xon: Annotated[str, Is(k.size)] = ""
    xon_offset: Annotated[str, Is(k.size)] = ""


class Use(Row):
    """BUFFER_QUEUE|port|queues."""

    profile: Annotated[str, _PROFILE]


class GroupUse(Row):
    """BUFFER_PG|port|groups; NULL leaves the profile to the dynamic model."""

    profile: Annotated[str, ref("BUFFER_PROFILE", also=("NULL",))]


class Lists(Row):
    """BUFFER_PORT_INGRESS_PROFILE_LIST|port and its like."""

    profile_list: Annotated[str, ref("BUFFER_PROFILE", separator=",")]


class Trimming(Row):
    """SWITCH_TRIMMING|GLOBAL: bytes that are left of a packet, its DSCP, class and queue (sonic-trimming.yang)."""

    size: Annotated[str, Is(k.number(0, (1 << 32) - 1))] = ""
    dscp_value: Annotated[str, Is(k.pattern(r"[1-5]?\d|6[0-3]|from-tc", "a DSCP from 0 to 63, or from-tc"))] = ""
    tc_value: Annotated[str, Is(k.number(0, 255))] = ""
    queue_index: Annotated[str, Is(k.pattern(r"\d{1,3}|dynamic", "a queue, or dynamic"))] = ""


_PORT = (k.port_name, ref("PORT"))

TABLES = (
    table("BUFFER_PG", (_PORT, QUEUES, GroupUse)),
    table("BUFFER_POOL", (k.label, Pool)),
    table("BUFFER_PORT_EGRESS_PROFILE_LIST", (_PORT, Lists)),
    table("BUFFER_PORT_INGRESS_PROFILE_LIST", (_PORT, Lists)),
    table("BUFFER_PROFILE", (k.label, Profile)),
    table("BUFFER_QUEUE", (_PORT, QUEUES, Use)),
    table("SWITCH_TRIMMING", (k.one_of("GLOBAL"), Trimming)),
    table(
        "CABLE_LENGTH",
        (k.map_name, Mapping(k.port_name, k.pattern(r"\d{1,6}m", "a length in metres such as 40m"), ref("PORT"))),
    ),
)
