"""Labels to print anew, since their cable is plugged in elsewhere than they say."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.reports.table import Table

MOST_LINES = 40
"""The most labels that the text lists."""


def find_reprints(before: Cluster, after: Cluster, cables: Collection[str]) -> Table:
    """Return the rows of labels.csv, after a change, of some cables, by id, whose text is another one than before."""
    from fabricgen.export.technician.labels import make_label_table
    from fabricgen.export.technician.records import make_records
    from fabricgen.reports.table import Table

    if not cables:
        return Table("labels", {})
    old, new = (make_label_table(make_records(cluster)) for cluster in (before, after))
    old_labels = set(zip(*(old.columns[name] for name in ("code", "line1", "line2", "line3")), strict=True))
    texts = zip(*(new.columns[name] for name in ("cable", "code", "line1", "line2", "line3")), strict=True)
    rows = [i for i, (cable, *text) in enumerate(texts) if cable in cables and tuple(text) not in old_labels]
    return Table("labels", {name: [cells[i] for i in rows] for name, cells in new.columns.items()})


def format_reprints(labels: Table) -> str:
    """Return what to print, a line a label: its code and text."""
    rows = list(zip(*(labels.columns.get(name, ()) for name in ("code", "line1", "line2", "line3")), strict=True))
    lines = [f"{len(rows)} label{'' if len(rows) == 1 else 's'} to print anew"]
    lines += [f"  {code}: {near} > {far}, {last_line}" for code, near, far, last_line in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        lines.append(f"  and {len(rows) - MOST_LINES} more; --labels FILE has all")
    return "\n".join(lines)


def list_reprint_values(labels: Table) -> list[dict[str, Any]]:
    """Return the labels as values for JSON: code and the three lines of each."""
    names = ("code", "line1", "line2", "line3")
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(labels.columns.get(name, ()) for name in names), strict=True)
    ]
