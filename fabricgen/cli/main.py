"""The command line: commands are found by folder, faults end in exit codes, never in tracebacks."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn, cast

import click

from fabricgen import __version__
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import InputError, make_printable

COMMANDS = "fabricgen.cli.commands"

EXIT_FINDINGS, EXIT_INPUT, EXIT_DEFECT, EXIT_INTERRUPTED = 1, 2, 3, 130
"""Exit codes: findings or differences; input that cannot be used; a defect of ours; interrupted by the user."""


class _Commands(click.Group):
    """Loads a command's module when the command is asked for, since start-up has to be fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name.replace("_", "-") for name in discovery.list_modules(COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        try:
            return cast(click.Command, discovery.load_module(COMMANDS, cmd_name.replace("-", "_")).command)
        except KeyError:
            return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command as click does; fail with a hint for a command that does not exist."""
        from fabricgen.kernel.diagnostics import did_you_mean

        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            ctx.fail(f"there is no command '{name}'. {did_you_mean(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 fine, 1 findings or differences, 2 unusable input, 3 a defect of fabricgen.",
)
@click.version_option(__version__, prog_name="fabricgen")
def cli() -> None:
    """Compile one page of YAML into an AI cluster's wiring, addresses, switch configs and bill of materials."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with its code."""
    # numpy's BLAS would start a thread a processor, and pydantic look for plug-ins among all packages installed.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    code = run_command(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: to end is all that is left
    if code == EXIT_INTERRUPTED:
        os._exit(code)  # not by way of what may be half imported
    gc.freeze()  # or Python looks through all that is loaded several times before it ends: a tenth of a lint
    sys.exit(code)


def run_command(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code; messages for people go to standard error."""
    try:
        code = cli.main(args=arguments, prog_name="fabricgen", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except InputError as error:
        for diagnostic in error.diagnostics:
            click.echo(diagnostic.text(), err=True)
        return EXIT_INPUT
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("fabricgen: interrupted; no file is left half-written", err=True)
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        return EXIT_INPUT
    except BrokenPipeError:
        # nobody reads on: what Python flushes at its end goes nowhere, and raises nothing
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        click.echo(
            "fabricgen: there is not enough memory for this: is one of its files larger than it should be?", err=True
        )
        return EXIT_INPUT
    except OSError as error:
        named = (
            f"{make_printable(os.fsdecode(error.filename))[:255]}: " if isinstance(error.filename, str | bytes) else ""
        )
        click.echo(f"fabricgen: {named}{error.strerror or error}", err=True)
        return EXIT_INPUT
    except Exception as error:  # noqa: BLE001 - the one place where defects of ours end
        return _report_defect(error)


def _report_defect(error: Exception) -> int:
    """Print an exception that should not occur, and where it came from; return the exit code."""
    if os.environ.get("FABRICGEN_TRACEBACK"):
        raise error
    trace = error.__traceback__
    # to the innermost frame
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    location = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})" if trace else ""  # noqa: PTH119
    click.echo(f"fabricgen: a defect of ours, not of your input: {type(error).__name__}: {error}{location}", err=True)
    click.echo("Please report it with the blueprint; FABRICGEN_TRACEBACK=1 shows where it happened.", err=True)
    return EXIT_DEFECT
