"""Tables as text with a row of dashes below the names of their columns, as SONiC prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from fabricgen.verify.dumps._content import split_lines

_RULE = re.compile(r"\s*-{2,}(?:\s+-{2,})+\s*")
_DASHES = re.compile(r"-+")
_GAP = re.compile(r"\s{2,}")
_LONGEST_LINE = 10_000


def read_rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line number, value by column) of each row of all tables in a text.

    Columns are two or more blanks apart; a row with empty cells is cut where the dashes are.
    """
    names: list[str] = []
    spans: list[tuple[int, int]] = []
    previous_line = ""
    for number, line in split_lines(text):
        if len(line) > _LONGEST_LINE:
            continue
        if _RULE.fullmatch(line):
            names = _GAP.split(previous_line.strip())
            spans = [dash_run.span() for dash_run in _DASHES.finditer(line)]
        elif names and line.strip():
            cells = _GAP.split(line.strip())
            # a cell is empty, or contains two blanks: only the dashes tell where columns begin
            if len(cells) != len(names):
                cells = [line[start:end].strip() for start, end in spans if start < len(line)]
            yield number, dict(zip(names, cells, strict=False))
        elif not line.strip():
            names = []
        previous_line = line


def has_columns(text: str, *columns: str) -> bool:
    """Whether a table with these columns begins early in the text."""
    for line, rule in pairwise(text[:65536].split("\n")):
        if _RULE.fullmatch(rule) and set(columns) <= set(_GAP.split(line.strip())):
            return True
    return False
