"""LLDP as OpenConfig's YANG model has it, in JSON: /lldp, /lldp/interfaces, or its list of interfaces.

Clients of gNMI put that into an envelope: `gnmic get` a list of answers with `updates` that have `values`, pygnmi a
`notification` with `update` and `val`; the first also tells the address of the device as `source`.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import Content, Json, WrongValueError, mapping, mappings, sequence, text
from fabricgen.verify.dumps._lldp import neighbor
from fabricgen.verify.dumps.sighting import SILENT, Box, Dump, Sighting

TITLE = "OpenConfig LLDP as JSON"
IS_JSON = True

_MODULE = "openconfig-lldp:"
_WAY = ("lldp", "interfaces", "interface")
"""The way to the list; an answer may begin at any of them, its first name with the module before it."""


_ENVELOPE = ("notification", "updates", "update", "val")
_DEEPEST = 8


def recognises(value: Json) -> bool:
    """Whether the JSON begins with a container of the model, or an envelope of gNMI with one in it."""
    return any(True for _ in _found(value))


def _found(value: Json, source: str = "", deep: int = 0) -> Iterator[tuple[Json, str]]:
    """(each object that begins with a container of the model, the address that its envelope tells)."""
    if isinstance(value, list):
        for each in value if deep < _DEEPEST else ():
            yield from _found(each, source, deep + 1)
    elif isinstance(value, dict):
        if _begins(value):
            yield value, source
            return
        told, values = value.get("source"), value.get("values")
        source = told if isinstance(told, str) else source
        inner = [value[key] for key in _ENVELOPE if key in value]
        if isinstance(values, dict):
            inner += [values] if _begins(values) else values.values()
        for each in inner if deep < _DEEPEST else ():
            yield from _found(each, source, deep + 1)


def _begins(value: dict[str, Json]) -> bool:
    lldp = value.get("lldp")
    if any(f"{_MODULE}{name}" in value for name in _WAY):
        return True
    return isinstance(lldp, dict) and ("interfaces" in lldp or f"{_MODULE}interfaces" in lldp)


def dumps(content: Content) -> Iterator[Dump]:
    """A dump for each answer; of the device that its own state names, where that is in it."""
    for value, source in _found(content.value):
        yield _dump(content, value, source)


def _dump(content: Content, value: Json, source: str) -> Dump:
    host = source.rpartition(":")[0].strip("[]") or source
    box, interfaces = neighbor("", "", host) if host[:1].isdigit() else content.box(), list[Json]()
    with content.noting():
        holder = value
        for name in _WAY[:-1]:
            if (key := _key(holder, name)) in holder:
                holder = mapping(holder, key)
                box = (_own(holder) if name == "lldp" else None) or box
        interfaces = sequence(holder, _key(holder, _WAY[-1]))
    return Dump(box, _sightings(content, interfaces))


def _own(lldp: dict[str, Json]) -> Box | None:
    state = mapping(lldp, _key(lldp, "state"))
    name, chassis = _text(state, "system-name"), _text(state, "chassis-id")
    return neighbor(name, chassis) if name or chassis else None


def _key(holder: dict[str, Json], name: str) -> str:
    """The key of a child, which may have the name of its module before it."""
    return f"{_MODULE}{name}" if f"{_MODULE}{name}" in holder else name


def _text(holder: dict[str, Json], name: str) -> str:
    return text(holder, _key(holder, name))


def _sightings(content: Content, interfaces: list[Json]) -> Iterator[Sighting]:
    for index in range(len(interfaces)):
        with content.noting():
            interface = mapping(interfaces, index)
            port = _text(interface, "name")
            if not port:
                raise WrongValueError(interface, None, "the interface has no name")
            neighbors = mapping(interface, _key(interface, "neighbors"))
            found = list(mappings(neighbors, _key(neighbors, "neighbor")))
            if not found:
                yield Sighting(port, None, state=SILENT)
            for entry in found:
                yield _sighting(port, entry)


def _sighting(port: str, entry: dict[str, Json]) -> Sighting:
    """A neighbour; management addresses are a list since revision 1.0.0 of the model."""
    state = mapping(entry, _key(entry, "state"))
    name, chassis = _text(state, "system-name"), _text(state, "chassis-id")
    if not name and not chassis:
        raise WrongValueError(entry, None, f"the neighbour of {port} has neither system-name nor chassis-id")
    listed = mapping(entry, _key(entry, "mgmt-addresses"))
    addresses = [_text(each, "address") for each in mappings(listed, _key(listed, "mgmt-address"))]
    box = neighbor(name, chassis, _text(state, "management-address"), *addresses)
    return Sighting(port, box, _text(state, "port-id"), _text(state, "port-description"))
