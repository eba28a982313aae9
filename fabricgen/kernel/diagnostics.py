"""Diagnostics: what is wrong, where, and what would be right."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal, NamedTuple, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""A place in a blueprint: the keys and list indexes that lead to it."""


USER_OF_URL = re.compile(r"(://)([^\s/@'\"]+)(?=@)")
"""The user in a URL, often with a password."""

LONGEST_TEXT = 4000
"""The most characters of a message, or of a hint."""


class Severity(IntEnum):
    """How bad a finding is; compares by gravity."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The word users read and write: `info`, `warning` or `error`."""
        return self.name.lower()

    @classmethod
    def parse(cls, text: str) -> Severity:
        """Return the severity of the word `info`, `warning` or `error`. Raises KeyError for another word."""
        return cls[text.upper()]


class Span(NamedTuple):
    """A stretch of a file; line and column count from 1, the end column is exclusive.

    Both ends are 0 if only the start is known.
    """

    file: str
    line: int
    column: int
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Edit(NamedTuple):
    """A change of a blueprint that is certain to be right.

    `remove` deletes the key or list item at `path`, and whatever becomes empty above it; `rename` gives the key another
    name, `text`; `set` replaces the value by the YAML `text`; `insert` puts the key that ends `path`, with the YAML
    `text` as its value, first into its mapping.
    """

    kind: Literal["remove", "rename", "set", "insert"]
    path: Path
    text: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: what is wrong, where, how grave it is, and what would be right.

    `path` is its place in the blueprint, as keys and indexes. `span` is its place in a file, which is often added later
    (`place_at`).
    """

    code: str
    severity: Severity
    message: str
    path: Path = ()
    hint: str = ""
    span: Span | None = None
    fix: tuple[Edit, ...] = ()
    """Its repair, if only one is right."""

    def __post_init__(self) -> None:
        """Cut long texts, which may repeat anything that somebody wrote, and hide the password of a URL in them."""
        for name in ("message", "hint"):
            text = getattr(self, name)
            if isinstance(text, str) and "://" in text and "@" in text:
                object.__setattr__(self, name, text := USER_OF_URL.sub(r"\1***", text))
            if isinstance(text, str) and len(text) > LONGEST_TEXT:  # a plug-in may have made it of anything
                object.__setattr__(
                    self, name, f"{text[:LONGEST_TEXT]}... and {len(text) - LONGEST_TEXT:,} characters more"
                )

    def place_at(self, span: Span | None, hint: str | None = None) -> Diagnostic:
        """Return this finding with a place in a file, and with another hint if one is given."""
        return replace(self, span=span, hint=self.hint if hint is None else hint)

    def text(self) -> str:
        """Return the finding as `file:line:col: error[CODE]: message`, with the hint on a line of its own."""
        place = f"{make_printable(str(self.span))}: " if self.span else ""
        hint = f"\n  hint: {make_printable(self.hint)}" if self.hint else ""
        return f"{place}{self.severity.label}[{self.code}]: {make_printable(self.message)}{hint}"


def make_printable(text: str) -> str:
    """Return text with its control characters spelled out, so that no input can forge a line of output."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class InputError(Exception):
    """The exception for all faults of users' input, raised at the borders of stages with all findings at once."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(d.text() for d in self.diagnostics))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Diagnostic, ...]]]:
        """Return how pickle makes the exception anew, from its diagnostics alone: worker processes send it back
        pickled.
        """
        return type(self), (self.diagnostics,)


def fault(code: str, message: str, *, path: Path = (), hint: str = "", span: Span | None = None) -> InputError:
    """Return an InputError with a single finding, an error."""
    return InputError([Diagnostic(code, Severity.ERROR, message, path, hint, span)])


CLOSE, CLOSER = 0.6, 0.75
"""The likeness (difflib's ratio) from which one word may be a slip for another: `qm9799` for `qm9700` (0.67), not
`rack` for `rail` (0.5); and that for words which begin differently: `junos` (0.67) is no slip for `nvos`, `eaf` (0.86)
is one for `leaf`."""


def find_nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the valid name that was most likely meant by `word`; None if none is close.

    It is the only one that has `word` between its hyphens (`b200` in `dgx-b200`), else the one that is spelled most
    alike.
    """
    import difflib

    # backwards, so that of names that differ in case alone the first one stays
    names = {name.lower(): name for name in sorted(candidates, reverse=True)}
    lower = word.lower()
    holding = [name for name in names if lower in name.split("-")]
    if len(holding) == 1:
        return names[holding[0]]
    close = difflib.get_close_matches(lower, names, n=3, cutoff=CLOSE)
    closer = difflib.get_close_matches(lower, names, n=1, cutoff=CLOSER)
    # people seldom mistype the first letter: with another one a name has to be closer
    return next((names[name] for name in close if name[:1] == lower[:1] or name in closer), None)


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return a hint with the valid name that was meant, if one is close, and with all names if they are few or none
    is close.
    """
    names = sorted(set(candidates))
    closest = find_nearest(word, names)
    parts = [f"did you mean '{closest}'?"] if closest else []
    if names and (len(names) <= 12 or not closest):
        listed = ", ".join(names[:24]) + (", ..." if len(names) > 24 else "")
        parts.append(f"known: {listed}")
    return " ".join(parts)


# Names under which people write secrets, spelled right or not, so that messages do not repeat the value.

SECRET = "pas+w|pas+phr|pwd|secret|auth|priv|community|token"  # noqa: S105 - a pattern
"""A regular expression for parts of keys whose values are secrets."""

_SECRET_KEY = re.compile(f"(?i){SECRET}|^(cak|key|users|aaa|snmp)$")


def may_be_secret(path: Iterable[object]) -> bool:
    """Whether somebody may have written a secret at a path, judged by the names on the path, spelled right or not."""
    return any(isinstance(step, str) and _SECRET_KEY.search(step) for step in path)
