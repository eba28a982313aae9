"""What a verification has to report, and the formats that write it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np

from fabricgen.kernel import discovery
from fabricgen.verify.actions import Action, CableState, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.planned import Planned
from fabricgen.verify.progress.counts import Progress, RackOrder, Scope, by_rack, by_unit, scope_of, whole
from fabricgen.verify.progress.earlier import Earlier, Since, since

REPORTS = "fabricgen.verify.reports"

NOTHING_SEEN = "no dump shows any of these cables: are the dumps of this plan, and do they say whose they are?"


@dataclass(frozen=True)
class Report:
    """All that a verification found.

    The states in `diagnosis` are of all cables of the plan; all else, also `whole`, `units` and `racks`, of the scope.
    `given` says whether earlier reports were, `blind` that nothing at all of the scope was seen, which is no success.
    """

    name: str
    plan: PlannedCabling
    diagnosis: Diagnosis
    scope: Scope
    since: Since
    given: bool
    rack_order: RackOrder
    whole: Progress
    units: tuple[Progress, ...]
    racks: tuple[Progress, ...]
    blind: bool = False

    @property
    def actions(self) -> tuple[Action, ...]:
        """What is to be done in the scope."""
        return self.diagnosis.actions

    def differs(self) -> bool:
        """Whether the hall is not as planned; cables that are unseen or harmless are no difference, unless all are."""
        wrong = self.whole.of(CableState.DARK) + self.whole.of(CableState.ELSEWHERE)
        return bool(wrong or self.actions or self.diagnosis.extra or self.unseen or self.blind)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Ids of earlier findings in the scope of which the dumps do not show enough."""
        return tuple(each["id"] for each in self.since.unseen if self.in_scope(each["cables"]))

    def in_scope(self, cables: Sequence[str]) -> bool:
        """Whether any of some cables is in the scope."""
        return not self.scope.asked or not self.scope.cable_ids.isdisjoint(cables)

    def status(self, action: Action) -> str:
        """`new` or `open`, where earlier reports were given."""
        return "" if not self.given else "open" if action.id in self.since.known else "new"


@dataclass(frozen=True)
class Asked:
    """What is asked of a verification: places of the plan (none: all of it), and what earlier reports say, if given.

    `optics` says whether transceivers are judged.
    """

    only: tuple[str, ...] = ()
    earlier: Earlier | None = None
    optics: bool = False


def report_on(planned: Planned, diagnosis: Diagnosis, asked: Asked, looked_at: frozenset[str] = frozenset()) -> Report:
    """The part of a diagnosis that was asked for; raises InputError (FG066) for a place that is not in the plan.

    `looked_at` are the cables whose modules and ports were judged.
    """
    plan, states = planned.cabling, diagnosis.states
    scope = scope_of(plan, asked.only)
    became = since(plan, states, diagnosis.actions, asked.earlier or Earlier(), looked_at)
    here_whole = whole(scope, states, became.verified)
    blind = 0 < here_whole.total == here_whole.unseen and not looked_at
    here = replace(
        diagnosis,
        actions=_costliest_first(plan, [action for action in diagnosis.actions if scope.holds(action)]),
        extra=tuple(text for text in diagnosis.extra if scope.tells(text)),
        harmless=tuple(text for text in diagnosis.harmless if scope.tells(text)),
        notes=(NOTHING_SEEN, *diagnosis.notes) if blind else diagnosis.notes,
    )
    return Report(
        name=planned.name,
        plan=plan,
        diagnosis=here,
        scope=scope,
        since=became,
        given=asked.earlier is not None,
        rack_order=planned.rack_order,
        whole=here_whole,
        units=by_unit(plan, scope, states, became.verified),
        racks=by_rack(plan, scope, states, became.verified),
        blind=blind,
    )


def _costliest_first(plan: PlannedCabling, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Exchanges of boxes first, by which places are called; then by bandwidth that is lost or astray, then by that of
    all links concerned: a management port never pushes out a port of accelerators.
    """
    gbps = plan.links["speed_gbps"].vocabulary.astype(np.float64)[plan.links["speed_gbps"].codes]
    by_cable = np.bincount(plan.cable, weights=gbps, minlength=len(plan.cable_ids))
    number = {name: row for row, name in enumerate(plan.cable_ids.tolist())} if actions else {}
    kinds = list(Kind)

    def order(action: Action) -> tuple[float, ...]:
        told = (*action.consequence.lost_gbps.values(), *action.consequence.astray_gbps.values())
        concerned = sum(float(by_cable[number[cable]]) for cable in action.concerned if cable in number)
        return action.kind is not Kind.EXCHANGE, -sum(told), -concerned, kinds.index(action.kind)

    return tuple(sorted(actions, key=order))


class ReportModule(Protocol):
    """The interface of a module in `verify.reports`; `BINARY` is set where it is no text."""

    BINARY: bool

    def report(self, report: Report) -> bytes:
        """The report, as it is written to a file."""


def report_formats() -> tuple[str, ...]:
    """Names of the formats, those of the modules in the folder."""
    return discovery.list_modules(REPORTS)


def is_binary(form: str) -> bool:
    """Whether a format is none for a terminal."""
    return bool(getattr(discovery.load_module(REPORTS, form), "BINARY", False))


def write_report(form: str, report: Report) -> bytes:
    """Write a report in a format by name; raises KeyError for an unknown one."""
    return cast(ReportModule, discovery.load_module(REPORTS, form)).report(report)
