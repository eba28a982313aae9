"""What is wrong with a cable, its modules or its ports, before it is put together as actions."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabricgen.verify.actions import Kind

BEGINNING = "cable "
"""How the text of an action on modules or ports begins, by which one of kind `port` is told from others."""


def is_of_optics(kind: str, text: str) -> bool:
    """Whether a finding of a report is on modules or ports, so that only --optics can tell what became of it."""
    return kind == Kind.OPTIC.value or (kind == Kind.PORT.value and text.startswith(BEGINNING))


WHOLE = float("inf")
"""As `lost_gbps`: all that a link has."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: `ports` where (planned ports, at least one), `text` a sentence without its full stop.

    `lost_gbps` is what each of their links lacks because of it, at most its speed.
    """

    kind: Kind
    ports: tuple[int, ...]
    text: str
    lost_gbps: float = 0.0


@dataclass
class Findings:
    """All that is wrong, and what is worth a note: texts with the places that each holds for."""

    found: list[Finding] = field(default_factory=list)
    noted: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: Kind, ports: tuple[int, ...], text: str, lost_gbps: float = 0.0) -> None:
        """Add a fault."""
        self.found.append(Finding(kind, ports, text, lost_gbps))

    def note(self, text: str, place: str) -> None:
        """Note something that holds for a place."""
        self.noted.setdefault(text, []).append(place)
