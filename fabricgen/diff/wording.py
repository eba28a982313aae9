"""A change in words: counts by kind, and lines for single rows, grouped by unit and rack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from fabricgen.diff.bill import describe_part
from fabricgen.diff.compare import ClusterChange
from fabricgen.diff.delta import Delta
from fabricgen.diff.device_places import DevicePlace
from fabricgen.kernel.diagnostics import make_printable

TITLES: Mapping[str, str] = {
    "devices": "devices",
    "cables": "cables",
    "optics": "optics",
    "addresses": "addresses",
    "sessions": "BGP sessions",
    "links": "links",
    "patches": "jumpers to panels",
}
"""Titles by kind, in the order of reports."""

_ONE: Mapping[str, str] = {
    "devices": "device",
    "cables": "cable",
    "optics": "optic",
    "addresses": "address",
    "sessions": "session",
    "links": "link",
    "patches": "jumper",
}
_IN_WORDS: Mapping[str, str] = {"sessions.changed": "flap", "sessions.removed": "end", "sessions.added": "come up"}
_LINK_WAYS = ("other-speed",)
"""Ways in which links change that show in neither cables nor addresses."""

Selected: TypeAlias = dict[str, "list[int]"]


def spell_change(change: str) -> str:
    """Return a way to change, such as `other-length`, in words: `other length`."""
    return change.replace("other-", "other ")


def split_counts(delta: Delta) -> tuple[dict[str, int], dict[str, int]]:
    """Return the numbers of rows removed and added, and the numbers changed in each way ({} if none is changed)."""
    counts = delta.counts()
    moves = {name: counts.pop(name) for name in ("removed", "added")}
    changed = counts.pop("changed")
    return moves, counts if changed else {}


def describe_delta(delta: Delta) -> str:
    """Return the counts of a kind in words; for sessions that flap, with the causes in brackets."""
    moves, changes = (_spell_counts(counts) for counts in split_counts(delta))
    if delta.kind == "sessions" and len(delta.was):
        return ", ".join([*moves, f"{len(delta.was):,} flap ({', '.join(changes)})"])
    return ", ".join([*moves, *changes])


def _spell_counts(counts: Mapping[str, int]) -> list[str]:
    return [f"{n:,} {spell_change(change)}" for change, n in counts.items() if n]


@dataclass
class RackChanges:
    """The changes in one rack: `rows` by kind of list and by state, and `files` as indexes into those of the change.

    `rows["cables"]["added"]` are indexes among the added rows of the cables; states are added, removed and changed.
    """

    place: DevicePlace
    rows: dict[str, Selected] = field(default_factory=dict)
    files: list[int] = field(default_factory=list)

    def count_lines(self) -> int:
        """Return the number of lines that a full listing takes."""
        return sum(len(rows) for selected in self.rows.values() for rows in selected.values()) + len(self.files)


def group_by_rack(change: ClusterChange) -> list[RackChanges]:
    """Group all rows of a change by rack, in the order of units and racks.

    Links are listed only if neither cables nor addresses show them.
    """
    groups: dict[int, RackChanges] = {}
    deltas = change.deltas
    for kind in TITLES:
        delta = deltas.get(kind)
        for state, places in change.places.find_indexes_by_state(delta).items() if delta else ():
            assert delta is not None  # noqa: S101 - it has places
            rows = _select_listed_rows(delta, state, len(places))
            order = rows[np.argsort(places[rows], kind="stable")]
            for number, rack_rows in _split_by_place(places[order], order):
                group = groups.setdefault(number, RackChanges(change.places.all[number]))
                group.rows.setdefault(kind, {})[state] = rack_rows
    for i, file in enumerate(change.configs.files if change.configs else ()):
        rack_place = change.places.find_place(file.device)
        number = change.places.all.index(rack_place)
        groups.setdefault(number, RackChanges(rack_place)).files.append(i)
    return [groups[number] for number in sorted(groups)]


def _select_listed_rows(delta: Delta, state: str, count: int) -> Any:
    """Return the indexes of the rows that are listed, of the `count` rows of a state; int64.

    These are all rows, except of links: of these, only added and removed ones without a cable are listed, and those
    that change in one of `_LINK_WAYS`.
    """
    if delta.kind != "links":
        return np.arange(count)
    if state == "changed":
        return np.flatnonzero(np.logical_or.reduce([delta.ways[change] for change in _LINK_WAYS]))
    side, rows = (delta.old, delta.removed) if state == "removed" else (delta.new, delta.added)
    return np.flatnonzero(np.asarray(side["cable"][rows] == "", dtype=bool))


def _split_by_place(places: Any, rows: Any) -> Iterator[tuple[int, list[int]]]:
    """Yield (place, rows at that place) from rows that are sorted by their places, each a number."""
    numbers, starts = np.unique(places, return_index=True)
    bounds = [*starts.tolist(), len(rows)]
    for i, number in enumerate(numbers.tolist()):
        yield number, rows[bounds[i] : bounds[i + 1]].tolist()


def summarize_racks(change: ClusterChange, groups: Sequence[RackChanges]) -> str:
    """Return the changes of some racks in one line: 4 devices added, 12 cables moved.

    A row that changed in several ways counts for each of them, but a session that flaps counts once.
    """
    counts: Counter[str] = Counter()
    deltas = change.deltas
    for kind in TITLES:
        for group in groups:
            for state, rows in group.rows.get(kind, {}).items():
                if state != "changed" or kind == "sessions":
                    counts[f"{kind}.{state}"] += len(rows)
                    continue
                for change_kind, flags in deltas[kind].ways.items():
                    counts[f"{kind}.{change_kind}"] += int(flags[rows].sum())
    files = sum(len(group.files) for group in groups)
    phrases = [_spell_count(kind_and_change, count) for kind_and_change, count in counts.items() if count]
    return ", ".join([*phrases, *([f"{files:,} config file{'s' * (files != 1)}"] if files else [])])


def _spell_count(kind_and_change: str, count: int) -> str:
    """Return a count of rows in words; `kind_and_change` is such as `cables.moved`."""
    kind, change = kind_and_change.split(".")
    name = TITLES[kind] if count != 1 else ("BGP session" if kind == "sessions" else _ONE[kind])
    return f"{count:,} {name} {_IN_WORDS.get(kind_and_change) or spell_change(change)}"


def list_rack_lines(change: ClusterChange, group: RackChanges, limit: int) -> Iterator[str]:
    """Return an iterator over the first `limit` lines of a rack, in the order of `_list_all_lines`."""
    return islice(_list_all_lines(change, group), limit)


def _list_all_lines(change: ClusterChange, group: RackChanges) -> Iterator[str]:
    """Yield a line for every change in a rack: changed rows first, then removed, then added ones, then config files."""
    deltas = change.deltas
    for state in ("changed", "removed", "added"):
        for kind in TITLES:
            for row in group.rows.get(kind, {}).get(state, ()):
                yield _write_line(deltas[kind], state, row)
    for i in group.files:
        assert change.configs is not None  # noqa: S101 - the group has files of it
        file = change.configs.files[i]
        yield make_printable(f"~ config {file.device} {file.file}: {file.state}, +{file.added} -{file.removed} lines")


def _write_line(delta: Delta, state: str, row: int) -> str:
    """Return one change as a line, which begins with `~` if its row is changed, `-` if removed, `+` if added.

    `row` is an index among the rows of that state.
    """
    kind = _ONE[delta.kind]
    if state == "changed":
        old, new = delta.old.read_row(int(delta.was[row])), delta.new.read_row(int(delta.now[row]))
        changes = ", ".join(spell_change(change_kind) for change_kind in delta.list_changes(row))
        text = f"~ {kind} {_spell_key(delta, new)} {changes}: {'; '.join(_list_differences(delta, row, old, new))}"
    elif state == "removed":
        text = f"- {kind} {_describe_row(delta, delta.old.read_row(int(delta.removed[row])))}"
    else:
        text = f"+ {kind} {_describe_row(delta, delta.new.read_row(int(delta.added[row])))}"
    return make_printable(text)


def _spell_key(delta: Delta, row: Mapping[str, Any]) -> str:
    return ":".join(filter(None, (str(row[name]) for name in delta.keys)))


def _describe_row(delta: Delta, row: Mapping[str, Any]) -> str:
    """Return the text for a row that was added or removed."""
    key = _spell_key(delta, row)
    if delta.kind == "devices":
        return f"{key} ({row['model']}{', ' if row['u'] else ''}{'u' + row['u'] if row['u'] else ''})"
    if delta.kind == "cables":
        return f"{key} > {describe_far_ends(row['cable'], row['ends'])} ({row['part']}, {row['length_m']} m)"
    if delta.kind == "optics":
        return f"{key} {row['part']}"
    if delta.kind == "addresses":
        return f"{key} {row['prefix']} ({row['kind']})"
    if delta.kind == "patches":
        return f"{key} > {row['panel']}:{row['port']}"
    if delta.kind == "sessions":
        return f"{key} > {row['b_device']}:{row['b_port']} (AS {row['a_asn']}, AS {row['b_asn']})"
    return f"{key} > {row['b_device']}:{row['b_port']} ({row['speed_gbps']}G)"


def _list_differences(delta: Delta, pair: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield `field old -> new` for each difference of a changed pair of rows, "" as `none`.

    A changed far end (device and port) is one difference. Ends of cables are described as far as they differ, and
    labels are left out if the ends differ.
    """
    names = delta.list_differing_columns(pair)
    if "b_device" in names or "b_port" in names:
        yield f"{old['b_device']}:{old['b_port']} -> {new['b_device']}:{new['b_port']}"
    for name in names:
        if name == "ends":
            # the far ends if they differ, else the near ones; both if the cable is at no device that its id names
            describe = (
                describe_far_ends
                if describe_far_ends(old["cable"], old["ends"]) != describe_far_ends(new["cable"], new["ends"])
                else describe_near_ends
            )
            ends_at_owner = _is_at_owner(old["cable"], old["ends"]) and _is_at_owner(new["cable"], new["ends"])
            describe = describe if ends_at_owner else describe_both_ends
            yield f"{describe(old['cable'], old['ends'])} -> {describe(new['cable'], new['ends'])}"
        elif name == "labels":
            if "ends" not in names:
                yield f"label {old['labels'][0][0]} -> {new['labels'][0][0]}"
        elif name not in ("b_device", "b_port"):
            yield f"{name} {old[name] or 'none'} -> {new[name] or 'none'}"


def describe_far_ends(cable: str, ends: Sequence[tuple[str, str, str, str]]) -> str:
    """Return where a cable goes, seen from the device in its id: `device:cage`, several ends joined by ` + `."""
    owner = cable.rpartition(":")[0]
    return " + ".join(f"{b}:{b_cage}" if a == owner else f"{a}:{a_cage}" for a, a_cage, b, b_cage in ends)


def describe_near_ends(cable: str, ends: Sequence[tuple[str, str, str, str]]) -> str:
    """Return where a cable is plugged in on the device in its id, as `device:cage`, several cages joined by ` + `."""
    owner = cable.rpartition(":")[0]
    cages = (f"{a}:{a_cage}" if a == owner else f"{b}:{b_cage}" for a, a_cage, b, b_cage in ends)
    return " + ".join(dict.fromkeys(cages))


def describe_both_ends(cable: str, ends: Sequence[tuple[str, str, str, str]]) -> str:  # noqa: ARG001
    """Return both ends of a cable, for cables that need not be at the device in their id, such as those of a NetBox."""
    return " + ".join(f"{a}:{a_cage} to {b}:{b_cage}" for a, a_cage, b, b_cage in ends)


def _is_at_owner(cable: str, ends: Sequence[tuple[str, str, str, str]]) -> bool:
    return all(cable.rpartition(":")[0] in (a, b) for a, _, b, _ in ends)


def name_unit(rack_place: DevicePlace) -> str:
    """Return a unit in words: `p1 su 5`; `p1 shared` for racks of a whole pod, `shared` for racks of several pods."""
    return make_printable(
        f"{rack_place.pod} su {rack_place.su}"
        if rack_place.su
        else f"{rack_place.pod} shared"
        if rack_place.pod
        else "shared"
    )


def group_by_unit(groups: Sequence[RackChanges]) -> dict[str, list[RackChanges]]:
    """Return the changes of racks by their unit, named as by `name_unit`; units and racks stay in the given order."""
    units: dict[str, list[RackChanges]] = {}
    for group in groups:
        units.setdefault(name_unit(group.place), []).append(group)
    return units


# The summary of a report: totals, reasons, cost, and remaining ports.


def list_totals(change: ClusterChange) -> Iterator[tuple[str, str]]:
    """Yield (title, totals in words) for every kind that was compared."""
    for kind, title in TITLES.items():
        delta = change.deltas.get(kind)
        if delta is not None:
            yield title, describe_delta(delta) or "no change"
    if change.configs is not None:
        yield "switch configs", describe_configs(change)


def describe_configs(change: ClusterChange) -> str:
    """Return in words how many configurations differ; "" if they were not compared."""
    configs = change.configs
    if configs is None:
        return ""
    if not configs.judged:
        return f"up to {configs.devices:,} switches differ; --configs renders them all to see"
    devices = len({file.device for file in configs.files})
    added, removed = (sum(getattr(f, name) for f in configs.files) for name in ("added", "removed"))
    files = f"{len(configs.files):,} file{'s' * (len(configs.files) != 1)} of {devices:,} switch{'es' * (devices != 1)}"
    return f"{files}, +{added:,} -{removed:,} lines" if configs.files else "no change"


def count_optics_by_part(delta: Delta) -> dict[str, tuple[int, int]]:
    """Return (transceivers to plug in, to take out) by part; one that is swapped counts as both."""
    come = Counter(delta.new["part"][delta.added].tolist()) + Counter(delta.new["part"][delta.now].tolist())
    go = Counter(delta.old["part"][delta.removed].tolist()) + Counter(delta.old["part"][delta.was].tolist())
    return {part: (come[part], go[part]) for part in sorted(come.keys() | go.keys())}


def list_sections(change: ClusterChange) -> list[tuple[str, Sequence[str]]]:
    """Return (title, lines) of the sections below the totals of a summary; sections without lines are included."""
    optics = count_optics_by_part(change.optics).items() if change.optics else ()
    return [
        ("why", change.reasons),
        ("parts", [*map(describe_part, change.bom.parts)] if change.bom else []),
        ("optics", [f"{part}: {come:,} in, {go:,} out" for part, (come, go) in optics]),
        ("down ports left", [*list_spare_ports(change)] if any(change.shapes) else []),
        ("not compared", change.notes),
    ]


def list_spare_ports(change: ClusterChange) -> Iterator[str]:
    """Yield a sentence about the free down ports of every tier.

    It says how many are free on the fullest switch and in the whole tier, and how many ports of a switch are neither in
    use nor set aside for later (`unnumbered`). A figure that differs between the sides is given as `old -> new`.
    """
    for (fabric, tier), old, new in change.spare_ports():
        if (figures := new or old) is None:
            continue
        name = f"{fabric} {tier}"
        if old == new or old is None or new is None:
            ports, least_free, free, unnumbered = figures
            # a side of which only lists are known does not tell whether the tier goes
            remark = "" if new or change.shapes[1] is None else " (the tier goes)"
            yield (
                f"{name}: {least_free} of {ports} on the fullest switch, {free:,} in all, "
                f"{unnumbered} unnumbered{remark}"
            )
        else:
            ports_text, least_free_text, free_text, unnumbered_text = (
                f"{was:,} -> {now:,}" if was != now else f"{now:,}" for was, now in zip(old, new, strict=True)
            )
            yield (
                f"{name}: {least_free_text} of {ports_text} on the fullest switch, {free_text} in all, "
                f"{unnumbered_text} unnumbered"
            )
