"""Publishing into a folder, whole or not at all: by exchange of two trees, or by a journal in place."""

# Plain strings for paths: see files.py.
# ruff: noqa: PTH103, PTH104, PTH105, PTH106, PTH108, PTH109, PTH112, PTH120, PTH123, PTH208

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.text_input import read_regular
from fabricgen.publish.files import can_write_beside, hold_target, list_folder, sync_folder, write_file
from fabricgen.publish.manifest import (
    LOCK,
    MANIFEST,
    STAGE,
    Ledger,
    ManifestEntry,
    PublishReport,
    check_path,
    list_ancestors,
    make_disk_fault,
    parse_manifest,
    report_disk_faults,
)
from fabricgen.publish.stage import (
    JOURNAL,
    BuildStage,
    FileBundle,
    FileChanges,
    Stager,
    Told,
    ignore_bundle,
    is_unfinished,
    name_stage,
    remove_leftovers,
    remove_stage,
    run_in_tasks,
)


def publish_folder(
    target: Path,
    bundles: Iterable[FileBundle],
    *,
    header: Mapping[str, object],
    parts: frozenset[str] | None = None,
    jobs: int = 1,
    told: Told = ignore_bundle,
    force: bool = False,
) -> PublishReport:
    """Make `target` hold these files, the user's own files and a manifest; or, on any error, what it held before.

    With `parts`, only those parts are replaced and the others stay as they are. Unchanged files keep inode and time
    stamp. Up to `jobs` processes make files and write those that differ; `told` is called with each bundle that is
    done. `header` has the further keys of the manifest.

    A file that is not what the manifest says was edited, and is the user's: it stays, and the new content is put beside
    it, as NAME.new; the manifest still says what was written there. When the edit is undone or the file deleted, the
    next build writes it again and removes NAME.new. With `force`, edited files are replaced and removed.

    Raises InputError: FG020 the target is not ours to write, FG022 another build is writing it, FG023 the system
    refused, FG030 one of `parts` has no file; ValueError for paths or parts that no producer may use; and errors of the
    producers as they are.
    """
    with hold_target(target) as real:
        with report_disk_faults(target, real):
            _finish_earlier(target, real)
            old = _read_old_manifest(target, real)
            exists = os.path.isdir(real)
            inside = exists and not is_exchangeable(real)
        stage_path = f"{real}/{STAGE}" if inside else name_stage(real)
        stage = BuildStage(target, real, stage_path, old, Ledger(header, parts), exists, inside, force)
        try:
            with report_disk_faults(target, real):
                stage.open()
            for task, staged_files in run_in_tasks(list(bundles), stage.make_stager(), jobs):
                for bundle, files in zip(task, staged_files, strict=True):
                    for staged in files:
                        stage.enter_file(staged)
                    told(bundle)
            with report_disk_faults(target, real):
                return _land_stage(stage)
        finally:
            stage.discard()


def recover_build(target: Path) -> bool:
    """Finish or discard what a killed build left in and beside `target`; return whether it finished a build.

    `publish_folder` does this by itself. Raises InputError FG020, FG022 or FG023 like it.
    """
    if not os.path.isdir(os.path.dirname(os.path.realpath(target))):
        return False
    with hold_target(target) as real, report_disk_faults(target, real):
        return _finish_earlier(target, real)


def _finish_earlier(target: Path, real: str) -> bool:
    """Land or discard what a killed build left of the folder at `real`; return whether it had begun to land."""
    remove_leftovers(real)
    began_to_land = is_unfinished(real)
    if began_to_land:
        apply_journal(target, real)
    remove_stage(f"{real}/{STAGE}")
    return began_to_land


def _read_old_manifest(target: Path, real: str) -> dict[str, ManifestEntry]:
    """Return the files of the earlier manifest. Raises InputError (FG020) if the target is not ours to write."""
    if not os.path.lexists(real):
        return {}
    if not os.path.isdir(real):
        raise fault("FG020", f"{target} is not a folder", hint="name a folder, new or written by fabricgen")
    files = None
    with contextlib.suppress(FileNotFoundError, IsADirectoryError):
        files = parse_manifest(read_regular(Path(real, MANIFEST)))
    if files is None and set(os.listdir(real)) - {LOCK}:
        raise fault(
            "FG020",
            f"{target} is not empty and was not written by fabricgen",
            hint=f"name a new or empty folder; fabricgen knows its own by their {MANIFEST}",
        )
    return files or {}


def _land_stage(stage: BuildStage) -> PublishReport:
    """Put a finished stage in place of the target, in one step if the system can, else by a journal; write nothing if
    all is as it was.
    """
    changes = stage.compare_files()
    manifest = stage.ledger.write_manifest_bytes(changes.kept_entries)
    kept = dict(sorted(stage.ledger.edited.items()))
    report = PublishReport(len(stage.written), len(stage.unchanged), len(changes.remove), kept)
    old_manifest = Path(stage.real, MANIFEST)
    if not stage.written and not changes.remove and old_manifest.is_file() and old_manifest.read_bytes() == manifest:
        return report
    write_file(f"{stage.tree}/{MANIFEST}", manifest, sync=True)
    stage.check_late_edits(changes)
    if not stage.inside and not _land_by_exchange(stage, changes):
        stage.move_stage_inside()
    if stage.inside:
        land_by_journal(stage, changes)
    return report


def _land_by_exchange(stage: BuildStage, changes: FileChanges) -> bool:
    """Let the staged tree take the place of the target; return False, with nothing changed, if that cannot be."""
    _link_kept_files(stage, changes, stage.make_stager())
    sync_folder(stage.tree)
    try:
        if stage.exists:
            exchange_paths(stage.tree, stage.real)
            _adopt_late_files(stage)
        else:
            os.rename(stage.tree, stage.real)
    except OSError as error:
        if not stage.exists or error.errno not in NO_EXCHANGE:
            raise
        return False
    with contextlib.suppress(OSError):  # it has landed, however durably
        sync_folder(os.path.dirname(stage.real))
    return True


def _link_kept_files(stage: BuildStage, changes: FileChanges, stager: Stager) -> None:
    """Put into the staged tree the files of the target that stay as they are: a link to each, or a copy where that
    fails.

    These are unchanged files, and files that are not built.
    """
    for path in changes.keep_folders:
        stager.folder_of(f"{path}/.")
    for path in chain(stage.unchanged, changes.keep):
        stager.folder_of(path)
        old, new = f"{stage.real}/{path}", f"{stage.tree}/{path}"
        try:
            # a second name for the same file costs nothing; some file systems have none, and get a copy
            os.link(old, new, follow_symlinks=False)
        except OSError:
            shutil.copy2(old, new, follow_symlinks=False)


def _adopt_late_files(stage: BuildStage) -> None:
    """Move files into the new tree that the user saved in the old one while it was being replaced.

    A built file that was edited meanwhile is not what the manifest says, so that the next build keeps it.
    """

    def is_linked(path: str) -> bool:
        """Whether a file of the old tree is in the new one as well."""
        old, new = f"{stage.tree}/{path}", f"{stage.real}/{path}"
        return os.path.lexists(new) and os.path.samestat(os.lstat(old), os.lstat(new))

    with contextlib.suppress(OSError):
        unlinked = [path for path in list_folder(stage.tree).files if not is_linked(path)]
        users = {*unlinked} - stage.old.keys() - stage.ledger.entries.keys()
        for path in (*users, *stage.list_late_edits(stage.tree, unlinked)):
            os.makedirs(os.path.dirname(f"{stage.real}/{path}"), exist_ok=True)
            os.replace(f"{stage.tree}/{path}", f"{stage.real}/{path}")


# Landing a build in place: file by file, under a journal that the next run finishes if need be.


@dataclass(frozen=True, slots=True)
class _JournalSteps:
    """The steps of a journal: paths below the target to remove, folders to prune, and files to put in place."""

    remove: list[str]
    prune: list[str]
    replace: list[str]


def land_by_journal(stage: BuildStage, changes: FileChanges) -> None:
    """Move a stage inside the target, with its manifest, to where it belongs.

    Raises OSError before the first step only, and InputError (FG023) if a later step fails.
    """
    _check_writable(stage, changes)
    sync_folder(stage.tree)
    steps = {
        "remove": sorted(changes.remove),
        # backwards: a folder comes after what lies in it
        "prune": sorted(changes.prune, reverse=True),
        # the manifest last: until then the old one says what was there
        "replace": [*sorted(stage.written), MANIFEST],
    }
    draft = f"{stage.place}/{JOURNAL}.draft"
    write_file(draft, json.dumps(steps).encode(), sync=True)
    os.rename(draft, f"{stage.place}/{JOURNAL}")  # from here on the build has landed, whatever happens
    try:
        apply_journal(stage.target, stage.real)
    except KeyboardInterrupt:
        if os.path.lexists(f"{stage.place}/{JOURNAL}"):
            apply_journal(stage.target, stage.real)
        raise


def _check_writable(stage: BuildStage, changes: FileChanges) -> None:
    """Raise OSError, before the first step, for anything that would stop the journal half-way."""
    mounts = set(list_mount_points())
    filled = {folder for path in stage.written for folder in list_ancestors(path)}
    touched = filled | {os.path.dirname(path) for path in changes.remove | changes.prune}
    for folder in {"", *touched}:
        path = f"{stage.real}/{folder}" if folder else stage.real
        if folder in filled and path in mounts:
            raise OSError(errno.EXDEV, "another file system is mounted here", path)
        if os.path.isdir(path) and not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def apply_journal(target: Path, real: str) -> None:
    """Take the steps of the journal that are still to be taken; this can be repeated. Afterwards the stage may be
    removed.

    Raises InputError: FG020 if the journal is not ours, FG023 if a step fails.
    """
    steps = _read_journal(target, f"{real}/{STAGE}/{JOURNAL}")
    try:
        _take_steps(real, steps)
    except OSError as error:
        hint = "it stopped half-way; once this is mended, the next build finishes it"
        raise make_disk_fault(target, error, real, hint) from error


def _take_steps(real: str, steps: _JournalSteps) -> None:
    """Take the steps of a journal, some of which a killed run may have taken; the journal is removed last."""
    stage_path = f"{real}/{STAGE}"
    sync_folder(stage_path)
    for path in steps.remove:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            os.unlink(f"{real}/{path}")
    for path in steps.prune:
        with contextlib.suppress(OSError):
            os.rmdir(f"{real}/{path}")
    folders = {real}
    for path in steps.replace:
        staged, final = f"{stage_path}/tree/{path}", f"{real}/{path}"
        folder = final[: final.rfind("/")]
        if folder not in folders:
            os.makedirs(folder, exist_ok=True)
            folders.add(folder)
        with contextlib.suppress(FileNotFoundError):  # an earlier run has moved it
            os.replace(staged, final)
    sync_folder(real)
    os.unlink(f"{stage_path}/{JOURNAL}")


def _read_journal(target: Path, path: str) -> _JournalSteps:
    """Return the steps of a journal. Raises InputError (FG020) if it is not ours."""
    try:
        with open(path, "rb") as file:
            journal = json.loads(file.read())
        remove, prune, replace = (list(journal[key]) for key in ("remove", "prune", "replace"))
        steps = _JournalSteps(remove, prune, replace)
        for step_path in chain(steps.remove, steps.prune, steps.replace):
            check_path(step_path)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise fault(
            "FG020",
            f"{target / STAGE / JOURNAL} was not written by fabricgen",
            hint=f"remove {STAGE} if it is not yours",
        ) from error
    return steps


# Letting two folders change places in one step, if the system can.

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
NO_EXCHANGE = frozenset(
    {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EXDEV, errno.EBUSY, errno.EPERM, errno.EACCES}
)
"""The errors of a system that cannot exchange two folders, but may well let us write into one."""


def can_exchange() -> bool:
    """Whether the system knows how to exchange two paths, though perhaps not everywhere."""
    return _load_renameat2() is not None


def is_exchangeable(real: str) -> bool:
    """Whether a folder may be exchanged for one beside it: no process of ours works in it, and nothing is mounted
    there.
    """
    if not (can_write_beside(real) and can_exchange()):
        return False
    try:
        current = os.getcwd()
    except OSError:
        current = ""
    return not any(f"{path}/".startswith(f"{real}/") for path in [current, *list_mount_points()])


def list_mount_points() -> list[str]:
    """Return the paths at which something is mounted; a tree with mounts in it cannot be swapped away and deleted."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
            fields = [line.split(" ")[4] for line in table]
    except OSError:
        return []
    # the kernel writes blanks and the like in mount points as octal escapes
    return [re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field) for field in fields]


def exchange_paths(old: str, new: str) -> None:
    """Let two paths change places; raises OSError."""
    import ctypes

    call = _load_renameat2()
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), new)
    if call(_AT_FDCWD, os.fsencode(old), _AT_FDCWD, os.fsencode(new), _RENAME_EXCHANGE):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), new)


@cache
def _load_renameat2() -> Any:
    """Return the function of the C library that exchanges two paths; None if it has none."""
    import ctypes

    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
