"""Ends of trunks that are exchanged at a panel, from the dumps to what a technician takes along."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from fabricgen.export.view.verification import ELSEWHERE, read_verification
from fabricgen.verify.cabling import make_cabling
from fabricgen.verify.diagnosis.trunks import list_trunk_ends
from tests.conftest import BLUEPRINTS, Ran, example_cluster
from tests.verify.cabled import CabledHall

Command = Callable[..., Ran]
NAME = "patched-hall"
TRUNK = "nodes:p1-su01-rk01:p1-su01-net01:om4-"
RACK, PANEL = "p1-su01-rk01", "p1-su01-rk01-pp01"
FIRST, SECOND = (PANEL, "1-18", f"{TRUNK}1"), (PANEL, "19-36", f"{TRUNK}2")


def exchanged(folder: Path) -> Path:
    """Dumps of the hall in which two trunks are in each other's place at the leaves' panel."""
    plan, hall = make_cabling(example_cluster(NAME)), CabledHall(NAME)
    ends = list_trunk_ends(plan)
    assert ends is not None
    for channel, port in ends.ports[1].items():
        if channel in ends.ports[3]:
            one, other = (tuple(plan.name_port(each).split(":")) for each in (port, ends.ports[3][channel]))
            far_one, far_other = hall.sees[one], hall.sees[other]
            hall.sees |= {one: far_other, far_other: one, other: far_one, far_one: other}
    return hall.csv(folder / "hall.csv")


@pytest.mark.slow
@pytest.mark.parametrize("built", [False, True], ids=["blueprint", "built"])
def test_every_report_lists_the_plugs_of_exchanged_trunks(built: bool, tmp_path: Path, fabricgen: Command) -> None:
    plan, dump = BLUEPRINTS / f"{NAME}.yaml", exchanged(tmp_path)
    if built:
        plan = tmp_path / "built"
        assert fabricgen("build", BLUEPRINTS / f"{NAME}.yaml", "-o", plan).code == 0
    text = fabricgen("verify", plan, dump)
    assert (text.code, text.err) == (1, "")
    assert "lay the first plug aside until its place is free" in text.out
    assert f"   pull {PANEL}:1-18  rack {RACK}" in text.out
    assert f"    put {PANEL}:19-36\n        label {TRUNK}2\n" in text.out
    rows = list(csv.DictReader(io.StringIO(fabricgen("verify", plan, dump, "--format", "csv").out)))
    assert [
        [row[key] for key in ("pull_device", "pull_port", "put_device", "put_port", "put_label", "cable", "reaches")]
        for row in rows
    ] == [[*FIRST[:2], *SECOND, "", ""], [*SECOND[:2], *FIRST, "", ""]]
    assert {(row["pull_rack"], row["pull_u"]) for row in rows} == {(RACK, "48")}
    assert fabricgen("verify", plan, dump, "--format", "xlsx", "-o", tmp_path / "m.xlsx").code == 1
    book = openpyxl.load_workbook(tmp_path / "m.xlsx")
    cells = [[cell for cell in row if cell] for row in book["moves"].iter_rows(values_only=True)]
    assert any({"pull", PANEL, "1-18", "19-36"} <= set(map(str, row)) for row in cells)
    labels = [row for row in book["labels"].iter_rows(values_only=True) if FIRST[2] in row]
    assert labels


def test_exchanged_trunks_are_not_accepted(tmp_path: Path, fabricgen: Command) -> None:
    """An overlay says where cables end, and nothing of trunks; the page has their cables elsewhere, not dark."""
    plan, dump, report = BLUEPRINTS / f"{NAME}.yaml", exchanged(tmp_path), tmp_path / "report.json"
    report.write_text(fabricgen("verify", plan, dump, "--format", "json").out, encoding="utf-8")
    (action,) = json.loads(report.read_text(encoding="utf-8"))["actions"]
    ran = fabricgen("verify", plan, dump, "--accept", action["id"], "-o", tmp_path / "as-built.yaml")
    assert ran.code == 2
    assert f"error[FG076]: {action['id']} cannot be accepted: the ends of trunks" in ran.err
    assert "move the trunks as it says" in ran.err
    cluster = example_cluster(NAME)
    states = dict(zip(cluster.cable_ids, read_verification(str(report), cluster).states.tolist(), strict=True))
    assert {states[cable] for cable in action["cables"]} == {ELSEWHERE}
