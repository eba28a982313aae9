"""Measure fabricgen: `python -m benchmarks [--sizes 1k,16k,200k,1m] [--runs N] [--peers] [--check] ...`."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.chart import chart
from benchmarks.machine import load_per_processor, machine
from benchmarks.peers import measure_peers
from benchmarks.results import as_json, page
from benchmarks.rounds import Lab, size_rows, start_rows
from benchmarks.sizes import SIZES
from benchmarks.targets import targets

RESULTS = Path(__file__).resolve().parent / "results"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", default=",".join(SIZES), help="which of %(default)s; empty for none")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command [%(default)s]")
    parser.add_argument("--peers", action="store_true", help="pyavd and netlab too, from the package index")
    parser.add_argument("--quick", action="store_true", help="one run of 1k, without start-up, plan and single parts")
    parser.add_argument("--check", action="store_true", help="end with 1 where a target is missed")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="day to note [today]")
    parser.add_argument("--note", default="", help="a line about the circumstances")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of what is found [%(default)s]")
    parser.add_argument("--scratch", type=Path, default=tempfile.gettempdir(), help="where to write [%(default)s]")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for a command [%(default)s]")
    parser.add_argument("--rest", type=float, default=60, help="seconds of rest after deletions [%(default)s]")
    return parser


def main() -> int:
    """Measure, and write speed.json, .md and .svg; 1 where a result is wrong, or with `--check` a target missed."""
    parser = options()
    told = parser.parse_args()
    names = ["1k"] if told.quick else [name for name in told.sizes.split(",") if name]
    if unknown := set(names) - set(SIZES):
        parser.error(f"no size {', '.join(sorted(unknown))}; there are {', '.join(SIZES)}")
    runs = 1 if told.quick else told.runs
    note = f"{told.note} Load before: {load_per_processor():.1f} processes a processor.".strip()
    with tempfile.TemporaryDirectory(prefix="fabricgen-speed-", dir=told.scratch) as scratch:
        lab = Lab(Path(scratch), told.timeout, 0 if told.quick else told.rest, _say)
        rows = [] if told.quick else start_rows(lab, runs)
        for name in names:
            rows += size_rows(lab, SIZES[name], runs, quick=told.quick)
        peers = measure_peers(lab, runs) if told.peers else []
    about = machine(told.scratch) | {"date": told.date, "runs": str(runs), "note": note}
    held = targets(rows, peers)
    results = as_json(about, held, rows, peers)
    command = "python -m benchmarks" + (" --peers" if peers else "")
    told.results.mkdir(exist_ok=True, parents=True)
    (told.results / "speed.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (told.results / "speed.md").write_text(page(results, rows, command), encoding="utf-8")
    (told.results / "speed.svg").write_bytes(chart(results))
    wrong = [f"{row.size} {row.name}: {problem}" for row in rows for problem in row.problems]
    missed = [target.what for target in held if not target.met]
    for line in (*(f"wrong: {text}" for text in wrong), *(f"missed: {text}" for text in missed)):
        _say(line)
    return 1 if wrong or (told.check and missed) else 0


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
