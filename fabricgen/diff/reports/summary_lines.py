"""The summary of a report: totals, reasons, cost, and remaining ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabricgen.diff.bill.compare import BomDelta, PartDelta
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


def bom_title(bom: BomDelta) -> str:
    """The bill of materials in one line."""
    parts = [f"{len(bom.parts)} part{'s' * (len(bom.parts) != 1)} differ{'s' * (len(bom.parts) == 1)}"]
    if bom.cost is not None:
        unpriced = f", {bom.unpriced} parts without a price" if bom.unpriced else ""
        parts.append(f"cost {signed(bom.cost)} ({bom.old_cost:,.2f} -> {bom.new_cost:,.2f}{unpriced})")
    twice = " (optics in maxima of devices may count twice: a side does not say which)" if bom.twice else ""
    parts.append(f"power {signed(round(bom.power_w / 1000, 1))} kW{twice}")
    return ", ".join(parts)


def bom_line(row: PartDelta) -> str:
    """One part: how many more, and what they cost."""
    spares = f" ({signed(row.bought)} with spares)" if row.bought != row.installed else ""
    cost = f", {signed(row.cost)}" if row.cost is not None else ""
    return f"{signed(row.installed)} {row.part}{spares}{cost}"


def signed(value: float) -> str:
    """A number with its sign, thousands apart."""
    return f"{value:+,.2f}" if isinstance(value, float) and not value.is_integer() else f"{int(value):+,}"


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
