"""MAC and ARP tables as text; each form is an entry of `_FORMS`.

Sources: sonic-net/sonic-utilities, scripts/fdbshow (which `show mac` runs) and scripts/nbrshow (`show arp`); EOS's
manual, `show mac address-table` and `show ip arp`; NVIDIA's Cumulus Linux, Ethernet Bridging - VLANs (`bridge fdb
show`); Juniper's CLI reference, `show ethernet-switching table`, with and without ELS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.dumps._lldp import read_hardware
from fabricgen.verify.dumps.sighting import MacTable

TITLE = "MAC and ARP tables of SONiC, EOS, Junos and bridge fdb show"
BESIDE_OTHERS = True
"""A file with such a table may have tables of neighbours as well."""
IS_JSON = False

_MAC = r"(?P<mac>(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4})"
_ANY_MAC = re.compile(rf"(?:^|\s){_MAC}\s")
_ALL_SONIC = r"\s*Total number of entries\s+(\d+)"
_HINT = "give the whole table, of one device a file"


class _Form(NamedTuple):
    """A form of table, as patterns: the head, a row, the `type` of learnt rows, and the line that counts all rows.

    A head may begin with blanks, but not with `\\s`: it is searched at each line of a text, and `\\s` would match all
    empty lines that follow.
    """

    head: str
    row: str
    learnt: str = ".*"
    total: str = ""


_FORMS = (
    _Form(
        r" *No\.\s+Vlan\s+MacAddress\s+Port\s+Type",
        rf"\s*\d+\s+\d+\s+{_MAC}\s+(?P<port>VxLAN DIP: \S+|\S+)\s+(?P<type>\w+)\s*$",
        "Dynamic",
        _ALL_SONIC,
    ),
    _Form(r" *Address\s+MacAddress\s+Iface\s+Vlan", rf"\s*\S+\s+{_MAC}\s+(?P<port>\S+)(?P<type>)\s", total=_ALL_SONIC),
    _Form(
        r"Vlan\s+Mac Address\s+Type\s+Ports\s+Moves",
        rf"\s*\d+\s+{_MAC}\s+(?P<type>\w+)\s+(?P<port>\S+)",
        "DYNAMIC",
        r"Total Mac Addresses for this criterion:\s*(\d+)",
    ),
    # a static row has no age
    _Form(
        r"Address\s+Age \(\w+\)\s+Hardware Addr\s+Interface",
        rf"\S+\s+(?P<type>(?:\d+ days?, )?\S+)\s+{_MAC}\s+(?:Vlan\d+, *)?(?P<port>\S.*?)\s*$",
        r".*\d.*",
    ),
    # MACs that were configured, and the kernel's own, are permanent, static, `self` or extern_learn: they are left out
    _Form(
        rf"{_MAC} dev \S+ ",
        rf"{_MAC} dev (?P<port>\S+)(?P<type>.*)",
        r"(?:\s+(?:vlan \d+|master \S+|offload|dynamic|used \S+))*\s*",
    ),
    # static, persistent and remote MACs have the flags S, P and R: they are left out
    _Form(
        r" *Ethernet[- ]switching table ?: ?\d+",
        rf"\s*\S+\s+{_MAC}\s+(?P<type>[A-Za-z,]+)\s+(?:[-\d:]+\s+)?(?P<port>[a-z]\S*)",
        r"(?!.*[SPR])D.*|Learn",
    ),
)


def recognises(text: str) -> bool:
    """Whether the head of a table is early in the text; a prompt may come before it."""
    return any(_has_head(form, text) for form in _FORMS)


def dumps(content: DumpContent) -> Iterator[MacTable]:
    """Yield a table for each form in the text; none of them tells its device."""
    for form in _FORMS:
        if _has_head(form, content.text):
            yield MacTable(content.find_box(), tuple(_read_rows(content, form)))


def _has_head(form: _Form, text: str) -> bool:
    return re.search(f"^{form.head}", text[:65536], re.MULTILINE) is not None


def _read_rows(content: DumpContent, form: _Form) -> Iterator[tuple[str, str]]:
    """Yield (MAC, port) of learnt rows; other lines with a MAC are added as faults.

    A table whose form has a total ends with that line, which must count its rows; a table without a total ends with its
    rows, and another table may follow.
    """
    # `(?!)` matches nothing: the form has no total
    head, row_form, total_form = (re.compile(text) for text in (form.head, form.row, form.total or r"(?!)"))
    in_table, row_count, number = False, 0, 0
    for number, line in content.read_lines():
        in_table = in_table or head.match(line) is not None
        if not in_table:
            continue
        if row_match := row_form.match(line):
            row_count += 1
            if re.fullmatch(form.learnt, row_match["type"]):
                yield read_hardware(row_match["mac"]), row_match["port"]
        elif total_line := total_form.match(line):
            if int(total_line[1][:9]) != row_count:
                content.add_fault(number, 1, f"{row_count} rows stand above, not {total_line[1][:20]}", _HINT)
            return
        elif _ANY_MAC.search(line):
            content.add_fault(number, 1, f"the row is none of this table: '{line.strip()[:40]}'", _HINT)
        elif row_count and not form.total:
            in_table, row_count = False, 0
    if form.total:
        content.add_fault(number, 1, "the table ends before the line that counts its rows", _HINT)
