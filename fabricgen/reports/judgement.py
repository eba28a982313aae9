"""What a command judged and what is wrong with it, in its own words and in no format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.kernel.diagnostics import Severity, Span


class Finding(NamedTuple):
    """What is wrong with one thing, in several lengths.

    `message` is one line; `lines` are a brief text (if empty, the message stands for it), `details` the whole text.
    `kind` is a word for the finding. `span` is its place in a file that can be opened; line 0 means the whole file.
    """

    severity: Severity
    title: str
    message: str
    lines: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    kind: str = ""
    span: Span | None = None


class Case(NamedTuple):
    """One thing that was judged: its name, what is wrong with it, and why it was skipped ("" if it was not)."""

    name: str
    findings: Sequence[Finding] = ()
    skipped: str = ""


class Suite(NamedTuple):
    """Cases that belong together; a suite without cases counts as one passed case.

    If it is not `usable`, its findings say why it could not be judged. `kind` is the class name of its cases ("": the
    name of the suite); `may_skip` says whether cases may be skipped.
    """

    name: str
    cases: Sequence[Case]
    usable: bool = True
    kind: str = ""
    may_skip: bool = True


class Judgement(NamedTuple):
    """What a command judged, in suites, and all findings, the gravest first if the command sorts them.

    `name` is the command: `fabricgen lint`.
    """

    name: str
    findings: Sequence[Finding]
    suites: Sequence[Suite]


def make_relative_path(file: str) -> str | None:
    """Return the path of a file relative to the current folder, with slashes; None if it is outside of it."""
    path = os.path.relpath(file).replace(os.sep, "/")
    return None if path == ".." or path.startswith("../") else path
