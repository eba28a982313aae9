"""Overrides of numbers: addresses and AS numbers stated (`address_of`) or adopted (in the lock) for single devices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network, collapse_addresses

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED, PLACE, Key, parse_adopted_section
from fabricgen.blueprint.sections.cable_overrides import Override
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.addresses.holders import Holders, check_asn
from fabricgen.numbering.blocks.column import AddressColumn, make_column
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, filter_prefixes
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.numbering.names import index_default_names
from fabricgen.numbering.ports import LinkEnds, PortNames
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import SWITCH, WiringPlan

OverrideKey = tuple[str, int, int]
"""(asn, loopback, mgmt or link; row of the device or link; whether it is of IPv6): what an override replaces."""


def apply_overrides(
    design: Design, plan: WiringPlan, names: Sequence[str], port_names: PortNames, addresses: Addresses
) -> Addresses:
    """Return the addresses with all overrides applied; `address_of` takes precedence over adopted numbers.

    Raises InputError for an override of something that the device does not have, and for a number that is in use
    elsewhere. Adopted numbers of devices and ports that do not exist are ignored: they stay in the lock as holes.
    """
    overrides = design.loaded.blueprint.address_of
    adopted = parse_adopted_section(design.layout.lock.find_words(ADOPTED))
    if not overrides and not adopted:
        return addresses
    rows = index_default_names(design, plan.devices) if adopted else {}
    return _OverrideApplier(plan, names, port_names.ports, addresses).apply_overrides(overrides, adopted, rows)


def find_unknown_overrides(overridden: Iterable[str], names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield faults of `address_of` that name a device that there is not."""
    known_names = frozenset(names) if overridden else frozenset()
    for name in overridden:
        if name not in known_names:
            path, hint = ("address_of", name), did_you_mean(name, names)
            yield from fault("FG047", f"there is no device '{name}'", path=path, hint=hint).diagnostics


class _OverrideApplier:
    def __init__(
        self, plan: WiringPlan, names: Sequence[str], ports: tuple[Strings, Strings], addresses: Addresses
    ) -> None:
        self.plan, self.names = plan, names
        # copies, as the columns that were allocated are kept elsewhere and must not change
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
        """Return the addresses with all stated and adopted numbers; raises InputError with every fault of them."""
        if unknown := [*find_unknown_overrides(overrides, self.names)]:
            raise InputError(unknown)
        rows = {name: row for row, name in enumerate(self.names) if name in overrides}
        stated_keys = {
            key_of_override
            for name, override in overrides.items()
            for key_of_override in self._list_override_keys(rows[name], override)
        }
        # a line of the lock for what is gone stays there, and is not used: it comes back with its device
        used = frozenset(key for key in adopted if self._has_number(key, defaults))
        lines: dict[OverrideKey, Key] = {}
        for key in (key for key in adopted if key in used and key.what not in ("name", PLACE)):
            key_of_override = self._make_override_key(defaults[key.device], key)
            # the first line of a link wins; another one, for its other end, is a fault
            earlier = lines.setdefault(key_of_override, key)
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
        if not self.faults:
            self._check_uses()
        if self.faults:
            raise InputError(self.faults)
        return replace(
            self.to,
            families=tuple(f.addresses for f in self.families),
            own_loopbacks=self._collapse_loopbacks(),
            used=self.to.used | {(ADOPTED, key.text()) for key in used},
        )

    def _check_uses(self) -> None:
        """Collect faults of numbers that are in use elsewhere."""
        for family in self.families:
            self.faults += family.check()
        for row, path in self.asns:
            try:
                check_asn(self.plan, self.names, self.to.asn, row, path)
            except InputError as error:
                self.faults += error.diagnostics

    def _find_family(self, *, v6: bool) -> FamilyOverrides | None:
        # `v6` is False or True, and families are IPv4, then IPv6
        return self.families[v6] if v6 < len(self.families) else None

    def _has_number(self, key: Key, rows: Mapping[str, int]) -> bool:
        """Whether the device, and the number that was adopted for it, exist."""
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
        """Return the key of what an adopted number replaces: (kind, row of the device, IPv6). Both ends of a link
        have one key, with the row of the link: the address of one end decides that of the other.
        """
        if key.what == "port":
            return "link", self.ends.list_device_links(row).get(key.port, (-1, False))[0], key.v6
        return key.what, row, key.v6

    def _list_override_keys(self, row: int, override: Override) -> Iterator[OverrideKey]:
        """Yield what an entry of `address_of` replaces."""
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
        """Apply what is stated for one device; faults are collected, so that all of them are told."""
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
        """Set a stated AS number; raises InputError (FG047) for a device that has none to replace."""
        if override.asn is not None:
            if not self.to.asn[row]:
                message = f"{self.names[row]} has no AS number to override"
                raise fault("FG047", message, path=path)
            self.to.asn[row] = override.asn
            self.asns.append((row, path))

    def _list_addresses(self, texts: tuple[str, ...] | None, path: Path) -> Iterator[tuple[FamilyOverrides, int]]:
        """Yield (overrides of its family, address as an integer) of each address; InputError if nothing has that
        family.
        """
        unmatched = set(texts or ())
        for overrides in self.families:
            for text in filter_prefixes(texts, overrides.addresses.family):
                unmatched.discard(text)
                yield overrides, overrides.addresses.family.parse(text)
        for text in sorted(unmatched):
            raise fault("FG047", f"nothing in the cluster has an address such as {text}", path=path, hint="see `ip`")

    def _collapse_loopbacks(self) -> dict[str, tuple[str, ...]]:
        """By fabric: the loopbacks of overrides, as the fewest prefixes that cover them."""
        devices = self.plan.devices
        prefixes_by_fabric: dict[tuple[str, bool], set[str]] = {}
        for row, text in self.loopbacks:
            cls, family = devices.classes[devices.device_class[row]], self._find_family(v6=":" in text)
            if cls.kind == SWITCH and family is not None and family.addresses.loopback.at(row):
                prefix = family.addresses.format_prefix(family.addresses.loopback.at(row), family.addresses.family.bits)
                prefixes_by_fabric.setdefault((cls.fabric, ":" in text), set()).add(prefix)
        collapsed: dict[str, tuple[str, ...]] = {}
        for (fabric, v6), prefixes in sorted(prefixes_by_fabric.items()):
            collapsed[fabric] = (*collapsed.get(fabric, ()), *_collapse_prefixes(prefixes, v6=v6))
        return collapsed


def _collapse_prefixes(prefixes: Collection[str], *, v6: bool) -> list[str]:
    """Return the fewest prefixes that cover the same addresses, ascending."""
    if v6:
        return [str(network) for network in collapse_addresses(map(IPv6Network, prefixes))]
    return [str(network) for network in collapse_addresses(map(IPv4Network, prefixes))]


# Addresses of one family that are stated or adopted for single devices; they replace allocated ones.


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
        # `ports` are the port names of the a and b ends of every link, `ends` finds links by device row and port
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
        """(address, row of the device, path) of every override that was applied."""

    def check(self) -> list[Diagnostic]:
        """Return a diagnostic for each override whose address anything else has."""
        holders = Holders(self.plan, self.names, self.ports, self.addresses, self.router_id)
        faults: list[Diagnostic] = []
        for address, row, path in self._applied:
            try:
                holders.check(address, row, path)
            except InputError as error:
                faults += error.diagnostics
        return faults

    def set_loopback(self, row: int, address: int, path: Path) -> None:
        """Set the loopback of a switch, and its management address where that is the same; in IPv4 also its router id,
        even where its fabric has no IPv4. Raises InputError if the switch has none to replace.
        """
        to, names_routers = self.addresses, self.addresses.family.bits == ROUTER_ID_BITS
        before = to.loopback.at(row)
        if not (int(self.router_id[row]) if names_routers else before):
            raise self._refuse_missing(row, self._loopback_word, path)
        if names_routers:
            self.router_id[row] = address
        if before:
            self._set_address(to.loopback, row, address)
            if to.management.at(row) == before:
                self._set_address(to.management, row, address)
        self._applied.append((address, row, path))

    def set_management(self, row: int, address: int, path: Path) -> None:
        """Set the management address of a device, within the subnet of its allocated one."""
        to, length = self.addresses, int(self.addresses.management_length[row])
        before = to.management.at(row)
        if not before:
            raise self._refuse_missing(row, "management address", path)
        if before == to.loopback.at(row):
            message = f"{self.names[row]} is managed at its {self._loopback_word}"
            raise fault("FG047", message, path=path, hint="state its `loopback` alone, which is both")
        self._check_in_subnet(address, before, length, to.management_gateway.at(row), path)
        links = np.flatnonzero((self.plan.links.a_device == row) & to.a.equals(before))
        self._set_address(to.a, links, address)
        self._set_address(to.management, row, address)
        self._applied.append((address, row, path))

    def set_port_address(self, row: int, port: str, address: int, path: Path) -> None:
        """Set the address of a port; the far end of a link between switches gets the other address of the pair."""
        links, to = self.plan.links, self.addresses
        end = self.ends.list_device_links(row).get(port)
        if end is None:
            raise fault(
                "FG047",
                f"{self.names[row]} has no cabled port '{port}'",
                path=path,
                hint=did_you_mean(port, self.ends.list_device_links(row)),
            )
        link, near, far = (end[0], to.b, to.a) if end[1] else (end[0], to.a, to.b)
        before, segment = near.at(link), links.segments[links.segment[link]]
        if not before:
            raise self._refuse_missing(row, f"{self._word}address on {port}", path)
        if isinstance(segment.a, PortRun) and far.at(link):
            self._set_address(near, link, address)
            self._set_address(far, link, address ^ 1)  # the ends of a /31 or /127 differ in the last bit
            far_device = int(links.a_device[link] if end[1] else links.b_device[link])
            self._applied += [(address, row, path), (address ^ 1, far_device, path)]
            return
        length, family = int(to.length[link]), to.family
        self._check_in_subnet(address, before, length, int(family.network(before, length).network_address) + 1, path)
        if to.management.at(row) == before:
            self._set_address(to.management, row, address)
        self._set_address(near, link, address)
        self._applied.append((address, row, path))

    @property
    def _word(self) -> str:
        return "" if self.addresses.family.bits == ROUTER_ID_BITS else "IPv6 "

    @property
    def _loopback_word(self) -> str:
        return f"{self._word}loopback" if self._word else "router id"

    def _set_address(self, column: AddressColumn, rows: int | Ints64, address: int) -> None:
        column[np.atleast_1d(rows)] = make_column(self.addresses.family, [address])

    def _refuse_missing(self, row: int, number: str, path: Path) -> InputError:
        return fault("FG047", f"{self.names[row]} has no {number} to override", path=path)

    def _check_in_subnet(self, address: int, before: int, length: int, gateway: int, path: Path) -> None:
        """Raise InputError for an address that is not usable in the subnet of the allocated one (`before`)."""
        family, text = self.addresses.family, self.addresses.format_address
        subnet, first = family.network(before, length), int(family.network(before, length).network_address)
        if length >= family.pair_length:
            message = f"{text(before)}/{length} is on a routed link of two addresses: no other fits"
            raise fault("FG047", message, path=path, hint="addresses of routed nodes come from the block of their leaf")
        if family.network(address, length) != subnet:
            message = f"{text(address)} is not in {subnet}, the subnet of that port"
            raise fault(
                "FG047",
                message,
                path=path,
                hint=f"its usual address is {text(before)}; another subnet is for `pools` to state",
            )
        if address in (first, first + subnet.num_addresses - 1, gateway):
            role = "gateway" if address == gateway else "first or last address"
            raise fault("FG047", f"{text(address)} is the {role} of {subnet}", path=path)
