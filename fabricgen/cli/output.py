"""Write results to standard output, or to a file that is replaced atomically."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fabricgen.kernel.diagnostics import fault
from fabricgen.publish.replacing import replace_file


def write_output(target: str, content: bytes, *, binary: bool = False) -> None:
    """Write to a file or, for `-`, to standard output; if writing fails, an existing file is unchanged.

    Raises InputError when the file cannot be written, and click.UsageError for binary data on a terminal.
    """
    if target == "-":
        if binary and sys.stdout.isatty():
            raise click.UsageError("a workbook is no text for a terminal; name a file with -o")
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    path = Path(target).resolve()
    try:
        if path.exists() and not path.is_file():  # a device or pipe is written to, not replaced
            path.write_bytes(content)
            return
        replace_file(path, content)
    except OSError as error:
        raise fault("FG023", f"cannot write {target}: {error.strerror}") from error


def read_prices(path: Path | None) -> dict[str, float]:
    """Unit prices by part from a price file.

    Raises InputError (FG031), with file and line, for a file that is none.
    """
    from fabricgen.bom.prices import read_price_list

    return read_price_list(path).unit_prices if path else {}
