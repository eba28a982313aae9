"""The files that a blueprint reads, and files that are watched until one changes, for `--watch`."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.blueprint.load import LoadedBlueprint

Stamp = tuple[int, int] | None
"""The time, ns, at which a file was changed, and its size, bytes; None for a file that does not exist."""


class WatchedFiles:
    """The files that something is made of, and when each was changed."""

    def __init__(self, *files: Path) -> None:
        self.files: set[Path] = set(files)
        self._seen: dict[Path, Stamp] = {}

    def note_stamps(self) -> None:
        """Note when the files were changed; to be called before they are read, so that no save is missed."""
        self._seen = {file: _stamp_file(file) for file in sorted(self.files)}

    def have_changed(self) -> bool:
        """Whether a noted file has changed. If not, files that were added since are noted, too."""
        seen, now = self._seen, {file: _stamp_file(file) for file in sorted(self.files)}
        if any(now[file] != stamp for file, stamp in seen.items() if file in now):
            return True
        self._seen = now
        return False

    def follow_changes(self, make: Callable[[], None], pause_s: float) -> None:
        """Call `make` at every change of a file, until interrupted; look at the files every `pause_s` seconds."""
        while True:
            if self.have_changed():
                make()
            time.sleep(pause_s)


def let_interrupts_through() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, even if what started us in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _stamp_file(file: Path) -> Stamp:
    """Return when a file was changed, and its size; None if it does not exist."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def list_read_files(loaded: LoadedBlueprint) -> Iterable[Path]:
    """Yield the files that a blueprint reads: itself, its includes and tables, its lock, the catalogue beside it,
    and the project's settings.
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
