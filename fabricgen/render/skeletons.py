"""Template skeletons: the files of one shape of switches are rendered once, with placeholders, and filled for each
switch.

A skeleton is made from the second switch of a shape and verified against the first: filled with the texts of the first,
it must give the bytes that rendering the first gave. If it does not, and for shapes of a few switches, each switch is
rendered by itself; the same holds if the user's own text looks like a placeholder, as a telephone number in a banner
may. Placeholders are texts that every NOS prints unchanged, and short enough that no line is cut.

Tables that depend only on ports and cables (SONiC's buffer tables) have one placeholder for the whole table. Switches
of a shape share such a table if the lengths of their cables are in the same classes. A table that prints the length at
each port is rendered once, with placeholders for the lengths.

Signatures are computed for a batch of switches at a time.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.render.nos_protocol import Shared, SharesTables, keeps_order, load_writer
from fabricgen.render.shapes import PLACEHOLDER, SwitchShapes, SwitchSignature, make_word_placeholder
from fabricgen.views.switch import SwitchView
from fabricgen.wiring.arrays import Floats

Result = TypeVar("Result")

BATCH = 64
"""Switches of a batch; operations on columns cost little more for many switches than for one."""


class Prefetcher(Generic[Result]):
    """Computes results in batches. Rows must be asked for in the order in which they were given: only one batch is
    kept.
    """

    def __init__(
        self, rows: Sequence[int], compute: Callable[[Sequence[int]], Iterable[Result]], batch: int = BATCH
    ) -> None:
        """Take the rows to come, `rows`, in the order in which results will be asked for; nothing is computed yet.

        `compute` returns one result for each row of a batch, in order.
        """
        self._rows, self._compute, self._batch = rows, compute, batch
        self._index = {row: index for index, row in enumerate(rows)}
        self._ready: dict[int, Result] = {}

    def take_result(self, row: int) -> Result:
        """Return the result for a row and forget it; if the row is not in the batch, the batch from this row on is
        computed.
        """
        if row not in self._ready:
            start = self._index[row]
            rows = self._rows[start : start + self._batch]
            self._ready = dict(zip(rows, self._compute(rows), strict=True))
        return self._ready.pop(row)


FEWEST = 3
"""Switches of a shape, among those prefetched so far, from which a skeleton pays off: it costs as much as two."""

_PLACEHOLDER = re.compile(rf"{PLACEHOLDER.pattern}|Qs(\d{{3}})sQ")
"""The placeholder of a text or AS number, or (`Qs003sQ`) of a whole table."""
_LOOKS_LIKE_PLACEHOLDER = re.compile(_PLACEHOLDER.pattern.encode())

_Files: TypeAlias = list[tuple[str, bytes]]
TableRenderer: TypeAlias = Callable[[str, Mapping[str, Any], bool], str]
"""(template, its values, whether the table is the last of its file) -> text"""


@dataclass(slots=True)
class TextTemplate:
    """A text with slots: `pieces` are constant texts and slots in turn, beginning and ending with a constant text."""

    pieces: list[str]
    select: Callable[[Sequence[str]], tuple[str, ...]]
    """The texts that go into the slots, in order, from all texts of a switch."""

    def fill(self, texts: Sequence[str]) -> str:
        """Return the text with its slots filled from all texts of a switch."""
        # every call overwrites all slots, so that nothing of the switch before is left
        self.pieces[1::2] = self.select(texts)
        return "".join(self.pieces)


def parse_template(text: str, first_table: int) -> TextTemplate:
    """Split a text at its placeholders, and return it as a template that other texts fill.

    The placeholder of table i is filled by entry `first_table` + i of these texts.
    """
    pieces, slots, end = [], [], 0
    for placeholder in _PLACEHOLDER.finditer(text):
        pieces += [text[end : placeholder.start()], ""]
        slots.append(_find_slot_number(placeholder, first_table))
        end = placeholder.end()
    if len(slots) > 1:
        return TextTemplate([*pieces, text[end:]], itemgetter(*slots))
    return TextTemplate([*pieces, text[end:]], lambda texts: tuple(texts[slot] for slot in slots))


def _find_slot_number(placeholder: re.Match[str], first_table: int) -> int:
    """Return the index, among the texts that fill a template, of the text that takes the place of a placeholder.

    Texts of a switch come first; those of tables begin at `first_table`.
    """
    word, number, table = placeholder.groups()
    return first_table + int(table) if table else int(word or number)


@dataclass(frozen=True, slots=True)
class SharedTable:
    """A table with one placeholder: its template, and whether it is the last table of its file.

    `by_length` is its text with slots for the cable lengths at the ports, if it prints these.
    """

    template: str
    last: bool
    by_length: TextTemplate | None = None


@dataclass(slots=True)
class Skeleton:
    """The files of a shape with slots, and the tables that have a placeholder in them."""

    files: list[tuple[TextTemplate, TextTemplate]]
    """(path, content) of each file."""
    tables: list[SharedTable]

    def fill(self, texts: Sequence[str]) -> _Files:
        """Return (path, content) of the files of a switch, given its texts and then those of its tables."""
        return [(path.fill(texts), content.fill(texts).encode()) for path, content in self.files]


@dataclasses.dataclass(slots=True)
class _ShapeState:
    """What is known so far of the switches of one shape, and the skeletons made for them."""

    prefetched: int = 0
    """Switches of it that were prefetched."""
    differs: bool = False
    """Whether a skeleton failed verification, or a text of the user's looks like a placeholder."""
    view: SwitchView | None = None
    """The view of one of them with placeholders, for a NOS that shares tables."""
    nos: Any = None
    steps_m: Floats = field(default_factory=lambda: np.empty(0))
    length_classes: dict[bytes, _LengthClass] = field(default_factory=dict)
    """By the class of the cable length at each port."""
    variants: dict[Hashable, _SkeletonVariant] = field(default_factory=dict)
    """By the tables that have a placeholder."""


@dataclass(slots=True)
class _SkeletonVariant:
    """Switches of a shape with one skeleton: the first is rendered, the skeleton is made from the second."""

    first: SwitchSignature
    length_class: _LengthClass
    """That of the first."""
    rendered: _Files
    """The files of the first."""
    skeleton: Skeleton | None = None


@dataclass(slots=True)
class _LengthClass:
    """Switches of a shape whose cables have equal lengths as far as the NOS distinguishes them: they share tables."""

    shared: Shared
    table_names: Hashable
    """Which tables have a placeholder in their skeleton."""
    tables: list[str] | None = None
    """The texts of these tables, rendered when first needed."""


class Skeletons:
    """Renders switches; those of one shape by filling a skeleton."""

    def __init__(
        self,
        cluster: Cluster,
        shapes: SwitchShapes,
        rows: Sequence[int],
        render_whole: Callable[[SwitchView], Iterator[tuple[str, bytes]]],
        render: Callable[[SwitchView, TableRenderer], Iterator[tuple[str, str]]],
        render_table: TableRenderer,
    ) -> None:
        """Take all rows of the device table that will be asked for, in order; nothing is rendered yet.

        `render_whole` renders a view: (path, bytes) of each file. `render` does so to text, with a function of its own
        for shared tables; `render_table` is the usual one.
        """
        self._cluster, self._switch_shapes = cluster, shapes
        self._whole, self._render, self._render_table = render_whole, render, render_table
        self._keep_order = frozenset(
            filter(keeps_order, {tier.nos for f in cluster.design.fabrics for tier in f.tiers})
        )
        self._shapes: dict[Hashable, _ShapeState] = {}
        self._signatures = Prefetcher(rows, self._prefetch_signatures)

    def files(self, row: int) -> _Files:
        """Return (path, content) of the files of a switch, by its row in the device table; ask for rows in order."""
        signature = self._signatures.take_result(row)
        return self._render_whole(row) if signature is None else self._render_from_shape(row, signature)

    def _prefetch_signatures(self, rows: Sequence[int]) -> list[SwitchSignature | None]:
        """Return the signatures of the switches in some rows, the next to be rendered, and count how many of each shape
        there are.
        """
        signatures = list(self._switch_shapes.list_signatures(rows, self._keep_order))
        for signature in filter(None, signatures):
            self._shapes.setdefault(signature.shape, _ShapeState()).prefetched += 1
        return signatures

    def _render_from_shape(self, row: int, signature: SwitchSignature) -> _Files:
        """Return the files of a switch, from a skeleton if its shape has enough switches, and skeletons of it proved
        right.

        The first switch is rendered by itself. The second makes the skeleton, which must give back the files of the
        first.
        """
        shape = self._shapes[signature.shape]
        if shape.prefetched < FEWEST or shape.differs:
            return self._render_whole(row)
        length_class = self._find_length_class(shape, signature)
        variant = shape.variants.get(length_class.table_names)
        if variant is None:
            rendered = self._render_whole(row)
            shape.variants[length_class.table_names] = _SkeletonVariant(signature, length_class, rendered)
            return rendered
        # the second switch makes the skeleton, which must give back what was rendered for the first
        if variant.skeleton is None:
            variant.skeleton = self._make_skeleton(shape, signature, length_class.shared)
            ambiguous = any(_LOOKS_LIKE_PLACEHOLDER.search(content) for _, content in variant.rendered)
            if (
                ambiguous
                or self._fill_skeleton(variant.skeleton, variant.first, variant.length_class) != variant.rendered
            ):
                shape.differs = True
                return self._render_whole(row)
        return self._fill_skeleton(variant.skeleton, signature, length_class)

    def _fill_skeleton(self, skeleton: Skeleton, signature: SwitchSignature, length_class: _LengthClass) -> _Files:
        """Return the files of a switch from a skeleton, and the tables of its length class, rendered on first use."""
        if length_class.tables is None:
            length_class.tables = [self._write_shared_table(table, length_class.shared) for table in skeleton.tables]
        return skeleton.fill([*signature.texts, *length_class.tables])

    def _render_whole(self, row: int) -> _Files:
        """Return the files of a switch without a skeleton."""
        return list(self._whole(self._cluster.switch(row)))

    def _find_length_class(self, shape: _ShapeState, signature: SwitchSignature) -> _LengthClass:
        """Return the length class that a switch is in, which is made if it is new.

        Switches of one shape are in one class if the NOS does not distinguish the lengths of their cables, port by
        port.
        """
        catalog = self._cluster.design.catalog
        if shape.nos is None:
            shape.nos = load_writer(self._find_nos(signature.row))
            if isinstance(shape.nos, SharesTables):
                shape.view = self._switch_shapes.make_placeholder_view(signature)
                shape.steps_m = np.array(shape.nos.length_steps_m(shape.view, catalog))
        lengths_m = signature.ports.lengths_m
        # between which steps each length lies: between two of them all lengths give the same files
        key = np.searchsorted(shape.steps_m, lengths_m).tobytes() if len(shape.steps_m) else b""
        if key not in shape.length_classes:
            shares = isinstance(shape.nos, SharesTables)
            shared = shape.nos.shared(shape.view, lengths_m.tolist(), catalog) if shares else Shared({}, ())
            shape.length_classes[key] = _LengthClass(shared, (bool(shared.lengths), *shared.tables))
        return shape.length_classes[key]

    def _find_nos(self, row: int) -> str:
        """Return the NOS of a switch, by its row in the device table."""
        devices = self._cluster.plan.devices
        cls = devices.classes[devices.device_class[row]]
        return self._cluster.design.tier(cls.key).nos

    def _make_skeleton(self, shape: _ShapeState, signature: SwitchSignature, shared: Shared) -> Skeleton:
        """Return the skeleton of a shape, made from a switch with this signature: it is rendered with placeholders, and
        parsed.

        `shared` has the tables that all switches of the shape with such cable lengths have in common.
        """
        view = self._switch_shapes.make_placeholder_view(signature)
        by_length: Mapping[str, Mapping[str, Any]] = {}
        if isinstance(shape.nos, SharesTables):
            # numbered from 0 as the texts of the view are, which never stand in a table that prints lengths
            placeholders = list(map(make_word_placeholder, range(len(shared.lengths))))
            by_length = shape.nos.length_tables(view, placeholders, self._cluster.design.catalog)
        return self._parse_skeleton(view, len(signature.texts), shared.tables, by_length)

    def _write_shared_table(self, table: SharedTable, shared: Shared) -> str:
        """Return the text of a table that switches share, with their cable lengths filled in if it prints these."""
        if table.by_length:
            return table.by_length.fill(shared.lengths)
        return self._render_table(table.template, shared.tables[table.template], table.last)

    def _parse_skeleton(
        self, view: SwitchView, texts: int, shared: Container[str], by_length: Mapping[str, Mapping[str, Any]]
    ) -> Skeleton:
        """Render a view of placeholders, and split the files at the placeholders.

        `by_length` has the values of tables that print cable lengths, and `shared` the names of others that switches
        share: both get a placeholder for the whole table. Of the texts that fill the skeleton, the first `texts` are
        those of the switch, and the others are these tables.
        """
        tables: list[SharedTable] = []

        def render_table(template: str, values: Mapping[str, Any], last: bool) -> str:
            """Return a numbered placeholder for a table that is put in later; render any other table."""
            if template in by_length:
                text = self._render_table(template, by_length[template], last)
                tables.append(SharedTable(template, last, parse_template(text, 0)))
            elif template in shared:
                tables.append(SharedTable(template, last))
            else:
                return self._render_table(template, values, last)
            return f"Qs{len(tables) - 1:03d}sQ"

        files = [
            (parse_template(path, texts), parse_template(content, texts))
            for path, content in self._render(view, render_table)
        ]
        return Skeleton(files, tables)
