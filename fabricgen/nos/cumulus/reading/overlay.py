"""EVPN of a startup.yaml: `evpn`, `nve`, and what `vrf` says of it (NVUE Command Reference: BGP EVPN, VXLAN)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.running.bgp import Neighbor
from fabricgen.running.overlay import VrfLines
from fabricgen.running.tree import only, unfit
from fabricgen.switch.overlay import EVPN

Row = Mapping[str, Any]
ON = "enabled"


def tunnel(tree: Row) -> tuple[str, bool]:
    """(the address that tunnels end at, "" for none; whether the DSCP of packets is copied to them)."""
    vxlan = tree.get("nve", {}).get("vxlan", {})
    only(vxlan, "decapsulation", "encapsulation", "source", "state")
    if vxlan and (vxlan["state"] != ON or tree.get("evpn", {}).get("state") != ON):
        unfit("VXLAN or EVPN is off")
    actions = [vxlan.get(way, {}).get("dscp", {}).get("action", "") for way in ("encapsulation", "decapsulation")]
    if actions not in (["", ""], ["copy", "preserve"]):
        unfit(f"DSCP of VXLAN: {actions}")
    return vxlan.get("source", {}).get("address", ""), actions[0] == "copy"


def vrf_lines(row: Row, bgp: Row) -> VrfLines:
    """What a VRF says of EVPN: `vrf X evpn`, and `vrf X router bgp`."""
    only(row, "state", "vlan", "vni")
    ((vni, _),) = row["vni"].items()
    if row["state"] != ON:
        unfit("EVPN is off in a VRF")
    families = {word for word, one in bgp["address-family"].items() if _is_exported(one)}
    return VrfLines(
        vni=int(vni),
        distinguisher=bgp["rd"],
        imports=set(bgp["route-import"]["from-evpn"]["route-target"]),
        exports=set(bgp["route-export"]["to-evpn"]["route-target"]),
        families={word[2:4] for word in families},
    )


def _is_exported(family: Row) -> bool:
    return bool(family.get("route-export") == {"to-evpn": {"state": ON}})


def read_group(found: Neighbor, family: Row) -> None:
    """Take what a peer group says of the address family l2vpn-evpn."""
    found.active.add(EVPN)
    found.keeps_next_hop = family.get("attribute-mod") == {"nexthop": "disabled"}
    for way, maps in (("inbound", found.map_in), ("outbound", found.map_out)):
        if way in family.get("policy", {}):
            maps.add(family["policy"][way]["route-map"])
    own = family.get("aspath", {}).get("allow-my-asn", {})
    found.own_as_in = own["occurrences"] if own.get("state") == ON else 0
