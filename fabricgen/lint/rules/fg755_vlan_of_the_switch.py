"""FG755: a stated VLAN is one that the switches keep for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class VlanOfTheSwitch(DesignRule):
    """Hosts are in a VLAN that the NOS of their switches keeps for itself.

    Cumulus Linux has 3725 to 3999 for its routed ports and takes no other in there, unless a snippet of yours moves
    the range: waive this then. State a VLAN from 100 to 1999.
    """

    id = "FG755"
    severity = Severity.ERROR
    title = "a stated VLAN is one that the switches keep for themselves"
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
        """Compare the stated VLANs of bridged hosts with what the NOS of their switches keeps."""
        for fabric in design.fabrics:
            first = design.loaded.blueprint.fabrics[fabric.name].vlan or 0
            owner = design.fabric(fabric.carrier) if fabric.carrier else fabric
            legs = max((len(a.legs) for _, a in fabric.attachments), default=1)
            last = first + (legs if fabric.hosts == "rail-subnets" else 1) - 1
            for nos in sorted({tier.nos for tier in owner.tiers}):
                kept_vlans = design.catalog.naming(nos).configuration.kept_vlans
                low, high = kept_vlans or (0, 0)
                if kept_vlans and first <= high and last >= low:
                    kept = f"among {low} to {high}, which {nos} keeps for itself"
                    message = f"VLAN {max(first, low)} of {fabric.name} is {kept}"
                    yield self.flag((*fabric.path, "vlan"), message, "state another, from 100 to 1999")
