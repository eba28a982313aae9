"""Progress of long builds, shown on a terminal only."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fabricgen.publish import FileBundle, Told, ignore_bundle

if TYPE_CHECKING:
    from rich.progress import Progress

SHOWN_FROM = 500
"""Bundles from which a build takes long enough for a bar: most of them are switches."""
_UNITS = {"configs": "switches"}
_PAUSE_S = 0.1
"""Seconds between updates of the bar."""


@contextlib.contextmanager
def show_progress(bundles: Sequence[FileBundle]) -> Iterator[Told]:
    """Show a progress bar for a large build, on a terminal only.

    Gives a function to call with each bundle that is done.
    """
    if len(bundles) < SHOWN_FROM or not sys.stderr.isatty():
        yield ignore_bundle
        return
    with _make_bars() as bars:
        yield _Watch(bars, bundles)


def _make_bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    # Refreshed on each call: a refreshing thread would prevent forking workers.
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )


class _Watch:
    """A progress bar for each part with several bundles, and one for all others."""

    def __init__(self, bars: Progress, bundles: Sequence[FileBundle]) -> None:
        counts = Counter(bundle.part for bundle in bundles)
        single = sum(count == 1 for count in counts.values())
        self._bars = bars
        self._shown = 0.0
        self._others = bars.add_task("other parts", total=single, visible=bool(single), rate="")
        self._tasks = {
            part: bars.add_task(part, total=count, rate="") for part, count in sorted(counts.items()) if count > 1
        }

    def __call__(self, bundle: FileBundle) -> None:
        """Count a finished bundle."""
        self._bars.advance(self._tasks.get(bundle.part, self._others))
        now = time.monotonic()
        if now - self._shown < _PAUSE_S:
            return
        self._shown = now
        for part, task in self._tasks.items():
            speed = self._bars.tasks[task].speed
            self._bars.update(task, rate=f"{speed:,.0f} {_UNITS.get(part, 'bundles')}/s" if speed else "")
        self._bars.refresh()
