"""Consistency between the rows of EVPN multihoming.

Sources: the `must` statements of sonic-buildimage@086b03bd, src/sonic-yang-models/yang-models, sonic-evpn.yang and
sonic-vlan.yang; sonic-net/SONiC, doc/vxlan/EVPN/EVPN_VxLAN_Multihoming.md: `AUTO` is made of the LACP system of a bond,
and segments and MCLAG exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.render.checks.problem import Problem
from fabricgen.render.checks.shape import Tables

SEGMENTS = "EVPN_ETHERNET_SEGMENT"


def check_segments(tables: Tables) -> Iterator[Problem]:
    """Yield problems of Ethernet segments and shared gateways that no single row shows."""
    bonds = tables.get("PORTCHANNEL", {})
    for name, row in tables.get(SEGMENTS, {}).items():
        esi, kind = row.get("esi", ""), row.get("type", "")
        if (esi == "AUTO") != (kind == "TYPE_3_MAC_BASED"):
            yield Problem(
                SEGMENTS, name, "esi", repr(esi), "AUTO for TYPE_3_MAC_BASED, and ten bytes for the other type"
            )
        elif esi == "AUTO" and not bonds.get(name, {}).get("system_mac"):
            yield Problem(SEGMENTS, name, "esi", "AUTO without a MAC", f"system_mac in PORTCHANNEL|{name}")
        elif not esi.replace("0", "").replace(":", ""):
            yield Problem(SEGMENTS, name, "esi", repr(esi), "an ESI that is not all zeros")
    if tables.get(SEGMENTS) and tables.get("MCLAG_DOMAIN"):
        yield Problem(SEGMENTS, found="rows beside MCLAG_DOMAIN", wanted="one of the two")
    for name, row in tables.get("VLAN_INTERFACE", {}).items():
        if row.get("static_anycast_gateway") == "true" and not tables.get("SAG", {}).get("GLOBAL", {}).get(
            "gateway_mac"
        ):
            yield Problem("VLAN_INTERFACE", name, "static_anycast_gateway", "'true'", "gateway_mac in SAG|GLOBAL")
