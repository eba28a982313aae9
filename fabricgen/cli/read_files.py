"""The files that a blueprint reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fabricgen.blueprint.load import LoadedBlueprint


def list_read_files(loaded: LoadedBlueprint) -> Iterable[Path]:
    """Yield what a blueprint reads: itself, includes, tables, the lock, the catalogue beside it, the project's
    settings.
    """
    spans = list(loaded.source.spans.values())
    spans += [row.span for rows in loaded.guids.values() for row in rows[:1]]
    spans += [row.cells["device"] for row in loaded.inventory[:1]]
    spans += list(loaded.project_source.spans.values()) if loaded.project_source else []
    yield from {Path(span.file) for span in spans if not span.file.startswith("--set")}
    if loaded.lock_path:
        yield loaded.lock_path
    catalogue = loaded.folder / "catalog"
    yield catalogue
    yield from catalogue.rglob("*")
