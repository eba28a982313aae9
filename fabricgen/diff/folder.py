"""Reading of the lists of a built folder by their documented columns; further columns are ignored."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path

from fabricgen.design.summary import round_number
from fabricgen.diff.listing import COLUMNS, NUMBERS, Listing, Lists, make_column
from fabricgen.kernel.diagnostics import InputError, Span, did_you_mean, fault
from fabricgen.publish.reading import NO_BUILD, Built

_HINT = "compare with a folder as `fabricgen build` wrote it, with devices, links and cables in it"
_KEYS = {"devices": ("device",), "links": ("a_device", "a_port"), "bom": ("part",)}
"""The columns whose cells together occur once in a list, by list."""
DRAWN = ("power_w", "optics_w", "drawn_w")
"""Columns of racks.csv, W: power of devices, of all optics, and of both with each optic counted once."""
_OPTIONAL = ("addresses", "bom", "patches")
"""Lists that a built folder may lack."""
_BLOCK = 256
"""Rows that are read at a time: few enough to stay in a processor's cache."""
_SHARED = ("part", "medium", "length_m")
"""Columns in which all rows of a cable must agree; the fabric is none, as legs of a splitter may differ in it."""


def read_lists(built: Built) -> Lists:
    """Read the lists in a folder that a build wrote; `addresses`, `bom` and `patches` may be missing.

    Raises InputError, naming the file, for a required list that is missing, for one that is malformed or built from
    another blueprint than the others (FG028), and for one that is not as it was built (FG054).
    """
    check_same_blueprint(built)
    cables = _read_list(built, "cables")
    _check_cables(built.folder / "cables.csv", cables)
    optional = {
        name: _read_list(built, name) if (built.folder / f"{name}.csv").exists() else None for name in _OPTIONAL
    }
    return Lists(
        _read_list(built, "devices"),
        _read_list(built, "links"),
        cables,
        **optional,
        in_devices_w=read_power_counted_twice(built),
    )


def read_power_counted_twice(built: Built) -> float | None:
    """Return the power of optics that is included in the maxima of their devices, W, by racks.csv.

    None if that file is missing, is not as it was built, is from another blueprint than the bill, or lacks the columns
    `DRAWN`, which older builds do not have. Raises InputError (FG028) for a malformed file in a folder without a
    manifest.
    """
    file = built.folder / "racks.csv"
    if not file.exists() or built.find_blueprint_digest(file.name) != built.find_blueprint_digest("bom.csv"):
        return None
    content = built.read_as_it_stands(file.name)
    names = content.partition(b"\n")[0].decode("utf-8", "replace").strip().split(",")
    if built.is_edited(file.name, content) or not set(DRAWN) <= set(names):
        return None
    columns = read_columns(file, content, DRAWN)
    for name, texts in zip(DRAWN, columns, strict=True):
        _normalize_numbers(file, name, texts, _spell_figure, may_lack=True)
    return sum_power_counted_twice(columns)


def sum_power_counted_twice(columns: Sequence[Sequence[str]]) -> float:
    """Return the power of optics that is included in the maxima of their devices, W.

    `columns` are the columns `DRAWN` of racks.csv, as text; "" counts as 0.
    """
    devices, optics, drawn = (sum(float(text or 0) for text in texts) for texts in columns)
    return round(devices + optics - drawn, 1)


def check_same_blueprint(built: Built) -> None:
    """Raise InputError (FG028) if the required lists were built from different blueprints, as by `build --only`."""
    files = ("devices.csv", "links.csv", "cables.csv")
    digests = {file: digest for file in files if (digest := built.find_blueprint_digest(file))}
    first = next(iter(digests), "")
    for file, digest in digests.items():
        if digest != digests[first]:
            path = built.folder / file
            message = f"{file} was built of another blueprint than {first}, by `build --only`"
            hint = "build the folder anew, without --only"
            raise fault(NO_BUILD, message, hint=hint, span=Span(str(path), 1, 1))


def _read_list(built: Built, name: str) -> Listing:
    file = f"{name}.csv"
    return parse_list(built.folder / file, built.read_as_built(file), name)


def parse_list(file: Path, content: bytes, name: str) -> Listing:
    """Return the list `name` (`bom`) from the content of its CSV file; raises InputError (FG028) for other content."""
    return normalize_list(file, name, read_columns(file, content, COLUMNS[name]))


def normalize_list(file: Path, name: str, texts: list[list[str]]) -> Listing:
    """Return a list from its columns, with numbers as a build spells them.

    `texts` are the columns of the list `name`, in the order of `COLUMNS`. Raises InputError (FG028) for a bad number
    and for a key that is listed twice.
    """
    columns = dict(zip(COLUMNS[name], texts, strict=True))
    for column in NUMBERS & columns.keys():
        convert = _spell_count if column in ("u", "asn", "quantity", "spares") else _spell_figure
        columns[column] = _normalize_numbers(
            file, column, columns[column], convert, may_lack=name != "links" and column != "length_m"
        )
    if name in _KEYS:
        _check_keys(file, list(zip(*(columns[key] for key in _KEYS[name]), strict=True)))
    return Listing({key: make_column(values) for key, values in columns.items()})


def read_columns(file: Path, content: bytes, names: tuple[str, ...]) -> list[list[str]]:
    """Return the columns `names` of a CSV file, in this order, each with a text for each row.

    Raises InputError (FG028) for a column that is missing or occurs twice, a row that is longer or shorter than the
    header, and content that is not CSV in UTF-8.
    """
    interned: dict[str, str] = {}
    columns: list[list[str]] = [[] for _ in names]
    for block in read_blocks(file, content, names):
        for column, texts in zip(columns, block, strict=True):
            column += [interned.setdefault(text, text) for text in texts]
    return columns


def read_blocks(file: Path, content: bytes, names: tuple[str, ...]) -> Iterator[list[tuple[str, ...]]]:
    """Yield the columns `names` of a CSV file, up to `_BLOCK` rows at a time: for each block a tuple of texts a column.

    Raises InputError as `read_columns` does.
    """
    try:
        reader = csv.reader(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline=""), strict=True)
        header = next(reader, [])
        pick, width, done = itemgetter(*_find_columns(file, header, names)), len(header), 0
        while rows := list(islice(reader, _BLOCK)):
            if set(map(len, rows)) != {width}:
                number, row = next((number, row) for number, row in enumerate(rows) if len(row) != width)
                raise _make_row_error(file, done + number, f"{len(row)} fields where the header has {width}")
            yield list(zip(*map(pick, rows), strict=True))
            done += len(rows)
    except (UnicodeDecodeError, csv.Error) as error:
        span = Span(str(file), 1, 1)
        raise fault(NO_BUILD, f"{file} is not a CSV file in UTF-8: {error}", hint=_HINT, span=span) from error


def _find_columns(file: Path, header: list[str], names: tuple[str, ...]) -> list[int]:
    # the index of each column in a header; raises InputError for a column that is there twice, else for a missing one
    for name in sorted(names, key=lambda name: -header.count(name)):
        if header.count(name) != 1:
            problem = f"has no column '{name}'" if name not in header else f"has column '{name}' twice"
            hint = _HINT if name in header else did_you_mean(name, header) or _HINT
            raise fault(NO_BUILD, f"{file} {problem}", hint=hint, span=Span(str(file), 1, 1))
    return [header.index(name) for name in names]


def _normalize_numbers(
    file: Path, name: str, texts: list[str], spell: Callable[[str], str], *, may_lack: bool
) -> list[str]:
    """Return the column `name` of numbers as a build spells them; every distinct text is parsed once.

    Raises InputError (FG028) for a text that is no number; "" is allowed only if cells `may_lack` a value.
    """
    spelled: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        try:
            spelled[text] = "" if may_lack and not text else spell(text)
        except ValueError as error:
            raise _make_row_error(file, texts.index(text), f"{name} '{text}' is not a number") from error
    return [spelled[text] for text in texts]


def _spell_count(text: str) -> str:
    if not (text.isascii() and text.isdigit()) or len(text) > 20:
        raise ValueError(text)
    return str(int(text))


def _spell_figure(text: str) -> str:
    """Return a number as a build writes it; raises ValueError if it is negative or not finite."""
    value = float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError(text)
    return str(round_number(value))


def _check_keys(file: Path, keys: list[tuple[str, ...]]) -> None:
    """Raise InputError at the line of the first key that is listed twice."""
    if len(set(keys)) < len(keys):
        earlier: set[tuple[str, ...]] = set()
        for i, key in enumerate(keys):
            if key in earlier:
                raise _make_row_error(file, i, f"{' '.join(key)} is listed twice")
            earlier.add(key)


def _check_cables(file: Path, cables: Listing) -> None:
    """Raise InputError if rows of one cable (a breakout has several) disagree on its properties."""
    properties: dict[str, tuple[str, ...]] = {}
    facts = zip(*(cables[name].tolist() for name in _SHARED), strict=True)
    for i, (cable, row) in enumerate(zip(cables["cable"].tolist(), facts, strict=True)):
        if properties.setdefault(cable, row) != row:
            raise _make_row_error(file, i, f"cable {cable} has rows of different part, medium or length")


def _make_row_error(file: Path, row: int, message: str) -> InputError:
    """Make the error for a data row, counted from 0; lines count from 1, and the first one is the header."""
    return fault(NO_BUILD, message, hint=_HINT, span=Span(str(file), row + 2, 1))
