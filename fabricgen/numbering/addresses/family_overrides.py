"""Addresses of one family that are stated or adopted for single devices; they replace allocated ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.addresses.holders import Holders
from fabricgen.numbering.blocks.column import AddressColumn, column_of
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.numbering.link_ends import LinkEnds
from fabricgen.wiring.tables import Ints64, WiringPlan


class FamilyOverrides:
    """A copy of the addresses of one family to which overrides are applied; `router_id` is changed in place."""

    def __init__(
        self,
        plan: WiringPlan,
        names: Sequence[str],
        ports: tuple[Strings, Strings],
        ends: LinkEnds,
        addresses: FamilyAddresses,
        router_id: Ints64,
    ) -> None:
        self.plan, self.names, self.ports, self.router_id = plan, names, ports, router_id
        self.ends = ends
        self.found = replace(
            addresses,
            loopback=addresses.loopback.copy(),
            management=addresses.management.copy(),
            a=addresses.a.copy(),
            b=addresses.b.copy(),
        )
        self._asked: list[tuple[int, int, Path]] = []
        """(address, row of the device, path) of every override that was applied."""

    def check(self) -> list[Diagnostic]:
        """A diagnostic for each override whose address anything else has."""
        holders = Holders(self.plan, self.names, self.ports, self.found, self.router_id)
        faults: list[Diagnostic] = []
        for address, row, path in self._asked:
            try:
                holders.check(address, row, path)
            except InputError as error:
                faults += error.diagnostics
        return faults

    def loopback(self, row: int, address: int, path: Path) -> None:
        """Set the loopback of a switch; in IPv4 also its router id, even where its fabric has no IPv4."""
        to, names_routers = self.found, self.found.family.bits == ROUTER_ID_BITS
        before = to.loopback.at(row)
        if not (int(self.router_id[row]) if names_routers else before):
            raise self._has_none(row, self._loopback_word, path)
        if names_routers:
            self.router_id[row] = address
        if before:
            self._put(to.loopback, row, address)
            if to.management.at(row) == before:
                self._put(to.management, row, address)
        self._asked.append((address, row, path))

    def management(self, row: int, address: int, path: Path) -> None:
        """Set the management address of a device, within the subnet of its allocated one."""
        to, length = self.found, int(self.found.management_length[row])
        before = to.management.at(row)
        if not before:
            raise self._has_none(row, "management address", path)
        if before == to.loopback.at(row):
            message = f"{self.names[row]} is managed at its {self._loopback_word}"
            raise fault("FG047", message, path=path, hint="state its `loopback`")
        self._in_subnet(address, before, length, to.management_gateway.at(row), path)
        links = np.flatnonzero((self.plan.links.a_device == row) & to.a.equals(before))
        self._put(to.a, links, address)
        self._put(to.management, row, address)
        self._asked.append((address, row, path))

    def link(self, row: int, port: str, address: int, path: Path) -> None:
        """Set the address of a port; the far end of a link between switches gets the other address of the pair."""
        links, to = self.plan.links, self.found
        at = self.ends.of(row).get(port)
        if at is None:
            raise fault(
                "FG047",
                f"{self.names[row]} has no cabled port '{port}'",
                path=path,
                hint=did_you_mean(port, self.ends.of(row)),
            )
        link, own, far = (at[0], to.b, to.a) if at[1] else (at[0], to.a, to.b)
        before, segment = own.at(link), links.segments[links.segment[link]]
        if not before:
            raise self._has_none(row, f"{self._word}address on {port}", path)
        if isinstance(segment.a, PortRun) and far.at(link):
            self._put(own, link, address)
            self._put(far, link, address ^ 1)
            other = int(links.a_device[link] if at[1] else links.b_device[link])
            self._asked += [(address, row, path), (address ^ 1, other, path)]
            return
        length, family = int(to.length[link]), to.family
        self._in_subnet(address, before, length, int(family.network(before, length).network_address) + 1, path)
        if to.management.at(row) == before:
            self._put(to.management, row, address)
        self._put(own, link, address)
        self._asked.append((address, row, path))

    @property
    def _word(self) -> str:
        return "" if self.found.family.bits == ROUTER_ID_BITS else "IPv6 "

    @property
    def _loopback_word(self) -> str:
        return f"{self._word}loopback" if self._word else "router id"

    def _put(self, column: AddressColumn, rows: int | Ints64, address: int) -> None:
        column[np.atleast_1d(rows)] = column_of(self.found.family, [address])

    def _has_none(self, row: int, what: str, path: Path) -> InputError:
        return fault("FG047", f"{self.names[row]} has no {what} to override", path=path)

    def _in_subnet(self, address: int, before: int, length: int, gateway: int, path: Path) -> None:
        """Raise InputError for an address that is not usable in the subnet of the allocated one (`before`)."""
        family, text = self.found.family, self.found.text
        subnet, first = family.network(before, length), int(family.network(before, length).network_address)
        if length >= family.pair_length:
            message = f"{text(before)}/{length} is on a routed link of two addresses: no other fits"
            raise fault("FG047", message, path=path, hint="addresses of routed nodes come from the block of their leaf")
        if family.network(address, length) != subnet:
            message = f"{text(address)} is not in {subnet}, the subnet of that port"
            raise fault("FG047", message, path=path, hint=f"its usual address is {text(before)}")
        if address in (first, first + subnet.num_addresses - 1, gateway):
            what = "gateway" if address == gateway else "first or last address"
            raise fault("FG047", f"{text(address)} is the {what} of {subnet}", path=path)
