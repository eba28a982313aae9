"""Landing a build in place: file by file, under a journal that the next run finishes if need be."""

# Plain strings for paths: see lock.py.
# ruff: noqa: PTH103, PTH104, PTH105, PTH106, PTH108, PTH112, PTH120, PTH123

from __future__ import annotations

import contextlib
import errno
import json
import os
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from fabricgen.kernel.diagnostics import fault
from fabricgen.publish.changes import Changes
from fabricgen.publish.exchange import mount_points
from fabricgen.publish.files import sync_folder, write_file
from fabricgen.publish.manifest import MANIFEST, STAGE, ancestors, check_path, disk_fault
from fabricgen.publish.stage import JOURNAL, Stage


@dataclass(frozen=True, slots=True)
class _Steps:
    """What a journal says: paths below the target."""

    remove: list[str]
    prune: list[str]
    replace: list[str]


def land_by_journal(stage: Stage, changes: Changes) -> None:
    """Move a stage inside the target, manifest and all, to where it belongs; raises OSError before the first step only.

    Raises InputError FG023 when a later step fails.
    """
    _check_writable(stage, changes)
    sync_folder(stage.tree)
    steps = {
        "remove": sorted(changes.remove),
        "prune": sorted(changes.prune, reverse=True),
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


def _check_writable(stage: Stage, changes: Changes) -> None:
    """Find out before the first step what would stop the journal half-way; raises OSError."""
    mounts = set(mount_points())
    filled = {folder for path in stage.written for folder in ancestors(path)}
    touched = filled | {os.path.dirname(path) for path in changes.remove | changes.prune}
    for folder in {"", *touched}:
        path = f"{stage.real}/{folder}" if folder else stage.real
        if folder in filled and path in mounts:
            raise OSError(errno.EXDEV, "another file system is mounted here", path)
        if os.path.isdir(path) and not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def apply_journal(target: Path, real: str) -> None:
    """Take the steps of the journal that are still to be taken; safe to repeat. What is left of the stage may go.

    Raises InputError FG020 when the journal is not ours, FG023 when a step fails.
    """
    steps = _read_journal(target, f"{real}/{STAGE}/{JOURNAL}")
    try:
        _take_steps(real, steps)
    except OSError as error:
        hint = "it stopped half-way; once this is mended, the next build finishes it"
        raise disk_fault(target, error, real, hint) from error


def _take_steps(real: str, steps: _Steps) -> None:
    place = f"{real}/{STAGE}"
    sync_folder(place)
    for path in steps.remove:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            os.unlink(f"{real}/{path}")
    for path in steps.prune:
        with contextlib.suppress(OSError):
            os.rmdir(f"{real}/{path}")
    made = {real}
    for path in steps.replace:
        staged, final = f"{place}/tree/{path}", f"{real}/{path}"
        folder = final[: final.rfind("/")]
        if folder not in made:
            os.makedirs(folder, exist_ok=True)
            made.add(folder)
        with contextlib.suppress(FileNotFoundError):  # an earlier run has moved it
            os.replace(staged, final)
    sync_folder(real)
    os.unlink(f"{place}/{JOURNAL}")


def _read_journal(target: Path, path: str) -> _Steps:
    try:
        with open(path, "rb") as file:
            data = json.loads(file.read())
        remove, prune, replace = (list(data[key]) for key in ("remove", "prune", "replace"))
        steps = _Steps(remove, prune, replace)
        for each in chain(steps.remove, steps.prune, steps.replace):
            check_path(each)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise fault(
            "FG020",
            f"{target / STAGE / JOURNAL} was not written by fabricgen",
            hint=f"remove {STAGE} if it is not yours",
        ) from error
    return steps
