"""Checks that a number stated for a single device is used by nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.kernel.diagnostics import Path, fault
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Flags, Ints64
from fabricgen.wiring.tables import WiringPlan


class Holders:
    """Finds what uses an address of one family in a cluster."""

    def __init__(
        self,
        plan: WiringPlan,
        names: Sequence[str],
        ports: tuple[Strings, Strings],
        addresses: FamilyAddresses,
        router_id: Ints64,
    ) -> None:
        self._plan, self._names, self._ports, self._addresses = plan, names, ports, addresses
        self._router_id = router_id

    def check(self, address: int, row: int, path: Path) -> None:
        """Raise InputError if anything but device `row` uses an address, or has a subnet that contains it."""
        holders, text = list(dict.fromkeys(self._list_holders(address))), self._addresses.format_address(address)
        if len(holders) > 1:
            other_use = next((text for device, text in holders if device != row), holders[-1][1])
            raise fault(
                "FG048",
                f"{text} is also {other_use}",
                path=path,
                hint="state an address that nothing has; `addresses.csv` lists those in use",
            )
        if around := next(self._list_blocks_around(address, row), ""):
            raise fault("FG048", f"{text} lies in {around}", path=path, hint="state an address outside")

    def _list_holders(self, address: int) -> Iterator[tuple[int, str]]:
        """Yield (device row, what the address is used for) of every use; a management port and its link count once."""
        addresses, links = self._addresses, self._plan.links
        # bool by device; what such an address is called
        named, word = self._match_loopbacks(address)
        for row in np.flatnonzero(named).tolist():
            yield row, f"the {word} of {self._names[row]}"
        # a switch that is managed at its loopback has one address, not two
        for row in np.flatnonzero(addresses.management.equals(address) & ~named).tolist():
            yield row, f"the management address of {self._names[row]}"
        ends = ((links.a_device, addresses.a, self._ports[0]), (links.b_device, addresses.b, self._ports[1]))
        for device, column, port in ends:
            for link in np.flatnonzero(column.equals(address)).tolist():
                row = int(device[link])
                if addresses.management.at(row) != address:
                    yield row, f"the address of {self._names[row]} {port[link]}"
        for fabric, subnets in addresses.subnets.items():
            for row in np.flatnonzero(subnets.base.within(address, subnets.length)).tolist():
                if address in addresses.list_gateways(fabric, row):
                    yield row, f"the gateway on {self._names[row]}"
        yield from self._list_holders_in_vrfs(address)

    def _list_holders_in_vrfs(self, address: int) -> Iterator[tuple[int, str]]:
        """Yield (device row, what the address is used for) of every use in a VRF: as a loopback or on a link."""
        addresses, links = self._addresses, self._plan.links
        for (_, vrf), column in addresses.vrf_loopbacks.items():
            for row in np.flatnonzero(column.equals(address)).tolist():
                yield row, f"the loopback of {self._names[row]} in VRF {vrf}"
        for (_, vrf), pairs in addresses.vrf_links.items():
            # columns of pairs have the even address of the upper end; the lower end has the odd one
            for link in np.flatnonzero(pairs.equals(address & ~1)).tolist():
                row = int(links.a_device[link])
                yield row, f"on the link of {self._names[row]} {self._ports[0][link]} in VRF {vrf}"

    def _match_loopbacks(self, address: int) -> tuple[Flags, str]:
        """Return (bool by device: whether the address is its loopback or router id; the word for it)."""
        if self._addresses.family.bits == ROUTER_ID_BITS:
            return self._router_id == address, "router id"
        return self._addresses.loopback.equals(address), "loopback"

    def _list_blocks_around(self, address: int, row: int) -> Iterator[str]:
        """Yield the blocks of nodes and management subnets that contain an address, but in which its device has no
        port.
        """
        addresses = self._addresses
        for subnets in addresses.subnets.values():
            for leaf in np.flatnonzero(subnets.base.within(address, subnets.length)).tolist():
                if not self._has_port_in(row, subnets.base.at(leaf), int(subnets.length[leaf])):
                    yield f"the block of nodes on {self._names[leaf]}"
        in_subnets = (addresses.management_length < addresses.family.pair_length) & ~addresses.management.equals(
            address
        )
        containing = in_subnets & addresses.management.within(address, addresses.management_length)
        if containing.any() and addresses.management.at(row) != address:
            yield f"the management subnet of {self._names[int(np.flatnonzero(containing)[0])]}"

    def _has_port_in(self, row: int, base: int, length: int) -> bool:
        """Whether a port of a device has an address in a block."""
        port_addresses = self._addresses.a[self._plan.links.a_device == row]
        return bool(port_addresses.within(base, np.full(len(port_addresses), length, dtype=np.int64)).any())


def check_asn(plan: WiringPlan, names: Sequence[str], asn: Ints64, row: int, path: Path) -> None:
    """Raise InputError if a switch of another tier has the AS number of device `row`; within a tier they may share."""
    devices = plan.devices
    for other_row in np.flatnonzero(asn == asn[row]).tolist():
        if devices.device_class[other_row] != devices.device_class[row]:
            raise fault(
                "FG048",
                f"{int(asn[row])} is also the AS number of {names[other_row]}",
                path=path,
                hint="only switches of one tier share a number: routing domains are kept apart",
            )
