"""Collects the faults of redlined sheets, so that they are reported together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, fault

CODE = "FG084"

MOST_FAULTS = 50
"""The most faults that are reported; a sheet of another cluster has one in every row."""


@dataclass(slots=True)
class Faults:
    """Faults found so far."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(self, message: str, span: Span, hint: str = "") -> None:
        """Add a fault; raises InputError with all of them once there are `MOST_FAULTS`."""
        self.diagnostics.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, span))
        if len(self.diagnostics) >= MOST_FAULTS:
            last = f"{MOST_FAULTS} faults are enough: is this a sheet of another cluster, or of an older plan?"
            raise InputError(
                [*self.diagnostics, Diagnostic(CODE, Severity.ERROR, last, (), "export the sheet anew", span)]
            )

    def take(self, error: InputError, span: Span) -> None:
        """Add the diagnostics of an error, at the cell that caused it."""
        for diagnostic in error.diagnostics:
            self.add(diagnostic.message, span, diagnostic.hint)

    def check(self) -> None:
        """Raise InputError if there are faults."""
        if self.diagnostics:
            raise InputError(self.diagnostics)


def refuse(message: str, span: Span, hint: str = "") -> NoReturn:
    """Raise InputError (FG084) for a file that cannot be read at all."""
    raise fault(CODE, message, span=span, hint=hint)
