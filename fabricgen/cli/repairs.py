"""Fixes as text for people: a line for each, or a diff."""

from __future__ import annotations

import difflib

import click

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.lint.repair import Repaired, write_repaired_files

_NO_END = "\n\\ No newline at end of file\n"
"""What follows a last line without a line break in a diff, as `patch` reads it."""


def show_repairs(repaired: Repaired, *, only_shown: bool, allow_outside: bool) -> None:
    """Write the changed files and list the fixes on standard error; with `only_shown` print a unified diff instead.

    Raises InputError (FG023) for a file that cannot be written.
    """
    if only_shown:
        for file, (before, after) in repaired.files.items():
            old, new = (content.decode(errors="replace").splitlines(keepends=True) for content in (before, after))
            name = make_printable(file)
            lines = difflib.unified_diff(old, new, fromfile=name, tofile=name)
            click.echo("".join(line if line.endswith(("\n", "\r")) else line + _NO_END for line in lines), nl=False)
        return
    write_repaired_files(repaired, allow_outside=allow_outside)
    for finding in repaired.mended:
        click.echo(make_printable(f"{finding.span}: mended {finding.code}: {finding.message}"), err=True)
