"""Port maps: the front of a switch with the far end of each port, in true rows and columns, text along the cages.

The switches of a tier are drawn once: they differ only in the names at the far ends, which are filled in.

A cage has its number on top, then for each of its ports a band in the colour of fabric and rail, with role and code,
and the far end below.
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
    Column,
    Grid,
    Outline,
    Panel,
    band_text,
    drawn_as,
    far_end,
    far_text,
    lay_out,
    outline,
    panels,
)
from fabricgen.export.drawings.svg import GLYPH, box, drawing, label, number, path, rect, safe, wrapped
from fabricgen.export.drawings.switch_ports import MANAGEMENT, Port, SwitchPorts
from fabricgen.export.palette import LIGHT, ink_on

_NARROWEST = 120.0
"""The smallest width of a drawing, mm, so that its title fits above it."""

_REMEMBERED = 256
"""Size of the cache: switches with the same ports, and far ends whose names wrap alike, are drawn once."""

_HOLE = "\0"
"""Delimits placeholders for text of a far end; a character that XML cannot contain."""

OfCage = Mapping[int, Sequence[Port]]
"""Ports by cage; management ports are under 0."""

_Place: TypeAlias = tuple[int, int]
"""A port on the front: (cage, number of the port in it)."""


@dataclass(frozen=True, slots=True)
class _Model:
    """A switch profile, compared by identity; the reference keeps the id from being reused."""

    profile: SwitchProfile = field(compare=False)
    identity: int


@dataclass(frozen=True, slots=True)
class _Face:
    """A drawing without the names of far ends, mm: between `pieces` stand slices of the texts of ports.

    `part` says which part of the switch is drawn.
    """

    width: float
    height: float
    part: str
    pieces: tuple[str, ...]
    cuts: tuple[tuple[_Place, slice], ...]

    def body(self, told: Mapping[_Place, str]) -> str:
        """The drawing with the text of each port's far end filled in."""
        lines = [told[place][cut] for place, cut in self.cuts]
        if safe("".join(lines)) != "".join(lines):
            lines = [safe(line) for line in lines]
        return "".join(chain.from_iterable(zip(self.pieces, [*lines, ""], strict=True)))


def port_maps(switch: SwitchPorts) -> Iterator[str]:
    """SVG drawings of a switch, each of at most a page: its front, or the line cards of a chassis that carry cables."""
    told = {(port.cage, port.sub): far_text(port) for port in switch.ports}
    model, outlines = _Model(switch.profile, id(switch.profile)), [outline(port) for port in switch.ports if port.cage]
    for face in _faces(model, switch.closed, tuple(outlines)):
        title = _title(switch, face.part)
        yield drawing(face.width, face.height, title + face.body(told), title=f"Ports of {switch.name}")


@lru_cache(_REMEMBERED)
def _faces(model: _Model, closed: frozenset[int], outlines: tuple[Outline, ...]) -> tuple[_Face, ...]:
    """The drawings for switches of a model whose ports have these outlines, in the order of the front."""
    profile = model.profile
    of_cage: dict[int, list[Port]] = defaultdict(list)
    for port in map(drawn_as, outlines):
        of_cage[port.cage].append(port)
    found = []
    for panel in panels(profile):
        if not panel.slot or any(of_cage.get(cage) for column in panel.columns for cage in column.cages):
            layout = lay_out(panel, of_cage)
            for columns, rows in layout.sheets(panel):
                found.append(_face(_Sheet(profile, closed, layout.grid, of_cage), panel, columns, rows))
    return tuple(found)


def _face(sheet: _Sheet, panel: Panel, columns: Sequence[Column], rows: range) -> _Face:
    x, kind = 0.2, columns[0].kind
    for column in columns:
        x += GAP if column.kind != kind else 0
        kind = column.kind
        for place, cage in enumerate(column.cages):
            if place in rows:
                sheet.cage(cage, x, HEAD + (place - rows.start) * sheet.grid.cell, sheet.grid.width(column))
        x += sheet.grid.width(column)
    bottom = HEAD + min(len(rows), max(len(column.cages) for column in columns)) * sheet.grid.cell
    pieces = sheet.body().split(_HOLE)
    cuts = [tuple(map(int, hole.split())) for hole in pieces[1::2]]
    return _Face(
        width=max(x + 0.4, _NARROWEST),
        height=bottom,
        part=_part(sheet.profile, panel, columns, rows),
        pieces=tuple(pieces[::2]),
        cuts=tuple(((cage, sub), slice(start, stop)) for cage, sub, start, stop in cuts),
    )


def _part(profile: SwitchProfile, panel: Panel, columns: Sequence[Column], rows: range) -> str:
    """Which part of a switch is drawn, in words; "" for all of it."""
    held = [profile.cage_label(column.cages[0]) for column in columns]
    part = f"  slot {panel.slot}" if panel.slot else ""
    if len(columns) < len(panel.columns):
        part += f"  columns from cage {held[0]} to {held[-1]}"
    if len(rows) < panel.rows:
        part += f"  rows {rows.start + 1} to {rows.stop} of {panel.rows}, from the top"
    return part


def _title(switch: SwitchPorts, part: str) -> str:
    """Name, model and position of the switch, and the far end of its management port."""
    managed = "; ".join(
        f"{port.device} {port.place}, {port.rack} U{port.u}"
        for port in switch.ports
        if not port.cage and port.role == MANAGEMENT
    )
    told = f"{switch.profile.vendor} {switch.profile.model}  {switch.rack} U{switch.u}{part}"
    told += f"  mgmt: {managed}" if managed else ""
    code = "m b w" if switch.swatch.ink == LIGHT else "m b"
    return (
        rect(0.2, 0.5, 5, 5, switch.swatch.fill)
        + label(2.7, 3, switch.swatch.code, 2.6, code, 4.6)
        + label(7, 3, switch.name, 3.8, "b", PAGE_WIDTH - 8)
        + label(7, 7.8, told, 2.3, "g", PAGE_WIDTH - 8)
    )


class _Sheet:
    """The pieces of a drawing grouped by style, so that few SVG elements hold many cages."""

    def __init__(self, profile: SwitchProfile, closed: frozenset[int], grid: Grid, of_cage: OfCage) -> None:
        self.profile, self.grid = profile, grid
        self._closed, self._of_cage = closed, of_cage
        self._bands: dict[str, list[str]] = defaultdict(list)
        self._planes: dict[str, list[str]] = defaultdict(list)
        self._frames: list[str] = []
        self._spare: list[str] = []
        self._numbers: list[str] = []
        self._texts: list[str] = []

    def cage(self, cage: int, x: float, y: float, room: float) -> None:
        """Draw a cage with its upper left corner at (x, y)."""
        ports = self._of_cage.get(cage, ())
        width, height = room - 0.4, self.grid.cell - 0.6
        name = self.profile.cage_label(cage)
        self._numbers.append(label(x + width / 2, y + NUMBER / 2, name, 2.6, "b m", width - 0.4))
        if not ports:
            self._spare.append(box(x, y, width, height))
            word = "closed" if cage in self._closed else "spare"
            self._along(x + width / 2, y + height - PAD, word, height - NUMBER - 2, "g", word)
            return
        self._frames.append(box(x, y, width, height))
        each = width / ports[0].ways
        for port in ports:
            self._port(port, x + port.sub * each, y + NUMBER, each, height - NUMBER)

    def _port(self, port: Port, x: float, y: float, width: float, height: float) -> None:
        """Draw a band with role and code, and the far end below it, in text that runs upwards."""
        grid, band, plane = self.grid, self.grid.band, PLANE if port.pattern else 0.0
        if port.sub:
            self._frames.append(f"M{number(x)} {number(y)}v{number(height)}")
        self._bands[port.fill].append(box(x, y, width, band))
        if port.pattern:
            self._planes[port.pattern].append(box(x, y + band - PLANE, width, PLANE))
        lines = grid.lines(port.ways)
        ink = "b w" if ink_on(port.fill) == LIGHT else "b"
        told = wrapped(band_text(port, lines), grid.band_letters[port.ways])
        self._block(x, width, y + band - PAD - plane, band - PAD - plane, told, ink)
        far = wrapped(far_end(port, lines), grid.letters[port.ways])
        self._block(x, width, y + height - PAD, height - band - 1.2, far, "", port)

    def _block(
        self,
        x: float,
        width: float,
        bottom: float,
        room: float,
        lines: Sequence[str],
        style: str,
        cut_from: Port | None = None,
    ) -> None:
        """Draw lines of upward text side by side, centred in a width; lines of a far end become placeholders."""
        step = min(self.grid.line, width / len(lines))
        left = x + width / 2 - (len(lines) - 1) / 2 * step
        told = _holes(cut_from, lines) if cut_from else map(safe, lines)
        for i, (line, text) in enumerate(zip(lines, told, strict=True)):
            self._along(left + i * step, bottom, line, room, style, text)

    def _along(self, x: float, bottom: float, text: str, room: float, style: str, told: str) -> None:
        """Draw a text that runs upwards from (x, bottom); inside the rotated group x and y are swapped."""
        fit = ""
        if len(text) * GLYPH * self.grid.size > room + 0.01:
            fit = f' textLength="{number(room)}" lengthAdjust="spacingAndGlyphs"'
        kind = f' class="{style}"' if style else ""
        self._texts.append(f'<text x="{number(-bottom)}" y="{number(x)}"{kind}{fit}>{told}</text>')

    def body(self) -> str:
        """The whole drawing: bands first, text on top."""
        bands = "".join(path(pieces, "f", fill) for fill, pieces in sorted(self._bands.items()))
        planes = "".join(
            f'<path d="{"".join(found)}" fill="url(#{pattern})"/>' for pattern, found in sorted(self._planes.items())
        )
        turned = f'<g transform="rotate(-90)" font-size="{number(self.grid.size)}">{"".join(self._texts)}</g>'
        lines = path(self._spare, "d") + path(self._frames, "l")
        return bands + planes + lines + "".join(self._numbers) + turned


def _holes(port: Port, lines: Sequence[str]) -> Iterator[str]:
    """The placeholder for each line of a far end: its port, and start and end of the line in the port's text."""
    text, start = far_text(port), 0
    for line in lines:
        start += text.startswith(" ", start)
        yield f"{_HOLE}{port.cage} {port.sub} {start} {start + len(line)}{_HOLE}"
        start += len(line)
