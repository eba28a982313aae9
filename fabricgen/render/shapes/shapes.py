"""What switches have in common, and the texts by which they differ: configurations of one shape are rendered once.

Switches of a shape are alike in everything that a configuration may decide by: their ports, what is at the far ends,
which addresses there are, which names, addresses and AS numbers are the same, by which rows are grouped, and, unless
their NOS keeps the order of ports everywhere, how these are ordered as text, by which rows are sorted. What is left are
texts that a configuration prints as they are. A *marked* view has a mark in place of each; marks are then ordered as
the texts that they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fabricgen.render.shapes.port_ends import Ends, PortEnds
from fabricgen.views.switch import SwitchView
from fabricgen.views.switches import SwitchViews

MARK = re.compile(r"Qz(\d{7}):?zQ|419(\d{7})")
"""A mark in a text: of a word or an address, or of an AS number."""

_WORDS = re.compile(r"[A-Za-z0-9._:/+ -]*")
_SHORTEST_LINE, _SHORTEST_LABEL = 80, 230
"""Letters that every NOS leaves for a device and its port, and for these and a cable with a few words."""

_NUMBERS = 4_190_000_000
"""Where marks of AS numbers begin: ten digits that fit into 32 bits."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A switch: what it shares with all others of its shape, and its own texts."""

    row: int
    shape: Hashable
    names: list[str]
    """Its own: name, rack and AS number."""
    addresses: list[str]
    """Its own, without prefix length."""
    places: tuple[int, ...]
    """Which of the addresses each of `_frame_addresses` is, -1 for none."""
    ends: Ends

    @property
    def texts(self) -> list[str]:
        """All its texts by the numbers of their marks."""
        return [*self.names, *self.addresses, *self.ends.texts]

    def numbered(self) -> list[list[int]]:
        """The number of the mark at each of its own addresses, and at each place of each column of places of `ends`;
        -1 for none."""
        first = len(self.names)
        found = [[place + first if place >= 0 else -1 for place in self.places]]
        first += len(self.addresses)
        for group in self.ends.groups:
            places = np.where(group.places < 0, -1, group.places + first)
            found += places.tolist() if places.ndim > 1 else [places.tolist()]
            first += len(group.texts)
        return found


class SwitchShapes:
    """Outlines of switches, put together from columns."""

    def __init__(self, views: SwitchViews) -> None:
        self._views = views
        self._ends = PortEnds(views)
        self._stated = frozenset(views.design.loaded.blueprint.config_of)
        self._guests = any(found.vrf_links for found in views.addresses.families)

    @cached_property
    def plain(self) -> bool:
        """Whether all names are words that every NOS prints as they are, too short for any line to be cut."""
        ports = {name for column in self._views.port_columns for name in column.vocabulary.tolist()}
        cables = self._views.cable_id_columns
        kinds = (
            self._views.names,
            ports,
            cables.device.vocabulary.tolist(),
            cables.connector.vocabulary.tolist(),
        )
        device, port, *cable = (max(map(len, texts), default=0) for texts in kinds)
        fits = device + port < _SHORTEST_LINE and device + port + sum(cable) < _SHORTEST_LABEL
        return fits and all(_WORDS.fullmatch(" ".join(texts)) for texts in kinds)

    def outlines(self, rows: Sequence[int], keep_order: Container[str] = ()) -> Iterator[Outline | None]:
        """The outlines of switches, by their rows in the device table.

        `keep_order` are NOSes whose configurations have everything in the order of the ports, and sort no names,
        addresses or AS numbers of theirs: switches that differ in that order are of one shape.

        None for one that is rendered by itself: it has settings of its own, data to merge, static routes or
        sub-interfaces, or an IPv6 address that comes before one of IPv4 when they are sorted as text.
        """
        frames = list(map(self._views.frame, rows))
        by_text = np.array([frame.nos not in keep_order for frame in frames], dtype=bool)
        for row, frame, ends in zip(rows, frames, self._ends.of(rows, by_text), strict=True):
            merges = any(snippet.tree for snippet in frame.snippets)
            alone = merges or frame.name in self._stated or frame.fabric.underlay == "static" or self._guests
            fits = not alone and (frame.nos in keep_order or ends.in_text_order)
            yield self._outline(row, frame, ends) if fits else None

    def _outline(self, row: int, frame: SwitchView, ends: Ends) -> Outline:
        addresses = _frame_addresses(frame)
        own, places = _sorted_once(addresses)
        names = [frame.name, frame.rack, str(frame.asn)]
        shape = (
            int(self._views.plan.devices.device_class[row]),
            *(frame.site, frame.shares_asn, bool(frame.asn), tuple(map(_ending, addresses)), places),
            tuple((s.fabric, s.vlan, s.vrf, s.rail) for s in frame.services),
            ends.alike,
        )
        return Outline(row, shape, names, own, places, ends)

    def marked(self, outline: Outline) -> SwitchView:
        """The view of a switch with a mark in place of each of its texts."""
        view = self._views.switch(outline.row)
        own, peers, far, cables, numbers, *addresses = outline.numbered()
        none = [-1] * len(view.ports)
        own4, far4, own6, far6 = [*addresses, none, none][:4]
        ports = tuple(
            replace(
                port,
                peer=word_mark(peers[i]),
                peer_port=word_mark(far[i]),
                cable=word_mark(cables[i]),
                peer_asn=_number(numbers[i]),
                address=_address(port.address, own4[i]),
                peer_address=_address(port.peer_address, far4[i]),
                address6=_address(port.address6, own6[i]),
                peer_address6=_address(port.peer_address6, far6[i]),
            )
            for i, port in enumerate(view.ports)
        )
        marked = map(_address, _frame_addresses(view), own)
        whole = replace(view, name=word_mark(0), rack=word_mark(1), asn=_number(2 if view.asn else -1), ports=ports)
        return _with_frame_addresses(whole, marked)


def word_mark(number: int) -> str:
    """The mark of a word by its number, "" for -1."""
    return f"Qz{number:07d}zQ" if number >= 0 else ""


def _address(address: str, number: int) -> str:
    """The mark of an address: of its family and with its prefix length."""
    bare, slash, length = address.partition("/")
    return f"Qz{number:07d}{':' if ':' in bare else ''}zQ{slash}{length}" if number >= 0 else ""


def _number(number: int) -> int:
    return _NUMBERS + number if number >= 0 else 0


def _sorted_once(texts: Sequence[str]) -> tuple[list[str], tuple[int, ...]]:
    """Addresses, each once and in order, and which of them is at each place, -1 for none.

    Prefix lengths are left out: they are a part of the shape.
    """
    each = sorted(set(texts) - {""})
    place = {text: i for i, text in enumerate(each)} | {"": -1}
    return [text.partition("/")[0] for text in each], tuple(place[text] for text in texts)


def _ending(address: str) -> str:
    """What an address with a prefix length has in common with others of its shape: family and length."""
    bare, slash, length = address.partition("/")
    return f"{':' if ':' in bare else '.'}{slash}{length}" if bare else ""


def _frame_addresses(view: SwitchView) -> list[str]:
    """All addresses of a switch but those of its ports, in a fixed order."""
    own = [view.router_id, view.loopback, view.loopback6]
    own += [text for pair in view.managements for text in pair]
    return own + [text for s in view.services for text in (s.gateway, s.host_subnet, s.gateway6, s.host_subnet6)]


def _with_frame_addresses(view: SwitchView, texts: Iterator[str]) -> SwitchView:
    """A view with other addresses, in the order of `_frame_addresses`."""
    router_id, loopback, loopback6 = next(texts), next(texts), next(texts)
    managements = tuple((next(texts), next(texts)) for _ in view.managements)
    services = tuple(
        replace(s, gateway=next(texts), host_subnet=next(texts), gateway6=next(texts), host_subnet6=next(texts))
        for s in view.services
    )
    return replace(
        view,
        router_id=router_id,
        loopback=loopback,
        loopback6=loopback6,
        managements=managements,
        services=services,
    )
