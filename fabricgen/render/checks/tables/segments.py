"""EVPN multihoming: Ethernet segments, how long they wait, and gateways that are on several switches.

Fields: sonic-buildimage@086b03bd, yang-models: sonic-evpn.yang, sonic-static-anycast-gateway.yang.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, ref, table

_HOLD = k.number(0, 86400)


class Segment(Row):
    """EVPN_ETHERNET_SEGMENT|port or bond."""

    df_pref: Annotated[str, Is(k.number(1, 65535))] = ""
    esi: Annotated[str, Is(k.pattern(r"AUTO|00(:[0-9a-fA-F]{2}){9}", "AUTO, or ten bytes of which the first is 00"))]
    type: Annotated[str, Is(k.one_of("TYPE_0_OPERATOR_CONFIGURED", "TYPE_3_MAC_BASED"))]


class Multihoming(Row):
    """EVPN_MH_GLOBAL|default; seconds."""

    mac_holdtime: Annotated[str, Is(_HOLD)] = ""
    neigh_holdtime: Annotated[str, Is(_HOLD)] = ""
    startup_delay: Annotated[str, Is(k.number(0, 3600))] = ""


class SharedGateway(Row):
    """SAG|GLOBAL."""

    gateway_mac: Annotated[str, Is(k.mac)]


TABLES = (
    table("EVPN_ETHERNET_SEGMENT", ((k.bridged_name, ref("PORT", "PORTCHANNEL")), Segment)),
    table("EVPN_MH_GLOBAL", (k.one_of("default"), Multihoming)),
    table("SAG", (k.one_of("GLOBAL"), SharedGateway)),
)
