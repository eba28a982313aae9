"""Which plug reaches each planned port, and the connector that the plug is in, as its label says: `33/2`.

All of it is read from cables.csv, so that a blueprint and a folder built from it give the same answer. The labels of a
row say which connectors the row takes at both ends (`33/1+2`: two jumpers, which share the links of the row in order);
the part says how many pieces the cable is made of (`2x ...`); and the id says which connector of a cage the cable hangs
on (`DEVICE:4.2`). A piece is a jumper with a plug at each end, or a splitter with tails and one plug at its common end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabricgen.bom.sets import JOINT, split_set
from fabricgen.numbering.lazy_columns import EncodedColumn, Strings, encode_column
from fabricgen.wiring.arrays import Flags, Ints, Ints64

_RANGE = re.compile(r"(\d+)[+-](\d+)")


@dataclass(frozen=True)
class Connectors:
    """The plug and connector of each port (numbered as in PlannedCabling).

    `plug` (int32) numbers plugs from 0; `code` (int32) is an index into `texts`, the names of connectors; `split`
    (bool) says whether the plug is the common end of a splitter.
    """

    plug: Ints
    code: Ints
    texts: Strings
    split: Flags


@dataclass(frozen=True)
class _CableEndCodes:
    """One end (a or b) of the rows of cables.csv: `code` (int32, by row) is an index into the three lists.

    The lists have one entry for each distinct end: `cage`; `parts`, the numbers behind the cage (`1` and `2` of
    `33/1/2`); and `count`, how many jumpers a row with that end stands for.
    """

    code: Ints
    cage: list[str]
    parts: list[list[str]]
    count: list[int]

    def list_by_row(self, values: list[int]) -> Ints64:
        """Return a value for each row (int64), from one value for each distinct end."""
        numbers: Ints64 = np.array([*values, 0], dtype=np.int64)[self.code]
        return numbers


def read_sockets(labels: list[str]) -> tuple[EncodedColumn, EncodedColumn]:
    """Return what stands behind the place at the near and the far end of each label.

    A label reads `PLACE:SOCKET PORT > PLACE:SOCKET PORT`; its part `SOCKET PORT` is returned.
    """
    near: dict[str, int] = {}
    far: dict[str, int] = {}
    codes = np.empty((2, len(labels)), dtype=np.int32)
    for row, label in enumerate(labels):
        near_end, _, far_end = label.partition(" > ")
        codes[0, row] = near.setdefault(near_end.partition(":")[2], len(near))
        codes[1, row] = far.setdefault(far_end.partition(":")[2], len(far))
    return encode_column(list(near), codes[0]), encode_column(list(far), codes[1])


def find_connectors(
    cables: Mapping[str, Any], sockets: tuple[EncodedColumn, EncodedColumn], row_cable: Ints, row: Ints
) -> Connectors:
    """Find the plug and the connector of each planned port.

    `cables` are the columns of cables.csv, and `sockets` what `read_sockets` returns of the a ends and of the b ends.
    `row_cable` (int32) is the cable of each row of cables.csv, `row` (int32) the row of each link.
    """
    # how many rows of cables.csv the cable of each row has
    several = np.bincount(row_cable, minlength=1)[row_cable]
    common_b, has_socket = _find_common_ends(cables)
    pieces = _count_pieces(cables["part"], several, common_b)
    ends = [_read_ends(cables[f"{letter}_cage"], socket) for letter, socket in zip("ab", sockets, strict=True)]
    jumpers = np.maximum(*(end.list_by_row(end.count) for end in ends))
    nth = _number_jumpers(row, jumpers)
    plug, code = np.empty(2 * len(row), dtype=np.int64), np.empty(2 * len(row), dtype=np.int64)
    split = np.zeros(2 * len(row), dtype=bool)
    texts: list[str] = []
    width = int(max(jumpers.max(initial=1), pieces.max(initial=1), several.max(initial=1)))
    for side, end in enumerate(ends):
        numbers = end.list_by_row([len(parts) for parts in end.parts])
        is_common = common_b == bool(side)
        # a label counts the tails of a splitter: it has one number more than the connector (if any) and the piece of
        # the cable (if there are several) take. These links share the plug at the common end.
        tail = is_common & (numbers > has_socket.astype(np.int64) + (pieces > 1)) & (several >= 1)
        piece = end.list_by_row([int(parts[-2]) if len(parts) > 1 else 0 for parts in end.parts]) * (pieces > 1)
        # common plugs are numbered by cable and piece, after all plugs that are numbered by row, end and jumper
        shared = (2 * len(row_cable) + row_cable.astype(np.int64)) * width + np.minimum(piece, width - 1)
        plug[side::2] = np.where(tail[row], shared[row], (2 * row.astype(np.int64) + side) * width + nth)
        split[side::2] = tail[row]
        # (code of the end, is it a tail, jumper) as one number: each text is made once
        keys, where = np.unique((end.code[row].astype(np.int64) * 2 + tail[row]) * width + nth, return_inverse=True)
        code[side::2] = where + len(texts)
        texts += [
            _format_connector(end, key // width // 2, is_tail=key // width % 2 == 1, jumper=key % width)
            for key in keys.tolist()
        ]
    numbers_of_plugs = np.unique(plug, return_inverse=True)[1].astype(np.int32)
    return Connectors(numbers_of_plugs, *_merge_texts(code, texts), split)


def _find_common_ends(cables: Mapping[str, Any]) -> tuple[Flags, Flags]:
    """Return two flags for each row: whether the cable's id names its b end, and whether it hangs on one connector.

    An id names the cage of the common end as first planned, even if the cable was built into another cage.
    """
    ids = cables["cable"].texts()
    a, b = (cables[f"{side}_device"].texts() + ":" + cables[f"{side}_cage"].texts() for side in "ab")
    devices = cables["b_device"].texts() + ":"
    common_b = np.array([n.startswith(device) for n, device in zip(ids, devices, strict=True)], dtype=bool)
    # ids such as `DEVICE:4.2`, unless the cage itself is called `4.2`
    has_socket = [
        n not in (cage_a, cage_b) and "." in n.rpartition(":")[2] for n, cage_a, cage_b in zip(ids, a, b, strict=True)
    ]
    return common_b, np.array(has_socket, dtype=bool)


def _count_pieces(part: EncodedColumn, several: Ints64, common_b: Flags) -> Ints64:
    """Return how many pieces (jumpers or splitters) the cable of each row of cables.csv is made of; int64.

    `several` is the number of rows that the cable of each row has. The part of a patched cable lists the jumpers at
    both ends: for each end a set of jumpers, or one jumper for each leg.
    """
    listed = [str(text).split(JOINT) for text in part.vocabulary.tolist()]
    numbers = [(len(parts), split_set(parts[0])[0], split_set(parts[-1])[0]) for parts in listed]
    count, first, last = np.array(numbers, dtype=np.int64).reshape(-1, 3)[part.codes].T
    # a part that lists both ends has the a end first
    of_end = np.where((count > 1) & common_b, last, first)
    pieces: Ints64 = np.where((several > 1) & (count == 2 * several), several * first, of_end)
    return pieces


def _read_ends(cage: EncodedColumn, socket: EncodedColumn) -> _CableEndCodes:
    # the cage and the numbers behind it at one end of each row, from its cage and the socket on its label.
    # There are few pairs of cage and socket among many rows: each pair is parsed once.
    key = cage.codes.astype(np.int64) * max(len(socket.vocabulary), 1) + socket.codes
    keys, code = np.unique(key, return_inverse=True)
    cages, parts, counts = [], [], []
    for cage_code, socket_code in zip(*divmod(keys, max(len(socket.vocabulary), 1)), strict=True):
        cage_text, socket_text = str(cage.vocabulary[cage_code]), str(socket.vocabulary[socket_code])
        # a socket that does not begin with its cage is that of a box without numbered cages
        numbers = (
            socket_text[len(cage_text) :].partition(" ")[0].split("/")[1:] if socket_text.startswith(cage_text) else []
        )
        jumper_range = _RANGE.fullmatch(numbers[-1]) if numbers else None
        cages.append(cage_text)
        parts.append([*numbers[:-1], jumper_range[1]] if jumper_range else numbers)
        counts.append(int(jumper_range[2]) - int(jumper_range[1]) + 1 if jumper_range else 1)
    return _CableEndCodes(code.astype(np.int32), cages, parts, counts)


def _number_jumpers(row: Ints, jumpers: Ints64) -> Ints64:
    """Return which jumper of its row each link runs over, from 0 (int64): the links are shared evenly, in order."""
    order = np.argsort(row, kind="stable")
    links = np.bincount(row, minlength=len(jumpers))
    nth = np.empty(len(row), dtype=np.int64)
    # links of a row follow each other in `order`: the position of each link, less that of the first link of its row
    nth[order] = np.arange(len(row)) - (np.cumsum(links) - links)[row[order]]
    jumper: Ints64 = nth * jumpers[row] // links[row]
    return jumper


def _format_connector(end: _CableEndCodes, code: int, is_tail: bool, jumper: int) -> str:
    """Return the name of a connector: the cage and the numbers behind it, without the number of a tail."""
    parts = end.parts[code][:-1] if is_tail else list(end.parts[code])
    if end.count[code] > 1:
        parts[-1] = str(int(parts[-1]) + jumper)
    return "/".join([end.cage[code], *parts])


def _merge_texts(code: Ints64, texts: list[str]) -> tuple[Ints, Strings]:
    """Return codes (int32) and texts in which each text occurs once, for codes into texts with repetitions."""
    codes: dict[str, int] = {}
    numbers = np.array([codes.setdefault(text, len(codes)) for text in texts], dtype=np.int32)
    return numbers[code] if len(code) else code.astype(np.int32), np.array(list(codes), dtype=object)
