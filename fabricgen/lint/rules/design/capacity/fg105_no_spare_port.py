"""FG105: a lowest tier has no spare port."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import make_trials
from fabricgen.design.capacity.reserved import count_spare_ports
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.after_loss import name_further_tiers


class NoSparePort(DesignRule):
    """A lowest tier uses every port: a broken port cannot be replaced by a spare one, and nothing can be added.

    Operators usually keep a few ports of each leaf free; otherwise a failed cage costs a node until the switch is
    replaced. Published SuperPODs fill their leaves, so this is only information. Where it matters, use a larger
    switch or attach fewer nodes to each leaf. One finding names all tiers. Where the count of leaves is derived and
    rests on the last port, so that a switch with one port less would take twice as many, it says so. Where
    `lint.limits.spare_ports` is set, FG118 judges instead.
    """

    severity = Severity.INFO
    to_do = ToDo.DECIDE_GROWTH
    bad = """
        scalable_unit: {nodes: 64 x dgx-b200}
        pods: {p1: {su: 1}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]}  # <-
        }}}
    """
    good = """
        scalable_unit: {nodes: 60 x dgx-b200}
        pods: {p1: {su: 1}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag the lowest tiers that carry nodes and have no spare port, unless a limit on spare ports is stated."""
        if design.loaded.limits.spare_ports is not None:
            return
        full_tiers = [leaf for leaf in design.tiers if leaf.lowest and leaf.downs and not count_spare_ports(leaf)]
        if full_tiers:
            leaf, *further = full_tiers
            up = f"{leaf.up.count} up, " if leaf.up else ""
            yield self.flag(
                leaf.path,
                f"{leaf.fabric} {leaf.name} {leaf.profile.id} uses all its ports: {leaf.down_text} down, {up}"
                f"no spare{name_further_tiers(further)}{_describe_last_port(design, full_tiers)}",
            )


def _describe_last_port(design: Design, full_tiers: list[TierDesign]) -> str:
    """Return the words on tiers whose derived count would double if each switch had one port less; "" if none would."""
    texts = []
    for leaf in full_tiers:
        if not design.loaded.blueprint.fabrics[leaf.fabric].tiers[leaf.name].count:
            trial = make_trials(design, leaf.fabric).size_with_one_port_less(leaf.key)
            if trial and trial.switches >= 2 * leaf.switches:
                texts.append(f"{trial.switches:,} {leaf.text} switches instead of {leaf.switches:,}")
    return f"; with one port less on each it would be {' and '.join(texts)}" if texts else ""
