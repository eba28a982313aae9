"""Repairs as a person sees them: a line each, or a diff."""

from __future__ import annotations

import difflib

import click

from fabricgen.lint.repair import Repaired, write

_NO_END = "\n\\ No newline at end of file\n"
"""What follows the last line of a file that does not end with a line break, as `patch` reads it."""


def show_repairs(repaired: Repaired, *, only_shown: bool) -> None:
    """Write the changed files and say on standard error what was mended; or only print a unified diff of them."""
    if only_shown:
        for file, (before, after) in repaired.files.items():
            old, new = (content.decode(errors="replace").splitlines(keepends=True) for content in (before, after))
            lines = difflib.unified_diff(old, new, fromfile=file, tofile=file)
            click.echo("".join(line if line.endswith(("\n", "\r")) else line + _NO_END for line in lines), nl=False)
        return
    write(repaired)
    for finding in repaired.mended:
        click.echo(f"{finding.span}: mended {finding.code}: {finding.message}", err=True)
