"""Shapes of switches: two switches have the same shape if their configurations differ only in texts printed unchanged.

Switches of one shape are alike in everything by which a configuration may branch, group or sort: their ports, the kinds
of devices at the far ends, which addresses exist, which names, addresses and AS numbers are equal, and, unless the NOS
keeps the order of ports everywhere, their order as text. A view can be made *with placeholders*: each of its texts is
replaced by a placeholder, and placeholders sort as the texts that they replace.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise

import numpy as np

from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn, IPv4Column
from fabricgen.views.switch import SwitchView, route_to_neighbours
from fabricgen.views.switches import SwitchViews
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64
from fabricgen.wiring.links.columns import sort_rows
from fabricgen.wiring.tables import ManagementPort

# The ports of switches as columns: the part of the shape that they contribute, and the texts that differ.


@dataclass(frozen=True, slots=True)
class TextGroup:
    """The distinct texts of one kind, such as names of peers, at the ports of a switch.

    They are sorted if the NOS of the switch sorts anything by them. `indexes` (int64) has for each port the index of
    its text in `texts`, -1 for none. For addresses it has two rows: the port's own addresses, and those of far ends.
    """

    texts: list[str]
    indexes: Ints64


@dataclass(frozen=True, slots=True)
class _TextKind:
    """The texts of one kind, such as names of peers, at the ports of some switches, one switch after another.

    A text that several ports of a switch have is there once for the switch.
    """

    texts: list[str]
    bounds: list[int]
    """Where the texts of each switch begin, and the end."""
    indexes: Ints64
    """As in `TextGroup`, for the ports of all switches."""

    def list_texts(self, switch: int) -> list[str]:
        """Return the texts of one switch."""
        return self.texts[self.bounds[switch] : self.bounds[switch + 1]]


@dataclass(frozen=True, slots=True)
class _ShapePorts:
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

    ports: _ShapePorts
    switch: int

    @property
    def texts(self) -> list[str]:
        """The texts of all `groups`, in order."""
        return [text for kind in self.ports.kinds for text in kind.list_texts(self.switch)]

    @property
    def groups(self) -> list[TextGroup]:
        """The names of peers, their ports, cables, AS numbers, SRv6 identifiers of peers and of ports, then addresses
        by family.
        """
        return [TextGroup(kind.list_texts(self.switch), kind.indexes[..., self._here]) for kind in self.ports.kinds]

    @property
    def key(self) -> bytes:
        """The part of the shape that the ports contribute: equal bytes for all switches of a shape."""
        width = len(self.ports.key) // max(1, self.ports.bounds[-1])
        return self.ports.key[self._here.start * width : self._here.stop * width]

    @property
    def lengths_m(self) -> Floats:
        """The length of the cable at each port (m, float64); 0 without a cable."""
        return self.ports.lengths_m[self._here]

    @property
    def in_text_order(self) -> bool:
        """Whether, as text, all addresses of a family sort before those of the next family."""
        families = (kind.list_texts(self.switch) for kind in self.ports.kinds[-self.ports.families :])
        return all(max(texts) < min(next_texts) for texts, next_texts in pairwise(filter(None, families)))

    @property
    def _here(self) -> slice:
        """The slice of the shared columns that are this switch's ports."""
        return slice(self.ports.bounds[self.switch], self.ports.bounds[self.switch + 1])


class PortTextBuilder:
    """Collects the texts at the ports of switches; columns that all switches need are computed once."""

    def __init__(self, views: SwitchViews) -> None:
        """Compute what all switches need: the rank of each device's name as text, and columns by link."""
        self._views = views
        plan, names = views.plan, views.names
        order = sorted(range(len(names)), key=names.__getitem__)
        self._name_rank = np.empty(len(names), dtype=np.int64)
        self._name_rank[order] = np.arange(len(names))
        self._names = np.array(names, dtype=object)
        # one more row, of "", for links without a cable: -1 is the last
        ids, rows = views.cable_id_columns, np.append(np.arange(len(plan.cables)), -1)
        self._cables = ids.device.take_or_empty(rows), ids.connector.take_or_empty(rows)
        self._lengths_m = np.append(plan.cables.length_m, 0.0)
        self._routes = np.array([not isinstance(s.a, ManagementPort) for s in plan.links.segments], dtype=bool)
        self._subnets = find_rail_subnets(views)

    def list_port_texts(self, rows: Sequence[int], by_text: Flags) -> Iterator[PortTexts]:
        """Yield the ports of switches, by their rows in the device table, in the order of their views.

        `by_text` (bool, one a switch) says whether the configuration sorts by names, addresses or AS numbers. If so,
        texts are sorted and their order is part of the shape; else they are in the order of the ports.
        """
        links, devices = self._views.plan.links, self._views.plan.devices
        # by end of a link, those of one switch together: which of `rows` has it, the link, whether it is its b end
        owner, link, at_b = self._views.list_link_ends(rows)
        peer = np.where(at_b, links.a_device[link], links.b_device[link])
        cable = links.cable[link]
        bounds = np.searchsorted(owner, np.arange(len(rows) + 1))
        text_index = np.arange(len(owner)) - bounds[owner]
        a_port, b_port = self._views.ports
        far = np.where(at_b, a_port[link], b_port[link]).tolist()
        peers = _rank_keys(owner, self._name_rank[peer], by_text)
        asn = np.where(self._routes[links.segment[link]], self._views.addresses.asn[peer], 0)
        numbers = _rank_keys(owner, asn, by_text, asn != 0)
        of_switch = np.asarray(rows, dtype=np.int64)
        # addresses at ports are sorted as those of sessions, or not at all
        by_address = by_text & (self._views.addresses.asn[of_switch] != 0)
        families = [_rank_addresses(family, owner, link, at_b, by_address) for family in self._views.addresses.families]
        columns = [links.segment[link], at_b, np.where(at_b, links.b_port[link], links.a_port[link])]
        columns += [devices.device_class[peer], self._subnets[link], cable < 0, peers.indexes, numbers.indexes]
        if self._views.plan.bonds:
            columns.append(self._views.plan.bonds.find_numbers(link))
        for kind, family in zip(families, self._views.addresses.families, strict=True):
            columns += [*kind.indexes, family.length[link]]
        # SRv6 identifiers: of the switches at the far ends, and then those of the ports themselves, which are greater
        far_identifiers, local = self._views.addresses.identifiers[peer], self._views.list_local_identifiers(link, at_b)
        identifiers = [_rank_keys(owner, keys, by_text, keys != 0) for keys in (far_identifiers, local)]
        columns += [ranked.indexes for ranked in identifiers]
        devices_of, connectors = (part.take(cable).texts() for part in self._cables)
        kinds = (
            peers.make_kind(self._names[peer[peers.first]].tolist()),
            _TextKind(far, bounds.tolist(), text_index),
            _TextKind((devices_of + connectors).tolist(), bounds.tolist(), np.where(cable < 0, -1, text_index)),
            numbers.make_kind(list(map(str, asn[numbers.first].tolist()))),
            *(
                ranked.make_kind(self._views.name_identifiers(keys[ranked.first], of_switch[owner[ranked.first]]))
                for ranked, keys in zip(identifiers, (far_identifiers, local), strict=True)
            ),
            *families,
        )
        key = np.stack(columns, axis=1).astype(np.int32).tobytes()
        ports = _ShapePorts(kinds, len(families), bounds.tolist(), key, self._lengths_m[cable])
        return (PortTexts(ports, i) for i in range(len(rows)))


def _rank_addresses(family: FamilyAddresses, owner: Ints64, link: Ints, at_b: Flags, by_text: Flags) -> _TextKind:
    """Return the addresses of one family at the ports of switches and at their far ends: indexes have two rows.

    Each port is given by the index of its switch (`owner`), its link, and whether it is the link's upper end (`at_b`);
    `by_text` says of each switch whether its addresses are sorted.
    """
    a, b = family.a[link], family.b[link]
    # a NIC that has its address at another port answers here as well, as views have it
    a = _replace_rows(a, b.plus(1), b.present & ~a.present)
    all_ends = _replace_rows(a, b, at_b).followed_by(_replace_rows(b, a, at_b))
    keys = _rank_as_text(all_ends) if by_text.any() else all_ends.number()
    ranked = _rank_keys(np.concatenate([owner, owner]), keys, by_text, all_ends.present)
    kind = ranked.make_kind(all_ends[ranked.first].texts())
    return replace(kind, indexes=kind.indexes.reshape(2, -1))


def _replace_rows(column: AddressColumn, replacement: AddressColumn, mask: Flags) -> AddressColumn:
    """Return a column with the addresses of another one in the rows of a mask."""
    merged = column.copy()
    merged[mask] = replacement[mask]
    return merged


def _rank_as_text(column: AddressColumn) -> Ints64:
    """Return int64 numbers that sort as the addresses of a column do as text."""
    if not isinstance(column, IPv4Column):
        return np.unique(np.array(column.texts(), dtype=np.bytes_), return_inverse=True)[1]
    order, ranks = _rank_decimals(), np.zeros(len(column), dtype=np.int64)
    # octets compared one by one compare as the whole text does, as `.` comes before all digits
    for shift in (24, 16, 8, 0):
        ranks |= order[column.values >> shift & 255] << shift
    return ranks


@cache
def _rank_decimals() -> Ints64:
    """Return the rank of each number below 256 among them sorted as text (int64); separators sort before digits."""
    ranks = np.empty(256, dtype=np.int64)
    ranks[sorted(range(256), key=str)] = np.arange(256)
    return ranks


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The distinct keys of each owner with their ranks: an owner is a switch, a key a number that stands for a text."""

    first: Ints64
    """A row where each of the keys occurs, owner by owner."""
    bounds: Ints64
    """Where the part of each owner in `first` begins, and the end."""
    indexes: Ints64
    """The rank of the key of each row among those of its owner, -1 for none."""

    def make_kind(self, texts: list[str]) -> _TextKind:
        """Return a `_TextKind` of these keys, given the text of each key."""
        return _TextKind(texts, self.bounds.tolist(), self.indexes)


def _rank_keys(owner: Ints64, keys: Ints64, by_key: Flags, present: Flags | None = None) -> _Ranked:
    """Rank the keys of each owner: by value if `by_key` of the owner is set, else in order of appearance.

    `owner`, `keys` and `present` have one entry for each row, such as a port, and the rows of an owner stand together;
    keys that are not `present` have no rank. `by_key` has one entry for each owner.
    """
    indexes = np.full(len(keys), -1, dtype=np.int64)
    rows = np.arange(len(keys)) if present is None else np.flatnonzero(present)
    order = rows[sort_rows(owner[rows], keys[rows])]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (owner[order[1:]] != owner[order[:-1]]) | (keys[order[1:]] != keys[order[:-1]])
    # `first` is where each distinct key of an owner is first met, in order of owner and key
    first = order[new]
    # by value where the owner wants that: `first` has that order already
    by_rank = sort_rows(owner[first], np.where(by_key[owner[first]], np.arange(len(first)), first))
    rank = np.empty_like(by_rank)
    rank[by_rank] = np.arange(len(first))
    first = first[by_rank]
    bounds = np.searchsorted(owner[first], np.arange(len(by_key) + 1))
    indexes[order] = rank[np.cumsum(new) - 1] - bounds[owner[order]]
    return _Ranked(first, bounds, indexes)


def find_rail_subnets(views: SwitchViews) -> Ints64:
    """Return for every link the index of its rail's subnet among those of its switch (int64); 0 for links of no rail.

    Each subnet of a switch has a VLAN of its own.
    """
    links = views.plan.links
    subnets = np.zeros(len(links), dtype=np.int64)
    for i, segment in enumerate(links.segments):
        rails = views.addresses.rails.get(segment.fabric)
        if rails is not None and segment.lower == "node":
            rows_here = links.segment == i
            subnets[rows_here] = rails.subnet[rows_here]
    return subnets


PLACEHOLDER = re.compile(r"Qz(\d{7}):?zQ|419(\d{7})")
"""A placeholder in a text: of a word or an address, or of an AS number."""

_WORDS = re.compile(r"[A-Za-z0-9._:/+ -]*")
_SHORTEST_LINE, _SHORTEST_LABEL = 80, 230
"""Characters that every NOS prints without cutting: of a device and its port, and of these, a cable and a few words."""

_NUMBERS = 4_190_000_000
"""The first placeholder of AS numbers: ten digits that fit into 32 bits."""


@dataclass(frozen=True, slots=True)
class SwitchSignature:
    """A switch as its shape, which is a cache key, and the texts that fill a skeleton of the shape."""

    row: int
    shape: Hashable
    names: list[str]
    """Name, rack, AS number and MAC."""
    addresses: list[str]
    """The addresses of the switch itself, without prefix lengths, each once."""
    address_indexes: tuple[int, ...]
    """For each of `_list_frame_addresses` its index in `addresses`, -1 for none."""
    ports: PortTexts

    @property
    def texts(self) -> list[str]:
        """All texts, by the numbers of their placeholders."""
        return [*self.names, *self.addresses, *self.ports.texts]

    def number_placeholders(self) -> list[list[int]]:
        """Return lists of the numbers of placeholders, -1 where there is no text.

        The first list is for the addresses of `_list_frame_addresses`. The others are for `ports`: one list for each
        group, or two for addresses, with an entry for each port.
        """
        first = len(self.names)
        lists = [[i + first if i >= 0 else -1 for i in self.address_indexes]]
        first += len(self.addresses)
        for group in self.ports.groups:
            numbers = np.where(group.indexes < 0, -1, group.indexes + first)
            lists += numbers.tolist() if numbers.ndim > 1 else [numbers.tolist()]
            first += len(group.texts)
        return lists


class SwitchShapes:
    """Determines the shapes of switches, for many at a time, from the columns of the plan.

    A shape is all that can change the files of a switch but texts that are printed unchanged, such as names: switches
    of one shape are printed by filling one skeleton.
    """

    def __init__(self, views: SwitchViews) -> None:
        self._views = views
        self._ports = PortTextBuilder(views)
        self._stated = frozenset(views.design.loaded.blueprint.config_of)
        self._guests = any(family.vrf_links for family in views.addresses.families)
        self._guests = self._guests or bool(views.design.vnis or views.design.bridged_vnis or views.design.tenants)

    @cached_property
    def plain(self) -> bool:
        """Whether every NOS prints all names unchanged, and no line with them is so long that it is cut."""
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

    def list_signatures(self, rows: Sequence[int], keep_order: Container[str] = ()) -> Iterator[SwitchSignature | None]:
        """Yield the signatures of switches, by their rows in the device table; None for a switch that has no shape.

        `keep_order` are the NOSes that print everything in the order of the ports and sort nothing: for them, the order
        of texts is not part of the shape. A switch has no shape, and must be rendered by itself, if it has settings of
        its own, snippets to merge, static routes or sub-interfaces; if there are tenants; if services of its hosts
        depend on its gateways; if it is one of an MLAG pair or has exits; or if it has an IPv6 address that sorts
        before one of IPv4 as text.
        """
        frames = list(map(self._views.make_frame, rows))
        bonds = self._views.plan.bonds
        by_text = np.array([frame.nos not in keep_order for frame in frames], dtype=bool)
        for row, frame, ports in zip(rows, frames, self._ports.list_port_texts(rows, by_text), strict=True):
            merges = any(snippet.tree for snippet in frame.snippets)
            # why a switch is rendered by itself: whatever it has of its own may change its lines
            alone = merges or frame.name in self._stated or frame.fabric.underlay == "static" or self._guests
            alone = alone or _reads_gateways(frame)
            alone = alone or row in self._views.exit_rows or (bonds is not None and bonds.mate[row] >= 0)
            fits = not alone and (frame.nos in keep_order or ports.in_text_order)
            yield self._make_signature(row, frame, ports) if fits else None

    def _make_signature(self, row: int, frame: SwitchView, ports: PortTexts) -> SwitchSignature:
        """Return the signature of the switch in a row: `shape` has all that can change lines, the rest is texts printed
        unchanged.

        `frame` is the view of the switch, `ports` are the texts at its ports.
        """
        addresses = _list_frame_addresses(frame)
        texts, indexes = _sort_addresses(addresses)
        names = [frame.name, frame.rack, str(frame.asn), frame.mac]
        shape = (
            int(self._views.plan.devices.device_class[row]),
            *(
                frame.site,
                frame.shares_asn,
                bool(frame.asn),
                bool(frame.mac),
                tuple(map(_find_ending, addresses)),
                indexes,
            ),
            tuple((s.fabric, s.vlan, s.vrf, s.rail) for s in frame.services),
            ports.key,
        )
        return SwitchSignature(row, shape, names, texts, indexes, ports)

    def make_placeholder_view(self, signature: SwitchSignature) -> SwitchView:
        """Return the view of a switch with a placeholder in place of each of its texts."""
        view = self._views.switch(signature.row)
        frame_numbers, peers, far, cables, numbers, beyond, local, *addresses = signature.number_placeholders()
        absent = [-1] * len(view.ports)
        own4, far4, own6, far6 = [*addresses, absent, absent][:4]
        ports = tuple(
            replace(
                port,
                peer=make_word_placeholder(peers[i]),
                peer_port=make_word_placeholder(far[i]),
                cable=make_word_placeholder(cables[i]),
                peer_asn=_make_asn_placeholder(numbers[i]),
                address=_make_address_placeholder(port.address, own4[i]),
                peer_address=_make_address_placeholder(port.peer_address, far4[i]),
                address6=_make_address_placeholder(port.address6, own6[i]),
                peer_address6=_make_address_placeholder(port.peer_address6, far6[i]),
                locator=_make_address_placeholder(port.locator, beyond[i] if beyond[i] >= 0 else local[i]),
                adjacency=_make_address_placeholder(port.adjacency, local[i]) if port.adjacency else "",
            )
            for i, port in enumerate(view.ports)
        )
        addresses_of_switch = map(_make_address_placeholder, _list_frame_addresses(view), frame_numbers)
        replaced = replace(
            view,
            name=make_word_placeholder(0),
            rack=make_word_placeholder(1),
            asn=_make_asn_placeholder(2 if view.asn else -1),
            mac=make_word_placeholder(3 if view.mac else -1),
            ports=ports,
            routes=route_to_neighbours(ports),
        )
        return _replace_frame_addresses(replaced, addresses_of_switch)


def make_word_placeholder(number: int) -> str:
    """Return the placeholder of a word by its number; "" for -1."""
    return f"Qz{number:07d}zQ" if number >= 0 else ""


def _make_address_placeholder(address: str, number: int) -> str:
    """Return the placeholder of an address, of the same family and with the same prefix length."""
    bare, slash, length = address.partition("/")
    return f"Qz{number:07d}{':' if ':' in bare else ''}zQ{slash}{length}" if number >= 0 else ""


def _make_asn_placeholder(number: int) -> int:
    """Return the placeholder of an AS number."""
    return _NUMBERS + number if number >= 0 else 0


def _sort_addresses(texts: Sequence[str]) -> tuple[list[str], tuple[int, ...]]:
    """Return (sorted distinct addresses, index of each of `texts` among them); the index of "" is -1.

    Addresses are sorted as text with their prefix lengths, and these are then removed. Prefix lengths are part of the
    shape, so that one address may occur with two of them.
    """
    distinct = sorted(set(texts) - {""})
    index_of_text = {text: i for i, text in enumerate(distinct)} | {"": -1}
    return [text.partition("/")[0] for text in distinct], tuple(index_of_text[text] for text in texts)


def _find_ending(address: str) -> str:
    """Return the part of an address that belongs to the shape: its family and prefix length."""
    bare, slash, length = address.partition("/")
    return f"{':' if ':' in bare else '.'}{slash}{length}" if bare else ""


def _reads_gateways(view: SwitchView) -> bool:
    """Whether a DHCP relay or a router advertisement depends on the value of a gateway's address."""
    return any(s.gateways for s in view.services) and any(s.offers.reads_gateways for s in view.services)


def _list_frame_addresses(view: SwitchView) -> list[str]:
    """Return all addresses of a switch except those of its ports, in a fixed order."""
    addresses = [view.router_id, view.loopback, view.loopback6, view.locator]
    addresses += [text for pair in view.managements for text in pair]
    return addresses + [text for s in view.services for text in (s.gateway, s.host_subnet, s.gateway6, s.host_subnet6)]


def _replace_frame_addresses(view: SwitchView, texts: Iterator[str]) -> SwitchView:
    """Return a view with its addresses replaced by `texts`, in the order of `_list_frame_addresses`."""
    router_id, loopback, loopback6, locator = next(texts), next(texts), next(texts), next(texts)
    managements = tuple((next(texts), next(texts)) for _ in view.managements)
    services = tuple(
        s._replace(gateway=next(texts), host_subnet=next(texts), gateway6=next(texts), host_subnet6=next(texts))
        for s in view.services
    )
    return replace(
        view,
        router_id=router_id,
        loopback=loopback,
        loopback6=loopback6,
        locator=locator,
        managements=managements,
        services=services,
    )
