"""Optics as a part of a verification: reports brought to the devices that neighbours were brought to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.models import make_natural_key
from fabricgen.catalog.cable_models import CableProfile
from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.actions import Action, CableState, Consequence, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.identity.identify import stated
from fabricgen.verify.identity.names import Identities, KnownAddress
from fabricgen.verify.optics.modules import NO_MODULE, Cage, Parts, Reported, planned_cages, reported_on
from fabricgen.verify.optics.parts import judge_part
from fabricgen.verify.optics.report import (
    BEGINNING,
    FEC_FROM_GBPS,
    MARGIN,
    NO_LIGHT_DBM,
    WHOLE,
    Finding,
    Findings,
    PortReport,
    error_rate,
    error_rate_after_fec,
)
from fabricgen.verify.sightings import Sightings
from fabricgen.wiring.arrays import Ints


def with_optics(
    plan: PlannedCabling,
    diagnosis: Diagnosis,
    reports: Sequence[PortReport],
    devices: dict[Box, int],
    identities: Identities,
    catalogue: Catalog,
) -> tuple[Diagnosis, frozenset[str]]:
    """(the diagnosis with what is wrong of modules and ports; cables of which dumps tell these)."""
    judged = optic_actions(
        plan,
        catalogue,
        reports,
        lambda box: devices.get(box, -1),
        identities.ports.find,
        diagnosis.states,
    )
    actions = (*diagnosis.actions, *judged.actions)
    return replace(diagnosis, actions=actions, notes=(*diagnosis.notes, *judged.notes)), judged.looked_at


def devices_of(
    plan: PlannedCabling,
    reports: Iterable[PortReport],
    sightings: Sightings,
    identities: Identities,
    known: Iterable[KnownAddress],
) -> dict[Box, int]:
    """The device of each box of reports, -1 for none: as it was found by its neighbours, else as it tells itself."""
    found = dict(zip(sightings.boxes, identities.device.tolist(), strict=True))
    others = [box for box in dict.fromkeys(report.box for report in reports) if found.get(box, -1) < 0]
    if others:
        found |= dict(zip(others, stated(plan, others, known, identities.ports).device.tolist(), strict=True))
    return found


# Actions for modules, cables and ports that are not what is planned, or do not run as planned.

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
    return ", ".join(make_printable(place[:100]) for place in places[:MOST_PLACES]) + more


# Light at the two ends of a link: lanes that are dark or weak, and on which side.

_BANDWIDTH = re.compile(r"-(\d+)g(?:-flat)?$")


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes of a module that a port may use: (lane from 1, dBm). `idle`: how many of them nothing is planned on."""

    power: tuple[tuple[int, float], ...] = ()
    idle: int = 0

    @property
    def dark(self) -> int:
        """The number of dark lanes, if more are dark than may be; else 0."""
        dark = sum(power <= NO_LIGHT_DBM for _, power in self.power)
        return dark if dark > self.idle else 0


def judge_light(
    cabling: PlannedCabling, parts: Parts, reported: Reported, port: int, silent: bool, found: Findings
) -> None:
    """Add what is wrong with the light that a planned port receives from its mate.

    `silent`: its cable is called dark already, so that no light is worth a word only if its mate tells what it sends.
    """
    cage, report = reported.cage_of.get(port), reported.ports.get(port)
    up = report is not None and report.oper == "up"
    if cage is None or not cage.lanes_of or (up and cage.module.rx_alarm_dbm is None):
        return
    own, place = lanes_of(cabling, parts, cage, port, "rx_dbm"), cabling.place(port)
    if own.dark and not up:
        lanes = f" on {own.dark} of {len(own.power)} lanes" if own.dark < len(own.power) else ""
        _dark(cabling, parts, reported, port, silent, f"{place} receives no light{lanes}", found)
        return
    alarm = cage.module.rx_alarm_dbm
    weak = [(power, lane) for lane, power in own.power if alarm is not None and NO_LIGHT_DBM < power < alarm]
    if weak:
        power, lane = min(weak)
        of = f" on lane {lane}" if len(own.power) > 1 else ""
        text = f"receives {power:.1f} dBm{of}, below the alarm of its module at {alarm:.1f} dBm"
        found.add(Kind.OPTIC, (port,), f"{place} {text}: clean both ends, then look for a bent fibre")


def _dark(
    cabling: PlannedCabling, parts: Parts, reported: Reported, port: int, silent: bool, what: str, found: Findings
) -> None:
    """No light arrives: say whether some is sent."""
    mate = port ^ 1
    far, sent = cabling.place(mate), lanes_of(cabling, parts, reported.cage_of.get(mate), mate, "tx_dbm")
    if not sent.power and silent:
        return
    if not sent.power:
        found.add(Kind.OPTIC, (port,), f"{what}; what {far} sends is not told", WHOLE)
    elif sent.dark:
        found.add(Kind.OPTIC, (port, mate), f"{what}, and {far} sends none: look at its port and its module", WHOLE)
    else:
        best = max(power for _, power in sent.power)
        why = "a dirty, bent or broken fibre, or a plug that is not home"
        found.add(Kind.OPTIC, (port, mate), f"{what}, though {far} sends {best:.1f} dBm: {why}", WHOLE)


def lanes_of(cabling: PlannedCabling, parts: Parts, cage: Cage | None, port: int, what: str) -> Lanes:
    """`tx_dbm` or `rx_dbm` of a port: its share of the lanes of its cage where these are all in use, else all."""
    if cage is None:
        return Lanes()
    power = tuple(enumerate(cage.power(what), start=1))
    if not power:
        return Lanes()
    ports = sorted(cage.ports, key=lambda each: make_natural_key(cabling.port_text(each)))
    planned, whole = sum(float(cabling.of_link("speed_gbps", each)) for each in ports), _capacity(cabling, parts, port)
    if whole > planned:
        return Lanes(power, len(power) - 1 if len(ports) > 1 else len(power) - int(len(power) * planned / whole))
    share, rest = divmod(len(power), len(ports))
    if rest or not share:
        return Lanes(power, max(len(power) - 1, 0) if len(ports) > 1 else 0)
    at = ports.index(port) * share
    return Lanes(power[at : at + share])


def _capacity(cabling: PlannedCabling, parts: Parts, port: int) -> float:
    """What the module planned at a port carries, Gb/s; 0 where that is not known."""
    part = str(cabling.of_cable("b_transceiver" if port & 1 else "a_transceiver", port))
    if written := _BANDWIDTH.search(part):
        return float(written[1])
    kind = parts.kind(part) if part else None
    return kind.gbps if kind else 0.0


# How ports run, against links.csv: speed, lanes, FEC, error rate, shut ports.

_FEC = {"rs": "RS-FEC", "fc": "FC-FEC", "none": "no FEC"}


def judge_port(
    cabling: PlannedCabling, parts: Parts, reported: Reported, port: int, silent: bool, found: Findings
) -> None:
    """Add what is wrong with how a planned port runs; `silent`: it is known from elsewhere that its cable is dark."""
    report, place = reported.ports[port], cabling.place(port)
    planned, lane = float(cabling.of_link("speed_gbps", port)), _lane_gbps(cabling, parts, port)
    if report.admin == "down":
        found.add(Kind.PORT, (port,), f"{place} is shut down", WHOLE)
    elif report.oper == "down" and not silent:
        found.add(Kind.PORT, (port,), f"{place} is down", WHOLE)
    if report.speed_gbps and abs(report.speed_gbps - planned) > 0.01 * planned:
        verb = "is set to" if report.oper == "down" else "runs at"
        lost = max(planned - report.speed_gbps, 0.0)
        of = f" over {report.lanes} lanes" if report.lanes else ""
        found.add(Kind.PORT, (port,), f"{place} {verb} {report.speed_gbps:g}G{of}; {planned:g}G is planned", lost)
    elif report.lanes and lane and report.lanes != round(planned / lane) >= 1:
        text = f"has {report.lanes} lanes for {planned:g}G; {round(planned / lane)} of {lane:g}G are planned"
        found.add(Kind.PORT, (port,), f"{place} {text}")
    planned_ends = [_profile(cabling, parts, end) for end in (port, port ^ 1)]
    if not any(profile and profile.own_fec for profile in planned_ends):
        _judge_fec(cabling, reported, port, lane, found)
    _judge_errors(place, port, report, lane, found)
    _judge_losses(place, port, report, planned, lane, found)


def _judge_fec(cabling: PlannedCabling, reported: Reported, port: int, lane: float, found: Findings) -> None:
    """FEC unlike at the two ends, told once; else none, or a weak one, where the configs of a plan have RS."""
    own, far = reported.ports[port].fec, reported.ports.get(port ^ 1)
    place, mate = cabling.place(port), cabling.place(port ^ 1)
    if own and far and far.fec and far.fec != own:
        if port < port ^ 1:
            text = f"{place} has {_FEC[own]} and {mate} has {_FEC[far.fec]}; both ends must have the same"
            found.add(Kind.PORT, (port, port ^ 1), text)
        return
    speed = float(cabling.of_link("speed_gbps", port))
    if own in ("none", "fc") and speed >= FEC_FROM_GBPS and (not lane or lane >= 50):
        found.add(Kind.PORT, (port,), f"{place} has {_FEC[own]}; {speed:g}G over lanes of {lane or 50:g}G needs RS-FEC")


def _judge_errors(place: str, port: int, report: PortReport, lane: float, found: Findings) -> None:
    """Add an error rate before FEC that is over its limit, or near it."""
    rate = report.pre_fec_ber
    if rate is None:
        return
    limit, fec = error_rate(lane)
    if rate > limit:
        text = f"over the {limit:g} that {fec} corrects: frames are lost; clean or change the fibre or module"
    elif rate > limit / MARGIN:
        text = f"within a factor of {MARGIN:g} of the {limit:g} that {fec} corrects: clean the fibre before it grows"
    else:
        return
    found.add(Kind.OPTIC, (port,), f"{place} has an error rate before FEC of {rate:.1e}, {text}")


def _judge_losses(place: str, port: int, report: PortReport, planned: float, lane: float, found: Findings) -> None:
    """Add frames that are lost, by what shows it: a rate after FEC, that they are lost now; a count, that some were.

    Links that come up leave codewords behind that could not be corrected, so that a count beside a rate that is good
    is a note.
    """
    after, codewords = report.post_fec_ber, report.uncorrected or 0
    limit = error_rate_after_fec(planned)
    if after is not None and after > limit:
        text = f"has an error rate after FEC of {after:.1e}, over {limit:g}: frames are lost now"
        found.add(Kind.OPTIC, (port,), f"{place} {text}; clean or change the fibre or module")
    elif codewords:
        before_is_good = report.pre_fec_ber is not None and report.pre_fec_ber <= error_rate(lane).limit / MARGIN
        if after is not None or before_is_good:
            note = "has codewords that FEC could not correct, from before: its error rates are good now"
            found.note(note, place)
        else:
            text = (
                f"has {codewords:,} codewords that FEC could not correct since its counters were cleared: frames were"
            )
            found.add(Kind.OPTIC, (port,), f"{place} {text} lost; clear them, and clean the fibre if they grow again")


def _lane_gbps(cabling: PlannedCabling, parts: Parts, port: int) -> float:
    """The electrical lane rate of what is planned at a port, Gb/s; 0 where the catalogue has none, or several."""
    profile = _profile(cabling, parts, port)
    return profile.lane_gbps[0] if profile and len(profile.lane_gbps) == 1 else 0.0


def _profile(cabling: PlannedCabling, parts: Parts, port: int) -> CableProfile | None:
    """The profile of the module that is planned at a port, or of the cable; None where the catalogue has none."""
    module = str(cabling.of_cable("b_transceiver" if port & 1 else "a_transceiver", port))
    return parts.profile(module or str(cabling.of_cable("part", port)))
