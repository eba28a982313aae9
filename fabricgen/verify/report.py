"""What a verification has to report, and the formats that write it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.reports import formats
from fabricgen.verify.actions import Action, CableState, Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.planned import PlannedCluster
from fabricgen.verify.progress.counts import (
    Progress,
    RackOrder,
    Scope,
    count_by_rack,
    count_by_unit,
    count_total,
    find_scope,
)
from fabricgen.verify.progress.earlier import Earlier, Since, compare_with_earlier

REPORTS = "fabricgen.verify.reports"

NOTHING_SEEN = "no dump shows any of these cables: are the dumps of this plan, and do they say whose they are?"


@dataclass(frozen=True)
class Report:
    """All that a verification found.

    The states in `diagnosis` are those of all cables of the plan; everything else is restricted to the scope, `total`,
    `units` and `racks` included. `has_earlier`: whether earlier reports were given. `blind`: no cable of the scope was
    seen, which is not a success. `terse`: text that would be longer than a screen is an overview.
    """

    name: str
    plan: PlannedCabling
    diagnosis: Diagnosis
    scope: Scope
    since: Since
    has_earlier: bool
    rack_order: RackOrder
    total: Progress
    units: tuple[Progress, ...]
    racks: tuple[Progress, ...]
    blind: bool = False
    terse: bool = False

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that touch the scope."""
        return self.diagnosis.actions

    def has_differences(self) -> bool:
        """Whether the hall differs from the plan. Unseen or harmless cables do not count, unless nothing was seen."""
        wrong = self.total.count_cables(CableState.DARK) + self.total.count_cables(CableState.ELSEWHERE)
        return bool(wrong or self.actions or self.diagnosis.extra or self.unseen or self.blind)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Ids of earlier findings in the scope that the dumps neither confirm nor refute."""
        return tuple(finding["id"] for finding in self.since.unseen if self.in_scope(finding["cables"]))

    def in_scope(self, cables: Sequence[str]) -> bool:
        """Whether any of these cables (ids) is in the scope."""
        return not self.scope.requested or not self.scope.cable_ids.isdisjoint(cables)

    def find_status(self, action: Action) -> str:
        """Return `new` or `open` (since an earlier report); "" if no earlier reports were given."""
        return "" if not self.has_earlier else "open" if action.id in self.since.still_open else "new"


@dataclass(frozen=True)
class VerifyRequest:
    """What a verification is asked for.

    `only` are places of the plan (none: all of it); `earlier` is what earlier reports say; `optics` says whether
    transceivers are judged.
    """

    only: tuple[str, ...] = ()
    earlier: Earlier | None = None
    optics: bool = False


def make_report(
    planned: PlannedCluster, diagnosis: Diagnosis, request: VerifyRequest, looked_at: frozenset[str] = frozenset()
) -> Report:
    """Make the report of a diagnosis, restricted to the places that were asked for.

    `looked_at` are the ids of the cables whose modules and ports were judged. Raises InputError (FG066) for a place
    that is not in the plan.
    """
    plan, states = planned.cabling, diagnosis.states
    scope = find_scope(plan, request.only)
    since_earlier = compare_with_earlier(plan, states, diagnosis.actions, request.earlier or Earlier(), looked_at)
    total = count_total(scope, states, since_earlier.verified)
    # there are cables, and none of them was seen
    blind = 0 < total.total == total.unseen and not looked_at
    scoped = replace(
        diagnosis,
        actions=_sort_by_cost(plan, [action for action in diagnosis.actions if scope.holds_action(action)]),
        extra=tuple(text for text in diagnosis.extra if scope.names_device(text)),
        harmless=tuple(text for text in diagnosis.harmless if scope.names_device(text)),
        notes=(NOTHING_SEEN, *diagnosis.notes) if blind else diagnosis.notes,
    )
    return Report(
        name=planned.name,
        plan=plan,
        diagnosis=scoped,
        scope=scope,
        since=since_earlier,
        has_earlier=request.earlier is not None,
        rack_order=planned.rack_order,
        total=total,
        units=count_by_unit(plan, scope, states, since_earlier.verified),
        racks=count_by_rack(plan, scope, states, since_earlier.verified),
        blind=blind,
    )


def _sort_by_cost(plan: PlannedCabling, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Sort actions: exchanges of boxes first, since other actions name places as they are after these.

    Then come those with the most bandwidth lost or astray, and of equal ones those whose links carry the most: a
    management port never comes before a port of accelerators.
    """
    link_gbps = plan.links["speed_gbps"].vocabulary.astype(np.float64)[plan.links["speed_gbps"].codes]
    gbps_of_cable = np.bincount(plan.cable, weights=link_gbps, minlength=len(plan.cable_ids))
    row_of_cable = {name: row for row, name in enumerate(plan.cable_ids.tolist())} if actions else {}
    kinds = list(Kind)

    def rate_action(action: Action) -> tuple[float, ...]:
        lost_or_astray = (*action.consequence.lost_gbps.values(), *action.consequence.astray_gbps.values())
        concerned_gbps = sum(
            float(gbps_of_cable[row_of_cable[cable]]) for cable in action.concerned if cable in row_of_cable
        )
        # False and the most negative sort first
        return action.kind is not Kind.EXCHANGE, -sum(lost_or_astray), -concerned_gbps, kinds.index(action.kind)

    return tuple(sorted(actions, key=rate_action))


def write_report(form: str, report: Report) -> bytes:
    """Write a report in the format of that name; raises KeyError for an unknown format."""
    content = formats.write_report(REPORTS, form, report)
    return content if isinstance(content, bytes) else f"{content}\n".encode(errors="backslashreplace")
