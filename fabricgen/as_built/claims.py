"""What redlined sheets claim of cables, merged over all lines: several lines may be of one cable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from fabricgen.as_built.faults import CODE, Faults
from fabricgen.as_built.matching import EndPair, Matcher, NotPlanned
from fabricgen.as_built.sheet import HAND, Line, read_lines
from fabricgen.blueprint.sections.cable_overrides import LONGEST_M, MAX_NOTE
from fabricgen.cable_overrides.cage_resolver import split_plug
from fabricgen.cable_overrides.ends import CableEnd
from fabricgen.kernel.diagnostics import InputError, Span, fault

# Parses the cells that the technician fills in: status, built length and remark.

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
        """The status as reports write it: its name in small letters."""
        return self.name.lower()


def read_status(line: Line, faults: Faults) -> Status:
    """Return the status in the check-off column; an unknown word is a fault, and counts as open."""
    word = line["done"].lower()
    for status, words in ((Status.OPEN, _OPEN), (Status.DONE, _DONE), (Status.FAULTY, _FAULTY)):
        if word in words:
            return status
    faults.add(f"'{line['done']}' is neither done nor fault", line.span("done"), "write x, fault, or nothing")
    return Status.OPEN


def read_length(line: Line, faults: Faults) -> float | None:
    """Return the built length, m; None for an empty cell, and for a wrong one, which is added to `faults`."""
    text = line["built_length_m"]
    if not text:
        return None
    match = _LENGTH.fullmatch(text)
    length = round(float(f"{match[1]}.{match[2] or match[3] or 0}"), 3) if match else 0.0
    if not 0 < length <= LONGEST_M:
        faults.add(f"'{text}' is no length", line.span("built_length_m"), "write metres, such as 12.5")
        return None
    return length


def read_note(line: Line, faults: Faults) -> str:
    """Return the remark as one line of text; "" for none, and for a wrong one, which is added to `faults`."""
    text = " ".join(line["remark"].split())
    if any(ord(c) < 32 or ord(c) == 127 for c in text):
        faults.add("the remark has control characters", line.span("remark"), "type it again")
        return ""
    if len(text) > MAX_NOTE:
        faults.add(f"the remark has {len(text)} characters", line.span("remark"), f"{MAX_NOTE} are the most")
        return ""
    return text


class Subject(NamedTuple):
    """The subject of a claim: the row of a cable, a field of its override such as `a_cage`, and the key of the end,
    `DEVICE:CAGE`; "" for the whole cable, and for the only end of a side.
    """

    cable: int
    field: str
    key: str = ""


class Claim(NamedTuple):
    """A claimed value in the form of overrides (None: as planned), the text of the cell, and its position."""

    value: Any
    text: str
    span: Span


class Outdated(NamedTuple):
    """A line of an older plan: its cable, what is written by hand, what became of the cable, and where that is told."""

    cable: str
    written: Mapping[str, str]
    became: str
    span: Span

    @property
    def redlined(self) -> bool:
        """Whether anything is written by hand in the line other than its check-off (`done`)."""
        return bool(self.written.keys() - {"done"})


@dataclass(slots=True)
class Claims:
    """All claims of the sheets; cables are rows of the cable table."""

    claims: dict[Subject, Claim] = field(default_factory=dict)
    status: dict[int, dict[tuple[str, str, str], Status]] = field(default_factory=dict)
    """The status of each pair of ends, of a cable through panels of the jumper at each of them, by listed cable."""
    faulty: dict[int, tuple[str, Span]] = field(default_factory=dict)
    """(remark, position) of the first line that reports a cable as faulty."""
    outdated: list[Outdated] = field(default_factory=list)

    def status_of(self, cable: int) -> Status:
        """Return the status of a listed cable: faulty if one of its lines is, and done if all of its ends are."""
        statuses = self.status[cable].values()
        return Status.FAULTY if Status.FAULTY in statuses else min(statuses)


def gather_claims(files: Sequence[str], matcher: Matcher, faults: Faults) -> Claims:
    """Return the claims of all lines of the sheets; raises InputError for files that cannot be read.

    Lines with the same claim are merged, remarks are joined; contradictions and wrong cells are added to `faults`.
    Lines of an older plan are left out, unless a file has no other.
    """
    claims = Claims()
    for file in files:
        older, is_current = list[tuple[Line, NotPlanned]](), False
        for line in read_lines((file,), faults):
            try:
                pair = matcher.find_end_pair(line)
            except NotPlanned as unfit:
                # perhaps a sheet of an older plan: its lines are told only once it is known whether any line is of this
                # one
                older.append((line, unfit))
                continue
            is_current = True
            _add_status(line, pair, matcher.list_jumper_ends(line, pair.cable), claims, faults)
            _add_cages(line, pair, matcher, claims, faults)
            _add_length(line, pair, matcher, claims, faults)
            _add_note(line, pair, claims, faults)
        for line, why in older:
            if is_current:
                claims.outdated.append(_make_outdated(line, why))
            else:
                faults.add(str(why), line.span(why.column), why.hint)
    return claims


def _make_outdated(line: Line, why: NotPlanned) -> Outdated:
    written = {column: line[column] for column in HAND if line[column]}
    return Outdated(line["cable"], written, why.became, line.span(why.column))


def _add_status(line: Line, pair: EndPair, at_ends: str, claims: Claims, faults: Faults) -> None:
    # add the status of a line to each jumper between its ends; of several lines the worst counts
    cable_status = claims.status.setdefault(pair.cable, {})
    status = read_status(line, faults)
    for a, b in pair.jumpers:
        for word in at_ends or " ":
            key = f"{a.place}.{a.connector}", f"{b.place}.{b.connector}", word
            cable_status[key] = max(cable_status.get(key, Status.OPEN), status)
    if status is Status.FAULTY:
        claims.faulty.setdefault(pair.cable, (line["remark"], line.span("done")))


def _add_cages(line: Line, pair: EndPair, matcher: Matcher, claims: Claims, faults: Faults) -> None:
    # add the built cages of a line's ends as claims, at each side; a cage as planned claims that it is (None)
    for ends in zip(*pair.jumpers, strict=True):
        column = f"built_{ends[0].word}_cage"
        if not line[column]:
            continue
        try:
            positions = [
                matcher.find_position(_on_device(text, line[f"{end.word}_device"], end), end)
                for text, end in zip(list_plugs(line[column], ends), ends, strict=True)
            ]
        except InputError as error:
            faults.take(error, line.span(column))
            continue
        for position, end in zip(positions, ends, strict=True):
            value = None if position == matcher.find_planned_position(end) else matcher.format_position(position, end)
            subject = Subject(pair.cable, f"{end.word}_cage", matcher.find_override_key(end, pair.cable))
            _add_claim(
                subject, Claim(value, line[column], line.span(column)), f"{column} of {_name_end(end)}", claims, faults
            )


def list_plugs(text: str, ends: Sequence[CableEnd]) -> list[str]:
    """Return where the plug of each jumper of a line is, as its cell says: `41`, `41/1+2`, `41/2+1` or `40/1+41/1`.

    The result has a text for each of `ends`, one a jumper: `41/1+2` gives `41/1` and `41/2`. A cage alone holds for all
    jumpers, each in the connector that it is planned in. Raises InputError (FG084) for a cell with fewer or more
    connectors than there are jumpers.
    """
    device, colon, places = text.strip().rpartition(":")
    cages = [part.strip() for part in places.split("+")]
    # a cage without a connector: each jumper stays in its own one
    if len(ends) == 1 or (len(cages) == 1 and split_plug(cages[0])[1] is None):
        return [text] * len(ends)
    first, _, _ = cages[0].rpartition("/")
    if len(cages) != len(ends):
        listed = " and ".join(f"{end.cage}/{end.connector + 1}" for end in ends)
        crossed = "+".join(str(end.connector + 1) for end in reversed(ends))
        hint = f"write a connector for each, in this order: {ends[0].cage}/{crossed} where they are crossed"
        raise fault(CODE, f"'{text}' is no place of {len(ends)} jumpers, {listed}", hint=hint)
    return [f"{device}{colon}{cage if '/' in cage or '.' in cage else f'{first}/{cage}'}" for cage in cages]


def _on_device(cage: str, device: str, end: CableEnd) -> str:
    """Return a cage as it is written or, if the line names another device than the planned one of the end, with that
    device.

    `14` becomes `leaf-02:14` then, unless it has a device already.
    """
    return cage if ":" in cage or device == end.name else f"{device}:{cage}"


def _name_end(end: CableEnd) -> str:
    return f"the end planned at {end.place}"


def _add_length(line: Line, pair: EndPair, matcher: Matcher, claims: Claims, faults: Faults) -> None:
    # add the built length of a line as a claim; a length as planned claims that it is (None)
    length = read_length(line, faults)
    if length is not None:
        planned = float(matcher.cables.plan.cables.length_m[pair.cable])
        claim = Claim(None if length == planned else length, line["built_length_m"], line.span("built_length_m"))
        _add_claim(Subject(pair.cable, "length_m"), claim, f"built_length_m of {line['cable']}", claims, faults)


def _add_note(line: Line, pair: EndPair, claims: Claims, faults: Faults) -> None:
    """Add the remark of a line to those of earlier lines."""
    note, subject = read_note(line, faults), Subject(pair.cable, "note")
    if not note:
        return
    before = claims.claims.get(subject)
    parts = [*(before.value.split("; ") if before else ()), *note.split("; ")]
    joined = "; ".join(dict.fromkeys(parts))
    if len(joined) > MAX_NOTE:
        faults.add(f"the remarks of {line['cable']} together have more than {MAX_NOTE} characters", line.span("remark"))
    else:
        claims.claims[subject] = Claim(joined, note, line.span("remark"))


def _add_claim(subject: Subject, claim: Claim, subject_text: str, claims: Claims, faults: Faults) -> None:
    # add a claim, or the fault that an earlier line claims otherwise of the same subject
    earlier = claims.claims.setdefault(subject, claim)
    if earlier.value != claim.value:
        message = f"{subject_text} is '{claim.text}' here and '{earlier.text}' at {earlier.span}"
        faults.add(message, claim.span, "look at the cable again, and correct one of the two")
