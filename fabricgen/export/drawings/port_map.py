"""Port maps: the front of a switch with the far end of each port, in true rows and columns, text along the cages.

A cage has its number on top, then for each of its ports a band in the colour of fabric and rail, with role and code,
and the far end below it. Switches of a tier are drawn once: they differ only in the names at the far ends, which are
filled in later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TypeAlias

from fabricgen.catalog.models import SwitchProfile
from fabricgen.export.drawings.port_layout import (
    GAP,
    HEAD,
    NUMBER,
    PAD,
    PAGE_WIDTH,
    PLANE,
    CageColumn,
    Grid,
    Outline,
    Panel,
    group_band,
    group_far_end,
    join_far_end,
    lay_out,
    list_panels,
    outline_port,
)
from fabricgen.export.drawings.svg import (
    GLYPH,
    MIDDLE,
    draw_label,
    draw_path,
    draw_rect,
    escape_text,
    format_number,
    make_svg,
    squeeze_text,
    trace_box,
    wrap_words,
)
from fabricgen.export.drawings.switch_ports import MANAGEMENT, FacePort, SwitchPorts
from fabricgen.export.palette import LIGHT, choose_ink

_NARROWEST = 120.0
"""The smallest width of a drawing, mm, so that its title fits above it."""

_REMEMBERED = 256
"""Size of the cache of drawings: switches whose ports are alike and whose far ends wrap alike are drawn once."""

_HOLE = "\0"
"""Delimits the placeholder for the text of a far end; XML cannot contain this character."""

PortsByCage = Mapping[int, Sequence[FacePort]]
"""Ports by number of their cage; management ports are under 0."""

_PortPlace: TypeAlias = tuple[int, int]
"""A port on the front: (cage, number of the port in the cage)."""


@dataclass(frozen=True, slots=True)
class _ProfileKey:
    """A switch profile, compared by identity; holding the profile keeps its id from being reused."""

    profile: SwitchProfile = field(compare=False)
    identity: int


@dataclass(frozen=True, slots=True)
class _FaceDrawing:
    """A drawing of a switch's front, or of a part of it, in which the texts of far ends are left open; sizes in mm.

    `cuts` has what stands between two of the `pieces`: a slice of the text of a port, given by (cage, port in the
    cage). `part` says in words which part of the switch is drawn.
    """

    width: float
    height: float
    part: str
    pieces: tuple[str, ...]
    cuts: tuple[tuple[_PortPlace, slice], ...]

    def draw_body(self, texts_by_port: Mapping[_PortPlace, str]) -> str:
        """Return the drawing with the text of each port's far end filled in, by (cage, port in the cage)."""
        lines = [texts_by_port[port][cut] for port, cut in self.cuts]
        if escape_text("".join(lines)) != "".join(lines):
            lines = [escape_text(line) for line in lines]
        return "".join(chain.from_iterable(zip(self.pieces, [*lines, ""], strict=True)))


def draw_port_maps(switch: SwitchPorts) -> Iterator[str]:
    """Yield SVG drawings of a switch, each at most a page large: its front, or each line card that carries cables."""
    far_texts = {(port.cage, port.sub): join_far_end(port) for port in switch.ports}
    model = _ProfileKey(switch.profile, id(switch.profile))
    for face in _draw_faces(model, switch.closed, tuple(outline_port(port) for port in switch.ports if port.cage)):
        yield make_svg(
            face.width,
            face.height,
            _draw_title(switch, face.part) + face.draw_body(far_texts),
            title=f"Ports of {switch.name}",
        )


@lru_cache(_REMEMBERED)
def _draw_faces(model: _ProfileKey, closed: frozenset[int], outlines: tuple[Outline, ...]) -> tuple[_FaceDrawing, ...]:
    """Return the drawings for switches of a model whose ports have these outlines, in the order of the front.

    `closed` are the numbers of cages that a split neighbour disables.
    """
    profile = model.profile
    ports_by_cage: dict[int, list[FacePort]] = defaultdict(list)
    for port in (FacePort(*outline) for outline in outlines):
        ports_by_cage[port.cage].append(port)
    faces = []
    for panel in list_panels(profile):
        if not panel.slot or any(ports_by_cage.get(cage) for column in panel.columns for cage in column.cages):
            layout = lay_out(panel, ports_by_cage)
            for columns, rows in layout.list_drawings(panel):
                faces.append(_draw_face(_PieceSheet(profile, closed, layout.grid, ports_by_cage), panel, columns, rows))
    return tuple(faces)


def _draw_face(sheet: _PieceSheet, panel: Panel, columns: Sequence[CageColumn], rows: range) -> _FaceDrawing:
    """Return the drawing of some columns and rows of a panel, with holes in place of the texts of far ends."""
    x, kind = 0.2, columns[0].kind
    for column in columns:
        x += GAP if column.kind != kind else 0
        kind = column.kind
        for row, cage in enumerate(column.cages):
            if row in rows:
                sheet.draw_cage(cage, x, HEAD + (row - rows.start) * sheet.grid.cell, sheet.grid.measure_column(column))
        x += sheet.grid.measure_column(column)
    bottom = HEAD + min(len(rows), max(len(column.cages) for column in columns)) * sheet.grid.cell
    # every second piece is the content of a hole: cage, port, start and end of its text
    pieces = sheet.draw_body().split(_HOLE)
    cuts = [tuple(map(int, hole.split())) for hole in pieces[1::2]]
    return _FaceDrawing(
        width=max(x + 0.4, _NARROWEST),
        height=bottom,
        part=_describe_part(sheet.profile, panel, columns, rows),
        pieces=tuple(pieces[::2]),
        cuts=tuple(((cage, sub), slice(start, stop)) for cage, sub, start, stop in cuts),
    )


def _describe_part(profile: SwitchProfile, panel: Panel, columns: Sequence[CageColumn], rows: range) -> str:
    """Return the part of a switch that is drawn, in words; "" if all of it is."""
    cage_labels = [profile.cage_label(column.cages[0]) for column in columns]
    part = f"  slot {panel.slot}" if panel.slot else ""
    if len(columns) < len(panel.columns):
        part += f"  columns from cage {cage_labels[0]} to {cage_labels[-1]}"
    if len(rows) < panel.rows:
        part += f"  rows {rows.start + 1} to {rows.stop} of {panel.rows}, from the top"
    return part


def _draw_title(switch: SwitchPorts, part: str) -> str:
    """Return the elements of the title: name, model and position of the switch, and the far end of its
    management port.
    """
    managed = "; ".join(
        f"{port.device} {port.place}, {port.rack} U{port.u}"
        for port in switch.ports
        if not port.cage and port.role == MANAGEMENT
    )
    subtitle = f"{switch.profile.vendor} {switch.profile.model}  {switch.rack} U{switch.u}{part}"
    subtitle += f"  mgmt: {managed}" if managed else ""
    return (
        draw_rect(0.2, 0.5, 5, 5, switch.swatch.fill)
        + draw_label(2.7, 3, switch.swatch.code, 2.6, "m b w" if switch.swatch.ink == LIGHT else "m b", 4.6)
        + draw_label(7, 3, switch.name, 3.8, "b", PAGE_WIDTH - 8)
        + draw_label(7, 7.8, subtitle, 2.3, "g", PAGE_WIDTH - 8)
    )


class _PieceSheet:
    """The pieces of a drawing grouped by style, so that a few SVG elements hold many cages."""

    def __init__(self, profile: SwitchProfile, closed: frozenset[int], grid: Grid, ports_by_cage: PortsByCage) -> None:
        self.profile, self.grid = profile, grid
        self._closed, self._ports_by_cage = closed, ports_by_cage
        self._bands: dict[str, list[str]] = defaultdict(list)
        self._planes: dict[str, list[str]] = defaultdict(list)
        self._frames: list[str] = []
        self._spare: list[str] = []
        self._numbers: list[str] = []
        self._texts: list[str] = []

    def draw_cage(self, cage: int, x: float, y: float, column_width: float) -> None:
        """Draw a cage with its upper left corner at (x, y) in a column of this width, in mm."""
        ports = self._ports_by_cage.get(cage, ())
        width, height = column_width - 0.4, self.grid.cell - 0.6
        name = self.profile.cage_label(cage)
        self._numbers.append(draw_label(x + width / 2, y + NUMBER / 2, name, 2.6, "b m", width - 0.4))
        if not ports:
            self._spare.append(trace_box(x, y, width, height))
            word = "closed" if cage in self._closed else "spare"
            self._draw_upwards(x + width / 2, y + height - PAD, word, height - NUMBER - 2, "g", word)
            return
        self._frames.append(trace_box(x, y, width, height))
        port_width = width / ports[0].ways
        for port in ports:
            self._draw_port(port, x + port.sub * port_width, y + NUMBER, port_width, height - NUMBER)

    def _draw_port(self, port: FacePort, x: float, y: float, width: float, height: float) -> None:
        """Draw the band of a port with role and code, and its far end below, in text that runs upwards."""
        grid, band, plane = self.grid, self.grid.band, PLANE if port.pattern else 0.0
        if port.sub:
            self._frames.append(f"M{format_number(x)} {format_number(y)}v{format_number(height)}")
        self._bands[port.fill].append(trace_box(x, y, width, band))
        if port.pattern:
            self._planes[port.pattern].append(trace_box(x, y + band - PLANE, width, PLANE))
        lines = grid.count_lines(port.ways)
        ink = "b w" if choose_ink(port.fill) == LIGHT else "b"
        band_lines = wrap_words(group_band(port, lines), grid.band_letters[port.ways])
        self._draw_lines(x, width, y + band - PAD - plane, band - PAD - plane, band_lines, ink)
        far = wrap_words(group_far_end(port, lines), grid.letters[port.ways])
        self._draw_lines(x, width, y + height - PAD, height - band - 1.2, far, "", port)

    def _draw_lines(
        self,
        x: float,
        width: float,
        bottom: float,
        room: float,
        lines: Sequence[str],
        style: str,
        cut_from: FacePort | None = None,
    ) -> None:
        """Draw lines of upward text side by side, centred in a width; `room` is the height for them, all in mm.

        With `cut_from`, the lines are the far end of that port and become placeholders.
        """
        step = min(self.grid.line, width / len(lines))
        first_x = x + width / 2 - (len(lines) - 1) / 2 * step
        texts = _make_placeholders(cut_from, lines) if cut_from else map(escape_text, lines)
        for i, (line, text) in enumerate(zip(lines, texts, strict=True)):
            self._draw_upwards(first_x + i * step, bottom, line, room, style, text)

    def _draw_upwards(self, x: float, bottom: float, text: str, max_length: float, style: str, content: str) -> None:
        """Draw a text that runs upwards from (x, bottom); `content` is the text as XML. A text longer than `max_length`
        (mm) is squeezed.

        Inside the rotated group x and y are swapped.
        """
        size = self.grid.size
        squeeze, text_x = squeeze_text(-bottom, len(text) * GLYPH * size, max_length)
        kind = f' class="{style}"' if style else ""
        position = f'x="{format_number(text_x)}" y="{format_number(x + MIDDLE * size)}"'
        self._texts.append(f"<text {position}{kind}{squeeze}>{content}</text>")

    def draw_body(self) -> str:
        """Return the whole drawing: bands first, texts on top."""
        bands = "".join(draw_path(pieces, "f", fill) for fill, pieces in sorted(self._bands.items()))
        planes = "".join(
            f'<path d="{"".join(strokes)}" fill="url(#{pattern})"/>'
            for pattern, strokes in sorted(self._planes.items())
        )
        # in the rotated group texts run upwards, with x and y swapped
        turned = f'<g transform="rotate(-90)" font-size="{format_number(self.grid.size)}">{"".join(self._texts)}</g>'
        lines = draw_path(self._spare, "d") + draw_path(self._frames, "l")
        return bands + planes + lines + "".join(self._numbers) + turned


def _make_placeholders(port: FacePort, lines: Sequence[str]) -> Iterator[str]:
    """Yield the placeholder for each line of a far end: its port, and start and end of the line in the port's text."""
    text, start = join_far_end(port), 0
    for line in lines:
        # True is 1: the blank at which a text is broken is in neither line
        start += text.startswith(" ", start)
        yield f"{_HOLE}{port.cage} {port.sub} {start} {start + len(line)}{_HOLE}"
        start += len(line)
