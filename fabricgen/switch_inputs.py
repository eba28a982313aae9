"""Digests of all that the configurations of switches follow from, without making any view: a rebuild goes by them.

A configuration follows from a switch's view, the catalogue and what rendering is told. Digests are of the same columns
that views are put together from, so that two switches with one digest have equal views, whatever their rows and
indexes are in two builds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fabricgen.allocate.cells import Keyed
from fabricgen.allocate.column import Column, Column4, Column6
from fabricgen.configuration import placed_snippets
from fabricgen.plan.tables import DeviceClass, Ints, ManagementPort, Segment, Side, Wide
from fabricgen.port_ends import rail_subnets
from fabricgen.switch_view import ecmp_width
from fabricgen.switch_views import SwitchViews

if TYPE_CHECKING:
    import numpy.typing as npt

Words: TypeAlias = "npt.NDArray[np.uint64]"

_SEED = np.uint64(0x9E3779B97F4A7C15)
_DIGEST = 20
"""Bytes that are kept of a switch's digest; SHA-256 is what processors have instructions for."""


class SwitchInputs:
    """Digests of what configurations follow from."""

    def __init__(self, views: SwitchViews) -> None:
        self._views = views
        plan = views.plan
        self._names, self._sites, self._racks = hashed(views.names), hashed(views.sites), hashed(plan.racks.names)
        self._sides = np.array([[_side(s, s.a), _side(s, s.b)] for s in plan.links.segments], dtype=np.uint64)
        self._of_classes: dict[int, bytes | None] = {}
        self._stated = views.design.loaded.blueprint.config_of

    def digests(self, rows: Sequence[int], common: bytes) -> Iterator[bytes | None]:
        """A digest for each switch, by its row in the device table; `common` is what else all of them follow from.

        None where more belongs to it: static routes, and VRFs of guests on links between switches.
        """
        if any(found.vrf_links for found in self._views.addresses.families):
            yield from (None for _ in rows)
            return
        classes = self._views.plan.devices.classes
        block = np.array(rows, dtype=np.int64)
        owner, link, at_b = self._views.ends_of(block)
        own, ports = self._own(block), self._at_ports(link, at_b.astype(np.int64))
        bounds = np.searchsorted(owner, np.arange(len(rows) + 1)).tolist()
        of_classes = self._views.plan.devices.device_class[block].tolist()
        for row, which, columns, (first, end) in zip(rows, of_classes, own, pairwise(bounds), strict=True):
            if which not in self._of_classes:
                self._of_classes[which] = self._of_class(classes[which])
            known = self._of_classes[which]
            digest = hashlib.sha256(common + (known or b"") + self._of_switch(row))
            for words in (columns, ports[first:end]):
                digest.update(words.data)
            yield known and digest.digest()[:_DIGEST]

    def _of_class(self, cls: DeviceClass) -> bytes | None:
        """What all switches of a tier follow from; None for those with static routes."""
        views = self._views
        fabric = views.design.fabric(cls.fabric)
        tier = fabric.tier(cls.tier)
        users = [fabric, *(guest for guest in views.design.fabrics if guest.carrier == fabric.name)]
        if views.intents[fabric.name].underlay == "static":
            return None
        told = (
            *(tier.key, tier.nos, tier.lowest, views.design.levels[tier.key], ecmp_width(tier), cls.profile),
            *(views.intents[user.name] for user in users),
            placed_snippets(views.design, tier, ""),
        )
        return hashlib.blake2b(repr(told).encode()).digest()

    def _of_switch(self, row: int) -> bytes:
        """What the blueprint says of one switch, and the names of its rails' subnets."""
        views = self._views
        stated = self._stated.get(views.names[row])
        rails = {name: views.rail_labels(row, views.design.fabric(name)) for name in views.addresses.rails}
        return repr((stated, rails)).encode() if stated or rails else b""

    def _own(self, rows: Wide) -> Words:
        """Columns of switches."""
        addresses, devices = self._views.addresses, self._views.plan.devices
        columns: list[Words] = [self._names[rows], self._sites[rows], self._racks[devices.rack[rows]]]
        columns += [_words(column[rows]) for column in (addresses.asn, addresses.router_id, self._views.shares_asn)]
        for family in addresses.families:
            columns += [*_halves(family.loopback[rows]), *_halves(family.management[rows])]
            columns += [_words(family.management_length[rows]), *_halves(family.management_gateway[rows])]
            for _, subnets in sorted(family.subnets.items()):
                columns += [*_halves(subnets.base[rows]), *_halves(subnets.gateway[rows])]
                columns += [_words(c[rows]) for c in (subnets.length, subnets.count, subnets.subnet_length)]
        return np.stack(columns, axis=1)

    def _at_ports(self, link: Ints, at_b: Wide) -> Words:
        """Columns of ports: digests of what their side of a segment and their link follow from, and which they are."""
        links = self._views.plan.links
        number = np.where(at_b, links.b_port.take(link), links.a_port.take(link))
        side = self._sides.ravel().take(2 * links.segment.take(link) + at_b)
        return np.stack([side, _words(2 * number + at_b), self._links.take(link)], axis=1)

    @cached_property
    def _links(self) -> Words:
        """A digest for each link, of what both of its ends follow from."""
        views = self._views
        cables, devices = views.cable_id_columns, views.plan.devices
        classes = hashed([f"{c.kind} {c.fabric} {c.tier} {c.profile.id}" for c in devices.classes])
        device = _joined([self._names, classes.take(devices.device_class), _words(views.addresses.asn)])
        ids = (_cells_hashed(part) for part in (cables.device, cables.connector))
        cable = _joined(chain(ids, [views.plan.cables.length_m.view(np.uint64)]))
        return _joined(self._of_link(device, cable))

    def _of_link(self, device: Words, cable: Words) -> Iterator[Words]:
        """Columns of links, one after the other, since all of them together would take much memory."""
        links = self._views.plan.links
        yield device.take(links.a_device)
        yield device.take(links.b_device)
        yield from map(_cells_hashed, self._views.port_columns)
        yield np.append(cable, np.uint64(0)).take(links.cable)
        yield _words(rail_subnets(self._views))
        for family in self._views.addresses.families:
            for column in (family.a, family.b):
                yield from _halves(column)
            yield _words(family.length)


def _side(segment: Segment, side: Side) -> int:
    """A digest of what a port of one side of links is told: 64 bits."""
    managed = isinstance(segment.a, ManagementPort)
    return _digest(repr((side, segment.speed_gbps, segment.fabric, segment.lower == "node", managed)))


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _words(column: npt.NDArray[np.generic]) -> Words:
    return column.astype(np.int64).view(np.uint64)


def _halves(column: Column) -> tuple[Words, ...]:
    """Addresses as words of 64 bits."""
    if isinstance(column, Column6):
        return column.high, column.low
    assert isinstance(column, Column4)  # noqa: S101 - the other family
    return (_words(column.values),)


def _cells_hashed(column: Keyed) -> Words:
    return hashed(column.vocabulary.tolist()).take(column.number)


def hashed(texts: Sequence[str]) -> Words:
    """Digests of texts, 64 bits each: the same in every process, and made for many at a time."""
    raw = np.array([text.encode() for text in texts] or [b""], dtype=bytes)
    width = -(-raw.itemsize // 8)
    words = raw.astype(f"S{8 * width}").view(np.uint64).reshape(-1, width)
    found = np.full(len(words), _SEED)
    for i in range(width):
        # Words of zeros are left out, since they follow from the length of the longest text.
        found = np.where(words[:, i], _mixed(found ^ words[:, i]), found)
    return found[: len(texts)]


def _joined(columns: Iterable[Words]) -> Words:
    """Digests of the rows of columns, 64 bits each."""
    each = iter(columns)
    found = _mixed(_SEED ^ next(each))
    for column in each:
        found += _SEED
        found ^= column
        _mix(found)
    return found


def _mixed(words: Words) -> Words:
    found = words.copy()
    _mix(found)
    return found


def _mix(words: Words) -> None:
    """The last steps of SplitMix64: each bit bears on all, so that a change in one word is not undone by the next."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
