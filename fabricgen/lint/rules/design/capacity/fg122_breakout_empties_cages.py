"""FG122: a breakout disables neighbouring cages."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import make_trials
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class BreakoutEmptiesCages(DesignRule):
    """Cages are split so finely that neighbouring cages are disabled and must stay empty.

    The ASIC serves fewer ports than all lanes could make: an SN5600 split into eight disables every second cage,
    and has 256 ports of 100G either way (NVIDIA Cumulus Linux user guide, Switch Port Attributes, Breakout Ports).
    What is plugged into a disabled cage never comes up, and no cage is left for growth. Where a coarser split gives
    as many ports, use it. Where the far ends need eight to a cable, keep the split and mark the disabled cages.
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        scalable_unit: {nodes: 4 x dgx-b300-8p}
        fabrics: {compute: {planes: 8, tiers: {
          leaf: {switch: sn5600, per: [su, plane], breakout: 8x100},  # <-
          spine: {switch: sn5600, per: plane, count: 4}}}}
        nos: cumulus
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b300-8p}
        fabrics: {compute: {planes: 8, tiers: {
          leaf: {switch: sn5600, per: [su, plane], breakout: 4x100},
          spine: {switch: sn5600, per: plane, count: 4}}}}
        nos: cumulus
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated breakouts of cages that disable neighbouring cages."""
        for tier in design.tiers:
            stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].breakout
            for run in tier.downs if stated else ():
                block = tier.profile.cages[run.cage_class].block(run.ways)
                used_cages = -(-run.count // run.ways)
                if block > 1 and used_cages:
                    yield self.flag(
                        (*tier.path, "breakout"),
                        f"{used_cages} cages of {tier.fabric} {tier.name} {tier.profile.id} are split into {run.ways} "
                        f"x {run.speed_gbps}G, which disables {used_cages * (block - 1)} neighbouring cages",
                        _suggest_coarser_split(design, tier, run),
                    )


def _suggest_coarser_split(design: Design, tier: TierDesign, run: PortRun) -> str:
    """Return the hint with the finest split that disables no cage, gives as many ports and can be sized; "" if there is
    no such split, or if the tier states several breakouts.
    """
    from fabricgen.design.advice.tiers import list_fitting_values

    if len(design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].breakout) > 1:
        return ""
    cage, ports = tier.profile.cages[run.cage_class], tier.profile.count_split_ports(run.cage_class, run.ways)
    coarser = [
        f"{split}x{run.speed_gbps}"
        for split in sorted(cage.breakouts, reverse=True)
        if cage.block(split) == 1
        and cage.carries(split, run.speed_gbps, run.lane_gbps)
        and tier.profile.count_split_ports(run.cage_class, split) >= ports
    ]
    fitting = list_fitting_values(make_trials(design, tier.fabric), (*tier.path, "breakout"), coarser, max_values=1)
    return f"`breakout: {fitting[0]}` gives the same {ports} ports and disables no cage" if fitting else ""
