"""`show lldp neighbors [detail | interface NAME] | display json` of Junos.

Each value is a list of one object with its text under `data`. If a switch tells its ports by name, as Juniper's designs
do, the name is the id of the port; else it is the description (`port-description-type`).
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
from fabricgen.verify.dumps.sighting import Dump, Sighting

TITLE = "Junos show lldp neighbors | display json"
IS_JSON = True

_ANSWER, _ROWS = "lldp-neighbors-information", "lldp-neighbor-information"
_PORT = ("lldp-local-port-id", "lldp-local-interface")


def recognises(value: Json) -> bool:
    """Whether the JSON is an answer of this command."""
    return isinstance(value, dict) and _ANSWER in value


def dumps(content: DumpContent) -> Iterator[Dump]:
    """Yield one dump; the answer does not tell its device."""
    yield Dump(content.find_box(), _read_sightings(content))


def _read_sightings(content: DumpContent) -> Iterator[Sighting]:
    # the neighbours in all answers of a file; a wrong row is added as a fault, and the next one read
    with content.note_faults():
        for answer in read_mappings(content.value, _ANSWER):
            rows = read_sequence(answer, _ROWS) if _ROWS in answer else []
            for index in range(len(rows)):
                with content.note_faults():
                    yield _read_sighting(read_mapping(rows, index))


def _read_sighting(row: dict[str, Json]) -> Sighting:
    """Read the neighbour in a row; raises WrongValueError for a row without a port or without a neighbour."""
    port = _find_text(row, *_PORT)
    name, chassis = _find_text(row, "lldp-remote-system-name"), _find_text(row, "lldp-remote-chassis-id")
    if not port or not (name or chassis):
        raise WrongValueError(row, None, f"the row has no {'neighbour' if port else 'port'}")
    far_port_id = _find_text(row, "lldp-remote-port-id")
    far_description = _find_text(row, "lldp-remote-port-description")
    box = make_neighbor(name, chassis, _find_text(row, "lldp-remote-management-address"))
    return Sighting(
        without_unit(port), box, without_unit(far_port_id or far_description), far_description if far_port_id else ""
    )


def _find_text(row: dict[str, Json], *keys: str) -> str:
    """Return the first text under some keys; "" for none."""
    texts = (read_text(mapping, "data") for key in keys for mapping in read_mappings(row, key))
    return next(filter(None, texts), "")


def without_unit(port: str) -> str:
    """Return a port without its logical unit, which some releases print: `et-0/0/1` for `et-0/0/1.0`."""
    name, _, unit = port.rpartition(".")
    return name if name.count("/") > 1 and unit.isdigit() else port
