"""Progress of long builds, shown on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from fabricgen.kernel.publish import File

SHOWN_FROM = 500
"""Switches from which a build takes long enough for a bar."""


def with_progress(files: Iterable[File], switches: int) -> Iterable[File]:
    """Pass files on and show, on a terminal, how many of a large cluster's switches are rendered."""
    return _shown(files, switches) if switches >= SHOWN_FROM and sys.stderr.isatty() else files


def _shown(files: Iterable[File], switches: int) -> Iterator[File]:
    from rich.console import Console
    from rich.progress import Progress

    seen: set[str] = set()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("configs", total=switches)
        for part, path, content in files:
            device = path.rpartition("/")[0]
            if part == "configs" and device not in seen:
                seen.add(device)
                progress.advance(task)
            yield part, path, content
