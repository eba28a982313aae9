"""FG401: all of a node's links in a fabric end on one switch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.blueprint.dimensions import find_leg_number, list_leg_dimensions
from fabricgen.design.capacity.end_to_end import has_gpu_ports
from fabricgen.design.fabric_model import Attachment, FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


def list_reached_groups(attachment: Attachment, per: Sequence[str]) -> set[tuple[int, ...]]:
    """Return the groups of a tier that the legs of a node attach to, each by its numbers of the leg dimensions (rail,
    rail group, plane, port) in `per`.
    """
    dimensions = [name for name in list_leg_dimensions() if name in per]
    return {tuple(find_leg_number(name, leg) for name in dimensions) for leg in attachment.legs}


def is_single_homed(fabric: FabricDesign, leaf: TierDesign) -> bool:
    """Whether nodes have several ports in a fabric, none of an accelerator, and all ports of a node end on
    one switch.
    """
    attachments = [attachment for _, attachment in fabric.attachments]
    if max(len(attachment.legs) for attachment in attachments) < 2 or has_gpu_ports(fabric):
        return False
    # `spread: stripe` deals the ports of a node over the switches of a group
    is_striped = leaf.count > 1 and fabric.node_feeds[0].turn == 1
    return not is_striped and all(len(list_reached_groups(attachment, leaf.per)) == 1 for attachment in attachments)


class SingleHomedNodes(DesignRule):
    """Nodes have several ports in a fabric that serves no GPUs, and all of them go to the same switches.

    Storage and in-band ports come in pairs, to two separate switches for redundancy (NVIDIA HGX AI Factory
    reference architecture, Network Logical Architecture), so that a node survives the loss of a switch. Here the
    loss or the upgrade of one leaf takes its nodes off the network. GPU fabrics are not judged: one rail does not
    replace another, and top-of-rack designs are common.

    Add `rail` to the `per` of the lowest tier.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {storage: {protocol: roce, tiers: {
          leaf: {switch: sn5600, per: su}}}}  # <-
    """
    good = """
        fabrics: {storage: {protocol: roce, tiers: {
          leaf: {switch: sn5600, per: [su, rail]}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag lowest tiers to which all ports of a node attach in one group, filled node by node."""
        for fabric, leaf in ((f, leaf) for f in design.fabrics for leaf in design.list_leaf_tiers(f)):
            if fabric.shares_ports or not is_single_homed(fabric, leaf):
                continue
            links = max(len(a.legs) for feed in fabric.feeds_of(leaf.key) for _, a in feed.attachments)
            is_carried = leaf.fabric != fabric.name
            hint = "spread its rails over `rail_groups` or its ports over `planes`"
            hint = hint if is_carried else "add `rail` to `per`"
            if fabric.bond:
                hint = "bond over an MLAG pair: two switches with `spread: stripe` and `peer` links"
            elif leaf.count > 1:
                hint += f", or set `spread: stripe` on {leaf.name}"
            yield self.flag(
                (*fabric.path, "carried_by") if is_carried else (*leaf.path, "per"),
                f"all {links} {fabric.name} links of a node go to the same {leaf.name} group "
                f"({leaf.count} switch{'es' * (leaf.count != 1)}, filled node by node)",
                hint,
            )
