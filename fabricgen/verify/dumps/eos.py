"""`show lldp neighbors | json` and `show lldp neighbors detail | json` of Arista EOS, also as eAPI answers them.

Where the same answer has `show hostname` or `show version`, it tells which device it is of.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import Content, Json, WrongValueError, mapping, mappings, sequence, text
from fabricgen.verify.dumps._lldp import neighbor
from fabricgen.verify.dumps.sighting import SILENT, Box, Dump, Sighting

TITLE = "EOS show lldp neighbors [detail] | json"
IS_JSON = True

_TABLE = "lldpNeighbors"


def recognises(value: Json) -> bool:
    """Whether the JSON is an answer with the table of neighbours in it, or a list of answers with one."""
    return any(_TABLE in answer for answer in _answers(value))


def dumps(content: Content) -> Iterator[Dump]:
    """One dump: all answers are of one device."""
    answers = _answers(content.value)
    yield Dump(_box(content, answers), (seen for answer in answers for seen in _sightings(content, answer)))


def _answers(value: Json) -> list[dict[str, Json]]:
    """The answers of commands: eAPI and its clients give a list of them."""
    if isinstance(value, dict) and isinstance(value.get("result"), list):
        value = value["result"]
    return [answer for answer in (value if isinstance(value, list) else [value]) if isinstance(answer, dict)]


def _box(content: Content, answers: list[dict[str, Json]]) -> Box:
    name = chassis = ""
    for answer in answers:
        with content.noting():
            name = name or text(answer, "hostname") or text(answer, "fqdn")
            chassis = chassis or text(answer, "systemMacAddress")
    return neighbor(name, chassis) if name or chassis else content.box()


def _sightings(content: Content, answer: dict[str, Json]) -> Iterator[Sighting]:
    table = answer.get(_TABLE)
    with content.noting():
        if isinstance(table, dict):
            for port in table:
                with content.noting():
                    yield from _detailed(port, mapping(table, port))
        else:
            rows = sequence(answer, _TABLE)
            for index in range(len(rows)):
                with content.noting():
                    yield _brief(mapping(rows, index))


def _brief(row: dict[str, Json]) -> Sighting:
    """A row; EOS writes the chassis id in place of a name that was not told."""
    port, told, far_port = (text(row, key) for key in ("port", "neighborDevice", "neighborPort"))
    if not port or not told:
        raise WrongValueError(row, None, f"the row has no {'neighborDevice' if port else 'port'}")
    return Sighting(port, neighbor("", told), far_port.strip('"'))


def _detailed(port: str, entry: dict[str, Json]) -> Iterator[Sighting]:
    infos = list(mappings(entry, "lldpNeighborInfo"))
    if not infos:
        yield Sighting(port, None, state=SILENT)
    for info in infos:
        far = mapping(info, "neighborInterfaceInfo")
        far_port = text(far, "interfaceId_v2") or text(far, "interfaceId").strip('"')
        name, chassis = text(info, "systemName"), text(info, "chassisId")
        if not name and not chassis:
            raise WrongValueError(info, None, f"the neighbour of {port} has neither systemName nor chassisId")
        addresses = [text(each, "address") for each in mappings(info, "managementAddresses")]
        yield Sighting(port, neighbor(name, chassis, *addresses), far_port, text(far, "interfaceDescription"))
