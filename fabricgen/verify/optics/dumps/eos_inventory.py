"""EOS `show inventory | json`: what is plugged into each cage."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.verify.dumps._content import DumpContent, Json, read_mapping
from fabricgen.verify.optics.dumps._values import clean_text
from fabricgen.verify.optics.report import PortReport

TITLE = "EOS show inventory | json"
IS_JSON = True


def recognises(value: Json) -> bool:
    """Whether the JSON has the slots of transceivers."""
    return isinstance(value, dict) and isinstance(value.get("xcvrSlots"), dict)


def reports(content: DumpContent) -> Iterator[PortReport]:
    """Yield a report for each cage; an empty one has the manufacturer `Not Present`."""
    box = content.find_box()
    slots = content.value["xcvrSlots"]
    for cage in slots:
        with content.note_faults():
            row = read_mapping(slots, cage)
            vendor, part = clean_text(row.get("mfgName")), clean_text(row.get("modelName"))
            is_present = bool(vendor or part)
            yield PortReport(box, cage, True, is_present, vendor, part, clean_text(row.get("serialNum")))
