"""`show lldp neighbors | json` and `show lldp neighbors detail | json` of Arista EOS, also as eAPI answers them.

Where the same answer has `show hostname` or `show version`, it tells which device it is of.
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

TITLE = "EOS show lldp neighbors [detail] | json"
IS_JSON = True

_TABLE = "lldpNeighbors"


def recognises(value: Json) -> bool:
    """Whether the JSON is an answer with the table of neighbours in it, or a list of answers with one."""
    return any(_TABLE in answer for answer in list_answers(value))


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield one dump: all answers are of one device."""
    answers = list_answers(content.value)
    yield Dump(
        find_box(content, answers), (sighting for answer in answers for sighting in _read_sightings(content, answer))
    )


def list_answers(value: Json) -> list[dict[str, Json]]:
    """Return the answers of commands: one, or a list of them in eAPI and its clients."""
    if isinstance(value, dict) and isinstance(value.get("result"), list):
        value = value["result"]
    return [answer for answer in (value if isinstance(value, list) else [value]) if isinstance(answer, dict)]


def find_box(content: DumpContent, answers: list[dict[str, Json]]) -> Box:
    """Return the box that answers are of: by what they tell, else by the file."""
    name = chassis = ""
    for answer in answers:
        with content.note_faults():
            name = name or read_text(answer, "hostname") or read_text(answer, "fqdn")
            chassis = chassis or read_text(answer, "systemMacAddress")
    return make_neighbor(name, chassis) if name or chassis else content.find_box()


def _read_sightings(content: DumpContent, answer: dict[str, Json]) -> Iterator[Sighting]:
    """Yield the neighbours of an answer: `detail` has an object by port, the brief form a list of rows."""
    table = answer.get(_TABLE)
    with content.note_faults():
        if isinstance(table, dict):
            for port in table:
                with content.note_faults():
                    yield from _read_detailed(port, read_mapping(table, port))
        else:
            rows = read_sequence(answer, _TABLE)
            for index in range(len(rows)):
                with content.note_faults():
                    yield _read_brief(read_mapping(rows, index))


def _read_brief(row: dict[str, Json]) -> Sighting:
    """Read a row of the brief form, in which a neighbour without a name has its chassis id in place of the name."""
    port, name, far_port = (read_text(row, key) for key in ("port", "neighborDevice", "neighborPort"))
    if not port or not name:
        raise WrongValueError(row, None, f"the row has no {'neighborDevice' if port else 'port'}")
    return Sighting(port, make_neighbor("", name), far_port.strip('"'))


def _read_detailed(port: str, entry: dict[str, Json]) -> Iterator[Sighting]:
    """Yield the neighbours of a port in the detailed form, or one silent sighting if it has no neighbour.

    Raises WrongValueError for a neighbour with neither a name nor a chassis id.
    """
    neighbors = list(read_mappings(entry, "lldpNeighborInfo"))
    if not neighbors:
        yield Sighting(port, None, state=SILENT)
    for neighbor in neighbors:
        far_interface = read_mapping(neighbor, "neighborInterfaceInfo")
        far_port = read_text(far_interface, "interfaceId_v2") or read_text(far_interface, "interfaceId").strip('"')
        name, chassis = read_text(neighbor, "systemName"), read_text(neighbor, "chassisId")
        if not name and not chassis:
            raise WrongValueError(neighbor, None, f"the neighbour of {port} has neither systemName nor chassisId")
        addresses = [read_text(row, "address") for row in read_mappings(neighbor, "managementAddresses")]
        yield Sighting(
            port, make_neighbor(name, chassis, *addresses), far_port, read_text(far_interface, "interfaceDescription")
        )
