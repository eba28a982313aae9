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
    """The number of ports of nodes in a fabric, and the number of switches they are on.

    `file` is the name of the file with the partitions of an InfiniBand fabric, "" for other fabrics.
    """

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
    """Return the moves of devices that change tenants, or whose tenants are kept apart in other fabrics, sorted.

    Devices with the same tenancies before and after are one move. `devices` are the names of the devices of both sides,
    in order, and `links` are the links of the new side, both with new names; `renamed` maps old names to new ones.
    """
    old_tenancies = {renamed.get(name, name): tenancy for name, tenancy in old.tenancies.items()}
    moved_names: dict[tuple[Tenancy, Tenancy], list[str]] = {}
    for name in devices if old_tenancies or new.tenancies else ():
        before, after = old_tenancies.get(name, _NOBODY), new.tenancies.get(name, _NOBODY)
        if before != after:
            moved_names.setdefault((before, after), []).append(name)
    return tuple(
        TenantMove(
            before.tenant, after.tenant, tuple(names), tuple(_list_touched_ports(before, after, names, links, new))
        )
        for (before, after), names in sorted(moved_names.items())
    )


def _list_touched_ports(
    before: Tenancy, after: Tenancy, names: Sequence[str], links: Listing, new: SizingFigures
) -> Iterator[TouchedPorts]:
    """Yield, by fabric, how many switch ports of the moved devices (`names`) have to be changed.

    The fabrics are those that keep either tenant apart, before or after the move, and have links of these devices. If
    the tenant stays the same, they are the fabrics that keep it apart on one side only.
    """
    is_moved = find_among(names, links["a_device"])
    same_tenant = before.tenant == after.tenant
    fabrics = {*before.fabrics} ^ {*after.fabrics} if same_tenant else {*before.fabrics, *after.fabrics}
    for fabric in sorted(fabrics):
        rows = np.flatnonzero(is_moved & find_among([fabric], links["fabric"]))
        switches = set(links["b_device"][rows].tolist())
        if len(rows):
            yield TouchedPorts(fabric, len(rows), len(switches), new.partition_files.get(fabric, ""))


def describe_move(move: TenantMove) -> str:
    """Return a sentence about a move: which devices, from and to which tenant, and which ports it affects.

    If the tenant stays the same, it says that other fabrics keep it apart.
    """
    old_tenant, new_tenant = (f"tenant {name}" if name else "no tenant" for name in (move.old, move.new))
    several = len(move.devices) > 1
    ports = ", ".join(_describe_ports(touched) for touched in move.touched) or "no port"
    if move.old == move.new:
        pronoun = "them" if several else "it"
        return f"{join_names(move.devices)} of {new_tenant}: other fabrics keep {pronoun} apart: {ports}"
    return f"{join_names(move.devices)} move{'s' * (not several)} from {old_tenant} to {new_tenant}: {ports}"


def describe_sharing(old: SizingFigures, new: SizingFigures) -> Iterator[str]:
    """Yield sentences about the sets of extra devices that each tenant begins to share, and ceases to share."""
    for tenant in sorted(old.shared.keys() | new.shared.keys()):
        old_sets, new_sets = (set(figures.shared.get(tenant, ())) for figures in (old, new))
        for verb, names in (("shares", new_sets - old_sets), ("no longer shares", old_sets - new_sets)):
            if names:
                yield f"tenant {tenant} {verb} {join_names(sorted(names))}"


def _describe_ports(touched: TouchedPorts) -> str:
    """Describe the ports of a fabric, with the file of its partitions (InfiniBand) or the number of its switches."""
    ports = f"{touched.ports:,} port{'s' * (touched.ports != 1)}"
    if touched.file:
        return f"{touched.fabric} {ports} in {touched.file}"
    return f"{touched.fabric} {ports} of {touched.switches:,} switch{'es' * (touched.switches != 1)}"


def join_names(names: Sequence[str]) -> str:
    """Return names joined, with consecutive numbers as ranges: `p1-su02-n001..n032, p1-su03-n001`.

    After the first `_LISTED` ranges, the other names are counted.
    """
    ranges: list[tuple[str, str, int]] = []  # (first name, last name, number of names)
    for name in names:
        head, digits = _split_number(name)
        if ranges and digits:
            first_name, last_name, count = ranges[-1]
            # with equally many digits: `n09` and `n10` are a range, `n9` and `n10` are not
            if _split_number(last_name) == (head, f"{int(digits) - 1:0{len(digits)}d}"):
                ranges[-1] = (first_name, name, count + 1)
                continue
        ranges.append((name, name, 1))
    shown = [
        first_name if count == 1 else f"{first_name}..{last_name.rpartition('-')[2]}"
        for first_name, last_name, count in ranges[:_LISTED]
    ]
    names_left = sum(count for _, _, count in ranges[_LISTED:])
    return ", ".join(shown) + (f" and {names_left:,} more" if names_left else "")


def _split_number(name: str) -> tuple[str, str]:
    """Split a name into (name without the digits at its end, these digits): `p1-n09` is (`p1-n`, `09`)."""
    digits = re.search(r"\d*$", name)
    number = digits[0] if digits else ""
    return name[: len(name) - len(number)], number
