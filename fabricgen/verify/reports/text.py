"""For people: what the hall is like in a line, how far each unit is, and what to do, action by action."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.actions import Action, CableState, Kind, Step
from fabricgen.verify.progress.counts import Progress
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import at, cage, instead, meanwhile, place, work
from fabricgen.verify.sightings import counted

WIDTH = 100
"""Columns of a line of prose; names are not broken."""

SHOWN = 20
"""Actions that are told in full; of further ones, how many there are of each kind."""

LISTED = 20
"""Rows of a table (those with most to do), lines of a list, and steps of an action that are shown; more are counted."""


def report(report: Report) -> bytes:
    """Blocks with an empty line between them."""
    blocks = [[summary(report)], _progress(report), *_actions(report), *_lists(report), _earlier(report)]
    return ("\n\n".join("\n".join(block) for block in blocks if block) + "\n").encode(errors="backslashreplace")


def summary(report: Report) -> str:
    """What the hall is like, in a line."""
    whole, scope = report.whole, ", ".join(report.scope.asked)
    name = make_printable(f"{report.name}{f', only {scope}' if scope else ''}")
    states = [f"{whole.of(CableState.AS_PLANNED):,} as planned"]
    for state in (CableState.HARMLESS, CableState.ELSEWHERE, CableState.DARK):
        states += [f"{whole.of(state):,} {state.word}"] if whole.of(state) else []
    states += [f"{whole.earlier:,} verified earlier"] if whole.earlier else []
    states += [f"{whole.unseen:,} unseen"] if whole.unseen else []
    extra = len(report.diagnosis.extra)
    states += [f"{counted(extra, 'extra link')}"] if extra else []
    return f"{name}: {counted(whole.total, 'cable')}: {', '.join(states)}"


def _progress(report: Report) -> list[str]:
    """Units, then racks in which something is left to do; what is done is not listed where that would be long."""
    lines: list[str] = []
    racks = [each for each in report.racks if each.verified < each.total]
    for what, rows, every in (("unit", _unfinished(report.units), report.units), ("rack", racks, report.racks)):
        if rows:
            lines += [*([""] if lines else []), *_table(what, rows, len(every))]
    return lines


def _unfinished(units: Sequence[Progress]) -> Sequence[Progress]:
    return units if len(units) <= LISTED else [each for each in units if each.verified < each.total]


def _table(what: str, rows: Sequence[Progress], every: int) -> list[str]:
    shown = rows if len(rows) <= LISTED else sorted(rows, key=lambda row: row.verified - row.total)[:LISTED]
    width = max(len(what), *(len(make_printable(row.name)) for row in shown))
    lines = [f"{what:<{width}}  {'verified':>16} {'elsewhere':>10} {'dark':>7} {'unseen':>8}"]
    for row in shown:
        done = f"{row.verified:,} of {row.total:,}"
        counts = f"{row.of(CableState.ELSEWHERE):>10,} {row.of(CableState.DARK):>7,} {row.unseen:>8,}"
        lines.append(f"{make_printable(row.name):<{width}}  {done:>16} {counts}")
    left, whole = len(rows) - len(shown), every - len(rows)
    told = [f"{left:,} more {what}s with something left to do"] if left else []
    told += [f"{counted(whole, what)} verified whole"] if whole else []
    return [*lines, *([f"and {', '.join(told)}"] if told else [])]


def _actions(report: Report) -> Iterator[list[str]]:
    if not report.actions:
        return
    moves, boxes = sum(a.moves for a in report.actions), sum(a.boxes for a in report.actions)
    told = [counted(len(report.actions), "action"), f"{counted(moves, 'plug')} to move"]
    told += [f"{counted(boxes, 'box', 'boxes')} to exchange"] if boxes else []
    yield [", ".join(told)]
    for number, action in enumerate(report.actions[:SHOWN], start=1):
        yield _action(report, number, action)
    rest = Counter(action.kind for action in report.actions[SHOWN:])
    if rest:
        counts = ", ".join(f"{rest[kind]:,} {kind.value}" for kind in Kind if rest[kind])
        yield [f"and {counted(rest.total(), 'more action')}: {counts}; every one is in --format json, csv and xlsx"]


def _action(report: Report, number: int, action: Action) -> list[str]:
    status = f", {report.status(action)}" if report.status(action) else ""
    lines = _filled(f"{number}. {action.text} ({work(action)}{status}; {action.id})", "", "   ")
    if _goes_round(action.steps):
        lines.append("   lay the first plug aside until its place is free")
    lines += [line for step in action.steps[:LISTED] for line in _step(report, step)]
    if len(action.steps) > LISTED:
        lines.append(f"   and {counted(len(action.steps) - LISTED, 'plug')} more")
    if not action.steps:
        ends = [f"   at {at(end)}  {place(report, end)}".rstrip() for end in action.ends]
        lines += [*ends[:LISTED], *([f"   and {len(ends) - LISTED:,} more ends"] if len(ends) > LISTED else [])]
    costs = meanwhile(action.consequence)
    lines += _filled(f"until then: {costs}", "   ", "     ") if costs else []
    return [*lines, *(line for other in instead(action) for line in _filled(other, "   ", "     "))]


def _goes_round(steps: Sequence[Step]) -> bool:
    """Whether the place of the first of several plugs is free only when others have been pulled."""
    return len(steps) > 1 and at(steps[0].put) in {at(step.pull) for step in steps[1:]}


def _step(report: Report, step: Step) -> list[str]:
    lines = [f"   pull {at(step.pull)}  {place(report, step.pull)}".rstrip()]
    where = cage(step.put) if step.put.device == step.pull.device else place(report, step.put)
    lines.append(f"    put {at(step.put)}  {where}".rstrip())
    if step.put.label:
        lines.append(f"        label {make_printable(step.put.label)}")
    if step.reaches is False:
        lines.append("        the planned cable does not reach here, so another is plugged: have the planned one ready")
    return lines


def _lists(report: Report) -> Iterator[list[str]]:
    diagnosis = report.diagnosis
    for head, texts in (
        ("extra links, which no plan has", diagnosis.extra),
        ("harmless: parallel links between the same two devices are swapped", diagnosis.harmless),
        ("notes", diagnosis.notes),
    ):
        if texts:
            lines = [line for text in texts[:LISTED] for line in _filled(text, "  ", "    ")]
            more = [f"  and {len(texts) - LISTED:,} more in --format json"] if len(texts) > LISTED else []
            yield [f"{head}:", *lines, *more]


def _earlier(report: Report) -> list[str]:
    """What became of the findings of earlier reports."""
    if not report.given:
        return []
    lines = []
    for head, findings in (("mended since", report.since.mended), ("not seen this time", report.since.unseen)):
        here = [each for each in findings if report.in_scope(each["cables"])]
        lines += [f"{head}: {counted(len(here), 'finding')}"] if here else []
        lines += [line for each in here[:LISTED] for line in _filled(f"{each['text']} ({each['id']})", "  ", "    ")]
        lines += [f"  and {len(here) - LISTED:,} more in --format json"] if len(here) > LISTED else []
    new = sum(report.status(action) == "new" for action in report.actions)
    return [f"since the earlier reports: {new:,} new, {len(report.actions) - new:,} still open", *lines]


def _filled(text: str, first: str, later: str) -> list[str]:
    return textwrap.wrap(
        make_printable(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
