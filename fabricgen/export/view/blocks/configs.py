"""Configurations of clusters that are small enough: by device or fabric, then by file."""

from __future__ import annotations

from fabricgen.export.view.source import Packed, PageSource, pack_table


def block(source: PageSource) -> Packed | None:
    """Return a table of device or fabric, file and text; None if the page gets no configurations."""
    files = []
    for path, content in source.beside.configs:
        folder, _, file = path.removeprefix("configs/").partition("/")
        files.append((folder, file, content.decode()))
    if not files:
        return None
    return pack_table({name: [row[i] for row in files] for i, name in enumerate(("of", "file", "text"))})
