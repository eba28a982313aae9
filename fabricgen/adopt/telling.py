"""What is told of an adoption: what was inferred from how many facts, what was not, and what the page does not give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fabricgen.adopt.adopting import Adoption
from fabricgen.kernel.diagnostics import make_printable
from fabricgen.reports.tables.text import align_columns
from fabricgen.verify.report import Report

_SHOWN = 20
"""Links that are told one by one."""


def write_text(adoption: Adoption, report: Report | None) -> str:
    """The table of what was inferred, in lines for people."""
    rows = [("word", "value", "facts", "how")]
    for row in adoption.topology.inferences:
        rows.append((".".join(row.what), row.value, f"{row.facts:,} of {row.of:,}", row.note))
    for row in adoption.settings.inferences if adoption.settings else ():
        rows.append((".".join(row.what), row.value, f"{row.facts:,} of {row.of:,}", row.note))
    lines = [line.rstrip() for line in align_columns(list(zip(*rows, strict=True)), (False, False, True, False))]
    lines += ["", _count_links(adoption)]
    lines += [f"note: {note}" for note in adoption.topology.notes]
    lines += [f"not in the page: {text}" for text in list_unexplained(adoption)]
    for evidence in adoption.settings.evidence if adoption.settings else ():
        words = (evidence.kind, evidence.where or evidence.device, evidence.text)
        lines.append(": ".join(filter(None, words)))
    if report is not None:
        lines += [f"{action.id}: {action.text}" for action in report.actions]
    return "\n".join(map(make_printable, lines)) + "\n"


def write_json(adoption: Adoption, report: Report | None, page: str) -> str:
    """The same as JSON, and the page itself."""
    trial = adoption.trial
    content: dict[str, Any] = {
        "inferences": [
            {"word": ".".join(row.what), "value": row.value, "facts": row.facts, "of": row.of, "how": row.note}
            for row in (*adoption.topology.inferences, *(adoption.settings.inferences if adoption.settings else ()))
        ],
        "links": {"seen": len(trial.seen), "given": len(trial.seen) - len(trial.missing), "beside": len(trial.unseen)},
        "notes": list(adoption.topology.notes),
        "unexplained": [*map(list, _list_ends(adoption))],
        "unplaced": list(trial.unplaced),
        "silent": _list_silent_devices(adoption),
        "actions": [{"id": a.id, "kind": a.kind.value, "text": a.text} for a in report.actions] if report else [],
        "settings": [evidence._asdict() for evidence in adoption.settings.evidence] if adoption.settings else [],
        "numbers": adoption.settings.lock if adoption.settings else [],
        "page": page,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _count_links(adoption: Adoption) -> str:
    trial = adoption.trial
    given = len(trial.seen) - len(trial.missing)
    text = f"{given:,} of {len(trial.seen):,} links come back, with both of their ports"
    if trial.unseen:
        text += f"; {len(trial.unseen):,} links of the page were not seen"
    return text


def _list_ends(adoption: Adoption) -> Iterator[tuple[str, str, str, str]]:
    return ((j.a.device, j.a.port, j.b.device, j.b.port) for j in adoption.trial.missing)


def list_unexplained(adoption: Adoption) -> list[str]:
    """In sentences, the links and devices of the facts that the page does not give; of many the first."""
    links = [f"{a} port {ap} to {b} port {bp}" for a, ap, b, bp in _list_ends(adoption)]
    texts = links[:_SHOWN]
    if len(links) > _SHOWN:
        texts.append(f"and {len(links) - _SHOWN:,} more links")
    texts += [f"{name} has no place" for name in adoption.trial.unplaced]
    return [*texts, *(f"{name} is in a list, and no link of it was seen" for name in _list_silent_devices(adoption))]


def _list_silent_devices(adoption: Adoption) -> list[str]:
    """The devices that a list names and no link leads to, which the page leaves out."""
    facts = adoption.trial.facts
    linked = {end.device for joint in facts.joints for end in (joint.a, joint.b)}
    return sorted(facts.devices.keys() - linked - set(adoption.trial.unplaced))


def is_whole(adoption: Adoption) -> bool:
    """Whether the page gives all of the facts, and nothing beside them."""
    trial = adoption.trial
    return not (trial.missing or trial.unseen or trial.unplaced)
