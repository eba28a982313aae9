"""Books to print: an index, floor plans, node models, the racks row by row, and the fronts of their switches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from markupsafe import Markup

from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.export.drawings.elevation import draw_elevation
from fabricgen.export.drawings.floor_marks import RackKinds
from fabricgen.export.drawings.floor_pages import A3, A4, Paper, plan_sheets
from fabricgen.export.drawings.floor_plan import draw_floor_plan
from fabricgen.export.drawings.port_layout import (
    PAGE_WIDTH,
    CageBlock,
    NodeCage,
    NodeCages,
    TaggedSocket,
    list_node_ports,
)
from fabricgen.export.drawings.port_map import draw_port_maps
from fabricgen.export.drawings.rack_contents import PANEL_SWATCH, FilledRack, FilledRacks
from fabricgen.export.drawings.svg import (
    STYLE,
    draw_label,
    draw_path,
    draw_rect,
    make_svg,
    make_svg_file,
    measure_text,
    trace_box,
)
from fabricgen.export.drawings.switch_ports import PortMaps
from fabricgen.export.locality import list_hostlists
from fabricgen.export.locations import locate_halls, locate_rows
from fabricgen.export.palette import (
    LIGHT,
    PATTERNS,
    SHADES,
    Swatch,
    choose_cluster_swatches,
    choose_ink,
    make_plane_mark,
    shade_for_rail,
)
from fabricgen.kernel.discovery import find_resource_dir
from fabricgen.kernel.templates import load_page_templates

MOST_RACKS = 128
"""The most racks of a single book.

With more, each row and the switches of each rack get a book of their own, which opens at once.
"""

RACKS_A_PAGE = 2
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
    """A switch and the SVG drawings of its front."""

    name: str
    maps: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class NodePage:
    """A model of node and the SVG drawing of its ports."""

    name: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class RackPages:
    """A rack and its switches, in the order in which they stand."""

    rack: FilledRack
    switches: tuple[SwitchPages, ...]


@dataclass(frozen=True, slots=True)
class AlikeRacks:
    """Racks that differ in names only: the elevation of one of them as SVG, and the names of all, in ranges.

    `members` has each rack with the names of its devices from the bottom.
    """

    first: FilledRack
    svg: Markup
    names: str
    members: tuple[tuple[FilledRack, str], ...]

    @property
    def count(self) -> int:
        """Number of racks that look like this one."""
        return len(self.members)


@dataclass(frozen=True, slots=True)
class RackRow:
    """A row of racks: its name, the file name of its book, and the rows of its racks in the rack table with their
    names.
    """

    name: str
    file: str
    racks: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of racks in the row."""
        return len(self.racks)

    @property
    def first(self) -> str:
        """Name of the first rack."""
        return self.names[0]

    @property
    def last(self) -> str:
        """Name of the last rack."""
        return self.names[-1]


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An entry of the legend: a fabric, with `word` for the name of its colour, or a rail, which has "" for both `name`
    and `word`.

    `code` is what stands on the colour, `fill` and `ink` are the colours (`#RRGGBB`).
    """

    name: str
    word: str
    code: str
    fill: str
    ink: str


class Books:
    """All drawings of a cluster as files."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._table = cluster, cluster.plan.racks
        self._racks, self._ports = FilledRacks(cluster), PortMaps(cluster)
        self._kinds = RackKinds(cluster, self._racks)

    @cached_property
    def sections(self) -> Mapping[str, Callable[[], Iterator[tuple[str, bytes]]]]:
        """The files by section: a function for each section that yields (path, content).

        Sections are the book, the book of each row if there are more than MOST_RACKS racks, the halls, the node models,
        and racks.
        """
        rows = list(self._list_rows())
        fits_one_book = len(self._table) <= MOST_RACKS
        row_books = (
            {} if fits_one_book else {f"books of {row.file}": partial(self._write_row_books, row) for row in rows}
        )
        starts = range(0, len(self._table), MOST_RACKS)
        return {
            "book": partial(self._write_book, rows, fits_one_book),
            **row_books,
            "floors": self._write_floors,
            "nodes": self._write_nodes,
            **{f"racks from {start + 1}": partial(self._write_elevations, start) for start in starts},
        }

    def _write_book(self, rows: Sequence[RackRow], with_racks: bool) -> Iterator[tuple[str, bytes]]:
        yield "book.html", self._render_book(rows, [rack for row in rows for rack in row.racks] if with_racks else [])

    def _write_floors(self) -> Iterator[tuple[str, bytes]]:
        for hall, name, svg in self._draw_plans((A3, A3.upright), alone=True):
            yield f"floor/{locate_halls(self._cluster)[hall]}{name and '.'}{name}.svg", make_svg_file(svg)

    def _draw_plans(self, papers: Sequence[Paper], *, alone: bool = False) -> Iterator[tuple[int, str, str]]:
        """Yield (hall, name of the sheet after the hall's name, SVG) for each sheet of all halls that have racks."""
        for hall in range(len(self._table.halls)):
            hall_sheets = plan_sheets(self._table, hall, papers) if (self._table.hall == hall).any() else []
            for sheet in hall_sheets:
                zones = () if sheet.name else [zone.window for zone in hall_sheets[1:]]
                yield hall, sheet.name, draw_floor_plan(self._kinds, sheet.window, zones, alone=alone)

    @cached_property
    def _node_models(self) -> tuple[NodeCages, ...]:
        return list_node_ports(self._cluster)

    def _write_nodes(self) -> Iterator[tuple[str, bytes]]:
        for model in self._node_models:
            yield f"nodes/{model.profile.id}.svg", make_svg_file(draw_node_panel(model, alone=True))

    def _write_elevations(self, start: int) -> Iterator[tuple[str, bytes]]:
        """Yield the elevations of up to MOST_RACKS racks, beginning with rack number `start`."""
        for number, name in list(enumerate(self._table.names))[start : start + MOST_RACKS]:
            yield f"racks/{name}.svg", make_svg_file(draw_elevation(self._racks.make_rack(number), alone=True))

    def _list_rows(self) -> Iterator[RackRow]:
        """Yield the rows of all halls in the order of the floor, each with its racks from the first place on."""
        table = self._table
        # lexsort sorts by its last column first: hall, then row, then column
        order = np.lexsort((table.column, table.row, table.hall))
        hall, row = table.hall[order], table.row[order]
        places = locate_rows(self._cluster)
        # the index of the first rack of each row; the cut at the end makes it empty if there are no racks
        starts = np.flatnonzero(np.r_[True, (hall[1:] != hall[:-1]) | (row[1:] != row[:-1])][: len(order)])
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
            racks = tuple(order[start:end].tolist())
            location = str(places[racks[0]])
            yield RackRow(location, f"{location}.html", racks, tuple(table.names[rack] for rack in racks))

    def _render_book(self, rows: Sequence[RackRow], racks: Sequence[int]) -> bytes:
        """Return the HTML of the main book: floor plans, node models, and the racks with these numbers."""
        table = self._table
        plans = [Markup(svg) for _, _, svg in self._draw_plans((A4,))]  # noqa: S704 - escaped there
        name = self._cluster.design.loaded.blueprint.name
        facts = f"{len(table)} racks, {len(self._cluster.names)} devices, {len(self._cluster.plan.cables)} cables"
        rack_pages = [self._make_rack_pages(rack) for rack in racks]
        nodes = [NodePage(model.profile.id, Markup(draw_node_panel(model))) for model in self._node_models]  # noqa: S704 - escaped there
        return self._render_page(
            f"{name}: racks and ports", facts, rows=rows, racks=rack_pages, ports=rack_pages, plans=plans, nodes=nodes
        )

    def _write_row_books(self, row: RackRow) -> Iterator[tuple[str, bytes]]:
        """Yield a book with the elevations of a row, and a book of port maps for each of its racks that has
        switches.
        """
        name = self._cluster.design.loaded.blueprint.name
        back_text = f"All of {name}, with the legend"
        facts = f"{len(row.racks)} racks, {row.first} to {row.last}"
        racks = [self._make_rack_pages(rack) for rack in row.racks]
        for rack in racks:
            if rack.switches:
                yield (
                    f"ports/{rack.rack.name}.html",
                    self._render_page(
                        f"{name}: {rack.rack.name}", f"{row.name}, {rack.rack.place}", ports=[rack], part_of=back_text
                    ),
                )
        yield (
            f"rows/{row.file}",
            self._render_page(f"{name}: {row.name}", facts, rows=[row], racks=racks, part_of=back_text),
        )

    def _render_page(
        self,
        title: str,
        facts: str,
        *,
        rows: Sequence[RackRow] = (),
        racks: Sequence[RackPages] = (),
        ports: Sequence[RackPages] = (),
        plans: Sequence[Markup] = (),
        nodes: Sequence[NodePage] = (),
        part_of: str = "",
    ) -> bytes:
        """Return an HTML page with the parts that are given; `part_of` is the text of a link back to the main book."""
        page = load_page_templates().get_template("drawings/book.html.j2")
        style_sheet = find_resource_dir("templates") / "drawings/book.css"
        drawn = list(_draw_kinds([pages.rack for pages in racks]))
        return page.render(
            self._legend,
            title=title,
            facts=facts,
            rows=rows,
            books=not racks and not ports,
            elevations=[drawn[start : start + RACKS_A_PAGE] for start in range(0, len(drawn), RACKS_A_PAGE)],
            alike=[kind for kind in drawn if len(kind.members) > 1],
            mapped=[rack for rack in ports or racks if rack.switches],
            ports=bool(ports),
            plans=plans,
            nodes=nodes,
            part_of=part_of,
            style=Markup(style_sheet.read_text(encoding="utf-8") + STYLE),  # noqa: S704 - our own
        ).encode()

    def _make_rack_pages(self, number: int) -> RackPages:
        """Return a rack, by its number, with the drawings of the fronts of its switches."""
        rack = self._racks.make_rack(number)
        switches = [
            SwitchPages(switch.name, tuple(map(Markup, draw_port_maps(switch))))
            for switch in self._ports.list_switches(self._racks.list_devices(number))
        ]
        return RackPages(rack, tuple(switches))

    @cached_property
    def _legend(self) -> dict[str, object]:
        """The legend: colours and patterns of this cluster, by the name of the template's variable."""
        design, swatches = self._cluster.design, choose_cluster_swatches(self._cluster)
        rails = max((f.sizes["rail"] for f in design.fabrics), default=1)
        planes = max((f.sizes["plane"] for f in design.fabrics), default=1)
        railed_fabric = next((f.name for f in design.fabrics if f.sizes["rail"] > 1), "")
        marks = [make_plane_mark(plane) for plane in range(1, planes + 1)] if planes > 1 else []
        shades = (
            [_make_rail_entry(swatches[railed_fabric], rail) for rail in range(1, min(rails, SHADES) + 1)]
            if railed_fabric
            else []
        )
        return {
            "swatches": [LegendEntry(n, s.word, s.code, s.fill, s.ink) for n, s in swatches.items()],
            "rails": shades,
            "panels": PANEL_SWATCH if self._cluster.plan.patching else None,
            "planes": [(mark.letter, mark.pattern) for mark in marks if mark],
            "patterns": [(name, _MARKS[name]) for name in PATTERNS],
        }


def _draw_kinds(racks: Sequence[FilledRack]) -> Iterator[AlikeRacks]:
    """Yield an elevation for each kind of rack, in the order of the first rack of each kind.

    Racks that differ in names only are of one kind.
    """
    racks_by_kind: dict[FilledRack, list[FilledRack]] = {}
    for rack in racks:
        racks_by_kind.setdefault(rack.kind, []).append(rack)
    for members in racks_by_kind.values():
        names = ", ".join(list_hostlists(rack.name for rack in members))
        items = ([item.name for item in rack.items if item.is_device] for rack in members)
        devices = map(", ".join, map(list_hostlists, items))
        svg = Markup(draw_elevation(members[0], alike=len(members)))  # noqa: S704 - escaped there
        yield AlikeRacks(members[0], svg, names, tuple(zip(members, devices, strict=True)))


def _make_rail_entry(swatch: Swatch, rail: int) -> LegendEntry:
    fill = shade_for_rail(swatch.fill, rail)
    return LegendEntry("", "", f"{swatch.code}{rail}", fill, choose_ink(fill))


# The side of a node that has its cages: one drawing for each model, with the texts of labels and the cables they take.
# Few makers publish the positions of cages, in words and never to scale. Cages with a published position are drawn in
# blocks with an unbroken edge and the words; the others are grouped by role and name in blocks with a dashed edge.

_SIZE, _SMALL, _NAME = 2.4, 2.1, 2.9
"""Text sizes, mm: 6.8, 6 and 8.2 points."""

_LINE, _PAD, _GAP = 3.8, 1.2, 4.0
_HEAD_LINE, _BLOCK_HEAD = 4.6, 5.0
_NARROWEST = 17.0
"""The least width of a cage, mm; an OSFP cage is 22.6 mm wide."""

_MOST_TAGS = 4
"""Tags that are written for one socket; if nodes differ in more, the number of the others follows."""


def draw_node_panel(ports: NodeCages, *, alone: bool = False) -> str:
    """Return the ports of a node model as SVG, at most a page wide; `alone` makes it a complete file."""
    body: list[str] = []
    head = _draw_head(ports)
    x, y, row_height = 0.3, 3.2 + _HEAD_LINE * len(head), 0.0
    for block in (*ports.blocks, *_list_supplies(ports.profile)):
        width, height = _measure_block(block)
        if x > 1 and x + width > PAGE_WIDTH - 1:
            x, y, row_height = 0.3, y + row_height + _GAP, 0.0
        body += _draw_block(block, x, y, (width, height))
        x, row_height = x + width + _GAP, max(row_height, height)
    return make_svg(
        PAGE_WIDTH, y + row_height + 1, "".join([*head, *body]), title=f"Ports of {ports.profile.id}", alone=alone
    )


def _draw_head(ports: NodeCages) -> list[str]:
    """Return the lines above a node model: its name and count, what is known of its ports, and the source."""
    profile = ports.profile
    maker = f"{profile.vendor} " if profile.vendor and not profile.name.startswith(profile.vendor) else ""
    count_text = "1 of it" if ports.count == 1 else f"{ports.count} of them"
    lines = (f"{profile.id}: {maker}{profile.name}, {profile.rack_units} U, {count_text}", *_describe_panel(profile))
    return [
        draw_label(0.5, 2.6 + _HEAD_LINE * i, text, size, "b" if i == 0 else "" if i == 1 else "g", PAGE_WIDTH - 2)
        for i, (text, size) in enumerate(zip(lines, (3.8, 2.6, 2.3), strict=False))
    ]


def _describe_panel(profile: NodeProfile) -> tuple[str, ...]:
    """Return what is known of the positions of a node's cages, and the source if there is one."""
    if profile.panel is None:
        return (
            "The catalogue has neither side nor places of its ports: blocks are roles, cages in the order of names",
        )
    blocks = "blocks with an unbroken edge as published" if profile.panel.groups else "places are not published"
    text = f"Ports at the {profile.panel.side}, seen from there; {blocks}, dashed ones by role, in the order of names"
    return text, profile.panel.source


def _list_supplies(profile: NodeProfile) -> tuple[CageBlock, ...]:
    """Return the inlets of the power supplies as a block, or nothing if the catalogue has no supplies."""
    if profile.psu is None:
        return ()
    return (
        CageBlock(
            "power supplies",
            False,
            tuple(NodeCage(f"PSU {i + 1}", profile.psu.inlet or "", None) for i in range(profile.psu.count)),
        ),
    )


def _measure_cages(block: CageBlock) -> list[float]:
    return [max(_NARROWEST, max(measure_text(*line) for line in _list_lines(cage)) + 2) for cage in block.cages]


def _list_lines(cage: NodeCage) -> Iterable[tuple[str, float]]:
    """Yield the lines of text in a cage, each with its size in mm."""
    yield cage.name, _NAME
    yield cage.form_factor, _SMALL
    yield from ((f"{socket.label} {_join_tags(socket)}", _SIZE) for socket in cage.sockets or ())


def _count_per_row(widths: Sequence[float]) -> int:
    return max(1, int((PAGE_WIDTH - 2 - 2 * _PAD) / max(widths)))


def _measure_block(block: CageBlock) -> tuple[float, float]:
    """Return the width and height of a block in mm; a block too wide for a page has several rows of cages."""
    widths = _measure_cages(block)
    per_row = _count_per_row(widths)
    widest_row = max(sum(widths[start : start + per_row]) for start in range(0, len(widths), per_row))
    height = _BLOCK_HEAD + -(-len(widths) // per_row) * _measure_cage_height(block) + _PAD
    return max(widest_row, measure_text(_make_heading(block), _SIZE)) + 2 * _PAD, height


def _measure_cage_height(block: CageBlock) -> float:
    return 9 + _LINE * max(1, *(len(cage.sockets or ()) for cage in block.cages)) + 1


def _make_heading(block: CageBlock) -> str:
    return block.where if block.published else f"{block.where}: place not published"


def _draw_block(block: CageBlock, x: float, y: float, size: tuple[float, float]) -> list[str]:
    """Return the elements of a block of cages of a size (width, height), with its upper left corner at (x,
    y), in mm.
    """
    edge, ink = ("l", "b") if block.published else ("d", "g")
    elements = [draw_path([trace_box(x, y, *size)], edge)]
    elements.append(draw_label(x + _PAD, y + _BLOCK_HEAD / 2, _make_heading(block), _SIZE, ink))
    widths, cage_height = _measure_cages(block), _measure_cage_height(block)
    per_row = _count_per_row(widths)
    for i, cage in enumerate(block.cages):
        # to the right of the cages before it in its row
        left = x + _PAD + sum(widths[i - i % per_row : i])
        elements += _draw_cage(cage, left, y + _BLOCK_HEAD + i // per_row * cage_height, (widths[i], cage_height))
    return elements


def _draw_cage(cage: NodeCage, x: float, y: float, size: tuple[float, float]) -> list[str]:
    """Return the elements of a cage: its name, its form factor, and a band in the colour of the cable for
    each socket.

    Its upper left corner is at (x, y), and `size` is (width, height), in mm.
    """
    width, height = size[0] - 1, size[1] - 1
    middle = x + width / 2
    elements = [draw_rect(x, y, width, height)]
    elements.append(draw_label(middle, y + 2.6, cage.name, _NAME, "m b", width - 1))
    elements.append(draw_label(middle, y + 6.4, cage.form_factor, _SMALL, "m g", width - 1))
    for i, socket in enumerate(cage.sockets or ()):
        top, tag = y + 9 + i * _LINE, socket.tags[0]
        alike = len({socket_tag.fill for socket_tag in socket.tags}) == 1
        elements.append(draw_rect(x + 0.4, top, width - 0.8, _LINE - 0.4, tag.fill if alike else "#FFFFFF"))
        ink = " w" if alike and tag.ink == LIGHT else ""
        elements.append(
            draw_label(
                middle, top + _LINE / 2 - 0.2, f"{socket.label} {_join_tags(socket)}", _SIZE, f"m b{ink}", width - 1
            )
        )
    if cage.sockets == ():
        elements.append(draw_label(middle, y + 9 + _LINE / 2, "spare", _SIZE, "m g"))
    return elements


def _join_tags(socket: TaggedSocket) -> str:
    """Return the tags of a socket's cables: `C3A`, or several if nodes differ."""
    texts = [tag.text for tag in socket.tags]
    return " ".join(texts[:_MOST_TAGS]) + (f" +{len(texts) - _MOST_TAGS}" if len(texts) > _MOST_TAGS else "")
