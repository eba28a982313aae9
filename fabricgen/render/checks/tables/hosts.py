"""What ports of hosts refuse.

Fields: sonic-buildimage, src/sonic-yang-models, yang-templates/sonic-acl.yang.j2, yang-models/sonic-storm-control.yang,
sonic-dhcpv4-relay.yang, sonic-dhcpv6-relay.yang.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, ref, table


class AclTable(Row):
    """ACL_TABLE|name."""

    policy_desc: Annotated[str, Is(k.name)] = ""
    ports: Annotated[str, Is(k.listed(k.bridged_name, empty=True)), ref("PORT", "PORTCHANNEL", separator=",")] = ""
    stage: Annotated[str, Is(k.one_of("ingress", "egress", "INGRESS", "EGRESS"))] = ""
    type: Annotated[str, Is(k.one_of("L3", "L3V6"))]


class AclRule(Row):
    """ACL_RULE|table|rule."""

    ICMPV6_TYPE: Annotated[str, Is(k.number(0, 255))] = ""
    IP_PROTOCOL: Annotated[str, Is(k.number(1, 143))] = ""
    IP_TYPE: Annotated[str, Is(k.one_of("ANY", "IP", "IPV4", "IPV4ANY", "IPV6", "IPV6ANY"))] = ""
    L4_DST_PORT: Annotated[str, Is(k.number(0, 65535))] = ""
    L4_SRC_PORT: Annotated[str, Is(k.number(0, 65535))] = ""
    PACKET_ACTION: Annotated[str, Is(k.one_of("DROP", "FORWARD"))]
    PRIORITY: Annotated[str, Is(k.number(0, 999999))]


class StormControl(Row):
    """PORT_STORM_CONTROL|port|kind."""

    kbps: Annotated[str, Is(k.number(0, 100_000_000))]


_KIND = k.one_of("broadcast", "unknown-multicast", "unknown-unicast")


class DhcpRelay(Row):
    """DHCP_RELAY|VlanN."""

    dhcpv6_servers: Annotated[str, Is(k.listed(k.address))]


_SWITCH = k.one_of("enable", "disable")


class Dhcpv4Relay(Row):
    """DHCPV4_RELAY|VlanN."""

    dhcpv4_servers: Annotated[str, Is(k.listed(k.address))]
    link_selection: Annotated[str, Is(_SWITCH)] = ""
    max_hop_count: Annotated[str, Is(k.number(1, 16))] = ""
    server_id_override: Annotated[str, Is(_SWITCH)] = ""
    server_vrf: Annotated[str, Is(k.own_vrf), ref("VRF")] = ""
    source_interface: Annotated[str, Is(k.name)] = ""
    vrf_selection: Annotated[str, Is(_SWITCH)] = ""


TABLES = (
    table("ACL_RULE", ((k.map_name, ref("ACL_TABLE")), k.name, AclRule)),
    table("ACL_TABLE", (k.map_name, AclTable)),
    table("DHCPV4_RELAY", ((k.vlan_name, ref("VLAN")), Dhcpv4Relay)),
    table("DHCP_RELAY", ((k.vlan_name, ref("VLAN")), DhcpRelay)),
    table("PORT_STORM_CONTROL", ((k.port_name, ref("PORT")), _KIND, StormControl)),
)
