"""`fabricgen view`: the cluster as a picture that one can walk into."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import (
    blueprint_argument,
    choose_format,
    output_option,
    phase_option,
    prices_option,
    reading_options,
)

if TYPE_CHECKING:
    from fabricgen.cli.pictures import Drawing

FORMATS = ("html", "svg", "pdf")


@click.command()
@blueprint_argument
@reading_options
@phase_option
@output_option
@prices_option
@click.option(
    "--against", metavar="OLD", help="Show what changes from OLD: a blueprint, a built folder, or git:REV:path."
)
@click.option("--verify", "report", metavar="REPORT.json", help="Show what `verify --format json` found in the hall.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=None,
    help="A page to walk into, or the fabric view as a picture.  [default: by the file's suffix, else html]",
)
@click.option("--watch", is_flag=True, help="Show the page on this machine, and build it anew at every save.")
@click.option("--open", "opened", is_flag=True, help="Open it in the browser.")
def command(
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    output: str,
    prices: Path | None,
    against: str | None,
    report: str | None,
    form: str | None,
    watch: bool,
    opened: bool,
) -> None:
    """Draw a BLUEPRINT as one HTML file, which opens by a double click and asks nothing of any server."""
    from fabricgen.cli.output import write_output
    from fabricgen.cli.pictures import Drawing, draw_page, draw_picture

    if blueprint == against == "-":
        raise click.UsageError("only one side can be standard input")
    drawing = Drawing(blueprint, sets, allow_outside, phase, against, report, prices)
    if watch:
        if output != "-" or form not in (None, "html"):
            raise click.UsageError("--watch shows a page and writes none; leave -o and --format out")
        _serve_page(drawing, opened=opened)
        return
    if opened and output == "-":
        raise click.UsageError("--open opens a file; name it with -o")
    form = choose_format(form, output, FORMATS, "html")
    for option, value in {"--against is": against, "--verify is": report, "--prices are": prices}.items():
        if form != "html" and value is not None:
            raise click.UsageError(f"{option} shown by a page, not by a picture")
    content = draw_page(drawing).encode() if form == "html" else draw_picture(drawing, form)
    write_output(output, content, binary=form == "pdf")
    if opened:
        webbrowser.open(Path(output).resolve().as_uri())


def _serve_page(drawing: Drawing, *, opened: bool) -> None:
    """Serve the page until Ctrl-C and, if `opened`, show it in a browser."""
    from functools import partial

    from fabricgen.cli.pictures import draw_watched_page
    from fabricgen.cli.watching import Watch, serve_page
    from fabricgen.export.view.page import make_empty_page

    if drawing.blueprint == "-":
        raise click.UsageError("--watch looks at a file, not at standard input")

    def tell(address: str) -> None:
        click.echo(address)
        click.echo("Ctrl-C ends it", err=True)
        if opened:
            webbrowser.open(address)

    serve_page(Watch(drawing.blueprint, partial(draw_watched_page, drawing), make_empty_page), tell=tell)
