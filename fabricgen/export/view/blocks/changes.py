"""What changes from another blueprint or build to this one, in the words and counts of the command `plan`."""

from __future__ import annotations

from typing import Any

from fabricgen.export.files import cables
from fabricgen.export.view.source import PageSource, pack_numbers

MOST_GONE = 2_000
"""Devices and cables that are gone are named up to this many; the rest are only counted."""


def block(source: PageSource) -> dict[str, Any] | None:
    """Return what became of each device, link and cable by number (-1 for a cable without a change), the texts and
    counts of the comparison, and the first `MOST_GONE` devices and cables that are gone; None if the page compares
    nothing.
    """
    change = source.beside.changes
    if change is None:
        return None
    names = cables.make_table(source.cluster).columns["cable"]
    first_rows = source.cluster.plan.cables.find_first_rows()
    state_by_cable = change["cable"]
    return {
        **{name: change[name] for name in ("title", "totals", "reasons", "notes", "counts")},
        "device": {"numbers": pack_numbers(change["device"])},
        "link": {"numbers": pack_numbers(change["link"])},
        "cable": {"numbers": pack_numbers([state_by_cable.get(names[row], -1) for row in first_rows.tolist()])},
        "gone": change["gone"][:MOST_GONE],
        "gone_cables": change["gone_cables"][:MOST_GONE],
    }
