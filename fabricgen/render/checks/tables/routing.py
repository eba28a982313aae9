"""BGP sessions that bgpcfgd renders, and static routes.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-bgp-global.yang, sonic-bgp-neighbor.yang,
sonic-static-route.yang; lists of next hops: src/sonic-bgpcfgd/bgpcfgd/managers_static_rt.py.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, ref, table


class Global(Row):
    """BGP_GLOBALS|VRF."""

    local_asn: Annotated[str, Is(k.asn)]


class Neighbor(Row):
    """BGP_NEIGHBOR|address, or with its VRF before."""

    asn: Annotated[str, Is(k.asn)]
    local_addr: Annotated[str, Is(k.address)]
    name: Annotated[str, Is(k.name)]
    admin_status: Annotated[str, Is(k.up_down)] = ""
    holdtime: Annotated[str, Is(k.number(0, 65535))] = ""
    keepalive: Annotated[str, Is(k.number(0, 65535))] = ""
    nhopself: Annotated[str, Is(k.number(0, 1))] = ""
    rrclient: Annotated[str, Is(k.number(0, 1))] = ""


class StaticRoute(Row):
    """STATIC_ROUTE|VRF|prefix; comma lists of one length, an entry a next hop."""

    advertise: Annotated[str, Is(k.truth)] = ""
    blackhole: Annotated[str, Is(k.listed(k.truth))] = ""
    distance: Annotated[str, Is(k.listed(k.number(0, 255)))] = ""
    ifname: Annotated[str, Is(k.listed(k.port_name, empty=True)), ref("INTERFACE", separator=",")] = ""
    nexthop: Annotated[str, Is(k.listed(k.address, empty=True))] = ""


TABLES = (
    table("BGP_GLOBALS", ((k.vrf_name, ref("VRF", also=("default",))), Global)),
    table("BGP_NEIGHBOR", (k.address, Neighbor), ((k.vrf_name, ref("BGP_GLOBALS")), k.address, Neighbor)),
    table("STATIC_ROUTE", ((k.vrf_name, ref("VRF", also=("default",))), k.network, StaticRoute)),
)
