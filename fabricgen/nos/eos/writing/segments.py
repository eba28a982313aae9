"""EVPN multihoming of EOS as values: Ethernet segments of bonds, VNIs of VLANs, and what goes down with the uplinks.

The commands and their nesting are those of Arista's design (aristanetworks/avd, eos_designs: `ethernet_segment` with a
short ESI, which makes the identifier, the route target of type 4 routes and the LACP system id; the tests hold them to
pyavd's templates). The forwarder of broadcasts is elected as RFC 7432, 8.5, has it, by modulus. A switch without links
up takes its bonds down, so that hosts use the other (EOS user manual, Link Tracking Groups); it waits as long as AVD
does before it takes them up again.
"""

from __future__ import annotations

from typing import Any

from fabricgen.switch.interfaces import Bond
from fabricgen.views.switch import SwitchView

RECOVERY_S = 300
GROUP = "UPLINKS"


def segment_of(bond: Bond) -> dict[str, Any]:
    """The values of a bond's Ethernet segment: `segment` is None where it has none."""
    if not bond.segment:
        return {"segment": None, "tracked": ""}
    words = bond.segment.replace(":", "")
    parts = [words[start : start + 4] for start in (0, 4, 8)]
    found = {"identifier": ":".join(["0000", "0000", *parts]), "target": bond.segment, "system": ".".join(parts)}
    return {"segment": found, "tracked": "downstream"}


def segment_values(switch: SwitchView) -> dict[str, Any]:
    """What is said once for a switch: the group of links that are tracked, and its VLANs over EVPN."""
    vlans = switch.overlay.vlans if switch.overlay else {}
    return {
        "tracking": {"group": GROUP, "recovery_s": RECOVERY_S} if switch.multihomed else None,
        "vni_vlans": [
            {"vlan": number, "vni": vlan.vni, "distinguisher": vlan.distinguisher, "target": vlan.target}
            for number, vlan in vlans.items()
        ],
    }
