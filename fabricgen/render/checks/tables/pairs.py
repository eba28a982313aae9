"""MCLAG pairs.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models/sonic-mclag.yang.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, ref, table


class Domain(Row):
    """MCLAG_DOMAIN|number."""

    source_ip: Annotated[str, Is(k.address)] = ""
    peer_ip: Annotated[str, Is(k.address)] = ""
    peer_link: Annotated[str, Is(k.bridged_name), ref("PORT", "PORTCHANNEL")] = ""
    keepalive_interval: Annotated[str, Is(k.number(1, 60))] = ""
    session_timeout: Annotated[str, Is(k.number(1, 3600))] = ""


class Joined(Row):
    """MCLAG_INTERFACE|number|PortChannelN."""

    if_type: Annotated[str, Is(k.line)] = ""


class OwnAddress(Row):
    """MCLAG_UNIQUE_IP|VlanN."""

    unique_ip: Annotated[str, Is(k.one_of("enable"))] = ""


_NUMBER = k.number(1, 4095)

TABLES = (
    table("MCLAG_DOMAIN", (_NUMBER, Domain)),
    table(
        "MCLAG_INTERFACE",
        ((_NUMBER, ref("MCLAG_DOMAIN")), (k.bond_name, ref("PORTCHANNEL")), Joined),
    ),
    table("MCLAG_UNIQUE_IP", ((k.vlan_name, ref("VLAN")), OwnAddress)),
)
