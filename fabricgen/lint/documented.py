"""What rules and faults have in common: a manual page and a family."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from enum import StrEnum

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
"""Prefix of codes -> the family, that is the subject."""


IMPOSSIBLE = (
    "`build` writes nothing and exits with 2, whatever its severity is set to, and `plan`, `bom`, `wiring`, `view` and "
    "`push` refuse it alike."
)
_WAIVABLE = "Waive it where you have parts for it that the catalogue does not know, such as fan-out boxes."


class ToDo(StrEnum):
    """What people do about infos of some codes, as the heading of these; in the order in which they are shown."""

    DECIDE_GROWTH = "decide how it may grow"
    WEIGH_CAPACITY = "make sure that it is meant so"
    DO_ELSEWHERE = "see that others do it"
    PLAN_RACKS = "look at racks and cables before they are ordered"
    STATE_FACTS = "state what nobody publishes, in profiles of your own"
    KNOW = "know it"


class Documented:
    """A code of findings; its text says what is claimed, why it matters, and what to do.

    `bad` and `good` are blueprint fragments merged into a small valid blueprint (lint/examples.py); in `bad`, `# <-`
    marks the line to be flagged. They serve as test, manual page and example at once.
    """

    id: str
    name: str
    """A name in PascalCase, for programs that show one."""
    severity: Severity
    to_do = ToDo.KNOW
    """Under which heading its infos are shown."""
    kind: str
    """What the code belongs to, as shown to readers: `design rule`, `fault`, ..."""
    title: str
    text: str
    """Claim, reason and remedy, with the indentation of the source."""
    bad: str
    good: str
    impossible = False
    """Whether what it finds cannot be plugged together: nothing is built then, and no setting lowers its severity."""
    refused_for = "No hands can wire it"
    """For an `impossible` code: why `build` refuses, as its manual page begins to say."""
    waivable = True
    """Whether a waiver may cover it; of `impossible` codes those that a part which the catalogue lacks could mend."""
    in_words: bool
    """Whether `bad` and `good` are prose, as what they show is not in a blueprint."""

    @property
    def family(self) -> str:
        """The subject of the code, in one word."""
        return FAMILIES[self.id[:3]]

    @property
    def about(self) -> str:
        """Claim, reason and remedy."""
        text = inspect.cleandoc(self.text)
        if not self.impossible:
            return text
        return f"{text}\n\n{self.refused_for}: {IMPOSSIBLE} {_WAIVABLE if self.waivable else 'It cannot be waived.'}"

    @property
    def examples(self) -> tuple[str, str]:
        """(example that is flagged, example that is right)."""
        return textwrap.dedent(self.bad).strip(), textwrap.dedent(self.good).strip()
