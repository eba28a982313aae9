"""A change as JSON for programs: complete, sorted, with stable keys (docs/plan.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fabricgen.diff.bill import BomDelta
from fabricgen.diff.compare import ClusterChange
from fabricgen.diff.delta import Delta, list_changed_pairs
from fabricgen.diff.device_places import DevicePlaces
from fabricgen.diff.renaming import NAME
from fabricgen.diff.stages import PushStage
from fabricgen.diff.wording import count_optics_by_part

_INTEGERS = frozenset({"u", "asn", "a_asn", "b_asn", "su", "rail", "plane"})
_FIGURES = frozenset({"length_m", "speed_gbps"})
_END = ("a_device", "a_cage", "b_device", "b_cage")
KINDS = ("devices", "cables", "optics", "links", "addresses", "sessions")
_LEFT_OUT = frozenset({"labels", "family"})


def report(change: ClusterChange, *, every: bool = False, stages: Sequence[PushStage] | None = None) -> str:  # noqa: ARG001
    """Write the whole change, and (if given) the order in which to push; `every` makes no difference."""
    order = [{"what": stage.what, "waves": [list(wave) for wave in stage.waves]} for stage in stages or ()]
    return json.dumps(make_json(change) | ({} if stages is None else {"stages": order}), indent=2)


def make_json(change: ClusterChange) -> dict[str, Any]:
    """Return the whole change as plain data, with null for a missing value, and for a kind that a side lacks.

    A changed row has its ways to change (`what`) and the fields that differ, as `old` and `new`.
    """
    deltas, (old, new) = change.deltas, change.sides
    listed = {
        kind: _convert_delta(deltas[kind], change.places) if kind in deltas else None for kind in (*KINDS, *deltas)
    }
    return {
        "old": old.name,
        "new": new.name,
        "old_set": list(old.sets),
        "new_set": list(new.sets),
        "old_commit": old.commit or None,
        "new_commit": new.commit or None,
        "differences": bool(change),
        "reasons": list(change.reasons),
        "notes": list(change.notes),
        "counts": count_by_kind(change),
        **listed,
        "optics_by_part": {
            part: {"in": come, "out": go} for part, (come, go) in count_optics_by_part(change.optics).items()
        },
        "configs": _convert_configs(change),
        "bom": _convert_bom(change.bom) if change.bom is not None else None,
        "spare_ports": _convert_spare_ports(change),
        "tenants": _convert_tenants(change),
    }


def count_by_kind(change: ClusterChange) -> dict[str, dict[str, int] | None]:
    """Return, by kind, the numbers of rows added, removed and changed in each way; None if a side lacks the kind."""
    deltas = change.deltas
    return {kind: _count_rows(deltas[kind]) if kind in deltas else None for kind in (*KINDS, *deltas)}


def _count_rows(delta: Delta) -> dict[str, int]:
    return ({"renamed": 0} if delta.kind == "devices" else {}) | delta.counts()


def _convert_delta(delta: Delta, places: DevicePlaces) -> dict[str, Any]:
    # the rows of a list that are added, removed and changed, each with its place

    def locate_row(row: Mapping[str, Any]) -> dict[str, Any]:
        rack_place = places.find_place(row[delta.at])
        return {
            "place": {
                "pod": rack_place.pod or None,
                "su": _convert_cell("su", rack_place.su),
                "rack": rack_place.rack or None,
            }
        }

    changed = []
    for number, old, new in list_changed_pairs(delta):
        names = [name for name in delta.list_differing_columns(number) if name not in _LEFT_OUT]
        changed.append(
            {
                **{name: new[name] for name in delta.keys},
                "what": delta.list_changes(number),
                "old": {name: _convert_cell(name, old[name]) for name in names},
                "new": {name: _convert_cell(name, new[name]) for name in names},
                **locate_row(new),
            }
        )
    return {
        "added": [_convert_row(row) | locate_row(row) for row in delta.new.rows(delta.added)],
        "removed": [_convert_row(row) | locate_row(row) for row in delta.old.rows(delta.removed)],
        "changed": changed,
    }


def _convert_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _convert_cell(name, value) for name, value in row.items() if name not in (*_LEFT_OUT, NAME)}


def _convert_cell(name: str, value: Any) -> Any:
    """Return the cell of a column as JSON has it: null for "", numbers as numbers, ends of cables as objects."""
    if isinstance(value, tuple):
        return [dict(zip(_END, end, strict=True)) for end in value]
    if value == "":
        return None
    if name in _INTEGERS:
        return int(value)
    if name in _FIGURES:
        figure = float(value)
        return int(figure) if figure.is_integer() else figure
    return value


def _convert_configs(change: ClusterChange) -> dict[str, Any] | None:
    """Return the configurations that differ, with diffs if these are asked for; None if they were not compared."""
    configs = change.configs
    if configs is None:
        return None
    files = [
        {"device": f.device, "file": f.file, "what": f.state, "lines_added": f.added, "lines_removed": f.removed}
        | ({"diff": f.diff} if change.show_diffs and f.diff else {})
        for f in configs.files
    ]
    return {"judged": configs.judged, "devices": configs.devices, "files": files}


def _convert_bom(bom: BomDelta) -> dict[str, Any]:
    """Return the comparison of two bills of materials: its parts, costs and power."""
    return {
        "parts": [
            {
                "part": row.part,
                "description": row.description,
                "kind": row.kind,
                "old_quantity": row.old_quantity,
                "new_quantity": row.new_quantity,
                "old_bought": row.old_bought,
                "new_bought": row.new_bought,
                "unit_price": row.unit_price,
                "cost": row.cost,
            }
            for row in bom.parts
        ],
        "old_cost": bom.old_cost,
        "new_cost": bom.new_cost,
        "cost": bom.cost,
        "unpriced_parts": bom.unpriced,
        "old_power_w": bom.old_power_w,
        "new_power_w": bom.new_power_w,
        "power_w": bom.power_w,
        "optics_may_count_twice": bom.twice,
    }


def _convert_tenants(change: ClusterChange) -> list[dict[str, Any]]:
    """Return the devices that change tenants, and the ports that this affects; None for no tenant."""
    return [
        {
            "old": move.old or None,
            "new": move.new or None,
            "devices": list(move.devices),
            "fabrics": [touched._asdict() | {"file": touched.file or None} for touched in move.touched],
        }
        for move in change.tenants
    ]


def _convert_spare_ports(change: ClusterChange) -> list[dict[str, Any]]:
    """Return the free ports of each tier on both sides, None for a side without the tier."""
    names = ("ports", "free_on_fullest", "free", "unnumbered")
    return [
        {"fabric": fabric, "tier": tier}
        | {
            side: None if figures is None else dict(zip(names, figures, strict=True))
            for side, figures in (("old", old), ("new", new))
        }
        for (fabric, tier), old, new in change.spare_ports()
    ]
