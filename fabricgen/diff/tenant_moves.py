"""Nodes that change tenants, and the switch ports that this touches."""

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
    """Ports of nodes in a fabric, and the switches that these are on; `file`: what an InfiniBand fabric has it in."""

    fabric: str
    ports: int
    switches: int
    file: str


@dataclass(frozen=True, slots=True)
class TenantMove:
    """Nodes and extra devices, by name, that leave a tenant and join another; "" is none."""

    old: str
    new: str
    devices: tuple[str, ...]
    touched: tuple[TouchedPorts, ...]


def find_tenant_moves(
    old: SizingFigures, new: SizingFigures, devices: Iterable[str], links: Listing, renamed: Mapping[str, str]
) -> tuple[TenantMove, ...]:
    """How devices that both sides have change tenants, or the fabrics that these are kept apart in.

    `devices` are those devices in order and `links` the links of the new side, both by their new names; `renamed` are
    new names by old ones.
    """
    was = {renamed.get(name, name): tenancy for name, tenancy in old.tenancies.items()}
    moved: dict[tuple[Tenancy, Tenancy], list[str]] = {}
    for name in devices if was or new.tenancies else ():
        pair = was.get(name, _NOBODY), new.tenancies.get(name, _NOBODY)
        if pair[0] != pair[1]:
            moved.setdefault(pair, []).append(name)
    return tuple(
        TenantMove(pair[0].tenant, pair[1].tenant, tuple(names), tuple(_list_touched_ports(pair, names, links, new)))
        for pair, names in sorted(moved.items())
    )


def _list_touched_ports(
    pair: tuple[Tenancy, Tenancy], names: Sequence[str], links: Listing, new: SizingFigures
) -> Iterator[TouchedPorts]:
    # the switch ports of moved devices in each fabric that keeps tenants apart, or did
    of_devices = find_among(names, links["a_device"])
    same_tenant = pair[0].tenant == pair[1].tenant
    fabrics = {*pair[0].fabrics} ^ {*pair[1].fabrics} if same_tenant else {*pair[0].fabrics, *pair[1].fabrics}
    for fabric in sorted(fabrics):
        rows = np.flatnonzero(of_devices & find_among([fabric], links["fabric"]))
        switches = set(links["b_device"][rows].tolist())
        if len(rows):
            yield TouchedPorts(fabric, len(rows), len(switches), new.partition_files.get(fabric, ""))


def describe_move(move: TenantMove) -> str:
    """A move in words."""
    old, new = (f"tenant {name}" if name else "no tenant" for name in (move.old, move.new))
    several = len(move.devices) > 1
    ports = ", ".join(_describe_ports(touched) for touched in move.touched) or "no port"
    if move.old == move.new:
        return f"{join_names(move.devices)} of {new}: other fabrics keep {'them' if several else 'it'} apart: {ports}"
    return f"{join_names(move.devices)} move{'s' * (not several)} from {old} to {new}: {ports}"


def describe_sharing(old: SizingFigures, new: SizingFigures) -> Iterator[str]:
    """What tenants begin and cease to share, in words."""
    for tenant in sorted(old.shared.keys() | new.shared.keys()):
        before, after = (set(side.shared.get(tenant, ())) for side in (old, new))
        for verb, names in (("shares", after - before), ("no longer shares", before - after)):
            if names:
                yield f"tenant {tenant} {verb} {join_names(sorted(names))}"


def _describe_ports(touched: TouchedPorts) -> str:
    """Switches have configurations of their own, and an InfiniBand fabric a file."""
    ports = f"{touched.ports:,} port{'s' * (touched.ports != 1)}"
    if touched.file:
        return f"{touched.fabric} {ports} in {touched.file}"
    return f"{touched.fabric} {ports} of {touched.switches:,} switch{'es' * (touched.switches != 1)}"


def join_names(names: Sequence[str]) -> str:
    """Names with runs of numbers drawn together, the first of them: `p1-su02-n001..n032, p1-su03-n001`."""
    runs: list[tuple[str, str, int]] = []
    for name in names:
        head, digits = _split_number(name)
        if runs and digits:
            first, last, count = runs[-1]
            before = _split_number(last)
            # with as many digits: `n9` and `n10` are no run, `n09` and `n10` are
            if before == (head, f"{int(digits) - 1:0{len(digits)}d}"):
                runs[-1] = (first, name, count + 1)
                continue
        runs.append((name, name, 1))
    shown = [first if count == 1 else f"{first}..{last.rpartition('-')[2]}" for first, last, count in runs[:_LISTED]]
    more = sum(count for _, _, count in runs[_LISTED:])
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _split_number(name: str) -> tuple[str, str]:
    """(the name without the number at its end, that number)."""
    digits = re.search(r"\d*$", name)
    number = digits[0] if digits else ""
    return name[: len(name) - len(number)], number
