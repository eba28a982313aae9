"""`lldpctl -f json` and `-f json0` of lldpd, on hosts, Cumulus Linux and SONiC.

`json0` always has lists. `json` has an object for a single item and a list for several, and uses the name of an
interface or a chassis as the key of its fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent, Json, WrongValueError, read_mapping, read_text
from fabricgen.verify.dumps._lldp import make_neighbor
from fabricgen.verify.dumps.sighting import Box, Dump, Sighting

TITLE = "lldpctl -f json0"
IS_JSON = True
_HINT = "make the dump with `lldpctl -f json0`"


def recognises(value: Json) -> bool:
    """Whether the JSON is by lldpd: {"lldp": ...}, with `interface` in it if there is a neighbour."""
    if not isinstance(value, dict) or "lldp" not in value:
        return False
    inner = value["lldp"]
    if isinstance(inner, list):
        inner = inner[0] if inner else {}
    return inner is None or (isinstance(inner, dict) and (not inner or "interface" in inner))


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield one dump; lldpd does not tell its device."""
    yield Dump(content.find_box(), _read_sightings(content))


def _read_sightings(content: DumpContent) -> Iterator[Sighting]:
    # what each interface sees; a fault in one does not affect the others
    with content.note_faults():
        for outer in _list_objects(content.value, "lldp"):
            for interface in _list_objects(outer, "interface"):
                try:
                    yield from _read_interface(interface)
                except WrongValueError as error:
                    content.add_value_fault(error)


def _read_interface(interface: dict[str, Json]) -> Iterator[Sighting]:
    """Return the neighbours in an item of `interface`: json0 has the name of the port in it, json has it as a key."""
    if type(interface.get("name")) is str:
        return _read_port(interface["name"], interface)
    return (sighting for port in interface for sighting in _read_port(port, read_mapping(interface, port)))


def _read_port(port: str, entry: dict[str, Json]) -> Iterator[Sighting]:
    """Return a sighting of each chassis that an interface names; raises WrongValueError if it names none."""
    if "rid" not in entry and entry.get("via") == "unknown":
        message = f"{port} tells of itself, not of its neighbour: this is `lldpcli show interfaces`"
        raise WrongValueError(entry, None, message, _HINT)
    far_port = far_text = ""
    for far_entry in _list_objects(entry, "port"):
        far_port, far_text = _read_leaf(far_entry, "id"), _read_leaf(far_entry, "descr")
    boxes = [box for chassis in _list_objects(entry, "chassis") for box in _list_neighbors(chassis)]
    if not port or not boxes:
        raise WrongValueError(entry, None, f"{port or 'an interface'} names no {'chassis' if port else 'port'}", _HINT)
    return (Sighting(port, box, far_port, far_text) for box in boxes)


def _list_neighbors(chassis: dict[str, Json]) -> list[Box]:
    """Return the neighbours in a chassis element.

    In `json` the element has a key for each neighbour, its name; for a neighbour without a name, and in `json0`, the
    element is the neighbour itself.
    """
    chassis_id = chassis.get("id")
    if any(type(value) is list for value in chassis.values()) or (type(chassis_id) is dict and "value" in chassis_id):
        return [_make_box(_read_leaf(chassis, "name"), chassis)]
    return [_make_box(name, read_mapping(chassis, name)) for name in chassis]


def _make_box(name: str, chassis: dict[str, Json]) -> Box:
    # a neighbour by its name and chassis element
    listed = chassis.get("mgmt-ip")
    addresses = (
        [_read_leaf(listed, index) for index in range(len(listed))]
        if type(listed) is list
        else [_read_leaf(chassis, "mgmt-ip")]
    )
    return make_neighbor(name, _read_leaf(chassis, "id"), *addresses)


def _list_objects(holder: dict[str, Json], key: str) -> list[dict[str, Json]]:
    """Return the objects in the list at a key, or the single object there."""
    value = holder.get(key)
    if type(value) is list:
        return [read_mapping(value, index) for index in range(len(value))]
    return [read_mapping(holder, key)] if value is not None else []


def _read_leaf(holder: Json, key: str | int) -> str:
    """Return the text at a key: itself, in the `value` of an object, or in a list of one object."""
    value = holder.get(key) if type(holder) is dict else holder[key]
    if type(value) is list:
        if not value:
            return ""
        holder, key, value = value, 0, value[0]
    if type(value) is dict:
        holder, key = value, "value"
    return read_text(holder, key)
