"""Repairs as a person sees them: a line each, or a diff."""

from __future__ import annotations

import difflib

import click

from fabricgen.lint.repair import Repaired, write


def show_repairs(repaired: Repaired, *, only_shown: bool) -> None:
    """Write the changed files and say on standard error what was mended; or only print a unified diff of them."""
    if only_shown:
        for file, (before, after) in repaired.files.items():
            old, new = (content.decode(errors="replace").splitlines(keepends=True) for content in (before, after))
            click.echo("".join(difflib.unified_diff(old, new, fromfile=file, tofile=file)), nl=False)
        return
    write(repaired)
    for finding in repaired.mended:
        click.echo(f"{finding.span}: mended {finding.code}: {finding.message}", err=True)
