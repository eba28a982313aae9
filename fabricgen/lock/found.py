"""Devices of a NetBox for `lock --import`: which planned device each of them is, and what of it is kept.

They come from the REST API of NetBox, or from the list of devices that it exports as CSV, with the columns of its table
of devices (github.com/netbox-community/netbox v4.4.10, netbox/dcim/tables/devices.py, DeviceTable).
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
"""Columns that are read of an export; `position` and `oob ip` are there only if all data was exported."""


class NetboxDevice(NamedTuple):
    """A device in a NetBox; addresses have prefix lengths (`10.0.0.4/24`), and fields without a value are "".

    `u` is the rack unit as text. Fields after `span` are filled only from the REST API; `number` is the id of the
    device in NetBox.
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
"""A function that returns the devices of a NetBox at some sites, given by name."""


def read_export(file: str) -> list[NetboxDevice] | None:
    """Read the devices in a list that NetBox exported; None for a file that is another list.

    Raises InputError for a file that cannot be read, and for a line that does not belong into such a list (FG050).
    """
    text = decode_text(read_bytes(Path(file), file, limit=MAX_BYTES), file, limit=MAX_BYTES, kind="CSV")
    header = next((line for line in text.splitlines() if line.strip()), "")
    # NetBox writes commas; spreadsheets save with semicolons in locales with a decimal comma
    delimiter = max(",;\t", key=header.count)
    head = [cell.strip(' "').lower() for cell in header.split(delimiter)]
    if not {"name", "site", "rack"} <= set(head) or "device" in head:
        return None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
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
    """Matches the devices of a NetBox with planned ones, and collects what they state.

    A device is the planned one with its name; else the planned one at its place, unless NetBox has a device with the
    name of that one.
    """

    def __init__(
        self,
        cluster: Cluster,
        rows_by_name: Mapping[str, int],
        defaults: Sequence[str],
        find_value: Callable[[Key], str],
    ) -> None:
        # `rows_by_name` has the row of every name of a device, `defaults` the default names by row; `find_value`
        # returns the planned value of a key
        self._cluster, self._defaults, self._find_value = cluster, defaults, find_value
        self._rows_by_name = {**{name.lower(): row for name, row in rows_by_name.items()}, **rows_by_name}
        devices, self._racks = cluster.plan.devices, {name.lower(): name for name in cluster.plan.racks.names}
        names = cluster.plan.racks.names
        pairs = enumerate(zip(devices.rack.tolist(), devices.u.tolist(), strict=True))
        self._in_place = {(names[rack], str(u)): row for row, (rack, u) in pairs if u}
        self._pools = _find_management_pools(cluster)
        self.stated: list[Stated] = []
        self.faults: list[Diagnostic] = []
        self.unused: list[str] = []
        """Sentences about what cannot be kept, and why."""

    def take_devices(self, devices: Sequence[NetboxDevice]) -> None:
        """Match the devices of one NetBox with planned ones, by name and else by place, and collect what they state.

        Devices that match none, or are at other sites than the cluster, are reported as unused.
        """
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
            # by name first: a device that was moved to another place is still the same
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
        return self._rows_by_name.get(device.name, self._rows_by_name.get(device.name.lower(), -1))

    def _find_rack(self, device: NetboxDevice) -> str:
        """Return the planned rack of a device; "" for none. An export appends the facility id of racks in brackets."""
        rack_name = device.rack.lower()
        return self._racks.get(rack_name) or self._racks.get(re.sub(r" \([^()]*\)$", "", rack_name), "")

    def _keep_device(self, device: NetboxDevice, row: int) -> None:
        """Keep the name, place and management address of a device for a planned one (`row`), or add faults."""
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
        """Yield the management addresses of a device: the out-of-band one, else the primary addresses of a switch."""
        devices = self._cluster.plan.devices
        if device.oob:
            yield device.oob
        elif devices.classes[devices.device_class[row]].kind == SWITCH:
            yield from device.primary

    def _keep_management(self, device: NetboxDevice, default: str, text: str) -> None:
        """Keep a management address, or report it as unused if the plan has none for the device."""
        bare = text.partition("/")[0]
        try:
            address = ipaddress.ip_address(bare)
        except ValueError:
            self._add_fault(
                device, f"{text} of {device.name} is no address", "an address and its length, such as 10.0.0.4/24"
            )
            return
        key = Key(default, "mgmt", "", address.version == 6)
        if str(address) == self._find_value(key._replace(what="loopback")):
            return
        pools = self._pools.get(key.v6, [])
        if not self._find_value(key):
            self.unused.append(f"{device.name}: {text}, as the plan gives it no such management address")
        elif not any(address in pool for pool in pools):
            pool_texts = ", ".join(map(str, pools))
            hint = "`pools: {management: ...}` states what is there, or give it another address"
            self._add_fault(device, f"{text} of {device.name} is outside the pool management ({pool_texts})", hint)
        else:
            self._add_stated(device, key, str(address), int(text.partition("/")[2] or -1))

    def _add_stated(self, device: NetboxDevice, key: Key, text: str, length: int = -1) -> None:
        # keep a value of a device for the lock, or add a fault if it is malformed
        try:
            self.stated.append(Stated(key, parse_adopted(key, text), length, device.span))
        except ValueError as error:
            self._add_fault(device, str(error), f"of {device.name}, which the plan calls {key.device}")

    def _add_fault(self, device: NetboxDevice, message: str, hint: str) -> None:
        self.faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, device.span))


def _find_management_pools(cluster: Cluster) -> dict[bool, list[ipaddress.IPv4Network | ipaddress.IPv6Network]]:
    """Return the prefixes of management addresses, by whether they are IPv6."""
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
