"""How ports run, against links.csv: speed, lanes, FEC, error rate, shut ports."""

from __future__ import annotations

from fabricgen.catalog.cable_models import CableProfile
from fabricgen.verify.actions import Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.optics.cages import Reported
from fabricgen.verify.optics.findings import WHOLE, Findings
from fabricgen.verify.optics.limits import FEC_FROM_GBPS, MARGIN, error_rate, error_rate_after_fec
from fabricgen.verify.optics.modules import Parts
from fabricgen.verify.optics.report import PortReport

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
