"""Files that are looked at until one changes, for `--watch`."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

Stamp = tuple[int, int] | None
"""When a file was changed, ns, and its size; None for one that is not there."""


class WatchedFiles:
    """The files that something is made of, and when each was changed."""

    def __init__(self, *files: Path) -> None:
        self.files: set[Path] = set(files)
        self._seen: dict[Path, Stamp] = {}

    def note_stamps(self) -> None:
        """Note when the files were changed; to be called before they are read, so that no save is missed."""
        self._seen = {file: _stamp_file(file) for file in sorted(self.files)}

    def have_changed(self) -> bool:
        """Whether a file that was noted has changed. Those that are looked at since then are noted."""
        seen = self._seen
        now = {file: _stamp_file(file) for file in sorted(self.files)}
        if any(now[file] != stamp for file, stamp in seen.items() if file in now):
            return True
        self._seen = now
        return False

    def follow_changes(self, make: Callable[[], None], pause_s: float) -> None:
        """Make something of the files anew at every change, until interrupted."""
        while True:
            if self.have_changed():
                make()
            time.sleep(pause_s)


def let_interrupts_through() -> None:
    """Let Ctrl-C raise KeyboardInterrupt: what starts us in the background may have it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _stamp_file(file: Path) -> Stamp:
    # (time of change in ns, size in bytes); None where there is no such file
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
