"""The summary of a report: totals, reasons, cost, and remaining ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabricgen.diff.compare import Change
from fabricgen.diff.delta import Delta
from fabricgen.diff.reports.wording import TITLES, said


def totals(change: Change) -> Iterator[tuple[str, str]]:
    """(kind, totals in words) for every kind that was compared."""
    for kind, title in TITLES.items():
        delta = change.deltas.get(kind)
        if delta is not None:
            yield title, said(delta) or "no change"
    if change.configs is not None:
        yield "switch configs", configs_said(change)


def configs_said(change: Change) -> str:
    """How many configurations differ, in words."""
    configs = change.configs
    if configs is None:
        return ""
    if not configs.judged:
        return f"up to {configs.devices:,} switches differ; --configs renders them all to see"
    devices = len({file.device for file in configs.files})
    added, removed = (sum(getattr(f, name) for f in configs.files) for name in ("added", "removed"))
    files = f"{len(configs.files):,} file{'s' * (len(configs.files) != 1)} of {devices:,} switch{'es' * (devices != 1)}"
    return f"{files}, +{added:,} -{removed:,} lines" if configs.files else "no change"


def optics_by_part(delta: Delta) -> dict[str, tuple[int, int]]:
    """Part -> (transceivers to plug in, to take out); one that is swapped counts on both sides."""
    come = Counter(delta.new["part"][delta.added].tolist()) + Counter(delta.new["part"][delta.now].tolist())
    go = Counter(delta.old["part"][delta.removed].tolist()) + Counter(delta.old["part"][delta.was].tolist())
    return {part: (come[part], go[part]) for part in sorted(come.keys() | go.keys())}


def spare_lines(change: Change) -> Iterator[str]:
    """Free down ports of every tier, on the fullest switch and in all; of both sides where they differ."""
    for (fabric, tier), old, new in change.spare_ports():
        now = new or old
        if now is None:
            continue
        name = f"{fabric} {tier}"
        if old == new or old is None or new is None:
            gone = "" if new or change.shapes[1] is None else " (the tier goes)"
            yield f"{name}: {now[1]} of {now[0]} on the fullest switch, {now[2]:,} in all, {now[3]} unnumbered{gone}"
        else:
            pairs = [f"{was:,} -> {is_:,}" if was != is_ else f"{is_:,}" for was, is_ in zip(old, new, strict=True)]
            yield f"{name}: {pairs[1]} of {pairs[0]} on the fullest switch, {pairs[2]} in all, {pairs[3]} unnumbered"
