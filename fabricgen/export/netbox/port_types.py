"""What NetBox calls ports and cables.

Source: github.com/netbox-community/netbox v4.4.10, netbox/dcim/choices.py (InterfaceTypeChoices, CableTypeChoices). It
has no type above 800 Gb/s, none for NVLink, and none for active copper but `dac-active`.
"""

from __future__ import annotations

from fabricgen.catalog.models import CableProfile
from fabricgen.wiring.tables import Segment, Side

OTHER = "other"
ETHERNET = {
    10: ("sfpp",),
    25: ("sfp28",),
    40: ("qsfpp",),
    50: ("sfp56", "sfp28"),
    100: ("qsfp28", "qsfpdd", "sfpdd", "dsfp"),
    200: ("qsfp56", "qsfpdd"),
    400: ("qsfpdd", "osfp", "qsfp112"),
    800: ("osfp", "qsfpdd"),
}
"""Gb/s -> form factors that a port of that speed has a type for, the one that others are called by first."""

TWISTED = {1: "1000base-t", 2.5: "2.5gbase-t", 5: "5gbase-t", 10: "10gbase-t", 25: "25gbase-t"}
LANES = {14: "fdr", 25: "edr", 50: "hdr", 100: "ndr", 200: "xdr"}
"""InfiniBand: Gb/s of a lane -> generation."""

FORMS = {"SFP+": "sfpp", "QSFP+": "qsfpp", "QSFP-DD800": "qsfpdd", "QSFP56-DD": "qsfpdd", "QSFP-DD": "qsfpdd"}

MEDIA = {"DAC": "dac-passive", "ACC": "dac-active", "AEC": "dac-active", "AOC": "aoc", "COPPER": "cat6a"}
"""Media whose type the fibre does not tell."""


def port_type(segment: Segment, side: Side) -> str:
    """The type of the ports at one end of links; `other` where NetBox has none."""
    if segment.protocol == "infiniband" and side.form_factor != "RJ45":
        return f"infiniband-{LANES[int(segment.lane_gbps)]}" if int(segment.lane_gbps) in LANES else OTHER
    if side.form_factor == "RJ45":
        return TWISTED.get(segment.speed_gbps, OTHER)
    if not segment.protocol:
        return OTHER
    forms = ETHERNET.get(int(segment.speed_gbps), ())
    form = FORMS.get(side.form_factor, side.form_factor.lower())
    found = form if form in forms else next(iter(forms), "")
    return f"{int(segment.speed_gbps)}gbase-x-{found}" if found else OTHER


def cable_type(medium: CableProfile) -> str:
    """The type of a cable."""
    return MEDIA.get(medium.medium) or medium.fibre or "smf-os2"
