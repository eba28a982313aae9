"""Making the repairs that findings carry; a change is kept when the blueprint then reads as it should and is judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, InputError
from fabricgen.kernel.edits import UncertainEditError, applied, edited, replacements
from fabricgen.kernel.text_input import decode
from fabricgen.lint.engine import LintResult

ROUNDS = 100
"""Most times that a blueprint is judged again."""

_MARK = b"\xef\xbb\xbf"

Judge = Callable[[Mapping[str, bytes]], tuple[Design, LintResult]]
"""Judges a blueprint with unsaved contents of its files."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What is left, what is mended, and the files that changed: their names, contents before and after."""

    design: Design
    result: LintResult
    mended: tuple[Diagnostic, ...]
    files: Mapping[str, tuple[bytes, bytes]]


def repair(judge: Judge) -> Repaired:
    """Mend what has a certain repair; nothing is written. Raises InputError where the blueprint cannot be used.

    All repairs are tried at once, then each for itself: one is dropped when the text cannot take it without another
    change, or when the blueprint is not usable with it.
    """
    unsaved: dict[str, bytes] = {}
    mended: list[Diagnostic] = []
    design, result = judge(unsaved)
    tries = _tries(result)
    for _ in range(ROUNDS):
        if not tries:
            break
        batch = tries.pop(0)
        contents = _mended(design, unsaved, [edit for finding in batch for edit in finding.fix])
        after = _judged(judge, design, batch, contents) if contents else None
        if contents and after and _fixable(after[1]) < _fixable(result):
            unsaved, (design, result) = contents, after
            mended += batch
            tries = _tries(result)
    before = {file: Path(file).read_bytes() for file in unsaved}
    changed = {file: (before[file], unsaved[file]) for file in sorted(unsaved) if before[file] != unsaved[file]}
    return Repaired(design, result, tuple(mended), changed)


def _tries(result: LintResult) -> list[list[Diagnostic]]:
    each = [[finding] for finding in result.findings if finding.fix]
    return [[finding for one in each for finding in one], *each] if len(each) > 1 else each


def _fixable(result: LintResult) -> int:
    return sum(bool(finding.fix) for finding in result.findings)


def _mended(design: Design, unsaved: Mapping[str, bytes], edits: Sequence[Edit]) -> dict[str, bytes] | None:
    """Contents of the files with edits made in their text; None where it cannot take them."""
    source = design.loaded.source
    files = {span.file for span in source.spans.values()} | {span.file for span in source.keys.values()}
    contents = {f: unsaved.get(f) or Path(f).read_bytes() for f in sorted(files) if Path(f).is_file()}
    try:
        texts = {file: decode(content, file) for file, content in contents.items()}
        after = applied(texts, replacements(source, texts, edits))
    except (InputError, UncertainEditError, LookupError):
        return None
    marked = {file: content[: len(_MARK)] == _MARK for file, content in contents.items()}
    return {file: (_MARK if marked[file] else b"") + text.encode() for file, text in after.items()}


def _judged(
    judge: Judge, design: Design, batch: Sequence[Diagnostic], contents: Mapping[str, bytes]
) -> tuple[Design, LintResult] | None:
    """The verdict on changed files; None where they say anything else than the edits meant."""
    meant = edited(design.loaded.source.data, [edit for finding in batch for edit in finding.fix])
    try:
        after, result = judge(contents)
    except InputError:
        return None
    return (after, result) if after.loaded.source.data == meant else None


def write(repaired: Repaired) -> None:
    """Put the changed files in the place of the old ones, each whole, with their permissions; links stay links."""
    for file, (_, content) in repaired.files.items():
        real = os.path.realpath(file)
        beside = f"{real}.fabricgen-new"
        Path(beside).write_bytes(content)
        os.chmod(beside, os.stat(real).st_mode & 0o7777)  # noqa: PTH101, PTH116 - beside its fellow
        os.replace(beside, real)  # noqa: PTH105
