"""What was judged and what is wrong with it, in the words of whoever judged and in no format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.kernel.diagnostics import Severity, Span


class Finding(NamedTuple):
    """What is wrong with one thing, from few words to all there is to say: a title, a message of one line, its `lines`
    in brief (none: the message alone), and all `details`.

    `kind` is a word for it; `span` the place in a file that can be opened, or with line 0 all of that file.
    """

    severity: Severity
    title: str
    message: str
    lines: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    kind: str = ""
    span: Span | None = None


class Case(NamedTuple):
    """One thing that was looked at: its name, what is wrong with it, and why it does not count ("": it does)."""

    name: str
    findings: Sequence[Finding] = ()
    skipped: str = ""


class Suite(NamedTuple):
    """Cases that belong together; none is a case without findings.

    If it is not `usable`, findings say why it could not be judged. `kind` is what its cases are ("": the suite is
    that), `may_skip` whether some may not count.
    """

    name: str
    cases: Sequence[Case]
    usable: bool = True
    kind: str = ""
    may_skip: bool = True


class Judgement(NamedTuple):
    """What a command judged, in suites, and what it found, the gravest first where that is known."""

    name: str
    findings: Sequence[Finding]
    suites: Sequence[Suite]


def make_relative_path(file: str) -> str | None:
    """Path of a file relative to the current folder, with slashes; None where it is outside."""
    path = os.path.relpath(file).replace(os.sep, "/")
    return None if path == ".." or path.startswith("../") else path
