"""How quickly the page of `view` opens and paints, in the Chromium of this machine: `python -m benchmarks.picture`.

Frames are timed over 200 steps of zoom and pan at 1600 x 900 with software rendering, two animation frames a step, so
that 33 ms is the least that a step takes. Results go to `benchmarks/results/picture.json`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fabricgen.cli import pictures

RESULTS = Path(__file__).parent / "results" / "picture.json"
BLUEPRINTS = ("blueprints/superpod-b300.yaml", "blueprints/colossus-200k.yaml")
RUNS = 3
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")

STEPS = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => done(0)));
  const took = [];
  for (let i = 0; i < 200; i += 1) {
    const began = performance.now();
    if (i % 40 < 20) FG.camera.zoom(1.15, 400 + i * 2, 300 + i);
    else if (i % 40 < 30) FG.camera.pan(40, 20);
    else FG.camera.zoom(1 / 1.33);
    await frame();
    await frame();
    took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  return [took[100], took[189], took[199]].map(Math.round);
}"""


def measured(blueprint: str, browser: Any, folder: Path) -> dict[str, Any]:
    """Size of a page in bytes, seconds to make and to open it, and ms of a step: median, 95th percentile, most."""
    file = folder / "cluster.html"
    began = time.perf_counter()
    command = [sys.executable, "-m", "fabricgen", "view", blueprint, "-o", str(file)]
    subprocess.run(command, check=True)  # noqa: S603 - our own command
    made = time.perf_counter() - began
    runs = []
    for _ in range(RUNS):
        page = browser.new_page(viewport={"width": 1600, "height": 900})
        began = time.perf_counter()
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]")
        opened = time.perf_counter() - began
        runs.append({"open_s": round(opened, 2), "step_ms": page.evaluate(STEPS)})
        page.close()
    return {"blueprint": blueprint, "bytes": file.stat().st_size, "make_s": round(made, 2), "runs": runs}


def main() -> None:
    """Measure the pages, and write what was seen."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=pictures.find_browser(), args=list(FLAGS))
        found = [measured(blueprint, browser, Path(folder)) for blueprint in BLUEPRINTS]
        browser.close()
    RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))  # noqa: T201 - a command


if __name__ == "__main__":
    main()
