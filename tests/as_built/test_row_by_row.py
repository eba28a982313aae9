"""Redlines are taken plug by plug and row by row: none is swallowed, and one old row does not refuse the sheet."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from fabricgen.as_built.sheet import HAND
from fabricgen.export.files import cables
from tests.conftest import BLUEPRINTS, example_cluster

Rows = list[dict[str, str]]
NIC = "p1-su01-n001"
B300 = BLUEPRINTS / "superpod-b300.yaml"


def written(rows: Rows, path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*(name for name in rows[0] if name not in HAND), *HAND])
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def wiring() -> Rows:
    """The rows of cables.csv."""
    columns = cables.make_table(example_cluster("superpod-b300")).columns
    return [dict(zip(columns, map(str, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def fibres(wiring: Rows, *cages: str) -> Rows:
    """The rows of the two fibres of a NIC's cage, with where they were plugged in."""
    rows = [row for row in wiring if row["cable"] == f"{NIC}:OSFP1"]
    return [{**row, "done": "x", "built_a_cage": cage} for row, cage in zip(rows, cages, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["/", "."])
def test_crossed_planes_of_one_cage_are_recorded(wiring: Rows, tmp_path: Path, fabricgen, sign: str) -> None:
    """As labels name the connector, and as overlays do; built, each fibre is in the other's plug."""
    sheet = written(fibres(wiring, f"OSFP1{sign}2", f"OSFP1{sign}1"), tmp_path / "rack.csv")
    ran = fabricgen("as-built", B300, sheet, "-o", tmp_path / "built.yaml", "--labels", tmp_path / "labels.csv")
    assert ran.code == 0
    assert f'"{NIC}:OSFP1": {{a_cage: {{"{NIC}:OSFP1.1": "OSFP1.2", "{NIC}:OSFP1.2": "OSFP1.1"}}}}' in (
        tmp_path / "built.yaml"
    ).read_text(encoding="utf-8")
    with (tmp_path / "labels.csv").open(encoding="utf-8") as file:
        labels = {row["code"]: (row["line1"], row["line2"]) for row in csv.DictReader(file)}
    assert labels[f"{NIC}:OSFP1|a1"] == ("h1.R01.01-U01:OSFP1/2", "h1.R01.09-U45:1/1")
    assert labels.keys() == {f"{NIC}:OSFP1|{end}" for end in ("a1", "a2", "b1", "b2")}
    blueprint = tmp_path / "site.yaml"
    blueprint.write_text(f"include: built.yaml\n{B300.read_text(encoding='utf-8')}", encoding="utf-8")
    assert fabricgen("build", blueprint, "-o", tmp_path / "out", "--only", "links", "--fail-on", "never").code == 0
    with (tmp_path / "out/links.csv").open(encoding="utf-8") as file:
        links = [row for row in csv.DictReader(file) if row["cable"] == f"{NIC}:OSFP1"]
    assert {row["a_port"]: row["b_device"][-6:] for row in links} == {"OSFP1/2": "pl1-01", "OSFP1/1": "pl2-01"}
    assert "FG311" in fabricgen("lint", blueprint).out
    again = fabricgen("as-built", blueprint, sheet, "-o", tmp_path / "built.yaml")
    assert (again.code, again.out.splitlines()[0]) == (0, "no new changes")


def test_one_of_two_fibres_does_not_take_the_other_along(wiring: Rows, tmp_path: Path, fabricgen) -> None:
    sheet = written(fibres(wiring, "OSFP1/2", ""), tmp_path / "rack.csv")
    ran = fabricgen("as-built", B300, sheet)
    assert ran.code == 2
    assert f"port OSFP1/2 of {NIC} is taken: another plug of this cable stays there" in ran.err


def test_a_cage_alone_moves_all_plugs_of_a_cable(tmp_path: Path, fabricgen) -> None:
    """As overlays had it before plugs were told apart."""
    blueprint = tmp_path / "site.yaml"
    own = f'cable_of: {{"{NIC}:OSFP1": {{a_cage: OSFP2}}, "{NIC}:OSFP2": {{a_cage: OSFP1}}}}\n'
    blueprint.write_text(B300.read_text(encoding="utf-8") + own, encoding="utf-8")
    assert fabricgen("build", blueprint, "-o", tmp_path / "out", "--only", "links", "--fail-on", "never").code == 0
    with (tmp_path / "out/links.csv").open(encoding="utf-8") as file:
        ports = sorted(row["a_port"] for row in csv.DictReader(file) if row["cable"] == f"{NIC}:OSFP1")
    assert ports == ["OSFP2/1", "OSFP2/2"]


def test_a_sheet_of_an_older_plan_is_taken_row_by_row(tmp_path: Path, fabricgen) -> None:
    """Four spines instead of two: leaf 29 still goes to spine 1, other uplinks do not go where they did."""
    path = tmp_path / "wiring.csv"
    assert fabricgen("wiring", BLUEPRINTS / "leaf-spine.yaml", "-o", path).code == 0
    with path.open(encoding="utf-8") as file:
        rows = [{**row, "done": "x"} for row in csv.DictReader(file)]
    leaf = "compute-leaf-p1-su01-r1-01"
    for row in rows:
        if row["cable"] == f"{leaf}:30":
            row["built_length_m"] = "25"
        if row["cable"] == f"{leaf}:1":
            row["remark"] = "round the pillar"
    sheet = written(rows, tmp_path / "old.csv")
    changed = ("--set", "fabrics.compute.tiers.spine.count=1")
    ran = fabricgen("as-built", BLUEPRINTS / "leaf-spine.yaml", sheet, "--format", "json", *changed)
    told = json.loads(ran.out)
    assert ran.code == 1
    assert {change["cable"] for change in told["changes"]} == {f"{leaf}:1"}
    lost = {row["cable"]: row for row in told["outdated"]}
    assert lost[f"{leaf}:30"]["written"] == {"done": "x", "built_length_m": "25"}
    assert f"the b end of {leaf}:30 is at compute-spine-01, not at compute-spine-02" in lost[f"{leaf}:30"]["became"]
    assert told["outdated"][0]["cable"] == f"{leaf}:30"
    assert told["cables"]["done"] == len({row["cable"] for row in rows} - lost.keys())
    text = fabricgen("as-built", BLUEPRINTS / "leaf-spine.yaml", sheet, "-o", tmp_path / "o.yaml", *changed)
    assert text.code == 1  # a redline was not taken
    assert f"{len(told['outdated'])} rows of an older plan not taken, 1 with redlines" in text.out
    assert f"{leaf}:1" in (tmp_path / "o.yaml").read_text(encoding="utf-8")
