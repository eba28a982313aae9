"""Nodes that change tenants, and the switch ports that this affects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fabricgen.diff.listing import Listing, find_among
from fabricgen.diff.sizing_figures import SizingFigures, Tenancy

_LISTED = 4
_NOBODY = Tenancy("", ())


class TouchedPorts(NamedTuple):
    """Ports of nodes in a fabric, and the number of switches they are on; `file`: that of InfiniBand partitions."""

    fabric: str
    ports: int
    switches: int
    file: str


@dataclass(frozen=True, slots=True)
class TenantMove:
    """Nodes and extra devices, by name, that leave one tenant and join another; "" is no tenant."""

    old: str
    new: str
    devices: tuple[str, ...]
    touched: tuple[TouchedPorts, ...]


def find_tenant_moves(
    old: SizingFigures, new: SizingFigures, devices: Iterable[str], links: Listing, renamed: Mapping[str, str]
) -> tuple[TenantMove, ...]:
    """Find how devices of both sides change tenants, or the fabrics in which their tenants are kept apart.

    `devices` are the names of these devices in order, `links` the links of the new side, both with new names; `renamed`
    maps old names to new ones.
    """
    was = {renamed.get(name, name): tenancy for name, tenancy in old.tenancies.items()}
    moved: dict[tuple[Tenancy, Tenancy], list[str]] = {}
    for name in devices if was or new.tenancies else ():
        before, after = was.get(name, _NOBODY), new.tenancies.get(name, _NOBODY)
        if before != after:
            moved.setdefault((before, after), []).append(name)
    return tuple(
        TenantMove(
            before.tenant, after.tenant, tuple(names), tuple(_list_touched_ports(before, after, names, links, new))
        )
        for (before, after), names in sorted(moved.items())
    )


def _list_touched_ports(
    before: Tenancy, after: Tenancy, names: Sequence[str], links: Listing, new: SizingFigures
) -> Iterator[TouchedPorts]:
    # the switch ports of moved devices in each fabric that keeps tenants apart, or did
    is_moved = find_among(names, links["a_device"])
    same_tenant = before.tenant == after.tenant
    fabrics = {*before.fabrics} ^ {*after.fabrics} if same_tenant else {*before.fabrics, *after.fabrics}
    for fabric in sorted(fabrics):
        rows = np.flatnonzero(is_moved & find_among([fabric], links["fabric"]))
        switches = set(links["b_device"][rows].tolist())
        if len(rows):
            yield TouchedPorts(fabric, len(rows), len(switches), new.partition_files.get(fabric, ""))


def describe_move(move: TenantMove) -> str:
    """Describe a move in a sentence."""
    old, new = (f"tenant {name}" if name else "no tenant" for name in (move.old, move.new))
    several = len(move.devices) > 1
    ports = ", ".join(_describe_ports(touched) for touched in move.touched) or "no port"
    if move.old == move.new:
        return f"{join_names(move.devices)} of {new}: other fabrics keep {'them' if several else 'it'} apart: {ports}"
    return f"{join_names(move.devices)} move{'s' * (not several)} from {old} to {new}: {ports}"


def describe_sharing(old: SizingFigures, new: SizingFigures) -> Iterator[str]:
    """Yield sentences about what tenants begin and cease to share."""
    for tenant in sorted(old.shared.keys() | new.shared.keys()):
        before, after = (set(side.shared.get(tenant, ())) for side in (old, new))
        for verb, names in (("shares", after - before), ("no longer shares", before - after)):
            if names:
                yield f"tenant {tenant} {verb} {join_names(sorted(names))}"


def _describe_ports(touched: TouchedPorts) -> str:
    """Describe the ports of a fabric, with the file of its partitions (InfiniBand) or the number of its switches."""
    ports = f"{touched.ports:,} port{'s' * (touched.ports != 1)}"
    if touched.file:
        return f"{touched.fabric} {ports} in {touched.file}"
    return f"{touched.fabric} {ports} of {touched.switches:,} switch{'es' * (touched.switches != 1)}"


def join_names(names: Sequence[str]) -> str:
    """Join names, with consecutive numbers as ranges: `p1-su02-n001..n032, p1-su03-n001`; count those after a few."""
    runs: list[tuple[str, str, int]] = []
    for name in names:
        head, digits = _split_number(name)
        if runs and digits:
            first, last, count = runs[-1]
            # with equally many digits: `n09` and `n10` are a range, `n9` and `n10` are not
            if _split_number(last) == (head, f"{int(digits) - 1:0{len(digits)}d}"):
                runs[-1] = (first, name, count + 1)
                continue
        runs.append((name, name, 1))
    shown = [first if count == 1 else f"{first}..{last.rpartition('-')[2]}" for first, last, count in runs[:_LISTED]]
    others = sum(count for _, _, count in runs[_LISTED:])
    return ", ".join(shown) + (f" and {others:,} more" if others else "")


def _split_number(name: str) -> tuple[str, str]:
    """Split a name into (name without the number at its end, that number)."""
    digits = re.search(r"\d*$", name)
    number = digits[0] if digits else ""
    return name[: len(name) - len(number)], number
