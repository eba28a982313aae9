"""MAC and ARP tables as JSON: EOS, also as eAPI answers, NVUE and Junos.

Sources: EOS's `show mac address-table | json` and `show ip arp [vrf all] | json`, by napalm's driver (napalm/eos);
NVIDIA's NVUE reference, `nv show bridge domain <domain> mac-table -o json`; Juniper's `show ethernet-switching table
| display json`, whose values are lists of one object with its text under `data`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent, Json, WrongValueError, read_text
from fabricgen.verify.dumps._lldp import read_hardware
from fabricgen.verify.dumps.eos import find_box, list_answers
from fabricgen.verify.dumps.sighting import MacTable

TITLE = "MAC and ARP tables of EOS, NVUE and Junos as JSON"
BESIDE_OTHERS = True
"""A file with such a table may have tables of neighbours as well."""
IS_JSON = True

_FORMS = (
    ("macAddress", "interface", "entryType", "dynamic|"),
    ("hwAddress", "interface", "", ""),
    ("mac", "interface", "entry-type", "dynamic|"),
    ("l2ng-l2-mac-address", "l2ng-l2-mac-logical-interface", "l2ng-l2-mac-flags", r"(?!.*[SPR])D.*"),
)
"""Keys of the MAC, the port and the type of a row, and a pattern of the types of learnt rows."""
_MARKS = frozenset({"unicastTable", "ipV4Neighbors", "l2ng-l2ald-rtb-macdb"})


def recognises(value: Json) -> bool:
    """Whether the JSON is an answer with such a table, or a list of answers with one."""
    return any(_has_table(answer) for answer in list_answers(value))


def _has_table(answer: dict[str, Json]) -> bool:
    vrfs = answer.get("vrfs")
    inner = [row for row in [answer, *(vrfs.values() if isinstance(vrfs, dict) else ())] if isinstance(row, dict)]
    numbered = (row for key, row in answer.items() if key.isdecimal() and isinstance(row, dict))
    return any(_MARKS & row.keys() for row in inner) or any({"mac", "interface"} <= row.keys() for row in numbered)


def dumps(content: DumpContent) -> Iterator[MacTable]:
    """Yield one table: all answers are of one device."""
    yield MacTable(find_box(content, list_answers(content.value)), tuple(_read_rows(content)))


def _read_rows(content: DumpContent) -> Iterator[tuple[str, str]]:
    # rows are at different depths in the formats, and are recognised by their keys. Depth first without recursion,
    # since untrusted JSON may be nested deeply.
    waiting = [content.value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting += reversed(value.values() if isinstance(value, dict) else value)
        for mac_key, port_key, type_key, learnt in _FORMS if isinstance(value, dict) else ():
            with content.note_faults():
                mac, port = _read_value(value, mac_key), _read_value(value, port_key)
                if mac and mac != "*" and port and not read_hardware(mac):
                    raise WrongValueError(value, mac_key, f"'{mac[:20]}' is no MAC")
                # a flood entry of Junos has * in place of a MAC; in ARP tables the port comes behind its VLAN
                if mac and mac != "*" and port and re.fullmatch(learnt, _read_value(value, type_key)):
                    yield read_hardware(mac), port.rpartition(", ")[2]


def _read_value(row: dict[str, Json], key: str) -> str:
    """Return the text of a key ("" if the row lacks it); Junos wraps each value in a list of one object."""
    value = row.get(key)
    wrapped_value = value[0] if isinstance(value, list) and value else None
    return read_text(wrapped_value, "data") if isinstance(wrapped_value, dict) else read_text(row, key)
