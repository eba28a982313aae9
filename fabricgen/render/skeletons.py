"""Configurations of switches of one shape: rendered once with marks in place of what differs, then filled.

A skeleton is taken only where filling it gives, for another switch than the one that it was made from, the very bytes
that rendering that one does; where it does not, and for shapes of a few switches, each is rendered by itself. Marks
are texts that every NOS prints as they are, so that names must be plain words, and short enough that no line is cut.
Where a user's own text looks like one, as a telephone number in a banner may, switches are rendered by themselves too.

Tables that follow from ports and cables alone are left open in the skeleton and laid in by the classes of the cables'
lengths: many switches differ in nothing else. Those that print the length at each port are rendered once, with marks
for the lengths, and filled by themselves.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.kernel.discovery import load
from fabricgen.render.nos_protocol import NOS_PACKAGE, Shared, SharesTables, keeps_order
from fabricgen.render.prefetch import Prefetcher
from fabricgen.render.shapes.shapes import MARK, Outline, SwitchShapes, word_mark
from fabricgen.views.switch import SwitchView
from fabricgen.wiring.tables import Floats

FEWEST = 3
"""Switches of a shape among those outlined so far from which a skeleton pays: it costs as much as two."""

_OPEN = re.compile(rf"{MARK.pattern}|Qs(\d{{3}})sQ")
"""A mark, or a table that is left open."""
_LIKE_OPEN = re.compile(_OPEN.pattern.encode())

_Files: TypeAlias = list[tuple[str, bytes]]
Once: TypeAlias = Callable[[str, Mapping[str, Any], bool], str]


@dataclass(slots=True)
class Text:
    """A text with holes: `pieces` are in turn what stands fast and room for a hole."""

    pieces: list[str]
    chosen: Callable[[Sequence[str]], tuple[str, ...]]
    """What goes into the holes, of the texts of a switch."""

    def filled(self, texts: Sequence[str]) -> str:
        """The text of a switch."""
        self.pieces[1::2] = self.chosen(texts)
        return "".join(self.pieces)


def text_with_holes(marked: str, first_table: int) -> Text:
    """Cut a text at its marks; tables left open are numbered from `first_table`."""
    pieces, holes, end = [], [], 0
    for mark in _OPEN.finditer(marked):
        pieces += [marked[end : mark.start()], ""]
        holes.append(_number(mark, first_table))
        end = mark.end()
    if len(holes) > 1:
        return Text([*pieces, marked[end:]], itemgetter(*holes))
    return Text([*pieces, marked[end:]], lambda texts: tuple(texts[hole] for hole in holes))


def _number(mark: re.Match[str], first_table: int) -> int:
    word, number, table = mark.groups()
    return first_table + int(table) if table else int(word or number)


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is left open: its template, whether it is the last of its file, and its text with holes for the
    lengths of ports, if it prints these."""

    template: str
    last: bool
    by_length: Text | None = None


@dataclass(slots=True)
class Skeleton:
    """The files of a shape, and the tables that are left open in them."""

    files: list[tuple[Text, Text]]
    """Path and content."""
    tables: list[Table]

    def filled(self, texts: Sequence[str]) -> _Files:
        """(path, content) of the files of a switch."""
        return [(path.filled(texts), content.filled(texts).encode()) for path, content in self.files]


@dataclasses.dataclass(slots=True)
class _Shape:
    known: int = 0
    """Switches of it that were outlined."""
    differs: bool = False
    """Whether a skeleton was seen to disagree, or would take a text for a mark."""
    marked: SwitchView | None = None
    """One of them, for a NOS that shares tables to judge their ports by."""
    nos: Any = None
    steps_m: Floats = field(default_factory=lambda: np.empty(0))
    laid: dict[bytes, _Laid] = field(default_factory=dict)
    """By the classes of cable lengths."""
    variants: dict[Hashable, _Variant] = field(default_factory=dict)
    """By which tables are left open."""


@dataclass(slots=True)
class _Variant:
    """Switches of a shape with one skeleton: the first is rendered, the second is what the skeleton is made from."""

    first: Outline
    laid: _Laid
    """Of the first."""
    rendered: _Files
    """The files of the first."""
    skeleton: Skeleton | None = None


@dataclass(slots=True)
class _Laid:
    """What switches with cables of like lengths have in common: tables, made as they are asked for."""

    shared: Shared
    left_open: Hashable
    """Which tables are left open in their skeleton."""
    tables: list[str] | None = None


class Skeletons:
    """Renders switches, those of one shape through a skeleton."""

    def __init__(
        self,
        cluster: Cluster,
        shapes: SwitchShapes,
        rows: Sequence[int],
        whole: Callable[[SwitchView], Iterator[tuple[str, bytes]]],
        marked: Callable[[SwitchView, Once], Iterator[tuple[str, str]]],
        once: Once,
    ) -> None:
        """`rows` are those of the device table that will be asked for; `whole` renders a view; `marked` a marked one,
        with tables that switches share as the function says; `once` such a table."""
        self._cluster, self._switch_shapes = cluster, shapes
        self._whole, self._marked, self._once = whole, marked, once
        self._keep_order = frozenset(
            filter(keeps_order, {tier.nos for f in cluster.design.fabrics for tier in f.tiers})
        )
        self._shapes: dict[Hashable, _Shape] = {}
        self._outlines = Prefetcher(rows, self._outlined)

    def files(self, row: int) -> _Files:
        """(path, content) of the files of a switch, by its row in the device table; ask for them in order."""
        outline = self._outlines.get(row)
        return self._rendered(row) if outline is None else self._of_shape(row, outline)

    def _outlined(self, rows: Sequence[int]) -> list[Outline | None]:
        found = list(self._switch_shapes.outlines(rows, self._keep_order))
        for outline in filter(None, found):
            self._shapes.setdefault(outline.shape, _Shape()).known += 1
        return found

    def _of_shape(self, row: int, outline: Outline) -> _Files:
        shape = self._shapes[outline.shape]
        if shape.known < FEWEST or shape.differs:
            return self._rendered(row)
        laid = self._laid(shape, outline)
        variant = shape.variants.get(laid.left_open)
        if variant is None:
            rendered = self._rendered(row)
            shape.variants[laid.left_open] = _Variant(outline, laid, rendered)
            return rendered
        if variant.skeleton is None:
            variant.skeleton = self._skeleton_of(shape, outline, laid.shared)
            like_marks = any(_LIKE_OPEN.search(content) for _, content in variant.rendered)
            if like_marks or self._filled(variant.skeleton, variant.first, variant.laid) != variant.rendered:
                shape.differs = True
                return self._rendered(row)
        return self._filled(variant.skeleton, outline, laid)

    def _filled(self, skeleton: Skeleton, outline: Outline, laid: _Laid) -> _Files:
        if laid.tables is None:
            laid.tables = [self._table(table, laid.shared) for table in skeleton.tables]
        return skeleton.filled([*outline.texts, *laid.tables])

    def _rendered(self, row: int) -> _Files:
        return list(self._whole(self._cluster.switch(row)))

    def _laid(self, shape: _Shape, outline: Outline) -> _Laid:
        """What a switch shares with others whose cables are as long as its own, as far as its NOS cares."""
        catalog = self._cluster.design.catalog
        if shape.nos is None:
            shape.nos = load(NOS_PACKAGE, self._nos_of(outline.row))
            if isinstance(shape.nos, SharesTables):
                shape.marked = self._switch_shapes.marked(outline)
                shape.steps_m = np.array(shape.nos.length_steps_m(shape.marked, catalog))
        lengths_m = outline.ends.lengths_m
        key = np.searchsorted(shape.steps_m, lengths_m).tobytes() if len(shape.steps_m) else b""
        if key not in shape.laid:
            shares = isinstance(shape.nos, SharesTables)
            shared = shape.nos.shared(shape.marked, lengths_m.tolist(), catalog) if shares else Shared({}, ())
            shape.laid[key] = _Laid(shared, (bool(shared.lengths), *shared.tables))
        return shape.laid[key]

    def _nos_of(self, row: int) -> str:
        devices = self._cluster.plan.devices
        found = devices.classes[devices.device_class[row]]
        return self._cluster.design.fabric(found.fabric).tier(found.tier).nos

    def _skeleton_of(self, shape: _Shape, outline: Outline, shared: Shared) -> Skeleton:
        """The skeleton made from a switch."""
        marked = self._switch_shapes.marked(outline)
        by_length: Mapping[str, Mapping[str, Any]] = {}
        if isinstance(shape.nos, SharesTables):
            marks = list(map(word_mark, range(len(shared.lengths))))
            by_length = shape.nos.length_tables(marked, marks, self._cluster.design.catalog)
        return self._skeleton(marked, len(outline.texts), shared.tables, by_length)

    def _table(self, table: Table, shared: Shared) -> str:
        if table.by_length:
            return table.by_length.filled(shared.lengths)
        return self._once(table.template, shared.tables[table.template], table.last)

    def _skeleton(
        self, view: SwitchView, texts: int, shared: Container[str], by_length: Mapping[str, Mapping[str, Any]]
    ) -> Skeleton:
        tables: list[Table] = []

        def left_open(template: str, values: Mapping[str, Any], last: bool) -> str:
            if template in by_length:
                text = self._once(template, by_length[template], last)
                tables.append(Table(template, last, text_with_holes(text, 0)))
            elif template in shared:
                tables.append(Table(template, last))
            else:
                return self._once(template, values, last)
            return f"Qs{len(tables) - 1:03d}sQ"

        files = [
            (text_with_holes(path, texts), text_with_holes(content, texts))
            for path, content in self._marked(view, left_open)
        ]
        return Skeleton(files, tables)
