"""Overrides of numbers: addresses and AS numbers of single devices that the blueprint states (`address_of`) or the
lock adopted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Network, collapse_addresses, ip_network
from typing import cast

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED, PLACE, Key, parse_adopted_section
from fabricgen.blueprint.sections.cable_overrides import Override
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn, make_column
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, filter_prefixes
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.numbering.names import index_default_names
from fabricgen.numbering.ports import LinkEnds, PortNames
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import SWITCH, WiringPlan

OverrideKey = tuple[str, int, int]
"""The number that an override replaces: (`asn`, `loopback`, `mgmt` or `link`; row of the device or link; 1 if it is
IPv6, else 0)."""


def apply_overrides(
    design: Design, plan: WiringPlan, names: Sequence[str], port_names: PortNames, addresses: Addresses
) -> Addresses:
    """Return the addresses with all overrides applied; `address_of` takes precedence over adopted numbers.

    Raises InputError for an override of a number that the device does not have, and for a number that is in use
    elsewhere. Adopted numbers of devices and ports that do not exist are ignored: they stay in the lock as holes.
    """
    overrides = design.loaded.blueprint.address_of
    adopted = parse_adopted_section(design.layout.lock.find_words(ADOPTED))
    if not overrides and not adopted:
        return addresses
    rows = index_default_names(design, plan.devices) if adopted else {}
    return _OverrideApplier(plan, names, port_names.ports, addresses).apply_overrides(overrides, adopted, rows)


def find_unknown_overrides(overridden: Iterable[str], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a fault (FG047) for each name in `overridden`, the keys of `address_of`, that no device has."""
    known_names = frozenset(names) if overridden else frozenset()
    for name in overridden:
        if name not in known_names:
            path, hint = ("address_of", name), did_you_mean(name, names)
            yield from fault("FG047", f"there is no device '{name}'", path=path, hint=hint).diagnostics


class _OverrideApplier:
    """Applies the overrides of a cluster to a copy of its numbers, and collects their faults."""

    def __init__(
        self, plan: WiringPlan, names: Sequence[str], ports: tuple[Strings, Strings], addresses: Addresses
    ) -> None:
        self.plan, self.names = plan, names
        # copies, as the columns that were allocated are kept elsewhere and must not change; families copy theirs
        self.to = replace(addresses, asn=addresses.asn.copy(), router_id=addresses.router_id.copy())
        self.ends = LinkEnds(plan, ports)
        self.families = [
            FamilyOverrides(plan, names, ports, self.ends, f, self.to.router_id) for f in addresses.families
        ]
        self.asns: list[tuple[int, Path]] = []
        self.loopbacks: list[tuple[int, str]] = []
        """(row, address) of every loopback stated."""
        self.faults: list[Diagnostic] = []

    def apply_overrides(
        self, overrides: Mapping[str, Override], adopted: Mapping[Key, str], defaults: Mapping[str, int]
    ) -> Addresses:
        """Return the addresses with all stated and adopted numbers. Raises InputError with every fault of them.

        `defaults` has the row of each device by its default name.
        """
        if unknown := [*find_unknown_overrides(overrides, self.names)]:
            raise InputError(unknown)
        rows = {name: row for row, name in enumerate(self.names) if name in overrides}
        stated_keys = {
            key_of_override
            for name, override in overrides.items()
            for key_of_override in self._list_override_keys(rows[name], override)
        }
        # a line of the lock for a device that is gone stays there unused, in case the device comes back
        used = frozenset(key for key in adopted if self._has_number(key, defaults))
        adopted_keys: dict[OverrideKey, Key] = {}
        for key in (key for key in adopted if key in used and key.what not in ("name", PLACE)):
            key_of_override = self._make_override_key(defaults[key.device], key)
            # the first line of a link wins; another one, for its other end, is a fault
            earlier = adopted_keys.setdefault(key_of_override, key)
            if earlier != key:
                message = (
                    f"the lock has the link of {key.device} {key.port} twice: by {earlier.device} {earlier.port} too"
                )
                refusal = fault("FG048", message, path=(ADOPTED, key.text()), hint="delete one of the two lines")
                self.faults += refusal.diagnostics
            # what a person states in the blueprint goes before what the lock adopted
            elif key_of_override not in stated_keys:
                self._apply_adopted(defaults[key.device], key, adopted[key])
        for name, override in overrides.items():
            self._apply_override(rows[name], override, ("address_of", name))
        for family in self.families if not self.faults else ():
            self.faults += family.list_conflicts()
        for row, path in self.asns if not self.faults else ():
            try:
                check_asn(self.plan, self.names, self.to.asn, row, path)
            except InputError as error:
                self.faults += error.diagnostics
        if self.faults:
            raise InputError(self.faults)
        return replace(
            self.to,
            families=tuple(f.addresses for f in self.families),
            own_loopbacks=self._collapse_loopbacks(),
            used=self.to.used | {(ADOPTED, key.text()) for key in used},
        )

    def _find_family(self, *, v6: bool) -> FamilyOverrides | None:
        """Return the numbers of IPv4 or IPv6; None if the cluster has no IPv6."""
        # False and True are indexes: families are IPv4, then IPv6
        return self.families[v6] if v6 < len(self.families) else None

    def _has_number(self, key: Key, rows: Mapping[str, int]) -> bool:
        """Whether both the device of an adopted number and the number that it replaces exist."""
        row, family = rows.get(key.device, -1), self._find_family(v6=key.v6)
        if row < 0 or key.what in ("name", PLACE):
            return row >= 0
        if key.what == "asn":
            return bool(self.to.asn[row])
        if family is None:
            return False
        if key.what == "port":
            # -1: no link is at that port any more
            link, upper = self.ends.list_device_links(row).get(key.port, (-1, False))
            return link >= 0 and bool((family.addresses.b if upper else family.addresses.a).at(link))
        if key.what == "mgmt":
            return bool(family.addresses.management.at(row))
        return bool(family.addresses.loopback.at(row) if key.v6 else self.to.router_id[row])

    def _make_override_key(self, row: int, key: Key) -> OverrideKey:
        """Return the key of the number that an adopted one replaces.

        Both ends of a link have one key, with the row of the link: the address of one end decides that of the other.
        """
        if key.what == "port":
            return "link", self.ends.list_device_links(row).get(key.port, (-1, False))[0], key.v6
        return key.what, row, key.v6

    def _list_override_keys(self, row: int, override: Override) -> Iterator[OverrideKey]:
        """Yield the key of each number that an entry of `address_of` replaces."""
        if override.asn is not None:
            yield "asn", row, 0
        device_numbers = [("loopback", "", override.loopback or ()), ("mgmt", "", override.management or ())]
        for kind, port, texts in (*device_numbers, *(("port", port, texts) for port, texts in override.links.items())):
            for text in texts:
                yield self._make_override_key(row, Key("", kind, port, ":" in text))

    def _apply_adopted(self, row: int, key: Key, value: str) -> None:
        """Apply one adopted number as if it were stated for its device."""
        texts = (value,)
        override = Override.model_construct(
            asn=int(value) if key.what == "asn" else None,
            loopback=texts if key.what == "loopback" else None,
            management=texts if key.what == "mgmt" else None,
            links={key.port: texts} if key.what == "port" else {},
        )
        self._apply_override(row, override, (ADOPTED, key.text()))

    def _apply_override(self, row: int, override: Override, path: Path) -> None:
        """Apply the numbers that are stated for one device; faults are collected, so that all of them are told."""
        try:
            self._set_asn(row, override, (*path, "asn"))
            for family, address in self._list_addresses(override.loopback, (*path, "loopback")):
                family.set_loopback(row, address, (*path, "loopback"))
            for family, address in self._list_addresses(override.management, (*path, "management")):
                family.set_management(row, address, (*path, "management"))
            for port, addresses in override.links.items():
                for family, address in self._list_addresses(addresses, (*path, "links", port)):
                    family.set_port_address(row, port, address, (*path, "links", port))
        except InputError as error:
            self.faults += error.diagnostics
        self.loopbacks += [(row, text) for text in override.loopback or ()]

    def _set_asn(self, row: int, override: Override, path: Path) -> None:
        """Set a stated AS number. Raises InputError (FG047) for a device without an AS number."""
        if override.asn is not None:
            if not self.to.asn[row]:
                message = f"{self.names[row]} has no AS number to override"
                raise fault("FG047", message, path=path)
            self.to.asn[row] = override.asn
            self.asns.append((row, path))

    def _list_addresses(self, texts: tuple[str, ...] | None, path: Path) -> Iterator[tuple[FamilyOverrides, int]]:
        """Yield (overrides of its family, address as an integer) for each address. Raises InputError (FG047) if
        nothing in the cluster has that family.
        """
        unmatched = set(texts or ())
        for overrides in self.families:
            for text in filter_prefixes(texts, overrides.addresses.family):
                unmatched.discard(text)
                yield overrides, overrides.addresses.family.parse(text)
        for text in sorted(unmatched):
            raise fault("FG047", f"nothing in the cluster has an address such as {text}", path=path, hint="see `ip`")

    def _collapse_loopbacks(self) -> dict[str, tuple[str, ...]]:
        """Return the loopbacks of overrides by fabric, as the fewest prefixes that cover them."""
        devices = self.plan.devices
        prefixes_by_fabric: dict[tuple[str, bool], set[str]] = {}
        for row, text in self.loopbacks:
            cls, family = devices.classes[devices.device_class[row]], self._find_family(v6=":" in text)
            if cls.kind == SWITCH and family is not None and family.addresses.loopback.at(row):
                prefix = family.addresses.format_prefix(family.addresses.loopback.at(row), family.addresses.family.bits)
                prefixes_by_fabric.setdefault((cls.fabric, ":" in text), set()).add(prefix)
        collapsed: dict[str, tuple[str, ...]] = {}
        for (fabric, _), prefixes in sorted(prefixes_by_fabric.items()):
            # of one family, which the type of `ip_network` (IPv4 or IPv6) does not say
            networks = cast("list[IPv4Network]", [ip_network(prefix) for prefix in prefixes])
            collapsed[fabric] = (*collapsed.get(fabric, ()), *map(str, collapse_addresses(networks)))
        return collapsed


# Addresses of one family that are stated or adopted for single devices, and replace allocated ones.


class FamilyOverrides:
    """A copy of the addresses of one family to which overrides are applied; `router_id` is changed in place.

    `ports` are the port names of the lower and of the upper ends of links; `ends` finds links by device row and port.
    """

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
        self.addresses = replace(
            addresses,
            loopback=addresses.loopback.copy(),
            management=addresses.management.copy(),
            a=addresses.a.copy(),
            b=addresses.b.copy(),
        )
        self._applied: list[tuple[int, int, Path]] = []
        """The (address, row of the device, path) of every override that was applied."""

    def list_conflicts(self) -> list[Diagnostic]:
        """Return a fault for each override whose address anything else in the cluster has."""
        uses = AddressUses(self.plan, self.names, self.ports, self.addresses, self.router_id)
        faults: list[Diagnostic] = []
        for address, row, path in self._applied:
            try:
                uses.refuse_conflict(address, row, path)
            except InputError as error:
                faults += error.diagnostics
        return faults

    def set_loopback(self, row: int, address: int, path: Path) -> None:
        """Set the loopback of a switch in the family of these overrides, and its management address if that is the
        same; in IPv4 also its router id, even if its fabric has no IPv4.

        `path` is where the override is stated. Raises InputError (FG047) there if the switch has no router id (IPv4)
        or no loopback (IPv6).
        """
        columns, names_routers = self.addresses, self.addresses.family.bits == ROUTER_ID_BITS
        allocated = columns.loopback.at(row)
        if not (int(self.router_id[row]) if names_routers else allocated):
            raise self._refuse_missing(row, self._loopback_word, path)
        if names_routers:
            self.router_id[row] = address
        if allocated:
            self._set_address(columns.loopback, row, address)
            if columns.management.at(row) == allocated:
                self._set_address(columns.management, row, address)
        self._applied.append((address, row, path))

    def set_management(self, row: int, address: int, path: Path) -> None:
        """Set the management address of a device, which must be in the subnet of the allocated one. Raises InputError
        (FG047) if it has none, is managed at its loopback, or the address is not usable.
        """
        columns, length = self.addresses, int(self.addresses.management_length[row])
        allocated = columns.management.at(row)
        if not allocated:
            raise self._refuse_missing(row, "management address", path)
        if allocated == columns.loopback.at(row):
            message = f"{self.names[row]} is managed at its {self._loopback_word}"
            raise fault("FG047", message, path=path, hint="state its `loopback` alone, which is both")
        self._check_in_subnet(address, allocated, length, columns.management_gateway.at(row), path)
        links = np.flatnonzero((self.plan.links.a_device == row) & columns.a.equals(allocated))
        self._set_address(columns.a, links, address)
        self._set_address(columns.management, row, address)
        self._applied.append((address, row, path))

    def set_port_address(self, row: int, port: str, address: int, path: Path) -> None:
        """Set the address of a port; the far end of a link between switches gets the other address of the pair.

        Raises InputError (FG047) if there is no such port, it has no address, or the new one is not usable.
        """
        links, columns = self.plan.links, self.addresses
        device_links = self.ends.list_device_links(row)
        if port not in device_links:
            message = f"{self.names[row]} has no cabled port '{port}'"
            raise fault("FG047", message, path=path, hint=did_you_mean(port, device_links))
        link, is_upper = device_links[port]
        near_column, far_column = (columns.b, columns.a) if is_upper else (columns.a, columns.b)
        allocated, segment = near_column.at(link), links.segments[links.segment[link]]
        if not allocated:
            word = "" if columns.family.bits == ROUTER_ID_BITS else "IPv6 "
            raise self._refuse_missing(row, f"{word}address on {port}", path)
        if isinstance(segment.a, PortRun) and far_column.at(link):
            self._set_address(near_column, link, address)
            self._set_address(far_column, link, address ^ 1)  # the ends of a /31 or /127 differ in the last bit
            far_device = int(links.a_device[link] if is_upper else links.b_device[link])
            self._applied += [(address, row, path), (address ^ 1, far_device, path)]
            return
        length, family = int(columns.length[link]), columns.family
        self._check_in_subnet(
            address, allocated, length, int(family.network(allocated, length).network_address) + 1, path
        )
        if columns.management.at(row) == allocated:
            self._set_address(columns.management, row, address)
        self._set_address(near_column, link, address)
        self._applied.append((address, row, path))

    @property
    def _loopback_word(self) -> str:
        """What messages call a loopback of the family: `router id` for IPv4, else `IPv6 loopback`."""
        return "router id" if self.addresses.family.bits == ROUTER_ID_BITS else "IPv6 loopback"

    def _set_address(self, column: AddressColumn, rows: int | Ints64, address: int) -> None:
        """Set the address of one row or several rows of a column."""
        column[np.atleast_1d(rows)] = make_column(self.addresses.family, [address])

    def _refuse_missing(self, row: int, number: str, path: Path) -> InputError:
        """Return the error for an override of a number that a device does not have."""
        return fault("FG047", f"{self.names[row]} has no {number} to override", path=path)

    def _check_in_subnet(self, address: int, allocated: int, length: int, gateway: int, path: Path) -> None:
        """Raise InputError (FG047) if an address cannot replace the `allocated` one, of prefix length `length`.

        It cannot on a link of two addresses, outside of the subnet, and as its first address, its last one or its
        gateway.
        """
        family, text = self.addresses.family, self.addresses.format_address
        subnet = family.network(allocated, length)
        network_address = int(subnet.network_address)
        if length >= family.pair_length:
            message = f"{text(allocated)}/{length} is on a routed link of two addresses: no other fits"
            raise fault("FG047", message, path=path, hint="addresses of routed nodes come from the block of their leaf")
        if family.network(address, length) != subnet:
            message = f"{text(address)} is not in {subnet}, the subnet of that port"
            raise fault(
                "FG047",
                message,
                path=path,
                hint=f"its usual address is {text(allocated)}; another subnet is for `pools` to state",
            )
        if address in (network_address, network_address + subnet.num_addresses - 1, gateway):
            role = "gateway" if address == gateway else "first or last address"
            raise fault("FG047", f"{text(address)} is the {role} of {subnet}", path=path)


# Checks that a number stated for a single device is used by nothing else.


class AddressUses:
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

    def refuse_conflict(self, address: int, row: int, path: Path) -> None:
        """Raise InputError (FG048) if anything but device `row` uses an address, or has a subnet that contains it."""
        uses, text = list(dict.fromkeys(self._list_uses(address))), self._addresses.format_address(address)
        if len(uses) > 1:
            other_use = next((text for device, text in uses if device != row), uses[-1][1])
            raise fault(
                "FG048",
                f"{text} is also {other_use}",
                path=path,
                hint="state an address that nothing has; `addresses.csv` lists those in use",
            )
        if around := next(self._list_blocks_around(address, row), ""):
            raise fault("FG048", f"{text} lies in {around}", path=path, hint="state an address outside")

    def _list_uses(self, address: int) -> Iterator[tuple[int, str]]:
        """Yield (device row, what the address is used for) of every use.

        A management port and its link count once, as do a loopback and a management address that is the same. In IPv4
        the router id stands for the loopback.
        """
        addresses, links = self._addresses, self._plan.links
        has_address, word = addresses.loopback.equals(address), "loopback"
        if addresses.family.bits == ROUTER_ID_BITS:
            has_address, word = self._router_id == address, "router id"
        for row in np.flatnonzero(has_address).tolist():
            yield row, f"the {word} of {self._names[row]}"
        # a switch that is managed at its loopback has one address, not two
        for row in np.flatnonzero(addresses.management.equals(address) & ~has_address).tolist():
            yield row, f"the management address of {self._names[row]}"
        columns_of_ends = ((links.a_device, addresses.a, self._ports[0]), (links.b_device, addresses.b, self._ports[1]))
        for device, column, port in columns_of_ends:
            for link in np.flatnonzero(column.equals(address)).tolist():
                row = int(device[link])
                if addresses.management.at(row) != address:
                    yield row, f"the address of {self._names[row]} {port[link]}"
        for fabric, subnets in addresses.subnets.items():
            for row in np.flatnonzero(subnets.base.within(address, subnets.length)).tolist():
                if address in addresses.list_gateways(fabric, row):
                    yield row, f"the gateway on {self._names[row]}"
        yield from self._list_uses_in_vrfs(address)

    def _list_uses_in_vrfs(self, address: int) -> Iterator[tuple[int, str]]:
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

    def _list_blocks_around(self, address: int, row: int) -> Iterator[str]:
        """Yield, in words, each block of nodes and the management subnet that contain an address, but in which the
        device that has it (`row`) has no port.
        """
        addresses = self._addresses
        for subnets in addresses.subnets.values():
            for leaf in np.flatnonzero(subnets.base.within(address, subnets.length)).tolist():
                ports = addresses.a[self._plan.links.a_device == row]
                lengths = np.full(len(ports), int(subnets.length[leaf]), dtype=np.int64)
                if not ports.within(subnets.base.at(leaf), lengths).any():
                    yield f"the block of nodes on {self._names[leaf]}"
        in_subnets = (addresses.management_length < addresses.family.pair_length) & ~addresses.management.equals(
            address
        )
        containing = in_subnets & addresses.management.within(address, addresses.management_length)
        if containing.any() and addresses.management.at(row) != address:
            yield f"the management subnet of {self._names[int(np.flatnonzero(containing)[0])]}"


def check_asn(plan: WiringPlan, names: Sequence[str], asn: Ints64, row: int, path: Path) -> None:
    """Raise InputError (FG048) if a device of another class (tier or line of the blueprint) has the AS number of device
    `row`.

    Devices of one class may share it. `asn` is the AS number of every device, `path` that of the override.
    """
    devices = plan.devices
    for other_row in np.flatnonzero(asn == asn[row]).tolist():
        if devices.device_class[other_row] != devices.device_class[row]:
            raise fault(
                "FG048",
                f"{int(asn[row])} is also the AS number of {names[other_row]}",
                path=path,
                hint="only switches of one tier share a number: routing domains are kept apart",
            )
