"""The difference between two bills in words: in one line, and a line a part."""

from __future__ import annotations

from fabricgen.diff.bill.compare import BomDelta, PartDelta


def bom_title(bom: BomDelta) -> str:
    """The bill of materials in one line."""
    parts = [f"{len(bom.parts)} part{'s' * (len(bom.parts) != 1)} differ{'s' * (len(bom.parts) == 1)}"]
    if bom.cost is not None:
        unpriced = f", {bom.unpriced} parts without a price" if bom.unpriced else ""
        parts.append(f"cost {format_change(bom.cost)} ({bom.old_cost:,.2f} -> {bom.new_cost:,.2f}{unpriced})")
    twice = " (optics in maxima of devices may count twice: a side does not say which)" if bom.twice else ""
    parts.append(f"power {format_change(round(bom.power_w / 1000, 1))} kW{twice}")
    return ", ".join(parts)


def bom_line(row: PartDelta) -> str:
    """One part: how many more, and what they cost."""
    spares = f" ({format_change(row.bought)} with spares)" if row.bought != row.installed else ""
    cost = f", {format_change(row.cost)}" if row.cost is not None else ""
    return f"{format_change(row.installed)} {row.part}{spares}{cost}"


def format_change(value: float) -> str:
    """A number with its sign, thousands apart."""
    return f"{value:+,.2f}" if isinstance(value, float) and not value.is_integer() else f"{int(value):+,}"
