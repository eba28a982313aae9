"""FG812: a waiver covers what another one covers already."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.lint_settings import Waiver
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Severity
from fabricgen.lint.rule import DesignRule


class WaiversOverlap(DesignRule):
    """Two waivers of one rule cover the same place, and the wider one lasts at least as long.

    The narrower one never takes effect: whoever removes it, or lets it expire, expects the finding to return.
    Remove one of them.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {spine: {switch: sn5600, count: 2}}}}
        lint:
          waive:
            - {rule: FG303, why: a pilot of one year}
            - {rule: FG303, at: fabrics/compute, why: spines are late}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {spine: {switch: sn5600, count: 2}}}}
        lint: {waive: [{rule: FG303, at: fabrics/compute, why: spines are late}]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag each waiver that another one covers; of two that cover each other, the later is flagged."""
        waivers = design.loaded.blueprint.lint.waive
        for i, waiver in enumerate(waivers):
            for j, other in enumerate(waivers):
                covers_other = _is_within(other, waiver)
                if i != j and _is_within(waiver, other) and not (covers_other and i < j):
                    path = ("lint", "waive", i)
                    message = f"the waiver of {waiver.rule} at '{other.at or 'everywhere'}' already covers this one"
                    fix = [Edit("remove", path)] if waiver == other else []  # another `why` is another reason
                    yield self.flag(path, message, "remove one of them", fix)
                    break


def _is_within(narrow: Waiver, wide: Waiver) -> bool:
    """Whether the waiver `wide` covers everything that `narrow` covers, and lasts at least as long."""
    is_inside = narrow.rule == wide.rule and narrow.place[: len(wide.place)] == wide.place
    return is_inside and (wide.until is None or (narrow.until is not None and narrow.until <= wide.until))
