"""FG303: a lossless GPU fabric has fewer than four spines."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import make_trials
from fabricgen.design.capacity.bisection import list_chains
from fabricgen.design.capacity.end_to_end import has_gpu_ports
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

FEWEST = 4
"""How many switches of an upper tier a leaf should have paths through."""


class FewSpines(DesignRule):
    """A RoCE fabric that carries accelerator traffic has fewer than four switches in a spine group.

    With two spines, double failures under congestion led to PFC storms in Juniper's tests, which therefore
    recommend four in each fabric (JVD AI Data Center Network with Juniper Apstra, NVIDIA GPUs, and WEKA Storage,
    Recommendations). The rule counts the switches of a tier that a leaf has paths through: in all planes, and
    behind all spines where a tier above joins spines of one number (`core per: spine`). Use more, smaller spines.
    Border switches, below the spines or above them in a fabric of their own, come in pairs and are not judged.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 2}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag upper tiers where a leaf reaches fewer than four switches, in RoCE fabrics with GPUs."""
        for fabric in design.fabrics:
            if fabric.protocol != "roce" or not has_gpu_ports(fabric):
                continue
            reported = set()
            for lower, upper, reached in _list_narrow_tiers(design, fabric):
                if lower.key not in reported and lower.uplink:
                    reported.add(lower.key)
                    few = f"reaches {reached} {upper.name} switches; use {FEWEST} or more"
                    hint = _suggest_count(design, upper, lower.uplink.links_per_group)
                    yield self.flag((*upper.path, "count"), f"each {fabric.name} {lower.name} {few}", hint)


def _list_narrow_tiers(design: Design, fabric: FabricDesign) -> Iterator[tuple[TierDesign, TierDesign, int]]:
    """Yield (tier, the tier above it, how many switches there a switch of the tier reaches) for each tier with too few
    paths.

    Too few are fewer than `FEWEST`, counted through all tiers below and all planes. A single switch above is left to
    FG304.
    """
    for chain in list_chains(design, fabric):
        paths_below = 1
        for tier in chain:
            uplink = tier.uplink
            if uplink is None or not uplink.upper.fabric == tier.fabric == fabric.name:
                break
            upper = design.tier(uplink.upper)
            reached = uplink.upper_count * uplink.upper_groups
            joined = paths_below if tier.name in upper.per else 1
            planes = fabric.planes if "plane" in upper.per else 1
            if reached > 1 and reached * joined * planes < FEWEST:
                yield tier, upper, reached
            paths_below = reached * joined


def _suggest_count(design: Design, upper: TierDesign, links: int) -> str:
    """Return the hint with the lowest count of a tier that is enough, divides the uplinks and has the ports."""
    from fabricgen.design.advice.tiers import list_fitting_values

    counts = [count for count in range(FEWEST, links + 1) if links % count == 0]
    fitting = list_fitting_values(make_trials(design, upper.fabric), (*upper.path, "count"), counts, max_values=1)
    return f"set `count: {fitting[0]}` on {upper.name}" if fitting else "use more, slower uplinks to four switches"
