"""FG118: a switch has fewer spare ports than the limit asks for."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from fabricgen.design.build import make_trials
from fabricgen.design.capacity.reserved import count_ports, count_spare_ports
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.kernel.units import parse_percent
from fabricgen.lint.rule import DesignRule


class FewSparePorts(DesignRule):
    """The fullest switch of a tier has fewer spare ports than `lint.limits.spare_ports` asks for.

    A spare port replaces a broken cage or transceiver at once, and lets a node, a storage shelf or a tester attach
    without a new switch. How many to keep is a matter of policy, so nothing is judged until the limit is set: a
    number of ports, or a share of the ports of a switch. Ports kept for reserved units are not spare; those that
    the tier keeps by its own `spare_ports` are. Raise the tier's `spare_ports`, use a larger switch, or attach
    fewer nodes to each.
    """

    severity = Severity.WARNING
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
            total, spare = count_ports(tier), count_spare_ports(tier)
            required = limit if isinstance(limit, int) else ceil(round(parse_percent(limit) * total, 6))
            if tier.downs and spare < required:
                up = f", {tier.up.count} x {tier.up.speed_gbps}G up" if tier.up else ""
                limit_text = f"{limit} of {total} ports" if isinstance(limit, str) else f"{required}"
                yield self.flag(
                    tier.path,
                    f"the fullest {tier.fabric} {tier.name} {tier.profile.id} has {spare} spare ports; the limit is "
                    f"{limit_text} ({tier.down_text} down{up})",
                    _suggest_spare_ports(design, tier, required),
                )


def _suggest_spare_ports(design: Design, tier: TierDesign, required: int) -> str:
    """Return the hint on how the tier gets `required` spare ports: by its `spare_ports` if that can be sized, with how
    many switches.
    """
    change = {".".join(map(str, (*tier.path, "spare_ports"))): required}
    trial = make_trials(design, tier.fabric).design_tier(tier.key, change)
    if trial:
        cost = f", with {trial.switches:,} switches instead of {tier.switches:,}" * (trial.switches != tier.switches)
        return f"set `spare_ports: {required}` on {tier.name}{cost}"
    return "use larger switches, attach fewer nodes to each, or free uplink cages by a higher `oversubscription`"
