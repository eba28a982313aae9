"""Results as a Markdown page and as JSON, with the machine they were measured on."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.measure import Measured

RESULTS = Path(__file__).resolve().parent / "results"
LIBRARIES = ("numpy", "pydantic", "click", "ruamel.yaml")


def machine() -> dict[str, str]:
    """What measurements depend on; no name of the machine."""
    return {
        "processors": f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()}",
        "model": _model(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
    }


def _model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def load_per_processor() -> float:
    """How many processes wanted to run in the last minute, for each processor: about 1 is this benchmark alone."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def write(
    name: str,
    date: str,
    measured: Sequence[Measured],
    bases: Sequence[str],
    targets_s: Mapping[str, float],
    note: str = "",
    how: str = "as a whole process, in turn",
) -> str:
    """Write results/NAME.json and results/NAME.md, and return the page.

    `bases` are those of the measurements that others are told in multiples of; `targets_s` are wall seconds;
    `how` says in what way runs were made.
    """
    about = machine() | {"date": date, "runs": str(len(measured[0].runs)), "how": how, "note": note}
    rows = [_row(each, measured, bases, targets_s) for each in measured]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps({"about": about, "measured": rows}, indent=2) + "\n", "utf-8")
    page = _page(name, about, rows, bases)
    (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
    return page


def _row(
    each: Measured, measured: Sequence[Measured], bases: Sequence[str], targets_s: Mapping[str, float]
) -> dict[str, object]:
    of = {other.name: other for other in measured}
    return {
        "name": each.name,
        "wall_min_s": round(each.least("wall_s"), 3),
        "wall_median_s": round(each.middle("wall_s"), 3),
        "cpu_min_s": round(each.least("cpu_s"), 3),
        "peak_mib": round(each.peak_mib),
        "target_s": targets_s.get(each.name),
        "times": {base: round(each.least("cpu_s") / of[base].least("cpu_s"), 2) for base in bases},
    }


def _page(name: str, about: Mapping[str, str], rows: Sequence[Mapping[str, object]], bases: Sequence[str]) -> str:
    lines = [
        f"# {name}",
        "",
        f"`python -m benchmarks.{name}`, {about['date']}: {about['runs']} runs of each {about['how']}.",
        f"{about['processors']} x {about['model']}, {about['system']}, {about['python']}; {about['libraries']}.",
        *([about["note"]] if about["note"] else []),
        "",
        "| | wall min, s | wall median, s | CPU min, s | peak, MiB | target, s |"
        + "".join(f" CPU / {base} |" for base in bases),
        "|---|" + "---:|" * (5 + len(bases)),
    ]
    for row in rows:
        times = row["times"]
        assert isinstance(times, Mapping)  # noqa: S101 - as _row makes it
        cells = [row["wall_min_s"], row["wall_median_s"], row["cpu_min_s"], row["peak_mib"], row["target_s"] or ""]
        lines.append("| " + " | ".join(str(cell) for cell in (row["name"], *cells, *(times[b] for b in bases))) + " |")
    return "\n".join(lines) + "\n"
