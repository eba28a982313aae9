"""How often `probe judge` names the true part first in a hall of 600,896 links, and how long it takes.

`python -m benchmarks.probing [--halls N] [--lab N]`. Halls are simulated as those of `tests/probing`, in turn of each
kind; they share a plan, and each is judged alone. `--lab` lays so many faults into the lab of namespaces that
`tests/probing/lab.py` has, one after the other, as root. Results go to `benchmarks/results/probing.json`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from fabricgen.addons.probing.judge import ProbeTable
from fabricgen.addons.probing.plan import write_tables
from fabricgen.addons.probing.solver import Losses, find_suspects
from fabricgen.api import compile_blueprint
from tests.probing.halls import KINDS, SENT, break_hall, list_crossings, plan_exactly
from tests.probing.lab import TWO_PLANES, ProbedLab, choose_ports, count_named
from tests.srv6.fabrics import build, nic_ports
from tests.srv6.test_kernel import start_lab

RESULTS = Path(__file__).parent / "results/probing.json"
Figures = dict[str, int | float]


def judge_halls(halls: int) -> Iterator[Figures]:
    """Plan, read the plan back, and break one hall after the other; the figures so far, after every twentieth."""
    view = compile_blueprint("blueprints/colossus-200k.yaml")
    began = time.process_time()
    probes = plan_exactly(view, "compute")
    figures: Figures = {"links": len(probes.links), "probes": len(probes.paths), "fewest": probes.least}
    figures["plan_cpu_s"] = round(time.process_time() - began, 1)
    with TemporaryDirectory() as folder:
        for name, content in write_tables([probes]).items():
            Path(folder, name).write_bytes(content)
        began = time.process_time()
        table = ProbeTable(view, Path(folder))
        parts = table.make_parts(np.ones(len(table.number), dtype=bool))
        figures["read_cpu_s"] = round(time.process_time() - began, 1)
    crossings, took, sent = list_crossings(probes), list[float](), np.full(len(probes.paths), float(SENT))
    first = Counter[str]()
    for seed in range(halls):
        kind = KINDS[seed % len(KINDS)]
        faults, lost = break_hall(probes, kind, np.random.default_rng(seed), crossings)
        began = time.process_time()
        suspects = find_suspects(parts, Losses(parts, sent, lost.astype(np.float64)))
        took.append(time.process_time() - began)
        names = {name for fault in faults for name in fault.names}
        first[kind] += bool(suspects) and table.describe_part(suspects[0].part)[1] in names
        click.echo(f"{seed + 1} halls: first in {first.total()}, {took[-1]:.1f} s", err=True)
        if seed + 1 in (halls, *range(20, halls, 20)):
            yield {
                **figures,
                "median_judge_cpu_s": round(float(np.median(took)), 1),
                "slowest_judge_cpu_s": round(max(took), 1),
                "halls": seed + 1,
                "true_part_first": first.total(),
                **{f"first_{kind.replace(' ', '_')}": count for kind, count in sorted(first.items())},
            }


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
    asked = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, number, judge in (("halls", asked.halls, judge_halls), ("lab", asked.lab, judge_lab)):
        for figures in judge(number) if number else ():
            results[name] = figures
            RESULTS.write_text(json.dumps(dict(sorted(results.items())), indent=2) + "\n")


if __name__ == "__main__":
    main()
