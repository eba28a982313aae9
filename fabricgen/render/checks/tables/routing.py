"""BGP sessions that bgpcfgd renders, and static routes.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-bgp-global.yang, sonic-bgp-neighbor.yang,
sonic-bgp-common.yang, sonic-static-route.yang; lists of next hops: src/sonic-bgpcfgd/bgpcfgd/managers_static_rt.py.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, ref, table


class Global(Row):
    """BGP_GLOBALS|VRF."""

    local_asn: Annotated[str, Is(k.asn)]


class Neighbor(Row):
    """BGP_NEIGHBOR|address: a session that bgpcfgd makes (sonic-bgp-common.yang, sonic-bgp-cmn-neigh)."""

    asn: Annotated[str, Is(k.asn)]
    local_addr: Annotated[str, Is(k.address)]
    name: Annotated[str, Is(k.name)]
    admin_status: Annotated[str, Is(k.up_down)] = ""
    holdtime: Annotated[str, Is(k.number(0, 65535))] = ""
    keepalive: Annotated[str, Is(k.number(0, 65535))] = ""
    nhopself: Annotated[str, Is(k.number(0, 1))] = ""
    rrclient: Annotated[str, Is(k.number(0, 1))] = ""


class VrfNeighbor(Row):
    """BGP_NEIGHBOR|VRF|address: a session that frrcfgd makes (sonic-bgp-cmn): no `nhopself` and no `rrclient`."""

    asn: Annotated[str, Is(k.asn)] = ""
    admin_status: Annotated[str, Is(k.up_down)] = ""
    auth_password: Annotated[str, Is(k.name)] = ""
    bfd: Annotated[str, Is(k.truth)] = ""
    bfd_check_ctrl_plane_failure: Annotated[str, Is(k.truth)] = ""
    capability_dynamic: Annotated[str, Is(k.truth)] = ""
    capability_ext_nexthop: Annotated[str, Is(k.truth)] = ""
    conn_retry: Annotated[str, Is(k.number(1, 65535))] = ""
    disable_ebgp_connected_route_check: Annotated[str, Is(k.truth)] = ""
    dont_negotiate_capability: Annotated[str, Is(k.truth)] = ""
    ebgp_multihop: Annotated[str, Is(k.truth)] = ""
    ebgp_multihop_ttl: Annotated[str, Is(k.number(1, 255))] = ""
    enforce_first_as: Annotated[str, Is(k.truth)] = ""
    enforce_multihop: Annotated[str, Is(k.truth)] = ""
    holdtime: Annotated[str, Is(k.number(0, 65535))] = ""
    keepalive: Annotated[str, Is(k.number(0, 65535))] = ""
    local_addr: Annotated[str, Is(k.name)] = ""
    local_as_no_prepend: Annotated[str, Is(k.truth)] = ""
    local_as_replace_as: Annotated[str, Is(k.truth)] = ""
    local_asn: Annotated[str, Is(k.asn)] = ""
    min_adv_interval: Annotated[str, Is(k.number(0, 600))] = ""
    name: Annotated[str, Is(k.name)] = ""
    override_capability: Annotated[str, Is(k.truth)] = ""
    passive_mode: Annotated[str, Is(k.truth)] = ""
    peer_group_name: Annotated[str, Is(k.name)] = ""
    peer_port: Annotated[str, Is(k.number(0, 65535))] = ""
    peer_type: Annotated[str, Is(k.one_of("internal", "external"))] = ""
    shutdown_message: Annotated[str, Is(k.pattern(r"[^\x00-\x1f\x7f]{1,127}", "a line of 1 to 127 characters"))] = ""
    solo_peer: Annotated[str, Is(k.truth)] = ""
    strict_capability_match: Annotated[str, Is(k.truth)] = ""
    ttl_security_hops: Annotated[str, Is(k.number(1, 254))] = ""


class StaticRoute(Row):
    """STATIC_ROUTE|VRF|prefix; comma lists of one length, an entry a next hop."""

    advertise: Annotated[str, Is(k.truth)] = ""
    blackhole: Annotated[str, Is(k.listed(k.truth))] = ""
    distance: Annotated[str, Is(k.listed(k.number(0, 255)))] = ""
    ifname: Annotated[str, Is(k.listed(k.port_name, empty=True)), ref("INTERFACE", separator=",")] = ""
    nexthop: Annotated[str, Is(k.listed(k.address, empty=True))] = ""


class DeviceGlobal(Row):
    """BGP_DEVICE_GLOBAL|STATE: whether traffic is shifted away, TSA (sonic-bgp-device-global.yang)."""

    tsa_enabled: Annotated[str, Is(k.one_of("true", "false"))] = ""


TABLES = (
    table("BGP_DEVICE_GLOBAL", (k.one_of("STATE"), DeviceGlobal)),
    table("BGP_GLOBALS", ((k.vrf_name, ref("VRF", also=("default",))), Global)),
    table("BGP_NEIGHBOR", (k.address, Neighbor), ((k.vrf_name, ref("BGP_GLOBALS")), k.address, VrfNeighbor)),
    table("STATIC_ROUTE", ((k.vrf_name, ref("VRF", also=("default",))), k.network, StaticRoute)),
)
