"""The front of a switch with what is plugged into each cage: true rows and columns, text along the cages.

A cage has its number on top, then for each port in it a band in the colour of its fabric and rail, with its role and
letters, and the far end below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fabricgen.export.drawings.faces import Column, Panel, panels
from fabricgen.export.drawings.port_layout import (
    GAP,
    HEAD,
    LINE,
    NUMBER,
    PAD,
    PAGE_WIDTH,
    PLANE,
    SIZE,
    Grid,
    band_text,
    far_end,
    lay_out,
)
from fabricgen.export.drawings.svg import GLYPH, box, drawing, label, number, path, rect, safe
from fabricgen.export.drawings.switch_ports import MANAGEMENT, Port, SwitchPorts
from fabricgen.export.drawings.wrap import wrapped
from fabricgen.export.palette import LIGHT, ink_on

_NARROWEST = 120.0
"""Of a drawing, mm: its title has to stand above it."""

OfCage = Mapping[int, Sequence[Port]]
"""The ports of each cage, and under 0 the management ports."""


def port_maps(switch: SwitchPorts) -> Iterator[str]:
    """SVG drawings of a switch, of at most a page each: its face, or the cards of a chassis that carry cables."""
    of_cage: dict[int, list[Port]] = defaultdict(list)
    for port in switch.ports:
        of_cage[port.cage].append(port)
    for panel in panels(switch.profile):
        if not panel.slot or any(of_cage.get(cage) for column in panel.columns for cage in column.cages):
            layout = lay_out(panel, of_cage)
            for columns, rows in layout.sheets(panel):
                yield _sheet(switch, panel, layout.grid, of_cage, columns, rows)


def _sheet(
    switch: SwitchPorts, panel: Panel, grid: Grid, of_cage: OfCage, columns: Sequence[Column], rows: range
) -> str:
    sheet = _Sheet(switch, grid, of_cage)
    x, kind = 0.2, columns[0].kind
    for column in columns:
        x += GAP if column.kind != kind else 0
        kind = column.kind
        for place, cage in enumerate(column.cages):
            if place in rows:
                sheet.cage(cage, x, HEAD + (place - rows.start) * grid.cell, grid.width(column))
        x += grid.width(column)
    bottom = HEAD + min(len(rows), max(len(column.cages) for column in columns)) * grid.cell
    title = _title(switch, of_cage, _part(switch, panel, columns, rows))
    return drawing(max(x + 0.4, _NARROWEST), bottom, title + sheet.body(), title=f"Ports of {switch.name}")


def _part(switch: SwitchPorts, panel: Panel, columns: Sequence[Column], rows: range) -> str:
    """Which part of a switch is drawn; "" for all of it."""
    held = [switch.profile.cage_label(column.cages[0]) for column in columns]
    part = f"  slot {panel.slot}" if panel.slot else ""
    if len(columns) < len(panel.columns):
        part += f"  columns from cage {held[0]} to {held[-1]}"
    if len(rows) < panel.rows:
        part += f"  rows {rows.start + 1} to {rows.stop} of {panel.rows}, from the top"
    return part


def _title(switch: SwitchPorts, of_cage: OfCage, part: str) -> str:
    """Name, model and place of the switch, and where its management port goes."""
    managed = "; ".join(
        f"{port.device} {port.place}, {port.rack} U{port.u}" for port in of_cage.get(0, ()) if port.role == MANAGEMENT
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
    """Pieces of a drawing by what they have in common, so that few elements hold many cages."""

    def __init__(self, switch: SwitchPorts, grid: Grid, of_cage: OfCage) -> None:
        self._switch, self._grid, self._of_cage = switch, grid, of_cage
        self._bands: dict[str, list[str]] = defaultdict(list)
        self._planes: dict[str, list[str]] = defaultdict(list)
        self._frames: list[str] = []
        self._spare: list[str] = []
        self._numbers: list[str] = []
        self._texts: list[str] = []

    def cage(self, cage: int, x: float, y: float, room: float) -> None:
        """Draw a cage with its upper left corner at a point."""
        ports = self._of_cage.get(cage, ())
        width, height = room - 0.4, self._grid.cell - 0.6
        name = self._switch.profile.cage_label(cage)
        self._numbers.append(label(x + width / 2, y + NUMBER / 2, name, 2.6, "b m", width - 0.4))
        if not ports:
            self._spare.append(box(x, y, width, height))
            word = "closed" if cage in self._switch.closed else "spare"
            self._along(x + width / 2, y + height - PAD, word, height - NUMBER - 2, "g")
            return
        self._frames.append(box(x, y, width, height))
        each = width / ports[0].ways
        for port in ports:
            self._port(port, x + port.sub * each, y + NUMBER, each, height - NUMBER)

    def _port(self, port: Port, x: float, y: float, width: float, height: float) -> None:
        """A band with role and letters, and below it the far end, read from below."""
        grid, band, plane = self._grid, self._grid.band, PLANE if port.pattern else 0.0
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
        self._block(x, width, y + height - PAD, height - band - 1.2, far, "")

    def _block(self, x: float, width: float, bottom: float, room: float, lines: Sequence[str], style: str) -> None:
        """Lines beside one another, in the middle of a width, each from below."""
        step = min(LINE, width / len(lines))
        left = x + width / 2 - (len(lines) - 1) / 2 * step
        for i, line in enumerate(lines):
            self._along(left + i * step, bottom, line, room, style)

    def _along(self, x: float, bottom: float, text: str, room: float, style: str) -> None:
        """A text that runs upwards from a point; within a group that is turned, x and y change places."""
        fit = ""
        if len(text) * GLYPH * SIZE > room:
            fit = f' textLength="{number(room)}" lengthAdjust="spacingAndGlyphs"'
        kind = f' class="{style}"' if style else ""
        self._texts.append(f'<text x="{number(-bottom)}" y="{number(x)}"{kind}{fit}>{safe(text)}</text>')

    def body(self) -> str:
        """All of it, the bands first and the text on top."""
        bands = "".join(path(pieces, "f", fill) for fill, pieces in sorted(self._bands.items()))
        planes = "".join(
            f'<path d="{"".join(found)}" fill="url(#{pattern})"/>' for pattern, found in sorted(self._planes.items())
        )
        turned = f'<g transform="rotate(-90)" font-size="{number(SIZE)}">{"".join(self._texts)}</g>'
        lines = path(self._spare, "d") + path(self._frames, "l")
        return bands + planes + lines + "".join(self._numbers) + turned
