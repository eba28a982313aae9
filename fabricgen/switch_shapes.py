"""What switches have in common, and the texts by which they differ: configurations of one shape are rendered once.

Switches of a shape are alike in everything that a configuration may decide by: their ports, what is at the far ends,
which addresses there are, and the order of names, addresses and AS numbers among themselves, by which rows are sorted
and grouped. What is left are texts that a configuration prints as they are. A *marked* view has a mark in place of
each; marks are ordered as the texts that they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fabricgen.allocate.family_tables import FamilyAddresses
from fabricgen.design.ports import PortRun
from fabricgen.plan.tables import Flags, Floats, ManagementPort, Wide
from fabricgen.switch_view import SwitchView
from fabricgen.switch_views import SwitchViews

MARK = re.compile(r"Qz(\d{7}):?zQ|419(\d{7})")
"""A mark in a text: of a word or an address, or of an AS number."""

_WORDS = re.compile(r"[A-Za-z0-9._:/+ -]*")
_SHORTEST_LINE, _SHORTEST_LABEL = 80, 230
"""Letters that every NOS leaves for a device and its port, and for these and a cable with a few words."""

_NUMBERS = 4_190_000_000
"""Where marks of AS numbers begin: ten digits that fit into 32 bits."""


@dataclass(frozen=True, slots=True)
class Group:
    """Texts of one kind: each once, in ascending order if they are sorted anywhere.

    `places` are int64: for every place in the view which of the texts is there, -1 for none.
    """

    texts: list[str]
    places: Wide


@dataclass(frozen=True, slots=True)
class Outline:
    """A switch: what it shares with all others of its shape, and its own texts."""

    row: int
    shape: Hashable
    groups: tuple[Group, ...]
    """Its own names; addresses of the switch; then of its ports: peers, their ports, cables, AS numbers, addresses."""
    lengths_m: Floats
    """Of the cable at each port, 0 without one."""

    @property
    def texts(self) -> list[str]:
        """All its texts by the numbers of their marks."""
        return [text for group in self.groups for text in group.texts]

    def numbered(self) -> list[list[int]]:
        """For each group the number of the mark at every place, -1 for none."""
        found, first = [], 0
        for group in self.groups:
            found.append(np.where(group.places < 0, -1, group.places + first).tolist())
            first += len(group.texts)
        return found


class SwitchShapes:
    """Outlines of switches, put together from columns."""

    def __init__(self, views: SwitchViews) -> None:
        self._views = views
        plan, names = views.plan, views.names
        self._names = np.array(names, dtype=object)
        order = sorted(range(len(names)), key=names.__getitem__)
        self._name_rank = np.empty(len(names), dtype=np.int64)
        self._name_rank[order] = np.arange(len(names))
        self._by_rank = self._names[order]
        self._cables = np.array([*views.cable_ids, ""], dtype=object)
        self._lengths_m = np.append(plan.cables.length_m, 0.0)
        sides = [(segment.a, segment.b) for segment in plan.links.segments]
        self._is_port = np.array([[isinstance(side, PortRun) for side in pair] for pair in sides], dtype=bool)
        self._routes = np.array([not isinstance(a, ManagementPort) for a, _ in sides], dtype=bool)
        self._stated = frozenset(views.design.loaded.blueprint.config_of)
        self._guests = any(found.vrf_links for found in views.addresses.families)
        self._subnets = _subnets(views)

    @cached_property
    def plain(self) -> bool:
        """Whether all names are words that every NOS prints as they are, too short for any line to be cut."""
        kinds = (self._views.names, set().union(*self._views.ports), self._views.cable_ids)
        device, port, cable = (max(map(len, texts), default=0) for texts in kinds)
        fits = device + port < _SHORTEST_LINE and device + port + cable < _SHORTEST_LABEL
        return fits and all(_WORDS.fullmatch(" ".join(texts)) for texts in kinds)

    def outline(self, row: int) -> Outline | None:
        """The outline of a switch, by its row in the device table.

        None for one that is rendered by itself: it has settings of its own, data to merge, static routes or
        sub-interfaces.
        """
        frame = self._views.frame(row)
        merges = any(snippet.tree for snippet in frame.snippets)
        if merges or frame.name in self._stated or frame.fabric.underlay == "static" or self._guests:
            return None
        links, devices = self._views.plan.links, self._views.plan.devices
        link, at_b = self._ends(row)
        peer = np.where(at_b, links.a_device[link], links.b_device[link])
        cable = links.cable[link]
        own, ports = _frame_addresses(frame), self._port_addresses(link, at_b)
        groups = (
            Group([frame.name, frame.rack], np.arange(2)),
            _sorted_group(own),
            self._peers(peer),
            Group(self._far_ports(link, at_b), np.arange(len(link))),
            Group(self._cables[cable].tolist(), np.where(cable < 0, -1, np.arange(len(link)))),
            self._numbers(frame.asn, link, peer),
            _sorted_group(ports),
        )
        columns = (links.segment[link], at_b, self._own_ports(link, at_b), devices.device_class[peer])
        shape = (
            int(devices.device_class[row]),
            *(frame.site, frame.shares_asn, tuple(map(_ending, own)), tuple(map(_ending, ports))),
            tuple((s.fabric, s.vlan, s.vrf, s.rail) for s in frame.services),
            *(column.tobytes() for column in (*columns, self._subnets[link])),
            *(group.places.tobytes() for group in groups),
        )
        return Outline(row, shape, groups, self._lengths_m[cable])

    def marked(self, outline: Outline) -> SwitchView:
        """The view of a switch with a mark in place of each of its texts."""
        view = self._views.switch(outline.row)
        names, own, peers, far, cables, numbers, ends = outline.numbered()
        count, families = len(view.ports), len(self._views.addresses.families)
        columns = [ends[i * count : (i + 1) * count] for i in range(2 * families)]
        own4, far4, own6, far6 = (columns + [[-1] * count] * 2)[:4]
        ports = tuple(
            replace(
                port,
                peer=_word(peers[i]),
                peer_port=_word(far[i]),
                cable=_word(cables[i]),
                peer_asn=_number(numbers[i + 1]),
                address=_address(port.address, own4[i]),
                peer_address=_address(port.peer_address, far4[i]),
                address6=_address(port.address6, own6[i]),
                peer_address6=_address(port.peer_address6, far6[i]),
            )
            for i, port in enumerate(view.ports)
        )
        marked = map(_address, _frame_addresses(view), own)
        whole = replace(view, name=_word(names[0]), rack=_word(names[1]), asn=_number(numbers[0]), ports=ports)
        return _with_frame_addresses(whole, marked)

    def _ends(self, row: int) -> tuple[Wide, Flags]:
        """(links, whether it is their upper end) of the ports of a switch, in the order of its view."""
        pointer, links, ends = self._views.ends_by_switch
        here = slice(pointer[row], pointer[row + 1])
        link, end = links[here], ends[here]
        kept = self._is_port[self._views.plan.links.segment[link], end]
        return link[kept], end[kept].astype(bool)

    def _own_ports(self, link: Wide, at_b: Flags) -> Wide:
        links = self._views.plan.links
        return np.where(at_b, links.b_port[link], links.a_port[link])

    def _far_ports(self, link: Wide, at_b: Flags) -> list[str]:
        a, b = self._views.ports
        found: list[str] = np.where(at_b, a[link], b[link]).tolist()
        return found

    def _peers(self, peer: Wide) -> Group:
        ranks, places = np.unique(self._name_rank[peer], return_inverse=True)
        return Group(self._by_rank[ranks].tolist(), places)

    def _numbers(self, own: int, link: Wide, peer: Wide) -> Group:
        """AS numbers: its own, then those of the far ends, 0 where there is no routing."""
        plan = self._views.plan
        far = np.where(self._routes[plan.links.segment[link]], self._views.addresses.asn[peer], 0)
        found, places = np.unique(np.concatenate([[own], far]), return_inverse=True)
        first = int(found[0] == 0)
        return Group([str(number) for number in found[first:].tolist()], places - first)

    def _port_addresses(self, link: Wide, at_b: Flags) -> list[str]:
        """For each family the own addresses of all ports, then the far ends', with prefix lengths; "" for none."""
        found: list[str] = []
        for family in self._views.addresses.families:
            a, b = _texts(family, link)
            found += [*np.where(at_b, b, a).tolist(), *np.where(at_b, a, b).tolist()]
        return found


def _word(number: int) -> str:
    return f"Qz{number:07d}zQ" if number >= 0 else ""


def _address(address: str, number: int) -> str:
    """The mark of an address: of its family and with its prefix length."""
    bare, slash, length = address.partition("/")
    return f"Qz{number:07d}{':' if ':' in bare else ''}zQ{slash}{length}" if number >= 0 else ""


def _number(number: int) -> int:
    return _NUMBERS + number if number >= 0 else 0


def _texts(family: FamilyAddresses, link: Wide) -> tuple[Any, Any]:
    """Addresses of both ends of links with prefix lengths, "" for none; object arrays."""
    lengths = family.length[link]
    if not lengths.any():
        none = np.full(len(link), "", dtype=object)
        return none, none
    a, b = (np.array(column[link].prefixes(lengths), dtype=object) for column in (family.a, family.b))
    return a, b


def _subnets(views: SwitchViews) -> Wide:
    """For every link the subnet of its rail among those of its fabric's nodes, by which VLANs differ."""
    links = views.plan.links
    found = np.zeros(len(links), dtype=np.int64)
    for i, segment in enumerate(links.segments):
        rails = views.addresses.rails.get(segment.fabric)
        if rails is not None and segment.lower == "node":
            here = links.segment == i
            found[here] = rails.subnet[here]
    return found


def _sorted_group(texts: Sequence[str]) -> Group:
    """Addresses with prefix lengths as a group: the lengths are part of the shape."""
    each = sorted(set(texts) - {""})
    place = {text: i for i, text in enumerate(each)} | {"": -1}
    places = np.fromiter((place[text] for text in texts), dtype=np.int64, count=len(texts))
    return Group([text.partition("/")[0] for text in each], places)


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
