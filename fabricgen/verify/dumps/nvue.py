"""`nv show interface --view=lldp-detail -o json` of Cumulus Linux and NVOS: an object of interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import Content, Json, WrongValueError, mapping, text
from fabricgen.verify.dumps._lldp import neighbor
from fabricgen.verify.dumps.sighting import DOWN, SILENT, Dump, Sighting

TITLE = "NVUE nv show interface --view=lldp-detail -o json"
IS_JSON = True


def recognises(value: Json) -> bool:
    """Whether an interface has LLDP neighbours, or the room for them."""
    if not isinstance(value, dict):
        return False
    of_ports = (port.get("lldp") for port in value.values() if isinstance(port, dict))
    return any(isinstance(lldp, dict) and "neighbor" in lldp for lldp in of_ports)


def dumps(content: Content) -> Iterator[Dump]:
    """One dump: NVUE does not say of which device."""
    yield Dump(content.box(), _sightings(content))


def _sightings(content: Content) -> Iterator[Sighting]:
    for port in content.value:
        with content.noting():
            interface = mapping(content.value, port)
            lldp, link = mapping(interface, "lldp"), mapping(interface, "link")
            neighbors = mapping(lldp, "neighbor")
            if not neighbors and link.get("oper-status") == "down":
                yield Sighting(port, None, state=DOWN)
            elif not neighbors and "neighbor" in lldp:
                yield Sighting(port, None, state=SILENT)
            for name in neighbors:
                yield _sighting(port, name, mapping(neighbors, name))


def _sighting(port: str, key: str, entry: dict[str, Json]) -> Sighting:
    """A neighbour; the key is its name, or a number where it has none."""
    chassis, far = mapping(entry, "chassis"), mapping(entry, "port")
    name, number = text(chassis, "system-name"), text(chassis, "chassis-id")
    if not name and not number and not key.isdigit():
        name = key
    if not name and not number:
        raise WrongValueError(entry, None, f"the neighbour of {port} has neither system-name nor chassis-id")
    addresses = [text(chassis, f"management-address-{version}") for version in ("ipv4", "ipv6")]
    return Sighting(port, neighbor(name, number, *addresses), text(far, "name"), text(far, "description"))
