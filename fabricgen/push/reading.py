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


class Port(NamedTuple):
    """A port of a device, both by name."""

    device: str
    name: str


class Cable(NamedTuple):
    """A cable with the ports at its sides."""

    label: str
    type: str
    length_m: float | None
    a: list[Port]
    b: list[Port]
    tags: frozenset[str]


class Reading:
    """Objects of the sites of some names; each kind is read once, when it is asked for."""

    def __init__(self, netbox: NetBox, sites: Collection[str]) -> None:
        self._netbox = netbox
        known = {each["name"]: each["id"] for each in netbox.records("dcim/sites", "dcim/sites", fields="id,name")}
        self._sites = sorted(known[name] for name in sites if name in known)
        self.missing = sorted(name for name in sites if name not in known)
        """Sites that NetBox has not."""

    def _inside(self, path: str, fields: str) -> Iterator[Record]:
        """Records at the sites; without a site there are none, where NetBox would take no filter for all."""
        yield from self._netbox.records(path, path, site_id=self._sites, fields=f"id,{fields}") if self._sites else ()

    @cached_property
    def devices(self) -> list[NetboxDevice]:
        """Devices that have a name, by id."""
        fields = "name,site,rack,position,device_type,platform,role,primary_ip4,primary_ip6,oob_ip,tags"
        return [self._device(each) for each in self._inside("dcim/devices", fields) if each["name"]]

    def _device(self, each: Record) -> NetboxDevice:
        addresses = (_address(each[name]) for name in ("primary_ip4", "primary_ip6"))
        return NetboxDevice(
            each["name"],
            each["site"]["name"],
            each["rack"]["name"] if each["rack"] else "",
            format_number(each["position"]) if each["position"] else "",
            tuple(filter(None, addresses)),
            _address(each["oob_ip"]),
            Span(f"{self._netbox.url}/dcim/devices/{each['id']}/", 1, 1),
            each["id"],
            each["device_type"]["model"],
            each["platform"]["name"] if each["platform"] else "",
            each["role"]["name"],
            _tags(each),
        )

    @cached_property
    def _interfaces(self) -> dict[int, tuple[Port, str, str]]:
        """Id -> (port, label, speed in Gb/s)."""
        names = {each.number: each.name for each in self.devices}
        return {
            each["id"]: (
                Port(names[each["device"]["id"]], each["name"]),
                each["label"],
                format_number(each["speed"] / _KBITS) if each["speed"] else "",
            )
            for each in self._inside("dcim/interfaces", "device,name,label,speed")
            if each["device"]["id"] in names
        }

    @cached_property
    def labels(self) -> dict[Port, str]:
        """What is printed at ports."""
        return {port: label for port, label, _ in self._interfaces.values()}

    @cached_property
    def speeds(self) -> dict[Port, str]:
        """Speeds of ports in Gb/s, "" where NetBox has none."""
        return {port: speed for port, _, speed in self._interfaces.values()}

    def cables(self) -> Iterator[Cable]:
        """Cables that end at interfaces."""
        fields = "label,type,length,length_unit,a_terminations,b_terminations,tags"
        for each in self._inside("dcim/cables", fields):
            a, b = (self._ports(each[f"{side}_terminations"]) for side in "ab")
            metres = METRES.get((each["length_unit"] or {}).get("value", ""))
            length = each["length"] * metres if metres and each["length"] is not None else None
            yield Cable(each["label"], each["type"] or "", length, a, b, _tags(each))

    def _ports(self, ends: list[dict[str, Any]]) -> list[Port]:
        found = (self._interfaces.get(end["object_id"]) for end in ends if end["object_type"] == INTERFACE)
        return [interface[0] for interface in found if interface]

    @cached_property
    def modules(self) -> dict[Port, tuple[str, frozenset[str]]]:
        """The type of the module in each bay, and its tags."""
        names = {each.number: each.name for each in self.devices}
        return {
            Port(names[each["device"]["id"]], each["module_bay"]["name"]): (each["module_type"]["model"], _tags(each))
            for each in self._inside("dcim/modules", "device,module_bay,module_type,tags")
            if each["device"]["id"] in names
        }

    def addresses(self) -> Iterator[tuple[str, str, Port | None, frozenset[str]]]:
        """(address with its length, description, port, tags); port is None where it is at none of these sites."""
        fields = "id,address,description,assigned_object_type,assigned_object_id,tags"
        for each in self._netbox.records("ipam/ip-addresses", "ipam/ip-addresses", fields=fields):
            own = each["assigned_object_type"] == INTERFACE
            at = self._interfaces.get(each["assigned_object_id"]) if own else None
            if at or not each["assigned_object_id"]:
                yield each["address"], each["description"], at[0] if at else None, _tags(each)


def _address(address: Record | None) -> str:
    return str(address["address"]) if address else ""


def _tags(record: Record) -> frozenset[str]:
    return frozenset(tag["slug"] for tag in record["tags"])
