"""The ports of switches as columns: the part of the shape that they contribute, and the texts that differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np

from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn, IPv4Column
from fabricgen.views.switches import SwitchViews
from fabricgen.wiring.links.columns import sorted_by
from fabricgen.wiring.tables import Flags, Floats, Ints, Ints64, ManagementPort


@dataclass(frozen=True, slots=True)
class TextGroup:
    """The distinct texts of one kind at the ports of a switch, sorted if its NOS sorts anything by them.

    `indexes` are int64, -1 for none: the text at each port; for addresses two rows, own ones and those of far ends.
    """

    texts: list[str]
    indexes: Ints64


@dataclass(frozen=True, slots=True)
class _TextKind:
    """The texts of one kind at the ports of some switches: switch by switch, each once for each switch."""

    texts: list[str]
    bounds: list[int]
    """Where the texts of each switch begin, and the end."""
    indexes: Ints64
    """As in `TextGroup`, for the ports of all switches."""

    def of(self, switch: int) -> list[str]:
        """The texts of one switch."""
        return self.texts[self.bounds[switch] : self.bounds[switch + 1]]


@dataclass(frozen=True, slots=True)
class _Ports:
    """The ports of some switches, one after another."""

    kinds: tuple[_TextKind, ...]
    families: int
    """How many of the kinds are addresses: the last ones."""
    bounds: list[int]
    """Where the ports of each switch begin, and the end."""
    key: bytes
    """The part of the shape that each port contributes; the same number of bytes for each port."""
    lengths_m: Floats
    """The length of the cable at each port, m, float64; 0 without one."""


@dataclasses.dataclass(frozen=True, slots=True)
class PortTexts:
    """All ports of one switch, as slices of columns that it shares with other switches."""

    ports: _Ports
    switch: int

    @property
    def texts(self) -> list[str]:
        """The texts of all `groups`, in order."""
        return [text for kind in self.ports.kinds for text in kind.of(self.switch)]

    @property
    def groups(self) -> list[TextGroup]:
        """Names of peers, their ports, cables, AS numbers of peers; then the addresses of each family."""
        return [TextGroup(kind.of(self.switch), kind.indexes[..., self._here]) for kind in self.ports.kinds]

    @property
    def key(self) -> bytes:
        """The part of the shape that the ports contribute: equal bytes for all switches of a shape."""
        width = len(self.ports.key) // max(1, self.ports.bounds[-1])
        return self.ports.key[self._here.start * width : self._here.stop * width]

    @property
    def lengths_m(self) -> Floats:
        """The length of the cable at each port, m, float64; 0 without one."""
        return self.ports.lengths_m[self._here]

    @property
    def in_text_order(self) -> bool:
        """Whether all addresses of a family sort, as text, before those of the next."""
        families = (kind.of(self.switch) for kind in self.ports.kinds[-self.ports.families :])
        return all(one[-1] < other[0] for one, other in pairwise(filter(None, families)))

    @property
    def _here(self) -> slice:
        return slice(self.ports.bounds[self.switch], self.ports.bounds[self.switch + 1])


class PortTextBuilder:
    """Collects the texts at the ports of switches; columns that all switches need are computed once."""

    def __init__(self, views: SwitchViews) -> None:
        self._views = views
        plan, names = views.plan, views.names
        order = sorted(range(len(names)), key=names.__getitem__)
        self._name_rank = np.empty(len(names), dtype=np.int64)
        self._name_rank[order] = np.arange(len(names))
        self._names = np.array(names, dtype=object)
        ids, each = views.cable_id_columns, np.append(np.arange(len(plan.cables)), -1)
        self._cables = ids.device.take_or_empty(each), ids.connector.take_or_empty(each)
        self._lengths_m = np.append(plan.cables.length_m, 0.0)
        self._routes = np.array([not isinstance(s.a, ManagementPort) for s in plan.links.segments], dtype=bool)
        self._subnets = rail_subnets(views)

    def of(self, rows: Sequence[int], by_text: Flags) -> Iterator[PortTexts]:
        """The ports of switches, by their rows in the device table, in the order of their views.

        `by_text` (bool, one a switch) says whether its configuration sorts names, addresses or AS numbers. Their order
        as text is then a part of the shape, and texts are sorted; else they are in the order of the ports.
        """
        links, devices = self._views.plan.links, self._views.plan.devices
        owner, link, at_b = self._views.ends_of(rows)
        peer = np.where(at_b, links.a_device[link], links.b_device[link])
        cable = links.cable[link]
        bounds = np.searchsorted(owner, np.arange(len(rows) + 1))
        each = np.arange(len(owner)) - bounds[owner]
        a_port, b_port = self._views.ports
        far = np.where(at_b, a_port[link], b_port[link]).tolist()
        peers = _ranked(owner, self._name_rank[peer], by_text)
        asn = np.where(self._routes[links.segment[link]], self._views.addresses.asn[peer], 0)
        numbers = _ranked(owner, asn, by_text, asn != 0)
        families = [_addresses(family, owner, link, at_b, by_text) for family in self._views.addresses.families]
        columns = [links.segment[link], at_b, np.where(at_b, links.b_port[link], links.a_port[link])]
        columns += [devices.device_class[peer], self._subnets[link], cable < 0, peers.indexes, numbers.indexes]
        if self._views.plan.bonds:
            columns.append(self._views.plan.bonds.numbers(link))
        for kind, family in zip(families, self._views.addresses.families, strict=True):
            columns += [*kind.indexes, family.length[link]]
        devices_of, connectors = (part.take(cable).texts() for part in self._cables)
        kinds = (
            peers.kind(self._names[peer[peers.first]].tolist()),
            _TextKind(far, bounds.tolist(), each),
            _TextKind((devices_of + connectors).tolist(), bounds.tolist(), np.where(cable < 0, -1, each)),
            numbers.kind(list(map(str, asn[numbers.first].tolist()))),
            *families,
        )
        key = np.stack(columns, axis=1).astype(np.int32).tobytes()
        ports = _Ports(kinds, len(families), bounds.tolist(), key, self._lengths_m[cable])
        return (PortTexts(ports, i) for i in range(len(rows)))


def _addresses(family: FamilyAddresses, owner: Ints64, link: Ints, at_b: Flags, by_text: Flags) -> _TextKind:
    """The addresses of one family at the ports of switches and at their far ends: indexes have two rows."""
    own = _swapped(family.a[link], family.b[link], at_b)
    both = own.followed_by(_swapped(family.b[link], family.a[link], at_b))
    ranked = _ranked(np.concatenate([owner, owner]), _text_order(both), by_text, both.present)
    found = ranked.kind(both[ranked.first].texts())
    return replace(found, indexes=found.indexes.reshape(2, -1))


def _swapped(column: AddressColumn, other: AddressColumn, where: Flags) -> AddressColumn:
    """A column with the addresses of another in the rows of a mask."""
    found = column.copy()
    found[where] = other[where]
    return found


def _text_order(column: AddressColumn) -> Ints64:
    """int64 numbers that sort as the addresses do as text."""
    if not isinstance(column, IPv4Column):
        return np.unique(np.array(column.texts(), dtype=object), return_inverse=True)[1]
    order, found = _decimal_order(), np.zeros(len(column), dtype=np.int64)
    for shift in (24, 16, 8, 0):
        found |= order[column.values >> shift & 255] << shift
    return found


@cache
def _decimal_order() -> Ints64:
    """The rank of each number below 256 when they are sorted as text; int64. A separator sorts before any digit."""
    found = np.empty(256, dtype=np.int64)
    found[sorted(range(256), key=str)] = np.arange(256)
    return found


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The distinct keys of each owner, ranked; columns of int64."""

    first: Ints64
    """A row where each of the keys occurs, owner by owner."""
    bounds: Ints64
    """Where the part of each owner in `first` begins, and the end."""
    indexes: Ints64
    """The rank of the key of each row among those of its owner, -1 for none."""

    def kind(self, texts: list[str]) -> _TextKind:
        """These keys with their texts."""
        return _TextKind(texts, self.bounds.tolist(), self.indexes)


def _ranked(owner: Ints64, keys: Ints64, by_key: Flags, present: Flags | None = None) -> _Ranked:
    """Rank the (present) keys of each owner: by value where `by_key` of the owner is set, else as first met."""
    indexes = np.full(len(keys), -1, dtype=np.int64)
    rows = np.arange(len(keys)) if present is None else np.flatnonzero(present)
    order = rows[sorted_by(owner[rows], keys[rows])]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (owner[order[1:]] != owner[order[:-1]]) | (keys[order[1:]] != keys[order[:-1]])
    first = order[new]
    by_rank = sorted_by(owner[first], np.where(by_key[owner[first]], np.arange(len(first)), first))
    rank = np.empty_like(by_rank)
    rank[by_rank] = np.arange(len(first))
    first = first[by_rank]
    bounds = np.searchsorted(owner[first], np.arange(len(by_key) + 1))
    indexes[order] = rank[np.cumsum(new) - 1] - bounds[owner[order]]
    return _Ranked(first, bounds, indexes)


def rail_subnets(views: SwitchViews) -> Ints64:
    """For every link the index of its rail's subnet among those of its switch, int64; VLANs differ by it."""
    links = views.plan.links
    found = np.zeros(len(links), dtype=np.int64)
    for i, segment in enumerate(links.segments):
        rails = views.addresses.rails.get(segment.fabric)
        if rails is not None and segment.lower == "node":
            here = links.segment == i
            found[here] = rails.subnet[here]
    return found
