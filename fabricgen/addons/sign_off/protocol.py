"""The protocol of an acceptance test, to be signed: what was tested, what was not, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from fabricgen.addons.sign_off.judge import ABSENT, BAD, RIGHT, SHARED, Acceptance, Verdict
from fabricgen.api import Protocol, Table

SIGNERS = ("tested by", "accepted by")
MOST_RUNS = 6
"""Names of runs that are listed in a cell."""


def make_protocol(accepted: Acceptance) -> Protocol:
    """Return the protocol: first whether the hall is right, then findings, counts, what was not tested, and
    every run.
    """
    view, states = accepted.plan.view, accepted.states
    facts: dict[str, str | int | float] = {
        "cluster": view.name,
        "blueprint": view.digest,
        "runs": len(accepted.verdicts),
        "right": states[RIGHT],
        "not right": sum(states[state] for state in BAD),
        "shared": states[SHARED],
        "not done": states[ABSENT],
        "links tested": len(accepted.planned.missed) - len(accepted.untested),
        "links not tested": len(accepted.untested),
        "links outside the plan": len(accepted.planned.untested),
        "paths traced": accepted.traced,
    }
    makers = (_list_findings, _count_runs, _list_untested, _list_runs)
    tables = tuple(make_table(accepted) for make_table in makers)
    return Protocol(f"Acceptance of {view.name}", say_verdict(accepted), facts, tables, accepted.notes, SIGNERS)


def say_verdict(accepted: Acceptance) -> str:
    """Return whether the hall is right, in a line."""
    states, findings = accepted.states, len(accepted.findings)
    if accepted.is_right:
        return "accepted: everything that the plan tests was tested and is right"
    outcome = f"{findings:,} finding{'s' * (findings != 1)}" if findings else "nothing wrong in what was tested"
    missing = [f"{states[ABSENT]:,} runs are not done"] if states[ABSENT] else []
    missing += [f"{len(accepted.untested):,} links are not tested"] if accepted.untested else []
    return "; ".join([f"not accepted: {outcome}", *missing])


def _list_findings(accepted: Acceptance) -> Table:
    findings = accepted.findings
    figures = {verdict.run: verdict for verdict in accepted.verdicts}
    # Up to two suspects of each finding, padded with "".
    first, second = (
        zip(*([*finding.suspects, "", ""][:2] for finding in findings), strict=True) if findings else ((), ())
    )
    return Table(
        "findings",
        {
            "no": list(range(1, len(findings) + 1)),
            "suspect": first,
            "or": second,
            "what to do": [finding.text for finding in findings],
            "runs": [len(finding.runs) for finding in findings],
            "which": [_name_some([_describe_run(figures[run]) for run in finding.runs]) for finding in findings],
        },
    )


def _describe_run(verdict: Verdict) -> str:
    if verdict.value is None:
        return f"{verdict.run.name} ({verdict.note})"
    return f"{verdict.run.name} ({verdict.value:.4g} of {verdict.run.least:g} {verdict.run.unit})"


def _name_some(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_RUNS]) + (f", and {len(names) - MOST_RUNS:,} more" if len(names) > MOST_RUNS else "")


def _count_runs(accepted: Acceptance) -> Table:
    kinds = [list(runs) for _, runs in groupby(accepted.verdicts, key=lambda verdict: verdict.run.kind)]
    counts = [Counter(verdict.state for verdict in verdicts) for verdicts in kinds]
    return Table(
        "runs by kind",
        {
            "what": [verdicts[0].run.kind for verdicts in kinds],
            "tool": [verdicts[0].run.tool for verdicts in kinds],
            "runs": [len(verdicts) for verdicts in kinds],
            "right": [count[RIGHT] for count in counts],
            "not right": [sum(count[state] for state in BAD) for count in counts],
            "shared": [count[SHARED] for count in counts],
            "not done": [count[ABSENT] for count in counts],
        },
    )


def _list_untested(accepted: Acceptance) -> Table:
    """Return the table of links that nothing tested, with a row for each fabric and reason.

    First come links that a run of the plan was to test, then those for which no run is planned.
    """
    links = accepted.plan.view.links
    groups: dict[tuple[str, str, str], list[str]] = {}
    for is_planned, reasons in (("yes", accepted.untested), ("no", accepted.planned.untested)):
        for row, why in sorted(reasons.items()):
            groups.setdefault((is_planned, links.fabric[row], why), []).append(links.name[row])
    return Table(
        "not tested",
        {
            "planned": [is_planned for is_planned, _, _ in groups],
            "fabric": [fabric for _, fabric, _ in groups],
            "why": [why for _, _, why in groups],
            "links": [len(names) for names in groups.values()],
            "which": [_name_some(names) for names in groups.values()],
        },
    )


def _list_runs(accepted: Acceptance) -> Table:
    verdicts = sorted(accepted.verdicts, key=lambda verdict: verdict.state not in BAD)

    return Table(
        "all runs",
        {
            "run": [v.run.name for v in verdicts],
            "state": [v.state for v in verdicts],
            "measured": ["" if v.value is None else round(v.value, 2) for v in verdicts],
            "least": [v.run.least for v in verdicts],
            "most": [v.run.most for v in verdicts],
            "unit": [v.run.unit for v in verdicts],
            "from": [v.run.ends[0].name if v.run.ends else "" for v in verdicts],
            "to": [v.run.ends[1].name if v.run.ends else "" for v in verdicts],
            "note": [v.note for v in verdicts],
        },
    )
