"""The input of the blocks of the page, and the compressed form of their columns."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fabricgen.bom.optics import OpticsPower, sum_device_optics
from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.design.model import Design
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.export.view.layout import Scene, lay_out_scene
from fabricgen.export.view.verification import Verification
from fabricgen.kernel.diagnostics import Diagnostic
from fabricgen.numbering.blocks.column import AddressColumn, IPv4Column, IPv6Column
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn
from fabricgen.wiring.tables import DeviceClass


@dataclass(frozen=True)
class PageExtras:
    """What a page may show in addition to the cluster itself.

    `findings` are those of lint, `changes` what `blocks.changes` shows of a comparison, `configs` the (path, content)
    of configurations if they are few, `verification` what `verify` found in the hall, and `prices` the unit prices by
    part in `currency`, if there is a price file.
    """

    findings: Sequence[Diagnostic] = ()
    changes: Mapping[str, Any] | None = None
    configs: Sequence[tuple[str, bytes]] = ()
    verification: Verification | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    currency: str = ""


@dataclass(frozen=True)
class PageSource:
    """A cluster with its drawing, which several blocks share, and what the page shows beside it."""

    cluster: Cluster
    beside: PageExtras = field(default_factory=PageExtras)

    @cached_property
    def scene(self) -> Scene:
        """The layout of the fabric view."""
        return lay_out_scene(self.cluster)

    @cached_property
    def optics(self) -> OpticsPower:
        """The power that optics draw in each device."""
        return sum_device_optics(self.cluster)


# Columns of numbers and texts are packed small, and decoded by the page when they are needed.
# A column of numbers is int32. Each number is replaced by its difference to the one before it, signs are folded in
# (0, -1, 1, -2 become 0, 1, 2, 3), and all lowest bytes stand before all second bytes, and so on: neighbours in a table
# are alike, so that most bytes are 0 and compress well. A column of texts is its vocabulary and a column of numbers
# into it.

Packed = dict[str, Any]
"""A column or table in the form in which the page gets it, ready for JSON."""

FEW_TEXTS = 40
"""Up to this many texts are not worth compressing."""


def pack_numbers(values: Any) -> str:
    """Return a column of whole numbers (int32 or anything within its range) as compressed base64 text.

    Raises OverflowError if a number does not fit 32 bits.
    """
    column = np.asarray(values, dtype=np.int64)
    if len(column) and (column.min() < -(1 << 31) or column.max() >= 1 << 31):
        raise OverflowError("a number does not fit 32 bits")
    steps = np.diff(column, prepend=0).astype(np.int64)
    steps = ((steps + (1 << 31)) % (1 << 32) - (1 << 31)).astype(np.int64)  # wraps, as the sum does
    # zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, so that small steps have three bytes of zeros
    folded = ((steps << 1) ^ (steps >> 63)).astype(np.uint32)
    # all lowest bytes first, then the next ones: runs of zeros compress well
    planes = folded.view(np.uint8).reshape(-1, 4).T if folded.dtype.byteorder in "<=" else folded
    return _compress_bytes(np.ascontiguousarray(planes).tobytes())


def pack_words(values: Any) -> str:
    """Return a column of unsigned 32-bit words, packed as the signed numbers that have the same bits."""
    return pack_numbers(np.asarray(values).astype(np.uint64).astype(np.uint32).view(np.int32))


def pack_texts(texts: Sequence[Any]) -> list[Any] | str:
    """Return texts or numbers as a list, or as compressed JSON if they are many or long."""
    if len(texts) <= FEW_TEXTS and sum(len(str(text)) for text in texts) < FEW_TEXTS * FEW_TEXTS:
        return list(texts)
    return _compress_bytes(json.dumps(list(texts), ensure_ascii=False, separators=(",", ":")).encode())


def pack_addresses(column: AddressColumn) -> list[str]:
    """Return addresses as packed columns of 32-bit words, the highest word first.

    IPv4 has one column, IPv6 four; a missing address is 0.
    """
    if isinstance(column, IPv4Column):
        return [pack_words(column.values)]
    assert isinstance(column, IPv6Column)  # noqa: S101 - there are two families
    low = np.uint64(0xFFFFFFFF)
    return [pack_words(word) for half in (column.high, column.low) for word in (half >> np.uint64(32), half & low)]


def pack_reference(table: str, name: str, rows: Any) -> Packed:
    """Return a packed column with the values of column `name` of table `table`, of which only the row numbers are
    stored.
    """
    return {"table": table, "column": name, "numbers": pack_numbers(rows)}


def _compress_bytes(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def pack_column(column: Sequence[Any] | Packed) -> Packed:
    """Return a column in packed form: whole numbers as `numbers`; texts as their distinct values (`of`) and the index
    of each row's value (`codes`); a concatenated column as the list of its columns and texts (`join`). A packed column
    is returned as it is.
    """
    if isinstance(column, ConcatenatedColumn):
        return {"join": [part if isinstance(part, str) else pack_column(part) for part in column.parts]}
    if isinstance(column, dict):
        return column
    if isinstance(column, EncodedColumn):
        return _pack_vocabulary(column.vocabulary.tolist(), column.codes)
    array = column if isinstance(column, np.ndarray) else np.array(list(column), dtype=object)
    if array.dtype.kind in "iu":
        return {"numbers": pack_numbers(array)}
    number_by_value: dict[Any, int] = {}
    codes = [number_by_value.setdefault(value, len(number_by_value)) for value in array.tolist()]
    return _pack_vocabulary(list(number_by_value), np.array(codes, dtype=np.int64))


def _pack_vocabulary(vocabulary: list[Any], codes: Any) -> Packed:
    """Return a packed dictionary-encoded column; its vocabulary has each value once, and only values that a row has."""
    used, codes = np.unique(codes, return_inverse=True)
    number_by_value: dict[Any, int] = {}
    numbers = [number_by_value.setdefault(vocabulary[i], len(number_by_value)) for i in used.tolist()]
    return {"of": pack_texts(list(number_by_value)), "codes": pack_numbers(np.array(numbers, dtype=np.int64)[codes])}


def pack_table(columns: Mapping[str, Any], rows: int | None = None) -> Packed:
    """Return a packed table: its columns, and its number of rows, by default the length of its first column."""
    rows = len(next(iter(columns.values()), ())) if rows is None else rows
    return {"rows": rows, "columns": {name: pack_column(column) for name, column in columns.items()}}


def count_accelerators(cls: DeviceClass) -> int:
    """Return the number of accelerators of one device of a class; 0 for devices without any."""
    accelerators = cls.profile.accelerators if isinstance(cls.profile, NodeProfile) else None
    return accelerators.count if accelerators else 0


def find_domain(cls: DeviceClass, design: Design) -> ScaleUpDesign | None:
    """Return the scale-up domains that devices of a class form, or None if they form none."""
    if not isinstance(cls.profile, NodeProfile):
        return None
    profile_ids = (cls.profile.scale_up, *cls.profile.scale_up_too)
    return next((domain for domain in design.scale_up if domain.profile.id in profile_ids), None)
