"""Redfish: what a BMC says about its host's network ports, as resources saved one by one, in collections or by URI.

The resources Port, NetworkPort (deprecated) and NetworkDeviceFunction below /redfish/v1/Chassis/*/NetworkAdapters/* are
read: whether a port is down, what it hears by LLDP, and its MACs. A ComputerSystem beside them tells the name of the
host. A port is called ADAPTER/PORT, by the ids in its URI.
Source: DMTF DSP8010, schemas Port v1_11_0, NetworkPort v1_4_1 and NetworkDeviceFunction v1_9_0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fabricgen.verify.dumps._content import DumpContent, Json, read_mapping, read_sequence, read_text
from fabricgen.verify.dumps._lldp import make_neighbor, read_hardware
from fabricgen.verify.dumps.sighting import DOWN, Box, Dump, MacTable, Sighting

TITLE = "Redfish ports and functions of network adapters"
IS_JSON = True

_PLACE = re.compile(
    r"/redfish/v1/Chassis/[^/]+/NetworkAdapters/([^/]+)/(Ports|NetworkPorts|NetworkDeviceFunctions)/([^/]+)/?"
)
_TOLD = frozenset({"Ethernet", "AssociatedNetworkAddresses", "LinkStatus"})
_IS_DOWN = frozenset({"LinkDown", "NoLink", "Down"})
_ASSIGNED = ("PhysicalNetworkPortAssignment", "PhysicalPortAssignment")


@dataclass
class _HostPort:
    """A port: its MACs (aa:bb:cc:dd:ee:ff), whether it is down, and (neighbour, its port) that it hears by LLDP."""

    macs: list[str] = field(default_factory=list)
    down: bool = False
    heard: tuple[Box, str] | None = None


def recognises(value: Json) -> bool:
    """Whether the JSON has a resource of a network port or function with any of the fields that are read."""
    return any(_TOLD & resource.keys() and _find_place(resource) for resource in _list_resources(value))


def dumps(content: DumpContent) -> Iterator[Dump | MacTable]:
    """Yield a dump of the host's ports that hear a neighbour or are down, and a table of the MACs of all ports."""
    box, ports = _find_host(content), _read_ports(content)
    heard = [Sighting(name, *port.heard) for name, port in ports.items() if port.heard]
    down = [Sighting(name, None, state=DOWN) for name, port in ports.items() if port.down and not port.heard]
    yield Dump(box, heard + down, "redfish", lists_all=False)
    yield MacTable(box, tuple((mac, name) for name, port in ports.items() for mac in port.macs), of_host=True)


def _find_host(content: DumpContent) -> Box:
    """Return the host that a ComputerSystem names, else that of the file."""
    names = (resource.get("HostName") for resource in _list_resources(content.value))
    name = next((name for name in names if isinstance(name, str) and name), "")
    return Box(name) if name else content.find_box()


def _read_ports(content: DumpContent) -> dict[str, _HostPort]:
    """Read the ports of a host, by name (ADAPTER/PORT), with the MACs that they or their functions have, each once.

    A resource that cannot be read is added as a fault, and the next one is read.
    """
    ports: dict[str, _HostPort] = {}
    for resource in _list_resources(content.value):
        uri_match = _find_place(resource)
        with content.note_faults():
            if uri_match and uri_match[2] == "NetworkDeviceFunctions":
                uri_match = _find_assigned(resource)
                ethernet = read_mapping(resource, "Ethernet")
                macs = [read_text(ethernet, key) for key in ("PermanentMACAddress", "MACAddress")]
            elif uri_match:
                macs = _read_port(resource, ports.setdefault(f"{uri_match[1]}/{uri_match[3]}", _HostPort()))
            if uri_match:
                port_macs = ports.setdefault(f"{uri_match[1]}/{uri_match[3]}", _HostPort()).macs
                port_macs += [mac for text in macs if (mac := read_hardware(text)) and mac not in port_macs]
    return ports


def _read_port(resource: dict[str, Json], port: _HostPort) -> list[str]:
    """Fill `port` from its resource, and return the MACs that the resource lists."""
    ethernet = read_mapping(resource, "Ethernet")
    port.down = port.down or read_text(resource, "LinkStatus") in _IS_DOWN
    lldp_received = read_mapping(ethernet, "LLDPReceive")
    name, chassis = read_text(lldp_received, "SystemName"), read_text(lldp_received, "ChassisId")
    if name or chassis:
        address = read_text(lldp_received, "ManagementAddressIPv4")
        port.heard = make_neighbor(name, chassis, address), read_text(lldp_received, "PortId")
    listed_macs = read_sequence(ethernet, "AssociatedMACAddresses") or read_sequence(
        resource, "AssociatedNetworkAddresses"
    )
    return [read_text(listed_macs, index) for index in range(len(listed_macs))]


def _find_assigned(resource: dict[str, Json]) -> re.Match[str] | None:
    """Return the match of the URI of the port that a function is assigned to; None if it tells no port.

    The port is told in Links, or beside it in older releases.
    """
    holders = (
        holder
        for holder in (read_mapping(resource, "Links"), resource)
        for field_name in _ASSIGNED
        if field_name in holder
    )
    first_holder = next(holders, resource)
    matches = (_find_place(read_mapping(first_holder, field_name)) for field_name in _ASSIGNED)
    return next((match for match in matches if match), None)


def _find_place(resource: dict[str, Json]) -> re.Match[str] | None:
    uri = resource.get("@odata.id")
    return _PLACE.fullmatch(uri) if isinstance(uri, str) else None


def _list_resources(value: Json) -> Iterator[dict[str, Json]]:
    """Yield the resources in a file: one, the members of a collection, or those in a list or an object by URI."""
    waiting = [value]
    for inner in waiting:
        if isinstance(inner, list) and inner is value:
            waiting += inner
        elif isinstance(inner, dict) and "@odata.id" in inner:
            yield inner
            waiting += inner["Members"] if isinstance(inner.get("Members"), list) else ()
        elif isinstance(inner, dict) and inner is value:
            waiting += [resource for uri, resource in inner.items() if uri.startswith("/redfish/")]
