"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])

SEVERITIES = ("info", "warning", "error")
_STATED = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def refuse_idle(*names: str, used: bool, why: str) -> None:
    """Raise click.UsageError, which says `why`, if parameters of the command are stated though nothing uses them."""
    context = click.get_current_context(silent=True)
    if context is None:  # called as a function
        return
    stated_params = [
        p for p in context.command.params if p.name in names and context.get_parameter_source(p.name) in _STATED
    ]
    if stated_params and not used:
        raise click.UsageError(f"{' and '.join(p.opts[0] for p in stated_params)} would change nothing: {why}")


def parse_day(as_of: str | None) -> str:
    """Return the day of `--as-of`, today if it is not stated. Raises click.UsageError for text that is no day."""
    import datetime

    try:
        return (datetime.date.fromisoformat(as_of) if as_of else datetime.date.today()).isoformat()
    except ValueError as error:
        raise click.UsageError(f"--as-of {as_of}: {error}") from error


def complete_files(_context: click.Context, _argument: click.Parameter, typed: str) -> list[CompletionItem]:
    """Let the shell complete the names of files, for arguments that may also be `-` or `git:REV:path`."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]


def blueprint_argument(command: F) -> F:
    """Add the BLUEPRINT argument; `-` is standard input."""
    return click.argument("blueprint", metavar="BLUEPRINT", shell_complete=complete_files)(command)


def reading_options(command: F) -> F:
    """Add the options of every command that reads a blueprint: `--set` and `--allow-outside`."""
    command = click.option("--allow-outside", is_flag=True, help="Let includes leave the blueprint's folder.")(command)
    return click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="PATH=VALUE",
        help="Change one value, for example pods.p1.su=3; may be repeated.",
    )(command)


def phase_option(command: F) -> F:
    """Add `--phase`, the name of the phase of the blueprint at which the cluster is compiled; without it, all of it."""
    return click.option("--phase", metavar="NAME", help="What is there at a phase of the blueprint.  [default: all]")(
        command
    )


def view_options(command: F) -> F:
    """Add the BLUEPRINT argument and the options with which it is compiled; the command gets the cluster as `view`."""

    @wraps(command)
    def compile_first(
        blueprint: str, sets: tuple[str, ...], allow_outside: bool, phase: str | None, **parameters: Any
    ) -> Any:
        from fabricgen.api import compile_blueprint

        view = compile_blueprint(blueprint, sets, phase=phase, allow_outside=allow_outside)
        return command(view=view, **parameters)

    return cast(F, blueprint_argument(reading_options(phase_option(compile_first))))


def lab_option(command: F) -> F:
    """Add `--lab`, which cuts the cluster to the part that a lab keeps, such as two units."""
    return click.option("--lab", metavar="CUT,...", help="Only a lab's part: 2su is two units; 2su,4n,8spine is less.")(
        command
    )


def output_option(command: F) -> F:
    """Add `-o`: a file, or standard output."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, allow_dash=True),
        default="-",
        help="File to write; - is standard output.",
    )(command)


def prices_option(command: F) -> F:
    """Add `--prices`, a CSV file of unit prices by part."""
    return click.option(
        "--prices",
        type=click.Path(dir_okay=False, path_type=Path),
        help="CSV of part,unit_price for the BOM.",
    )(command)


def fail_on_option(command: F) -> F:
    """Add `--fail-on`: the lowest severity at which findings fail the command."""
    return click.option(
        "--fail-on",
        type=click.Choice([*SEVERITIES, "never"]),
        default=None,
        help="Exit with 1 on findings of this severity or worse.  [default: the project's, else error]",
    )(command)


def settings_option(command: F) -> F:
    """Add `--settings`, the file of the project's settings; without it, the nearest one above the blueprint is read."""
    return click.option(
        "--settings",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The project's settings.  [default: the nearest .fabricgen.yaml above the blueprint]",
    )(command)


TABLE_FORMATS = ("csv", "json", "xlsx")


def table_format_option(command: F) -> F:
    """Add `--format`, which chooses one of the formats of a table."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(TABLE_FORMATS),
        default=None,
        help="Format of the table.  [default: by the file's suffix, else csv]",
    )(command)


def choose_format(form: str | None, output: str, formats: Sequence[str] = TABLE_FORMATS, default: str = "csv") -> str:
    """Return the format `form` if it is given, else the suffix of the file `output` if that is a format, else the
    default.
    """
    suffix = output.rpartition(".")[2].lower()
    return form or (suffix if suffix in formats else default)
