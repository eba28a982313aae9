"""FG204: node ports do not divide evenly over the stated count of switches."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.advice.trials import count_node_slots
from fabricgen.design.build import make_trials
from fabricgen.design.capacity.counts import make_slot_table
from fabricgen.design.fabric_model import NodeFeed, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.capacity.fg203_uneven_uplinks import list_nearest_divisors


class UnevenLeaves(DesignRule):
    """Some switches of a group take more node ports than others, because the stated `count` does not divide the ports.

    The fuller switches are more oversubscribed than their neighbours, and a lockstep job runs at the pace of the
    fullest. State a count that divides the node ports of a group, or leave it out: sizing then finds one.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su, count: 3},  # <-
          spine: {switch: sn5600, count: 4}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su, count: 4},
          spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated counts by which the node ports of a group do not divide, and name the nearest counts that do
        divide.
        """
        for fabric, leaf in ((f, leaf) for f in design.fabrics for leaf in design.list_leaf_tiers(f)):
            if not design.loaded.blueprint.fabrics[leaf.fabric].tiers[leaf.name].count:
                continue
            for feed, slots in zip(fabric.feeds_of(leaf.key), count_node_slots(fabric, leaf), strict=True):
                if slots % leaf.count:
                    from fabricgen.design.advice.tiers import list_fitting_values

                    path, divisors = (*leaf.path, "count"), list_nearest_divisors(slots, leaf.count)
                    emptiest, *_, fullest = _count_used_ports(design, leaf, feed, slots)
                    fitting = list_fitting_values(make_trials(design, leaf.fabric), path, divisors)
                    yield self.flag(
                        path,
                        f"{slots} node ports of {fabric.name} do not divide evenly over {leaf.count} {leaf.name} "
                        f"switches: the fullest takes {fullest}, the emptiest {emptiest}",
                        f"counts that divide evenly and fit: {', '.join(fitting)}" if fitting else "leave `count` out",
                    )


def _count_used_ports(design: Design, leaf: TierDesign, feed: NodeFeed, slots: int) -> list[int]:
    """Return how many node ports each switch of the fullest group has, in ascending order."""
    if not feed.by_slot or leaf.for_reserve:
        return sorted(feed.list_used_ports(slots, leaf.count))
    groups = make_slot_table(design, feed).groups
    counts = [sorted(sum(map(len, ports)) for ports in feed.list_port_ranges(runs, leaf.count)) for runs in groups]
    return max(counts, key=lambda counts_of_group: counts_of_group[-1])
