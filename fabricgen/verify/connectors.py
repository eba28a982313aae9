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
        """Return a value for each row (int64), from `values`, one for each distinct end."""
        # the 0 behind belongs to no end: it keeps an empty column int64
        numbers: Ints64 = np.array([*values, 0], dtype=np.int64)[self.code]
        return numbers


def read_sockets(labels: list[str]) -> tuple[EncodedColumn, EncodedColumn]:
    """Return what stands behind the place at the near and the far end of each label.

    A label reads `PLACE:SOCKET PORT > PLACE:SOCKET PORT`; its part `SOCKET PORT` is returned, one entry for each label,
    "" for an end that the label does not have.
    """
    near_sockets: dict[str, int] = {}
    far_sockets: dict[str, int] = {}
    codes = np.empty((2, len(labels)), dtype=np.int32)
    for row, label in enumerate(labels):
        near_end, _, far_end = label.partition(" > ")
        codes[0, row] = near_sockets.setdefault(near_end.partition(":")[2], len(near_sockets))
        codes[1, row] = far_sockets.setdefault(far_end.partition(":")[2], len(far_sockets))
    return encode_column(list(near_sockets), codes[0]), encode_column(list(far_sockets), codes[1])


def find_connectors(
    cables: Mapping[str, Any], sockets: tuple[EncodedColumn, EncodedColumn], row_cable: Ints, row: Ints
) -> Connectors:
    """Find the plug and the connector of each planned port.

    `cables` are the columns of cables.csv, and `sockets` what `read_sockets` returns of the a ends and of the b ends.
    `row_cable` (int32) is the cable of each row of cables.csv, `row` (int32) the row of each link.
    """
    # how many rows of cables.csv the cable of each row has
    rows_of_cable = np.bincount(row_cable, minlength=1)[row_cable]
    hangs_on_b, has_socket = _find_common_ends(cables)
    pieces_of_cable = _count_pieces(cables["part"], rows_of_cable, hangs_on_b)
    ends = [_read_ends(cables[f"{letter}_cage"], socket) for letter, socket in zip("ab", sockets, strict=True)]
    jumpers = np.maximum(*(end_codes.list_by_row(end_codes.count) for end_codes in ends))
    jumper_of_link = _number_jumpers(row, jumpers)
    plug_key, text_code = np.empty(2 * len(row), dtype=np.int64), np.empty(2 * len(row), dtype=np.int64)
    is_split = np.zeros(2 * len(row), dtype=bool)
    texts: list[str] = []
    most_per_row = int(max(jumpers.max(initial=1), pieces_of_cable.max(initial=1), rows_of_cable.max(initial=1)))
    for end_number, end_codes in enumerate(ends):
        number_count = end_codes.list_by_row([len(numbers_behind_cage) for numbers_behind_cage in end_codes.parts])
        is_common = hangs_on_b == bool(end_number)  # whether the cable hangs on this end (0: a, 1: b)
        # a label counts the tails of a splitter: it has one number more than the connector (if any) and the piece of
        # the cable (if there are several) take. These links share the plug at the common end.
        is_tail_row = (
            is_common & (number_count > has_socket.astype(np.int64) + (pieces_of_cable > 1)) & (rows_of_cable >= 1)
        )
        piece_number = end_codes.list_by_row(
            [
                int(numbers_behind_cage[-2]) if len(numbers_behind_cage) > 1 else 0
                for numbers_behind_cage in end_codes.parts
            ]
        ) * (pieces_of_cable > 1)
        # common plugs are numbered by cable and piece, after all plugs that are numbered by row, end and jumper
        common_plug_key = (2 * len(row_cable) + row_cable.astype(np.int64)) * most_per_row + np.minimum(
            piece_number, most_per_row - 1
        )
        plug_key[end_number::2] = np.where(
            is_tail_row[row],
            common_plug_key[row],
            (2 * row.astype(np.int64) + end_number) * most_per_row + jumper_of_link,
        )
        is_split[end_number::2] = is_tail_row[row]
        # (code of the end, is it a tail, jumper) as one number: each text is made once
        connector_keys, key_of_link = np.unique(
            (end_codes.code[row].astype(np.int64) * 2 + is_tail_row[row]) * most_per_row + jumper_of_link,
            return_inverse=True,
        )
        text_code[end_number::2] = key_of_link + len(texts)
        texts += [
            _format_connector(
                end_codes,
                connector_key // most_per_row // 2,
                is_tail=connector_key // most_per_row % 2 == 1,
                jumper=connector_key % most_per_row,
            )
            for connector_key in connector_keys.tolist()
        ]
    plug_numbers = np.unique(plug_key, return_inverse=True)[1].astype(np.int32)
    return Connectors(plug_numbers, *_merge_texts(text_code, texts), is_split)


def _find_common_ends(cables: Mapping[str, Any]) -> tuple[Flags, Flags]:
    """Return two flags for each row: whether the cable's id names its b end, and whether it names a single connector.

    An id names the cage of the common end as first planned, even if the cable was built into another cage; `DEVICE:4.2`
    names connector 2 of cage 4.
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


def _count_pieces(part_column: EncodedColumn, rows_of_cable: Ints64, hangs_on_b: Flags) -> Ints64:
    """Return, by row of cables.csv, of how many pieces (jumpers or splitters) the cable of the row is made; int64.

    A part in `part_column` is one set of pieces, such as `2x ...`. The part of a patched cable lists several sets,
    joined by JOINT: that of its a end and that of its b end, or, for a breakout, one set of jumpers for each leg at
    both ends. `rows_of_cable` has, by row, how many rows the cable has. `hangs_on_b` flags rows whose cable is named
    after its b end: its pieces are those of the last set.
    """
    listed = [str(text).split(JOINT) for text in part_column.vocabulary.tolist()]
    set_sizes = [(len(sets), split_set(sets[0])[0], split_set(sets[-1])[0]) for sets in listed]
    set_count, first_size, last_size = np.array(set_sizes, dtype=np.int64).reshape(-1, 3)[part_column.codes].T
    # a part that lists both ends has the a end first
    of_end = np.where((set_count > 1) & hangs_on_b, last_size, first_size)
    pieces: Ints64 = np.where(
        (rows_of_cable > 1) & (set_count == 2 * rows_of_cable), rows_of_cable * first_size, of_end
    )
    return pieces


def _read_ends(cage: EncodedColumn, socket: EncodedColumn) -> _CableEndCodes:
    """Read the cage and the numbers behind it at one end of each row of cables.csv.

    `cage` is the column of cages, and `socket` what the labels say behind the place of that end (`33/1+2 swp33s0`).
    """
    # there are few pairs of cage and socket among many rows: each pair is parsed once
    pair_of_row = cage.codes.astype(np.int64) * max(len(socket.vocabulary), 1) + socket.codes
    pairs, code_of_row = np.unique(pair_of_row, return_inverse=True)
    cages, numbers_behind_cage, jumper_counts = [], [], []
    for cage_code, socket_code in zip(*divmod(pairs, max(len(socket.vocabulary), 1)), strict=True):
        cage_text, socket_text = str(cage.vocabulary[cage_code]), str(socket.vocabulary[socket_code])
        # a socket that does not begin with its cage is that of a box without numbered cages
        numbers = (
            socket_text[len(cage_text) :].partition(" ")[0].split("/")[1:] if socket_text.startswith(cage_text) else []
        )
        jumper_range = _RANGE.fullmatch(numbers[-1]) if numbers else None
        cages.append(cage_text)
        numbers_behind_cage.append([*numbers[:-1], jumper_range[1]] if jumper_range else numbers)
        jumper_counts.append(int(jumper_range[2]) - int(jumper_range[1]) + 1 if jumper_range else 1)
    return _CableEndCodes(code_of_row.astype(np.int32), cages, numbers_behind_cage, jumper_counts)


def _number_jumpers(row: Ints, jumpers: Ints64) -> Ints64:
    """Return which jumper of its row each link runs over, from 0 (int64): the links are shared evenly, in order.

    `row` is the row of cables.csv of each link, `jumpers` the number of jumpers of each row.
    """
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
