"""Start-up, `lint --fast` and `lint` of three blueprints: `python -m benchmarks.lint [--runs N] [--date DAY]`."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

if __package__ in (None, ""):  # run as a file
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measure import measure
from benchmarks.report import load_per_processor, write

ROOT = Path(__file__).resolve().parent.parent
BLUEPRINTS = {
    "superpod-b300": ROOT / "blueprints" / "superpod-b300.yaml",
    "colossus-200k": ROOT / "blueprints" / "colossus-200k.yaml",
    "three-tier-1m": ROOT / "benchmarks" / "blueprints" / "three-tier-1m.yaml",
}
PYTHON, FLOOR = "python -c pass", "import numpy, pydantic, click"
TARGETS_S = {
    "lint superpod-b300": 0.3,
    "lint --fast colossus-200k": 0.6,
    "lint --fast three-tier-1m": 0.6,
    "lint colossus-200k": 3.0,
    "lint three-tier-1m": 3.0,
}
"""Wall seconds that a whole process may take on two processors."""


def cases() -> list[tuple[str, list[str]]]:
    """(name, arguments of Python) of everything that is measured."""
    libraries = "import numpy, click; from pydantic import BaseModel, Field"
    found = [(PYTHON, ["-c", "pass"]), (FLOOR, ["-c", libraries]), ("--version", ["-m", "fabricgen", "--version"])]
    for fast in (["--fast"], []):
        for name, file in BLUEPRINTS.items():
            command = ["lint", *fast]
            found.append((" ".join([*command, name]), ["-m", "fabricgen", *command, str(file)]))
    return found


def main() -> None:
    """Measure and write results/lint.md and results/lint.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="runs of each, after one that is not counted")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="day to note")
    parser.add_argument("--note", default="", help="a line about the circumstances")
    told = parser.parse_args()
    measured = measure(cases(), told.runs)
    note = f"{told.note} Load while measuring: {load_per_processor():.1f} processes a processor.".strip()
    sys.stdout.write(write("lint", told.date, measured, (PYTHON, FLOOR), TARGETS_S, note))


if __name__ == "__main__":
    main()
