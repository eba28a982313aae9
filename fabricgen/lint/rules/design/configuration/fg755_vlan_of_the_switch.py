"""FG755: a stated VLAN is one that the switches keep for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import links_carry_vrfs


class VlanOfTheSwitch(DesignRule):
    """Hosts are in a VLAN that the NOS of their switches keeps for itself.

    Cumulus Linux has 3725 to 3999 for its routed ports and takes no other in there. EOS gives one to each routed port
    and sub-interface, from 1006 upwards, and refuses that where it is to have hosts (EOS user manual, `vlan internal
    order`). Where a snippet of yours moves the range, waive this. State a VLAN from 100 to 1005.
    """

    severity = Severity.ERROR
    bad = """
        nos: cumulus
        fabrics:
          inband:
            protocol: ethernet
            vlan: 3725  # <-
            tiers: {leaf: {switch: sn4600c}}
    """
    good = """
        nos: cumulus
        fabrics:
          inband:
            protocol: ethernet
            vlan: 200
            tiers: {leaf: {switch: sn4600c}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the VLANs of a fabric's hosts, as stated and of tenants, with the VLANs that the NOS of its switches
        keeps.
        """
        for fabric in design.fabrics:
            first = design.loaded.blueprint.fabrics[fabric.name].vlan or 0
            owner = design.fabric(fabric.carrier) if fabric.carrier else fabric
            legs = max((len(a.legs) for _, a in fabric.attachments), default=1)
            last = first + (legs if fabric.hosts == "rail-subnets" else 1) - 1
            stated: list[tuple[Path, int, int, str]] = [
                ((*fabric.path, "vlan"), first, last, "state another, from 100 to 1005")
            ]
            vlans = [vlan for tenant in design.tenants for vlan in tenant.vlans.get(fabric.name, ())]
            if vlans and fabric.hosts != "routed":
                hint = "carry the VRFs of tenants by `routing.overlay: evpn`, without sub-interfaces"
                stated.append((("tenants",), min(vlans), max(vlans), hint))
            for nos, (low, high) in _list_kept_vlans(design, owner).items():
                for path, first, last, hint in stated:
                    if first <= high and last >= low:
                        clash = f"among {low} to {high}, which {nos} keeps for itself"
                        yield self.flag(path, f"VLAN {max(first, low)} of {fabric.name} is {clash}", hint)


def _list_kept_vlans(design: Design, owner: FabricDesign) -> dict[str, tuple[int, int]]:
    """Return (first, last) of the VLANs that each NOS of a fabric's switches keeps for itself, by NOS: a fixed range,
    or a VLAN for each routed port and VRF.
    """
    vrfs = sum(owner.name in tenant.transport for tenant in design.tenants) if links_carry_vrfs(design, owner) else 0
    ranges: dict[str, tuple[int, int]] = {}
    for tier in owner.tiers:
        facts = design.catalog.naming(tier.nos).configuration
        if facts.kept_vlans:
            ranges[tier.nos] = facts.kept_vlans
        elif facts.vlans_of_ports and tier.lowest:
            bridged = (fabric for fabric in design.fabrics if fabric.hosts != "routed")
            hosts = {feed.run for fabric in bridged for feed in fabric.feeds_of(tier.key)}
            runs = [run for i, run in enumerate(tier.downs) if i not in hosts]
            runs += tier.switch_runs
            # a switch has no VRFs but those of its hosts
            vrfs_on_link = 1 + min(vrfs, sum(tier.downs[i].count for i in hosts))
            last = facts.vlans_of_ports + sum(run.count for run in runs) * vrfs_on_link - 1
            ranges[tier.nos] = (facts.vlans_of_ports, max(last, ranges.get(tier.nos, (0, 0))[1]))
    return ranges
