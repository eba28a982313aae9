"""Write results to standard output, or to a file that is replaced atomically."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from fabricgen.kernel.diagnostics import fault

if TYPE_CHECKING:
    from fabricgen.api import ClusterView
    from fabricgen.cluster import Cluster


_WRITTEN = ("output", "archive", "labels", "learn")
"""Options that name what a command writes."""


def write_output(
    target: str, content: bytes, *, binary: bool = False, updates: bool = False, read: Iterable[Path] = ()
) -> None:
    """Write to a file or, for `-`, to standard output; if writing fails, an existing file is unchanged.

    `updates`: whether it is a file of ours that the command has read to bring it up to date; `read`: what it reads
    beside its arguments. Raises InputError when the file cannot be written or standard output is closed, and
    click.UsageError for binary data on a terminal, and where the file is an input.
    """
    if target == "-":
        with standard_output("this is no text for a terminal; name a file with -o" if binary else "") as stream:
            stream.write(content)
        return
    from fabricgen.publish.files import replace_file

    path = Path(target).resolve()
    if not updates:
        refuse_input(path, target, read)
    try:
        if path.exists() and not path.is_file():  # a device or pipe is written to, not replaced
            path.write_bytes(content)
            return
        replace_file(path, content)
    except OSError as error:
        raise fault("FG023", f"cannot write {target}: {error.strerror}") from error


def refuse_input(path: Path, target: str, read: Iterable[Path] = ()) -> None:
    """Raise click.UsageError if `path` is a file that the running command reads, or YAML: people write that."""
    context = click.get_current_context(silent=True)
    if context is None or not path.is_file():
        return
    values = [value for name, value in context.params.items() if name not in _WRITTEN]
    named = [text for value in values for text in (value if isinstance(value, tuple) else (value,))]
    files = {os.path.realpath(file) for file in (*named, *read) if isinstance(file, str | Path) and str(file)}
    if str(path) in files or path.suffix in (".yaml", ".yml"):
        raise click.UsageError(f"{target} is read, or written by hand: name another file to write")


@contextmanager
def standard_output(not_on_a_terminal: str = "") -> Iterator[BinaryIO]:
    """Standard output for bytes, flushed at the end.

    Raises InputError (FG023) where it is closed, and click.UsageError `not_on_a_terminal`, if given, on a terminal.
    """
    if sys.stdout is None:
        raise fault("FG023", "cannot write to standard output: it is closed", hint="name a file with -o")
    if not_on_a_terminal and sys.stdout.isatty():
        raise click.UsageError(not_on_a_terminal)
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def read_prices(path: Path | None) -> dict[str, float]:
    """Return unit prices by part from a price file; empty without a path.

    Raises InputError (FG001, FG031), with file and line, if it is no valid price file.
    """
    from fabricgen.bom.prices import read_price_list

    return read_price_list(path).unit_prices if path else {}


def tell_idle_prices(path: Path | None, *clusters: Cluster) -> None:
    """Say on standard error which names of a price file match nothing that the clusters, or any cluster, would buy."""
    from fabricgen.bom.prices import find_idle_cluster_prices, read_price_list

    for diagnostic in find_idle_cluster_prices(read_price_list(path), clusters) if path else ():
        click.echo(diagnostic.text(), err=True)


def tell_left_out(cluster: Cluster) -> None:
    """Say on standard error how a lab differs from its cluster; nothing of a cluster that is none."""
    from fabricgen.phases.left_out import left_out

    if lines := left_out(cluster):
        name = cluster.design.loaded.blueprint.name
        click.echo(f"{cluster.phase.name if cluster.phase else ''} of {name}, as in the whole but:", err=True)
        for line in lines:
            click.echo(f"  {line}", err=True)


def publish_files(folder: Path, part: str, view: ClusterView, files: Mapping[str, bytes]) -> None:
    """Write the files of a part, by their paths, to a folder whole or not at all; its manifest names the cluster.

    Raises InputError if the folder has files of others, or cannot be written.
    """
    from fabricgen import __version__
    from fabricgen.publish import FileBundle, publish_folder

    bundles = [FileBundle(part, path, partial(list, [(path, files[path])])) for path in sorted(files)]
    publish_folder(folder, bundles, header={"fabricgen": __version__, "blueprint": view.name, "digest": view.digest})
