"""Numbers of single devices (`address_of`), laid over those that were allocated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network

import numpy as np

from fabricgen.allocate.addresses import Addresses
from fabricgen.allocate.holders import Holders
from fabricgen.allocate.pools import dotted
from fabricgen.allocate.ports import Strings
from fabricgen.blueprint.overrides import Override
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault
from fabricgen.plan.tables import SWITCH, Plan


def with_overrides(
    design: Design, plan: Plan, names: Sequence[str], ports: tuple[Strings, Strings], addresses: Addresses
) -> Addresses:
    """The addresses with what single devices have of their own.

    Raises InputError at what no device has, and at numbers that others hold.
    """
    stated = design.loaded.blueprint.address_of
    return _Overriding(design, plan, names, ports, addresses).run(stated) if stated else addresses


class _Overriding:
    def __init__(
        self, design: Design, plan: Plan, names: Sequence[str], ports: tuple[Strings, Strings], addresses: Addresses
    ) -> None:
        self.design, self.plan, self.names, self.ports = design, plan, names, ports
        columns = ("asn", "loopback", "management", "a_ip", "b_ip")
        self.to = replace(addresses, **{name: getattr(addresses, name).copy() for name in columns})
        self.asked: list[tuple[int, int, Path]] = []
        """(address, row of the device, place) of every address stated."""

    def run(self, stated: Mapping[str, Override]) -> Addresses:
        rows = {name: row for row, name in enumerate(self.names) if name in stated}
        for name in stated:
            if name not in rows:
                hint = did_you_mean(name, self.names)
                raise fault("FG047", f"there is no device '{name}'", path=("address_of", name), hint=hint)
        for name, own in stated.items():
            self._device(rows[name], own, ("address_of", name))
        holders = Holders(self.plan, self.names, self.ports, self.to)
        for address, row, path in self.asked:
            holders.check(address, row, path)
        for name, own in stated.items():
            if own.asn is not None:
                holders.check_asn(own.asn, rows[name], ("address_of", name, "asn"))
        return replace(self.to, own_loopbacks=self._own_loopbacks(rows, stated))

    def _device(self, row: int, own: Override, path: Path) -> None:
        if own.asn is not None:
            if not self.to.asn[row]:
                raise self._has_none(row, "AS number", (*path, "asn"))
            self.to.asn[row] = own.asn
        if own.loopback is not None:
            self._loopback(row, int(IPv4Address(own.loopback)), (*path, "loopback"))
        if own.mgmt is not None:
            self._management(row, int(IPv4Address(own.mgmt)), (*path, "mgmt"))
        for port, address in own.links.items():
            self._link(row, port, int(IPv4Address(address)), (*path, "links", port))

    def _has_none(self, row: int, what: str, path: Path) -> InputError:
        return fault("FG047", f"{self.names[row]} has no {what} that could be another", path=path)

    def _loopback(self, row: int, address: int, path: Path) -> None:
        before = int(self.to.loopback[row])
        if not before:
            raise self._has_none(row, "router id", path)
        self.to.loopback[row] = address
        if self.to.management[row] == before:
            self.to.management[row] = address
        self.asked.append((address, row, path))

    def _management(self, row: int, address: int, path: Path) -> None:
        before, length = int(self.to.management[row]), int(self.to.management_length[row])
        if not before:
            raise self._has_none(row, "management address", path)
        if before == self.to.loopback[row]:
            message = f"{self.names[row]} is managed at its router id"
            raise fault("FG047", message, path=path, hint="state its `loopback`")
        self._in_subnet(address, before, length, int(self.to.management_gateway[row]), path)
        links = np.flatnonzero((self.plan.links.a_device == row) & (self.to.a_ip == before))
        self.to.a_ip[links] = address
        self.to.management[row] = address
        self.asked.append((address, row, path))

    def _in_subnet(self, address: int, before: int, length: int, gateway: int, path: Path) -> None:
        """Refuse an address that cannot be used in the subnet of another."""
        subnet = IPv4Network((before, length), strict=False)
        if length >= 31:
            message = f"{dotted(before)}/{length} is on a routed link of two addresses: no other fits"
            raise fault("FG047", message, path=path, hint="addresses of routed nodes come from the block of their leaf")
        if IPv4Address(address) not in subnet:
            message = f"{dotted(address)} is not in {subnet}, the subnet of that port"
            raise fault("FG047", message, path=path, hint=f"its usual address is {dotted(before)}")
        if address in (int(subnet.network_address), int(subnet.broadcast_address), gateway):
            what = "gateway" if address == gateway else "first or last address"
            raise fault("FG047", f"{dotted(address)} is the {what} of {subnet}", path=path)

    def _link(self, row: int, port: str, address: int, path: Path) -> None:
        links, to = self.plan.links, self.to
        at_a = np.flatnonzero((links.a_device == row) & (self.ports[0] == port))
        at_b = np.flatnonzero((links.b_device == row) & (self.ports[1] == port))
        if not len(at_a) + len(at_b):
            raise fault(
                "FG047",
                f"{self.names[row]} has no cabled port '{port}'",
                path=path,
                hint=did_you_mean(port, self._ports_of(row)),
            )
        link, own, far = (int(at_a[0]), to.a_ip, to.b_ip) if len(at_a) else (int(at_b[0]), to.b_ip, to.a_ip)
        before, segment = int(own[link]), links.segments[links.segment[link]]
        if not before:
            raise self._has_none(row, f"address on {port}", path)
        if isinstance(segment.a, PortRun) and far[link]:
            own[link], far[link] = address, address ^ 1
            other = int(links.b_device[link] if len(at_a) else links.a_device[link])
            self.asked += [(address, row, path), (address ^ 1, other, path)]
            return
        length = int(to.length[link])
        self._in_subnet(address, before, length, (before >> (32 - length) << (32 - length)) + 1, path)
        if to.management[row] == before:
            to.management[row] = address
        own[link] = address
        self.asked.append((address, row, path))

    def _ports_of(self, row: int) -> list[str]:
        links = self.plan.links
        return [*self.ports[0][links.a_device == row], *self.ports[1][links.b_device == row]]

    def _own_loopbacks(self, rows: Mapping[str, int], stated: Mapping[str, Override]) -> dict[str, tuple[str, ...]]:
        """By fabric: router ids that single switches have, as prefixes."""
        devices = self.plan.devices
        found: dict[str, tuple[str, ...]] = {}
        for name, own in sorted(stated.items()):
            cls = devices.classes[devices.device_class[rows[name]]]
            if own.loopback is not None and cls.kind == SWITCH:
                found[cls.fabric] = (*found.get(cls.fabric, ()), f"{own.loopback}/32")
        return found
