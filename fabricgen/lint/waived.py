"""Findings that are accepted."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.kernel.diagnostics import Diagnostic, Span


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding with its waiver's reason, last day (YYYY-MM-DD, or "" for none) and place."""

    finding: Diagnostic
    why: str
    until: str = ""
    place: Span | None = None

    @property
    def reason(self) -> str:
        """The reason as text, with the last day."""
        return f"{self.why} (until {self.until})" if self.until else self.why
