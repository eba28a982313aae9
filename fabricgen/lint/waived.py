"""A finding that is accepted."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.kernel.diagnostics import Diagnostic, Span


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that a waiver covers: its reason, its last day (YYYY-MM-DD, or "" for none) and its place."""

    finding: Diagnostic
    why: str
    until: str = ""
    place: Span | None = None

    @property
    def reason(self) -> str:
        """The reason in words, with the day."""
        return f"{self.why} (until {self.until})" if self.until else self.why
