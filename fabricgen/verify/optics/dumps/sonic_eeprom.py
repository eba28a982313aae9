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


def _add_field(line: str, fields: dict[str, str], words: list[str]) -> None:
    """Add a line of a paragraph to `fields`, or to `words` if it tells a compliance code or an application's medium.

    A compliance code is added to both.
    """
    media = _MEDIA.search(line[:500])
    key, colon, value = (piece.strip() for piece in line.partition(":"))
    if media:
        words.append(clean_text(media[1]))
    elif colon:
        key = key.lower()
        if "compliance code" in key or key in _WORDS:
            words.append(clean_text(value, 200))
        fields.setdefault(key, value)


def _fill_report(report: PortReport, fields: dict[str, str], words: list[str]) -> PortReport:
    # a report filled from the fields of an EEPROM; `words` tell the medium
    length = next((value for key, value in fields.items() if key.startswith("length cable assembly")), "")
    return report._replace(
        vendor=clean_text(fields.get("vendor name")),
        part=clean_text(fields.get("vendor pn")),
        serial=clean_text(fields.get("vendor sn")),
        told=join_words(words),
        length_m=max(read_number(length) or 0.0, 0.0),
        tx_dbm=read_power(fields, "tx{}power"),
        rx_dbm=read_power(fields, "rx{}power"),
        rx_alarm_dbm=read_number(fields.get("rxpowerlowalarm")),
    )
