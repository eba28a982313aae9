"""The front of each model: its rack units, and its cages as [x, y, w, h, label, ports] in shares of the front."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.catalog.profile import DeviceProfile
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.export.drawings.port_layout import ACROSS, OTHERWISE, CageColumn, Panel, list_panels
from fabricgen.export.view.source import PageSource
from fabricgen.wiring.tables import TRAY, DeviceClass, ManagementPort, ScaleUpPort


def block(source: PageSource) -> dict[str, Any]:
    """Return, by model, its rack units and its cages; `ports` is the most ports in use in a cage of any device of the
    model.
    """
    units = {cls.profile.id: cls.profile.rack_units for cls in source.cluster.plan.devices.classes}
    return {
        model: {"units": units[model], "cages": [list(astuple(cage)) for cage in cages]}
        for model, cages in list_fronts(source.cluster).items()
    }


# The front of each model: its cages as rectangles, in shares of its width and height.
# Switches have the rows and columns of `export.drawings.port_layout`. Not all makers of nodes publish the positions of
# ports: the ports of a node stand side by side in the order of the catalogue, which lists them without positions.

WIDTH_MM, UNIT_MM = 450.0, 44.45
"""Width of a front between the posts of a 19-inch rack, and height of one rack unit (EIA-310)."""

TALLEST_MM = 20.0
"""The largest height of a cage."""

_EDGE_MM = 6.0
_RJ45_MM = 16.0
_GAP_MM = 5.0
"""Space between cages of different kinds."""


@dataclass(frozen=True, slots=True)
class DrawnCage:
    """A cage of a front: upper left corner and size as shares of the front, its label, and the most ports in
    use there.
    """

    x: float
    y: float
    w: float
    h: float
    label: str
    ports: int


def list_fronts(cluster: Cluster) -> dict[str, tuple[DrawnCage, ...]]:
    """Return the cages of every model of a cluster, by its id, in the order of the front."""
    ports, managed = _count_ports_by_cage(cluster), _list_management_ports(cluster)
    cages_by_model: dict[str, tuple[DrawnCage, ...]] = {}
    for cls in cluster.plan.devices.classes:
        model, ports_by_cage = cls.profile.id, ports.get(cls.profile.id, {})
        if isinstance(cls.profile, NodeProfile):
            cages_by_model[model] = tuple(
                _arrange_cages(
                    cls.profile,
                    _list_cage_widths(cls.profile) | _list_unlisted_widths(cls, ports_by_cage),
                    ports_by_cage,
                )
            )
        elif cls.kind == TRAY:  # the catalogue's cages of a tray are those of its backplane
            cages_by_model[model] = (
                *_arrange_cages(cls.profile, _list_unlisted_widths(cls, ports_by_cage), ports_by_cage),
                *_list_management_cages(cls, managed),
            )
        else:
            cages_by_model[model] = (
                *_list_switch_cages(cls.profile, ports_by_cage, bool(managed.get(model))),
                *_list_management_cages(cls, managed),
            )
    return cages_by_model


def _count_ports_by_cage(cluster: Cluster) -> dict[str, dict[str, int]]:
    """Return {model: {label of a cage: ports in use there}}; of devices that differ, the one with most ports in a cage
    counts.
    """
    links, devices = cluster.plan.links, cluster.plan.devices
    counts_by_model: dict[str, dict[str, int]] = {}
    for i, segment in enumerate(links.segments):
        rows = links.find_rows(i)
        if rows.start == rows.stop or segment.backplane:
            continue
        for end, column in ((segment.a, links.a_device), (segment.b, links.b_device)):
            if isinstance(end, Attachment):
                _raise_counts(counts_by_model.setdefault(end.profile.id, {}), Counter(leg.cage for leg in end.legs))
            elif isinstance(end, ScaleUpPort):
                ports = links.a_port if column is links.a_device else links.b_port
                for cls, class_rows in devices.split_by_class(column, rows):
                    names = end.list_names(int(ports[class_rows].max()) + 1, cage=True)
                    _raise_counts(counts_by_model.setdefault(cls.profile.id, {}), Counter(names))
            elif isinstance(end, PortRun):
                for cls, _ in devices.split_by_class(column, rows):
                    if isinstance(cls.profile, SwitchProfile):
                        counts = {cls.profile.cage_label(cage): end.ways for cage in end.cages if cage}
                        _raise_counts(counts_by_model.setdefault(cls.profile.id, {}), counts)
    return counts_by_model


def _raise_counts(highest: dict[str, int], counts: Mapping[str, int]) -> None:
    """Raise each count in `highest` to that in `counts` if it is lower."""
    for cage, count in counts.items():
        highest[cage] = max(highest.get(cage, 0), count)


def _list_management_ports(cluster: Cluster) -> dict[str, list[str]]:
    """Return {model of switch: names of its management ports in use}.

    A model has several names if its switches run NOSes that name the port differently.
    """
    links, names_by_model = cluster.plan.links, dict[str, list[str]]()
    a_cage, b_cage = cluster.port_names.cage_columns
    for i, segment in enumerate(links.segments):
        rows = links.find_rows(i)
        ends = ((segment.a, links.a_device, a_cage), (segment.b, links.b_device, b_cage))
        for end, device, cages in ends if rows.start < rows.stop else ():
            for cls, class_rows in (
                cluster.plan.devices.split_by_class(device, rows) if isinstance(end, ManagementPort) else ()
            ):
                names = names_by_model.setdefault(cls.profile.id, [])
                codes = np.unique(cages.codes[class_rows])
                names += [name for name in cages.vocabulary[codes].tolist() if name not in names]
    return names_by_model


def _list_switch_cages(profile: SwitchProfile, ports: Mapping[str, int], managed: bool) -> Iterator[DrawnCage]:
    """Yield the cages of a switch, panel by panel from the top.

    `ports` has the ports in use by label of the cage; a switch that is `managed` leaves space for its management port.
    """
    panels, height = list_panels(profile), profile.rack_units * UNIT_MM
    cages_width = WIDTH_MM - 2 * _EDGE_MM - (_RJ45_MM + _GAP_MM if managed else 0)
    for number, panel in enumerate(panels):
        panel_height = height / len(panels)
        widths = [WIDTH_MM / _count_across(profile.cages[column.kind].form_factor) for column in panel.columns]
        gaps = _GAP_MM * (len({column.kind for column in panel.columns}) - 1)
        shrink = min(1.0, (cages_width - gaps) / sum(widths))
        cage_height = min(TALLEST_MM, 0.9 * panel_height / panel.rows)
        top = number * panel_height + (panel_height - cage_height * panel.rows) / 2
        for column, x, column_width in _place_columns(panel, [width * shrink for width in widths]):
            for row, cage in enumerate(column.cages):
                label = profile.cage_label(cage)
                yield _make_cage(
                    (x, top + row * cage_height, column_width, cage_height), height, label, ports.get(label, 0)
                )


def _place_columns(panel: Panel, widths: list[float]) -> Iterator[tuple[CageColumn, float, float]]:
    """Yield (column, its left edge, its width) from left to right, in mm."""
    x, kind = _EDGE_MM, panel.columns[0].kind
    for column, width in zip(panel.columns, widths, strict=True):
        x += _GAP_MM if column.kind != kind else 0
        kind = column.kind
        yield column, x, width
        x += width


def _list_management_cages(cls: DeviceClass, managed: Mapping[str, list[str]]) -> Iterator[DrawnCage]:
    """Yield the management ports of a switch, one above the other at the right end of its front."""
    height = cls.profile.rack_units * UNIT_MM
    names = managed.get(cls.profile.id, [])
    cage_height = min(TALLEST_MM, 0.9 * height / max(1, len(names)))
    for i, name in enumerate(names):
        yield _make_cage(
            (
                WIDTH_MM - _EDGE_MM - _RJ45_MM,
                (height - cage_height * len(names)) / 2 + i * cage_height,
                _RJ45_MM,
                cage_height,
            ),
            height,
            name,
            1,
        )


def _list_cage_widths(profile: NodeProfile) -> dict[str, float]:
    """Return the width of each cage of a node, in mm."""
    return {
        port.cage: WIDTH_MM / _count_across(role.form_factor) for role in profile.roles.values() for port in role.ports
    }


def _list_unlisted_widths(cls: DeviceClass, ports: Mapping[str, int]) -> dict[str, float]:
    """Return the widths, in mm, of the ports of scale-up cables, for which the catalogue has no cages."""
    listed = _list_cage_widths(cls.profile) if isinstance(cls.profile, NodeProfile) else {}
    return {cage: WIDTH_MM / ACROSS["LC"] for cage in ports if cage not in listed}


def _arrange_cages(
    profile: DeviceProfile, widths: Mapping[str, float], ports: Mapping[str, int]
) -> Iterator[DrawnCage]:
    """Yield cages side by side in rows, the first row on top; the rows fill the front from its bottom.

    `widths` are in mm, `ports` has the ports in use by cage.
    """
    height, row_width = profile.rack_units * UNIT_MM, WIDTH_MM - 3 * _EDGE_MM - _RJ45_MM
    rows: list[list[str]] = [[]]
    for cage, width in widths.items():
        if rows[-1] and sum(widths[cage_in_row] for cage_in_row in rows[-1]) + width > row_width:
            rows.append([])
        rows[-1].append(cage)
    cage_height = min(TALLEST_MM, 0.9 * height / len(rows))
    for number, row in enumerate(rows):
        x, y = _EDGE_MM, 0.97 * height - (len(rows) - number) * cage_height
        for cage in row:
            yield _make_cage((x, y, widths[cage], cage_height), height, cage, ports.get(cage, 0))
            x += widths[cage]


def _count_across(form_factor: str) -> int:
    """Return how many cages of a form factor fit side by side in a front."""
    return next((most for start, most in ACROSS.items() if form_factor.startswith(start)), OTHERWISE)


def _make_cage(box_mm: tuple[float, float, float, float], height: float, label: str, ports: int) -> DrawnCage:
    """Return a cage from its box (x, y, width, height) in mm, less a small wall around it.

    `height` is that of the front, in mm.
    """
    x, y, w, h = box_mm
    wall = 0.06 * min(w, h)
    left, top = round((x + wall) / WIDTH_MM, 4), round((y + wall) / height, 4)
    return DrawnCage(left, top, round((w - 2 * wall) / WIDTH_MM, 4), round((h - 2 * wall) / height, 4), label, ports)
