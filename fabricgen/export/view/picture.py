"""The fabric view as an SVG picture with a legend, for a design document: no script, fonts by name, one file.

It has the boxes and bands of the page (`layout`) at one size and leaves out what would be too small to see: boxes of
which only the outline and the name are legible are empty, and a band of many devices is one block with its count.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.drawings.svg import MIDDLE, escape_text, format_number
from fabricgen.export.drawings.svg import trace_box as rectangle
from fabricgen.export.palette import LIGHT, Swatch, choose_cluster_swatches
from fabricgen.export.view.boxes import CLUSTER, LEVEL_NAMES, DrawnBundle, list_oversubscription
from fabricgen.export.view.layout import BAR, BAR_SHARE, CELL_H, CELL_W, Band, Scene, lay_out_scene
from fabricgen.export.view.ribbons import Ribbon, draw_ribbons
from fabricgen.export.view.source import count_accelerators, find_domain
from fabricgen.wiring.tables import EXTRA, NODE, TRAY

WIDTH, HIGHEST, CLOSEST, LINE, EDGE = 1600.0, 1200.0, 4.0, 22.0, 10.0
"""Width of the picture, its largest height, the most pixels a unit of the layout, the height of a line of the legend,
and the margin. All in pixels, as are the constants below.
"""

OPENED, CELLS, MOST_DEVICES = 100.0, 3.0, 128
"""The inside of a box narrower than this is not drawn.

A band is one block if its devices are narrower than CELLS, or if it has more than MOST_DEVICES.
"""

SMALLEST, LARGEST = 4.0, 14.0
"""Smallest and largest font size."""

LABEL, LABEL_LINE, THICK = 90.0, 14.0, 4.0
"""Least distances in x and in y between labels of ribbons, and the least breadth of a ribbon that gets a label."""

SHRUNK = (1.0, 0.75, 0.55)
"""Factors of the font size that are tried for a text that does not fit, before only its shortest form is tried."""

STRIPE = 0.1
"""Height of the mark on a node that is a scale-up domain by itself, as a share of the node's height."""

GLYPH = 0.6
"""Assumed width of a character, as a share of the font size; proportional fonts are narrower on average."""

INK, FAINT, LINES, SHADE, GREY = "#1B1F24", "#6B7280", "#9AA3AD", "#F3F5F7", "#6B7280"
"""Colours of texts, of notes, of outlines, of every second level of boxes, and of nodes."""

FONTS = "system-ui,'DejaVu Sans','Liberation Sans',Arial,sans-serif"


def draw_fabric_picture(cluster: Cluster, only: str = "") -> str:
    """Return the fabric view of a cluster as SVG text.

    `only` names a fabric or scale-up domain to draw alone, with the devices that it joins. Raises KeyError if the
    cluster has no fabric or scale-up domain of that name.
    """
    swatches = choose_cluster_swatches(cluster)
    if only and only not in swatches:
        raise KeyError(only)
    return _Picture(cluster, lay_out_scene(cluster), swatches, only).render()


@dataclass(frozen=True)
class _Picture:
    cluster: Cluster
    scene: Scene
    swatches: dict[str, Swatch]
    only: str

    @cached_property
    def _scale(self) -> float:
        """Pixels a unit of the layout."""
        return min(CLOSEST, (WIDTH - 2 * EDGE) / self.scene.width, HIGHEST / self.scene.height)

    @cached_property
    def _ratios(self) -> dict[frozenset[int], float]:
        return list_oversubscription(self.cluster)

    def render(self) -> str:
        """Return the whole SVG file as text: the drawing with its legend below."""
        legend = list(self._draw_legend())
        height = self.scene.height * self._scale + 2 * EDGE + LINE * len(legend)
        name = self.cluster.design.loaded.blueprint.name
        top = self.scene.height * self._scale + 1.5 * EDGE
        body = list(self._draw_body())
        body += [line.replace("@", format_number(top + (i + 0.5) * LINE)) for i, line in enumerate(legend)]
        title = f"{name}: {self.only or 'all fabrics'}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {format_number(WIDTH)} {format_number(height)}"'
            f' role="img" font-family="{FONTS}"><title>{escape_text(title)}</title>\n'
            f'<rect width="100%" height="100%" fill="{LIGHT}"/>\n' + "\n".join(body) + "\n</svg>\n"
        )

    def _draw_body(self) -> Iterator[str]:
        """Yield the SVG elements of the drawing; the names of closed boxes come last, over everything else."""
        names_above = yield from self._draw_boxes()
        yield from self._draw_ribbons()
        yield from self._draw_bands()
        for texts, x, y, room in names_above:
            yield from _draw_fitting(texts, x, y, room, 11, INK, anchor="middle", bold=True, halo=True)

    @cached_property
    def _is_open(self) -> tuple[bool, ...]:
        """Whether the inside of each box is drawn: the box itself and all boxes around it have to be wide enough."""
        is_open: list[bool] = []
        for box, parent in enumerate(self.scene.places.parent.tolist()):
            is_wide = float(self.scene.box_w[box]) * self._scale >= OPENED
            is_open.append(is_wide and (parent < 0 or is_open[parent]))
        return tuple(is_open)

    @cached_property
    def _is_bundle_drawn(self) -> tuple[bool, ...]:
        """Whether each bundle is drawn: its box is open, and the bundle belongs to the fabric asked for."""
        segments = self.cluster.plan.links.segments
        return tuple(
            self._is_open[bundle.box] and (not self.only or segments[bundle.segment].fabric == self.only)
            for bundle in self.scene.bundles
        )

    def _draw_boxes(self) -> Generator[str, None, list[tuple[list[str], float, float, float]]]:
        """Yield the outlines of boxes and the names of open ones.

        Returns the names of closed boxes, which have to stand over what is drawn later: (texts from long to short, x
        and y of the middle, width that the text may take).
        """
        scene, parents = self.scene, self.scene.places.parent.tolist()
        names_above = []
        nodes, accelerators = self._count_nodes()
        for box, parent in enumerate(parents):
            if parent >= 0 and not self._is_open[parent]:
                continue
            x, y, w, h = (float(column[box]) for column in (scene.box_x, scene.box_y, scene.box_w, scene.box_h))
            yield _draw_rect(
                self._to_picture_x(x),
                self._to_picture_y(y),
                w * self._scale,
                h * self._scale,
                SHADE if scene.places.level[box] % 2 else LIGHT,
                self._choose_outline(box),
            )
            texts = self._list_box_texts(box, nodes[box], accelerators[box])
            room, foot = w * self._scale - 8, 0.9 * float(scene.box_foot[box]) * self._scale
            if self._is_open[box]:
                yield from _draw_fitting(
                    texts,
                    self._to_picture_x(x) + 4,
                    self._to_picture_y(y + h) - foot / 1.8 - 1,
                    room,
                    foot,
                    INK,
                    bold=True,
                )
            else:
                names_above.append((texts, self._to_picture_x(x + w / 2), self._to_picture_y(y + h / 2), room))
        return names_above

    def _choose_outline(self, box: int) -> str:
        """Return the colour of a box's outline: the colour of the scale-up domain that the box is, else a plain one."""
        level = LEVEL_NAMES[self.scene.places.level[box]]
        domains = [domain.name for domain in self.cluster.design.scale_up if domain.per == level]
        return self.swatches[domains[0]].fill if domains and self.only in ("", domains[0]) else LINES

    def _list_box_texts(self, box: int, nodes: int, accelerators: int) -> list[str]:
        """Return names for a box, from the longest (with its counts of nodes and accelerators) to the shortest."""
        name = self.cluster.design.loaded.blueprint.name if box == CLUSTER else self.scene.places.names[box]
        texts = [name, name.split()[-1]]
        if nodes:
            texts = [f"{name} · {nodes:,} nodes", *texts]
        return [f"{texts[0]} · {accelerators:,} accelerators", *texts] if accelerators else texts

    def _draw_ribbons(self) -> Iterator[str]:
        """Yield the ribbons, then a label on the largest ribbon of each bundle, if it has room and no other label is
        near.
        """
        segments = self.cluster.plan.links.segments
        ribbons = [ribbon for ribbon in draw_ribbons(self.cluster, self.scene) if self._is_bundle_drawn[ribbon.bundle]]
        labels: dict[int, tuple[float, Ribbon]] = {}
        for ribbon in ribbons:
            fill = self.swatches[segments[self.scene.bundles[ribbon.bundle].segment].fabric].fill
            yield f'<path d="{self._trace_ribbon(ribbon)}" fill="{fill}" fill-opacity=".38"/>'
            # about twice its area: the largest ribbon of a bundle has the label
            size = (ribbon.w0 + ribbon.w1) * (abs(ribbon.y0 - ribbon.y1) + ribbon.arc)
            if size > labels.get(ribbon.bundle, (0.0, ribbon))[0]:
                labels[ribbon.bundle] = size, ribbon
        labelled_points: list[tuple[float, float]] = []
        for bundle, (_, ribbon) in sorted(labels.items(), key=lambda bundle_label: -bundle_label[1][0]):
            x, y = self._to_picture_x((ribbon.x0 + ribbon.x1) / 2), self._to_picture_y((ribbon.y0 + ribbon.y1) / 2)
            half_width = (ribbon.w0 + ribbon.w1) / 2
            room = (half_width if not ribbon.arc else abs(ribbon.x1 - ribbon.x0) + half_width) * self._scale
            height = (abs(ribbon.y0 - ribbon.y1) + ribbon.arc) * self._scale
            y -= max(ribbon.arc / 2, ribbon.arc - half_width / 2) * self._scale if ribbon.arc else 0.0
            is_free = all(
                abs(x - label_x) > LABEL or abs(y - label_y) > LABEL_LINE for label_x, label_y in labelled_points
            )
            if height >= LABEL_LINE and half_width * self._scale >= THICK and is_free:
                labelled_points.append((x, y))
                yield from _draw_fitting(
                    [self._describe_bundle(self.scene.bundles[bundle])], x, y, room, 11, INK, anchor="middle", halo=True
                )

    def _describe_bundle(self, bundle: DrawnBundle) -> str:
        """Return the label of a bundle: links x speed, the number of places if they are all joined, and
        oversubscription.
        """
        text = f"{bundle.links:,} x {self.cluster.plan.links.segments[bundle.segment].speed_gbps:g}G"
        if bundle.joins_all:  # one arc for all of them, between the first places of a grid
            text += f" among {int((self.scene.places.parent == bundle.box).sum()):,}"
        ratio = self._ratios.get(frozenset((bundle.lower, bundle.upper)))
        return text if ratio is None else f"{text} · {round(ratio, 2):g}:1"

    def _draw_bands(self) -> Iterator[str]:
        """Yield the bands: each a frame with its name and devices, or one block if the devices are too small or too
        many.
        """
        joined_classes = {
            cls for i, b in enumerate(self.scene.bundles) if self._is_bundle_drawn[i] for cls in (b.lower, b.upper)
        }
        for band in self.scene.bands:
            if not self._is_open[band.box] or (self.only and band.cls not in joined_classes):
                continue
            cls = self.cluster.plan.devices.classes[band.cls]
            swatch = self.swatches.get(cls.fabric)
            fill, ink = (swatch.fill, swatch.ink) if swatch else (GREY, LIGHT)
            x, y, w, h = (
                self._to_picture_x(band.x),
                self._to_picture_y(band.y),
                band.w * self._scale,
                band.h * self._scale,
            )
            count = band.last - band.first
            texts = self._list_band_texts(band)
            if CELL_W * band.scale * self._scale < CELLS or count > MOST_DEVICES:
                yield _draw_rect(x, y, w, h, fill)
                yield from _draw_fitting(texts, x + w / 2, y + h / 2, w - 4, min(12.0, h), ink, anchor="middle")
                continue
            yield _draw_rect(x, y, w, h, LIGHT, fill)
            yield from _draw_fitting(
                texts, x + 3, y + band.header * self._scale / 2, w - 6, 0.75 * band.header * self._scale, INK
            )
            if cls.kind not in (NODE, EXTRA):
                bar = min(4.0, max(1.5, BAR_SHARE * BAR * band.scale * self._scale))
                yield _draw_rect(x, y + h - bar, w, bar, fill)
            yield self._draw_cells(band, fill)
            domain = find_domain(cls, self.cluster.design)
            if domain is not None and domain.per == "node" and self.only in ("", domain.name):
                yield self._draw_cells(band, self.swatches[domain.name].fill, STRIPE)

    def _draw_cells(self, band: Band, fill: str, share: float = 1.0) -> str:
        """Return one SVG path with the devices of a band, or with the lowest `share` of each device's height."""
        rows = self.scene.order[band.first : band.last]
        w, h = CELL_W * band.scale * self._scale, CELL_H * band.scale * self._scale
        cells = "".join(
            rectangle(self._to_picture_x(x), self._to_picture_y(y) + (1 - share) * h, w, share * h)
            for x, y in zip(self.scene.device_x[rows].tolist(), self.scene.device_y[rows].tolist(), strict=True)
        )
        return f'<path d="{cells}" fill="{fill}"/>'

    def _list_band_texts(self, band: Band) -> list[str]:
        """Return names for a band, from the longest (fabric, tier, count and model) to the count alone."""
        cls, count = self.cluster.plan.devices.classes[band.cls], band.last - band.first
        name = (
            cls.fabric if cls.kind == TRAY else cls.label if cls.kind in (NODE, EXTRA) else f"{cls.fabric} {cls.label}"
        )
        shorter = [f"{cls.label} · {count:,} x {cls.profile.id}", f"{cls.label} · {count:,}", cls.label, f"{count:,}"]
        return [f"{name} · {count:,} x {cls.profile.id}", *shorter]

    def _count_nodes(self) -> tuple[list[int], list[int]]:
        """Return the number of nodes and of accelerators in each box, boxes inside it included.

        If any nodes of the cluster have accelerators, only the nodes that have some are counted.
        """
        classes = self.cluster.plan.devices.classes
        accelerator_counts = [count_accelerators(cls) for cls in classes]
        nodes, accelerators = (np.zeros(len(self.scene.places), dtype=np.int64) for _ in range(2))
        for band in self.scene.bands:
            if classes[band.cls].kind == NODE and (accelerator_counts[band.cls] or not any(accelerator_counts)):
                nodes[band.box] += band.last - band.first
                accelerators[band.box] += (band.last - band.first) * accelerator_counts[band.cls]
        parents = self.scene.places.parent.tolist()
        # boxes come before those inside them: from the last on, each adds its counts to the box around it
        for box in reversed(range(1, len(parents))):
            nodes[parents[box]] += nodes[box]
            accelerators[parents[box]] += accelerators[box]
        return nodes.tolist(), accelerators.tolist()

    def _draw_legend(self) -> Iterator[str]:
        """Yield the lines of the legend; each has `@` in the place of its y."""
        x, entries = EDGE, []
        kinds = {fabric.name: fabric.protocol for fabric in self.cluster.design.fabrics}
        for name, swatch in self.swatches.items():
            if self.only in ("", name):
                entries.append((swatch.code, swatch.fill, swatch.ink, f"{name} ({kinds.get(name, 'scale-up')})"))
        line = ""
        for code, fill, ink, text in [*entries, ("", GREY, LIGHT, "nodes and extra devices")]:
            width = 40 + len(text) * GLYPH * 12 + 16
            if x + width > WIDTH - EDGE:
                yield line
                x, line = EDGE, ""
            line += (
                f'<rect x="{format_number(x)}" y="@" width="30" height="14"'
                f' transform="translate(0 -7)" fill="{fill}"/>'
                f'<text x="{format_number(x + 15)}" y="@" dy="{MIDDLE}em" font-size="11"'
                f' text-anchor="middle" fill="{ink}">'
                f"{escape_text(code)}</text>"
                f'<text x="{format_number(x + 36)}" y="@" dy="{MIDDLE}em" font-size="12" fill="{INK}">'
                f"{escape_text(text)}</text>"
            )
            x += width
        yield line
        note = (
            "A ribbon is all links between two groups: links x speed · oversubscription, the worst of its tier."
            " A broader one carries more."
        )
        yield f'<text x="{format_number(EDGE)}" y="@" dy="{MIDDLE}em" font-size="11" fill="{FAINT}">{note}</text>'

    def _to_picture_x(self, x: float) -> float:
        """Return the x of the picture for one of the scene, which stands in the middle."""
        return (WIDTH - self.scene.width * self._scale) / 2 + x * self._scale

    def _to_picture_y(self, y: float) -> float:
        return EDGE + y * self._scale

    def _trace_ribbon(self, ribbon: Ribbon) -> str:
        """Return the outline of a ribbon as SVG path data; the page's script paints the same curves."""
        x0, y0, x1, y1 = (
            self._to_picture_x(ribbon.x0),
            self._to_picture_y(ribbon.y0),
            self._to_picture_x(ribbon.x1),
            self._to_picture_y(ribbon.y1),
        )
        half0, half1 = (max(0.35, width / 2 * self._scale) for width in (ribbon.w0, ribbon.w1))
        if ribbon.arc:
            # a cubic curve rises three quarters of the way to its control points, hence the 4 / 3
            outer, inner = (
                max(0.0, high) * 4 / 3 for high in (ribbon.arc * self._scale, ribbon.arc * self._scale - half0 - half1)
            )
            points = [
                (x0 - half0, y0), (x0 - half0, y0 - outer), (x1 + half1, y1 - outer), (x1 + half1, y1),
                (x1 - half1, y1), (x1 - half1, y1 - inner), (x0 + half0, y0 - inner), (x0 + half0, y0),
            ]  # fmt: skip
        else:
            middle_y = (y0 + y1) / 2
            points = [
                (x0 - half0, y0), (x0 - half0, middle_y), (x1 - half1, middle_y), (x1 - half1, y1),
                (x1 + half1, y1), (x1 + half1, middle_y), (x0 + half0, middle_y), (x0 + half0, y0),
            ]  # fmt: skip
        texts = [f"{format_number(x)} {format_number(y)}" for x, y in points]
        return f"M{texts[0]}C{texts[1]} {texts[2]} {texts[3]}L{texts[4]}C{texts[5]} {texts[6]} {texts[7]}Z"


def _draw_rect(x: float, y: float, w: float, h: float, fill: str, stroke: str = "") -> str:
    line = f' stroke="{stroke}"' if stroke else ""
    return (
        f'<rect x="{format_number(x)}" y="{format_number(y)}" width="{format_number(w)}" height="{format_number(h)}"'
        f' fill="{fill}"{line}/>'
    )


def _draw_fitting(
    texts: list[str], x: float, y: float, room: float, size: float, fill: str,
    *, anchor: str = "", bold: bool = False, halo: bool = False,
) -> Iterator[str]:  # fmt: skip
    """Yield an SVG text with the first of `texts` that fits into the width `room`; nothing if no text fits.

    All texts but the last are tried at one font size before the next smaller one; the last is tried at full size at the
    end. No font size is above `LARGEST` or below `SMALLEST`.
    """
    *names, last_resort = texts
    attempts = [(text, min(size, LARGEST) * factor) for factor in SHRUNK for text in names]
    for text, size in (*attempts, (last_resort, min(size, LARGEST))):  # noqa: B020
        if len(text) * GLYPH * size <= room and size >= SMALLEST:
            break
    else:
        return
    style = f' text-anchor="{anchor}"' if anchor else ""
    style += ' font-weight="600"' if bold else ""
    style += f' stroke="{LIGHT}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"' if halo else ""
    yield (
        f'<text x="{format_number(x)}" y="{format_number(y + MIDDLE * size)}" font-size="{format_number(size)}"'
        f' fill="{fill}"{style}>{escape_text(text)}</text>'
    )
