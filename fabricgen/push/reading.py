"""What a NetBox holds at some sites, by the names that objects have there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from fabricgen.kernel.diagnostics import Span
from fabricgen.kernel.units import format_number
from fabricgen.lock.found import NetboxDevice
from fabricgen.push.client import NetBox, Record

METRES = {"km": 1000.0, "m": 1.0, "cm": 0.01, "mi": 1609.344, "ft": 0.3048, "in": 0.0254}
"""Metres of NetBox's units of length (v4.4.10: netbox/netbox/choices.py, CableLengthUnitChoices)."""
INTERFACE = "dcim.interface"
_KBITS = 1_000_000
"""Kbit/s of one Gb/s."""


class NetboxPort(NamedTuple):
    """A port of a device, both by name."""

    device: str
    name: str


class Cable(NamedTuple):
    """A cable with the ports at its sides."""

    label: str
    type: str
    length_m: float | None
    a: list[NetboxPort]
    b: list[NetboxPort]
    tags: frozenset[str]


class NetboxReading:
    """Objects of the sites of some names; each kind is read once, when it is asked for."""

    def __init__(self, netbox: NetBox, sites: Collection[str]) -> None:
        self._netbox = netbox
        site_ids = {site["name"]: site["id"] for site in netbox.records("dcim/sites", "dcim/sites", fields="id,name")}
        self._sites = sorted(site_ids[name] for name in sites if name in site_ids)
        self.missing = sorted(name for name in sites if name not in site_ids)
        """Sites that NetBox has not."""

    def _read_records(self, path: str, fields: str) -> Iterator[Record]:
        """Records at the sites; without a site there are none, where NetBox would take no filter for all."""
        yield from self._netbox.records(path, path, site_id=self._sites, fields=f"id,{fields}") if self._sites else ()

    @cached_property
    def devices(self) -> list[NetboxDevice]:
        """Devices that have a name, by id."""
        fields = "name,site,rack,position,device_type,platform,role,primary_ip4,primary_ip6,oob_ip,tags"
        return [self._make_device(record) for record in self._read_records("dcim/devices", fields) if record["name"]]

    def _make_device(self, record: Record) -> NetboxDevice:
        # a record of a device, with "" for what it does not have
        addresses = (_read_address(record[name]) for name in ("primary_ip4", "primary_ip6"))
        return NetboxDevice(
            record["name"],
            record["site"]["name"],
            record["rack"]["name"] if record["rack"] else "",
            format_number(record["position"]) if record["position"] else "",
            tuple(filter(None, addresses)),
            _read_address(record["oob_ip"]),
            Span(f"{self._netbox.url}/dcim/devices/{record['id']}/", 1, 1),
            record["id"],
            record["device_type"]["model"],
            record["platform"]["name"] if record["platform"] else "",
            record["role"]["name"],
            _list_tags(record),
        )

    @cached_property
    def _interfaces(self) -> dict[int, tuple[NetboxPort, str, str]]:
        """Id -> (port, label, speed in Gb/s)."""
        names = {record.number: record.name for record in self.devices}
        return {
            record["id"]: (
                NetboxPort(names[record["device"]["id"]], record["name"]),
                record["label"],
                format_number(record["speed"] / _KBITS) if record["speed"] else "",
            )
            for record in self._read_records("dcim/interfaces", "device,name,label,speed")
            if record["device"]["id"] in names
        }

    @cached_property
    def labels(self) -> dict[NetboxPort, str]:
        """What is printed at ports."""
        return {port: label for port, label, _ in self._interfaces.values()}

    @cached_property
    def speeds(self) -> dict[NetboxPort, str]:
        """Speeds of ports in Gb/s, "" where NetBox has none."""
        return {port: speed for port, _, speed in self._interfaces.values()}

    def cables(self) -> Iterator[Cable]:
        """Cables that end at interfaces."""
        fields = "label,type,length,length_unit,a_terminations,b_terminations,tags"
        for record in self._read_records("dcim/cables", fields):
            a, b = (self._list_ports(record[f"{side}_terminations"]) for side in "ab")
            metres = METRES.get((record["length_unit"] or {}).get("value", ""))
            length = record["length"] * metres if metres and record["length"] is not None else None
            yield Cable(record["label"], record["type"] or "", length, a, b, _list_tags(record))

    def _list_ports(self, ends: list[dict[str, Any]]) -> list[NetboxPort]:
        interfaces = (self._interfaces.get(end["object_id"]) for end in ends if end["object_type"] == INTERFACE)
        return [interface[0] for interface in interfaces if interface]

    @cached_property
    def modules(self) -> dict[NetboxPort, tuple[str, frozenset[str]]]:
        """The type of the module in each bay, and its tags."""
        names = {record.number: record.name for record in self.devices}
        return {
            NetboxPort(names[record["device"]["id"]], record["module_bay"]["name"]): (
                record["module_type"]["model"],
                _list_tags(record),
            )
            for record in self._read_records("dcim/modules", "device,module_bay,module_type,tags")
            if record["device"]["id"] in names
        }

    def addresses(self) -> Iterator[tuple[str, str, NetboxPort | None, frozenset[str]]]:
        """(address with its length, description, port, tags); port is None where it is at none of these sites."""
        fields = "id,address,description,assigned_object_type,assigned_object_id,tags"
        for record in self._netbox.records("ipam/ip-addresses", "ipam/ip-addresses", fields=fields):
            of_interface = record["assigned_object_type"] == INTERFACE
            interface = self._interfaces.get(record["assigned_object_id"]) if of_interface else None
            if interface or not record["assigned_object_id"]:
                yield record["address"], record["description"], interface[0] if interface else None, _list_tags(record)


def _read_address(address: Record | None) -> str:
    return str(address["address"]) if address else ""


def _list_tags(record: Record) -> frozenset[str]:
    return frozenset(tag["slug"] for tag in record["tags"])
