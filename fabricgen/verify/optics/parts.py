"""Comparison of the module in a cage, or of the fixed end of a cable, with cables.csv."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.verify.actions import Kind as ActionKind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.optics.modules import (
    AOC,
    COPPER,
    NO_MODULE,
    CatalogParts,
    ModuleKind,
    SightedCage,
    find_planned_family,
    read_kind,
)
from fabricgen.verify.optics.report import LENGTH_SLACK_M, WHOLE, OpticsFindings, PortReport

OTHER = "another part than planned, of the same kind"
UNKNOWN = "a part that the catalogue does not know and that does not tell what it is, so that it is not judged"
SPARE = "a module or cable is plugged in where none is planned"


class PlannedPart(NamedTuple):
    """What is planned in a cage: the part, its kind, and the longest cable (m) and fastest link (Gb/s) that it serves.

    `attached`: whether it is a cable with fixed ends.
    """

    part: str
    kind: ModuleKind
    attached: bool
    length_m: float
    gbps: float


def find_planned_part(cabling: PlannedCabling, parts: CatalogParts, cage: SightedCage) -> PlannedPart | None:
    """Return what is planned in a cage with planned ports; None if it is nothing with an EEPROM.

    `length_m` of its kind is 0 unless it is a cable with fixed ends.
    """
    first_port = cage.ports[0]
    medium = str(cabling.read_cable("medium", first_port))
    if medium in NO_MODULE:
        return None
    transceiver = str(cabling.read_cable("b_transceiver" if first_port & 1 else "a_transceiver", first_port))
    part_number = transceiver or str(cabling.read_cable("part", first_port))
    family = find_planned_family(medium, parts.find_profile(part_number))
    is_attached = family in (COPPER, AOC)
    if not transceiver and not is_attached:
        return None
    longest_m = max(_read_length(cabling, port) for port in cage.ports)
    kind = parts.find_kind(part_number) or ModuleKind(family)
    kind = kind._replace(family=family, length_m=longest_m if is_attached else 0.0)
    return PlannedPart(
        part_number, kind, is_attached, longest_m, max(float(cabling.read_link("speed_gbps", p)) for p in cage.ports)
    )


def judge_part(cabling: PlannedCabling, parts: CatalogParts, cage: SightedCage, findings: OpticsFindings) -> None:
    """Add to `findings` what is wrong with the module or cable in a cage."""
    location, module = f"{cabling.device_names[cage.device]}, cage {cage.cage}", cage.module
    plugged = module.present or bool(module.part or module.serial or module.length_m)
    if not cage.ports:
        if plugged and module.present is not False:
            findings.add_note(SPARE, f"{location} ({module.part})" if module.part else location)
        return
    planned = find_planned_part(cabling, parts, cage)
    if planned is None:
        return
    ports = tuple(cage.ports)
    if module.present is False:
        noun = "cable" if planned.attached else "module"
        findings.add_fault(
            ActionKind.OPTIC, ports, f"{location} has no {noun} in it; {_describe_planned(planned)} is planned", WHOLE
        )
        return
    if module.part.upper() == planned.part.upper():
        return
    seen_kind = _find_seen_kind(parts, module)
    slack = 0.1 if parts.find_kind(module.part) else LENGTH_SLACK_M
    wrong = _describe_fault(planned, seen_kind, slack)
    if wrong:
        findings.add_fault(ActionKind.OPTIC, ports, f"{location} has {_describe_module(seen_kind, module)}; {wrong}")
    elif module.part and parts.is_product(planned.part):
        findings.add_note(OTHER if seen_kind.family else UNKNOWN, f"{location} ({module.part} for {planned.part})")


def _read_length(cabling: PlannedCabling, port: int) -> float:
    length = cabling.read_cable("length_m", port)
    return float(length) if length else 0.0


def _find_seen_kind(parts: CatalogParts, module: PortReport) -> ModuleKind:
    """Return what a module is: by its part number, else by the words in its EEPROM."""
    catalogue_kind = parts.find_kind(module.part) if module.part else None
    seen_kind = catalogue_kind or read_kind(module.told)
    if module.length_m and not seen_kind.length_m and seen_kind.family in (COPPER, AOC):
        seen_kind = seen_kind._replace(length_m=module.length_m)
    return seen_kind


def _describe_fault(planned: PlannedPart, seen_kind: ModuleKind, slack_m: float) -> str:
    """Say what is wrong with a part; "" if it serves as well. Lengths of cables may differ by less than `slack_m`."""
    if seen_kind.family and planned.kind.family and seen_kind.family != planned.kind.family:
        return f"{_describe_planned(planned)} is planned: put in what is planned"
    if planned.attached and seen_kind.length_m and abs(seen_kind.length_m - planned.length_m) >= slack_m:
        return f"{_describe_planned(planned)} is planned: another cable than the labelled one"
    if not planned.attached and 0 < seen_kind.reach_m < planned.length_m:
        return f"the cable has {planned.length_m:g} m; {_describe_planned(planned)} is planned"
    if 0 < seen_kind.gbps < planned.gbps:
        return f"it carries {seen_kind.gbps:g}G, and {planned.gbps:g}G is planned ({planned.part})"
    return ""


def _describe_planned(planned: PlannedPart) -> str:
    return f"{planned.part} ({planned.kind.words})" if planned.kind.family else planned.part


def _describe_module(seen_kind: ModuleKind, module: PortReport) -> str:
    """Return a module in words: vendor and part, and in brackets what it is and its serial number."""
    vendor_and_part = " ".join(filter(None, [module.vendor, module.part])) or "a module"
    serial_text = f"serial {module.serial}" if module.serial else ""
    details = ", ".join(filter(None, [seen_kind.words, serial_text]))
    return f"{vendor_and_part} ({details})" if details else vendor_and_part
