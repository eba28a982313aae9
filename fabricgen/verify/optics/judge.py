"""Actions for modules, cables and ports that are not what is planned, or do not run as planned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import printable
from fabricgen.verify.actions import Action, CableState, Consequence, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.optics.cages import NO_MODULE, Reported, planned_cages, reported_on
from fabricgen.verify.optics.findings import BEGINNING, Finding, Findings
from fabricgen.verify.optics.light import judge_light
from fabricgen.verify.optics.modules import Parts
from fabricgen.verify.optics.parts import judge_part
from fabricgen.verify.optics.report import PortReport
from fabricgen.verify.optics.running import judge_port
from fabricgen.wiring.tables import Ints

FindPorts = Callable[[Ints, Ints, Sequence[str]], Ints]
"""Ports by device (int32) and index (int32) into texts, as `PortNumbers.find`; negative for none of the plan."""


class Judged(NamedTuple):
    """What is wrong with modules, cables and ports; `looked_at` are the ids of cables of which dumps tell these."""

    actions: tuple[Action, ...]
    notes: tuple[str, ...]
    looked_at: frozenset[str] = frozenset()


MOST_PLACES = 5
"""The most places that a note names."""


def optic_actions(
    cabling: PlannedCabling,
    catalogue: Catalog,
    reports: Iterable[PortReport],
    identify: Callable[[Box], int],
    find: FindPorts | None = None,
    states: Ints | None = None,
) -> Judged:
    """What is wrong with modules, cables and ports: an action a cable, and notes.

    `identify`: the row of devices of a box, -1 for none. `states`: those of Diagnosis, so that cables that are plugged
    elsewhere are not held against what is planned there, and dark ones not called down once more.
    """
    rows = list(reports)
    if not rows:
        return Judged((), ("no dump tells of modules or ports: nothing was held against cables.csv",))
    reported = _located(cabling, rows, identify, find)
    elsewhere = _cables_in(states, CableState.ELSEWHERE)
    dark = _cables_in(states, CableState.DARK)
    parts, found = Parts(catalogue), Findings()
    left_out = set[int]()
    for _, cage in sorted(reported.cages.items()):
        moved = {int(cabling.cable[port >> 1]) for port in cage.ports} & elsewhere
        if moved:
            left_out |= moved
            continue
        judge_part(cabling, parts, cage, found)
    ports = sorted({*reported.ports, *reported.cage_of})
    for port in ports:
        cable = int(cabling.cable[port >> 1])
        if cable in elsewhere:
            continue
        if port in reported.ports:
            judge_port(cabling, parts, reported, port, cable in dark, found)
        judge_light(cabling, parts, reported, port, cable in dark, found)
    looked_at = {int(cabling.cable[port >> 1]) for port in ports} - elsewhere
    return Judged(
        tuple(_actions(cabling, found.found, dark)),
        tuple(_notes(cabling, reported, found, len(left_out))),
        frozenset(str(cabling.cable_ids[cable]) for cable in looked_at),
    )


def _located(
    cabling: PlannedCabling, rows: Sequence[PortReport], identify: Callable[[Box], int], find: FindPorts | None
) -> Reported:
    devices = dict[Box, int]()
    for row in rows:
        if row.box not in devices:
            devices[row.box] = identify(row.box)
    device = np.array([devices[row.box] for row in rows], dtype=np.int32)
    texts = {"": 0}
    text = np.array([0 if row.is_cage else texts.setdefault(row.port, len(texts)) for row in rows], dtype=np.int32)
    port = find(device, text, list(texts)) if find else np.full(len(rows), -1, dtype=np.int32)
    return reported_on(cabling, rows, device, port)


def _cables_in(states: Ints | None, state: CableState) -> set[int]:
    return set() if states is None else set(np.flatnonzero(states == state).tolist())


def _actions(cabling: PlannedCabling, found: Iterable[Finding], dark: Set[int]) -> Iterator[Action]:
    """One action for each cable that has a fault: the first of those that a fault holds for.

    What `dark` cables cost is told by the actions that call them dark.
    """
    by_cable: dict[int, list[Finding]] = defaultdict(list)
    for finding in found:
        by_cable[int(cabling.cable[min(finding.ports) >> 1])].append(finding)
    for cable, findings in sorted(by_cable.items(), key=lambda each: min(each[1][0].ports)):
        ports = sorted({port for finding in findings for port in finding.ports})
        cables = sorted({str(cabling.cable_ids[cabling.cable[port >> 1]]) for port in ports})
        kind = Kind.OPTIC if any(finding.kind is Kind.OPTIC for finding in findings) else Kind.PORT
        text = f"{BEGINNING}{cabling.cable_ids[cable]}: " + "; ".join(finding.text for finding in findings)
        cost = Consequence() if cable in dark else _consequence(cabling, findings)
        ends = tuple(cabling.end(port) for port in ports)
        yield Action(kind, 0, tuple(cables), ends, text, consequence=cost)


def _consequence(cabling: PlannedCabling, findings: Iterable[Finding]) -> Consequence:
    """Bandwidth that is lost, by fabric and tiers, and the nodes concerned."""
    lost: dict[int, float] = {}
    for finding in findings:
        for link in {port >> 1 for port in finding.ports if finding.lost_gbps}:
            speed = float(cabling.of_link("speed_gbps", 2 * link))
            lost[link] = max(lost.get(link, 0.0), min(finding.lost_gbps, speed))
    by_tiers: dict[str, float] = defaultdict(float)
    nodes = set[int]()
    for link, gbps in lost.items():
        devices = [int(cabling.device[2 * link + side]) for side in (0, 1)]
        low, high = (str(cabling.of_device("tier", device)) for device in devices)
        by_tiers[f"{cabling.of_link('fabric', 2 * link)} {low}-{high}"] += gbps
        nodes |= {device for device in devices if cabling.of_device("tier", device) == "node"}
    return Consequence(links=len(lost), lost_gbps=dict(by_tiers), nodes=len(nodes))


def _notes(cabling: PlannedCabling, reported: Reported, found: Findings, left_out: int) -> Iterator[str]:
    media = (str(cabling.of_cable("medium", cage.ports[0])) for cage in reported.cages.values() if cage.ports)
    seen = sum(medium not in NO_MODULE for medium in media)
    yield f"optics: modules or ports of {seen:,} of {planned_cages(cabling):,} planned cages are told of by dumps"
    for text, places in sorted(found.noted.items()):
        yield f"optics: {len(places):,} x {text}: {_some(places)}"
    if left_out:
        yield f"optics: {left_out:,} cables that are plugged elsewhere are judged once they are moved"
    if reported.strange:
        names = sorted(box.name or box.chassis or box.address or box.file for box in reported.strange)
        yield f"optics: {len(names):,} x a device that the plan does not have: {_some(names)}"


def _some(places: Sequence[str]) -> str:
    more = f" and {len(places) - MOST_PLACES:,} more" if len(places) > MOST_PLACES else ""
    return ", ".join(printable(place[:100]) for place in places[:MOST_PLACES]) + more
