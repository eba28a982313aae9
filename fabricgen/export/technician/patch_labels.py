"""Labels of structured cabling: for both ends of each jumper, at cage and panel, and for both ends of each trunk.

A panel port reads like any other end: `h1.R01.P01-U48:12`; a trunk reads as the range of ports it lies behind: `:1-18`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.files import patches, trunks
from fabricgen.export.locations import rack_places
from fabricgen.export.plugs import cable_end_ports, with_port
from fabricgen.export.table import Cell
from fabricgen.export.technician.records import Records
from fabricgen.kernel.units import number
from fabricgen.wiring.patching.tables import Patching

Label = dict[str, Cell]
"""A row of labels.csv."""

Row = dict[str, Any]
"""A row of patches.csv or trunks.csv."""


@dataclass(frozen=True, slots=True)
class _End:
    """An end of a jumper or trunk: device or panel, port, and location."""

    device: str
    port: str
    location: str


def patch_labels(found: Records, patching: Patching) -> list[Label]:
    """Labels of trunks, which are laid first, then of jumpers in the order in which their cables are pulled."""
    return [*_trunk_labels(found.cluster, patching), *_jumper_labels(found, patching)]


def _rows(columns: Any) -> list[Row]:
    """A table's columns as rows."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _trunk_labels(cluster: Cluster, patching: Patching) -> list[Label]:
    places = dict(zip(cluster.plan.racks.names, rack_places(cluster).tolist(), strict=True))
    made = []
    for row in _rows(trunks.table(cluster, patching).columns):
        a, b = (
            _End(
                row[f"{side}_panel"],
                row[f"{side}_ports"],
                f"{places[row[f'{side}_rack']]}-U{row[f'{side}_u']:02d}:{row[f'{side}_ports']}",
            )
            for side in "ab"
        )
        what = {"cable": row["trunk"], "part": row["part"], "medium": "trunk", "length_m": row["length_m"]}
        told = f"{row['fibres']} fibres {number(row['length_m'])} m"
        plain = {"tag": "", "colour": "", "colour_name": "", "bundle": "", "order": 0}
        made += [_label(what | plain, "a", a, b, told), _label(what | plain, "b", b, a, told)]
    return made


def _jumper_labels(found: Records, patching: Patching) -> list[Label]:
    """Labels of both ends of each jumper, one for each plug; that of a splitter's common end says how many other ends
    it has.
    """
    rows = _rows(patches.table(found.cluster, patching).columns)
    cages, ports = list(_cages(found, patching, [row["socket"] for row in rows])), list(_ports(found.cluster, rows))
    texts = _texts(found, patching, rows)
    at_cage = Counter(cages)
    at_port = Counter((row["cable"], port) for row, port in zip(rows, ports, strict=True))
    several, nth = Counter((row["cable"], row["end"]) for row in rows), Counter[tuple[str, str]]()
    told: set[object] = set()
    made: list[Label] = []
    for row, cage, port, (what, text) in zip(rows, cages, ports, texts, strict=True):
        key = row["cable"], row["end"]
        nth[key] += 1
        count = str(nth[key]) if several[key] > 1 else ""
        if cage not in told:
            made.append(_label(what, row["end"] + count, cage, port, text, at_cage[cage]))
        if (row["cable"], port) not in told:
            made.append(_label(what, f"{row['end']}p{count}", port, cage, text, at_port[row["cable"], port]))
        told |= {cage, (row["cable"], port)}
    return sorted(made, key=lambda label: int(label["order"]))


def _cages(found: Records, patching: Patching, sockets: Sequence[str]) -> Iterator[_End]:
    """The cage end of each row of patches.csv, whose `sockets` are given."""
    a, b = patches.end_rows(found.cluster, patching)
    several = found.cluster.plan.cables.end_links > 1
    told = iter(sockets)
    for end, (rows, cages, ports) in enumerate(zip((a, b), *cable_end_ports(found.cluster), strict=True)):
        device = found.cluster.name_column[found.device[end][rows]].tolist()
        columns = cages.take(rows), ports.take(rows), several[rows].tolist(), found.place[end][rows].tolist()
        for name, cage, port, many, place in zip(device, *columns, strict=True):
            socket = next(told)
            yield _End(name, with_port(socket, cage, port, several=many), f"{place}:{socket}")


def _ports(cluster: Cluster, rows: Sequence[Row]) -> Iterator[_End]:
    """The panel port of each row of patches.csv."""
    places = dict(zip(cluster.plan.racks.names, rack_places(cluster).tolist(), strict=True))
    for row in rows:
        yield _End(row["panel"], str(row["port"]), f"{places[row['rack']]}-U{row['u']:02d}:{row['port']}")


def _texts(found: Records, patching: Patching, rows: Sequence[Row]) -> Iterator[tuple[Label, str]]:
    """(fields that both labels of a jumper share, their third line) for each row of patches.csv."""
    end_row, cables = np.concatenate(patches.end_rows(found.cluster, patching)), found.cluster.plan.cables
    for row, number_ in zip(rows, end_row.tolist(), strict=True):
        cable, tag = int(found.cable[number_]), found.tags[int(found.tag[number_])]
        medium = cables.media[int(cables.medium[cable])].medium
        what: Label = {
            **{name: row[name] for name in ("cable", "part", "length_m")},
            "medium": medium,
            "tag": tag.text,
            "colour": tag.fill,
            "colour_name": tag.word,
            "bundle": found.pull.names[int(found.pull.bundle[number_])],
            "order": int(found.pull.order[number_]),
        }
        yield what, f"{tag.text} {medium} {number(row['length_m'])} m"


def _label(what: Label, end: str, near: _End, far: _End, told: str, far_ends: int = 1) -> Label:
    more = f" +{far_ends - 1}" if far_ends > 1 else ""
    return what | {
        "end": end,
        "line1": near.location,
        "line2": far.location + more,
        "line3": told,
        **{f"near_{name}": getattr(near, name) for name in ("device", "port", "location")},
        **{f"far_{name}": getattr(far, name) for name in ("device", "port", "location")},
        "far_ends": far_ends,
        "code": f"{what['cable']}|{end}",
    }
