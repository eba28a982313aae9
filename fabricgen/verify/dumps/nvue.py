"""`nv show interface --view=lldp-detail -o json` of Cumulus Linux and NVOS: an object of interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent, Json, WrongValueError, read_mapping, read_text
from fabricgen.verify.dumps._lldp import make_neighbor
from fabricgen.verify.dumps.sighting import DOWN, SILENT, Dump, Sighting

TITLE = "NVUE nv show interface --view=lldp-detail -o json"
IS_JSON = True


def recognises(value: Json) -> bool:
    """Whether an interface in the JSON has a list of LLDP neighbours, even an empty one."""
    if not isinstance(value, dict):
        return False
    lldp_of_ports = (port.get("lldp") for port in value.values() if isinstance(port, dict))
    return any(isinstance(lldp, dict) and "neighbor" in lldp for lldp in lldp_of_ports)


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield one dump; NVUE does not tell its device."""
    yield Dump(content.find_box(), _read_sightings(content))


def _read_sightings(content: DumpContent) -> Iterator[Sighting]:
    """Yield what each interface sees: its neighbours, or that it is down or silent."""
    for port in content.value:
        with content.note_faults():
            interface = read_mapping(content.value, port)
            lldp, link = read_mapping(interface, "lldp"), read_mapping(interface, "link")
            neighbors = read_mapping(lldp, "neighbor")
            if not neighbors and link.get("oper-status") == "down":
                yield Sighting(port, None, state=DOWN)
            elif not neighbors and "neighbor" in lldp:
                yield Sighting(port, None, state=SILENT)
            for name in neighbors:
                yield _make_sighting(port, name, read_mapping(neighbors, name))


def _make_sighting(port: str, neighbor_key: str, entry: dict[str, Json]) -> Sighting:
    """Read a neighbour that a port sees; `neighbor_key` is its name, or a number if it has no name.

    Raises WrongValueError if it has neither a name nor a chassis id.
    """
    chassis, far_port = read_mapping(entry, "chassis"), read_mapping(entry, "port")
    name, chassis_id = read_text(chassis, "system-name"), read_text(chassis, "chassis-id")
    if not name and not chassis_id and not neighbor_key.isdigit():
        name = neighbor_key
    if not name and not chassis_id:
        raise WrongValueError(entry, None, f"the neighbour of {port} has neither system-name nor chassis-id")
    addresses = [read_text(chassis, f"management-address-{version}") for version in ("ipv4", "ipv6")]
    return Sighting(
        port,
        make_neighbor(name, chassis_id, *addresses),
        read_text(far_port, "name"),
        read_text(far_port, "description"),
    )
