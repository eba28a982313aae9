"""VXLAN tunnels, and VNIs of VRFs.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-vxlan.yang, sonic-vrf.yang.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, ref, table


class Tunnel(Row):
    """VXLAN_TUNNEL|name."""

    src_ip: Annotated[str, Is(k.address)] = ""
    dst_ip: Annotated[str, Is(k.address)] = ""
    ttl_mode: Annotated[str, Is(k.one_of("uniform", "pipe"))] = ""


class TunnelMap(Row):
    """VXLAN_TUNNEL_MAP|tunnel|name."""

    vlan: Annotated[str, Is(k.vlan_name), ref("VLAN")]
    vni: Annotated[str, Is(k.number(1, 16777215))]


class Evpn(Row):
    """VXLAN_EVPN_NVO|name."""

    source_vtep: Annotated[str, Is(k.name), ref("VXLAN_TUNNEL")]


class Vrf(Row):
    """VRF|name; `vni` is 0 for none."""

    vni: Annotated[str, Is(k.number(0, 16777215))] = ""


TABLES = (
    table("VRF", (k.own_vrf, Vrf)),
    table("VXLAN_EVPN_NVO", (k.name, Evpn)),
    table("VXLAN_TUNNEL", (k.name, Tunnel)),
    table("VXLAN_TUNNEL_MAP", ((k.name, ref("VXLAN_TUNNEL")), k.name, TunnelMap)),
)
