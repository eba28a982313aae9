"""Publishing into a folder: whole or not at all, by exchange of two trees or by a journal in place."""

# Plain strings for paths: see publish_lock.
# ruff: noqa: PTH103, PTH104, PTH105, PTH109, PTH112, PTH113, PTH120, PTH123, PTH208

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from fabricgen.kernel.diagnostics import fault
from fabricgen.publish.bundles import Bundle, Told, silent
from fabricgen.publish.changes import Changes
from fabricgen.publish.exchange import NO_EXCHANGE, can_exchange, exchange
from fabricgen.publish.files import same_content, scan, sync_folder, write_file
from fabricgen.publish.fill import fill
from fabricgen.publish.journal import apply_journal, check_writable, land_by_journal, mount_points
from fabricgen.publish.known import Staged
from fabricgen.publish.lock import can_write_beside, claimed
from fabricgen.publish.manifest import (
    LOCK,
    MANIFEST,
    STAGE,
    Entry,
    Ledger,
    PublishReport,
    disk_faults,
    parse_manifest,
)
from fabricgen.publish.stage import JOURNAL, MARKER, Stage, new_place, remove_leftovers, remove_stage
from fabricgen.publish.stager import Stager
from fabricgen.publish.state import Made, Memory, State, save_state, state_of
from fabricgen.publish.tool_stamp import tool_stamp

_COPIED = 1 << 20
"""Bytes that are read at a time."""
_MANY = 1000
"""Files from which it takes long to link them."""


def publish_folder(
    target: Path,
    bundles: Iterable[Bundle],
    *,
    header: Mapping[str, object],
    parts: frozenset[str] | None = None,
    jobs: int = 1,
    told: Told = silent,
    cache: Path | None = None,
    force: bool = False,
) -> PublishReport:
    """Make `target` hold these files, the user's own, and a manifest; or, on any error, what it held before.

    With `parts`, only those parts are replaced and the others stay as they are. Unchanged files keep inode and time
    stamp. Up to `jobs` processes make and write files; `told` hears of each bundle done. What is known of the folder
    is remembered in `cache`: then files that nobody touched are not read, and bundles whose inputs are as they were
    are not made.

    A file that is not what the manifest says was edited, and is the user's: it stays, and the new content is put beside
    it, as NAME.new; the manifest goes on telling what was written there. When the edit is taken back or the file
    deleted, the next build writes it again and removes NAME.new. With `force`, edited files are replaced and removed.

    Raises InputError: FG020 the target is not ours to write, FG022 another build is writing it, FG023 the system
    refused; ValueError for paths or parts that no producer may use; and, as they are, the errors of the producers.
    """
    with claimed(target) as real:
        with disk_faults(target, real):
            _finish(target, real)
            old = _old_files(target, real)
            exists = os.path.isdir(real)
            inside = exists and not _exchangeable(real)
        place = f"{real}/{STAGE}" if inside else new_place(real)
        memory = Memory(real, cache if exists else None, tool_stamp() if cache else "")
        stage = Stage(target, real, place, old, Ledger(header, parts), exists, inside, memory, force)
        try:
            with disk_faults(target, real):
                stage.open()
            made = fill(stage, list(bundles), jobs, told)
            with disk_faults(target, real):
                report = _land(stage)
            if cache:
                with stage.unlinking(), contextlib.suppress(OSError):  # what is not remembered is read again
                    _remember(cache, stage, made)
        finally:
            stage.discard()
        return report


def _remember(cache: Path, stage: Stage, made: Sequence[Made]) -> None:
    """Remember what has landed, unless that is what was remembered before; raises OSError."""
    before, parts = stage.memory.state, stage.ledger.parts
    after = state_of(stage.real, made, State() if stage.linked else before)
    if parts:
        after = before.updated(after, parts)
    if after != before:
        save_state(cache, stage.real, stage.memory.stamp, after)


def recover(target: Path) -> bool:
    """Finish or discard what a killed build left in and beside `target`; true if it finished one.

    `publish_folder` does this by itself. Raises InputError FG020, FG022 or FG023 as it does.
    """
    if not os.path.isdir(os.path.dirname(os.path.realpath(target))):
        return False
    with claimed(target) as real, disk_faults(target, real):
        return _finish(target, real)


def _finish(target: Path, real: str) -> bool:
    remove_leftovers(real)
    place = f"{real}/{STAGE}"
    found = os.path.isfile(f"{place}/{JOURNAL}") and os.path.isfile(f"{place}/{MARKER}")
    if found:
        apply_journal(target, real)
    remove_stage(place)
    return found


def _old_files(target: Path, real: str) -> dict[str, Entry]:
    """Read the earlier manifest; raises InputError FG020 when the target is not ours to write."""
    if not os.path.lexists(real):
        return {}
    if not os.path.isdir(real):
        raise fault("FG020", f"{target} is not a folder", hint="name a folder, new or written by fabricgen")
    files = None
    with contextlib.suppress(FileNotFoundError, IsADirectoryError), open(f"{real}/{MANIFEST}", "rb") as file:
        files = parse_manifest(file.read())
    if files is None and set(os.listdir(real)) - {LOCK}:
        raise fault(
            "FG020",
            f"{target} is not empty and was not written by fabricgen",
            hint=f"name a new or empty folder; fabricgen knows its own by their {MANIFEST}",
        )
    return files or {}


def _exchangeable(real: str) -> bool:
    if not (can_write_beside(real) and can_exchange()):
        return False
    try:
        here = os.getcwd()
    except OSError:
        here = ""
    held = [here, *mount_points()]
    return not os.path.ismount(real) and not any(f"{each}/".startswith(f"{real}/") for each in held)


def _land(stage: Stage) -> PublishReport:
    near = len(stage.written) < len(stage.old) // 2 and (stage.inside or len(stage.old) >= _MANY)
    changes = stage.changes(near)
    manifest = stage.ledger.manifest(changes.own)
    kept = dict(sorted(stage.ledger.edited.items()))
    report = PublishReport(len(stage.written), len(stage.unchanged), len(changes.remove), kept)
    if not stage.written and not changes.remove and same_content(f"{stage.real}/{MANIFEST}", manifest):
        return report
    if not stage.inside and _few(report, changes):
        with contextlib.suppress(OSError):  # an exchange may still be possible
            check_writable(stage, changes)
            stage.move_inside()
    if stage.inside:
        land_by_journal(stage, changes, manifest)
        return report
    if near:
        changes = stage.changes()
    try:
        _land_by_exchange(stage, changes, manifest)
    except OSError as error:
        if not stage.exists or error.errno not in NO_EXCHANGE:
            raise
        return _land_inside_instead(stage)
    return report


def _few(report: PublishReport, changes: Changes) -> bool:
    """Tell whether most of a large folder stays.

    An exchange links all that stays into the new tree, and unlinks it from the old: for thousands of files that takes
    longer than to move those that change. It shows the new build at one instant, though, which is worth it otherwise.
    """
    stays = report.unchanged + len(changes.keep | changes.own.keys())
    return stays >= _MANY and report.written + report.removed < stays


def _land_by_exchange(stage: Stage, changes: Changes, manifest: bytes) -> None:
    stage.linked = True
    _keep(stage, changes, stage.stager())
    write_file(f"{stage.tree}/{MANIFEST}", manifest, sync=True)
    sync_folder(stage.tree)
    if stage.exists:
        exchange(stage.tree, stage.real)
        _adopt_late_files(stage)
    else:
        os.rename(stage.tree, stage.real)
    with contextlib.suppress(OSError):  # it has landed, however durably
        sync_folder(os.path.dirname(stage.real))


def _keep(stage: Stage, changes: Changes, stager: Stager) -> None:
    """Carry what is unchanged or not being built into the staged tree."""
    for path in changes.keep_folders:
        stager.folder_of(f"{path}/.")
    for path in chain(stage.unchanged, changes.keep):
        stager.folder_of(path)
        old, new = f"{stage.real}/{path}", f"{stage.tree}/{path}"
        try:
            os.link(old, new, follow_symlinks=False)
        except OSError:
            shutil.copy2(old, new, follow_symlinks=False)


def _adopt_late_files(stage: Stage) -> None:
    """Move what the user saved into the old tree while it was being replaced into the new one."""
    with contextlib.suppress(OSError):
        for path in scan(stage.tree).files - stage.old.keys():
            old, new = f"{stage.tree}/{path}", f"{stage.real}/{path}"
            if os.path.lexists(new) and os.path.samestat(os.lstat(old), os.lstat(new)):
                continue
            if path not in stage.ledger.entries:
                os.makedirs(os.path.dirname(new), exist_ok=True)
                os.replace(old, new)


def _land_inside_instead(stage: Stage) -> PublishReport:
    """Publish a tree that could not be exchanged through a journal."""
    ledger = Ledger(stage.ledger.header, stage.ledger.parts)
    ledger.edited.update(stage.ledger.edited)
    memory = Memory(stage.real)
    inner = Stage(stage.target, stage.real, f"{stage.real}/{STAGE}", stage.old, ledger, True, True, memory, stage.force)
    try:
        inner.open()
        stager = inner.stager()
        for staged in stage.staged:
            inner.enter(_again(stage, stager, staged) if staged.written else staged)
        return _land(inner)
    finally:
        inner.discard()


def _again(stage: Stage, stager: Stager, staged: Staged) -> Staged:
    with open(f"{stage.tree}/{staged.path}", "rb") as file:
        return stager.put(staged.part, staged.path, iter(partial(file.read, _COPIED), b""))._replace(kept=staged.kept)
