"""Facts from the lists of a built folder, by their contract columns; further columns are passed over."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

from fabricgen.design.summary import whole
from fabricgen.diff.inventory import CableEnd, CableFacts, DeviceFacts, LinkFacts, LinkKey
from fabricgen.kernel.diagnostics import InputError, Span, did_you_mean, fault

_CODE = "FG028"
_HINT = "compare with a folder as `fabricgen build` wrote it, with devices, links and cables in it"

_Key = TypeVar("_Key", bound=Hashable)
_Row = TypeVar("_Row")
_Value = TypeVar("_Value")


def read_devices(folder: Path) -> dict[str, DeviceFacts]:
    """Devices by name, from devices.csv; raises InputError for a bad file."""
    file = folder / "devices.csv"
    names, fabric, tier, model, nos, rack, u, asn, loopback, mgmt = _columns(file, ("device", *DeviceFacts._fields))
    facts = zip(
        fabric,
        tier,
        model,
        nos,
        rack,
        _converted(file, "u", u, _count),
        _converted(file, "asn", asn, _count),
        loopback,
        mgmt,
        strict=True,
    )
    return _keyed(file, names, map(DeviceFacts._make, facts))


def read_links(folder: Path) -> dict[LinkKey, LinkFacts]:
    """Links by their lower end, from links.csv; raises InputError for a bad file."""
    file = folder / "links.csv"
    a_device, a_port, fabric, b_device, b_port, speed, a_ip, b_ip = _columns(
        file, ("a_device", "a_port", *LinkFacts._fields)
    )
    speeds = _converted(file, "speed_gbps", speed, _figure)
    facts = zip(fabric, b_device, b_port, speeds, a_ip, b_ip, strict=True)
    return _keyed(file, list(zip(a_device, a_port, strict=True)), map(LinkFacts._make, facts))


def read_cables(folder: Path) -> dict[str, CableFacts]:
    """Cables by id, from cables.csv, where a breakout has several rows; raises InputError for a bad file."""
    file = folder / "cables.csv"
    ids, fabric, medium, length, *ends = _columns(
        file, ("cable", "fabric", "medium", "length_m", "a_device", "a_cage", "b_device", "b_cage")
    )
    facts = zip(fabric, medium, _converted(file, "length_m", length, _figure), strict=True)
    about: dict[str, tuple[str, str, int | float]] = {}
    joined: dict[str, list[CableEnd]] = {}
    for i, (cable, row, end) in enumerate(zip(ids, facts, zip(*ends, strict=True), strict=True)):
        if about.setdefault(cable, row) != row:
            raise _malformed(file, i, f"cable {cable} has rows of different fabric, medium or length")
        joined.setdefault(cable, []).append(end)
    return {cable: CableFacts(*about[cable], tuple(sorted(found))) for cable, found in joined.items()}


def _columns(file: Path, names: Sequence[str]) -> list[list[str]]:
    """The named columns of a CSV file, as text."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            header = next(reader, [])
            pick, width = itemgetter(*_places(file, header, names)), len(header)
            rows: list[tuple[str, ...]] = []
            for row in reader:
                if len(row) != width:
                    raise _malformed(file, len(rows), f"{len(row)} fields where the header has {width}")
                rows.append(pick(row))
    except OSError as error:
        raise fault(_CODE, f"{file}: {error.strerror or error}", hint=_HINT) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise fault(_CODE, f"{file} is not a CSV file in UTF-8: {error}", hint=_HINT) from error
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in names]


def _places(file: Path, header: list[str], names: Sequence[str]) -> list[int]:
    for name in names:
        if header.count(name) != 1:
            what = f"has no column '{name}'" if name not in header else f"has column '{name}' twice"
            hint = _HINT if name in header else did_you_mean(name, header) or _HINT
            raise fault(_CODE, f"{file} {what}", hint=hint, span=Span(str(file), 1, 1))
    return [header.index(name) for name in names]


def _converted(file: Path, name: str, texts: list[str], convert: Callable[[str], _Value]) -> list[_Value]:
    """A column of numbers; every distinct text is read once."""
    known: dict[str, _Value] = {}
    for text in dict.fromkeys(texts):
        try:
            known[text] = convert(text)
        except ValueError as error:
            raise _malformed(file, texts.index(text), f"{name} '{text}' is not a number") from error
    return [known[text] for text in texts]


def _count(text: str) -> int | None:
    if text and not (text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text) if text else None


def _figure(text: str) -> int | float:
    value = float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError(text)
    return whole(value)


def _keyed(file: Path, keys: list[_Key], rows: Iterable[_Row]) -> dict[_Key, _Row]:
    found = dict(zip(keys, rows, strict=True))
    if len(found) < len(keys):
        seen: set[_Key] = set()
        for i, key in enumerate(keys):
            if key in seen:
                what = key if isinstance(key, str) else " ".join(map(str, key if isinstance(key, tuple) else (key,)))
                raise _malformed(file, i, f"{what} is listed twice")
            seen.add(key)
    return found


def _malformed(file: Path, row: int, message: str) -> InputError:
    """A fault in a data row, counted from 0."""
    return fault(_CODE, message, hint=_HINT, span=Span(str(file), row + 2, 1))
