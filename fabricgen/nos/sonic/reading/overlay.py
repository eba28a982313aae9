"""VXLAN, EVPN multihoming, SRv6 and MCLAG of SONiC read back: tables (sonic-vxlan.yang, sonic-evpn.yang), and lines of
frr.conf.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from typing import Any

from fabricgen.nos.frr.routing import SegmentLines
from fabricgen.running.tree import allow_fields, is_tolerant, report_misfit, require_fields
from fabricgen.switch.interfaces import MlagPair
from fabricgen.switch.routing import OverlayVlan, OverlayVrf, SwitchSrv6


@dataclass
class Tunnels:
    """VXLAN tunnels: the address that each ends at, by name; the tunnels that EVPN uses; and the VNI of each VLAN."""

    sources: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    vnis: dict[str, int] = field(default_factory=dict)

    def read_tunnels(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Note the address that each tunnel of VXLAN_TUNNEL is from."""
        for name, row in table.items():
            allow_fields(row, "src_ip")
            self.sources[name] = row["src_ip"]

    def read_evpn(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Note the tunnels of VXLAN_EVPN_NVO that EVPN uses."""
        for row in table.values():
            allow_fields(row, "source_vtep")
            self.used.append(row["source_vtep"])

    def read_maps(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Note the VNI of each VLAN in VXLAN_TUNNEL_MAP, whichever tunnel it goes through."""
        for row in table.values():
            allow_fields(row, "vlan", "vni")
            self.vnis[row["vlan"]] = int(row["vni"])

    def find_vtep(self) -> str:
        """Return the address that the tunnel of EVPN ends at, "" for none; raises UnknownTextError for several
        tunnels.
        """
        if len(self.used) > 1 or set(self.used) != set(self.sources):
            report_misfit(f"tunnels are {sorted(self.sources)}, and EVPN uses {self.used}")
        return self.sources[self.used[0]] if self.used else ""


SEGMENT_TABLES = frozenset({"EVPN_ETHERNET_SEGMENT", "EVPN_MH_GLOBAL", "SAG"})
_ROW = {"df_pref": "32767", "esi": "AUTO", "type": "TYPE_3_MAC_BASED"}


def read_segments(tables: Mapping[str, Any], lines: SegmentLines) -> dict[str, str]:
    """Return the MAC of each bond's Ethernet segment, by bond; `lines` is what FRR is told of segments.

    Raises UnknownTextError if the tables and FRR do not say the same.
    """
    rows, delays = tables.get("EVPN_ETHERNET_SEGMENT", {}), tables.get("EVPN_MH_GLOBAL", {})
    if any(row != _ROW for row in rows.values()):
        report_misfit(f"Ethernet segments of another type: {rows}")
    macs = {name: row["system_mac"] for name, row in tables.get("PORTCHANNEL", {}).items() if "system_mac" in row}
    numbers = {name: int(name.removeprefix("PortChannel")) for name in rows}
    if not (rows.keys() == macs.keys() and macs == lines.macs and numbers == lines.numbers):
        report_misfit(f"segments are {sorted(rows)} with {macs}, and of FRR {lines.macs} with {lines.numbers}")
    for row in delays.values():
        require_fields(row, "mac_holdtime", "neigh_holdtime", "startup_delay")
    if [int(row["startup_delay"]) for row in delays.values()] != ([lines.startup_s] if lines.startup_s else []):
        report_misfit(f"segments wait {delays}, and {lines.startup_s} s of FRR")
    if rows and not delays:
        report_misfit("Ethernet segments, and nothing of how long they wait")
    return macs


def find_shared_gateways(tables: Mapping[str, Any]) -> frozenset[str]:
    """Return the VLANs whose gateways another switch has as well; raises UnknownTextError if they share no MAC."""
    rows = tables.get("VLAN_INTERFACE", {}).items()
    vlans = frozenset(name for name, row in rows if row.get("static_anycast_gateway") == "true")
    if vlans and not tables.get("SAG", {}).get("GLOBAL", {}).get("gateway_mac"):
        report_misfit("anycast gateways have no MAC in common")
    return vlans


def make_overlay_vlans(vnis: Mapping[int, int], of_frr: Mapping[int, OverlayVrf]) -> dict[int, OverlayVlan]:
    """Return the VLANs over EVPN by number; `vnis` is the VNI of each VLAN, `of_frr` what FRR says of each VNI.

    Raises UnknownTextError if the VNIs of the two differ, or if FRR imports other route targets of a VNI than it
    exports.
    """
    if set(vnis.values()) != set(of_frr) or any(lines.imports != lines.exports for lines in of_frr.values()):
        report_misfit(f"VNIs of VLANs are {vnis}, and of FRR {dict(of_frr)}")
    return {vlan: OverlayVlan(vni, of_frr[vni].distinguisher, of_frr[vni].imports) for vlan, vni in vnis.items()}


def read_srv6(tables: Mapping[str, Mapping[str, Mapping[str, str]]]) -> SwitchSrv6 | None:
    """Return the SRv6 identifiers of a switch: lengths in bits, its own identifier, and (port, neighbour) of those of
    links.

    None without SRv6. Raises UnknownTextError for several locators, for identifiers of another locator or with another
    action than uN and uA, and if the own identifier is not the prefix of the locator.
    """
    locators, sids = tables.get("SRV6_MY_LOCATORS", {}), tables.get("SRV6_MY_SIDS", {})
    if not locators and not sids:
        return None
    if len(locators) != 1:
        report_misfit(f"{len(locators)} locators: {sorted(locators)}")
    (only_locator, locator), nodes, links = next(iter(locators.items())), list[str](), dict[str, tuple[str, str]]()
    allow_fields(locator, "prefix", "block_len", "node_len", "func_len")
    defaults = {"block_len": "32", "node_len": "16", "func_len": "16"} if is_tolerant() else {}
    lengths = {**defaults, **locator}
    bits = int(lengths["block_len"]), int(lengths["node_len"]), int(lengths["func_len"])
    for sid, row in sids.items():
        allow_fields(row, "action", "adj", "decap_dscp_mode", "interface")
        locator_name, _, prefix = sid.partition("|")
        if locator_name != only_locator or row.get("decap_dscp_mode") != "pipe":
            report_misfit(f"SRV6_MY_SIDS {sid} is of another locator, or no identifier as the plan has them")
        if row["action"] == "uN":
            nodes.append(prefix)
        elif row["action"] == "uA":
            links[prefix] = row["interface"], row.get("adj", "")
        else:
            report_misfit(f"SRV6_MY_SIDS {sid} is {row['action']}")
    if nodes != [f"{locator['prefix']}/{bits[0] + bits[1]}"]:
        report_misfit(f"the locator {locator['prefix']} and the identifiers {nodes} of the switch are not the same")
    return SwitchSrv6(bits, nodes[0] if nodes else "", links)


# MCLAG, by sonic-mclag.yang

Table = Mapping[str, Mapping[str, Any]]
PAIR_TABLES = frozenset({"MCLAG_DOMAIN", "MCLAG_INTERFACE", "MCLAG_UNIQUE_IP"})


def find_peer_link(tables: Mapping[str, Table]) -> str:
    """Return the bond of the peer link, "" for none."""
    return next((row["peer_link"] for row in tables.get("MCLAG_DOMAIN", {}).values()), "")


def list_mlag_bonds(tables: Mapping[str, Table]) -> frozenset[str]:
    """Return the bonds that both switches of a pair share; raises UnknownTextError for a bond of another domain."""
    domains, bonds = set(tables.get("MCLAG_DOMAIN", {})), set()
    for key, row in tables.get("MCLAG_INTERFACE", {}).items():
        require_fields(row, "if_type")
        domain, _, bond = key.partition("|")
        if domain not in domains:
            report_misfit(f"{bond} is in MCLAG domain {domain}, which is not there")
        bonds.add(bond)
    return frozenset(bonds)


def list_pair_vlans(tables: Mapping[str, Table]) -> frozenset[str]:
    """Return the VLANs in which the two switches of a pair talk to each other."""
    for row in tables.get("MCLAG_UNIQUE_IP", {}).values():
        if row != {"unique_ip": "enable"}:
            report_misfit(f"MCLAG_UNIQUE_IP: {row}")
    return frozenset(tables.get("MCLAG_UNIQUE_IP", {}))


def read_pair(
    tables: Mapping[str, Table],
    members: Callable[[str], frozenset[str]],
    tagged: frozenset[str],
    vrf_of: Mapping[str, str],
) -> MlagPair | None:
    """Return the MLAG pair of a switch; None if it is in none.

    `members` returns the ports of a bond, `tagged` are the VLANs of the peer link, and `vrf_of` is the VRF of each
    VLAN. Raises UnknownTextError for parts of a pair without a domain, and for a pair that does not come up: its peer
    has the same address or is in none of its subnets, the peer link is down or lacks VLANs, or iccpd is off.
    """
    domains, pair_vlans = tables.get("MCLAG_DOMAIN", {}), list_pair_vlans(tables)
    if not domains:
        if pair_vlans or tables.get("MCLAG_INTERFACE"):
            report_misfit("parts of an MCLAG pair without the others")
        return None
    ((domain, row),) = domains.items()
    allow_fields(row, "peer_ip", "peer_link", "source_ip")
    peer_link = row["peer_link"]
    addresses = [vlan_and_address.partition("|") for vlan_and_address in tables["VLAN_INTERFACE"]]
    addresses_of_vlan = {
        vlan: frozenset(address for name, separator, address in addresses if separator and name == vlan)
        for vlan in pair_vlans
    }
    pair_addresses = [ip_interface(address) for of_vlan in addresses_of_vlan.values() for address in of_vlan]
    gateways = {name for name, separator, _ in addresses if separator}
    conditions = (
        any(
            str(interface.ip) == row["source_ip"] and ip_address(row["peer_ip"]) in interface.network
            for interface in pair_addresses
        ),
        row["source_ip"] != row["peer_ip"],
        pair_vlans <= tagged and gateways <= tagged,
        tables["PORTCHANNEL"][peer_link]["admin_status"] == "up",
        tables["FEATURE"].get("iccpd") == {"state": "enabled"},
    )
    if not all(conditions):
        report_misfit(f"an MCLAG pair that does not come up: {conditions}")
    return MlagPair(
        members(peer_link),
        domain,
        ("", ""),
        {int(v.removeprefix("Vlan")): (vrf_of[v], addresses_of_vlan[v]) for v in pair_vlans},
    )
