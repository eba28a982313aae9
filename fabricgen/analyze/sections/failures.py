"""Failures: what the loss of each part leaves, by classes of parts that are alike, and how often a job is stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.bisection import bisection_gbps
from fabricgen.analyze.collectives.model import make_team
from fabricgen.analyze.loss_classes import LossClass, LossClasses
from fabricgen.analyze.losses import ALL_TO_ALL, RING, Losses
from fabricgen.analyze.network import Network
from fabricgen.analyze.reckoned import Reckoning, cite_sources
from fabricgen.catalog.constant_models import DAYS_OF_YEAR
from fabricgen.wiring.arrays import unique_values

ORDER = 4
HOURS_OF_YEAR = 24 * DAYS_OF_YEAR
CABLES = ("cable", "fibre", "leg")
"""Kinds of pieces of cables; all fail as often as a cable does."""
SLOWS = 1.005
"""A loss slows a job if its traffic takes at least this many times as long: the table shows more than 1x."""

FORMULA = (
    "bisection_share: the least cut into halves over that before; of a cable, fibre or NIC: 1 - what places above it "
    "can send less / bisection. slowdown: greatest load / Gb/s left, of ports and the uplinks of switches, over that "
    "before; switches spread traffic evenly over what they have left, NICs that choose paths over the paths that are "
    "left. per_year: parts whose loss cuts off an accelerator of the job, or leaves flows to one dead, x of_rate x "
    "failures of one in a year, slowed_per_year: those that slow it by 0.5 % or more; mean_hours = 8,766 / per_year. "
    "of_rate: half of the failures of a cable that is split are at its common end, half at each leg"
)

BEYOND = "ring, all-to-all: time of the job's traffic over that before; stops: it cuts off one of its accelerators"
WITHIN = "-: the job lies in one scale-up domain and sends nothing over this network; stops: it takes one of its nodes"


def figures(network: Network, job: Job, question: Question) -> dict[str, Any]:
    """Return what each class of single losses leaves and how often a job is interrupted.

    If the question asks for `pairs`, the worst pairs of switches are included.
    """
    grid = make_team(network, job, question.constants).grid
    losses = Losses(network, job, grid)
    classes = LossClasses(losses)
    bisection = bisection_gbps(network)
    rows = [_make_row(losses, loss, bisection) for loss in classes.list_single()]
    rates = sorted(question.constants.failures.items())
    return {
        "bisection_gbps": bisection,
        "planes": network.fabric.planes,
        "in_one_domain": len(grid) < 2,
        "losses": rows,
        **({"pairs": [_make_row(losses, loss, bisection) for loss in classes.list_pairs()]} if question.pairs else {}),
        "interruptions": _count_interruptions(network, job, rows, question),
        "formula": FORMULA,
        "constants": {f"{part}_failures_per_year": round(rate.per_year, 6) for part, rate in rates},
        "source": {part: rate.source for part, rate in rates},
    }


def _make_row(losses: Losses, loss: LossClass, bisection: float) -> dict[str, Any]:
    """Return what a class of losses leaves, as the JSON of an analysis has it; `bisection` is that before, Gb/s.

    `bisection_share` is None at a phase of a cluster, and slowdowns are None if the loss stops the job.
    """
    effect = losses.find_effect(loss.devices, loss.links)
    share_lost = effect.lost_gbps / bisection if bisection else 0.0
    # by the design if it tells, else as counted on links
    share_left = float(loss.share) if loss.share is not None else max(0.0, 1 - share_lost)
    phase = losses.network.cluster.phase
    return {
        "kind": loss.kind,
        "what": loss.what,
        "parts": loss.many,
        "parts_of_job": loss.of_job,
        "of_rate": loss.of_rate,
        "example": loss.example,
        "bisection_share": None if phase else round(share_left, 6),
        "cut_off": effect.cut_off,
        "slowed": effect.slowed,
        "job_cut_off": effect.job_cut_off,
        "ring_slowdown": round(effect.slowdown[RING], 4) if effect.slowdown else None,
        "all_to_all_slowdown": round(effect.slowdown[ALL_TO_ALL], 4) if effect.slowdown else None,
        "dead_flows": round(effect.dead_share, 6),
        "dead_flows_to": effect.dead_to,
        "job_dead_flows_to": effect.job_dead_to,
    } | ({"retired_paths": effect.retired[0], "retired_share": round(effect.retired[1], 9)} if effect.retired else {})


def _count_interruptions(
    network: Network, job: Job, rows: Sequence[Mapping[str, Any]], question: Question
) -> dict[str, Any]:
    """Return how often the job is stopped and slowed by failures, in all and by kind of part.

    The job stops whenever one of its nodes or accelerators fails. `rows`, which are the single losses, tell which NICs,
    switches and pieces of cables stop or slow it. A mean number of hours is None if no part stops or slows the job.
    """
    nodes = len(unique_values(network.ranks.device[job.ranks]))
    parts = [_count_failures("node", "node", [{"parts_of_job": nodes, "of_rate": 1.0}], [], question)]
    if network.what == "accelerators":
        parts.insert(
            0, _count_failures("gpu", "accelerator", [{"parts_of_job": len(job), "of_rate": 1.0}], [], question)
        )
    rows_by_part: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["kind"] in ("nic", "switch", *CABLES):
            rows_by_part.setdefault((row["kind"], row["what"]), []).append(row)
    for (kind, part_name), part_rows in rows_by_part.items():
        stopping, slowing = ([row for row in part_rows if has_effect(row)] for has_effect in (_stops_job, _slows_job))
        parts.append(_count_failures(kind, part_name, stopping, slowing, question))
    stops_per_year, slowed_per_year = (sum(row[name] for row in parts) for name in ("per_year", "slowed_per_year"))
    return {
        "mean_hours": round(HOURS_OF_YEAR / stops_per_year, 3) if stops_per_year else None,
        "per_year": round(stops_per_year, 3),
        "mean_hours_slowed": round(HOURS_OF_YEAR / slowed_per_year, 3) if slowed_per_year else None,
        "slowed_per_year": round(slowed_per_year, 3),
        "by_part": parts,
    }


def _stops_job(row: Mapping[str, Any]) -> bool:
    return bool(row["job_cut_off"] or row["job_dead_flows_to"])


def _slows_job(row: Mapping[str, Any]) -> bool:
    return max(row["ring_slowdown"] or 1.0, row["all_to_all_slowdown"] or 1.0) >= SLOWS


def _count_failures(
    part: str,
    part_name: str,
    stopping: Sequence[Mapping[str, Any]],
    slowing: Sequence[Mapping[str, Any]],
    question: Question,
) -> dict[str, Any]:
    """Return how many parts of a kind stop the job or slow it, and how often a year either happens.

    `stopping` and `slowing` are rows of losses, with `parts_of_job` and `of_rate`. A kind of part whose failures the
    constants do not have counts as one that never fails.
    """
    rates = {str(name): rate for name, rate in question.constants.failures.items()}
    rate = rates.get("cable" if part in CABLES else part)
    failures_per_year = rate.per_year if rate else 0.0
    stops_per_year, slowed_per_year = (
        sum(row["parts_of_job"] * row["of_rate"] * failures_per_year for row in rows) for rows in (stopping, slowing)
    )
    return {
        "part": part,
        "what": part_name,
        "stopping": sum(row["parts_of_job"] for row in stopping),
        "slowing": sum(row["parts_of_job"] for row in slowing),
        "per_year": round(stops_per_year, 3),
        "slowed_per_year": round(slowed_per_year, 3),
    }


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the losses as the lines of a table, then the lines of interruptions.

    A kind of part has one row, of the worst of its classes. Lines about flows that die and paths that NICs retire
    follow their row.
    """
    yield (f"  {'one lost':<34}{'parts':>9}{'cut off':>9}{'slowed':>8}{'bisection':>11}{'ring':>8}{'all-to-all':>12}")
    rows = [*pick_worst_by_kind(results["losses"]), *pick_worst_by_kind(results.get("pairs", ()))]
    for row in rows:
        name = row["what"] if row["kind"] in ("plane", "feed") else f"{row['kind']}: {row['what']}"
        ring, all_to_all = (
            _format_slowdown(row[key], results["in_one_domain"]) for key in ("ring_slowdown", "all_to_all_slowdown")
        )
        yield (
            f"  {name:<34}{row['parts']:>9,}{row['cut_off']:>9,}{row['slowed']:>8,}"
            f"{_format_share(row['bisection_share']):>11}{ring:>8}{all_to_all:>12}"
        )
        if row["kind"] == "pair":
            yield f"    the worst: {row['example']}"
        if row["dead_flows_to"]:
            yield (
                f"    static routes lead into it: {row['dead_flows']:.2%} of the flows of {row['dead_flows_to']:,} "
                "accelerators "
                + (
                    "in its plane are dead until NICs leave it"
                    if results["planes"] > 1
                    else "are dead until it is mended"
                )
            )
        if row.get("retired_share"):
            yield f"    NICs retire {row['retired_paths']:,} paths, {row['retired_share']:.2%} of an accelerator's"
    yield f"  ({WITHIN if results['in_one_domain'] else BEYOND})"
    yield ""
    yield from _format_interruptions(results["interruptions"])


def headlines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the most important lines first: how often the job is stopped and slowed, then the table of losses."""
    interruption_lines = list(_format_interruptions(results["interruptions"]))
    # sentences begin at the margin; the table of parts does not, and is left out
    yield from (line for line in interruption_lines if not line.startswith(" "))
    yield from (line for line in lines(results) if line not in interruption_lines)


def pick_worst_by_kind(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield one row for each kind of part: the row of the class that does most harm.

    Its `parts` is the number of parts of all classes of the kind.
    """
    rows_by_kind: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        rows_by_kind.setdefault((row["kind"], row["what"]), []).append(row)
    for kind_rows in rows_by_kind.values():
        worst = max(kind_rows, key=_rank_harm)
        yield {**worst, "parts": sum(row["parts"] for row in kind_rows)}


def _rank_harm(row: Mapping[str, Any]) -> tuple[float, ...]:
    """Return a sort key for how bad a loss is; an earlier figure decides before a later one."""
    return row["job_cut_off"], row["cut_off"], row["dead_flows_to"], row["all_to_all_slowdown"] or 0


def _format_share(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"


def _format_slowdown(slowdown: float | None, in_one_domain: bool) -> str:
    if slowdown is None:
        return "stops"
    return "-" if in_one_domain else f"{round(slowdown, 2):g}x"


def _format_interruptions(rates: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of how often the job is stopped and slowed: sentences for all failures, and a table by part."""
    if rates["mean_hours"] is None:
        yield "No failure of a single part stops the job."
        return
    yield f"The job is stopped {rates['per_year']:,.1f} times a year by hardware: every {_hours(rates['mean_hours'])}."
    yield f"  {'by':<34}{'that stop':>10}{'a year':>10}{'that slow':>11}{'a year':>10}"
    for row in rates["by_part"]:
        name = row["what"] if row["part"] in ("gpu", "node", "nic") else f"{row['part']}: {row['what']}"
        yield (
            f"  {name:<34}{row['stopping']:>10,}{row['per_year']:>10,.2f}{row['slowing']:>11,}"
            f"{row['slowed_per_year']:>10,.2f}"
        )
    if rates["mean_hours_slowed"]:
        yield f"It is slowed down every {_hours(rates['mean_hours_slowed'])}."


def _hours(hours: float) -> str:
    if hours < 1:
        return f"{60 * hours:.0f} minutes"
    return f"{hours:.1f} hours" if hours < 72 else f"{hours / 24:.0f} days"


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """Yield how bisection, slowdown and interruptions were computed, with the constants and their sources."""
    yield (
        "formula",
        (
            "bisection = worst cut into halves over that before; fibre, cable, NIC: 1 - loss upwards / it",
            "ring, all-to-all = greatest load / Gb/s left, of all ports and uplinks, over that before",
            f"a year = parts x failures of one in a year; hours between them = {HOURS_OF_YEAR:,.0f} / their sum",
            "that slow: by 0.5 % or more; fibres fail as cables do; split ones: half whole, half leg by leg",
        ),
    )
    names = {
        part: {"gpu": "accelerator", "nic": "NIC", "cable": "cable or fibre"}.get(part, part)
        for part in results["source"]
    }
    rates = (f"{name} {results['constants'][f'{part}_failures_per_year']:.2g}" for part, name in names.items())
    yield "constants", (f"failures of one in a year: {', '.join(rates)}",)
    yield "source", cite_sources({name: results["source"][part] for part, name in names.items()})
