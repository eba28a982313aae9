"""Placement and cable selection of 200,000 GPUs in columns: `python -m benchmarks.cabling [--runs N] [--date DAY]`.

Measured inside one process, without reading the blueprint, sizing and links: with media as they come, with a policy
of media, with product lists, and with patch panels.
"""

from __future__ import annotations

import argparse
import datetime
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

if __package__ in (None, ""):  # run as a file
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measure import KIB_OF_MAXRSS, Measured, Run
from benchmarks.report import load_per_processor, write
from fabricgen.allocate.names import device_names
from fabricgen.compiler import compile_design
from fabricgen.design.model import Design
from fabricgen.plan.cabling import cable
from fabricgen.plan.devices import expand_devices
from fabricgen.plan.expand import build_plan
from fabricgen.plan.placement import place

BLUEPRINT = Path(__file__).resolve().parent.parent / "blueprints" / "colossus-200k.yaml"
VARIANTS = {
    "as it is": (),
    "media policy": ("cabling.copper_to_m=2", "cabling.prefer=[DR, SR]", "cabling.avoid=[AOC]"),
    "product lists": ("cabling.products=[nvidia-linkx, generic]",),
    "patch panels": ("cabling.patch.uplinks={fabrics: compute, between: leaf-spine, at: row-end, trunk_fibres: 288}",),
}
"""What is set in the blueprint, by the name of the variant."""

TARGET_S = 1.0
"""Wall seconds for placement and cables together."""

PLACEMENT, CABLES = "placement", "cables"


def measured_of(design: Design, name: str, runs: int) -> list[Measured]:
    """Placement, cables, and both together, of a design; one more run that is not counted warms up."""
    plan = build_plan(design, device_names)
    devices, racks = place(design, expand_devices(design))
    steps: dict[str, Callable[[], object]] = {
        PLACEMENT: lambda: place(design, expand_devices(design)),
        CABLES: lambda: cable(design, devices, racks, plan.links),
    }
    found = {step: [_run(work) for _ in range(runs + 1)][1:] for step, work in steps.items()}
    both = [
        Run(a.wall_s + b.wall_s, a.cpu_s + b.cpu_s, max(a.peak_mib, b.peak_mib))
        for a, b in zip(found[PLACEMENT], found[CABLES], strict=True)
    ]
    return [Measured(f"{name}: {step}", tuple(done)) for step, done in (*found.items(), ("both", both))]


def _run(work: Callable[[], object]) -> Run:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall_s, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Run(wall_s, cpu_s, peak * KIB_OF_MAXRSS / 1024)


def main() -> None:
    """Measure and write results/cabling.md and results/cabling.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="runs of each, after one that is not counted")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="day to note")
    parser.add_argument("--note", default="", help="a line about the circumstances")
    told = parser.parse_args()
    measured: list[Measured] = []
    for name, sets in VARIANTS.items():
        measured += measured_of(compile_design(str(BLUEPRINT), sets), name, told.runs)
    base = f"{next(iter(VARIANTS))}: both"
    targets = {f"{name}: both": TARGET_S for name in VARIANTS}
    note = f"{told.note} Load while measuring: {load_per_processor():.1f} processes a processor.".strip()
    how = "in one process, one after another; its peak so far"
    sys.stdout.write(write("cabling", told.date, measured, (base,), targets, note, how))


if __name__ == "__main__":
    main()
