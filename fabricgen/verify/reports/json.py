"""For programs: stable JSON that docs/verify.md describes; a later run reads it with `--since`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from fabricgen.verify.actions import Action, CableState, Consequence
from fabricgen.verify.consequences.wording import consequence_text
from fabricgen.verify.progress.counts import Progress
from fabricgen.verify.progress.earlier import ids_by_device, verified_ids
from fabricgen.verify.report import Report

VERSION = 1
"""Rises when a key goes or changes its meaning, not when one is added."""


def report(report: Report) -> bytes:
    """One object: counts of cables and actions of the scope, progress, and what later runs need to know."""
    diagnosis = report.diagnosis
    found = {
        "version": VERSION,
        "name": report.name,
        "scope": list(report.scope.asked),
        "cables": {**_states(report.whole), "extra": len(diagnosis.extra)},
        "verified_earlier": report.whole.earlier,
        "actions": [_action(report, action) for action in report.actions],
        "extra": list(diagnosis.extra),
        "harmless": list(diagnosis.harmless),
        "notes": list(diagnosis.notes),
        "progress": {
            "units": [_progress(each) for each in report.units],
            "racks": [_progress(each) for each in report.racks],
        },
        "since": {"mended": list(report.since.mended), "unseen": list(report.since.unseen)},
        "harmless_cables": ids_by_device(report.plan.cable_ids[diagnosis.states == CableState.HARMLESS].tolist()),
        "verified": verified_ids(report.plan, diagnosis.states, report.since.verified),
    }
    return (json.dumps(found, indent=2) + "\n").encode()


def _states(progress: Progress) -> dict[str, int]:
    return {state.word: progress.of(state) for state in CableState}


def _progress(progress: Progress) -> dict[str, Any]:
    return {
        "name": progress.name,
        "total": progress.total,
        "verified": progress.verified,
        "earlier": progress.earlier,
        **_states(progress),
    }


def _action(report: Report, action: Action) -> dict[str, Any]:
    """An action as plain data; keys of the contract first."""
    return {
        "id": action.id,
        "kind": action.kind.value,
        "status": report.status(action),
        "moves": action.moves,
        "boxes": action.boxes,
        "cables": list(action.cables),
        "ends": [asdict(end) for end in action.ends],
        "steps": [asdict(step) for step in action.steps],
        "alternatives": [asdict(each) | {"kind": each.kind.value} for each in action.alternatives],
        "text": action.text,
        "consequence": _consequence(action.consequence),
        "renamed": dict(sorted(action.renamed.items())),
        "by_hardware": action.by_hardware,
    }


def _consequence(consequence: Consequence) -> dict[str, Any]:
    """Pairs that are crossed as objects, since their members differ in meaning; and all of it in words."""
    named = {
        "rails": ("fabric", "planned", "seen"),
        "planes": ("fabric", "planned", "seen"),
        "fabrics": ("planned", "seen"),
        "uplinks": ("switch", "lost", "planned"),
        "uneven": ("switch", "other", "seen", "planned"),
    }
    found = asdict(consequence)
    told = {"text": consequence_text(consequence)}
    return (
        found | told | {key: [dict(zip(names, row, strict=True)) for row in found[key]] for key, names in named.items()}
    )
