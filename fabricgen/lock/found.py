"""Devices of a NetBox for `lock --import`: which of the plan's each is, and what of it is to be kept.

They come from its REST API, or from the list of devices that it exports as CSV. Columns of that list are those of its
table of devices (github.com/netbox-community/netbox v4.4.10, netbox/dcim/tables/devices.py, DeviceTable).
"""

from __future__ import annotations

import csv
import io
import ipaddress
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.blueprint.beside.adopted import PLACE, Key, parse_adopted
from fabricgen.blueprint.beside.allocation import CODE, MAX_BYTES, Stated
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean, fault
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.wiring.tables import SWITCH

EXPORTED = ("name", "site", "rack", "position", "ipv4 address", "ipv6 address", "ip address", "oob ip")
"""Columns that are read of an export; it has `position` and `oob ip` where all data is exported."""


class NetboxDevice(NamedTuple):
    """A device that a NetBox has; addresses with prefix length, "" for what it has not. An export is not asked for what
    follows on `span`.
    """

    name: str
    site: str
    rack: str
    u: str
    primary: tuple[str, ...]
    oob: str
    span: Span
    number: int = 0
    model: str = ""
    platform: str = ""
    role: str = ""
    tags: frozenset[str] = frozenset()


Source = Callable[[Collection[str]], list[NetboxDevice]]
"""The devices of a NetBox at sites of some names."""


def read_export(file: str) -> list[NetboxDevice] | None:
    """The devices of a list that NetBox exported; None for a file that is another list.

    Raises InputError for a file that cannot be read, or a line that is none of such a list (FG050).
    """
    text = decode_text(read_bytes(Path(file), file, limit=MAX_BYTES), file, limit=MAX_BYTES, kind="CSV")
    first = next((line for line in text.splitlines() if line.strip()), "")
    # NetBox exports by comma; spreadsheets save with semicolons where the comma is the decimal sign
    mark = max(",;\t", key=first.count)
    head = [cell.strip(' "').lower() for cell in first.split(mark)]
    if not {"name", "site", "rack"} <= set(head) or "device" in head:
        return None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise _refuse_export(file, reader.line_num, f"this is no CSV: {error}") from None
    devices = []
    for line, cells in rows[1:]:
        if len(cells) != len(head):
            raise _refuse_export(file, line, f"this line has {len(cells)} columns, the first one {len(head)}")
        row = dict.fromkeys(EXPORTED, "") | {name: cell.strip() for name, cell in zip(head, cells, strict=True)}
        if row["name"]:
            addresses = [row["ipv4 address"], row["ipv6 address"]]
            primary = filter(None, addresses if any(addresses) else [row["ip address"]])
            # NetBox has half units, and writes whole ones as 12.0
            rack, u = row["rack"], row["position"].removesuffix(".0")
            span = Span(file, line, 1)
            devices.append(NetboxDevice(row["name"], row["site"], rack, u, tuple(primary), row["oob ip"], span))
    return devices


def _refuse_export(file: str, line: int, message: str) -> InputError:
    return fault(CODE, message, hint="take the list of devices as NetBox exports it", span=Span(file, line, 1))


class Matching:
    """Finds what lists of a NetBox say of the devices of a plan.

    A device is the planned one of its name, else the one in its place, where NetBox has no device of that one's name.
    `called` are rows of the plan by every name that a device is known by, `value` the planned value of a key.
    """

    def __init__(
        self,
        cluster: Cluster,
        called: Mapping[str, int],
        defaults: Sequence[str],
        value: Callable[[Key], str],
    ) -> None:
        # `called` are device rows by name, `defaults` the default names by row, and `value` what the plan has for a key
        self._cluster, self._defaults, self._value = cluster, defaults, value
        self._called = {**{name.lower(): row for name, row in called.items()}, **called}
        devices, self._racks = cluster.plan.devices, {name.lower(): name for name in cluster.plan.racks.names}
        names = cluster.plan.racks.names
        pairs = enumerate(zip(devices.rack.tolist(), devices.u.tolist(), strict=True))
        self._in_place = {(names[rack], str(u)): row for row, (rack, u) in pairs if u}
        self._pools = _find_management_pools(cluster)
        self.stated: list[Stated] = []
        self.faults: list[Diagnostic] = []
        self.unused: list[str] = []
        """What cannot be kept, and why."""

    def take_devices(self, devices: Sequence[NetboxDevice]) -> None:
        """Take in the devices of one NetBox."""
        sites = set(self._cluster.sites)
        at_sites = [device for device in devices if device.site in sites]
        rows = {device: row for device in at_sites if (row := self._find_by_name(device)) >= 0}
        device_by_row: dict[int, NetboxDevice] = {}
        for device, row in rows.items():
            if (namesake := device_by_row.setdefault(row, device)) is not device:
                self._add_fault(
                    device, f"two devices are called {device.name}, here and at {namesake.span}", "rename one of them"
                )
        for device in at_sites:
            # by name first: a device that was moved is still itself
            row = rows.get(device, self._in_place.get((self._find_rack(device), device.u), -1))
            if row < 0:
                self.unused.append(f"{device.name}: no device of the plan has its name or its place")
            elif device in rows:
                self._keep_device(device, row)
            elif row in device_by_row:
                self.unused.append(
                    f"{device.name}: its place is planned for {self._cluster.names[row]}, which is there"
                )
            else:
                device_by_row[row] = device
                self._keep_device(device, row)
        site_names = ", ".join(sorted(sites))
        if away := len(devices) - len(at_sites):
            self.unused.append(f"{away:,} at other sites than {site_names}")
        if not at_sites:
            self.unused.append(f"everything: there is no device at {site_names}; `sites` of the blueprint names sites")

    def _find_by_name(self, device: NetboxDevice) -> int:
        return self._called.get(device.name, self._called.get(device.name.lower(), -1))

    def _find_rack(self, device: NetboxDevice) -> str:
        """The rack of the plan, which an export shows with its facility id in brackets; "" for none."""
        rack_name = device.rack.lower()
        return self._racks.get(rack_name) or self._racks.get(re.sub(r" \([^()]*\)$", "", rack_name), "")

    def _keep_device(self, device: NetboxDevice, row: int) -> None:
        """Keep the name, place and management address of a device for a row of the plan, or say why not."""
        default = self._defaults[row]
        if device.name != self._cluster.names[row]:
            self._add_stated(device, Key(default, "name"), device.name)
        rack = self._find_rack(device)
        if device.rack and not rack:
            hint = did_you_mean(device.rack.lower(), self._racks.values()) or ""
            advice = "name racks as they are (`names.racks`), or add this one at its place (`floor.racks`)"
            self._add_fault(
                device, f"{device.name} stands in rack {device.rack}, which the plan has not", hint or advice
            )
        elif rack and device.u:
            self._add_stated(device, Key(default, PLACE), f"{rack} u{device.u}")
        elif rack and rack != self._cluster.plan.racks.names[self._cluster.plan.devices.rack[row]]:
            self.unused.append(f"{device.name}: NetBox has it in rack {rack}, but at no rack unit")
        for address in self._list_management(device, row):
            self._keep_management(device, default, address)

    def _list_management(self, device: NetboxDevice, row: int) -> Iterator[str]:
        """The addresses that a device is managed at: out-of-band ones, else what a switch is reached at."""
        devices = self._cluster.plan.devices
        if device.oob:
            yield device.oob
        elif devices.classes[devices.device_class[row]].kind == SWITCH:
            yield from device.primary

    def _keep_management(self, device: NetboxDevice, default: str, text: str) -> None:
        """Keep a management address; one that the plan has no use for is told as unused."""
        bare = text.partition("/")[0]
        try:
            address = ipaddress.ip_address(bare)
        except ValueError:
            self._add_fault(
                device, f"{text} of {device.name} is no address", "an address and its length, such as 10.0.0.4/24"
            )
            return
        key = Key(default, "mgmt", "", address.version == 6)
        if str(address) == self._value(key._replace(what="loopback")):
            return
        pools = self._pools.get(key.v6, [])
        if not self._value(key):
            self.unused.append(f"{device.name}: {text}, as the plan gives it no such management address")
        elif not any(address in pool for pool in pools):
            pool_texts = ", ".join(map(str, pools))
            hint = "`pools: {management: ...}` states what is there, or give it another address"
            self._add_fault(device, f"{text} of {device.name} is outside the pool management ({pool_texts})", hint)
        else:
            self._add_stated(device, key, str(address), int(text.partition("/")[2] or -1))

    def _add_stated(self, device: NetboxDevice, key: Key, text: str, length: int = -1) -> None:
        # keep a value of a device for the lock; a fault where it is none of its kind
        try:
            self.stated.append(Stated(key, parse_adopted(key, text), length, device.span))
        except ValueError as error:
            self._add_fault(device, str(error), f"of {device.name}, which the plan calls {key.device}")

    def _add_fault(self, device: NetboxDevice, message: str, hint: str) -> None:
        self.faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, device.span))


def _find_management_pools(cluster: Cluster) -> dict[bool, list[ipaddress.IPv4Network | ipaddress.IPv6Network]]:
    """The prefixes that management addresses are of, by whether they are IPv6."""
    pools: dict[bool, list[ipaddress.IPv4Network | ipaddress.IPv6Network]] = {}
    blueprint = cluster.design.loaded.blueprint
    for demand in list_pool_demands(cluster.design):
        if demand.pool == "management":
            for prefix in find_pool_prefixes(blueprint, demand.fabric, demand.pool, demand.family)[0]:
                network = ipaddress.ip_network(prefix)
                networks = pools.setdefault(network.version == 6, [])
                if network not in networks:
                    networks.append(network)
    return pools
