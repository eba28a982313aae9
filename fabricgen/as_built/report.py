"""The report of an import, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fabricgen.as_built.claims import Outdated, Status
from fabricgen.as_built.importing import AsBuiltImport, Changed
from fabricgen.kernel.diagnostics import printable
from fabricgen.kernel.units import number

MOST_LINES = 40
"""The most changes, and the most faulty cables, that the text lists."""


def text(found: AsBuiltImport) -> str:
    """The changes and the status of the work, as text."""
    cables = len({change.cable for change in found.changes})
    lines = [f"new changes to {_cables(cables)}" if cables else "no new changes"]
    lines += [f"  {_change(change)}" for change in found.changes[:MOST_LINES]]
    if len(found.changes) > MOST_LINES:
        lines.append(f"  and {len(found.changes) - MOST_LINES} more")
    counts = ", ".join(f"{found.count(status)} {status.word}" for status in (Status.DONE, Status.OPEN, Status.FAULTY))
    lines.append(f"{_cables(len(found.status))} listed of {found.total}: {counts}")
    lines += [f"  faulty: {cable}{f' ({remark})' if remark else ''}" for cable, remark, _ in found.faulty[:MOST_LINES]]
    lines += _outdated(found.outdated)
    return "\n".join(printable(line) for line in lines)


def _outdated(rows: Sequence[Outdated]) -> Iterator[str]:
    """Rows of an older plan, those with redlines first."""
    if not rows:
        return
    redlined = sum(row.redlined for row in rows)
    yield f"{len(rows)} row{'' if len(rows) == 1 else 's'} of an older plan not taken, {redlined} with redlines"
    for row in rows[:MOST_LINES]:
        written = ", ".join(f"{column} {text}" for column, text in row.written.items())
        yield f"  {row.span}: {row.cable or 'no cable'}{f' ({written})' if written else ''}: {row.became}"
    if len(rows) > MOST_LINES:
        yield f"  and {len(rows) - MOST_LINES} more"


def _cables(number_of: int) -> str:
    return f"{number_of} cable{'' if number_of == 1 else 's'}"


def _change(change: Changed) -> str:
    end = f" at {change.end}" if change.end else ""
    return f"{change.cable}{end}: {change.field} {_shown(change.old)} -> {_shown(change.new)}"


def _shown(value: Any) -> str:
    return "as planned" if value is None else number(value) if isinstance(value, float) else f"'{value}'"


def as_json(found: AsBuiltImport) -> dict[str, Any]:
    """The documented JSON form: counts, changes and faulty cables, each with the position of its cell."""
    return {
        "cables": {
            "total": found.total,
            "listed": len(found.status),
            **{status.word: found.count(status) for status in (Status.DONE, Status.OPEN, Status.FAULTY)},
        },
        "changes": [
            {"cable": c.cable, "field": c.field, "end": c.end, "old": c.old, "new": c.new, "at": str(c.span)}
            for c in found.changes
        ],
        "faulty": [{"cable": cable, "remark": remark, "at": str(span)} for cable, remark, span in found.faulty],
        "outdated": [
            {"cable": row.cable, "written": dict(row.written), "became": row.became, "at": str(row.span)}
            for row in found.outdated
        ],
    }
