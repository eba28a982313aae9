"""Ports and how cages are split.

Fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-port.yang, sonic-breakout_cfg.yang,
sonic-mgmt_port.yang. That lanes and speeds are the platform's, which YANG cannot say, is judged in `lanes.py`.
"""

from typing import Annotated

from pydantic import AfterValidator as Is

from fabricgen.render.checks import kinds as k
from fabricgen.render.checks.table import Row, ref, table

SWITCHED = k.one_of("on", "off")


class Port(Row):
    """PORT|EthernetN; speed in Mb/s, lanes by their numbers in the ASIC."""

    lanes: Annotated[str, Is(k.name)]
    speed: Annotated[str, Is(k.number(1, 1_600_000))]
    admin_status: Annotated[str, Is(k.up_down)]
    alias: Annotated[str, Is(k.pattern(r"[A-Za-z0-9/:_.()-]{1,128}", "a name of letters, digits and /:_.()-"))]
    index: Annotated[str, Is(k.number(0, 65535))]
    autoneg: Annotated[str, Is(SWITCHED)] = ""
    description: Annotated[str, Is(k.line)] = ""
    fec: Annotated[str, Is(k.one_of("rs", "fc", "none", "auto"))] = ""
    link_training: Annotated[str, Is(SWITCHED)] = ""
    macsec: Annotated[str, ref("MACSEC_PROFILE")] = ""
    mtu: Annotated[str, Is(k.number(68, 9216))] = ""
    pfc_asym: Annotated[str, Is(SWITCHED)] = ""
    subport: Annotated[str, Is(k.number(0, 8))] = ""


class Breakout(Row):
    """BREAKOUT_CFG|first port of a cage."""

    brkout_mode: Annotated[str, Is(k.name)]


class ManagementPort(Row):
    """MGMT_PORT|eth0."""

    admin_status: Annotated[str, Is(k.up_down)]
    alias: Annotated[str, Is(k.label)]
    description: Annotated[str, Is(k.line)] = ""
    mtu: Annotated[str, Is(k.number(68, 9216))] = ""


TABLES = (
    table("BREAKOUT_CFG", ((k.port_name, ref("PORT")), Breakout)),
    table("MGMT_PORT", (k.one_of("eth0"), ManagementPort)),
    table("PORT", (k.port_name, Port)),
)
