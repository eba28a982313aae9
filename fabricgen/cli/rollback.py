"""`plan --rollback`: the configurations to go back to, of exactly the switches whose configurations change."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from fabricgen.cli.sides import PlanOptions, read_raw_configs
from fabricgen.diff.compare import ClusterChange
from fabricgen.kernel.diagnostics import fault

CODE = "FG144"


def refuse_filled(folder: Path | None) -> None:
    """Raise InputError (FG144) if a folder that is named is there, and not empty: it would mix two changes."""
    if folder and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise fault(CODE, f"'{folder}' is not an empty folder", hint="name one that is not there yet")


def write_rollback(folder: Path, old: str, change: ClusterChange, options: PlanOptions) -> str:
    """Write the files as OLD has them, with secrets, readable by their owner alone; return what was written in words.

    Raises InputError for configurations that cannot be rendered or read (FG051, FG054).
    """
    names = {new: was for was, new in change.renamed.items()}
    files = change.configs.files if change.configs else ()
    devices = sorted({names.get(file.device, file.device) for file in files if file.state != "added"})
    with ExitStack() as stack:
        count = _write_files(folder, read_raw_configs(old, devices, options, stack))
    return f"{folder}: {count} configuration files of {len(devices)} switches, as {old} has them"


def _write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write files, all or none; returns how many. Raises InputError (FG023) if the system refuses one."""
    count, is_new = 0, not folder.exists()
    try:
        for path, content in files:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(content)
            count += 1
    except BaseException as error:
        for leftover in [folder] if is_new else list(folder.iterdir()) if folder.is_dir() else []:
            shutil.rmtree(leftover, ignore_errors=True)
        if isinstance(error, OSError):
            raise fault("FG023", f"cannot write '{folder}': {error.strerror}", hint="nothing of it is left") from error
        raise
    return count
