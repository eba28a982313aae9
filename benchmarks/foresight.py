"""How long `analyze` and `size` take, as whole processes: `python -m benchmarks.foresight`.

Each command runs several times, with modules compiled to bytecode before, as by an installation; the least wall time
counts, and the processor time of that run. Results go to `benchmarks/results/foresight.json`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "foresight.json"
RUNS = 3
BASE = "import pydantic, ruamel.yaml, click"
"""What every command imports: limits are of a machine on which this takes 0.12 s."""
COMMANDS = {
    "lint superpod-b300, for comparison": "lint blueprints/superpod-b300.yaml",
    "analyze superpod-b300": "analyze blueprints/superpod-b300.yaml",
    "analyze colossus-200k": "analyze blueprints/colossus-200k.yaml",
    "analyze colossus-200k, 20 trials": "analyze blueprints/colossus-200k.yaml --trials 20",
    "size 16,384 of dgx-b300, all switches": "size --gpus 16384 --node dgx-b300 --format json",
    "size 2,048 of dgx-b300, all rows": "size --gpus 2048 --node dgx-b300 --all --format json",
    "size 200,000 of dgx-b300, SN5600": "size --gpus 200000 --node dgx-b300 --switch sn5600 --format json",
}


def measure_python(arguments: Sequence[str]) -> dict[str, float]:
    """Wall and processor seconds of the quickest of some runs of Python."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    runs = []
    for _ in range(RUNS):
        before, began = os.times(), time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
        wall, after = time.perf_counter() - began, os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        runs.append((round(wall, 2), round(used, 2)))
    wall, used = min(runs)
    return {"wall_s": wall, "cpu_s": used}


def main() -> None:
    """Measure the commands, and write what was seen."""
    rows = [{"what": "imports, for comparison", "command": f"python -c '{BASE}'"} | measure_python(["-c", BASE])]
    for what, line in COMMANDS.items():
        times = measure_python(["-m", "fabricgen", *line.split()])
        rows.append({"what": what, "command": f"fabricgen {line}"} | times)
    RESULTS.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))  # noqa: T201 - a command


if __name__ == "__main__":
    main()
