"""`lldpctl -f json` and `-f json0` of lldpd, on hosts, Cumulus Linux and SONiC.

`json0` always has lists. `json` has an object where there is one, and a list where there are more, and makes the name
of an interface or a chassis the key of what it says of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import Content, Json, WrongValueError, mapping, text
from fabricgen.verify.dumps._lldp import neighbor
from fabricgen.verify.dumps.sighting import Box, Dump, Sighting

TITLE = "lldpctl -f json0"
IS_JSON = True
_HINT = "make the dump with `lldpctl -f json0`"


def recognises(value: Json) -> bool:
    """Whether the JSON is of lldpd: {"lldp": ...}, with `interface` in it where there is a neighbour."""
    if not isinstance(value, dict) or "lldp" not in value:
        return False
    inner = value["lldp"]
    if isinstance(inner, list):
        inner = inner[0] if inner else {}
    return inner is None or (isinstance(inner, dict) and (not inner or "interface" in inner))


def dumps(content: Content) -> Iterator[Dump]:
    """One dump: lldpd does not say of which device."""
    yield Dump(content.box(), _sightings(content))


def _sightings(content: Content) -> Iterator[Sighting]:
    with content.noting():
        for outer in _each(content.value, "lldp"):
            for item in _each(outer, "interface"):
                try:
                    yield from _of_item(item)
                except WrongValueError as error:
                    content.wrong_value(error)


def _of_item(item: dict[str, Json]) -> Iterator[Sighting]:
    """The neighbours in an item of `interface`: json0 has the port's name in it, json makes it a key."""
    if type(item.get("name")) is str:
        return _of_port(item["name"], item)
    return (seen for port in item for seen in _of_port(port, mapping(item, port)))


def _of_port(port: str, entry: dict[str, Json]) -> Iterator[Sighting]:
    if "rid" not in entry and entry.get("via") == "unknown":
        message = f"{port} tells of itself, not of its neighbour: this is `lldpcli show interfaces`"
        raise WrongValueError(entry, None, message, _HINT)
    far_port = far_text = ""
    for far in _each(entry, "port"):
        far_port, far_text = _leaf(far, "id"), _leaf(far, "descr")
    found = [box for item in _each(entry, "chassis") for box in _chassis(item)]
    if not port or not found:
        raise WrongValueError(entry, None, f"{port or 'an interface'} names no {'chassis' if port else 'port'}", _HINT)
    return (Sighting(port, box, far_port, far_text) for box in found)


def _chassis(item: dict[str, Json]) -> list[Box]:
    """Neighbours of a port: json has them below keys of their names, json0 and json without a name have not."""
    told = item.get("id")
    if any(type(value) is list for value in item.values()) or (type(told) is dict and "value" in told):
        return [_box(_leaf(item, "name"), item)]
    return [_box(name, mapping(item, name)) for name in item]


def _box(name: str, chassis: dict[str, Json]) -> Box:
    told = chassis.get("mgmt-ip")
    addresses = (
        [_leaf(told, index) for index in range(len(told))] if type(told) is list else [_leaf(chassis, "mgmt-ip")]
    )
    return neighbor(name, _leaf(chassis, "id"), *addresses)


def _each(holder: dict[str, Json], key: str) -> list[dict[str, Json]]:
    """The objects of the list below a key, or the one object that stands in its place."""
    value = holder.get(key)
    if type(value) is list:
        return [mapping(value, index) for index in range(len(value))]
    return [mapping(holder, key)] if value is not None else []


def _leaf(holder: Json, key: str | int) -> str:
    """The text below a key: as such, in an object, or in a list of one object."""
    value = holder.get(key) if type(holder) is dict else holder[key]
    if type(value) is list:
        if not value:
            return ""
        holder, key, value = value, 0, value[0]
    if type(value) is dict:
        holder, key = value, "value"
    return text(holder, key)
