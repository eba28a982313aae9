"""The type of a problem in a config_db.json: place, value found, and what would be right."""

from __future__ import annotations

from dataclasses import dataclass

SECRET_KEYS = frozenset(("SNMP_COMMUNITY",))
"""Tables whose keys are not repeated in problems."""


SHOWN = 256
"""Characters of a value or key that are printed."""


def shorten(text: str) -> str:
    """Return a text cut at `SHOWN` characters."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A problem with a table, row or field; `found` is the value there, `wanted` what would be right.

    A problem that is not `grave` says that something could not be checked.
    """

    table: str
    key: str = ""
    field: str = ""
    found: str = ""
    wanted: str = ""
    grave: bool = True

    @property
    def place(self) -> str:
        """TABLE|key|field, as far as known."""
        return "|".join(self.shown_path)

    @property
    def path(self) -> tuple[str, ...]:
        """The keys that lead to the place in the file."""
        return tuple(part for part in (self.table, self.key, self.field) if part)

    @property
    def shown_path(self) -> tuple[str, ...]:
        """The path as it may be printed: without communities of SNMP, which are passwords, and with long keys cut."""
        return tuple("..." if part == self.key and self.table in SECRET_KEYS else shorten(part) for part in self.path)

    @property
    def hint(self) -> str:
        """What would be right, as a sentence; "" if unknown."""
        guess = not self.wanted or self.wanted.startswith(("did you mean", "known: "))
        return self.wanted if guess else f"expected {self.wanted}"

    def text(self) -> str:
        """One line: place, value found, and what would be right."""
        return f"{self.place}: {self.found}; {self.wanted}" if self.wanted else f"{self.place}: {self.found}"
