"""EOS `show inventory | json`: what is plugged into each cage."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import Content, Json, mapping
from fabricgen.verify.optics.dumps._values import text_of
from fabricgen.verify.optics.report import PortReport

TITLE = "EOS show inventory | json"
IS_JSON = True


def recognises(value: Json) -> bool:
    """Whether the JSON has the slots of transceivers."""
    return isinstance(value, dict) and isinstance(value.get("xcvrSlots"), dict)


def reports(content: Content) -> Iterator[PortReport]:
    """A row for each cage, empty ones too: these have the manufacturer Not Present."""
    box = content.box()
    slots = content.value["xcvrSlots"]
    for cage in slots:
        with content.noting():
            row = mapping(slots, cage)
            vendor, part = text_of(row.get("mfgName")), text_of(row.get("modelName"))
            empty = not vendor and not part
            yield PortReport(box, cage, True, not empty, vendor, part, text_of(row.get("serialNum")))
