"""Apply the fixes that findings carry; a fix is kept if the blueprint then says what the fix meant and has fewer
findings with fixes.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
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
"""How often a blueprint is judged again at most."""

Judge = Callable[[Mapping[str, bytes]], tuple[Design, LintResult]]
"""Compiles and lints a blueprint; the contents of some of its files, by name, replace what is on disk."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A repaired blueprint: its design and lint result, the findings that were mended, and the (old, new) contents of
    each changed file by name.
    """

    design: Design
    result: LintResult
    mended: tuple[Diagnostic, ...]
    files: Mapping[str, tuple[bytes, bytes]]


def repair_blueprint(judge: Judge) -> Repaired:
    """Apply all safe fixes to the contents of the blueprint's files and return the outcome; nothing is written.

    All fixes are tried together, then one by one: a fix is dropped if the text cannot take it without another change,
    if the blueprint is unusable with it, or if no fewer findings with fixes remain. Raises InputError if the blueprint
    cannot be used as it is.
    """
    design, result = judge({})
    original = _read_files(design)
    shared = _find_shared_files(design, original)
    contents, mended = original, list[Diagnostic]()
    attempts = _list_attempts(design, result, shared)
    for _ in range(ROUNDS):
        if not attempts:
            break
        batch = attempts.pop(0)
        edited = _apply_edits(design, contents, [edit for finding in batch for edit in finding.fix])
        judged = _judge_edits(judge, design, batch, edited) if edited else None
        if edited and judged and _count_fixable(judged[1]) < _count_fixable(result):
            contents, (design, result) = edited, judged
            mended += batch
            attempts = _list_attempts(design, result, shared)
    changed = {file: (original[file], contents[file]) for file in sorted(original) if original[file] != contents[file]}
    return Repaired(design, result, tuple(mended), changed)


def _read_files(design: Design) -> dict[str, bytes]:
    """Return the contents of the blueprint's files by their names in source locations; raises InputError (FG001)."""
    source = design.loaded.source
    files = {span.file for span in (*source.spans.values(), *source.keys.values())}
    return {file: read_bytes(Path(file), file) for file in sorted(files) if Path(file).is_file()}


def _find_shared_files(design: Design, contents: Mapping[str, bytes]) -> frozenset[str]:
    """Return the names of included files that another YAML file beside the blueprint names as well.

    What has no effect in this blueprint may have one there. `contents` are those of the blueprint's files by name.
    """
    main = design.loaded.source.spans[()].file
    used = {os.path.realpath(file) for file in contents}
    neighbours = [path for path in Path(main).parent.glob("*.yaml") if os.path.realpath(path) not in used]
    neighbours = [path for path in neighbours if path.is_file() and os.fsencode(path.name) not in contents[main]]
    texts = [path.read_bytes() for path in neighbours if path.stat().st_size < MAX_BYTES]
    names = {file: os.fsencode(Path(file).name) for file in contents if file != main}
    return frozenset(file for file, name in names.items() if any(b"include" in t and name in t for t in texts))


def _list_attempts(design: Design, result: LintResult, shared: frozenset[str]) -> list[list[Diagnostic]]:
    """Return lists of findings to mend together: first all of them, and then each by itself.

    A finding is left out if its fix would remove something from a file that other blueprints use; `shared` has the
    names of these files.
    """
    spans = {**design.loaded.source.spans, **design.loaded.source.keys}
    mendable = [
        finding
        for finding in result.findings
        if finding.fix and not any(edit.kind == "remove" and spans[edit.path].file in shared for edit in finding.fix)
    ]
    return [*([mendable] if len(mendable) > 1 else []), *([finding] for finding in mendable)]


def _count_fixable(result: LintResult) -> int:
    return sum(bool(finding.fix) for finding in result.findings)


def _apply_edits(design: Design, contents: Mapping[str, bytes], edits: Sequence[Edit]) -> dict[str, bytes] | None:
    """Return the contents of the files with edits applied, byte order marks kept; None if the text cannot take them."""
    try:
        texts = {file: decode_text(content, file) for file, content in contents.items()}
        edited = apply_replacements(texts, list_replacements(design.loaded.source, texts, edits))
    except (InputError, UncertainEditError, LookupError):
        return None
    marks = {file: BOM_UTF8 if content.startswith(BOM_UTF8) else b"" for file, content in contents.items()}
    return {file: marks[file] + text.encode() for file, text in edited.items()}


def _judge_edits(
    judge: Judge, design: Design, batch: Sequence[Diagnostic], contents: Mapping[str, bytes]
) -> tuple[Design, LintResult] | None:
    """Return the design and lint result of edited files, given as `contents`.

    None if the blueprint is unusable, or if it does not say exactly what `design` says with the fixes of the batch.
    """
    expected = apply_to_data(design.loaded.source.data, [edit for finding in batch for edit in finding.fix])
    try:
        edited_design, result = judge(contents)
    except InputError:
        return None
    return (edited_design, result) if edited_design.loaded.source.data == expected else None


def write_repaired_files(repaired: Repaired, *, allow_outside: bool = False) -> None:
    """Replace the changed files, each atomically and with its permissions; symbolic links stay links.

    Raises InputError (FG023) before any file is changed if one is outside the blueprint's folder (unless
    `allow_outside`), is read-only, or has changed since it was judged; and if a file cannot be written.
    """
    root = Path(os.path.realpath(repaired.design.loaded.folder))
    targets = {file: Path(os.path.realpath(file)) for file in repaired.files}
    for file, (original, _) in repaired.files.items():
        _check_writable(file, targets[file], original, None if allow_outside else root)
    for file, (_, edited) in repaired.files.items():
        try:
            replace_file(targets[file], edited)
        except OSError as error:
            raise _make_refusal(file, (error.strerror or str(error)).lower(), "its content is as it was") from error


def _check_writable(file: str, target: Path, original: bytes, root: Path | None) -> None:
    """Raise InputError (FG023) if the file `target` is outside the folder `root` (None allows any folder), no longer
    has its `original` content, or is read-only.
    """
    if root is not None and not target.is_relative_to(root):
        raise _make_refusal(
            file, f"it leads to {target}, outside the blueprint's folder", "allow it with --allow-outside"
        )
    if read_bytes(target, file) != original:
        raise _make_refusal(file, "it has changed meanwhile", "run `lint --fix` again")
    if not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
        raise _make_refusal(file, "it is read-only", "make it writable, or mend it by hand: --diff shows how")


def _make_refusal(file: str, why: str, hint: str) -> InputError:
    return fault("FG023", f"cannot mend {file!r}: {why}", hint=hint, span=Span(file, 1, 1))
