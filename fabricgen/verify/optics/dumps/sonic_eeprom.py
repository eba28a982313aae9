"""SONiC `show interfaces transceiver eeprom [--dom]`: a paragraph for each port."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent
from fabricgen.verify.optics.dumps._values import clean_text, join_words, read_number, read_power
from fabricgen.verify.optics.report import PortReport

TITLE = "SONiC show interfaces transceiver eeprom --dom"
IS_JSON = False

_PORT = re.compile(r"(Ethernet\d+): SFP EEPROM (Not detected|detected)\s*", re.IGNORECASE)
_MEDIA = re.compile(r"(?:Assign \(0x[0-9a-fA-F]+\)|^) ?-? ?(.{1,80}?) - Media Assign")
_WORDS = ("connector", "specification compliance", "media interface technology")


def recognises(text: str) -> bool:
    """Whether a paragraph of a port begins early in the text."""
    return (
        re.search(r"^Ethernet\d+: SFP EEPROM (?:Not )?detected", text[:65536], re.MULTILINE | re.IGNORECASE) is not None
    )


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each port. Lines before the first paragraph, such as a prompt, are ignored."""
    box = content.find_box()
    port, fields, words = "", dict[str, str](), list[str]()
    for _, line in content.read_lines():
        if match := _PORT.fullmatch(line.rstrip()):
            if port:
                yield _fill_report(PortReport(box, port, present=True), fields, words)
            port, fields, words = match[1], {}, []
            if match[2].lower() != "detected":
                yield PortReport(box, port, present=False)
                port = ""
        elif port:
            _add_field(line, fields, words)
    if port:
        yield _fill_report(PortReport(box, port, present=True), fields, words)


def _add_field(line: str, fields: dict[str, str], medium_texts: list[str]) -> None:
    """Add a line `NAME: VALUE` of a paragraph to `fields`, by its name in lower case; of equal names the first counts.

    A line of an application goes to `medium_texts` instead, as it tells a medium; one of a compliance code, to both.
    """
    media = _MEDIA.search(line[:500])
    field_name, separator, value = (piece.strip() for piece in line.partition(":"))
    if media:
        medium_texts.append(clean_text(media[1]))
    elif separator:
        field_name = field_name.lower()
        if "compliance code" in field_name or field_name in _WORDS:
            medium_texts.append(clean_text(value, 200))
        fields.setdefault(field_name, value)


def _fill_report(report: PortReport, fields: dict[str, str], medium_texts: list[str]) -> PortReport:
    """Return a report filled from the fields of an EEPROM; `medium_texts` tell the medium."""
    length_text = next(
        (value for field_name, value in fields.items() if field_name.startswith("length cable assembly")), ""
    )
    return report._replace(
        vendor=clean_text(fields.get("vendor name")),
        part=clean_text(fields.get("vendor pn")),
        serial=clean_text(fields.get("vendor sn")),
        told=join_words(medium_texts),
        length_m=max(read_number(length_text) or 0.0, 0.0),
        tx_dbm=read_power(fields, "tx{}power"),
        rx_dbm=read_power(fields, "rx{}power"),
        rx_alarm_dbm=read_number(fields.get("rxpowerlowalarm")),
    )
