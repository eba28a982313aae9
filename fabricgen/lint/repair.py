"""Apply the fixes that findings carry; a fix is kept if the blueprint then parses and is judged as intended."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, InputError, Span, fault
from fabricgen.kernel.text_input import MAX_BYTES, decode_text, read_bytes
from fabricgen.lint.engine import LintResult
from fabricgen.publish.files import replace_file
from fabricgen.yaml.edits import UncertainEditError, apply_replacements, apply_to_data, list_replacements

ROUNDS = 100
"""The most times that a blueprint is judged again."""

_MARK = b"\xef\xbb\xbf"

Judge = Callable[[Mapping[str, bytes]], tuple[Design, LintResult]]
"""Judges a blueprint, given unsaved contents of its files by name."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """The remaining findings, the fixed ones, and the changed files: name -> (contents before, after)."""

    design: Design
    result: LintResult
    mended: tuple[Diagnostic, ...]
    files: Mapping[str, tuple[bytes, bytes]]


def repair_blueprint(judge: Judge) -> Repaired:
    """Apply all safe fixes; nothing is written. Raises InputError where the blueprint cannot be used.

    All fixes are tried together, then one by one: a fix is dropped if the text cannot take it without another change,
    or if the blueprint is unusable with it.
    """
    design, result = judge({})
    before, shared = _read_files(design), _find_shared_files(design)
    unsaved, mended = before, list[Diagnostic]()
    attempts = _list_attempts(design, result, shared)
    for _ in range(ROUNDS):
        if not attempts:
            break
        batch = attempts.pop(0)
        contents = _apply_edits(design, unsaved, [edit for finding in batch for edit in finding.fix])
        after = _judge_edits(judge, design, batch, contents) if contents else None
        if contents and after and _count_fixable(after[1]) < _count_fixable(result):
            unsaved, (design, result) = contents, after
            mended += batch
            attempts = _list_attempts(design, result, shared)
    changed = {file: (before[file], unsaved[file]) for file in sorted(before) if before[file] != unsaved[file]}
    return Repaired(design, result, tuple(mended), changed)


def _read_files(design: Design) -> dict[str, bytes]:
    """Contents of the blueprint's files, by name as in source locations; raises InputError (FG001)."""
    source = design.loaded.source
    files = {span.file for span in source.spans.values()} | {span.file for span in source.keys.values()}
    return {file: read_bytes(Path(file), file) for file in sorted(files) if Path(file).is_file()}


def _find_shared_files(design: Design) -> frozenset[str]:
    """Included files that another file beside the blueprint names too: what is idle here may serve that one."""
    main, files = design.loaded.source.spans[()].file, _read_files(design)
    used = {os.path.realpath(file) for file in files}
    beside = [path for path in Path(main).parent.glob("*.yaml") if os.path.realpath(path) not in used]
    beside = [path for path in beside if path.is_file() and os.fsencode(path.name) not in files[main]]
    texts = [path.read_bytes() for path in beside if path.stat().st_size < MAX_BYTES]
    names = {file: os.fsencode(Path(file).name) for file in files if file != main}
    return frozenset(file for file, name in names.items() if any(b"include" in t and name in t for t in texts))


def _list_attempts(design: Design, result: LintResult, shared: frozenset[str]) -> list[list[Diagnostic]]:
    """The findings to mend, together and one by one, but those that would take something off a shared file."""
    places = {**design.loaded.source.spans, **design.loaded.source.keys}
    singly = [
        [finding]
        for finding in result.findings
        if finding.fix and not any(edit.kind == "remove" and places[edit.path].file in shared for edit in finding.fix)
    ]
    return [[finding for attempt in singly for finding in attempt], *singly] if len(singly) > 1 else singly


def _count_fixable(result: LintResult) -> int:
    return sum(bool(finding.fix) for finding in result.findings)


def _apply_edits(design: Design, unsaved: Mapping[str, bytes], edits: Sequence[Edit]) -> dict[str, bytes] | None:
    """Contents of the files with edits applied; None where the text cannot take them."""
    try:
        texts = {file: decode_text(content, file) for file, content in unsaved.items()}
        after = apply_replacements(texts, list_replacements(design.loaded.source, texts, edits))
    except (InputError, UncertainEditError, LookupError):
        return None
    marked = {file: content[: len(_MARK)] == _MARK for file, content in unsaved.items()}
    return {file: (_MARK if marked[file] else b"") + text.encode() for file, text in after.items()}


def _judge_edits(
    judge: Judge, design: Design, batch: Sequence[Diagnostic], contents: Mapping[str, bytes]
) -> tuple[Design, LintResult] | None:
    """The result for changed files; None where they say anything but what the edits meant."""
    expected = apply_to_data(design.loaded.source.data, [edit for finding in batch for edit in finding.fix])
    try:
        after, result = judge(contents)
    except InputError:
        return None
    return (after, result) if after.loaded.source.data == expected else None


def write_repaired_files(repaired: Repaired, *, allow_outside: bool = False) -> None:
    """Replace the changed files, each atomically and with its permissions; links stay links.

    Raises InputError (FG023) before any file is changed if one is outside the blueprint's folder (unless
    `allow_outside`), is read-only, or has changed since it was judged; also where writing fails.
    """
    root = Path(os.path.realpath(repaired.design.loaded.folder))
    targets = {file: Path(os.path.realpath(file)) for file in repaired.files}
    for file, (before, _) in repaired.files.items():
        _check_writable(file, targets[file], before, None if allow_outside else root)
    for file, (_, after) in repaired.files.items():
        try:
            replace_file(targets[file], after)
        except OSError as error:
            raise _make_refusal(file, (error.strerror or str(error)).lower(), "its content is as it was") from error


def _check_writable(file: str, target: Path, before: bytes, root: Path | None) -> None:
    """Raise InputError (FG023) for a file that is outside, has changed since it was read, or is read-only."""
    if root is not None and not target.is_relative_to(root):
        raise _make_refusal(
            file, f"it leads to {target}, outside the blueprint's folder", "allow it with --allow-outside"
        )
    if read_bytes(target, file) != before:
        raise _make_refusal(file, "it has changed meanwhile", "run `lint --fix` again")
    if not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
        raise _make_refusal(file, "it is read-only", "make it writable, or mend it by hand: --diff shows how")


def _make_refusal(file: str, why: str, hint: str) -> InputError:
    return fault("FG023", f"cannot mend {file!r}: {why}", hint=hint, span=Span(file, 1, 1))
