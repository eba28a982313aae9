"""Books to print: an index, floor plans, models of nodes, the racks row by row, and the fronts of their switches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from markupsafe import Markup

from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.export.drawings.floor_pages import A3, A4, Paper, sheets
from fabricgen.export.drawings.floor_plan import floor_plan
from fabricgen.export.drawings.port_layout import PAGE_WIDTH, CageBlock, NodeCage, NodePorts, Socket, node_ports
from fabricgen.export.drawings.port_map import port_maps
from fabricgen.export.drawings.rack_contents import PANEL_SWATCH, Racks, elevation
from fabricgen.export.drawings.rack_kinds import RackKinds
from fabricgen.export.drawings.svg import STYLE, box, document, drawing, label, path, rect, width_of
from fabricgen.export.drawings.switch_ports import PortMaps
from fabricgen.export.locations import hall_places, row_places
from fabricgen.export.palette import LIGHT, PATTERNS, SHADES, Swatch, cluster_swatches, ink_on, plane_mark, rail_fill
from fabricgen.kernel.discovery import resource_dir
from fabricgen.kernel.templates import built_in_pages

MOST_RACKS = 128
"""The most racks of a single book; with more, each row and the switches of each rack get a book of their own, which
opens at once.
"""

RACKS_A_PAGE = 5
"""Elevations side by side on a landscape A4 page."""

_MARKS = {
    "solid": "M0 .6h1.2M0 .3h1.2M0 .9h1.2M0 0h1.2M0 1.2h1.2",
    "diagonal": "M0 1.2L1.2 0",
    "backslash": "M0 0L1.2 1.2",
    "cross": "M0 0L1.2 1.2M0 1.2L1.2 0",
    "horizontal": "M0 .6h1.2",
    "vertical": "M.6 0v1.2",
    "dots": "M.4 .6h.4",
    "grid": "M0 .6h1.2M.6 0v1.2",
}
"""SVG strokes of each plane pattern, in a square of 1.2 mm."""


@dataclass(frozen=True, slots=True)
class SwitchPages:
    """A switch and the drawings of its front."""

    name: str
    maps: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class NodePage:
    """A model of node and the drawing of its ports."""

    name: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class RackPages:
    """A rack, its position in words, its elevation, and its switches."""

    name: str
    place: str
    svg: Markup
    switches: tuple[SwitchPages, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of racks: its name, the name of its book, and its racks by position."""

    name: str
    file: str
    racks: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of racks."""
        return len(self.racks)

    @property
    def first(self) -> str:
        """The name of its first rack."""
        return self.names[0]

    @property
    def last(self) -> str:
        """The name of its last rack."""
        return self.names[-1]


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An entry of the legend: the colour of a fabric, or of a rail."""

    name: str
    word: str
    code: str
    fill: str
    ink: str


class Books:
    """All drawings of a cluster as files."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._table = cluster, cluster.plan.racks
        self._racks, self._ports = Racks(cluster), PortMaps(cluster)
        self._kinds = RackKinds(cluster, self._racks)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """(path, content) of all sections."""
        for make in self.sections.values():
            yield from make()

    @cached_property
    def sections(self) -> Mapping[str, Callable[[], Iterator[tuple[str, bytes]]]]:
        """By section, a function that yields (path, content): the book, books of rows where there are many racks,
        halls, models of nodes, racks.
        """
        rows = list(self._rows())
        whole = len(self._table) <= MOST_RACKS
        small = {} if whole else {f"books of {row.file}": partial(self._small_books, row) for row in rows}
        starts = range(0, len(self._table), MOST_RACKS)
        racks = {f"racks from {start + 1}": partial(self._elevations, start) for start in starts}
        return {
            "book": partial(self._whole_book, rows, whole),
            **small,
            "floors": self._floors,
            "nodes": self._nodes,
            **racks,
        }

    def _whole_book(self, rows: Sequence[Row], whole: bool) -> Iterator[tuple[str, bytes]]:
        yield "book.html", self._book(rows, [rack for row in rows for rack in row.racks] if whole else [])

    def _floors(self) -> Iterator[tuple[str, bytes]]:
        for hall, name, svg in self._plans((A3, A3.upright), alone=True):
            yield f"floor/{hall_places(self._cluster)[hall]}{name and '.'}{name}.svg", document(svg)

    def _plans(self, papers: Sequence[Paper], *, alone: bool = False) -> Iterator[tuple[int, str, str]]:
        """(hall, name of the sheet behind that of the hall, plan) of all halls with racks."""
        for hall in range(len(self._table.halls)):
            found = sheets(self._table, hall, papers) if (self._table.hall == hall).any() else []
            for sheet in found:
                zones = () if sheet.name else [zone.window for zone in found[1:]]
                yield hall, sheet.name, floor_plan(self._kinds, sheet.window, zones, alone=alone)

    @cached_property
    def _models(self) -> tuple[NodePorts, ...]:
        return node_ports(self._cluster)

    def _nodes(self) -> Iterator[tuple[str, bytes]]:
        for model in self._models:
            yield f"nodes/{model.profile.id}.svg", document(node_panel(model, alone=True))

    def _elevations(self, start: int) -> Iterator[tuple[str, bytes]]:
        """The racks one by one, from number `start` on."""
        for number, name in list(enumerate(self._table.names))[start : start + MOST_RACKS]:
            yield f"racks/{name}.svg", document(elevation(self._racks.rack(number), alone=True))

    def _rows(self) -> Iterator[Row]:
        """Rows of all halls as they lie, with racks by position."""
        table = self._table
        order = np.lexsort((table.column, table.row, table.hall))
        hall, row = table.hall[order], table.row[order]
        places = row_places(self._cluster)
        starts = np.flatnonzero(np.r_[True, (hall[1:] != hall[:-1]) | (row[1:] != row[:-1])][: len(order)])
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
            racks = tuple(order[start:end].tolist())
            place = str(places[racks[0]])
            yield Row(place, f"{place}.html", racks, tuple(table.names[rack] for rack in racks))

    def _book(self, rows: Sequence[Row], racks: Sequence[int]) -> bytes:
        table = self._table
        plans = [Markup(svg) for _, _, svg in self._plans((A4,))]  # noqa: S704 - escaped there
        name = self._cluster.design.loaded.blueprint.name
        facts = f"{len(table)} racks, {len(self._cluster.names)} devices, {len(self._cluster.plan.cables)} cables"
        held = [self._rack_pages(rack) for rack in racks]
        nodes = [NodePage(model.profile.id, Markup(node_panel(model))) for model in self._models]  # noqa: S704 - escaped there
        return self._page(
            f"{name}: racks and ports", facts, rows=rows, racks=held, ports=held, plans=plans, nodes=nodes
        )

    def _small_books(self, row: Row) -> Iterator[tuple[str, bytes]]:
        """A book of a row's elevations, and a book of port maps for each of its racks with switches."""
        name = self._cluster.design.loaded.blueprint.name
        back = f"All of {name}, with the legend"
        facts = f"{len(row.racks)} racks, {row.first} to {row.last}"
        racks = [self._rack_pages(rack) for rack in row.racks]
        for rack in racks:
            if rack.switches:
                ports = self._page(f"{name}: {rack.name}", f"{row.name}, {rack.place}", ports=[rack], part_of=back)
                yield f"ports/{rack.name}.html", ports
        yield f"rows/{row.file}", self._page(f"{name}: {row.name}", facts, rows=[row], racks=racks, part_of=back)

    def _page(
        self,
        title: str,
        facts: str,
        *,
        rows: Sequence[Row] = (),
        racks: Sequence[RackPages] = (),
        ports: Sequence[RackPages] = (),
        plans: Sequence[Markup] = (),
        nodes: Sequence[NodePage] = (),
        part_of: str = "",
    ) -> bytes:
        page = built_in_pages().get_template("drawings/book.html.j2")
        text = page.render(
            self._legend,
            title=title,
            facts=facts,
            rows=rows,
            books=not racks and not ports,
            elevations=[racks[first : first + RACKS_A_PAGE] for first in range(0, len(racks), RACKS_A_PAGE)],
            mapped=[rack for rack in ports or racks if rack.switches],
            ports=bool(ports),
            plans=plans,
            nodes=nodes,
            part_of=part_of,
            style=Markup(_sheet() + STYLE),  # noqa: S704 - our own
        )
        return text.encode()

    def _rack_pages(self, number: int) -> RackPages:
        rack = self._racks.rack(number)
        switches = [
            SwitchPages(switch.name, tuple(map(Markup, port_maps(switch))))
            for switch in self._ports.switches(self._racks.devices_of(number))
        ]
        return RackPages(rack.name, rack.place, Markup(elevation(rack)), tuple(switches))  # noqa: S704 - escaped there

    @cached_property
    def _legend(self) -> dict[str, object]:
        """The legend: colours and patterns of this cluster."""
        design, swatches = self._cluster.design, cluster_swatches(self._cluster)
        rails = max((f.sizes["rail"] for f in design.fabrics), default=1)
        planes = max((f.sizes["plane"] for f in design.fabrics), default=1)
        railed = next((f.name for f in design.fabrics if f.sizes["rail"] > 1), "")
        marks = [plane_mark(plane) for plane in range(1, planes + 1)] if planes > 1 else []
        shades = [_shade(swatches[railed], rail) for rail in range(1, min(rails, SHADES) + 1)] if railed else []
        return {
            "swatches": [LegendEntry(n, s.word, s.code, s.fill, s.ink) for n, s in swatches.items()],
            "rails": shades,
            "panels": PANEL_SWATCH if self._cluster.plan.patching else None,
            "planes": [(mark.letter, mark.pattern) for mark in marks if mark],
            "patterns": [(name, _MARKS[name]) for name in PATTERNS],
        }


def _sheet() -> str:
    """The style sheet of all pages."""
    return (resource_dir("templates") / "drawings/book.css").read_text(encoding="utf-8")


def _shade(swatch: Swatch, rail: int) -> LegendEntry:
    fill = rail_fill(swatch.fill, rail)
    return LegendEntry("", "", f"{swatch.code}{rail}", fill, ink_on(fill))


# The side of a node that has its cages: one drawing for each model, with what labels say and which cables they take.
# Where cages are is published of few models in words, and never to scale: cages are drawn in blocks that say where
# they are, with an unbroken edge, or else by role and name, with a dashed one.

_SIZE, _SMALL, _NAME = 2.4, 2.1, 2.9
"""Text sizes, mm: 6.8, 6 and 8.2 points."""

_LINE, _PAD, _GAP = 3.8, 1.2, 4.0
_HEAD_LINE, _BLOCK_HEAD = 4.6, 5.0
_NARROWEST = 17.0
"""The least width of a cage, mm; an OSFP cage is 22.6 mm wide."""

_MOST_TAGS = 4
"""Tags of one socket that are told; where nodes differ in more, the number of the others."""


def node_panel(ports: NodePorts, *, alone: bool = False) -> str:
    """A model of node as SVG, of at most the width of a page; `alone` makes it a complete file."""
    body: list[str] = []
    head = _head(ports)
    x, y, high = 0.3, 3.2 + _HEAD_LINE * len(head), 0.0
    for block in (*ports.blocks, *_supplies(ports.profile)):
        width, height = _size(block)
        if x > 1 and x + width > PAGE_WIDTH - 1:
            x, y, high = 0.3, y + high + _GAP, 0.0
        body += _block(block, x, y, (width, height))
        x, high = x + width + _GAP, max(high, height)
    title = f"Ports of {ports.profile.id}"
    return drawing(PAGE_WIDTH, y + high + 1, "".join([*head, *body]), title=title, alone=alone)


def _head(ports: NodePorts) -> list[str]:
    profile = ports.profile
    maker = f"{profile.vendor} " if profile.vendor and not profile.name.startswith(profile.vendor) else ""
    many = "1 of it" if ports.count == 1 else f"{ports.count} of them"
    lines = (f"{profile.id}: {maker}{profile.name}, {profile.rack_units} U, {many}", *_known(profile))
    sizes = (3.8, 2.6, 2.3)
    return [
        label(0.5, 2.6 + _HEAD_LINE * i, text, size, "b" if i == 0 else "" if i == 1 else "g", PAGE_WIDTH - 2)
        for i, (text, size) in enumerate(zip(lines, sizes, strict=False))
    ]


def _known(profile: NodeProfile) -> tuple[str, ...]:
    """What is known of where its cages are, and the source."""
    if profile.panel is None:
        return (
            "The catalogue has neither side nor places of its ports: blocks are roles, cages in the order of names",
        )
    blocks = "blocks with an unbroken edge as published" if profile.panel.groups else "places are not published"
    text = f"Ports at the {profile.panel.side}, seen from there; {blocks}, dashed ones by role, in the order of names"
    return text, profile.panel.source


def _supplies(profile: NodeProfile) -> tuple[CageBlock, ...]:
    """The inlets of the power supplies, if the catalogue has any."""
    if profile.psu is None:
        return ()
    inlets = tuple(NodeCage(f"PSU {i + 1}", profile.psu.inlet or "", None) for i in range(profile.psu.count))
    return (CageBlock("power supplies", False, inlets),)


def _widths(block: CageBlock) -> list[float]:
    return [max(_NARROWEST, max(width_of(*line) for line in _lines(cage)) + 2) for cage in block.cages]


def _lines(cage: NodeCage) -> Iterable[tuple[str, float]]:
    """(text, its size) of the lines of a cage."""
    yield cage.name, _NAME
    yield cage.form_factor, _SMALL
    yield from ((f"{socket.label} {_tags(socket)}", _SIZE) for socket in cage.sockets or ())


def _per_row(widths: Sequence[float]) -> int:
    return max(1, int((PAGE_WIDTH - 2 - 2 * _PAD) / max(widths)))


def _size(block: CageBlock) -> tuple[float, float]:
    """(width, height) of a block, mm; long ones have several rows."""
    widths = _widths(block)
    across = _per_row(widths)
    wide = max(sum(widths[at : at + across]) for at in range(0, len(widths), across))
    rows = -(-len(widths) // across)
    return max(wide, width_of(_heading(block), _SIZE)) + 2 * _PAD, _BLOCK_HEAD + rows * _tall(block) + _PAD


def _tall(block: CageBlock) -> float:
    return 9 + _LINE * max(1, *(len(cage.sockets or ()) for cage in block.cages)) + 1


def _heading(block: CageBlock) -> str:
    return block.where if block.published else f"{block.where}: place not published"


def _block(block: CageBlock, x: float, y: float, size: tuple[float, float]) -> list[str]:
    """A block of cages with its upper left corner at (x, y)."""
    found = [path([box(x, y, *size)], "l" if block.published else "d")]
    found.append(label(x + _PAD, y + _BLOCK_HEAD / 2, _heading(block), _SIZE, "b" if block.published else "g"))
    widths, tall = _widths(block), _tall(block)
    across = _per_row(widths)
    for i, cage in enumerate(block.cages):
        left = x + _PAD + sum(widths[i - i % across : i])
        found += _cage(cage, left, y + _BLOCK_HEAD + i // across * tall, (widths[i], tall))
    return found


def _cage(cage: NodeCage, x: float, y: float, size: tuple[float, float]) -> list[str]:
    """A cage: its name, its form factor, and a band in the colour of the cable for each socket."""
    width, height = size[0] - 1, size[1] - 1
    middle = x + width / 2
    found = [rect(x, y, width, height)]
    found.append(label(middle, y + 2.6, cage.name, _NAME, "m b", width - 1))
    found.append(label(middle, y + 6.4, cage.form_factor, _SMALL, "m g", width - 1))
    for i, socket in enumerate(cage.sockets or ()):
        top, tag = y + 9 + i * _LINE, socket.tags[0]
        alike = len({one.fill for one in socket.tags}) == 1
        found.append(rect(x + 0.4, top, width - 0.8, _LINE - 0.4, tag.fill if alike else "#FFFFFF"))
        ink = " w" if alike and tag.ink == LIGHT else ""
        found.append(
            label(middle, top + _LINE / 2 - 0.2, f"{socket.label} {_tags(socket)}", _SIZE, f"m b{ink}", width - 1)
        )
    if cage.sockets == ():
        found.append(label(middle, y + 9 + _LINE / 2, "spare", _SIZE, "m g"))
    return found


def _tags(socket: Socket) -> str:
    """The tags of a socket's cables: `C3A`, or several where nodes differ."""
    told = [tag.text for tag in socket.tags]
    more = f" +{len(told) - _MOST_TAGS}" if len(told) > _MOST_TAGS else ""
    return " ".join(told[:_MOST_TAGS]) + more
