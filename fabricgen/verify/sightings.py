"""All that dumps say, as columns: one row for each port of a device that was dumped."""

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
"""Limits that no real hall reaches: ports of one dumped device; rows of one file; boxes, or port names, of one file."""

MOST_CHARACTERS = 510
"""The longest text of a dump that is kept: what an LLDP TLV carries, less its subtype (IEEE 802.1AB, 8.4)."""

_WITHIN_A_SWITCH = -2
"""Stands in place of the number of a box that is part of a switch and not a neighbour of it."""


class TooMuchError(Exception):
    """A dump has more ports, rows or names than any hall."""


@dataclass(frozen=True, slots=True)
class Sightings:
    """Ports of dumped devices and what they see: columns of equal length, and tables of distinct boxes and texts.

    The int32 columns `owner` and `neighbor` are indexes into `boxes` (-1: no neighbour); `port`, `far_port` and
    `far_text` are indexes into `texts`, whose first entry is "". `gbps` is the rate of the link in whole Gb/s, int32,
    0 where it is not told. `state` is uint8, a state of `dumps.sighting`.
    `agents` maps each dumped box (index into `boxes`) to how it knows its neighbours (`Dump.agent`); `lists_all` has
    the dumped boxes whose unlisted ports see nobody.
    """

    boxes: tuple[Box, ...]
    texts: tuple[str, ...]
    owner: Ints
    port: Ints
    neighbor: Ints
    far_port: Ints
    far_text: Ints
    gbps: Ints
    state: Bytes
    agents: dict[int, str]
    lists_all: frozenset[int]

    def __len__(self) -> int:
        return len(self.owner)


class _Numberer(dict[Any, int]):
    """Gives each key the next number, from 0, when it is first looked up."""

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        return number


@dataclass
class SightingsBuilder:
    """Collects dumps into columns, so that no object per sighting is kept."""

    _boxes: _Numberer = field(default_factory=_Numberer)
    _texts: _Numberer = field(default_factory=lambda: _Numberer({"": 0}))
    _columns: tuple[array[int], ...] = field(default_factory=lambda: tuple(array("i") for _ in range(6)))
    _state: bytearray = field(default_factory=bytearray)
    _agents: dict[int, str] = field(default_factory=dict)
    _lists_all: set[int] = field(default_factory=set)

    def add_dump(self, dump: Dump) -> None:
        """Add the ports of a device, column by column, which is much faster than row by row.

        Raises TooMuchError if the dump would fill the memory.
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
        port, neighbor, far_port, far_text, state, gbps = columns
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
            map(int, gbps),
        )
        for column, added in zip(self._columns, numbers, strict=True):
            column.extend(added)
        self._state.extend(state)
        if len(self._state) > MOST_ROWS or len(self._boxes) > MOST_NAMES or len(self._texts) > MOST_NAMES:
            raise TooMuchError(f"it has more than {MOST_ROWS:,} rows, or than {MOST_NAMES:,} devices or ports")

    def make_sightings(self) -> Sightings:
        """Return all dumps added so far as columns."""
        columns = [
            np.frombuffer(column, dtype=np.int32) if column else _make_empty_column() for column in self._columns
        ]
        owner, port, neighbor, far_port, far_text, gbps = columns
        state = np.frombuffer(bytes(self._state), dtype=np.uint8)
        boxes, texts = tuple(self._boxes), tuple(self._texts)
        about_boxes = dict(self._agents), frozenset(self._lists_all)
        return Sightings(boxes, texts, owner, port, neighbor, far_port, far_text, gbps, state, *about_boxes)


def join_sightings(sightings_by_file: Iterable[Sightings]) -> Sightings:
    """Join the sightings of several files, in their order, and leave out SHARP's aggregation nodes at either end.

    Control characters in texts are spelled out, and texts longer than `MOST_CHARACTERS` are cut.
    """
    boxes: dict[Box, int] = {}
    texts: dict[str, int] = {"": 0}
    columns: list[list[Ints]] = [[] for _ in range(6)]
    states, agents, lists_all = [], dict[int, str](), set[int]()
    for file_sightings in sightings_by_file:
        new_boxes = np.array(
            [
                _WITHIN_A_SWITCH if is_aggregation_node(raw) else boxes.setdefault(_make_printable(raw), len(boxes))
                for raw in file_sightings.boxes
            ]
            # index -1, no neighbour, reads this last entry and stays -1
            + [-1],
            dtype=np.int32,
        )
        # cut without a note of the length, unlike names of boxes: these texts are only looked up, and match no port
        names = (make_printable(raw[:MOST_CHARACTERS]) for raw in file_sightings.texts)
        new_texts = np.array([texts.setdefault(name, len(texts)) for name in names], dtype=np.int32)
        owner, neighbor = new_boxes[file_sightings.owner], new_boxes[file_sightings.neighbor]
        port, far_port = new_texts[file_sightings.port], new_texts[file_sightings.far_port]
        is_kept = (owner != _WITHIN_A_SWITCH) & (neighbor != _WITHIN_A_SWITCH)
        renumbered = owner, port, neighbor, far_port, new_texts[file_sightings.far_text], file_sightings.gbps
        for column, file_column in zip(columns, renumbered, strict=True):
            column.append(file_column[is_kept])
        states.append(file_sightings.state[is_kept])
        kept_owners = {box_number for box_number in file_sightings.agents if new_boxes[box_number] != _WITHIN_A_SWITCH}
        agents |= {
            int(new_boxes[number]): agent for number, agent in file_sightings.agents.items() if number in kept_owners
        }
        lists_all |= {int(new_boxes[number]) for number in file_sightings.lists_all & kept_owners}
    joined_columns = [np.concatenate(column) if column else _make_empty_column() for column in columns]
    state = np.concatenate(states) if states else np.zeros(0, dtype=np.uint8)
    owner, port, neighbor, far_port, far_text, gbps = joined_columns
    return Sightings(
        tuple(boxes),
        tuple(texts),
        *(owner, port, neighbor, far_port, far_text, gbps),
        state,
        agents,
        frozenset(lists_all),
    )


def _make_printable(box: Box) -> Box:
    if all(map(str.isprintable, box)) and len(box.name) <= MOST_CHARACTERS >= len(box.address):
        return box
    return Box(_shorten_text(box.name), box.chassis, _shorten_text(box.address), make_printable(box.file))


def _shorten_text(text: str) -> str:
    """Return a printable text of at most `MOST_CHARACTERS`; a text that is cut ends with its original length."""
    if len(text) > MOST_CHARACTERS:
        text = f"{text[: MOST_CHARACTERS - 55]}... ({len(text):,} characters)"
    return text if text.isprintable() else make_printable(text)


def _make_empty_column() -> Ints:
    return np.zeros(0, dtype=np.int32)


# Notes about what was seen: boxes in words, and long lists cut short.

NOTED = 20
"""The most notes of one kind that are given one by one."""


def describe_box(box: Box, port: str = "") -> str:
    """Return a box in words: its name with its MAC or GUID and its address in brackets, and a port of it if given."""
    texts = [text for text in (box.name, box.chassis, box.address) if text] or [box.file or "a box without a name"]
    name = texts[0] + (f" ({', '.join(texts[1:])})" if texts[1:] else "")
    return f"{name} port {port}" if port else name


def cap_notes(notes: list[str], subject: str) -> tuple[str, ...]:
    """Return the first notes of one kind, and one line that counts the others; `subject` says what they are about."""
    if len(notes) <= NOTED:
        return tuple(notes)
    return (*notes[:NOTED], f"and {len(notes) - NOTED:,} more {subject}")


def list_few(texts: Sequence[str], most: int = 3) -> str:
    """Return the first `most` texts, joined by commas, and how many more there are."""
    count_of_others = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + count_of_others


def format_count(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun: `1 plug`, `2 plugs`, `1,988 plugs`; `several` is an irregular plural."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


# What is plugged where, as seen: which ports are joined, and which ports see something that is not fully known.


class SparePort(NamedTuple):
    """A port that was seen and that the plan does not use; `device` is its row of devices."""

    device: int
    port: str


class Stranger(NamedTuple):
    """A neighbour that is not a device of the plan, as `text`, and the port that sees it."""

    port: int
    text: str


class Conflict(NamedTuple):
    """A port about which dumps disagree: it sees the port `sees`, which is believed to be joined to another, `instead`.

    `instead` is -1 if it is joined to nobody. `itself`: whether the dump of the port `sees` names `instead`, and not
    only that of `instead` names `sees`. `beside`: the port that `port` is believed to be joined to (-1: none). If
    `sees` equals `port`, the port sees itself.
    """

    port: int
    sees: int
    instead: int
    itself: bool = True
    beside: int = -1


@dataclass(frozen=True)
class SeenPorts:
    """What dumps say of the ports of a plan. Ports are numbered as in PlannedCabling; the `spare` ports follow.

    Columns, one entry for each port, planned ports first and then the spare ones:

    - `joined_to`, int32: the port at the other end of the cable as seen, -1 if unknown. Symmetric:
      `joined_to[joined_to[p]] == p`.
    - `towards`, int32: the device that the port sees if the far port is not known, else -1.
    - `dumped`, bool: a dump says what this port sees; if that is nobody, the port is silent.
    - `down`, bool: the dump says that the port is down.
    - `doubtful`, bool: the port is silent, and its agent has so many neighbours that this proves nothing; or a MAC is
      heard there, and nothing proves whose plug is in the port.
    """

    joined_to: Ints
    towards: Ints
    dumped: Flags
    down: Flags
    doubtful: Flags
    spare: tuple[SparePort, ...] = ()
    strangers: tuple[Stranger, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def name_port(cabling: PlannedCabling, seen_ports: SeenPorts, port: int) -> str:
    """Return DEVICE:PORT of a planned or spare port."""
    if port < cabling.ports:
        return cabling.name_port(port)
    spare = seen_ports.spare[port - cabling.ports]
    return f"{cabling.device_names[spare.device]}:{spare.port}"


def find_device(cabling: PlannedCabling, seen_ports: SeenPorts, port: int) -> int:
    """Return the device (row of devices) of a planned or spare port."""
    return int(cabling.device[port]) if port < cabling.ports else seen_ports.spare[port - cabling.ports].device


MANAGEMENT = re.compile(r"eth0|e?mgmt\d*|management[\d/]*|ma[\d/]+", re.IGNORECASE)
"""The names of the port by which a device itself is managed: `eth0`, `mgmt0`, `Management1/1`, `Ma1`."""


def is_outside(cabling: PlannedCabling, seen_ports: SeenPorts, port: int) -> bool:
    """Whether a port is a spare management port while the plan has no management port at all.

    Such a port is usually on an unmanaged switch, which floods LLDP: it sees any number of neighbours, none of them at
    the other end of a planned cable.
    """
    if port < cabling.ports or not MANAGEMENT.fullmatch(seen_ports.spare[port - cabling.ports].port):
        return False
    return not any(MANAGEMENT.fullmatch(str(text)) for text in cabling.port_texts)
