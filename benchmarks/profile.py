"""Where the time goes, and how it grows: `python -m benchmarks.profile [--sizes 16k,200k,1m] [--date DAY]`.

Every size is built stage by stage in a process of its own (`benchmarks.stages`), several times; of each stage the run
counts that took least processor time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.machine import load_per_processor, machine
from benchmarks.results import cpu, machine_line, profile_lines
from benchmarks.rounds import Lab
from benchmarks.sizes import SIZES

RESULTS = Path(__file__).resolve().parent / "results"


def profiled(lab: Lab, name: str, runs: int) -> dict[str, Any]:
    """The stages of a size."""
    size = SIZES[name]
    found: list[dict[str, Any]] = []
    for number in range(runs):
        folder = lab.scratch / f"{name}-{number}"
        command = [sys.executable, "-m", "benchmarks.stages", str(size.blueprint), str(folder / "out")]
        run, text = lab.run(command)
        if run.problem:
            raise SystemExit(f"{name}: {run.problem}")
        found.append(json.loads(text))
        lab.say(f"{name} {number + 1}/{runs}: {run.wall_s:.1f} s, CPU {run.cpu_s:.1f} s, {run.peak_mb:.0f} MB")
        lab.remove(folder)
    by_stage = zip(*(each["stages"] for each in found), strict=True)
    return {"links": found[0]["links"], "stages": [min(same, key=cpu) for same in by_stage]}


def page(results: Mapping[str, Any]) -> str:
    """The Markdown page."""
    about = results["about"]
    head = [
        "# profile",
        "",
        f"`python -m benchmarks.profile`, {about['date']}: stage after stage in one process, best of {about['runs']}.",
        machine_line(about),
        *([about["note"]] if about["note"] else []),
        "",
    ]
    return "\n".join([*head, *profile_lines(results["sizes"])]) + "\n"


def main() -> None:
    """Profile sizes, and write profile.json and profile.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    parser.add_argument("--sizes", default="16k,200k,1m", help="which of " + ",".join(SIZES) + " [%(default)s]")
    parser.add_argument("--runs", type=int, default=3, help="runs of each size [%(default)s]")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="day to note [today]")
    parser.add_argument("--note", default="", help="a line about the circumstances")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of what is found [%(default)s]")
    parser.add_argument("--scratch", type=Path, default=tempfile.gettempdir(), help="where to write [%(default)s]")
    parser.add_argument("--rest", type=float, default=20, help="seconds of rest after deletions [%(default)s]")
    told = parser.parse_args()
    note = f"{told.note} Load before: {load_per_processor():.1f} processes a processor.".strip()
    with tempfile.TemporaryDirectory(prefix="fabricgen-profile-", dir=told.scratch) as scratch:
        lab = Lab(Path(scratch), 3600, told.rest, lambda line: print(line, file=sys.stderr))  # noqa: T201
        sizes = {name: profiled(lab, name, told.runs) for name in told.sizes.split(",")}
    about = machine(told.scratch) | {"date": told.date, "runs": str(told.runs), "note": note}
    results = {"about": about, "sizes": sizes}
    told.results.mkdir(exist_ok=True, parents=True)
    (told.results / "profile.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (told.results / "profile.md").write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
