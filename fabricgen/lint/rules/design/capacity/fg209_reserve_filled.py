"""FG209: with its reserve filled, the design is narrower than it may be."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import grow_design, list_growing_pods
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule, load_design_rules

JUDGED = ("FG201", "FG203", "FG204", "FG205", "FG206", "FG207", "FG208")
"""Codes of the rules on bandwidth whose verdict may change as units are added."""


class ReserveFilled(DesignRule):
    """With the reserved scalable units there, a rule on bandwidth would object that does not object now.

    What is judged now has the units that exist. Where uplinks or switch counts are stated, or a tier serves all units,
    every unit that comes later narrows what is there: a design that is 1:1 with two units may be 6:1 with four. This
    sizes the design for all reserved units, as growth would, and holds it to FG201 (oversubscription of a tier), FG203
    and FG204 (uneven links), FG205 (end to end), FG206 (bisection), FG207 and FG208 (storage and in-band bandwidth). It
    is information: nothing is wrong until the units come, but uplinks are cheap only before the hall is cabled.

    State what growth needs now, add a tier, or lower the reserve.
    """

    severity = Severity.INFO
    to_do = ToDo.DECIDE_GROWTH
    bad = """
        pods: {p1: {su: 2, reserve: 8}}
        fabrics:
          inband:
            protocol: ethernet
            attach: inband
            tiers:
              leaf: {switch: sn5600, per: rail, uplinks: 8 x 400G}  # <-
              spine: {switch: sn5600, count: 2}
    """
    good = """
        pods: {p1: {su: 2, reserve: 8}}
        fabrics:
          inband:
            protocol: ethernet
            attach: inband
            tiers:
              leaf: {switch: sn5600, per: rail, uplinks: 32 x 400G}
              spine: {switch: sn5600, count: 2}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag what the rules on bandwidth find in the design as grown to its reserve and not in the design
        as it is.
        """
        pods = list_growing_pods(design)
        if not pods:
            return
        units = sum(pod.slots * pod.count for pod in pods.values())
        when = f"when the reserve of {', '.join(pods)} is filled ({units} units)"
        rules = {rule.id: rule for rule in load_design_rules()}
        try:
            grown_design = grow_design(design)
        except InputError as error:
            if not any(rules["FG106"].check(design)):  # FG106 names the tiers that are too small
                refusal = error.diagnostics[0]
                hint = refusal.hint or "state what growth needs now, or lower `reserve`"
                yield self.flag(refusal.path, f"{when}, the cluster cannot be wired: {refusal.message}", hint)
            return
        for rule in map(rules.__getitem__, JUDGED):
            future_findings = list(rule.check(grown_design))
            present_paths = {finding.path for finding in rule.check(design)} if future_findings else set()
            for finding in (finding for finding in future_findings if finding.path not in present_paths):
                yield self.flag(finding.path, f"{when}: {finding.message}", finding.hint)
