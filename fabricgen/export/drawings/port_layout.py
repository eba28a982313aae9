"""Page layout of a switch's front: widths of columns, heights of cells, and where it is cut into drawings.

Below that, which cage of a switch is where on its front, and the cages of node models with the cables they take.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from fabricgen.blueprint.models import make_natural_key
from fabricgen.catalog.models import CageClass, NodeProfile, SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.export.drawings.svg import GLYPH, Groups, find_narrowest_width
from fabricgen.export.drawings.switch_ports import KEPT, FacePort
from fabricgen.export.plugs import list_cable_end_ports, list_plugs
from fabricgen.export.technician.records import CableTag, list_cable_tags
from fabricgen.wiring.arrays import unique_combinations

PAGE_WIDTH, PAGE_HEIGHT = 277.0, 188.0
"""Usable width and height of a landscape A4 page, mm."""

SIZES = (1.9, 1.75)
"""Text sizes of far ends, mm: 5.4 points, or 5 points if the front then takes fewer pages."""

LEADING = 1.12
"""Line height, as a multiple of the text size."""

NUMBER = 3.4
"""Height of the line with the number of a cage, mm."""

PAD = 0.9
"""Space around the texts of a cell, mm."""
HEAD = 11.0
"""Height of the title above the cages, mm."""
GAP = 2.5
"""Space between cages of different kinds, mm."""

PLANE = 1.2
"""Height of the pattern of a plane, mm."""

IDLE = 7.0
"""Width of a column of cages of a kind that carries no cables, mm."""

_LINES = 4
"""Lines of text in a port: more are not planned even if there is room."""

_MOST_CUTS = 8
"""The most drawings side by side that are tried for one panel."""

_REMEMBERED = 1 << 15
"""Size of the caches of layouts and of masked texts."""

Outline: TypeAlias = tuple[int, int, int, str, str, str, str, str, str, str, int]
"""The fields of a `FacePort` in their order, with an x for each letter of its far end."""

Shapes = tuple[tuple[int, tuple[FacePort, ...]], ...]
"""(ports that a cage is split into, one port for each way in which texts wrap), ascending."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Measures of a panel, mm: text size, width of columns in use, height of cells and of a port's band.

    `letters` says how many characters of a far end stand on a line, and `band_letters` how many of the text in a band.
    Both are mappings from the number of ports that a cage is split into.
    """

    size: float
    column: float
    cell: float
    band: float
    letters: Mapping[int, int]
    band_letters: Mapping[int, int]
    idle: frozenset[int]
    """Kinds of cages that carry no cables."""

    def measure_column(self, column: CageColumn) -> float:
        """Return the width of a column, mm."""
        return IDLE if column.kind in self.idle else self.column

    @property
    def line(self) -> float:
        """Distance from line to line, mm."""
        return self.size * LEADING

    def count_lines(self, split: int) -> int:
        """Return the number of lines of text that fit in a port of a cage with this split, at least one."""
        return max(1, int((self.column / split - 0.3) / self.line))


@dataclass(frozen=True, slots=True)
class PanelGrid:
    """A grid, and how many columns and rows of a panel each drawing has."""

    grid: Grid
    columns_each: int
    rows_each: int

    def list_drawings(self, panel: Panel) -> Iterator[tuple[Sequence[CageColumn], range]]:
        """Yield the columns and the range of rows of each drawing."""
        for first_row in range(0, panel.rows, self.rows_each):
            for first_column in range(0, len(panel.columns), self.columns_each):
                columns = panel.columns[first_column : first_column + self.columns_each]
                yield columns, range(first_row, min(panel.rows, first_row + self.rows_each))


def group_far_end(port: FacePort, lines: int) -> Groups:
    """Return the words of a port's far end in one or two groups, each of which begins a line.

    With one line, all words are one group. With more, the device is the first group, and cage and port, rack, and rack
    unit are the second. A port that is kept for a purpose has that purpose alone.
    """
    if port.role == KEPT:
        return ((port.device,),)
    location = (port.place, port.rack, f"U{port.u}")
    return ((port.device,), location) if lines > 1 else ((port.device, *location),)


def join_far_end(port: FacePort) -> str:
    """Return the whole text of the far end; each line drawn is a slice of it."""
    return port.device if port.role == KEPT else f"{port.device} {port.place} {port.rack} U{port.u}"


def outline_port(port: FacePort) -> Outline:
    """Return everything on which the drawing of a port depends, except the letters of its far end.

    Of the texts of the far end only lengths and hyphens are kept, so that ports with equal outlines share a drawing.
    """
    # 10 or 1: only the number of digits of a rack unit matters
    texts = _mask_letters(port.device), _mask_letters(port.place), _mask_letters(port.rack), 10 if port.u > 9 else 1
    return (port.cage, port.sub, port.ways, port.role, port.tag, port.fill, port.pattern, *texts)


def group_band(port: FacePort, lines: int) -> Groups:
    """Return the words of a port's band by line: its role, and the code for fabric, rail and plane."""
    return ((port.role,), (port.tag,)) if lines > 1 else ((port.role, port.tag),)


def lay_out(panel: Panel, ports_by_cage: Mapping[int, Sequence[FacePort]]) -> PanelGrid:
    """Return the layout with the fewest drawings; among equals, the fewest cuts between columns, then the
    larger text.
    """
    ports = [port for column in panel.columns for cage in column.cages for port in ports_by_cage.get(cage, ())]
    used = {column.kind for column in panel.columns if any(ports_by_cage.get(cage) for cage in column.cages)}
    return _choose_layout(panel, _list_shapes(ports), frozenset(column.kind for column in panel.columns) - used)


@lru_cache(_REMEMBERED)
def _choose_layout(panel: Panel, shapes: Shapes, idle: frozenset[int]) -> PanelGrid:
    """Return the layout of a panel whose ports are like those in `shapes`, made by `_list_shapes`.

    `idle` are the kinds of cages (`CageColumn.kind`) that carry no cables. The result is cached, because most switches
    of a tier have the same shapes.
    """
    candidates: list[tuple[tuple[int, int, float], PanelGrid]] = []
    for size in SIZES:
        for cuts in range(1, min(_MOST_CUTS, len(panel.columns)) + 1):
            # -(-a // b) is a / b, rounded up
            layout = _make_layout(panel, dict(shapes), idle, -(-len(panel.columns) // cuts), size)
            # fewest drawings first, then fewest cuts across, then the larger text
            candidates.append(((cuts * -(-panel.rows // layout.rows_each), cuts, -size), layout))
            if cuts * -(-panel.rows // layout.rows_each) == 1:
                return layout
    return min(candidates, key=lambda candidate: candidate[0])[1]


def _list_shapes(ports: Iterable[FacePort]) -> Shapes:
    """Return (split, ports) for each split, ascending; a split is the number of ports that a cage is split into.

    The texts of the ports are masked: each letter is an x. Of ports that are equal then only the first is listed, as
    their texts wrap alike.
    """
    ports_by_split: dict[int, dict[FacePort, None]] = defaultdict(dict)
    for port in ports:
        ports_by_split[port.ways].setdefault(_mask_port(port))
    return tuple((split, tuple(ports_by_split[split])) for split in sorted(ports_by_split))


def _mask_port(port: FacePort) -> FacePort:
    """Return a port with masked texts, which wrap like those of the given port."""
    *_, device, place, rack, u = outline_port(port)
    return FacePort(
        0, 0, port.ways, port.role, _mask_letters(port.tag), "", port.pattern and "x", device, place, rack, u
    )


@lru_cache(_REMEMBERED)
def _mask_letters(text: str) -> str:
    return "-".join("x" * len(piece) for piece in text.split("-"))


def _make_layout(
    panel: Panel, shapes: Mapping[int, Sequence[FacePort]], idle: frozenset[int], columns_each: int, size: float
) -> PanelGrid:
    """Return the layout with `columns_each` columns side by side and a text size of `size` mm."""
    kinds = {column.kind for column in panel.columns}
    idle_columns = sum(column.kind in idle for column in panel.columns)
    largest_split = max(shapes, default=1)
    columns_used = min(columns_each, max(1, len(panel.columns) - idle_columns))
    max_column = (PAGE_WIDTH - 1 - GAP * (len(kinds) - 1) - IDLE * min(idle_columns, columns_each)) / columns_used
    column = min(max_column, max(12.0, largest_split * (_LINES * size * LEADING + 0.4)))
    # a grid of this text size, only to count the lines that fit in a port
    unfilled_grid = Grid(size, column, 0, 0, {}, {}, idle)
    lines = {split: unfilled_grid.count_lines(split) for split in shapes}
    letters = {n: find_narrowest_width((group_far_end(port, lines[n]) for port in shapes[n]), lines[n]) for n in lines}
    bands = {
        n: find_narrowest_width((group_band(port, lines[n]) for port in shapes[n]), min(lines[n], 2)) for n in lines
    }
    plane = PLANE if any(port.pattern for ports in shapes.values() for port in ports) else 0.0
    band = max(bands.values(), default=0) * GLYPH * size + 2 * PAD + plane
    text = max(letters.values(), default=6) * GLYPH * size + 2 * PAD
    cell = min(NUMBER + band + text, PAGE_HEIGHT - HEAD - 1)
    rows_fitting = max(1, int((PAGE_HEIGHT - HEAD) / cell))
    is_crowded = column / largest_split < unfilled_grid.line * 0.95
    # rows are spread evenly over the drawings, so that the last drawing is not left with few
    rows_each = 1 if is_crowded else -(-panel.rows // -(-panel.rows // rows_fitting))
    return PanelGrid(Grid(size, column, cell, band, letters, bands, idle), columns_each, rows_each)


# The front of a switch: the position of each cage, in columns from left to right, each from the top down.
# Numbers run down the columns unless the catalogue says otherwise, as on most fronts (Gigamon, White Box Port and
# Faceplate Labeling, docs.gigamon.com; SN5400: NVIDIA SN5000 hardware user manual, Data Interfaces, by which every
# fourth cage, the uppermost of its column, may draw more).

ACROSS = {"RJ45": 24, "SFP": 24, "OSFP": 18, "QSFP": 20, "CPO": 36, "LC": 36}
"""Cages side by side on a 19-inch front, by prefix of their form factor.

They are derived from 450 mm (EIA-310) and the widths of modules with the walls between them: OSFP 22.6 mm, QSFP-DD 18.4
mm, SFP 13.4 mm, RJ45 about 16 mm with its magnetics.
"""

OTHERWISE = 16
"""Cages side by side of any other form factor."""

IN_A_ROW = 2
"""The most cages of a kind that stand in one row, such as service ports; more stand in two rows, four and so on."""


@dataclass(frozen=True, slots=True)
class CageColumn:
    """The numbers of cages above one another, from the top; `kind` is the index of their class in the profile."""

    kind: int
    cages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """The front of a switch (`slot` 0), or of a line card in a slot of a chassis: its columns from left to right."""

    slot: int
    columns: tuple[CageColumn, ...]

    @property
    def rows(self) -> int:
        """Number of cages in the highest column."""
        return max(len(column.cages) for column in self.columns)


def count_rows(cage: CageClass, count: int) -> int:
    """Return in how many rows `count` cages of a kind stand.

    It is the number of rows in the catalogue, but at most `count`. Without one, up to `IN_A_ROW` cages are one row, and
    more cages are in the least even number of rows that holds them.
    """
    if cage.rows:
        return min(cage.rows, count)
    if count <= IN_A_ROW:
        return 1
    across = next((most for start, most in ACROSS.items() if cage.form_factor.startswith(start)), OTHERWISE)
    # rows come in pairs because cages stand belly to belly
    return 2 * -(-count // (2 * across))


def list_panels(profile: SwitchProfile) -> tuple[Panel, ...]:
    """Return the panels of a switch: one for a fixed box, one for each line card of a chassis."""
    return tuple(
        Panel(slot, tuple(_arrange_columns(profile, cages)))
        for slot, cages in zip([slot for slot, _ in profile.cards] or [0], profile.cages_by_card, strict=True)
    )


def _arrange_columns(profile: SwitchProfile, cages: tuple[int, ...]) -> Iterator[CageColumn]:
    """Yield the columns of a panel, class by class of cages; `cages` are the numbers of the panel's cages."""
    for kind, cage in enumerate(profile.cages):
        first_cage = profile.find_first_cage(kind)
        class_cages = [number for number in cages if first_cage <= number < first_cage + cage.count]
        if not class_cages:
            continue
        rows = count_rows(cage, len(class_cages))
        columns = -(-len(class_cages) // rows)
        for i in range(columns):
            column_cages = (
                # numbered down: the numbers of a column are consecutive; otherwise those of a row are
                class_cages[i * rows : (i + 1) * rows] if cage.numbered == "down" else class_cages[i::columns]
            )
            yield CageColumn(kind, tuple(column_cages))


# The cages of each node model, with the texts of its labels, the cables they take, and their positions.
# Node models are what the catalogue calls nodes: servers and trays, and also storage, routers and whatever is wired.

_CageTags: TypeAlias = dict[str, dict[str, list[CableTag]]]
"""By cage and by label of a socket: the tags of the cables there."""


@dataclass(frozen=True, slots=True)
class TaggedSocket:
    """The socket for one plug, named as on its label (`OSFP1/2`), and the tags of the cables that nodes have there."""

    label: str
    tags: tuple[CableTag, ...]


@dataclass(frozen=True, slots=True)
class NodeCage:
    """A cage of a node, its form factor, and its sockets in use.

    A spare cage has no sockets; a power inlet has None.
    """

    name: str
    form_factor: str
    sockets: tuple[TaggedSocket, ...] | None


@dataclass(frozen=True, slots=True)
class CageBlock:
    """Cages that sit together. `where` is their published position in words, or else their role."""

    where: str
    published: bool
    cages: tuple[NodeCage, ...]


@dataclass(frozen=True, slots=True)
class NodeCages:
    """A model of node, the number of its devices, and its cages."""

    profile: NodeProfile
    count: int
    blocks: tuple[CageBlock, ...]


def list_node_ports(cluster: Cluster) -> tuple[NodeCages, ...]:
    """Return the node models of a cluster that have cables, sorted by id."""
    counts: dict[str, int] = {}
    profiles: dict[str, NodeProfile] = {}
    for cls in cluster.plan.devices.classes:
        if isinstance(cls.profile, NodeProfile):
            profiles[cls.profile.id] = cls.profile
            counts[cls.profile.id] = counts.get(cls.profile.id, 0) + cls.count
    sockets = _find_socket_tags(cluster, sorted(profiles))
    return tuple(
        NodeCages(profiles[id_], counts[id_], tuple(_make_blocks(profiles[id_], sockets[id_])))
        for id_ in sorted(profiles)
        if sockets[id_]
    )


def _find_socket_tags(cluster: Cluster, ids: Sequence[str]) -> dict[str, _CageTags]:
    """Return, by model id, the tags of the cables at each cage and socket label of the model's nodes."""
    cable_plugs, links = list_plugs(cluster), cluster.plan.links
    link = cluster.plan.cables.end_link[cable_plugs.row]
    tags, tag = list_cable_tags(cluster)
    classes = cluster.plan.devices.classes
    # by device class: the index of its model in `ids`, -1 for what is no node
    model = np.array([ids.index(cls.profile.id) if cls.profile.id in ids else -1 for cls in classes], dtype=np.int32)
    tags_by_model: dict[str, _CageTags] = {id_: {} for id_ in ids}
    for end, cages, device in zip(
        cable_plugs.ends, list_cable_end_ports(cluster)[0], (links.a_device, links.b_device), strict=True
    ):
        end_model = model[cluster.plan.devices.device_class[device[link]]]
        cage = cages.take(cable_plugs.row)
        label = end.format_texts(cage, tails=False)
        first_rows, _ = unique_combinations(end_model, cage.codes, label.codes, tag[cable_plugs.row])
        first_rows = first_rows[end_model[first_rows] >= 0]
        rows = zip(
            end_model[first_rows].tolist(),
            cage.take(first_rows),
            label.take(first_rows),
            tag[cable_plugs.row][first_rows].tolist(),
            strict=True,
        )
        for number, name, text, tag_index in rows:
            tags_by_model[ids[number]].setdefault(name, {}).setdefault(text, []).append(tags[tag_index])
    return tags_by_model


def _make_blocks(profile: NodeProfile, tags_by_cage: _CageTags) -> Iterator[CageBlock]:
    """Yield blocks of cages: those with a published position, then the others by role, then any that the catalogue
    lacks.
    """
    forms = {port.cage: role.form_factor for role in profile.roles.values() for port in role.ports}

    def make_cages(names: Sequence[str]) -> tuple[NodeCage, ...]:
        return tuple(
            NodeCage(name, forms.get(name, ""), tuple(_sort_sockets(tags_by_cage.get(name, {})))) for name in names
        )

    for where, published, names in list_cage_groups(profile):
        yield CageBlock(where, published, make_cages(names))
    unknown_cages = sorted(tags_by_cage.keys() - forms.keys(), key=make_natural_key)
    if unknown_cages:
        yield CageBlock("not in the catalogue", False, make_cages(unknown_cages))


def list_cage_groups(profile: NodeProfile) -> Iterator[tuple[str, bool, Sequence[str]]]:
    """Yield (position or role in words, whether the position is published, cages from left to right) of a node.

    Cages with a published position come first, as their maker arranges them, the others by role and name.
    """
    groups = profile.panel.groups if profile.panel else ()
    yield from ((group.where, True, group.cages) for group in groups)
    placed = {cage for group in groups for cage in group.cages}
    roles = profile.role_of_cage
    for role in profile.roles:
        role_cages = {cage for cage, cage_role in roles.items() if cage_role == role and cage not in placed}
        if role_cages:
            yield role, False, sorted(role_cages, key=make_natural_key)


def _sort_sockets(tags_by_label: Mapping[str, Sequence[CableTag]]) -> Iterator[TaggedSocket]:
    for label in sorted(tags_by_label, key=make_natural_key):
        yield TaggedSocket(label, tuple(sorted(set(tags_by_label[label]), key=lambda tag: make_natural_key(tag.text))))
