"""The module in a cage, or the end of a cable with ends of its own, against cables.csv."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.verify.actions import Kind as ActionKind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.optics.modules import AOC, COPPER, NO_MODULE, Cage, Kind, Parts, kind_by_words, planned_family
from fabricgen.verify.optics.report import LENGTH_SLACK_M, WHOLE, Findings, PortReport

OTHER = "another part than planned, of the same kind"
UNKNOWN = "a part that the catalogue does not know and that does not tell what it is, so that it is not judged"
SPARE = "a module or cable is plugged in where none is planned"


class PlannedPart(NamedTuple):
    """What is planned in a cage: a part, what that is, and the longest and fastest that it has to carry."""

    part: str
    kind: Kind
    attached: bool
    length_m: float
    gbps: float


def planned_part(cabling: PlannedCabling, parts: Parts, cage: Cage) -> PlannedPart | None:
    """What is planned in a cage with planned ports; None where nothing is that could tell what it is."""
    first = cage.ports[0]
    medium = str(cabling.of_cable("medium", first))
    if medium in NO_MODULE:
        return None
    module = str(cabling.of_cable("b_transceiver" if first & 1 else "a_transceiver", first))
    part = module or str(cabling.of_cable("part", first))
    family = planned_family(medium, parts.profile(part))
    attached = family in (COPPER, AOC)
    if not module and not attached:
        return None
    length = max(_metres(cabling, port) for port in cage.ports)
    kind = parts.kind(part) or Kind(family)
    kind = kind._replace(family=family, length_m=length if attached else 0.0)
    return PlannedPart(part, kind, attached, length, max(float(cabling.of_link("speed_gbps", p)) for p in cage.ports))


def judge_part(cabling: PlannedCabling, parts: Parts, cage: Cage, found: Findings) -> None:
    """Add what is wrong with what is plugged in a cage."""
    place, module = f"{cabling.device_names[cage.device]}, cage {cage.cage}", cage.module
    plugged = module.present or bool(module.part or module.serial or module.length_m)
    if not cage.ports:
        if plugged and module.present is not False:
            found.note(SPARE, f"{place} ({module.part})" if module.part else place)
        return
    planned = planned_part(cabling, parts, cage)
    if planned is None:
        return
    ports = tuple(cage.ports)
    if module.present is False:
        what = "cable" if planned.attached else "module"
        found.add(ActionKind.OPTIC, ports, f"{place} has no {what} in it; {_planned(planned)} is planned", WHOLE)
        return
    if module.part.upper() == planned.part.upper():
        return
    seen = _seen(parts, module)
    slack = 0.1 if parts.kind(module.part) else LENGTH_SLACK_M
    wrong = _wrong(planned, seen, slack)
    if wrong:
        found.add(ActionKind.OPTIC, ports, f"{place} has {_told(seen, module)}; {wrong}")
    elif module.part and parts.is_product(planned.part):
        found.note(OTHER if seen.family else UNKNOWN, f"{place} ({module.part} for {planned.part})")


def _metres(cabling: PlannedCabling, port: int) -> float:
    told = cabling.of_cable("length_m", port)
    return float(told) if told else 0.0


def _seen(parts: Parts, module: PortReport) -> Kind:
    """What a module is: by its part number, else by what its EEPROM tells."""
    told = kind_by_words(module.told)
    known = parts.kind(module.part) if module.part else None
    seen = known or told
    if module.length_m and not seen.length_m and seen.family in (COPPER, AOC):
        seen = seen._replace(length_m=module.length_m)
    return seen


def _wrong(planned: PlannedPart, seen: Kind, slack_m: float) -> str:
    """What is wrong with a part, in words; "" where it serves as well. Lengths may differ by less than `slack_m`."""
    if seen.family and planned.kind.family and seen.family != planned.kind.family:
        return f"{_planned(planned)} is planned: put in what is planned"
    if planned.attached and seen.length_m and abs(seen.length_m - planned.length_m) >= slack_m:
        return f"{_planned(planned)} is planned: another cable than the labelled one"
    if not planned.attached and 0 < seen.reach_m < planned.length_m:
        return f"the cable has {planned.length_m:g} m; {_planned(planned)} is planned"
    if 0 < seen.gbps < planned.gbps:
        return f"it carries {seen.gbps:g}G, and {planned.gbps:g}G is planned ({planned.part})"
    return ""


def _planned(planned: PlannedPart) -> str:
    return f"{planned.part} ({planned.kind.words})" if planned.kind.family else planned.part


def _told(seen: Kind, module: PortReport) -> str:
    named = " ".join(filter(None, [module.vendor, module.part])) or "a module"
    serial = f"serial {module.serial}" if module.serial else ""
    words = ", ".join(filter(None, [seen.words, serial]))
    return f"{named} ({words})" if words else named
