"""How often `probe judge` names the true part first in a hall of 600,896 links, and how long it takes.

`python -m benchmarks.probing [--halls N] [--lab N] [--anew]`. Halls are simulated as those of `tests/probing`, in turn
of each kind; they share a plan, and each is judged alone. What was judged of the same plan before is gone on with, hall
by hall, unless `--anew` says otherwise, so that a run may be stopped at any time. The first is judged by the command as
well, which reads the plan and its results; its time stands beside that of the imports that all limits are scaled by.
`--lab` lays so many faults into the lab of namespaces that `tests/probing/lab.py` has, one after the other, as root.
Results go to `benchmarks/results/probing.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from benchmarks.foresight import BASE
from fabricgen.addons.probing.judge import ProbeTable
from fabricgen.addons.probing.plan import Probes, write_tables
from fabricgen.addons.probing.solver import Losses, Parts, find_suspects
from fabricgen.api import compile_blueprint
from tests.probing.halls import KINDS, SENT, break_hall, list_crossings, plan_exactly
from tests.probing.lab import TWO_PLANES, ProbedLab, choose_ports, count_named
from tests.srv6.fabrics import build, nic_ports
from tests.srv6.lab import start_lab

BLUEPRINT = "blueprints/colossus-200k.yaml"
RESULTS = Path(__file__).parent / "results/probing.json"
Figures = dict[str, int | float]


def judge_halls(halls: int, before: Figures) -> Iterator[Figures]:
    """Plan, read the plan back, and break one hall after the other; the figures so far, at first and after each."""
    view = compile_blueprint(BLUEPRINT)
    began = time.process_time()
    probes = plan_exactly(view, "compute")
    plan: Figures = {"links": len(probes.links), "probes": len(probes.paths), "fewest": probes.least}
    crossings, sent = list_crossings(probes), np.full(len(probes.paths), float(SENT))
    if plan.items() <= before.items():
        figures = dict(before)
    else:
        figures = {**plan, "plan_cpu_s": round(time.process_time() - began, 1), "halls": 0, "true_part_first": 0}
        figures |= dict.fromkeys((f"first_{kind.replace(' ', '_')}" for kind in KINDS), 0)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in write_tables([probes]).items():
            (folder / file).write_bytes(content)
        _, lost = break_hall(probes, KINDS[0], np.random.default_rng(0), crossings)
        rows = "".join(f"compute-{number},{SENT},{count}\n" for number, count in enumerate(lost.tolist(), 1))
        (folder / "results.csv").write_text(f"probe,sent,lost\n{rows}")
        figures |= measure_command(folder / "results.csv")
        table = ProbeTable(view, folder)
    yield figures
    parts = table.make_parts(np.ones(len(table.number), dtype=bool))
    for seed in range(int(figures["halls"]), halls):
        kind = KINDS[seed % len(KINDS)]
        is_first, took = judge_hall(probes, table, parts, kind, seed, crossings, sent)
        mean = float(figures.get("mean_judge_cpu_s", 0))
        figures["mean_judge_cpu_s"] = round((mean * seed + took) / (seed + 1), 3)
        figures["slowest_judge_cpu_s"] = max(float(figures.get("slowest_judge_cpu_s", 0)), round(took, 1))
        figures["halls"] = seed + 1
        figures["true_part_first"] += is_first
        figures[f"first_{kind.replace(' ', '_')}"] += is_first
        click.echo(f"{seed + 1} halls: first in {figures['true_part_first']}, {took:.1f} s", err=True)
        yield figures


def judge_hall(
    probes: Probes,
    table: ProbeTable,
    parts: Parts,
    kind: str,
    seed: int,
    crossings: tuple[np.ndarray, np.ndarray],
    sent: np.ndarray,
) -> tuple[bool, float]:
    """(whether the part that is at fault in a hall is named first, processor seconds of its judge)."""
    faults, lost = break_hall(probes, kind, np.random.default_rng(seed), crossings)
    began = time.process_time()
    suspects = find_suspects(parts, Losses(parts, sent, lost.astype(np.float64)))
    took = time.process_time() - began
    names = {name for fault in faults for name in fault.names}
    return bool(suspects) and table.describe_part(suspects[0].part)[1] in names, took


def measure_command(results: Path) -> Figures:
    """What `probe judge` takes as a whole process, and how many times as long as the imports that limits go by."""
    took, imports = (
        min(count_cpu(arguments) for _ in range(5))
        for arguments in (("-m", "fabricgen", "probe", "judge", BLUEPRINT, str(results)), ("-c", BASE))
    )
    return {
        "imports_cpu_s": round(imports, 3),
        "command_cpu_s": round(took, 1),
        "command_over_imports": round(took / imports),
    }


def count_cpu(arguments: Sequence[str]) -> float:
    """Processor seconds of a run of Python, whatever it ends with."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], check=False, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def judge_lab(faults: int) -> Iterator[Figures]:
    """Lay faults into a lab, and judge the probes of each."""
    files = build(TWO_PLANES)
    with TemporaryDirectory() as folder, start_lab(files, choose_ports(nic_ports(files))) as made:
        page = Path(folder, "page.yaml")
        page.write_text(TWO_PLANES)
        lab, began = ProbedLab(compile_blueprint(page), made, Path(folder)), time.monotonic()
        named, first, others = count_named(lab, range(faults))
        for other in others:
            click.echo(other, err=True)
        yield {"faults": faults, "named": named, "first": first, "seconds": round(time.monotonic() - began)}


def main() -> None:
    """Measure what is asked for, and keep what was measured of the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--halls", type=int, default=0)
    parser.add_argument("--lab", type=int, default=0)
    parser.add_argument("--anew", action="store_true")
    asked = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    before = {} if asked.anew else results.get("halls", {})
    for name, measured in (
        ("halls", judge_halls(asked.halls, before) if asked.halls else ()),
        ("lab", judge_lab(asked.lab) if asked.lab else ()),
    ):
        for figures in measured:
            results[name] = figures
            RESULTS.write_text(json.dumps(dict(sorted(results.items())), indent=2) + "\n")


if __name__ == "__main__":
    main()
