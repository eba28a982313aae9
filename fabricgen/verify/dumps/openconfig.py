"""LLDP in the form of OpenConfig's YANG model, as JSON: /lldp, /lldp/interfaces, or its list of interfaces.

Clients of gNMI put this into an envelope: `gnmic get` into a list of answers with `updates` that have `values`, pygnmi
into a `notification` with `update` and `val`. gnmic also tells the address of the device as `source`.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import (
    DumpContent,
    Json,
    WrongValueError,
    read_mapping,
    read_mappings,
    read_sequence,
    read_text,
)
from fabricgen.verify.dumps._lldp import make_neighbor
from fabricgen.verify.dumps.sighting import SILENT, Box, Dump, Sighting

TITLE = "OpenConfig LLDP as JSON"
IS_JSON = True

_MODULE = "openconfig-lldp:"
_PATH = ("lldp", "interfaces", "interface")
"""The path to the list; an answer may begin at any of these names, with the name of the module before the first."""
_ENVELOPE = ("notification", "updates", "update", "val")
_DEEPEST = 8
"""How many lists and envelopes inside each other are opened."""


def recognises(value: Json) -> bool:
    """Whether the JSON begins with a container of the model, or is an envelope of gNMI with one in it."""
    return any(True for _ in _find_answers(value))


def _find_answers(value: Json, source: str = "", deep: int = 0) -> Iterator[tuple[Json, str]]:
    """Yield each object that begins with a container of the model, with the address in its envelope ("": none)."""
    if isinstance(value, list):
        for inner_value in value if deep < _DEEPEST else ():
            yield from _find_answers(inner_value, source, deep + 1)
    elif isinstance(value, dict):
        if _begins_model(value):
            yield value, source
            return
        inner_source, values = value.get("source"), value.get("values")
        source = inner_source if isinstance(inner_source, str) else source
        inner = [value[key] for key in _ENVELOPE if key in value]
        if isinstance(values, dict):
            inner += [values] if _begins_model(values) else values.values()
        for inner_value in inner if deep < _DEEPEST else ():
            yield from _find_answers(inner_value, source, deep + 1)


def _begins_model(value: dict[str, Json]) -> bool:
    # whether an object begins at a level at which collectors cut the model: /lldp, its interfaces, or their list
    lldp = value.get("lldp")
    if any(f"{_MODULE}{name}" in value for name in _PATH):
        return True
    return isinstance(lldp, dict) and ("interfaces" in lldp or f"{_MODULE}interfaces" in lldp)


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield a dump for each answer; its device is told by its own state, else by the envelope, else by the file."""
    for value, source in _find_answers(content.value):
        yield _make_dump(content, value, source)


def _make_dump(content: DumpContent, value: Json, source: str) -> Dump:
    """Return the dump of one answer, of the box that it names, else of its target, else of the file.

    gNMI clients name the target (`source`) as HOST:PORT, with IPv6 addresses in brackets.
    """
    host = source.rpartition(":")[0].strip("[]") or source
    box, interfaces = make_neighbor("", "", host) if host[:1].isdigit() else content.find_box(), list[Json]()
    with content.note_faults():
        holder = value
        for name in _PATH[:-1]:
            if (child_key := _find_key(holder, name)) in holder:
                holder = read_mapping(holder, child_key)
                box = (_find_own_box(holder) if name == "lldp" else None) or box
        interfaces = read_sequence(holder, _find_key(holder, _PATH[-1]))
    return Dump(box, _read_sightings(content, interfaces))


def _find_own_box(lldp: dict[str, Json]) -> Box | None:
    state = read_mapping(lldp, _find_key(lldp, "state"))
    name, chassis = _read_child(state, "system-name"), _read_child(state, "chassis-id")
    return make_neighbor(name, chassis) if name or chassis else None


def _find_key(holder: dict[str, Json], name: str) -> str:
    """Return the key of a child, which may have the name of its module before it."""
    return f"{_MODULE}{name}" if f"{_MODULE}{name}" in holder else name


def _read_child(holder: dict[str, Json], name: str) -> str:
    return read_text(holder, _find_key(holder, name))


def _read_sightings(content: DumpContent, interfaces: list[Json]) -> Iterator[Sighting]:
    """Yield the neighbours of each interface in a list, or a silent sighting for an interface without neighbours."""
    for index in range(len(interfaces)):
        with content.note_faults():
            interface = read_mapping(interfaces, index)
            port = _read_child(interface, "name")
            if not port:
                raise WrongValueError(interface, None, "the interface has no name")
            neighbors = read_mapping(interface, _find_key(interface, "neighbors"))
            entries = list(read_mappings(neighbors, _find_key(neighbors, "neighbor")))
            if not entries:
                yield Sighting(port, None, state=SILENT)
            for entry in entries:
                yield _make_sighting(port, entry)


def _make_sighting(port: str, entry: dict[str, Json]) -> Sighting:
    """Read a neighbour; management addresses are a list since revision 1.0.0 of the model."""
    state = read_mapping(entry, _find_key(entry, "state"))
    name, chassis = _read_child(state, "system-name"), _read_child(state, "chassis-id")
    if not name and not chassis:
        raise WrongValueError(entry, None, f"the neighbour of {port} has neither system-name nor chassis-id")
    listed = read_mapping(entry, _find_key(entry, "mgmt-addresses"))
    addresses = [_read_child(row, "address") for row in read_mappings(listed, _find_key(listed, "mgmt-address"))]
    box = make_neighbor(name, chassis, _read_child(state, "management-address"), *addresses)
    return Sighting(port, box, _read_child(state, "port-id"), _read_child(state, "port-description"))
