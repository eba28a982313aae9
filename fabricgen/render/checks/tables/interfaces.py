"""Routed ports, bonds, VLANs, sub-interfaces, loopbacks and VRFs.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-interface.yang, sonic-vlan.yang, sonic-vrf.yang,
sonic-vlan-sub-interface.yang, sonic-portchannel.yang, sonic-loopback-interface.yang, sonic-mgmt_interface.yang.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Bare, Row, ref, table

OF_VRF = ref("VRF")
SUBINTERFACE = k.pattern(r"(Ethernet|Eth)\d{1,4}\.\d{1,4}", "a port and a VLAN, EthernetN.VLAN")


class Interface(Row):
    """INTERFACE|port: what makes it a routed one."""

    ipv6_use_link_local_only: Annotated[str, Is(k.one_of("enable", "disable"))] = ""
    vrf_name: Annotated[str, Is(k.own_vrf), OF_VRF] = ""


class VlanInterface(Interface):
    """VLAN_INTERFACE|VlanN."""

    static_anycast_gateway: Annotated[str, Is(k.truth)] = ""


class Loopback(Row):
    """LOOPBACK_INTERFACE|LoopbackN."""

    vrf_name: Annotated[str, Is(k.own_vrf), OF_VRF] = ""


class Subinterface(Row):
    """VLAN_SUB_INTERFACE|EthernetN.VLAN."""

    admin_status: Annotated[str, Is(k.up_down)]
    vlan: Annotated[str, Is(k.number(1, 4094))]
    vrf_name: Annotated[str, Is(k.own_vrf), OF_VRF] = ""


class Vlan(Row):
    """VLAN|VlanN."""

    dhcp_servers: Annotated[str, Is(k.listed(k.address))] = ""
    vlanid: Annotated[str, Is(k.number(1, 4094))]
    description: Annotated[str, Is(k.line)] = ""


class Bond(Row):
    """PORTCHANNEL|PortChannelN."""

    admin_status: Annotated[str, Is(k.up_down)]
    description: Annotated[str, Is(k.line)] = ""
    fallback: Annotated[str, Is(k.truth)] = ""
    fast_rate: Annotated[str, Is(k.truth)] = ""
    lacp_key: Annotated[str, Is(k.pattern(r"auto|[1-9]\d{0,4}", "auto, or a number"))] = ""
    min_links: Annotated[str, Is(k.number(1, 1024))] = ""
    mtu: Annotated[str, Is(k.number(1, 9216))] = ""
    system_mac: Annotated[str, Is(k.mac)] = ""


class VlanMember(Row):
    """VLAN_MEMBER|VlanN|port."""

    tagging_mode: Annotated[str, Is(k.one_of("tagged", "untagged", "priority_tagged"))]


class Management(Row):
    """MGMT_INTERFACE|eth0|address."""

    gwaddr: Annotated[str, Is(k.address)]


_LOOPBACK = k.pattern(r"Loopback\d{1,3}", "LoopbackN")

TABLES = (
    table(
        "INTERFACE",
        ((k.port_name, ref("PORT")), Interface),
        ((k.port_name, ref("INTERFACE")), k.interface_address, Bare),
    ),
    table(
        "LOOPBACK_INTERFACE", (_LOOPBACK, Loopback), ((_LOOPBACK, ref("LOOPBACK_INTERFACE")), k.interface_address, Bare)
    ),
    table("MGMT_INTERFACE", ((k.one_of("eth0"), ref("MGMT_PORT")), k.interface_address, Management)),
    table("PORTCHANNEL", (k.bond_name, Bond)),
    table("PORTCHANNEL_MEMBER", ((k.bond_name, ref("PORTCHANNEL")), (k.port_name, ref("PORT")), Bare)),
    table("VLAN", (k.vlan_name, Vlan)),
    table(
        "VLAN_INTERFACE",
        ((k.vlan_name, ref("VLAN")), VlanInterface),
        ((k.vlan_name, ref("VLAN_INTERFACE")), k.interface_address, Bare),
    ),
    table("VLAN_MEMBER", ((k.vlan_name, ref("VLAN")), (k.bridged_name, ref("PORT", "PORTCHANNEL")), VlanMember)),
    table(
        "VLAN_SUB_INTERFACE",
        (SUBINTERFACE, Subinterface),
        ((SUBINTERFACE, ref("VLAN_SUB_INTERFACE")), k.interface_address, Bare),
    ),
)
