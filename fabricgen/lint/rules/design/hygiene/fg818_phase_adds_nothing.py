"""FG818: a phase adds nothing to the one before it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fabricgen.design.model import Design
from fabricgen.design.phase_selection import select_phase
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class PhaseAddsNothing(DesignRule):
    """Two phases in turn have the same devices: what one of them was to leave out is there, or nothing is to come.

    Most often a key has been forgotten: what a phase does not name, all of that is there. State what is left out, or
    remove one of the two.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        phases:
          now: {pods: [p1]}
          later: {}  # <-
    """
    good = """
        pods: {p1: {su: 2}}
        phases:
          now: {units: {p1: 1}}
          later: {}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag phases that select the same as the phase before."""
        for before, name in pairwise(design.loaded.blueprint.phases):
            if select_phase(design, before) == select_phase(design, name):
                hint = f"state what is not there at '{before}', or remove one of the two"
                yield self.flag(("phases", name), f"phase '{name}' adds nothing to '{before}'", hint)
