"""The fabric view as an SVG picture with a legend, for a design document: no script, fonts by name, one file.

It has the places of the page (`layout`) at one size. What would be too small to see is left out: places of which only
the outline and the name are legible are empty, and a band of many devices is one block with its count.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.drawings.svg import box as rectangle
from fabricgen.export.drawings.svg import number, safe
from fabricgen.export.palette import LIGHT, Swatch, cluster_swatches
from fabricgen.export.view.bundles import Bundle, ratios_of
from fabricgen.export.view.layout import CELL_H, CELL_W, Band, Scene, scene_of
from fabricgen.export.view.places import CLUSTER, LEVEL_NAMES
from fabricgen.export.view.ribbons import Ribbon, ribbons_of
from fabricgen.export.view.source import accelerators_of, domain_of
from fabricgen.wiring.tables import EXTRA, NODE, TRAY

WIDTH, HIGHEST, CLOSEST, LINE, EDGE = 1600.0, 1200.0, 4.0, 22.0, 10.0
"""Width of the picture, its height at most, pixels a unit at most, height of a line of its legend, and its margin; all
in pixels, as below.
"""

OPENED, CELLS, MOST_DEVICES = 100.0, 3.0, 128
"""A box narrower than this is closed; devices narrower than this, or more in a band, are one block."""

SMALLEST, LARGEST = 4.0, 14.0
"""Sizes of texts; the smallest are for those who look closer."""

LABEL, LABEL_LINE, THICK = 90.0, 14.0, 4.0
"""Least distances between labels of ribbons, and the breadth of a ribbon that has one."""

SHRUNK = (1.0, 0.75, 0.55)
"""A text that has not the room for its size is smaller, before only a number is left of it."""

STRIPE = 0.1
"""Height of the mark of a node that is a scale-up domain, as a share of the node's."""

GLYPH = 0.6
"""Width of a character in parts of the size of a text; proportional fonts are narrower on average."""

INK, FAINT, LINES, SHADE, GREY = "#1B1F24", "#6B7280", "#9AA3AD", "#F3F5F7", "#6B7280"
"""Colours of texts, notes, outlines, every second level of boxes, and nodes."""

FONTS = "system-ui,'DejaVu Sans','Liberation Sans',Arial,sans-serif"


def fabric_picture(cluster: Cluster, only: str = "") -> str:
    """The fabric view as SVG text; of one fabric and what it joins if `only` names it.

    Raises KeyError where the cluster has no fabric or scale-up domain of that name.
    """
    swatches = cluster_swatches(cluster)
    if only and only not in swatches:
        raise KeyError(only)
    return _Picture(cluster, scene_of(cluster), swatches, only).text()


@dataclass(frozen=True)
class _Picture:
    cluster: Cluster
    scene: Scene
    swatches: dict[str, Swatch]
    only: str

    @cached_property
    def _scale(self) -> float:
        """Pixels a unit."""
        return min(CLOSEST, (WIDTH - 2 * EDGE) / self.scene.width, HIGHEST / self.scene.height)

    @cached_property
    def _ratios(self) -> dict[frozenset[int], float]:
        return ratios_of(self.cluster)

    @cached_property
    def _left(self) -> float:
        """Where the drawing begins, so that it is in the middle."""
        return (WIDTH - self.scene.width * self._scale) / 2

    def text(self) -> str:
        """The whole file."""
        legend = list(self._legend())
        height = self.scene.height * self._scale + 2 * EDGE + LINE * len(legend)
        name = self.cluster.design.loaded.blueprint.name
        top = self.scene.height * self._scale + 1.5 * EDGE
        body = list(self._body())
        body += [line.replace("@", number(top + (i + 0.5) * LINE)) for i, line in enumerate(legend)]
        title = f"{name}: {self.only or 'all fabrics'}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(WIDTH)} {number(height)}" role="img"'
            f' font-family="{FONTS}" dominant-baseline="central"><title>{safe(title)}</title>\n'
            f'<rect width="100%" height="100%" fill="{LIGHT}"/>\n' + "\n".join(body) + "\n</svg>\n"
        )

    def _body(self) -> Iterator[str]:
        over = yield from self._boxes()
        yield from self._ribbons()
        yield from self._bands()
        for texts, x, y, room in over:
            yield from _fitting(texts, x, y, room, 11, INK, anchor="middle", bold=True, halo=True)

    @cached_property
    def _drawn(self) -> tuple[bool, ...]:
        """Whether the inside of each box is drawn: it and those around it are wide enough."""
        found: list[bool] = []
        for box, parent in enumerate(self.scene.places.parent.tolist()):
            wide = float(self.scene.box_w[box]) * self._scale >= OPENED
            found.append(wide and (parent < 0 or found[parent]))
        return tuple(found)

    @cached_property
    def _bundles(self) -> tuple[bool, ...]:
        """Whether each bundle is drawn: its box is, and it is of the fabric asked for."""
        segments = self.cluster.plan.links.segments
        return tuple(
            self._drawn[bundle.box] and (not self.only or segments[bundle.segment].fabric == self.only)
            for bundle in self.scene.bundles
        )

    def _boxes(self) -> Generator[str, None, list[tuple[list[str], float, float, float]]]:
        """Outlines and names; returns names that stand over what is drawn: (texts, x, y of the middle, room)."""
        scene, parents = self.scene, self.scene.places.parent.tolist()
        later = []
        nodes, accelerators = self._counts()
        for box, parent in enumerate(parents):
            if parent >= 0 and not self._drawn[parent]:
                continue
            x, y, w, h = (float(column[box]) for column in (scene.box_x, scene.box_y, scene.box_w, scene.box_h))
            fill = SHADE if scene.places.level[box] % 2 else LIGHT
            yield _rect(self._x(x), self._y(y), w * self._scale, h * self._scale, fill, self._outline(box))
            texts = self._box_texts(box, nodes[box], accelerators[box])
            room, foot = w * self._scale - 8, 0.9 * float(scene.box_foot[box]) * self._scale
            if self._drawn[box]:
                yield from _fitting(texts, self._x(x) + 4, self._y(y + h) - foot / 1.8 - 1, room, foot, INK, bold=True)
            else:
                later.append((texts, self._x(x + w / 2), self._y(y + h / 2), room))
        return later

    def _outline(self, box: int) -> str:
        """The colour of a box's outline: of the scale-up domain that it is, else a plain one."""
        level = LEVEL_NAMES[self.scene.places.level[box]]
        own = [domain.name for domain in self.cluster.design.scale_up if domain.per == level]
        return self.swatches[own[0]].fill if own and self.only in ("", own[0]) else LINES

    def _box_texts(self, box: int, nodes: int, accelerators: int) -> list[str]:
        """What a box is called, from long to short."""
        name = self.cluster.design.loaded.blueprint.name if box == CLUSTER else self.scene.places.names[box]
        texts = [name, name.split()[-1]]
        if nodes:
            texts = [f"{name} · {nodes:,} nodes", *texts]
        return [f"{texts[0]} · {accelerators:,} accelerators", *texts] if accelerators else texts

    def _ribbons(self) -> Iterator[str]:
        segments = self.cluster.plan.links.segments
        ribbons = [ribbon for ribbon in ribbons_of(self.cluster, self.scene) if self._bundles[ribbon.bundle]]
        labels: dict[int, tuple[float, Ribbon]] = {}
        for ribbon in ribbons:
            fill = self.swatches[segments[self.scene.bundles[ribbon.bundle].segment].fabric].fill
            yield f'<path d="{self._path(ribbon)}" fill="{fill}" fill-opacity=".38"/>'
            size = (ribbon.w0 + ribbon.w1) * (abs(ribbon.y0 - ribbon.y1) + ribbon.arc)
            if size > labels.get(ribbon.bundle, (0.0, ribbon))[0]:
                labels[ribbon.bundle] = size, ribbon
        taken: list[tuple[float, float]] = []
        for bundle, (_, ribbon) in sorted(labels.items(), key=lambda item: -item[1][0]):
            x, y = self._x((ribbon.x0 + ribbon.x1) / 2), self._y((ribbon.y0 + ribbon.y1) / 2)
            half = (ribbon.w0 + ribbon.w1) / 2
            room = (half if not ribbon.arc else abs(ribbon.x1 - ribbon.x0) + half) * self._scale
            high = (abs(ribbon.y0 - ribbon.y1) + ribbon.arc) * self._scale
            y -= max(ribbon.arc / 2, ribbon.arc - half / 2) * self._scale if ribbon.arc else 0.0
            free = all(abs(x - other) > LABEL or abs(y - line) > LABEL_LINE for other, line in taken)
            if high >= LABEL_LINE and half * self._scale >= THICK and free:
                taken.append((x, y))
                text = self._bundle_text(self.scene.bundles[bundle])
                yield from _fitting([text], x, y, room, 11, INK, anchor="middle", halo=True)

    def _bundle_text(self, bundle: Bundle) -> str:
        segment = self.cluster.plan.links.segments[bundle.segment]
        text = f"{bundle.links:,} x {segment.speed_gbps:g}G"
        ratio = self._ratios.get(frozenset((bundle.lower, bundle.upper)))
        return text if ratio is None else f"{text} · {round(ratio, 2):g}:1"

    def _bands(self) -> Iterator[str]:
        joined = {cls for i, b in enumerate(self.scene.bundles) if self._bundles[i] for cls in (b.lower, b.upper)}
        for band in self.scene.bands:
            if not self._drawn[band.box] or (self.only and band.cls not in joined):
                continue
            cls = self.cluster.plan.devices.classes[band.cls]
            swatch = self.swatches.get(cls.fabric)
            fill, ink = (swatch.fill, swatch.ink) if swatch else (GREY, LIGHT)
            x, y, w, h = self._x(band.x), self._y(band.y), band.w * self._scale, band.h * self._scale
            count = band.last - band.first
            texts = self._band_texts(band)
            if CELL_W * band.scale * self._scale < CELLS or count > MOST_DEVICES:
                yield _rect(x, y, w, h, fill)
                yield from _fitting(texts, x + w / 2, y + h / 2, w - 4, min(12.0, h), ink, anchor="middle")
                continue
            yield _rect(x, y, w, h, LIGHT, fill)
            yield from _fitting(
                texts, x + 3, y + band.header * self._scale / 2, w - 6, 0.75 * band.header * self._scale, INK
            )
            yield self._cells(band, fill)
            domain = domain_of(cls, self.cluster.design)
            if domain is not None and domain.per == "node" and self.only in ("", domain.name):
                yield self._cells(band, self.swatches[domain.name].fill, STRIPE)

    def _cells(self, band: Band, fill: str, share: float = 1.0) -> str:
        """The devices of a band, or a share of the height of each at its foot."""
        rows = self.scene.order[band.first : band.last]
        w, h = CELL_W * band.scale * self._scale, CELL_H * band.scale * self._scale
        cells = "".join(
            rectangle(self._x(x), self._y(y) + (1 - share) * h, w, share * h)
            for x, y in zip(self.scene.device_x[rows].tolist(), self.scene.device_y[rows].tolist(), strict=True)
        )
        return f'<path d="{cells}" fill="{fill}"/>'

    def _band_texts(self, band: Band) -> list[str]:
        cls, count = self.cluster.plan.devices.classes[band.cls], band.last - band.first
        name = (
            cls.fabric if cls.kind == TRAY else cls.label if cls.kind in (NODE, EXTRA) else f"{cls.fabric} {cls.label}"
        )
        shorter = [f"{cls.label} · {count:,} x {cls.profile.id}", f"{cls.label} · {count:,}", cls.label, f"{count:,}"]
        return [f"{name} · {count:,} x {cls.profile.id}", *shorter]

    def _counts(self) -> tuple[list[int], list[int]]:
        """Nodes (those with accelerators, where there are any) and accelerators in each box."""
        classes = self.cluster.plan.devices.classes
        each = [accelerators_of(cls) for cls in classes]
        nodes, accelerators = (np.zeros(len(self.scene.places), dtype=np.int64) for _ in range(2))
        for band in self.scene.bands:
            if classes[band.cls].kind == NODE and (each[band.cls] or not any(each)):
                nodes[band.box] += band.last - band.first
                accelerators[band.box] += (band.last - band.first) * each[band.cls]
        parents = self.scene.places.parent.tolist()
        for box in reversed(range(1, len(parents))):
            nodes[parents[box]] += nodes[box]
            accelerators[parents[box]] += accelerators[box]
        return nodes.tolist(), accelerators.tolist()

    def _legend(self) -> Iterator[str]:
        """Lines below the picture, each with `@` for its y."""
        x, items = EDGE, []
        kinds = {fabric.name: fabric.protocol for fabric in self.cluster.design.fabrics}
        for name, swatch in self.swatches.items():
            if self.only in ("", name):
                items.append((swatch.code, swatch.fill, swatch.ink, f"{name} ({kinds.get(name, 'scale-up')})"))
        line = ""
        for code, fill, ink, text in [*items, ("", GREY, LIGHT, "nodes and extra devices")]:
            width = 40 + len(text) * GLYPH * 12 + 16
            if x + width > WIDTH - EDGE:
                yield line
                x, line = EDGE, ""
            line += (
                f'<rect x="{number(x)}" y="@" width="30" height="14" transform="translate(0 -7)" fill="{fill}"/>'
                f'<text x="{number(x + 15)}" y="@" font-size="11" text-anchor="middle" fill="{ink}">{safe(code)}</text>'
                f'<text x="{number(x + 36)}" y="@" font-size="12" fill="{INK}">{safe(text)}</text>'
            )
            x += width
        yield line
        note = (
            "A ribbon is all links between two groups: links x speed · oversubscription, the worst of its tier."
            " A broader one carries more."
        )
        yield f'<text x="{number(EDGE)}" y="@" font-size="11" fill="{FAINT}">{note}</text>'

    def _x(self, x: float) -> float:
        return self._left + x * self._scale

    def _y(self, y: float) -> float:
        return EDGE + y * self._scale

    def _path(self, ribbon: Ribbon) -> str:
        """The outline of a ribbon, as the page paints it."""
        x0, y0, x1, y1 = self._x(ribbon.x0), self._y(ribbon.y0), self._x(ribbon.x1), self._y(ribbon.y1)
        a, b = (max(0.35, width / 2 * self._scale) for width in (ribbon.w0, ribbon.w1))
        if ribbon.arc:
            outer, inner = (
                max(0.0, high) * 4 / 3 for high in (ribbon.arc * self._scale, ribbon.arc * self._scale - a - b)
            )
            points = [
                (x0 - a, y0), (x0 - a, y0 - outer), (x1 + b, y1 - outer), (x1 + b, y1),
                (x1 - b, y1), (x1 - b, y1 - inner), (x0 + a, y0 - inner), (x0 + a, y0),
            ]  # fmt: skip
        else:
            m = (y0 + y1) / 2
            points = [
                (x0 - a, y0), (x0 - a, m), (x1 - b, m), (x1 - b, y1),
                (x1 + b, y1), (x1 + b, m), (x0 + a, m), (x0 + a, y0),
            ]  # fmt: skip
        at = [f"{number(x)} {number(y)}" for x, y in points]
        return f"M{at[0]}C{at[1]} {at[2]} {at[3]}L{at[4]}C{at[5]} {at[6]} {at[7]}Z"


def _rect(x: float, y: float, w: float, h: float, fill: str, stroke: str = "") -> str:
    line = f' stroke="{stroke}"' if stroke else ""
    return f'<rect x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}" fill="{fill}"{line}/>'


def _fitting(
    texts: list[str], x: float, y: float, room: float, size: float, fill: str,
    *, anchor: str = "", bold: bool = False, halo: bool = False,
) -> Iterator[str]:  # fmt: skip
    """The first of some texts that fits; nothing where none does."""
    *names, last = texts
    tried = [(text, min(size, LARGEST) * share) for share in SHRUNK for text in names]
    for fits, size in (*tried, (last, min(size, LARGEST))):  # noqa: B020
        if len(fits) * GLYPH * size <= room and size >= SMALLEST:
            break
    else:
        return
    style = f' text-anchor="{anchor}"' if anchor else ""
    style += ' font-weight="600"' if bold else ""
    style += f' stroke="{LIGHT}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"' if halo else ""
    yield f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" fill="{fill}"{style}>{safe(fits)}</text>'
