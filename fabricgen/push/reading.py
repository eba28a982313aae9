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
PASSED = frozenset(("dcim.frontport", "dcim.rearport"))
"""Kinds of cable ends that lead on to others, such as panels."""
LANES = ("trunk-", "single-")
"""How profiles begin that lead each connector to that of the same number; but for shuffles."""
_KBITS = 1_000_000
"""Kbit/s of one Gb/s."""


class NetboxPort(NamedTuple):
    """A port of a device, both by name."""

    device: str
    name: str


class Cable(NamedTuple):
    """A cable with the ports at its two ends, each several if it has lanes; the length is None if it is not known."""

    label: str
    type: str
    length_m: float | None
    a: list[NetboxPort]
    b: list[NetboxPort]
    tags: frozenset[str]


class NetboxReading:
    """What a NetBox holds at some sites, given by name, or at all sites for None.

    Each kind of record is read once, when it is first asked for.
    """

    def __init__(self, netbox: NetBox, sites: Collection[str] | None) -> None:
        self._netbox = netbox
        site_ids = {
            site["name"]: site["id"] for site in netbox.list_records("dcim/sites", "dcim/sites", fields="id,name")
        }
        site_numbers = sorted(site_ids[name] for name in sites or () if name in site_ids)
        self._filters = {} if sites is None else {"site_id": site_numbers}
        self.missing = sorted(name for name in sites or () if name not in site_ids)
        """Sites that NetBox does not have."""

    def _read_records(self, path: str, fields: str, kind: str = "", **filters: str) -> Iterator[Record]:
        """Yield the records of a path at the sites; nothing if NetBox has none of the named sites, since it would take
        an empty filter for all sites.

        `fields` are those to read, between commas; `kind` is the schema of the records, if it is not the path.
        """
        if all(self._filters.values()):
            yield from self._netbox.list_records(path, kind or path, fields=f"id,{fields}", **self._filters, **filters)

    @cached_property
    def devices(self) -> list[NetboxDevice]:
        """Devices that have a name, by id."""
        fields = "name,site,rack,position,device_type,platform,role,primary_ip4,primary_ip6,oob_ip,tags"
        return [self._make_device(record) for record in self._read_records("dcim/devices", fields) if record["name"]]

    def _make_device(self, record: Record) -> NetboxDevice:
        """Return a record of a device; "" for what it does not have."""
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
        """By id of an interface: (its port, the label printed there, its speed in Gb/s or "")."""
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
        """The text that is printed at each port."""
        return {port: label for port, label, _ in self._interfaces.values()}

    @cached_property
    def speeds(self) -> dict[NetboxPort, str]:
        """The speed of each port in Gb/s, "" if NetBox has none."""
        return {port: speed for port, _, speed in self._interfaces.values()}

    def list_cables(self) -> Iterator[Cable]:
        """Yield what joins interfaces: a `Cable` for each cable of NetBox, or for each link of a cable with lanes.

        A channel through panels is one cable as well, from port to port as NetBox traces it; its length is not known
        (None).
        """
        fields = "label,type,length,length_unit,profile,a_terminations,b_terminations,tags"
        far_ports: dict[NetboxPort, list[NetboxPort]] | None = None
        for record in self._read_records("dcim/cables", fields):
            ends = [record[f"{side}_terminations"] for side in "ab"]
            a, b = map(self._list_ports, ends)
            metres = METRES.get((record["length_unit"] or {}).get("value", ""))
            length = record["length"] * metres if metres and record["length"] is not None else None
            facts = (record["label"], record["type"] or "")
            profile = (record.get("profile") or {}).get("value") or ""
            if not PASSED.isdisjoint(end["object_type"] for side in ends for end in side):
                far_ports = self._trace_ports() if far_ports is None else far_ports
                for port in a + b:
                    # a channel has jumpers at both ends: it is told by that of its first port
                    if len(far_ports.get(port, ())) != 1 or port < far_ports[port][0]:
                        yield Cable(*facts, None, [port], far_ports.get(port, []), _list_tags(record))
            elif profile.startswith(LANES) and "shuffle" not in profile and len(a) == len(b):
                yield from (Cable(*facts, length, [x], [y], _list_tags(record)) for x, y in zip(a, b, strict=True))
            else:
                yield Cable(*facts, length, a, b, _list_tags(record))

    def _trace_ports(self) -> dict[NetboxPort, list[NetboxPort]]:
        """Return the ports that NetBox finds at the far end of each port with a cable."""
        far_ports = {}
        for record in self._read_records("dcim/interfaces", "connected_endpoints", "dcim/connected", cabled="true"):
            ids = (end["id"] for end in record["connected_endpoints"] or ())
            if record["id"] in self._interfaces:
                far_ports[self._interfaces[record["id"]][0]] = [
                    self._interfaces[i][0] for i in ids if i in self._interfaces
                ]
        return far_ports

    def _list_ports(self, ends: list[dict[str, Any]]) -> list[NetboxPort]:
        interfaces = (self._interfaces.get(end["object_id"]) for end in ends if end["object_type"] == INTERFACE)
        return [interface[0] for interface in interfaces if interface]

    @cached_property
    def modules(self) -> dict[NetboxPort, tuple[str, frozenset[str]]]:
        """The type and the tags of the module in each bay."""
        names = {record.number: record.name for record in self.devices}
        return {
            NetboxPort(names[record["device"]["id"]], record["module_bay"]["name"]): (
                record["module_type"]["model"],
                _list_tags(record),
            )
            for record in self._read_records("dcim/modules", "device,module_bay,module_type,tags")
            if record["device"]["id"] in names
        }

    def list_addresses(self) -> Iterator[tuple[str, str, NetboxPort | None, frozenset[str]]]:
        """Yield (address with its length, description, port or None, tags).

        The port is None for an address at no object; addresses at other sites are left out.
        """
        fields = "id,address,description,assigned_object_type,assigned_object_id,tags"
        for record in self._netbox.list_records("ipam/ip-addresses", "ipam/ip-addresses", fields=fields):
            of_interface = record["assigned_object_type"] == INTERFACE
            interface = self._interfaces.get(record["assigned_object_id"]) if of_interface else None
            if interface or not record["assigned_object_id"]:
                yield record["address"], record["description"], interface[0] if interface else None, _list_tags(record)


def _read_address(address: Record | None) -> str:
    return str(address["address"]) if address else ""


def _list_tags(record: Record) -> frozenset[str]:
    return frozenset(tag["slug"] for tag in record["tags"])
