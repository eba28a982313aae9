"""For programs: stable JSON that docs/verify.md describes; a later run reads it with `--since`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from fabricgen.verify.actions import Action, CableState, Consequence
from fabricgen.verify.consequences.wording import describe_consequence
from fabricgen.verify.progress.counts import Progress
from fabricgen.verify.progress.earlier import group_ids_by_device, list_verified_ids
from fabricgen.verify.report import Report

VERSION = 1
"""The version of the format: it rises when a key is removed or changes its meaning, not when one is added."""


def report(report: Report) -> str:
    """Write one object: counts of cables and actions of the scope, progress, and what later runs need to know."""
    diagnosis = report.diagnosis
    document = {
        "version": VERSION,
        "name": report.name,
        "scope": list(report.scope.requested),
        "cables": {**_count_states(report.total), "extra": len(diagnosis.extra)},
        "verified_earlier": report.total.earlier,
        "actions": [_describe_action(report, action) for action in report.actions],
        "extra": list(diagnosis.extra),
        "harmless": list(diagnosis.harmless),
        "notes": list(diagnosis.notes),
        "progress": {
            "units": [_describe_progress(progress) for progress in report.units],
            "racks": [_describe_progress(progress) for progress in report.racks],
        },
        "since": {"mended": list(report.since.mended), "unseen": list(report.since.unseen)},
        "harmless_cables": group_ids_by_device(report.plan.cable_ids[diagnosis.states == CableState.HARMLESS].tolist()),
        "verified": list_verified_ids(report.plan, diagnosis.states, report.since.verified),
    }
    return json.dumps(document, indent=2)


def _count_states(progress: Progress) -> dict[str, int]:
    return {state.word: progress.count_cables(state) for state in CableState}


def _describe_progress(progress: Progress) -> dict[str, Any]:
    # the progress of a unit or rack as plain data
    return {
        "name": progress.name,
        "total": progress.total,
        "verified": progress.verified,
        "earlier": progress.earlier,
        **_count_states(progress),
    }


def _describe_action(report: Report, action: Action) -> dict[str, Any]:
    """Return an action as plain data."""
    return {
        "id": action.id,
        "kind": action.kind.value,
        "status": report.find_status(action),
        "moves": action.moves,
        "boxes": action.boxes,
        "cables": list(action.cables),
        "ends": [asdict(end) for end in action.ends],
        "steps": [asdict(step) for step in action.steps],
        "alternatives": [asdict(alternative) | {"kind": alternative.kind.value} for alternative in action.alternatives],
        "text": action.text,
        "consequence": _list_consequence(action.consequence),
        "renamed": dict(sorted(action.renamed.items())),
        "by_hardware": action.by_hardware,
    }


def _list_consequence(consequence: Consequence) -> dict[str, Any]:
    """Return a consequence as plain data, its tuples as objects with named members, and all of it in words (`text`)."""
    members_of_field = {
        "rails": ("fabric", "planned", "seen"),
        "planes": ("fabric", "planned", "seen"),
        "fabrics": ("planned", "seen"),
        "uplinks": ("switch", "lost", "planned"),
        "uneven": ("switch", "other", "seen", "planned"),
    }
    fields = asdict(consequence)
    text_field = {"text": describe_consequence(consequence)}
    return (
        fields
        | text_field
        | {
            field_name: [dict(zip(members, row, strict=True)) for row in fields[field_name]]
            for field_name, members in members_of_field.items()
        }
    )
