"""`fabricgen view`: the cluster as a picture that one can walk into."""

from __future__ import annotations

import click

from fabricgen.cli.options import blueprint_argument, output_option, phase_option, reading_options


@click.command()
@blueprint_argument
@reading_options
@phase_option
@output_option
@click.option("--open", "opened", is_flag=True, help="Open the file in the browser.")
def command(
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    output: str,
    opened: bool,
) -> None:
    """Draw a BLUEPRINT as one HTML file, which opens by a double click and asks nothing of any server."""
    from pathlib import Path

    from fabricgen.cli.output import write_output
    from fabricgen.cli.pictures import page_at

    if opened and output == "-":
        raise click.UsageError("--open opens a file; name it with -o")
    write_output(output, page_at(blueprint, sets, allow_outside, phase).encode())
    if opened:
        import webbrowser

        webbrowser.open(Path(output).resolve().as_uri())
