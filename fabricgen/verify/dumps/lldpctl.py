"""`lldpctl -f json` and `-f json0` of lldpd, on hosts, Cumulus Linux and SONiC.

`json0` always has lists. `json` has an object where there is one, and a list where there are more, and makes the name
of an interface or a chassis the key of what it says of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import Content, Json, Path, WrongValueError, mapping, text
from fabricgen.verify.dumps._lldp import address_of, neighbor
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
    for outer_path, outer in _each(content.value["lldp"], ("lldp",)):
        with content.noting():
            path = (*outer_path, "interface")
            for item_path, item in _each(mapping(outer, *outer_path).get("interface"), path):
                with content.noting():
                    yield from _of_item(content, mapping(item, *item_path), item_path)


def _of_item(content: Content, item: dict[str, Json], path: Path) -> Iterator[Sighting]:
    """The neighbours in an item of `interface`: json0 has the port's name in it, json makes it a key."""
    if type(item.get("name")) is str:
        yield from _of_port(item["name"], item, path)
        return
    for port, entry in item.items():
        with content.noting():
            yield from _of_port(port, mapping(entry, *path, port), (*path, port))


def _of_port(port: str, entry: dict[str, Json], path: Path) -> Iterator[Sighting]:
    if "rid" not in entry and entry.get("via") == "unknown":
        raise WrongValueError(
            path, f"{port} tells of itself, not of its neighbour: this is `lldpcli show interfaces`", _HINT
        )
    far_port = far_text = ""
    for far_path, far in _each(entry.get("port"), (*path, "port")):
        far_port = _leaf(mapping(far, *far_path).get("id"), *far_path, "id")
        far_text = _leaf(far.get("descr"), *far_path, "descr")
        break
    found = list(_chassis(entry.get("chassis"), (*path, "chassis")))
    if not port or not found:
        raise WrongValueError(path, f"{port or 'an interface'} names no {'chassis' if port else 'port'}", _HINT)
    for neighbor_box in found:
        yield Sighting(port, neighbor_box, far_port, far_text)


def _chassis(value: Json, path: Path) -> Iterator[Box]:
    """The neighbours of a port: those without a name, and all of json0, are not below a key of their name."""
    for item_path, item in _each(value, path):
        if _is_chassis(mapping(item, *item_path)):
            yield _box(_leaf(item.get("name"), *item_path, "name"), item, item_path)
            continue
        for name, entry in item.items():
            yield _box(name, mapping(entry, *item_path, name), (*item_path, name))


def _is_chassis(item: dict[str, Json]) -> bool:
    told = item.get("id")
    return type(told) is list or (type(told) is dict and "value" in told)


def _box(name: str, chassis: dict[str, Json], path: Path) -> Box:
    told = chassis.get("mgmt-ip")
    address = "" if told is None else address_of(_leaf(each, *where) for where, each in _each(told, (*path, "mgmt-ip")))
    return neighbor(name, _leaf(chassis.get("id"), *path, "id"), address)


def _each(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    """The items of a list with their paths, or the one value that stands in its place."""
    if type(value) is list:
        for index, item in enumerate(value):
            yield (*path, index), item
    elif value is not None:
        yield path, value


def _leaf(value: Json, *path: str | int) -> str:
    """A text as such, in an object, or in a list of one object."""
    if type(value) is list:
        value, path = (value[0] if value else None), (*path, 0)
    if type(value) is dict:
        value, path = value.get("value"), (*path, "value")
    return text(value, *path)
