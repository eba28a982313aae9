"""The ports of switches as columns: what makes two switches alike, and the texts by which those differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from fabricgen.allocate.column import Column, Column4
from fabricgen.allocate.family_tables import FamilyAddresses
from fabricgen.kernel.dataclass import dataclass
from fabricgen.plan.tables import Flags, Floats, ManagementPort, Wide
from fabricgen.switch_views import SwitchViews


@dataclass(frozen=True, slots=True)
class Group:
    """Texts of one kind: each once, in ascending order if they are sorted anywhere.

    `places` are int64: for every place in the view, or for every column of them, which of the texts is there; -1 for
    none.
    """

    texts: list[str]
    places: Wide


@dataclass(frozen=True, slots=True)
class Ends:
    """All ports of a switch."""

    groups: tuple[Group, ...]
    """Peers, their ports, cables, AS numbers; then for each family own addresses and those of the far ends."""
    alike: bytes
    """What they have in common with the ports of any switch of the same shape."""
    lengths_m: Floats
    """Of the cable at each port, 0 without one."""
    ordered: bool
    """Whether all addresses are in order as text: IPv4 before IPv6."""


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Keys of each owner in ascending order, each once: where one is to be found, and which one is at each place."""

    first: Wide
    bounds: Wide
    """For each owner where its part of `first` begins, and the end."""
    places: Wide

    def part(self, owner: int) -> slice:
        """Where an owner's part of `first` is."""
        return slice(self.bounds[owner], self.bounds[owner + 1])


class PortEnds:
    """Puts the ports of switches together; what all of them need is worked out once."""

    def __init__(self, views: SwitchViews) -> None:
        self._views = views
        plan, names = views.plan, views.names
        order = sorted(range(len(names)), key=names.__getitem__)
        self._name_rank = np.empty(len(names), dtype=np.int64)
        self._name_rank[order] = np.arange(len(names))
        self._names = np.array(names, dtype=object)
        ids, each = views.cable_id_columns, np.append(np.arange(len(plan.cables)), -1)
        self._cables = ids.device.at_or_none(each), ids.connector.at_or_none(each)
        self._lengths_m = np.append(plan.cables.length_m, 0.0)
        self._routes = np.array([not isinstance(s.a, ManagementPort) for s in plan.links.segments], dtype=bool)
        self._subnets = rail_subnets(views)

    def of(self, rows: Sequence[int]) -> Iterator[Ends]:
        """The ports of switches, by their rows in the device table, in the order of their views."""
        links, devices = self._views.plan.links, self._views.plan.devices
        owner, link, at_b = self._views.ends_of(rows)
        peer = np.where(at_b, links.a_device[link], links.b_device[link])
        cable = links.cable[link]
        a_port, b_port = self._views.ports
        far = np.where(at_b, a_port[link], b_port[link])
        peers = _ranked(owner, self._name_rank[peer], len(rows))
        asn = np.where(self._routes[links.segment[link]], self._views.addresses.asn[peer], 0)
        numbers = _ranked(owner, asn, len(rows), asn != 0)
        families = [_Addresses(family, owner, link, at_b, len(rows)) for family in self._views.addresses.families]
        columns = [links.segment[link], at_b, np.where(at_b, links.b_port[link], links.a_port[link])]
        columns += [devices.device_class[peer], self._subnets[link], cable < 0, peers.places, numbers.places]
        columns += [column for found in families for column in found.alike]
        alike = np.stack(columns, axis=1).astype(np.int32)
        bounds = np.searchsorted(owner, np.arange(len(rows) + 1)).tolist()
        peer_texts, number_texts = self._names[peer[peers.first]], asn[numbers.first].astype(str).astype(object)
        devices_of, connectors = (part.at(cable).texts() for part in self._cables)
        cables = devices_of + connectors
        for i, (start, end) in enumerate(pairwise(bounds)):
            here, count = slice(start, end), end - start
            each = np.arange(count)
            groups = (
                Group(peer_texts[peers.part(i)].tolist(), peers.places[here]),
                Group(far[here].tolist(), each),
                Group(cables[here].tolist(), np.where(cable[here] < 0, -1, each)),
                Group(number_texts[numbers.part(i)].tolist(), numbers.places[here]),
                *(found.group(i, here) for found in families),
            )
            lengths_m = self._lengths_m[cable[here]]
            yield Ends(groups, alike[here].tobytes(), lengths_m, _in_order(groups[-len(families) :]))


class _Addresses:
    """The addresses of one family at the ports of switches and at their far ends."""

    def __init__(self, family: FamilyAddresses, owner: Wide, link: Wide, at_b: Flags, owners: int) -> None:
        own = _swapped(family.a[link], family.b[link], at_b)
        both = own.followed_by(_swapped(family.b[link], family.a[link], at_b))
        self._ranked = _ranked(np.concatenate([owner, owner]), _text_order(both), owners, both.present)
        self._texts = np.array(both[self._ranked.first].texts(), dtype=object)
        self._places = self._ranked.places.reshape(2, -1)
        self.alike = (*self._places, family.length[link])

    def group(self, owner: int, here: slice) -> Group:
        """Those of one switch: two columns of places, at its ports and at the far ends."""
        return Group(self._texts[self._ranked.part(owner)].tolist(), self._places[:, here])


def _swapped(column: Column, other: Column, where: Flags) -> Column:
    """A column with what another has in some rows."""
    found = column.copy()
    found[where] = other[where]
    return found


def _text_order(column: Column) -> Wide:
    """Numbers that are in the order of the addresses as text."""
    if not isinstance(column, Column4):
        return np.unique(np.array(column.texts(), dtype=object), return_inverse=True)[1]
    order, found = _decimal_order(), np.zeros(len(column), dtype=np.int64)
    for shift in (24, 16, 8, 0):
        found |= order[column.values >> shift & 255] << shift
    return found


@cache
def _decimal_order() -> Wide:
    """For each number below 256 its place among them when they are sorted as text; what follows one sorts lower."""
    found = np.empty(256, dtype=np.int64)
    found[sorted(range(256), key=str)] = np.arange(256)
    return found


def _in_order(families: Sequence[Group]) -> bool:
    """Whether all addresses of a family come before those of the next, sorted as text."""
    found = [group.texts for group in families if group.texts]
    return all(one[-1] < other[0] for one, other in pairwise(found))


def _ranked(owner: Wide, keys: Wide, owners: int, present: Flags | None = None) -> _Ranked:
    """Rank the keys of each owner, all of them or those that are present."""
    places = np.full(len(keys), -1, dtype=np.int64)
    rows = np.arange(len(keys)) if present is None else np.flatnonzero(present)
    order = rows[np.lexsort((keys[rows], owner[rows]))]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (owner[order[1:]] != owner[order[:-1]]) | (keys[order[1:]] != keys[order[:-1]])
    first = order[new]
    bounds = np.searchsorted(owner[first], np.arange(owners + 1))
    places[order] = np.cumsum(new) - 1 - bounds[owner[order]]
    return _Ranked(first, bounds, places)


def rail_subnets(views: SwitchViews) -> Wide:
    """For every link the subnet of its rail among those of its fabric's nodes, by which VLANs differ."""
    links = views.plan.links
    found = np.zeros(len(links), dtype=np.int64)
    for i, segment in enumerate(links.segments):
        rails = views.addresses.rails.get(segment.fabric)
        if rails is not None and segment.lower == "node":
            here = links.segment == i
            found[here] = rails.subnet[here]
    return found
