"""Read and write the lock file beside a blueprint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.blueprint.beside.lock import CODE, Lock, format_lock
from fabricgen.cli.output import write_output
from fabricgen.kernel.diagnostics import Span, fault

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


def is_changed(path: Path, lock: Lock) -> bool:
    """Whether a lock differs from its file, or has no file."""
    try:
        return path.read_bytes() != format_lock(lock).encode()
    except OSError:
        return True


def write_lock(path: Path, lock: Lock) -> None:
    """Write a lock atomically. Raises InputError (FG023) if that fails."""
    write_output(str(path), format_lock(lock).encode(), updates=True)


def check_locked(cluster: Cluster) -> None:
    """Raise InputError (FG038) if a cluster has no lock file, or its lock would change."""
    path = cluster.design.loaded.lock_path
    if path is None:
        raise click.UsageError("--locked: standard input has no lock; name a file")
    if is_changed(path, cluster.lock):
        raise fault(
            CODE,
            "the lock is not up to date with the blueprint" if path.exists() else "the blueprint has no lock",
            span=Span(str(path), 1, 1),
            hint="run `fabricgen lock`, and commit what it writes",
        )


def keep_lock(cluster: Cluster, *, trial: str) -> None:
    """Update the lock file of a cluster if it exists and its content changes, and say so on standard error.

    Without a lock file, only say how to make one. `trial` is "" or says why this build is only a trial; then a lock
    file that would change is left as it is, and that is said.
    """
    path = cluster.design.loaded.lock_path
    if path is None:
        return
    if not path.exists():
        click.echo(f"no lock; `fabricgen lock` writes {path}, which keeps all numbers through later edits", err=True)
    elif not is_changed(path, cluster.lock):
        return
    elif trial:
        click.echo(f"{path} is left as it is: {trial}", err=True)
    else:
        write_lock(path, cluster.lock)
        click.echo(f"{path} written: commit it with the blueprint", err=True)
