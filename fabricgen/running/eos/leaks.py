"""Leaks between VRFs of an EOS configuration: route targets of the local VPN table (EOS user manual, Inter-VRF Local
Route Leaking).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fabricgen.running.bgp import Instance
from fabricgen.running.policy import Policies
from fabricgen.running.tree import unfit

FAMILIES = {"vpn-ipv4": "v4", "vpn-ipv6": "v6"}


@dataclass
class Targets:
    """What is said of the VPN table: by family, the VRF that exports each target; lists of targets by name."""

    distinguishers: dict[str, str] = field(default_factory=dict)
    exports: dict[str, dict[str, str]] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)

    def resolve(self, instances: Mapping[str, Instance], policies: Policies) -> None:
        """Put VRFs in place of targets, in what instances import and maps match.

        Raises UnknownTextError where a target is no VRF's, or two VRFs have one distinguisher.
        """
        known = {target: vrf for exported in self.exports.values() for target, vrf in exported.items()}
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
