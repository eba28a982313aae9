"""All that dumps say, as columns: one row a port of a device that was dumped."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box, Dump, is_aggregation_node
from fabricgen.wiring.arrays import Flags, Ints

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


class _Numberer(dict[Any, int]):
    """Numbers things as they are asked for, from 0."""

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        return number


@dataclass
class SightingsBuilder:
    """Collects dumps into columns; what each dump yields is not kept."""

    _boxes: _Numberer = field(default_factory=_Numberer)
    _texts: _Numberer = field(default_factory=lambda: _Numberer({"": 0}))
    _columns: tuple[array[int], ...] = field(default_factory=lambda: tuple(array("i") for _ in range(5)))
    _state: bytearray = field(default_factory=bytearray)
    _agents: dict[int, str] = field(default_factory=dict)
    _lists_all: set[int] = field(default_factory=set)

    def add_dump(self, dump: Dump) -> None:
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
        # one iterable a column, taken as a whole by `extend`
        numbers = (
            repeat(owner, len(port)),
            map(text, port),
            (-1 if far_box is None else box(far_box) for far_box in neighbor)
            if None in neighbor
            else map(box, neighbor),
            map(text, far_port),
            map(text, far_text),
        )
        for column, more in zip(self._columns, numbers, strict=True):
            column.extend(more)
        self._state.extend(state)
        if len(self._state) > MOST_ROWS or len(self._boxes) > MOST_NAMES or len(self._texts) > MOST_NAMES:
            raise TooMuchError(f"it has more than {MOST_ROWS:,} rows, or than {MOST_NAMES:,} devices or ports")

    def make_sightings(self) -> Sightings:
        """All that was added."""
        columns = [
            np.frombuffer(column, dtype=np.int32) if column else _make_empty_column() for column in self._columns
        ]
        owner, port, neighbor, far_port, far_text = columns
        state = np.frombuffer(bytes(self._state), dtype=np.uint8)
        boxes, texts = tuple(self._boxes), tuple(self._texts)
        about_boxes = dict(self._agents), frozenset(self._lists_all)
        return Sightings(boxes, texts, owner, port, neighbor, far_port, far_text, state, *about_boxes)


def join_sightings(parts: Iterable[Sightings]) -> Sightings:
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
                _WITHIN_A_SWITCH if is_aggregation_node(raw) else boxes.setdefault(_make_printable(raw), len(boxes))
                for raw in part.boxes
            ]
            # so that -1, no neighbour, stays -1 when it is an index
            + [-1],
            dtype=np.int32,
        )
        # ports keep the form of a name: a number of any length is one of no port that there is
        names = (make_printable(raw[:MOST_CHARACTERS]) for raw in part.texts)
        text = np.array([texts.setdefault(name, len(texts)) for name in names], dtype=np.int32)
        renumbered = box[part.owner], text[part.port], box[part.neighbor], text[part.far_port], text[part.far_text]
        is_kept = (renumbered[0] != _WITHIN_A_SWITCH) & (renumbered[2] != _WITHIN_A_SWITCH)
        for column, more in zip(columns, renumbered, strict=True):
            column.append(more[is_kept])
        states.append(part.state[is_kept])
        owners = {owner for owner in part.agents if box[owner] != _WITHIN_A_SWITCH}
        agents |= {int(box[owner]): agent for owner, agent in part.agents.items() if owner in owners}
        lists_all |= {int(box[owner]) for owner in part.lists_all & owners}
    merged = [np.concatenate(column) if column else _make_empty_column() for column in columns]
    state = np.concatenate(states) if states else np.zeros(0, dtype=np.uint8)
    owner, port, neighbor, far_port, far_text = merged
    return Sightings(
        tuple(boxes), tuple(texts), owner, port, neighbor, far_port, far_text, state, agents, frozenset(lists_all)
    )


def _make_printable(box: Box) -> Box:
    if all(map(str.isprintable, box)) and len(box.name) <= MOST_CHARACTERS >= len(box.address):
        return box
    return Box(_shorten_text(box.name), box.chassis, _shorten_text(box.address), make_printable(box.file))


def _shorten_text(text: str) -> str:
    """A text that can be printed, of so many characters at most, and how many it had."""
    if len(text) > MOST_CHARACTERS:
        text = f"{text[: MOST_CHARACTERS - 55]}... ({len(text):,} characters)"
    return text if text.isprintable() else make_printable(text)


def _make_empty_column() -> Ints:
    return np.zeros(0, dtype=np.int32)


# Notes on what was seen: boxes in words, and long lists cut short.

NOTED = 20
"""Notes of one sort are given one by one up to so many."""


def describe_box(box: Box, port: str = "") -> str:
    """A box in words."""
    texts = [text for text in (box.name, box.chassis, box.address) if text] or [box.file or "a box without a name"]
    name = texts[0] + (f" ({', '.join(texts[1:])})" if texts[1:] else "")
    return f"{name} port {port}" if port else name


def cap_notes(notes: list[str], subject: str) -> tuple[str, ...]:
    """Notes of one sort, the last of many as a number."""
    if len(notes) <= NOTED:
        return tuple(notes)
    return (*notes[:NOTED], f"and {len(notes) - NOTED:,} more {subject}")


def list_few(words: Sequence[str], most: int = 3) -> str:
    """The first of some words, and how many more there are."""
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def format_count(number: int, noun: str, several: str = "") -> str:
    """`1 plug`, `2 plugs`, `1,988 plugs`."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


# What is plugged where, as seen: the ports of devices joined in pairs, with what is unknown kept apart.


class SparePort(NamedTuple):
    """A port that was seen and that the plan does not use: `device` is a row of devices."""

    device: int
    port: str


class Stranger(NamedTuple):
    """A neighbour that is not a device of the plan: what is seen at a port, in words."""

    port: int
    text: str


class Conflict(NamedTuple):
    """A port of which dumps disagree: `port` sees `sees`, which is joined to `instead` (-1: to nobody).

    `itself`: the dump of `sees` says so, and not that of `instead` alone. `beside`: what `port` is taken for joined to
    (-1: to nobody). Where `sees` is `port`, a port sees itself.
    """

    port: int
    sees: int
    instead: int
    itself: bool = True
    beside: int = -1


@dataclass(frozen=True)
class SeenPorts:
    """What dumps say of the ports of a plan. Ports are numbered as in PlannedCabling; `spare` ports follow those.

    Columns, one entry a port, planned ones first and then the spare ones:

    - `mate`, int32: the port that it is joined to, -1 for none that is known. Symmetric: `mate[mate[p]] == p`.
    - `towards`, int32: the device that it sees where the port there is not known, else -1.
    - `dumped`, bool: a dump says what this port sees; if that is nobody, the port is silent.
    - `down`, bool: the dump says that the port is down.
    - `doubtful`, bool: the port is silent, and its agent has so many neighbours that this proves nothing; or a MAC is
      heard there of which no more is proven.
    """

    mate: Ints
    towards: Ints
    dumped: Flags
    down: Flags
    doubtful: Flags
    spare: tuple[SparePort, ...] = ()
    strangers: tuple[Stranger, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def name_port(cabling: PlannedCabling, seen_ports: SeenPorts, port: int) -> str:
    """DEVICE:PORT of a planned or spare port."""
    if port < cabling.ports:
        return cabling.name_port(port)
    spare = seen_ports.spare[port - cabling.ports]
    return f"{cabling.device_names[spare.device]}:{spare.port}"


def find_device(cabling: PlannedCabling, seen_ports: SeenPorts, port: int) -> int:
    """The device of a planned or spare port."""
    return int(cabling.device[port]) if port < cabling.ports else seen_ports.spare[port - cabling.ports].device


MANAGEMENT = re.compile(r"eth0|e?mgmt\d*|management[\d/]*|ma[\d/]+", re.IGNORECASE)


def is_outside(cabling: PlannedCabling, seen_ports: SeenPorts, port: int) -> bool:
    """Whether a port is one for management, and the plan has no network of such ports.

    What is seen there is what an unmanaged switch floods: any number of neighbours, none at a cable of the plan.
    """
    if port < cabling.ports or not MANAGEMENT.fullmatch(seen_ports.spare[port - cabling.ports].port):
        return False
    return not any(MANAGEMENT.fullmatch(str(text)) for text in cabling.port_texts)
