"""From the wiring list through the technician's hand and back: what was built is what files then say."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from fabricgen.as_built.sheet import HAND
from tests.conftest import BLUEPRINTS

pytestmark = pytest.mark.slow

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"

Hand = dict[tuple[str, str], object]
"""(cable, column) -> what is written there, in every row of the cable."""


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def redlined(path: Path, table: str, hand: Hand, *, title: str = "wiring") -> Path:
    """A workbook of the wiring list with what a hand writes; a cover before it, a title above its header."""
    rows = rows_of(table)
    book = openpyxl.Workbook()
    cover = book.active
    cover.title = "cover"
    cover.append(["How to use this list"])
    sheet = book.create_sheet(title)
    sheet.append(["wiring of the cluster"])
    columns = [*rows[0], *HAND]
    sheet.append(columns)
    for row in rows:
        sheet.append([hand.get((row["cable"], column), row.get(column, "")) for column in columns])
    book.save(path)
    return path


@pytest.fixture
def site(tmp_path: Path, fabricgen: Callable[..., object]) -> Callable[..., object]:
    """Runs a command on a small cluster that takes `as-built.yaml`."""
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    (tmp_path / "as-built.yaml").write_text("cable_of: {}\n", encoding="utf-8")
    blueprint = tmp_path / "site.yaml"
    blueprint.write_text(f"include: as-built.yaml\n{text}", encoding="utf-8")

    def call(command: str, *arguments: object) -> object:
        return fabricgen(command, blueprint, *arguments)

    return call


HAND_WRITTEN: Hand = {
    (f"{LEAF}:29", "built_a_cage"): 30,  # 29 and 30 were swapped on the leaf,
    (f"{LEAF}:30", "built_a_cage"): "29",
    (f"{LEAF}:31", "built_b_cage"): 20,  # 31 moved to a free cage of its spine,
    (f"{LEAF}:31", "built_length_m"): 25,
    (f"{LEAF}:31", "remark"): "Pfeiler, =außen herum",
    (f"{LEAF}:32", "built_a_cage"): 9,  # and 32 to one that only downlinks were to have
    (f"{LEAF}:29", "done"): "x",
    (f"{LEAF}:30", "done"): "fault",
}


def test_what_was_built_is_what_every_file_says(site, tmp_path: Path) -> None:
    sheet = redlined(tmp_path / "wiring.xlsx", site("wiring").out, HAND_WRITTEN)
    before = {name: rows_of(site("wiring", "--by", name).out) for name in ("cable", "link")}
    bom = rows_of(site("bom").out)
    ran = site("as-built", sheet, "-o", tmp_path / "as-built.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("new changes to 4 cables")
    assert "24 cables listed of 24: 1 done, 22 open, 1 faulty" in ran.out
    cables, links = (rows_of(site("wiring", "--by", name).out) for name in ("cable", "link"))
    told = {
        row["cable"]: {k for k in row if row[k] != old[k]} for row, old in zip(cables, before["cable"], strict=True)
    }
    told = {cable: columns for cable, columns in told.items() if columns}
    labels = {"label_a", "label_b"}
    assert told == {
        f"{LEAF}:29": {"a_cage", *labels},
        f"{LEAF}:30": {"a_cage", *labels},
        f"{LEAF}:31": {"b_cage", "length_m", "part", *labels},
        f"{LEAF}:32": {"a_cage", *labels},
    }
    apply_moves = {row["cable"]: row for row in links if row["cable"] in told}
    assert {cable: (row["a_port"], row["b_port"]) for cable, row in apply_moves.items()} == {
        f"{LEAF}:29": ("Ethernet232", "Ethernet0"),
        f"{LEAF}:30": ("Ethernet224", "Ethernet0"),
        f"{LEAF}:31": ("Ethernet240", "Ethernet152"),
        f"{LEAF}:32": ("Ethernet64", "Ethernet0"),
    }
    assert [(r["cable"], r["a_ip"], r["b_ip"], r["rail"]) for r in links] == [
        (r["cable"], r["a_ip"], r["b_ip"], r["rail"]) for r in before["link"]
    ]
    counts = {row["part"]: int(row["quantity"]) for row in bom}
    for row in rows_of(site("bom").out):
        counts[row["part"]] = int(row["quantity"]) - counts.get(row["part"], 0)
    assert {part: n for part, n in counts.items() if n and "om4-mpo-16-apc-" in part} == {
        "fibre-mmf-om4-mpo-16-apc-10m": -1,
        "fibre-mmf-om4-mpo-16-apc-25m": 1,
    }


def test_the_switches_are_configured_as_they_are_wired(site, tmp_path: Path) -> None:
    sheet = redlined(tmp_path / "wiring.xlsx", site("wiring").out, HAND_WRITTEN)
    site("as-built", sheet, "-o", tmp_path / "as-built.yaml")
    built = site("build", "-o", tmp_path / "out")
    assert built.code == 0, built.err
    ports = json.loads((tmp_path / "out/configs" / LEAF / "config_db.json").read_text(encoding="utf-8"))
    assert ports["PORT"]["Ethernet232"]["description"] == f"{SPINE} Ethernet0 cable {LEAF}:29"
    assert ports["PORT"]["Ethernet64"]["speed"] == "400000"
    assert f"cable {LEAF}:32" in ports["PORT"]["Ethernet64"]["description"]
    assert ports["BREAKOUT_CFG"]["Ethernet64"]["brkout_mode"].startswith("1x400G")
    routed = {key.split("|")[0] for key in ports["INTERFACE"]}
    assert routed >= {"Ethernet224", "Ethernet232", "Ethernet240", "Ethernet64"}
    assert "Ethernet248" not in routed


def test_a_sheet_that_is_imported_again_changes_nothing(site, tmp_path: Path) -> None:
    overlay = tmp_path / "as-built.yaml"
    first = redlined(tmp_path / "wiring.xlsx", site("wiring").out, HAND_WRITTEN)
    site("as-built", first, "-o", overlay)
    text = overlay.read_bytes()
    again = site("as-built", first, "-o", overlay)
    assert again.out.startswith("no new changes")
    fresh = redlined(tmp_path / "fresh.xlsx", site("wiring").out, {})
    assert site("as-built", fresh).code == 0
    assert overlay.read_bytes() == text
    back = redlined(
        tmp_path / "back.xlsx",
        site("wiring").out,
        {(f"{LEAF}:{n}", "built_a_cage"): n for n in (29, 30)} | {(f"{LEAF}:31", "built_length_m"): "10 m"},
    )
    assert "-> as planned" in site("as-built", back, "-o", overlay).out
    assert overlay.read_text(encoding="utf-8").splitlines()[3:] == [
        f'  "{LEAF}:31": {{b_cage: "20", note: "Pfeiler, =außen herum"}}',
        f'  "{LEAF}:32": {{a_cage: "9"}}',
    ]


def test_without_a_file_it_says_what_would_change(site, tmp_path: Path) -> None:
    sheet = redlined(tmp_path / "wiring.xlsx", site("wiring").out, {(f"{LEAF}:29", "built_length_m"): 12.5})
    ran = site("as-built", sheet, "--format", "json")
    found = json.loads(ran.out)
    assert ran.code == 1
    assert found["cables"] == {"total": 24, "listed": 24, "done": 0, "open": 24, "faulty": 0}
    (change,) = found["changes"]
    assert {key: change[key] for key in ("cable", "field", "end", "old", "new")} == {
        "cable": f"{LEAF}:29",
        "field": "length_m",
        "end": "",
        "old": None,
        "new": 12.5,
    }
    assert change["at"].startswith(f"{sheet}:wiring:")
    assert (tmp_path / "as-built.yaml").read_text(encoding="utf-8") == "cable_of: {}\n"
    printed = site("as-built", sheet, "-o", "-")
    assert printed.code == 0
    assert printed.out.splitlines()[-1] == f'  "{LEAF}:29": {{length_m: 12.5}}'


def test_the_wiring_list_as_a_workbook_is_such_a_sheet(site, tmp_path: Path) -> None:
    sheet = tmp_path / "wiring.xlsx"
    assert site("wiring", "-o", sheet).code == 0
    assert site("as-built", sheet).code == 0
    book = openpyxl.load_workbook(sheet)
    head = [cell.value for cell in book.active[1]]
    book.active.cell(2, head.index("built_length_m") + 1, 12.5)
    book.save(sheet)
    ran = site("as-built", sheet)
    assert (ran.code, "12.5" in ran.out) == (1, True), ran


def test_two_sheets_may_say_the_same_of_a_cable(site, tmp_path: Path) -> None:
    table = site("wiring").out
    one = redlined(tmp_path / "rack-a.xlsx", table, {(f"{LEAF}:29", "built_a_cage"): 9, (f"{LEAF}:29", "remark"): "a"})
    two = redlined(
        tmp_path / "rack-b.xlsx", table, {(f"{LEAF}:29", "built_a_cage"): "9", (f"{LEAF}:29", "remark"): "b"}
    )
    site("as-built", one, two, "-o", tmp_path / "as-built.yaml")
    assert '{a_cage: "9", note: "a; b"}' in (tmp_path / "as-built.yaml").read_text(encoding="utf-8")
    two = redlined(tmp_path / "rack-b.xlsx", table, {(f"{LEAF}:29", "built_a_cage"): 10})
    ran = site("as-built", one, two, "-o", tmp_path / "as-built.yaml")
    assert ran.code == 2
    assert f"built_a_cage of the end planned at {LEAF}:29 is '10' here and '9' at {one}:wiring:" in ran.err


def test_growth_and_a_lock_keep_what_was_built(site, tmp_path: Path) -> None:
    overlay = tmp_path / "as-built.yaml"
    sheet = redlined(tmp_path / "wiring.xlsx", site("wiring").out, HAND_WRITTEN)
    site("as-built", sheet, "-o", overlay)
    assert site("lock").code == 0
    built = {row["cable"]: row for row in rows_of(site("wiring").out)}
    grown = site("wiring", "--set", "pods.p1.su=3")
    assert grown.code == 0, grown.err
    after = {row["cable"]: row for row in rows_of(grown.out)}
    assert len(after) > len(built)
    for n in (29, 30, 31, 32):
        row, now = built[f"{LEAF}:{n}"], after[f"{LEAF}:{n}"]
        assert [now[c] for c in ("a_cage", "b_cage", "length_m")] == [row[c] for c in ("a_cage", "b_cage", "length_m")]
    assert site("as-built", sheet).out.startswith("no new changes")


def test_the_technicians_workbook_comes_back(site, tmp_path: Path) -> None:
    """The sheets of both racks and the list of all cables say the same: what is written into any of them is taken."""
    assert site("build", "-o", tmp_path / "out", "--only", "technician").code == 0
    (file,) = (tmp_path / "out/technician").glob("*.xlsx")
    book = openpyxl.load_workbook(file)
    written = 0
    for name, column, value in (("wiring", "done", "done"), ("p1-su01-net01", "built_a_cage", 9)):
        sheet = book[name]
        columns = {cell.value: cell.column for cell in sheet[1]}
        for row in range(2, sheet.max_row + 1):
            if sheet.cell(row, columns["cable"]).value == f"{LEAF}:29":
                sheet.cell(row, columns[column]).value = value
                written += 1
    assert written == 2
    book.save(file)
    ran = site("as-built", file, "-o", tmp_path / "as-built.yaml")
    assert ran.code == 0, ran.err
    assert f"{LEAF}:29: a_cage as planned -> '9'" in ran.out
    assert "24 cables listed of 24: 1 done, 23 open, 0 faulty" in ran.out


def test_a_wiring_list_asks_no_length_of_what_goes_through_panels(tmp_path: Path, fabricgen) -> None:
    """Such a cable is two jumpers and a trunk, and a length of all of them is refused."""
    blueprint, sheet = BLUEPRINTS / "patched-hall.yaml", tmp_path / "wiring.xlsx"
    assert fabricgen("wiring", blueprint, "-o", sheet).code == 0
    book = openpyxl.load_workbook(sheet)
    page = book.worksheets[0]
    head = {cell.value: cell.column for cell in page[1]}
    lengths = [row[head["built_length_m"] - 1].value for row in page.iter_rows(min_row=2)]
    assert set(lengths) == {None, "panels"}
    untouched = fabricgen("as-built", blueprint, sheet)
    assert (untouched.code, untouched.out.splitlines()[0]) == (0, "no new changes")
    direct, patched = (lengths.index(word) + 2 for word in (None, "panels"))
    page.cell(direct, head["built_length_m"], 9)
    book.save(sheet)
    assert fabricgen("as-built", blueprint, sheet).code == 1
    page.cell(patched, head["built_length_m"], 9)
    book.save(sheet)
    refused = fabricgen("as-built", blueprint, sheet)
    assert refused.code == 2
    assert f"{sheet}:cables:{patched}:{head['built_length_m']}: error[FG084]" in refused.err
    assert "goes through panels" in refused.err
