"""Where the time of one build goes: `python -m benchmarks.stages BLUEPRINT FOLDER` prints the stages as JSON.

Stage after stage in this process: every file is produced, hashed and written into FOLDER piece by piece, each of the
three on its own clock. What a stage calls of another stage counts for that one.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import BYTES_OF_MAXRSS
from benchmarks.sizes import ROOT

START, READ, DESIGN, LINT = "start, imports, templates", "read", "design", "lint"
PLAN, NAMES, ADDRESSES, PORTS, REST = "columns", "device names", "addresses", "port names", "checks and the rest"
HASHING, WRITING = "hashing", "writing files"
TABLE, CONFIGS = "table", "configurations"

_WARM_UP = ROOT / "blueprints" / "dual-stack.yaml"
"""A small cluster of SONiC and EOS, built beforehand so that modules and templates are there: counts as the start."""


@dataclass(slots=True)
class Stage:
    """Processor seconds in a stage, bytes that it produced, and the largest memory of the process until its end."""

    name: str
    user_s: float = 0.0
    system_s: float = 0.0
    bytes: int = 0
    peak_mb: float = 0.0


class Clock:
    """Gives the processor time that passes to the stage that is entered last."""

    def __init__(self) -> None:
        self.stages: dict[str, Stage] = {}
        self._entered: list[Stage] = []
        self._last = (0.0, 0.0)

    def stage(self, name: str) -> Stage:
        """A stage by its name, new or not."""
        return self.stages.setdefault(name, Stage(name))

    @contextmanager
    def within(self, name: str) -> Iterator[Stage]:
        """Count for a stage what passes in the block, but for what passes in stages within."""
        stage = self.stage(name)
        self._lap()
        self._entered.append(stage)
        try:
            yield stage
        finally:
            self._lap()
            self._entered.pop()

    def timed(self, module: Any, name: str, stage: str) -> None:
        """Count calls of a function of a module for a stage."""
        inner: Callable[..., Any] = getattr(module, name)

        def outer(*arguments: Any, **named: Any) -> Any:
            with self.within(stage):
                return inner(*arguments, **named)

        setattr(module, name, outer)

    def _lap(self) -> None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        now = (usage.ru_utime, usage.ru_stime)
        if self._entered:
            stage = self._entered[-1]
            stage.user_s += now[0] - self._last[0]
            stage.system_s += now[1] - self._last[1]
            stage.peak_mb = usage.ru_maxrss * BYTES_OF_MAXRSS / 1e6
        self._last = now


def stages(blueprint: str, folder: str) -> dict[str, Any]:
    """Build a blueprint into a new folder, and tell where the processor time went."""
    clock = Clock()
    with clock.within(START) as start:
        _build(Clock(), str(_WARM_UP), f"{folder}-warm-up")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    start.user_s, start.system_s = usage.ru_utime, usage.ru_stime  # since the process began
    from fabricgen import cluster as steps

    for name, stage in (
        ("build_wiring_plan", PLAN),
        ("name_devices", NAMES),
        ("allocate_numbers", ADDRESSES),
        ("PortNames", PORTS),
    ):
        clock.timed(steps, name, stage)
    links = _build(clock, blueprint, folder)
    rows = [
        {"stage": each.name, "user_s": each.user_s, "system_s": each.system_s}
        | {"bytes": each.bytes, "peak_mb": each.peak_mb}
        for each in sorted(clock.stages.values(), key=lambda stage: stage.name in (HASHING, WRITING))
    ]
    return {"links": links, "stages": rows}


def _build(clock: Clock, blueprint: str, folder: str) -> int:
    """A build, stage by stage; returns the number of links."""
    from fabricgen.blueprint.load import load_blueprint
    from fabricgen.cluster import build_cluster
    from fabricgen.design.build import build_design
    from fabricgen.lint.engine import lint

    with clock.within(READ):
        loaded = load_blueprint(blueprint)
    with clock.within(DESIGN):
        design = build_design(loaded)
    with clock.within(REST):
        cluster = build_cluster(design)
    with clock.within(LINT):
        counts = lint(design, cluster).counts
    for stage, make in _producers(cluster, counts):
        _publish(clock, stage, make(), folder)
    return len(cluster.plan.links)


def _producers(cluster: Any, counts: Any) -> Iterator[tuple[str, Callable[[], Iterable[tuple[str, Any]]]]]:
    """(stage, what makes its files) of every usual table, of the configurations by NOS, and of whole fabrics."""
    from functools import partial

    from fabricgen.export.table import ExportContext, list_part_names, load_part
    from fabricgen.render.engine import make_render_options, render_rows

    context = ExportContext(lambda: counts)
    for name in list_part_names(on_request=False):
        yield f"{TABLE} {name}", partial(load_part(name).files, cluster, context)
    options = make_render_options(cluster)
    wanted = set(cluster.switch_rows())
    by_nos: dict[str, list[int | str]] = {}
    for kind in cluster.plan.devices.classes:
        by_nos.setdefault(kind.nos, []).extend(wanted.intersection(range(kind.first, kind.first + kind.count)))
    by_nos.setdefault("opensm", []).extend(cluster.whole_fabrics())
    for nos, subjects in by_nos.items():
        if subjects:
            yield f"{CONFIGS} {nos}", partial(render_rows, cluster, subjects, options)


def _publish(clock: Clock, stage: str, files: Iterable[tuple[str, Any]], folder: str) -> None:
    made: set[str] = set()
    for path, content in _each(clock, stage, files):
        target = f"{folder}/{path}"
        parent = target.rpartition("/")[0]
        with clock.within(WRITING):
            if parent not in made:
                Path(parent).mkdir(parents=True, exist_ok=True)
                made.add(parent)
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        sha = hashlib.sha256()
        for piece in _each(clock, stage, (content,) if isinstance(content, bytes) else content):
            clock.stage(stage).bytes += len(piece)
            with clock.within(HASHING):
                sha.update(piece)
            with clock.within(WRITING):
                os.write(handle, piece)
        with clock.within(WRITING):
            os.close(handle)


def _each(clock: Clock, stage: str, producer: Iterable[Any]) -> Iterator[Any]:
    """What a producer yields, its time counted for a stage."""
    with clock.within(stage):
        iterator = iter(producer)
    while True:
        with clock.within(stage):
            found = next(iterator, None)
        if found is None:
            return
        yield found


def main() -> None:
    """Print the stages of the blueprint that the command line names."""
    sys.stdout.write(json.dumps(stages(sys.argv[1], sys.argv[2])) + "\n")


if __name__ == "__main__":
    main()
