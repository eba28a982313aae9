"""Shapes of switches: switches whose configurations differ only in texts that are printed as they are.

Switches of one shape are alike in everything that a configuration may branch, group or sort on: their ports, the kinds
of devices at the far ends, which addresses there are, which names, addresses and AS numbers are equal, and, unless the
NOS keeps the order of ports everywhere, their order as text. A view can be made *with placeholders*: each of its texts
is replaced by a placeholder, and placeholders sort as the texts that they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fabricgen.render.shapes.port_texts import PortTextBuilder, PortTexts
from fabricgen.views.switch import SwitchView
from fabricgen.views.switches import SwitchViews

PLACEHOLDER = re.compile(r"Qz(\d{7}):?zQ|419(\d{7})")
"""A placeholder in a text: of a word or an address, or of an AS number."""

_WORDS = re.compile(r"[A-Za-z0-9._:/+ -]*")
_SHORTEST_LINE, _SHORTEST_LABEL = 80, 230
"""Characters that every NOS prints without cutting: of a device and its port, and of these, a cable and a few words."""

_NUMBERS = 4_190_000_000
"""The first placeholder of AS numbers: ten digits that fit into 32 bits."""


@dataclass(frozen=True, slots=True)
class SwitchSignature:
    """A switch by its shape, which is a cache key, and the texts that fill a skeleton of the shape."""

    row: int
    shape: Hashable
    names: list[str]
    """Name, rack, AS number and MAC."""
    addresses: list[str]
    """The addresses of the switch itself, without prefix lengths, each once."""
    address_indexes: tuple[int, ...]
    """For each of `_frame_addresses` its index in `addresses`, -1 for none."""
    ports: PortTexts

    @property
    def texts(self) -> list[str]:
        """All texts, by the numbers of their placeholders."""
        return [*self.names, *self.addresses, *self.ports.texts]

    def placeholder_numbers(self) -> list[list[int]]:
        """The numbers of placeholders, -1 for none: one list for `_frame_addresses`, then one a row of indexes of each
        group of `ports`, with one entry a port."""
        first = len(self.names)
        found = [[i + first if i >= 0 else -1 for i in self.address_indexes]]
        first += len(self.addresses)
        for group in self.ports.groups:
            numbers = np.where(group.indexes < 0, -1, group.indexes + first)
            found += numbers.tolist() if numbers.ndim > 1 else [numbers.tolist()]
            first += len(group.texts)
        return found


class SwitchShapes:
    """Determines the shapes of switches from columns, for many switches at a time."""

    def __init__(self, views: SwitchViews) -> None:
        self._views = views
        self._ports = PortTextBuilder(views)
        self._stated = frozenset(views.design.loaded.blueprint.config_of)
        self._guests = any(found.vrf_links for found in views.addresses.families)
        self._guests = self._guests or bool(views.design.vnis or views.design.bridged_vnis or views.design.tenants)

    @cached_property
    def plain(self) -> bool:
        """Whether every NOS prints all names unchanged, and no line with them is long enough to be cut."""
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

    def signatures(self, rows: Sequence[int], keep_order: Container[str] = ()) -> Iterator[SwitchSignature | None]:
        """The signatures of switches, by their rows in the device table.

        `keep_order` are the NOSes that print everything in the order of the ports and sort nothing: the order of texts
        is then no part of the shape.

        None for a switch that must be rendered by itself: it has settings of its own, snippets to merge, static routes
        or sub-interfaces, there are tenants, services of its hosts depend on its gateways, it is one of an MLAG pair or
        has exits, or it has an IPv6 address that sorts before one of IPv4 as text.
        """
        frames = list(map(self._views.frame, rows))
        bonds = self._views.plan.bonds
        by_text = np.array([frame.nos not in keep_order for frame in frames], dtype=bool)
        for row, frame, ports in zip(rows, frames, self._ports.of(rows, by_text), strict=True):
            merges = any(snippet.tree for snippet in frame.snippets)
            alone = merges or frame.name in self._stated or frame.fabric.underlay == "static" or self._guests
            alone = alone or _reads_gateways(frame)
            alone = alone or row in self._views.exit_rows or (bonds is not None and bonds.mate[row] >= 0)
            fits = not alone and (frame.nos in keep_order or ports.in_text_order)
            yield self._signature(row, frame, ports) if fits else None

    def _signature(self, row: int, frame: SwitchView, ports: PortTexts) -> SwitchSignature:
        addresses = _frame_addresses(frame)
        own, indexes = _sorted_once(addresses)
        names = [frame.name, frame.rack, str(frame.asn), frame.mac]
        shape = (
            int(self._views.plan.devices.device_class[row]),
            *(frame.site, frame.shares_asn, bool(frame.asn), bool(frame.mac), tuple(map(_ending, addresses)), indexes),
            tuple((s.fabric, s.vlan, s.vrf, s.rail) for s in frame.services),
            ports.key,
        )
        return SwitchSignature(row, shape, names, own, indexes, ports)

    def with_placeholders(self, signature: SwitchSignature) -> SwitchView:
        """The view of a switch with a placeholder in place of each of its texts."""
        view = self._views.switch(signature.row)
        own, peers, far, cables, numbers, *addresses = signature.placeholder_numbers()
        none = [-1] * len(view.ports)
        own4, far4, own6, far6 = [*addresses, none, none][:4]
        ports = tuple(
            replace(
                port,
                peer=word_placeholder(peers[i]),
                peer_port=word_placeholder(far[i]),
                cable=word_placeholder(cables[i]),
                peer_asn=_number(numbers[i]),
                address=_address(port.address, own4[i]),
                peer_address=_address(port.peer_address, far4[i]),
                address6=_address(port.address6, own6[i]),
                peer_address6=_address(port.peer_address6, far6[i]),
            )
            for i, port in enumerate(view.ports)
        )
        addresses_of_switch = map(_address, _frame_addresses(view), own)
        whole = replace(
            view,
            name=word_placeholder(0),
            rack=word_placeholder(1),
            asn=_number(2 if view.asn else -1),
            mac=word_placeholder(3 if view.mac else -1),
            ports=ports,
        )
        return _with_frame_addresses(whole, addresses_of_switch)


def word_placeholder(number: int) -> str:
    """The placeholder of a word by its number, "" for -1."""
    return f"Qz{number:07d}zQ" if number >= 0 else ""


def _address(address: str, number: int) -> str:
    """The placeholder of an address; its family can be recognised, and its prefix length is kept."""
    bare, slash, length = address.partition("/")
    return f"Qz{number:07d}{':' if ':' in bare else ''}zQ{slash}{length}" if number >= 0 else ""


def _number(number: int) -> int:
    return _NUMBERS + number if number >= 0 else 0


def _sorted_once(texts: Sequence[str]) -> tuple[list[str], tuple[int, ...]]:
    """(the distinct addresses, sorted as text and without prefix lengths; the index of each of `texts`, -1 for "").

    Prefix lengths are a part of the shape.
    """
    each = sorted(set(texts) - {""})
    place = {text: i for i, text in enumerate(each)} | {"": -1}
    return [text.partition("/")[0] for text in each], tuple(place[text] for text in texts)


def _ending(address: str) -> str:
    """The part of an address that belongs to the shape: its family and prefix length."""
    bare, slash, length = address.partition("/")
    return f"{':' if ':' in bare else '.'}{slash}{length}" if bare else ""


def _reads_gateways(view: SwitchView) -> bool:
    """Whether a relay or an advertisement depends on what the address of a gateway is."""
    return any(s.gateways for s in view.services) and any(s.offers.reads_gateways for s in view.services)


def _frame_addresses(view: SwitchView) -> list[str]:
    """All addresses of a switch except those of its ports, in a fixed order."""
    own = [view.router_id, view.loopback, view.loopback6]
    own += [text for pair in view.managements for text in pair]
    return own + [text for s in view.services for text in (s.gateway, s.host_subnet, s.gateway6, s.host_subnet6)]


def _with_frame_addresses(view: SwitchView, texts: Iterator[str]) -> SwitchView:
    """A view with its addresses replaced by `texts`, in the order of `_frame_addresses`."""
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
