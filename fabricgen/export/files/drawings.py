"""drawings/: rack elevations, port maps, nodes and floor plans, as a book to print and as SVG files; on request."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, File, Portion

if TYPE_CHECKING:
    from fabricgen.export.drawings.book import Books


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield drawings/book.html, rows/ROW.html and ports/RACK.html if there are many racks, floor/HALL.svg,
    nodes/MODEL.svg and racks/RACK.svg.
    """
    for portion in portions(cluster):
        yield from portion.make()


def portions(cluster: Cluster) -> Iterator[Portion]:
    """Yield the book, a book for each row, the floor plans, the node models, and the elevations."""
    drawings = _Drawings(cluster)
    sections = drawings.books.sections
    for key in sections:
        yield Portion(key, partial(drawings.files, key), len(cluster.plan.links) // len(sections))


class _Drawings:
    """Draws any section of the books; each process keeps what drawings share."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def __getstate__(self) -> dict[str, Cluster]:
        return {"_cluster": self._cluster}

    @cached_property
    def books(self) -> Books:
        """All drawings, section by section."""
        from fabricgen.export.drawings.book import Books  # builds of other parts never load this

        return Books(self._cluster)

    def files(self, section: str) -> Iterator[File]:
        """Yield the files of a section."""
        for path, content in self.books.sections[section]():
            yield f"drawings/{path}", content
