"""Leaks between VRFs of an EOS configuration: route targets of the local VPN table, or of EVPN (EOS user manual,
Inter-VRF Local Route Leaking).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fabricgen.running.bgp import Instance
from fabricgen.running.overlay import VrfLines
from fabricgen.running.policy import Policies
from fabricgen.running.tree import unfit
from fabricgen.switch.routing import Entry, carried

FAMILIES = {"vpn-ipv4": "v4", "vpn-ipv6": "v6"}


@dataclass
class Targets:
    """What is said of the VPN table: by family, the VRF that exports each target; lists of targets by name.

    `evpn_maps`: by VRF, the map that all must pass that it imports from EVPN.
    """

    distinguishers: dict[str, str] = field(default_factory=dict)
    exports: dict[str, dict[str, str]] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    evpn_maps: dict[str, str] = field(default_factory=dict)

    def resolve(self, instances: Mapping[str, Instance], policies: Policies, over: Mapping[str, VrfLines]) -> None:
        """Put VRFs in place of targets, in what instances import, also over EVPN, and maps match.

        Raises UnknownTextError where a target is no VRF's, or two VRFs have one distinguisher.
        """
        known = {target: vrf for exported in self.exports.values() for target, vrf in exported.items()}
        known |= {target: vrf for vrf, lines in over.items() for target in lines.exports}
        if len(set(self.distinguishers.values())) < len(self.distinguishers):
            unfit(f"VRFs share a distinguisher: {self.distinguishers}")
        for one in instances.values():
            for family, (targets, _) in one.imports.items():
                exported = self.exports.get(family, {})
                if not targets <= exported.keys():
                    unfit(f"{sorted(targets - exported.keys())} are imported, and no VRF exports them")
                found = {exported.get(target, target) for target in targets}
                targets.clear()
                targets.update(found)
        for entries in policies.maps.values():
            for seq, entry in entries.items():
                if entry.extcommunity and entry.source_vrf is None:
                    target = self.lists.get(entry.extcommunity, "")
                    if target not in known:
                        unfit(f"extcommunity-list {entry.extcommunity} is no VRF's target")
                    entries[seq] = replace(entry, source_vrf=known.get(target, target))
        for vrf, lines in over.items():
            self._leak_over_evpn(vrf, lines, instances[vrf], policies, known)

    def _leak_over_evpn(
        self, vrf: str, lines: VrfLines, instance: Instance, policies: Policies, known: Mapping[str, str]
    ) -> None:
        """Tell targets of other VRFs from a VRF's own ones, which its map has to let pass."""
        foreign = {target: known[target] for target in lines.imports if known.get(target, vrf) != vrf}
        lines.imports -= foreign.keys()
        name = self.evpn_maps.get(vrf, "")
        if not foreign and not name:
            return
        entries = policies.maps.get(name, {})
        own = [seq for seq, entry in entries.items() if entry == Entry(True, source_vrf=vrf, extcommunity=f"VRF-{vrf}")]
        if not own:
            unfit(f"VRF {vrf} imports from EVPN through route-map {name or '(none)'}, which lacks its own routes")
        for seq in own:
            del entries[seq]
        said = list(policies.from_vrfs(name))
        if (taken := {source for source, _ in said}) != set(foreign.values()):
            unfit(f"VRF {vrf} imports {sorted(foreign.values())} from EVPN, and route-map {name} takes {sorted(taken)}")
        for family in ("v4", "v6"):
            sources = {source for source, permits in said if carried((family,), permits)}
            if sources:
                instance.imports[family] = sources, {name}
