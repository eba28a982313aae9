"""What earlier reports (JSON) say: which cables were verified, and which findings were open.

Reports are taken in their order. A cable that was seen as planned stays verified until a later dump shows it otherwise.
A finding stays open until its cables are seen as planned.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.verify.actions import Action, CableState
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.optics.report import is_of_optics
from fabricgen.wiring.arrays import Flags, Ints

LARGEST = 256 * 1024 * 1024
"""The size of the largest report that is read, bytes."""

RIGHT = (CableState.AS_PLANNED, CableState.HARMLESS)
"""States of cables that count as verified."""


@dataclass(frozen=True)
class Earlier:
    """Ids of cables that were verified, and findings that were open, by id, as the reports have them."""

    verified: frozenset[str] = frozenset()
    open: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Since:
    """What became of earlier findings.

    `verified` (bool, by cable): the cable was verified earlier and no dump shows it now. `still_open` are the ids of
    actions that were open already. `mended` are findings whose cables are all right now, `unseen` findings that the
    dumps do not show completely; both as the reports have them. Other findings are explained by other actions now.
    """

    verified: Flags
    still_open: frozenset[str]
    mended: tuple[Mapping[str, Any], ...]
    unseen: tuple[Mapping[str, Any], ...]


def read_reports(files: Sequence[str]) -> Earlier:
    """Read reports in their order, oldest first, and join them; raises InputError (FG001, FG066) for other files."""
    verified, opened = set[str](), dict[str, Mapping[str, Any]]()
    for file in files:
        report = _read_report(file)
        verified |= set(_list_ids(report["verified"]))
        actions = [*report["actions"], *report["since"]["unseen"]]
        mended = {finding["id"] for finding in report["since"]["mended"]}
        # removed before this report's own findings are added, so that a finding that came back is open again
        opened = {key: finding for key, finding in opened.items() if key not in mended}
        for action in actions:
            opened[action["id"]] = action
            verified -= set(action["cables"])
    return Earlier(frozenset(verified), opened)


def compare_with_earlier(
    plan: PlannedCabling, states: Ints, actions: Sequence[Action], earlier: Earlier, looked_at: Set[str] = frozenset()
) -> Since:
    """Find out what became of earlier findings.

    Findings on optics are judged only if the optics of all their cables were looked at (`looked_at`, ids of cables).
    """
    ids = plan.cable_ids.tolist()
    number = {name: row for row, name in enumerate(ids)}
    verified = np.zeros(len(ids), dtype=bool)
    verified[[number[name] for name in earlier.verified if name in number]] = True
    now = {action.id for action in actions}
    mended, unseen = list[Mapping[str, Any]](), list[Mapping[str, Any]]()
    for key, finding in sorted(earlier.open.items()):
        if key in now:
            continue
        cable_states = [CableState(int(states[number[name]])) for name in finding["cables"] if name in number]
        if is_of_optics(finding["kind"], finding["text"]):
            (mended if looked_at >= set(finding["cables"]) else unseen).append(finding)
        elif CableState.UNSEEN in cable_states:
            unseen.append(finding)
        elif all(state in RIGHT for state in cable_states):
            mended.append(finding)
    # what dumps show now counts by its present state
    verified &= states == CableState.UNSEEN
    return Since(verified, frozenset(now & earlier.open.keys()), tuple(mended), tuple(unseen))


def list_verified_ids(plan: PlannedCabling, states: Ints, before: Flags) -> dict[str, str]:
    """Return the ids of all cables that are right now or were `before` (bool, by cable), grouped by device."""
    return group_ids_by_device(plan.cable_ids[np.isin(states, RIGHT) | before].tolist())


def group_ids_by_device(ids: Iterable[str]) -> dict[str, str]:
    """Return ids of cables as cages by device: `{"leaf-01": "1 2"}` for `leaf-01:1` and `leaf-01:2`."""
    cages: dict[str, list[str]] = {}
    for name in ids:
        device, _, cage = name.partition(":")
        cages.setdefault(device, []).append(cage)
    return {device: " ".join(cages) for device, cages in sorted(cages.items())}


def _list_ids(verified: Mapping[str, str]) -> Iterable[str]:
    return (f"{device}:{cage}" for device, cages in verified.items() for cage in cages.split(" "))


def _read_report(file: str) -> Mapping[str, Any]:
    """Read a report that `reports.json` wrote; raises InputError (FG066) if it lacks anything that is used here."""
    text = decode_text(read_bytes(Path(file), file, limit=LARGEST), file, limit=LARGEST, kind="JSON")
    try:
        report = json.loads(text)
        _require_form(isinstance(report["verified"], dict))
        _require_form(all(isinstance(text, str) for text in report["verified"].values()))
        report.setdefault("since", {"mended": [], "unseen": []})
        lists = report["actions"], report["since"]["mended"], report["since"]["unseen"]
        for action in (finding for listed in lists for finding in listed):
            _require_form(all(isinstance(action[key], str) for key in ("id", "kind", "text")))
            _require_form(all(isinstance(name, str) for name in action["cables"]))
        return dict(report)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        hint = "give what `fabricgen verify --format json` wrote"
        raise fault("FG066", f"{file} is no report of `verify`", hint=hint, span=Span(file, 1, 1)) from error


def _require_form(is_right: bool) -> None:
    if not is_right:
        raise ValueError
