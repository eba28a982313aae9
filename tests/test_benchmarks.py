"""The benchmarks notice what is wrong; CI runs them on a small cluster, where a slow machine is not a failure."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.cases import Case, cases
from benchmarks.chart import chart
from benchmarks.machine import machine
from benchmarks.measure import Run, run
from benchmarks.profile import RESULTS
from benchmarks.profile import page as write_profile_page
from benchmarks.results import as_json, page, peer_lines, target_lines
from benchmarks.rounds import Lab, Row, size_rows
from benchmarks.sizes import ROOT, SIZES, Size
from benchmarks.targets import Target, targets
from benchmarks.verify import judged
from tests.conftest import require

CONTENT = {"links.csv": b"a,b\n", "configs/leaf-1/frr.conf": b"router bgp 1\n", "summary.json": b'{"nodes": 1}'}


def build_in(folder: Path) -> Path:
    """What a build might have written."""
    files = {
        path: {"sha256": sha256(content).hexdigest(), "part": path.partition(".")[0].partition("/")[0]}
        for path, content in CONTENT.items()
    }
    for path, content in (CONTENT | {"manifest.json": json.dumps({"files": files}).encode()}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def test_what_is_whole_is_found_so_in_folder_and_archive(tmp_path: Path) -> None:
    folder = build_in(tmp_path / "out")
    with tarfile.open(tmp_path / "out.tar", "w") as archive:
        archive.add(folder, arcname=".", filter=lambda info: info if info.isdir() else _renamed(info))
    (found, listing), (other, _) = judged(folder), judged(tmp_path / "out.tar")
    assert found["problems"] == other["problems"] == []
    assert found["parts"] == other["parts"]
    assert found["parts"].keys() == {"links", "configs", "summary"}
    assert (found["files"], found["summary"]) == (4, {"nodes": 1})
    assert dict(listing)["links.csv"] == 4


def _renamed(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.name = info.name.removeprefix("./")
    return info


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    folder = build_in(tmp_path)
    whole, _ = judged(folder)
    (folder / "links.csv").write_bytes(b"a,c\n")
    (folder / "configs/leaf-1/frr.conf").unlink()
    (folder / "other.txt").touch()
    found, _ = judged(folder)
    assert found["problems"] == [
        "missing: configs/leaf-1/frr.conf",
        "not in the manifest: other.txt",
        "other content: links.csv",
    ]
    assert [part for part in whole["parts"] if found["parts"][part] != whole["parts"][part]] == ["configs", "links"]


def test_a_target_is_met_by_every_run_or_not_at_all() -> None:
    assert Target("", "s", 2, (1.9, 1.0)).met
    assert not Target("", "s", 2, (1.0, 2.1)).met
    assert not Target("", "x", 30, (31.0, 29.0), at_least=True).met
    assert not Target("", "s", 2, ()).met
    assert not Target("", "s", 2, (1.0,), problem="other bytes").met


def test_what_a_target_is_about_is_measured_in_every_round() -> None:
    rounds = [Row(size.name, case.name, [Run(1, 1, 0, 10, 10)]) for size in SIZES.values() for case in all_of(size)]
    again = [Row(size.name, case.name, []) for size in SIZES.values() for case in all_of(size) if case.again(size)]
    found, repeated = ({target.what for target in targets(rows, [])} for rows in (rounds, again))
    assert found == repeated
    assert len(found) == 14


def all_of(size: Size) -> list[Case]:
    return list(cases(size, quick=False))


def test_a_failed_case_misses_its_targets() -> None:
    failed = Row("200k", "lint", [Run(1, 1, 0, 10, 10, "ended with 3")])
    (target,) = targets([failed], [])
    assert (target.met, target.problem) == (False, "ended with 3")


def test_a_process_that_fails_or_never_ends_is_a_row_and_no_crash() -> None:
    failed, _ = run([sys.executable, "-c", "raise SystemExit('no memory')"])
    assert failed.problem == "ended with 1: no memory"
    late, _ = run([sys.executable, "-c", "import time; time.sleep(60)"], timeout_s=0.1)
    assert late.problem == "took longer than 0.1 s"


class Broken(Lab):
    """A laboratory where nothing works."""

    def run(self, command: Sequence[str], codes: Sequence[int] = (0,), folder: Path = ROOT) -> tuple[Run, str]:
        return Run(1, 1, 0, 10, 10, "ended with 3"), ""


def test_where_nothing_works_every_row_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.rounds.os.sync", lambda: None)
    said: list[str] = []
    rows = size_rows(Broken(tmp_path, 1, 0, said.append), SIZES["1k"], 2, quick=False)
    assert {tuple(row.problems) for row in rows} == {("ended with 3",)}
    assert len(said) == 2 * len(rows)
    about = machine(tmp_path) | {"date": "2026-01-02", "runs": "2", "note": ""}
    assert page(as_json(about, [], rows, []), rows, "").count("ended with 3") == len(rows)


@pytest.mark.slow
def test_memory_of_children_counts() -> None:
    """Measured from a process of its own: one that was forked from a large one is said to have been as large."""
    tells = Path("/proc/self/smaps_rollup").exists()
    require("" if tells else "the system does not tell memory by process: run on Linux 4.14 or later", marked=False)
    hold = "kept = b'x' * 60_000_000; "
    for held_s in (0.4, 3, 15, 60, 240):  # samples are further apart where taking one takes long
        child = f"import time; {hold} time.sleep({held_s})"
        parent = f"import subprocess, sys; {hold} subprocess.run([sys.executable, '-c', {child!r}])"
        measured = (
            "import sys; from benchmarks.measure import run; "
            f"found, _ = run([sys.executable, '-c', {parent!r}]); print(found.tree_mb, found.process_mb)"
        )
        _, said = run([sys.executable, "-c", measured], folder=ROOT)
        tree_mb, process_mb = map(float, said.split())
        if tree_mb > 120:
            break
    assert tree_mb > 120 > process_mb


@pytest.mark.slow
def test_the_stages_of_a_build_account_for_every_byte(tmp_path: Path) -> None:
    size = SIZES["1k"]
    command = [sys.executable, "-m", "benchmarks.stages", str(size.blueprint), str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert found["links"] == size.links
    produced = {stage["stage"]: stage["bytes"] for stage in found["stages"]}
    assert produced["configurations sonic"] > produced["table links"] > 0
    written = sum(file.stat().st_size for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert sum(produced.values()) == written


def test_the_chart_has_a_line_for_what_was_measured() -> None:
    cases = [
        {"size": size, "case": "lint", "runs": [{"wall_s": 0.3 * n}], "floors": [], "problems": []}
        for n, size in enumerate(SIZES, 1)
    ]
    sizes = {name: {"gpus": size.gpus} for name, size in SIZES.items()}
    drawn = ElementTree.fromstring(chart({"about": {"date": "2026-01-02"}, "sizes": sizes, "cases": cases}))
    assert sum(1 for mark in drawn.iter("{http://www.w3.org/2000/svg}circle")) == len(SIZES) + 1  # and the legend
    assert "lint 1.2 s" in {text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}


def test_the_tables_of_figures_are_those_of_what_was_measured_last() -> None:
    """docs/performance.md leads to them."""
    profile, speed = (json.loads((RESULTS / f"{name}.json").read_bytes()) for name in ("profile", "speed"))
    assert (RESULTS / "profile.md").read_text(encoding="utf-8") == write_profile_page(profile)
    tables = [*target_lines(speed["targets"]), "", *peer_lines(speed["peers"])]
    assert "\n".join(tables) in (RESULTS / "speed.md").read_text(encoding="utf-8")
