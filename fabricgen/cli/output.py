"""What commands write: results to standard output or to a file that is replaced atomically, and notes and findings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from fabricgen.kernel.diagnostics import InputError, Severity, fault

if TYPE_CHECKING:
    from fabricgen.api import ClusterView
    from fabricgen.blueprint.sections.lint_settings import Project
    from fabricgen.cluster import Cluster
    from fabricgen.lint.engine import LintResult


_WRITTEN = ("output", "archive", "labels", "learn")
"""Options that name what a command writes."""


def write_output(
    target: str, content: bytes, *, binary: bool = False, updates: bool = False, read: Iterable[Path] = ()
) -> None:
    """Write to a file or, for `-`, to standard output; if writing fails, an existing file is unchanged.

    `updates` says that the command has read the file to bring it up to date; `read` are the files that it reads beside
    its arguments. Raises InputError (FG023) if the file cannot be written or standard output is closed, and
    click.UsageError for binary data on a terminal, and if the file is an input.
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
    """Raise click.UsageError if `path` is a file that the running command reads, or YAML, which people write by
    hand.
    """
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
    """Yield standard output as a stream of bytes, and flush it at the end.

    Raises InputError (FG023) if it is closed, and click.UsageError with the text `not_on_a_terminal`, if given, on a
    terminal.
    """
    if sys.stdout is None:
        raise fault("FG023", "cannot write to standard output: it is closed", hint="name a file with -o")
    if not_on_a_terminal and sys.stdout.isatty():
        raise click.UsageError(not_on_a_terminal)
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def read_prices(path: Path | None) -> dict[str, float]:
    """Return unit prices by part from a price file; no prices without a path.

    Raises InputError (FG001, FG031), with file and line, for a file that is no valid price file.
    """
    from fabricgen.bom.prices import read_price_list

    return read_price_list(path).unit_prices if path else {}


def tell_idle_prices(path: Path | None, *clusters: Cluster) -> None:
    """Print, on standard error, the names of a price file that match nothing that any of the clusters would buy."""
    from fabricgen.bom.prices import find_idle_cluster_prices, read_price_list

    for diagnostic in find_idle_cluster_prices(read_price_list(path), clusters) if path else ():
        click.echo(diagnostic.text(), err=True)


def tell_left_out(cluster: Cluster) -> None:
    """Print, on standard error, how a lab differs from its cluster; nothing for a whole cluster."""
    from fabricgen.phases.summary import describe_left_out

    if lines := describe_left_out(cluster):
        name = cluster.design.loaded.blueprint.name
        click.echo(f"{cluster.phase.name if cluster.phase else ''} of {name}, as in the whole but:", err=True)
        for line in lines:
            click.echo(f"  {line}", err=True)


def publish_files(folder: Path, part: str, view: ClusterView, files: Mapping[str, bytes]) -> None:
    """Write the files of a part, by path, to a folder, all or none; the folder's manifest names the cluster.

    Raises InputError if the folder has files of others, or cannot be written.
    """
    from fabricgen import __version__
    from fabricgen.publish import FileBundle, publish_folder

    bundles = [FileBundle(part, path, partial(list, [(path, files[path])])) for path in sorted(files)]
    publish_folder(folder, bundles, header={"fabricgen": __version__, "blueprint": view.name, "digest": view.digest})


# Overlays that commands write beside a blueprint, which includes them with `include:`.


def spell_include(blueprint: str, overlay: str | None) -> str:
    """Return the path of an overlay as the blueprint has to spell it in `include:`."""
    if overlay is None or blueprint == "-":
        return overlay or "as-built.yaml"
    return Path(os.path.relpath(overlay, Path(blueprint).parent)).as_posix()


def tell_to_include(blueprint: str, overlay: str) -> None:
    """Print, on standard error, that the blueprint does not include the overlay yet."""
    name = spell_include(blueprint, overlay)
    click.echo(f"{blueprint} does not take {overlay} yet: write `include: {name}` into it", err=True)


# Findings on standard error, and whether they fail a command.


def print_findings(result: LintResult) -> None:
    """Print warnings and errors to standard error."""
    for finding in result.findings:
        if finding.severity > Severity.INFO:
            click.echo(finding.text(), err=True)


def refuse_impossible(result: LintResult) -> None:
    """Raise InputError with the findings that something cannot be plugged together, other than waived ones, if there
    are any.
    """
    if result.impossible:
        raise InputError(result.impossible)


def refuse_unbuildable(cluster: Cluster) -> None:
    """Raise InputError if `build` would refuse a cluster since it cannot be plugged together."""
    from fabricgen.lint.engine import list_impossible_findings

    if findings := list_impossible_findings(cluster):
        raise InputError(findings)


def exceeds_limit(result: LintResult, project: Project, fail_on: str | None) -> bool:
    """Whether the highest severity of the findings reaches `fail_on`, by default the project's limit."""
    return reaches_limit(result.worst, fail_on or project.lint.fail_on)


def reaches_limit(worst: Severity | None, limit: str) -> bool:
    """Whether the highest severity of some findings (None for no finding) reaches a limit; `never` is not reached."""
    return limit != "never" and worst is not None and worst >= Severity.parse(limit)
