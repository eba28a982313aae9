"""Writing results: to standard output, or to a file that is replaced whole."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import click

from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.kernel.replacing import replace_file


def write_output(target: str, content: bytes, *, binary: bool = False) -> None:
    """Write to a file or, for `-`, to standard output; an earlier file stays whole if writing fails.

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
        if path.exists() and not path.is_file():  # a device, a pipe: written into, never replaced
            path.write_bytes(content)
            return
        replace_file(path, content)
    except OSError as error:
        raise fault("FG023", f"cannot write {target}: {error.strerror}") from error


def read_prices(path: Path | None) -> dict[str, float]:
    """Read a price file: CSV with the columns part and unit_price.

    Raises InputError, with file and line, where it is not that.
    """
    if path is None:
        return {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream)
            if not {"part", "unit_price"} <= set(reader.fieldnames or ()):
                raise fault(
                    "FG031",
                    "a price file has the columns part and unit_price",
                    span=Span(str(path), 1, 1),
                    hint=f"found: {', '.join(reader.fieldnames or ()) or 'nothing'}",
                )
            return {row["part"].strip(): _price(row["unit_price"], path, reader.line_num) for row in reader}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise fault("FG031", f"cannot read {path}: {reason}") from error


def _price(text: str | None, path: Path, line: int) -> float:
    try:
        price = float(text or "")
    except ValueError:
        price = -1.0
    if not 0 <= price < 1e12:
        raise fault(
            "FG031",
            f"'{text}' is no price",
            span=Span(str(path), line, 1),
            hint="write a number such as 1250.00",
        )
    return price
