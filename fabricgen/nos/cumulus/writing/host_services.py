"""What ports of hosts refuse on Cumulus Linux, as values, and LACP bypass.

User guide 5.15: "Storm Control" counts packets a second of a switch port (NVUE Command Reference, `nv set interface
<interface-id> storm-control`), also where it is in a bond; "LACP Bypass"; "Access Control List Configuration" (`nv set
acl <acl-id> rule <rule-id> match ip`, `nv set interface <interface-id> acl <acl-id> inbound`). What no rule of a list
takes passes. A percentage is of packets of the smallest size, 84 bytes on the wire, as flooded ones are: ARP, DHCP and
neighbour discovery are little larger.
"""

from __future__ import annotations

from typing import Any

from fabricgen.render.guards import guards_of, list_guards
from fabricgen.switch.interfaces import Bond, Interface
from fabricgen.views.switch import SwitchView

SMALLEST_BYTES = 84
"""Of a frame with its preamble and gap (IEEE 802.3)."""


def bridge_values(port: Interface | Bond) -> dict[str, Any]:
    """The VLANs of a port or bond, and what it refuses."""
    return {
        "access_vlan": port.access_vlan,
        "trunk_vlans": port.trunk_vlans,
        "bpdu_guard": port.access.bpdu_guard,
        "filters": [guard.name for guard in guards_of(port.access)],
    }


def packets_a_second(percent: float, speed_gbps: int) -> int:
    """Packets of the smallest size in a percentage of a port's speed, at least 1."""
    return max(1, round(percent / 100 * speed_gbps * 10**9 / (8 * SMALLEST_BYTES)))


def filters(switch: SwitchView) -> list[dict[str, Any]]:
    """The access lists that ports have: numbers of their rules, and what these drop."""
    return [
        {
            "name": guard.name,
            "type": "ipv6" if guard.v6 else "ipv4",
            "drops": [(10 * place, kind) for place, kind in enumerate(guard.kinds, 1)],
        }
        for guard in list_guards(switch, "bond{number}")
    ]
