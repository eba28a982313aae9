"""All that dumps say, as columns: one row a port of a device that was dumped."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.kernel.diagnostics import printable
from fabricgen.verify.dumps.sighting import Box, Dump, is_aggregation_node
from fabricgen.wiring.tables import Ints

if TYPE_CHECKING:
    import numpy.typing as npt

    Bytes = npt.NDArray[np.uint8]

MOST_PORTS, MOST_ROWS, MOST_NAMES = 200_000, 8_000_000, 1_200_000
"""The most ports of a device that is dumped, and rows, boxes and names of ports of a file: more are no hall."""

MOST_CHARACTERS = 510
"""The longest text that is kept of a dump: what an LLDP TLV carries, less its subtype (IEEE 802.1AB, 8.4)."""

_WITHIN_A_SWITCH = -2
"""In place of the number of a box that is part of a switch and no neighbour of it."""


class TooMuchError(Exception):
    """A dump tells more than any hall has."""


@dataclass(frozen=True, slots=True)
class Sightings:
    """Ports of dumped devices and what they see; columns of one length, and tables of distinct boxes and texts.

    int32 columns: `owner` and `neighbor` index `boxes` (-1: no neighbour), `port`, `far_port` and `far_text` index
    `texts`, of which the first is "". `state` is uint8, of `dumps.sighting`. `agents` has how each dumped box knows,
    `lists_all` the dumped boxes whose other ports see nobody, by index of `boxes`.
    """

    boxes: tuple[Box, ...]
    texts: tuple[str, ...]
    owner: Ints
    port: Ints
    neighbor: Ints
    far_port: Ints
    far_text: Ints
    state: Bytes
    agents: dict[int, str]
    lists_all: frozenset[int]

    def __len__(self) -> int:
        return len(self.owner)


class _Numbers(dict[Any, int]):
    """Numbers things as they are asked for, from 0."""

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        return number


@dataclass
class SightingsBuilder:
    """Collects dumps into columns; what each dump yields is not kept."""

    _boxes: _Numbers = field(default_factory=_Numbers)
    _texts: _Numbers = field(default_factory=lambda: _Numbers({"": 0}))
    _columns: tuple[array[int], ...] = field(default_factory=lambda: tuple(array("i") for _ in range(5)))
    _state: bytearray = field(default_factory=bytearray)
    _agents: dict[int, str] = field(default_factory=dict)
    _lists_all: set[int] = field(default_factory=set)

    def add(self, dump: Dump) -> None:
        """Add the ports of a device, column by column, which is much faster than row by row.

        Raises TooMuchError for what would fill the memory.
        """
        owner = self._boxes[dump.box]
        self._agents[owner] = dump.agent
        if dump.lists_all:
            self._lists_all.add(owner)
        rows = tuple(islice(dump.sightings, MOST_PORTS + 1))
        if len(rows) > MOST_PORTS:
            raise TooMuchError(f"it has more than {MOST_PORTS:,} ports of one device")
        columns = tuple(zip(*rows, strict=True))
        if not columns:
            return
        port, neighbor, far_port, far_text, state = columns
        box, text = self._boxes.__getitem__, self._texts.__getitem__
        numbers = (
            repeat(owner, len(port)),
            map(text, port),
            (-1 if each is None else box(each) for each in neighbor) if None in neighbor else map(box, neighbor),
            map(text, far_port),
            map(text, far_text),
        )
        for column, more in zip(self._columns, numbers, strict=True):
            column.extend(more)
        self._state.extend(state)
        if len(self._state) > MOST_ROWS or len(self._boxes) > MOST_NAMES or len(self._texts) > MOST_NAMES:
            raise TooMuchError(f"it has more than {MOST_ROWS:,} rows, or than {MOST_NAMES:,} devices or ports")

    def columns(self) -> Sightings:
        """All that was added."""
        columns = [np.frombuffer(column, dtype=np.int32) if column else _none() for column in self._columns]
        owner, port, neighbor, far_port, far_text = columns
        state = np.frombuffer(bytes(self._state), dtype=np.uint8)
        boxes, texts = tuple(self._boxes), tuple(self._texts)
        told = dict(self._agents), frozenset(self._lists_all)
        return Sightings(boxes, texts, owner, port, neighbor, far_port, far_text, state, *told)


def joined(parts: Iterable[Sightings]) -> Sightings:
    """Sightings of several files as one, in their order, without what SHARP's aggregation nodes see and show.

    Control characters in texts are spelled out, and texts that no protocol carries are cut.
    """
    boxes: dict[Box, int] = {}
    texts: dict[str, int] = {"": 0}
    columns: list[list[Ints]] = [[] for _ in range(5)]
    states, agents, lists_all = [], dict[int, str](), set[int]()
    for part in parts:
        box = np.array(
            [
                _WITHIN_A_SWITCH if is_aggregation_node(each) else boxes.setdefault(_printable(each), len(boxes))
                for each in part.boxes
            ]
            + [-1],
            dtype=np.int32,
        )
        # ports keep the form of a name: a number of any length is one of no port that there is
        names = (printable(each[:MOST_CHARACTERS]) for each in part.texts)
        text = np.array([texts.setdefault(name, len(texts)) for name in names], dtype=np.int32)
        renumbered = box[part.owner], text[part.port], box[part.neighbor], text[part.far_port], text[part.far_text]
        kept = (renumbered[0] != _WITHIN_A_SWITCH) & (renumbered[2] != _WITHIN_A_SWITCH)
        for column, more in zip(columns, renumbered, strict=True):
            column.append(more[kept])
        states.append(part.state[kept])
        owners = {owner for owner in part.agents if box[owner] != _WITHIN_A_SWITCH}
        agents |= {int(box[owner]): agent for owner, agent in part.agents.items() if owner in owners}
        lists_all |= {int(box[owner]) for owner in part.lists_all & owners}
    whole = [np.concatenate(column) if column else _none() for column in columns]
    state = np.concatenate(states) if states else np.zeros(0, dtype=np.uint8)
    owner, port, neighbor, far_port, far_text = whole
    return Sightings(
        tuple(boxes), tuple(texts), owner, port, neighbor, far_port, far_text, state, agents, frozenset(lists_all)
    )


def _printable(box: Box) -> Box:
    if all(map(str.isprintable, box)) and len(box.name) <= MOST_CHARACTERS >= len(box.address):
        return box
    return Box(_shortened(box.name), box.chassis, _shortened(box.address), printable(box.file))


def _shortened(text: str) -> str:
    """A text that can be printed, of so many characters at most, and how many it had."""
    if len(text) > MOST_CHARACTERS:
        text = f"{text[: MOST_CHARACTERS - 55]}... ({len(text):,} characters)"
    return text if text.isprintable() else printable(text)


def _none() -> Ints:
    return np.zeros(0, dtype=np.int32)
