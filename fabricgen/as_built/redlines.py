"""Parses the cells that the technician fills in: status, built length and remark."""

from __future__ import annotations

import re
from enum import IntEnum

from fabricgen.as_built.faults import Faults
from fabricgen.as_built.lines import Line
from fabricgen.blueprint.sections.cable_overrides import LONGEST_M, MAX_NOTE

_DONE = frozenset(("x", "y", "yes", "ok", "done", "true", "1", "✓", "✔", "☑"))
_OPEN = frozenset(("", "n", "no", "open", "false", "0", "-", "☐"))
_FAULTY = frozenset(("fault", "faulty", "bad", "broken", "failed", "fail", "nok", "☒"))

_LENGTH = re.compile(r"(\d{1,7})(?:\.(\d{1,15})|,(\d{1,2}))?\s*m?", re.ASCII | re.IGNORECASE)
"""Metres; 12,5 is read as 12.5, but 1,500 is refused as ambiguous."""


class Status(IntEnum):
    """The status of a cable; where lines of one end differ, the greater one holds."""

    OPEN = 0
    DONE = 1
    FAULTY = 2

    @property
    def word(self) -> str:
        """The status in reports."""
        return self.name.lower()


def status_of(line: Line, faults: Faults) -> Status:
    """The status in the check-off column; an unknown word is a fault."""
    word = line["done"].lower()
    for status, words in ((Status.OPEN, _OPEN), (Status.DONE, _DONE), (Status.FAULTY, _FAULTY)):
        if word in words:
            return status
    faults.add(f"'{line['done']}' is neither done nor fault", line.span("done"), "write x, fault, or nothing")
    return Status.OPEN


def length_of(line: Line, faults: Faults) -> float | None:
    """The built length, m; None for an empty or faulty cell."""
    text = line["built_length_m"]
    if not text:
        return None
    match = _LENGTH.fullmatch(text)
    length = round(float(f"{match[1]}.{match[2] or match[3] or 0}"), 3) if match else 0.0
    if not 0 < length <= LONGEST_M:
        faults.add(f"'{text}' is no length", line.span("built_length_m"), "write metres, such as 12.5")
        return None
    return length


def note_of(line: Line, faults: Faults) -> str:
    """The remark as one line of text; "" for a faulty one."""
    text = " ".join(line["remark"].split())
    if any(ord(c) < 32 or ord(c) == 127 for c in text):
        faults.add("the remark has control characters", line.span("remark"), "type it again")
        return ""
    if len(text) > MAX_NOTE:
        faults.add(f"the remark has {len(text)} characters", line.span("remark"), f"{MAX_NOTE} are the most")
        return ""
    return text
