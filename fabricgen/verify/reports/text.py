"""For people: the state of the hall in a line, the progress of each unit, and what to do, action by action."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.actions import Action, CableState, Kind, Step
from fabricgen.verify.progress.counts import Progress
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import (
    describe_cage,
    describe_cost,
    describe_place,
    describe_work,
    list_alternatives,
    name_end,
)
from fabricgen.verify.sightings import format_count

WIDTH = 100
"""The width of a line of prose, characters; names are not broken."""

SHOWN = 20
"""The most actions that are written in full; others are counted by kind."""

LISTED = 20
"""The most rows of a table (those with most to do), lines of a list, and steps of an action; others are counted."""

SCREEN = 40
"""The most lines of a terse report: what a person takes in at a glance."""

LISTED_TERSELY = 5
"""The most rows of a table in a terse report."""

NOTED_TERSELY = 2
"""The most notes of a terse report; the first ones say what makes all else doubtful."""


def report(report: Report) -> str:
    """Write a report as blocks with empty lines between; if it is terse and longer than a screen, an overview."""
    text = _join_blocks(
        [summarize_hall(report)],
        _list_progress(report),
        *_list_actions(report),
        *_list_notes(report),
        _list_earlier(report),
    )
    return _write_overview(report) if report.terse and text.count("\n") >= SCREEN else text


def _join_blocks(*blocks: Sequence[str]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _write_overview(report: Report) -> str:
    """Write the tables of the worst units and racks, and as many actions as fit a screen; others are counted.

    Actions are written with their plugs if all of them fit, else without.
    """
    diagnosis = report.diagnosis
    counts = [
        format_count(len(texts), *words)
        for words, texts in (
            (("extra link",), diagnosis.extra),
            (("harmless swap",), diagnosis.harmless),
            (("note",), diagnosis.notes[NOTED_TERSELY:]),
        )
        if texts
    ]
    foot = ["--verbose tells every plug, place, cost and note; --format xlsx is the sheet for the hall"]
    notes = [line for text in diagnosis.notes[:NOTED_TERSELY] for line in _wrap_text(text, "note: ", "  ")]
    unshown = [f"not shown: {', '.join(counts)}"] if counts else []
    foot = [*notes, *_list_earlier(report)[:1], *unshown, *foot]
    tables = _list_progress(report, LISTED_TERSELY)
    # two lines are kept for the number of actions and the count of those that are left out
    lines_left = SCREEN - len(_join_blocks([summarize_hall(report)], tables, ["count", "more"], foot).split("\n"))
    lines = _summarize_actions(report) if report.actions else []
    numbered = [*enumerate(report.actions, start=1)]
    with_plugs = [line for number, action in numbered[:SCREEN] for line in _format_plugs(report, number, action)]
    if len(numbered) <= SCREEN and len(with_plugs) <= lines_left:
        return _join_blocks([summarize_hall(report)], tables, [*lines, *with_plugs], foot)
    for number, action in numbered:
        headline = _format_headline(report, number, action)
        if len(headline) > lines_left:
            lines.append(_count_others(report.actions[number - 1 :]))
            break
        lines += headline
        lines_left -= len(headline)
    return _join_blocks([summarize_hall(report)], tables, lines, foot)


def summarize_hall(report: Report) -> str:
    """Return the state of the hall in a line: how many cables there are, and how many are in each state."""
    progress, scope = report.total, ", ".join(report.scope.requested)
    name = make_printable(f"{report.name}{f', only {scope}' if scope else ''}")
    states = [f"{progress.count_cables(CableState.AS_PLANNED):,} as planned"]
    for state in (CableState.HARMLESS, CableState.ELSEWHERE, CableState.DARK):
        states += [f"{progress.count_cables(state):,} {state.word}"] if progress.count_cables(state) else []
    states += [f"{progress.earlier:,} verified earlier"] if progress.earlier else []
    states += [f"{progress.unseen:,} unseen"] if progress.unseen else []
    extra = len(report.diagnosis.extra)
    states += [f"{format_count(extra, 'extra link')}"] if extra else []
    return f"{name}: {format_count(progress.total, 'cable')}: {', '.join(states)}"


def _list_progress(report: Report, most: int = LISTED) -> list[str]:
    """Return the tables of units and of racks, each of at most `most` rows.

    Racks are listed only if something is left to do; so are units if there are more than `most`.
    """
    lines: list[str] = []
    racks = [progress for progress in report.racks if progress.verified < progress.total]
    for kind, rows, total in (
        ("unit", _list_unfinished(report.units, most), len(report.units)),
        ("rack", racks, len(report.racks)),
    ):
        if rows:
            lines += [*([""] if lines else []), *_format_table(kind, rows, total, most)]
    return lines


def _list_unfinished(units: Sequence[Progress], most: int) -> Sequence[Progress]:
    return units if len(units) <= most else [progress for progress in units if progress.verified < progress.total]


def _format_table(kind: str, rows: Sequence[Progress], total: int, most: int) -> list[str]:
    """Return the lines of a table of units or racks (`kind`), `most` of them: those with most left to do.

    `total` counts all units or racks. Those that are verified whole are not in `rows`, except that `rows` has all units
    if these are few. A last line counts what is not shown.
    """
    # with most left to do first
    shown = rows if len(rows) <= most else sorted(rows, key=lambda row: row.verified - row.total)[:most]
    width = max(len(kind), *(len(make_printable(row.name)) for row in shown))
    lines = [f"{kind:<{width}}  {'verified':>16} {'elsewhere':>10} {'dark':>7} {'unseen':>8}"]
    for row in shown:
        done = f"{row.verified:,} of {row.total:,}"
        counts = (
            f"{row.count_cables(CableState.ELSEWHERE):>10,} {row.count_cables(CableState.DARK):>7,} {row.unseen:>8,}"
        )
        lines.append(f"{make_printable(row.name):<{width}}  {done:>16} {counts}")
    hidden, finished = len(rows) - len(shown), total - len(rows)
    phrases = [f"{hidden:,} more {kind}s with something left to do"] if hidden else []
    phrases += [f"{format_count(finished, kind)} verified whole"] if finished else []
    return [*lines, *([f"and {', '.join(phrases)}"] if phrases else [])]


def _list_actions(report: Report) -> Iterator[list[str]]:
    # the paragraphs of the first actions, and one line that counts the others by kind
    if not report.actions:
        return
    yield _summarize_actions(report)
    for number, action in enumerate(report.actions[:SHOWN], start=1):
        yield _format_action(report, number, action)
    if report.actions[SHOWN:]:
        yield [f"{_count_others(report.actions[SHOWN:])}; every one is in --format json, csv and xlsx"]


def _summarize_actions(report: Report) -> list[str]:
    """Return the number of actions, of plugs to move and of boxes to exchange, in a line."""
    moves, boxes = sum(a.moves for a in report.actions), sum(a.boxes for a in report.actions)
    phrases = [format_count(len(report.actions), "action"), f"{format_count(moves, 'plug')} to move"]
    phrases += [f"{format_count(boxes, 'box', 'boxes')} to exchange"] if boxes else []
    return [", ".join(phrases)]


def _count_others(actions: Sequence[Action]) -> str:
    """Return a line that counts actions which are not shown, by kind."""
    counter = Counter(action.kind for action in actions)
    counts = ", ".join(f"{counter[kind]:,} {kind.value}" for kind in Kind if counter[kind])
    return f"and {format_count(counter.total(), 'more action')}: {counts}"


def _format_headline(report: Report, number: int, action: Action) -> list[str]:
    """Return what to do, with the work, the status since earlier reports and the id, as lines of a terminal."""
    status = f", {report.find_status(action)}" if report.find_status(action) else ""
    return _wrap_text(f"{number}. {action.text} ({describe_work(action)}{status}; {action.id})", "", "   ")


def _format_action(report: Report, number: int, action: Action) -> list[str]:
    # the lines of an action: what to do, plug by plug or end by end, its cost and its alternatives
    costs = describe_cost(action.consequence)
    return [
        *_format_plugs(report, number, action),
        *(_wrap_text(f"until then: {costs}", "   ", "     ") if costs else []),
        *(line for alternative in list_alternatives(action) for line in _wrap_text(alternative, "   ", "     ")),
    ]


def _format_plugs(report: Report, number: int, action: Action) -> list[str]:
    """Return what to do, plug by plug or end by end."""
    lines = _format_headline(report, number, action)
    if _goes_round(action.steps):
        lines.append("   lay the first plug aside until its place is free")
    lines += [line for step in action.steps[:LISTED] for line in _format_step(report, step)]
    if len(action.steps) > LISTED:
        lines.append(f"   and {format_count(len(action.steps) - LISTED, 'plug')} more")
    if not action.steps:
        ends = [f"   at {name_end(end)}  {describe_place(report, end)}".rstrip() for end in action.ends]
        lines += [*ends[:LISTED], *([f"   and {len(ends) - LISTED:,} more ends"] if len(ends) > LISTED else [])]
    return lines


def _goes_round(steps: Sequence[Step]) -> bool:
    """Whether the place for the first plug is free only when other plugs of these steps have been pulled."""
    return len(steps) > 1 and name_end(steps[0].put) in {name_end(step.pull) for step in steps[1:]}


def _format_step(report: Report, step: Step) -> list[str]:
    """Return lines that say which plug to pull, where to put it, and the label that it should have."""
    lines = [f"   pull {name_end(step.pull)}  {describe_place(report, step.pull)}".rstrip()]
    target_text = describe_cage(step.put) if step.put.device == step.pull.device else describe_place(report, step.put)
    lines.append(f"    put {name_end(step.put)}  {target_text}".rstrip())
    if step.put.label:
        lines.append(f"        label {make_printable(step.put.label)}")
    if step.reaches is False:
        lines.append("        the planned cable does not reach here, so another is plugged: have the planned one ready")
    return lines


def _list_notes(report: Report) -> Iterator[list[str]]:
    """Yield the paragraphs of extra links, harmless swaps and notes, each with its first few lines."""
    diagnosis = report.diagnosis
    for heading, texts in (
        ("extra links, which no plan has", diagnosis.extra),
        ("harmless: parallel links between the same two devices are swapped", diagnosis.harmless),
        ("notes", diagnosis.notes),
    ):
        if texts:
            lines = [line for text in texts[:LISTED] for line in _wrap_text(text, "  ", "    ")]
            line_of_others = [f"  and {len(texts) - LISTED:,} more in --format json"] if len(texts) > LISTED else []
            yield [f"{heading}:", *lines, *line_of_others]


def _list_earlier(report: Report) -> list[str]:
    """Return lines about what became of the findings of earlier reports; none if no earlier report was given."""
    if not report.has_earlier:
        return []
    lines = []
    for head, findings in (("mended since", report.since.mended), ("not seen this time", report.since.unseen)):
        findings_here = [finding for finding in findings if report.in_scope(finding["cables"])]
        lines += [f"{head}: {format_count(len(findings_here), 'finding')}"] if findings_here else []
        lines += [
            line
            for finding in findings_here[:LISTED]
            for line in _wrap_text(f"{finding['text']} ({finding['id']})", "  ", "    ")
        ]
        lines += [f"  and {len(findings_here) - LISTED:,} more in --format json"] if len(findings_here) > LISTED else []
    new = sum(report.find_status(action) == "new" for action in report.actions)
    return [f"since the earlier reports: {new:,} new, {len(report.actions) - new:,} still open", *lines]


def _wrap_text(text: str, first_indent: str, later_indent: str) -> list[str]:
    """Return a text as lines of a terminal, indented by `first_indent` and `later_indent`; words are never broken."""
    return textwrap.wrap(
        make_printable(text),
        WIDTH,
        initial_indent=first_indent,
        subsequent_indent=later_indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
