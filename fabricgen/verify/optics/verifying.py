"""Optics as a part of a verification: what dumps say about modules and ports, compared with the plan."""

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
from fabricgen.verify.identity.identify import read_identities
from fabricgen.verify.identity.names import Identities, KnownAddress
from fabricgen.verify.optics.modules import (
    NO_MODULE,
    CatalogParts,
    Reported,
    SightedCage,
    count_planned_cages,
    sort_reports,
)
from fabricgen.verify.optics.parts import judge_part
from fabricgen.verify.optics.report import (
    BEGINNING,
    FEC_FROM_GBPS,
    MARGIN,
    NO_LIGHT_DBM,
    WHOLE,
    OpticsFinding,
    OpticsFindings,
    PortReport,
    find_limit_after_fec,
    find_limit_before_fec,
)
from fabricgen.verify.sightings import Sightings
from fabricgen.wiring.arrays import Ints


def add_optics(
    plan: PlannedCabling,
    diagnosis: Diagnosis,
    reports: Sequence[PortReport],
    devices: dict[Box, int],
    identities: Identities,
    catalogue: Catalog,
) -> tuple[Diagnosis, frozenset[str]]:
    """Add to a diagnosis what is wrong with modules and ports; also return the ids of cables that dumps tell about."""
    judged = judge_optics(
        plan,
        catalogue,
        reports,
        lambda box: devices.get(box, -1),
        identities.ports.find_ports,
        diagnosis.states,
    )
    actions = (*diagnosis.actions, *judged.actions)
    return replace(diagnosis, actions=actions, notes=(*diagnosis.notes, *judged.notes)), judged.looked_at


def find_devices(
    plan: PlannedCabling,
    boxes: Iterable[Box],
    sightings: Sightings,
    identities: Identities,
    addresses: Iterable[KnownAddress],
) -> dict[Box, int]:
    """Find the device of each box that was dumped, -1 for none.

    It is taken from `identities`; boxes without a sighting, or not identified there, are identified by what they tell.
    """
    devices = dict(zip(sightings.boxes, identities.device.tolist(), strict=True))
    unknown_boxes = [box for box in dict.fromkeys(boxes) if devices.get(box, -1) < 0]
    if unknown_boxes:
        devices |= dict(
            zip(
                unknown_boxes,
                read_identities(plan, unknown_boxes, addresses, identities.ports).device.tolist(),
                strict=True,
            )
        )
    return devices


# Actions for modules, cables and ports that are not as planned, or do not run as planned.

FindPorts = Callable[[Ints, Ints, Sequence[str]], Ints]
"""Finds ports by device (int32) and index (int32) into texts, as `PortNumbers.find_ports`; negative if not planned."""


class JudgedOptics(NamedTuple):
    """Actions and notes about modules, cables and ports; `looked_at` are the ids of cables that dumps tell about."""

    actions: tuple[Action, ...]
    notes: tuple[str, ...]
    looked_at: frozenset[str] = frozenset()


MOST_PLACES = 5
"""The most places that a note names."""


def judge_optics(
    cabling: PlannedCabling,
    catalogue: Catalog,
    reports: Iterable[PortReport],
    identify: Callable[[Box], int],
    find: FindPorts | None = None,
    states: Ints | None = None,
) -> JudgedOptics:
    """Judge modules, cables and ports: one action for each cable with a fault, and notes.

    `identify` returns the device (row) of a box, -1 for none. `states` are those of Diagnosis (by cable): modules at
    cables that are plugged elsewhere are not judged, and dark cables are not reported as down once more.
    """
    rows = list(reports)
    if not rows:
        return JudgedOptics((), ("no dump tells of modules or ports: nothing was held against cables.csv",))
    reported = _locate_reports(cabling, rows, identify, find)
    elsewhere = _list_cables_in(states, CableState.ELSEWHERE)
    dark = _list_cables_in(states, CableState.DARK)
    parts, findings = CatalogParts(catalogue), OpticsFindings()
    left_out = set[int]()
    for _, cage in sorted(reported.cages.items()):
        moved = {int(cabling.cable[port >> 1]) for port in cage.ports} & elsewhere
        # if a cable of this cage is plugged elsewhere, the module may be that of another cable
        if moved:
            left_out |= moved
            continue
        judge_part(cabling, parts, cage, findings)
    ports = sorted({*reported.ports, *reported.cage_of})
    for port in ports:
        cable = int(cabling.cable[port >> 1])
        if cable in elsewhere:
            continue
        if port in reported.ports:
            judge_port(cabling, parts, reported, port, cable in dark, findings)
        judge_light(cabling, parts, reported, port, cable in dark, findings)
    looked_at = {int(cabling.cable[port >> 1]) for port in ports} - elsewhere
    return JudgedOptics(
        tuple(_make_actions(cabling, findings.faults, dark)),
        tuple(_list_notes(cabling, reported, findings, len(left_out))),
        frozenset(str(cabling.cable_ids[cable]) for cable in looked_at),
    )


def _locate_reports(
    cabling: PlannedCabling, rows: Sequence[PortReport], identify: Callable[[Box], int], find: FindPorts | None
) -> Reported:
    """Assign rows of dumps to planned devices and ports; rows of cages (`is_cage`) are found by their cage instead.

    `identify` returns the device of a box, or -1. Without `find`, no row is assigned to a port.
    """
    devices = dict[Box, int]()
    for row in rows:
        if row.box not in devices:
            devices[row.box] = identify(row.box)
    device_of_row = np.array([devices[row.box] for row in rows], dtype=np.int32)
    texts = {"": 0}
    text_codes = np.array(
        [0 if row.is_cage else texts.setdefault(row.port, len(texts)) for row in rows], dtype=np.int32
    )
    port_of_row = find(device_of_row, text_codes, list(texts)) if find else np.full(len(rows), -1, dtype=np.int32)
    return sort_reports(cabling, rows, device_of_row, port_of_row)


def _list_cables_in(states: Ints | None, state: CableState) -> set[int]:
    return set() if states is None else set(np.flatnonzero(states == state).tolist())


def _make_actions(cabling: PlannedCabling, faults: Iterable[OpticsFinding], dark: Set[int]) -> Iterator[Action]:
    """Yield one action for each cable with a fault; a fault at several cables belongs to the first of them.

    `dark` cables (by number) cost nothing here, since another action reports them.
    """
    by_cable: dict[int, list[OpticsFinding]] = defaultdict(list)
    for finding in faults:
        by_cable[int(cabling.cable[min(finding.ports) >> 1])].append(finding)
    # in the order of the plan, whatever order dumps came in
    first_ports = {cable: min(findings[0].ports) for cable, findings in by_cable.items()}
    for cable, findings in sorted(by_cable.items(), key=lambda cable_findings: first_ports[cable_findings[0]]):
        ports = sorted({port for finding in findings for port in finding.ports})
        cables = sorted({str(cabling.cable_ids[cabling.cable[port >> 1]]) for port in ports})
        kind = Kind.OPTIC if any(finding.kind is Kind.OPTIC for finding in findings) else Kind.PORT
        text = f"{BEGINNING}{cabling.cable_ids[cable]}: " + "; ".join(finding.text for finding in findings)
        cost = Consequence() if cable in dark else _sum_lost_bandwidth(cabling, findings)
        ends = tuple(cabling.make_end(port) for port in ports)
        yield Action(kind, 0, tuple(cables), ends, text, consequence=cost)


def _sum_lost_bandwidth(cabling: PlannedCabling, findings: Iterable[OpticsFinding]) -> Consequence:
    """Return the bandwidth that findings cost (Gb/s), by fabric and tiers, with the numbers of links and nodes.

    Several faults of one link do not add up: the worst one counts, and at most the speed of the link.
    """
    lost_gbps: dict[int, float] = {}
    for finding in findings:
        for link in {port >> 1 for port in finding.ports if finding.lost_gbps}:
            speed = float(cabling.read_link("speed_gbps", 2 * link))
            lost_gbps[link] = max(lost_gbps.get(link, 0.0), min(finding.lost_gbps, speed))
    by_tiers: dict[str, float] = defaultdict(float)
    nodes = set[int]()
    for link, link_gbps in lost_gbps.items():
        devices = [int(cabling.device[port]) for port in (2 * link, 2 * link + 1)]
        a_tier, b_tier = (str(cabling.read_device("tier", device)) for device in devices)
        by_tiers[f"{cabling.read_link('fabric', 2 * link)} {a_tier}-{b_tier}"] += link_gbps
        nodes |= {device for device in devices if cabling.read_device("tier", device) == "node"}
    return Consequence(links=len(lost_gbps), lost_gbps=dict(by_tiers), nodes=len(nodes))


def _list_notes(cabling: PlannedCabling, reported: Reported, findings: OpticsFindings, left_out: int) -> Iterator[str]:
    """Yield notes: how many cages dumps tell about, and what was seen but is no fault; `left_out` counts cables."""
    cage_media = (str(cabling.read_cable("medium", cage.ports[0])) for cage in reported.cages.values() if cage.ports)
    seen_count = sum(medium not in NO_MODULE for medium in cage_media)
    cages = count_planned_cages(cabling)
    yield f"optics: modules or ports of {seen_count:,} of {cages:,} planned cages are told of by dumps"
    for text, places in sorted(findings.noted.items()):
        yield f"optics: {len(places):,} x {text}: {_shorten_names(places)}"
    if left_out:
        yield f"optics: {left_out:,} cables that are plugged elsewhere are judged once they are moved"
    if reported.strange:
        names = sorted(box.name or box.chassis or box.address or box.file for box in reported.strange)
        yield f"optics: {len(names):,} x a device that the plan does not have: {_shorten_names(names)}"


def _shorten_names(names: Sequence[str]) -> str:
    """Return the first MOST_PLACES names, joined by commas, and how many more there are."""
    count_of_others = f" and {len(names) - MOST_PLACES:,} more" if len(names) > MOST_PLACES else ""
    return ", ".join(make_printable(text[:100]) for text in names[:MOST_PLACES]) + count_of_others


# Light at the two ends of a link: lanes that are dark or weak, and at which end.

_BANDWIDTH = re.compile(r"-(\d+)g(?:-flat)?$")


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes of a module that a port may use: `power` has (lane from 1, dBm). `idle` of them are not planned for
    anything, and it is not known which.
    """

    power: tuple[tuple[int, float], ...] = ()
    idle: int = 0

    @property
    def dark(self) -> int:
        """The number of dark lanes if more lanes are dark than are idle, else 0."""
        dark = sum(power <= NO_LIGHT_DBM for _, power in self.power)
        return dark if dark > self.idle else 0


def judge_light(
    cabling: PlannedCabling, parts: CatalogParts, reported: Reported, port: int, silent: bool, findings: OpticsFindings
) -> None:
    """Add to `findings` what is wrong with the light that a planned port receives from its far end.

    `silent`: its cable is reported as dark already; missing light is then reported only if it is known what the far
    port sends.
    """
    cage, report = reported.cage_of.get(port), reported.ports.get(port)
    is_up = report is not None and report.oper == "up"
    if cage is None or not cage.lanes_of or (is_up and cage.module.rx_alarm_dbm is None):
        return
    received, location = find_lanes(cabling, parts, cage, port, "rx_dbm"), cabling.name_port(port)
    if received.dark and not is_up:
        lanes = f" on {received.dark} of {len(received.power)} lanes" if received.dark < len(received.power) else ""
        _judge_dark(cabling, parts, reported, port, silent, f"{location} receives no light{lanes}", findings)
        return
    alarm = cage.module.rx_alarm_dbm
    weak = [(power, lane) for lane, power in received.power if alarm is not None and NO_LIGHT_DBM < power < alarm]
    if weak:
        power, lane = min(weak)
        lane_text = f" on lane {lane}" if len(received.power) > 1 else ""
        text = f"receives {power:.1f} dBm{lane_text}, below the alarm of its module at {alarm:.1f} dBm"
        findings.add_fault(Kind.OPTIC, (port,), f"{location} {text}: clean both ends, then look for a bent fibre")


def _judge_dark(
    cabling: PlannedCabling,
    catalog_parts: CatalogParts,
    reported: Reported,
    port: int,
    silent: bool,
    complaint: str,
    findings: OpticsFindings,
) -> None:
    """Add the fault that no light arrives at a port (`complaint`), and whether its far end sends any.

    If the cable is reported as dark already (`silent`), nothing is added unless it is known what the far end sends.
    """
    far_port = port ^ 1
    far_name, sent_lanes = (
        cabling.name_port(far_port),
        find_lanes(cabling, catalog_parts, reported.cage_of.get(far_port), far_port, "tx_dbm"),
    )
    if not sent_lanes.power and silent:
        return
    if not sent_lanes.power:
        findings.add_fault(Kind.OPTIC, (port,), f"{complaint}; what {far_name} sends is not told", WHOLE)
    elif sent_lanes.dark:
        findings.add_fault(
            Kind.OPTIC,
            (port, far_port),
            f"{complaint}, and {far_name} sends none: look at its port and its module",
            WHOLE,
        )
    else:
        best_dbm = max(power for _, power in sent_lanes.power)
        why = "a dirty, bent or broken fibre, or a plug that is not home"
        findings.add_fault(
            Kind.OPTIC, (port, far_port), f"{complaint}, though {far_name} sends {best_dbm:.1f} dBm: {why}", WHOLE
        )


def find_lanes(
    cabling: PlannedCabling, parts: CatalogParts, cage: SightedCage | None, port: int, attribute: str
) -> Lanes:
    """Return the lanes that a port may use, with their power: `attribute` is `tx_dbm` or `rx_dbm`.

    They are those of the port if the ports of its cage share all lanes equally, else all lanes of the cage. No lanes
    are returned if no power is known.
    """
    if cage is None:
        return Lanes()
    power = tuple(enumerate(cage.list_power(attribute), start=1))
    if not power:
        return Lanes()
    ports = sorted(cage.ports, key=lambda cage_port: make_natural_key(cabling.port_text(cage_port)))
    planned, capacity = (
        sum(float(cabling.read_link("speed_gbps", cage_port)) for cage_port in ports),
        _find_capacity(cabling, parts, port),
    )
    # the cage has more lanes than are planned, and it is not known which ones are idle: that many may be dark
    if capacity > planned:
        return Lanes(power, len(power) - 1 if len(ports) > 1 else len(power) - int(len(power) * planned / capacity))
    # in the order of their names, all ports have equally many lanes
    lanes_per_port, remainder = divmod(len(power), len(ports))
    if remainder or not lanes_per_port:
        return Lanes(power, max(len(power) - 1, 0) if len(ports) > 1 else 0)
    first_lane = ports.index(port) * lanes_per_port
    return Lanes(power[first_lane : first_lane + lanes_per_port])


def _find_capacity(cabling: PlannedCabling, catalog_parts: CatalogParts, port: int) -> float:
    """Return the speed of the module that is planned at a port, Gb/s; 0 if not known."""
    part_number = str(cabling.read_cable("b_transceiver" if port & 1 else "a_transceiver", port))
    if bandwidth_in_name := _BANDWIDTH.search(part_number):
        return float(bandwidth_in_name[1])
    kind = catalog_parts.find_kind(part_number) if part_number else None
    return kind.gbps if kind else 0.0


# How ports run, compared with links.csv: speed, lanes, FEC, error rates, and ports that are shut.

_FEC = {"rs": "RS-FEC", "fc": "FC-FEC", "none": "no FEC"}


def judge_port(
    cabling: PlannedCabling, parts: CatalogParts, reported: Reported, port: int, silent: bool, findings: OpticsFindings
) -> None:
    """Add to `findings` what is wrong with how a planned port runs: shut, down, speed, lanes, FEC, errors, losses.

    `silent`: its cable is reported as dark already, so that a port that is down is not reported again.
    """
    report, location = reported.ports[port], cabling.name_port(port)
    planned_gbps, lane_gbps = float(cabling.read_link("speed_gbps", port)), _find_lane_speed(cabling, parts, port)
    if report.admin == "down":
        findings.add_fault(Kind.PORT, (port,), f"{location} is shut down", WHOLE)
    elif report.oper == "down" and not silent:
        findings.add_fault(Kind.PORT, (port,), f"{location} is down", WHOLE)
    # speeds are rounded in dumps: a difference of a percent is none
    if report.speed_gbps and abs(report.speed_gbps - planned_gbps) > 0.01 * planned_gbps:
        verb = "is set to" if report.oper == "down" else "runs at"
        lost_gbps = max(planned_gbps - report.speed_gbps, 0.0)
        lane_text = f" over {report.lanes} lanes" if report.lanes else ""
        findings.add_fault(
            Kind.PORT,
            (port,),
            f"{location} {verb} {report.speed_gbps:g}G{lane_text}; {planned_gbps:g}G is planned",
            lost_gbps,
        )
    elif report.lanes and lane_gbps and report.lanes != round(planned_gbps / lane_gbps) >= 1:
        text = f"has {report.lanes} lanes for {planned_gbps:g}G; "
        text += f"{round(planned_gbps / lane_gbps)} of {lane_gbps:g}G are planned"
        findings.add_fault(Kind.PORT, (port,), f"{location} {text}")
    planned_ends = [_find_profile(cabling, parts, end) for end in (port, port ^ 1)]
    # a port with a module that has its own FEC runs without
    if not any(profile and profile.own_fec for profile in planned_ends):
        _judge_fec(cabling, reported, port, lane_gbps, findings)
    _judge_errors(location, port, report, lane_gbps, findings)
    _judge_losses(location, port, report, planned_gbps, lane_gbps, findings)


def _judge_fec(cabling: PlannedCabling, reported: Reported, port: int, lane: float, findings: OpticsFindings) -> None:
    """Add different FEC at the two ends (reported once, at the a end), else no or weak FEC where RS-FEC is needed."""
    own_fec, far = reported.ports[port].fec, reported.ports.get(port ^ 1)
    location, far_port = cabling.name_port(port), cabling.name_port(port ^ 1)
    if own_fec and far and far.fec and far.fec != own_fec:
        if port < port ^ 1:
            text = f"{location} has {_FEC[own_fec]} and {far_port} has {_FEC[far.fec]}; both ends must have the same"
            findings.add_fault(Kind.PORT, (port, port ^ 1), text)
        return
    speed = float(cabling.read_link("speed_gbps", port))
    if own_fec in ("none", "fc") and speed >= FEC_FROM_GBPS and (not lane or lane >= 50):
        findings.add_fault(
            Kind.PORT, (port,), f"{location} has {_FEC[own_fec]}; {speed:g}G over lanes of {lane or 50:g}G needs RS-FEC"
        )


def _judge_errors(location: str, port: int, report: PortReport, lane: float, findings: OpticsFindings) -> None:
    """Add an error rate before FEC that is over its limit, or within a factor of `MARGIN` of it."""
    rate = report.pre_fec_ber
    if rate is None:
        return
    limit, fec = find_limit_before_fec(lane)
    if rate > limit:
        text = f"over the {limit:g} that {fec} corrects: frames are lost; clean or change the fibre or module"
    elif rate > limit / MARGIN:
        text = f"within a factor of {MARGIN:g} of the {limit:g} that {fec} corrects: clean the fibre before it grows"
    else:
        return
    findings.add_fault(Kind.OPTIC, (port,), f"{location} has an error rate before FEC of {rate:.1e}, {text}")


def _judge_losses(
    location: str, port: int, report: PortReport, planned: float, lane: float, findings: OpticsFindings
) -> None:
    """Add lost frames: a high rate after FEC shows that they are lost now, a count of codewords that some were.

    A link that comes up leaves some uncorrected codewords behind, so that a count beside a good rate is only a note.
    """
    after, codewords = report.post_fec_ber, report.uncorrected or 0
    limit = find_limit_after_fec(planned)
    if after is not None and after > limit:
        text = f"has an error rate after FEC of {after:.1e}, over {limit:g}: frames are lost now"
        findings.add_fault(Kind.OPTIC, (port,), f"{location} {text}; clean or change the fibre or module")
    elif codewords:
        good_rate = find_limit_before_fec(lane).limit / MARGIN
        before_is_good = report.pre_fec_ber is not None and report.pre_fec_ber <= good_rate
        if after is not None or before_is_good:
            note = "has codewords that FEC could not correct, from before: its error rates are good now"
            findings.add_note(note, location)
        else:
            text = (
                f"has {codewords:,} codewords that FEC could not correct since its counters were cleared: frames were"
            )
            findings.add_fault(
                Kind.OPTIC, (port,), f"{location} {text} lost; clear them, and clean the fibre if they grow again"
            )


def _find_lane_speed(cabling: PlannedCabling, parts: CatalogParts, port: int) -> float:
    """Return the electrical lane rate of the part that is planned at a port, Gb/s; 0 if it has none or several."""
    profile = _find_profile(cabling, parts, port)
    return profile.lane_gbps[0] if profile and len(profile.lane_gbps) == 1 else 0.0


def _find_profile(cabling: PlannedCabling, parts: CatalogParts, port: int) -> CableProfile | None:
    """Return the profile of the module that is planned at a port, else of the cable; None if the catalogue has none."""
    module = str(cabling.read_cable("b_transceiver" if port & 1 else "a_transceiver", port))
    return parts.find_profile(module or str(cabling.read_cable("part", port)))
