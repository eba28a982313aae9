"""Analyses of several clusters side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.kernel.units import number


def side_by_side(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A table with a column a cluster: the figures that all have, and only lines in which they differ."""
    rows: dict[str, list[str]] = {}
    for at, one in enumerate(found):
        for name, value in _figures(one):
            rows.setdefault(name, [""] * len(found))[at] = value
    names = [one["blueprint"] for one in found]
    wide = max((len(name) for name in rows), default=0)
    yield f"{'side by side':<{wide}}" + "".join(f"{name[-24:]:>26}" for name in names)
    for name, values in rows.items():
        if len(set(values)) > 1:
            yield f"{name:<{wide}}" + "".join(f"{value:>26}" for value in values)


def _figures(one: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for section, fabrics in one.items():
        if section in ("blueprint", "as_built"):
            continue
        for fabric, figures in fabrics.items():
            yield from _leaves(f"{fabric} {section.replace('_', ' ')}", figures)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Names and words of all numbers below a value; lists are told by what names their rows."""
    if isinstance(value, Mapping):
        for key, below in value.items():
            if key not in ("constants", "formula", "source", "by_algorithm_us"):
                yield from _leaves(f"{name} {key}", below)
    elif isinstance(value, list):
        for row in value:
            if isinstance(row, Mapping):
                words = [str(row[key]) for key in _NAMES if row.get(key) is not None]
                yield from _leaves(" ".join([name, *words]), {k: v for k, v in row.items() if k not in _NAMES})
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, f"{value:,}" if isinstance(value, int) else number(float(f"{value:.4g}"))


_NAMES = ("place", "rail", "joined_by", "bytes", "kind", "tier", "part", "what", "queue_pairs", "name")
