"""Who holds a number: what a single device is given must be nobody else's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.allocate.addresses import Addresses
from fabricgen.allocate.pools import dotted
from fabricgen.allocate.ports import Strings
from fabricgen.kernel.diagnostics import Path, fault
from fabricgen.plan.tables import Plan


class Holders:
    """The holders of every address and AS number of a cluster."""

    def __init__(self, plan: Plan, names: Sequence[str], ports: tuple[Strings, Strings], addresses: Addresses) -> None:
        self._plan, self._names, self._ports, self._addresses = plan, names, ports, addresses

    def check(self, address: int, row: int, path: Path) -> None:
        """Refuse an address that a device is given where anything else holds it, or the subnet around it."""
        holders = list(dict.fromkeys(self._holders(address)))
        if len(holders) > 1:
            other = next((text for device, text in holders if device != row), holders[-1][1])
            raise fault(
                "FG048",
                f"{dotted(address)} is also {other}",
                path=path,
                hint="state an address that nothing has; `addresses.csv` lists those in use",
            )
        if around := next(self._around(address, row), ""):
            raise fault("FG048", f"{dotted(address)} lies in {around}", path=path, hint="state an address outside")

    def _holders(self, address: int) -> Iterator[tuple[int, str]]:
        """(device, what the address is to it) wherever it is in use; a management port's link is one with it."""
        held, links = self._addresses, self._plan.links
        for row in np.flatnonzero(held.loopback == address).tolist():
            yield row, f"the router id of {self._names[row]}"
        for row in np.flatnonzero((held.management == address) & (held.loopback != address)).tolist():
            yield row, f"the management address of {self._names[row]}"
        ends = ((links.a_device, held.a_ip, self._ports[0]), (links.b_device, held.b_ip, self._ports[1]))
        for device, column, port in ends:
            for link in np.flatnonzero(column == address).tolist():
                row = int(device[link])
                if held.management[row] != address:
                    yield row, f"the address of {self._names[row]} {port[link]}"
        for subnets in held.subnets.values():
            for row in np.flatnonzero(subnets.gateway == address).tolist():
                yield row, f"the gateway on {self._names[row]}"
        for (_, vrf), pairs in held.vrf_links.items():
            for link in np.flatnonzero((pairs == address & ~1) & (pairs > 0)).tolist():
                row = int(links.a_device[link])
                yield row, f"on the link of {self._names[row]} {self._ports[0][link]} in VRF {vrf}"

    def _around(self, address: int, row: int) -> Iterator[str]:
        """Blocks of nodes, and subnets of management ports, that an address lies in and its device has no part in."""
        held = self._addresses
        for subnets in held.subnets.values():
            inside = (subnets.base > 0) & (subnets.base >> (32 - subnets.length) == address >> (32 - subnets.length))
            for leaf in np.flatnonzero(inside).tolist():
                if not self._ends_in(row, int(subnets.base[leaf]), int(subnets.length[leaf])):
                    yield f"the block of nodes on {self._names[leaf]}"
        flat = (held.management > 0) & (held.management_length < 31) & (held.management != address)
        length = held.management_length
        same = flat & (held.management >> (32 - length) == address >> (32 - length))
        if same.any() and held.management[row] != address:
            yield f"the management subnet of {self._names[int(np.flatnonzero(same)[0])]}"

    def _ends_in(self, row: int, base: int, length: int) -> bool:
        """Whether a device's own port is in a block."""
        own = self._addresses.a_ip[self._plan.links.a_device == row]
        return bool((own >> (32 - length) == base >> (32 - length)).any())

    def check_asn(self, number: int, row: int, path: Path) -> None:
        """Refuse an AS number that a switch of another tier or fabric has: only peers of a tier may share one."""
        devices = self._plan.devices
        for other in np.flatnonzero(self._addresses.asn == number).tolist():
            if devices.device_class[other] != devices.device_class[row]:
                raise fault(
                    "FG048",
                    f"{number} is also the AS number of {self._names[other]}",
                    path=path,
                    hint="only switches of one tier share a number: routing domains are kept apart",
                )
