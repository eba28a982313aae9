"""What every code has, be it of a rule or of a fault: a page of its own, and a family."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping

from fabricgen.kernel.diagnostics import Severity

FAMILIES: Mapping[str, str] = {
    "FG0": "input",
    "FG1": "capacity",
    "FG2": "oversubscription",
    "FG3": "topology",
    "FG4": "failure",
    "FG5": "addressing",
    "FG6": "physical",
    "FG7": "configuration",
    "FG8": "hygiene",
    "FG9": "check",
}
"""What codes are about, by how they begin."""


class Documented:
    """A code that findings carry; its text says what it claims, why it matters, and what to do.

    `bad` and `good` are blueprint fragments laid over a small valid blueprint (lint/examples.py); in `bad`, `# <-`
    marks the line that must be flagged. They are the test of the code, its manual page and its example at once.
    """

    id: str
    name: str
    """A name for programs that show one, in PascalCase."""
    severity: Severity
    kind: str
    """What stands behind the code, as readers are told."""
    title: str
    text: str
    """Claim, reason and remedy, indented as the source is."""
    bad: str
    good: str
    in_words: bool
    """Whether `bad` and `good` are no blueprints, since what they show lies outside of one."""

    @property
    def family(self) -> str:
        """What the code is about, in one word."""
        return FAMILIES[self.id[:3]]

    @property
    def about(self) -> str:
        """Claim, reason and remedy."""
        return inspect.cleandoc(self.text)

    @property
    def examples(self) -> tuple[str, str]:
        """What is flagged, and what is right."""
        return textwrap.dedent(self.bad).strip(), textwrap.dedent(self.good).strip()
