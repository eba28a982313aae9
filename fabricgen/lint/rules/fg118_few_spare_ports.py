"""a switch has fewer spare ports than are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from fabricgen.design.build import trials_of
from fabricgen.design.capacity.spare import spare_ports, total_ports
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.kernel.units import parse_percent
from fabricgen.lint.rule import DesignRule


class FewSparePorts(DesignRule):
    """The fullest switch of a tier has fewer spare ports than `lint.limits.spare_ports` asks for.

    Spare ports take over from a broken cage or transceiver at once, and let a node, a storage shelf or a test set
    attach without a new switch; operators keep a few on every switch as they keep spare optics on the shelf. How many
    is a matter of policy, so nothing is judged until the limit is stated: a number, or a share of the ports of a
    switch. Ports kept for reserved units are not spare, those that `spare_ports` of the tier keeps are. Keep more
    there, take a larger switch, or put fewer nodes on each.
    """

    id = "FG118"
    severity = Severity.WARNING
    title = "a switch has fewer spare ports than are wanted"
    bad = """
        scalable_unit: {nodes: 64 x dgx-b200}
        pods: {p1: {su: 1}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},  # <-
          spine: {switch: sn5600, count: 8}}}}
        lint: {limits: {spare_ports: 2}}
    """
    good = """
        scalable_unit: {nodes: 60 x dgx-b200}
        pods: {p1: {su: 1}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, count: 10}}}}
        lint: {limits: {spare_ports: 5%}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the spare ports of each tier's fullest switch with the limit."""
        limit = design.loaded.limits.spare_ports
        if limit is None:
            return
        for tier in design.tiers:
            total, spare = total_ports(tier), spare_ports(tier)
            wanted = limit if isinstance(limit, int) else ceil(round(parse_percent(limit) * total, 6))
            if tier.downs and spare < wanted:
                up = f", {tier.up.count} x {tier.up.speed_gbps}G up" if tier.up else ""
                of = f"{limit} of {total} ports" if isinstance(limit, str) else f"{wanted}"
                yield self.flag(
                    tier.path,
                    f"the fullest {tier.fabric} {tier.name} {tier.profile.id} has {spare} spare ports and wants "
                    f"{of}: {tier.down_text} down{up}",
                    _hint(design, tier, wanted),
                )


def _hint(design: Design, tier: TierDesign, wanted: int) -> str:
    """Whether the tier can keep so many ports free, and how many switches of its kind that takes."""
    there = trials_of(design, tier.fabric).tier(tier.key, {".".join(map(str, (*tier.path, "spare_ports"))): wanted})
    if there:
        more = f", with {there.switches:,} switches instead of {tier.switches:,}" * (there.switches != tier.switches)
        return f"`spare_ports: {wanted}` of {tier.name} fits{more}"
    return "larger switches, fewer nodes on each, or more uplink cages freed by `oversubscription`"
