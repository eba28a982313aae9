"""The protocol says what was tested and what not, in every format, and how the command ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
import pytest

from tests.conftest import BLUEPRINTS, Ran
from tests.sign_off.paper import PaperHall

Run = Callable[..., Ran]
BLUEPRINT = BLUEPRINTS / "leaf-spine.yaml"
SLOW = "p1-su01-n003:eth2"


@pytest.fixture
def hall(tmp_path: Path, fabricgen: Run) -> PaperHall:
    """The smallest fabric, planned."""
    assert fabricgen("accept", "plan", BLUEPRINT, "-o", tmp_path / "plan").code == 0
    assert fabricgen("build", BLUEPRINT, "-o", tmp_path / "built", "--only", "links,devices").code == 0
    return PaperHall.read(tmp_path / "built", tmp_path / "plan", "compute")


def write_results(hall: PaperHall, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in hall.print_results():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_hall_that_is_right_ends_with_0(tmp_path: Path, hall: PaperHall, fabricgen: Run) -> None:
    ran = fabricgen("accept", "judge", BLUEPRINT, write_results(hall, tmp_path / "results"))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "Acceptance of leaf-spine: accepted: everything that the plan tests was tested and is right\n"
    )
    assert "flows load 16 links of 400 Gb/s with 100 Gb/s" in ran.out
    assert re.search(r"^accepted by: _+  date: _+$", ran.out, re.MULTILINE)


def test_what_is_not_done_is_told(tmp_path: Path, hall: PaperHall, fabricgen: Run) -> None:
    results = write_results(hall, tmp_path / "results")
    gone = [file for file in results.iterdir() if "-uplinks-" in file.name]
    for file in gone:
        file.unlink()
    (results / "another.txt").write_text("of another hall", encoding="utf-8")
    ran = fabricgen("accept", "judge", BLUEPRINT, results, "--format", "json")
    told = json.loads(ran.out)
    assert (ran.code, told["verdict"]) == (
        1,
        "not accepted: nothing wrong in what was tested; 44 runs are not done; 16 links are not tested",
    )
    assert [row["links"] for row in told["not_tested"]] == [16]
    assert told["notes"][-1] == "files of no run of this plan: 1, such as another.txt"


def test_failed_runs_are_findings_and_say_why(tmp_path: Path, hall: PaperHall, fabricgen: Run) -> None:
    results = write_results(hall, tmp_path / "results")
    for file in results.glob("*-ports-*p1-su02-n001-eth1*"):
        file.write_text("Couldn't connect to p1-su02-n001:18515\n", encoding="utf-8")
    for file in results.glob("003-ports-p1-su01-n001-eth1*"):
        file.write_bytes(file.read_bytes().replace(b"Gb/sec", b"MB/sec"))
    for file in results.glob("004-ports-p1-su01-n002-eth1*"):
        file.write_bytes(re.sub(rb"19\d\.\d\d", b"990.00", file.read_bytes()))
    told = json.loads(fabricgen("accept", "judge", BLUEPRINT, results, "--format", "json").out)
    states = {row["run"]: (row["state"], row["note"]) for row in told["all_runs"] if row["state"] != "right"}
    failed = "no table of ib_write_bw: Couldn't connect to p1-su02-n001:18515"
    assert states["003-ports-p1-su02-n001-eth1-p1-su02-n002-eth1"] == ("failed", failed)
    assert states["003-ports-p1-su01-n001-eth1-p1-su01-n002-eth1"][0] == "slow"
    assert states["004-ports-p1-su01-n002-eth1-p1-su01-n003-eth1"][0] == "too fast"
    assert len(told["findings"]) >= 2


@pytest.mark.slow
def test_every_format_has_findings_and_places_to_sign(tmp_path: Path, hall: PaperHall, fabricgen: Run) -> None:
    hall.gbps[SLOW] /= 2
    results = write_results(hall, tmp_path / "results")
    for form in ("json", "html", "xlsx"):
        ran = fabricgen("accept", "judge", BLUEPRINT, results, "-o", tmp_path / f"protocol.{form}")
        assert (ran.code, ran.out, ran.err) == (1, "", "")
    finding = json.loads((tmp_path / "protocol.json").read_text(encoding="utf-8"))["findings"][0]
    assert finding["suspect"].startswith(f"link {SLOW} to compute-leaf-p1-su01-r2-01:Ethernet8 (p1-su01-rk01 U3, ")
    page = (tmp_path / "protocol.html").read_text(encoding="utf-8")
    HTMLParser().feed(page)
    assert finding["suspect"] in page
    assert "<tr><td>accepted by</td><td></td><td>date</td><td></td></tr>" in page
    book = openpyxl.load_workbook(tmp_path / "protocol.xlsx")
    assert book.sheetnames == ["protocol", "findings", "runs by kind", "not tested", "all runs"]
    assert book["findings"]["B2"].value == finding["suspect"]
    assert book["all runs"].max_row == 77


def test_results_that_are_none_end_with_2(tmp_path: Path, fabricgen: Run) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.txt").write_text("nothing", encoding="utf-8")
    for given, message in (
        ("empty", "no results in "),
        ("absent", "cannot read "),
        ("other.txt", "no file of 1 is of a run of this plan of leaf-spine"),
    ):
        ran = fabricgen("accept", "judge", BLUEPRINT, tmp_path / given)
        assert (ran.code, "FG179" in ran.err, message in ran.err) == (2, True, True), ran.err
        assert ran.out == ""


def test_names_of_results_are_data(tmp_path: Path, hall: PaperHall, fabricgen: Run) -> None:
    results = write_results(hall, tmp_path / "results")
    (results / "003-ports-p1-su01-n001-eth1-p1-su01-n002-eth1.txt").write_text(
        "error \x1b[31m<script>alert(1)</script>", encoding="utf-8"
    )
    assert "\x1b" not in fabricgen("accept", "judge", BLUEPRINT, results).out
    page = fabricgen("accept", "judge", BLUEPRINT, results, "--format", "html").out
    assert "<script" not in page
