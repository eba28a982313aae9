"""The tables of VXLAN read back (sonic-vxlan.yang)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabricgen.running.tree import only, unfit


@dataclass
class Tunnels:
    """What the tables say: where tunnels end, by name, which of them EVPN uses, and the VNI of each VLAN."""

    sources: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    vnis: dict[str, int] = field(default_factory=dict)

    def tunnel(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Read VXLAN_TUNNEL."""
        for name, row in table.items():
            only(row, "src_ip")
            self.sources[name] = row["src_ip"]

    def evpn(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Read VXLAN_EVPN_NVO."""
        for row in table.values():
            only(row, "source_vtep")
            self.used.append(row["source_vtep"])

    def maps(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Read VXLAN_TUNNEL_MAP."""
        for row in table.values():
            only(row, "vlan", "vni")
            self.vnis[row["vlan"]] = int(row["vni"])

    def vtep(self) -> str:
        """The address that tunnels of EVPN end at, "" for none; raises UnknownTextError for several."""
        if len(self.used) > 1 or set(self.used) != set(self.sources):
            unfit(f"tunnels are {sorted(self.sources)}, and EVPN uses {self.used}")
        return self.sources[self.used[0]] if self.used else ""
