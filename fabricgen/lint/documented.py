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
"""The subject of each family of codes, by their prefix."""

IMPOSSIBLE = (
    "`build` writes nothing and exits with 2, whatever its severity is set to, and `plan`, `bom`, `wiring`, `view` and "
    "`push` refuse it alike."
)
_WAIVABLE = "Waive it where you have parts for it that the catalogue does not know, such as fan-out boxes."


class ToDo(StrEnum):
    """Headings under which text reports list infos, in their order: what a reader is to do about the infos below."""

    DECIDE_GROWTH = "decide how it may grow"
    WEIGH_CAPACITY = "make sure that it is meant so"
    DO_ELSEWHERE = "see that others do it"
    PLAN_RACKS = "look at racks and cables before they are ordered"
    STATE_FACTS = "state what nobody publishes, in profiles of your own"
    KNOW = "know it"


class Documented:
    """A code of findings with its manual page, which says what the code claims, why it matters, and what to do.

    `bad` and `good` are fragments laid over a small valid blueprint (lint/examples.py). In `bad`, `# <-` ends the line
    that must be flagged. Both are shown on the manual page, and tests lint them.
    """

    id: str
    name: str
    """A name in PascalCase, for programs that show one."""
    severity: Severity
    to_do = ToDo.KNOW
    """The heading under which text reports list infos of this code."""
    kind: str
    """What raises the code, as shown to readers: `design rule`, `plan rule`, `fault`, ..."""
    title: str
    text: str
    """Claim, reason and remedy, with the indentation of the source."""
    bad: str
    good: str
    impossible = False
    """Whether a finding means that the cluster cannot be plugged together: `build` refuses it then, and no setting
    lowers its severity."""
    refused_for = "No hands can wire it"
    """Why `build` refuses what an `impossible` code finds: the beginning of a sentence of the manual page."""
    waivable = True
    """Whether waivers may cover findings of this code; for an `impossible` code, whether a part that the catalogue
    lacks could mend it."""
    in_words: bool
    """Whether `bad` and `good` are prose, because what they show is not stated in a blueprint."""

    @property
    def family(self) -> str:
        """The subject of the code in one word, which follows from its first three letters, such as `FG3`."""
        return FAMILIES[self.id[:3]]

    @property
    def about(self) -> str:
        """The text of the manual page: claim, reason, remedy, and that `build` refuses what an `impossible`
        code finds.
        """
        text = inspect.cleandoc(self.text)
        if not self.impossible:
            return text
        return f"{text}\n\n{self.refused_for}: {IMPOSSIBLE} {_WAIVABLE if self.waivable else 'It cannot be waived.'}"

    @property
    def examples(self) -> tuple[str, str]:
        """(the example that is flagged, the example that is right), without indentation."""
        return textwrap.dedent(self.bad).strip(), textwrap.dedent(self.good).strip()
