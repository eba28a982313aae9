"""Reports of a change: one page of text, and JSON that holds everything."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.diff.compare import Change, compare
from fabricgen.diff.inventory import Inventory
from fabricgen.diff.report import as_json, place_of, text

Facts = Callable[..., Inventory]
Changing = Callable[[str, tuple[str, ...], tuple[str, ...]], Change]

GOLDEN = Path(__file__).parent / "golden"
SPINES = ("leaf-spine", ("fabrics.compute.tiers.spine.count=2",), ("fabrics.compute.tiers.spine.count=4",))
OMIT = ("leaf-spine", (), ('omit=["p1/su-2/node-4"]',))


@pytest.mark.parametrize(("name", "case"), [("more-spines", SPINES), ("omitted-node", OMIT)])
def test_text(change: Changing, name: str, case: tuple[str, tuple[str, ...], tuple[str, ...]]) -> None:
    assert text(change(*case)) + "\n" == (GOLDEN / f"{name}.txt").read_text()


def test_json_golden(change: Changing) -> None:
    assert as_json(change(*OMIT)) == json.loads((GOLDEN / "omitted-node.json").read_text())


def test_no_change_is_said(inventory: Facts) -> None:
    same = compare(inventory("leaf-spine"), inventory("leaf-spine"))
    assert text(same) == "no differences"
    found = as_json(same)
    assert found["differences"] is False
    assert found["links"] == {"added": [], "removed": [], "changed": []}


def test_text_stays_a_page_however_large_the_change(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=4",), ("pods.p1.su=16",))
    page = text(grown).splitlines()
    sections = [line for line in page if line and not line.startswith(" ")]
    assert len(page) <= len(sections) * (8 + 3)
    assert sum(line.startswith("  ... and ") for line in page) == len(sections) - 4
    assert len(text(grown, lines=2)) < len(text(grown))


def test_what_is_left_out_is_counted(change: Changing) -> None:
    page = text(change(*SPINES), lines=4)
    for section in page.split("\n\n")[1:]:
        title, *lines = section.splitlines()
        shown = sum(line.startswith("    ") for line in lines)
        left = next((int(line.split()[2]) for line in lines if line.startswith("  ... and ")), 0)
        assert shown + left == int(title.rpartition(": ")[2])


def test_json_is_complete_and_plain(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=4",), ("pods.p1.su=5",))
    found = as_json(grown)
    assert json.loads(json.dumps(found)) == found
    for kind in ("devices", "links", "cables", "sessions"):
        counts = found["counts"][kind]
        assert all(len(found[kind][way]) == counts[way] for way in ("added", "removed", "changed"))
        said = [way for row in found[kind]["changed"] for way in row["what"]]
        assert {way: said.count(way) for way in set(said)}.items() <= counts.items()
        for row in found[kind]["changed"]:
            assert row["what"]
            assert all(row["old"][field] != row["new"][field] for field in row["new"])


@pytest.mark.parametrize(
    ("device", "place"),
    [
        ("p1-su01-n001", "p1-su01"),
        ("compute-leaf-p1-su01-r1-pl2-01", "compute-leaf-p1-su01"),
        ("oob-leaf-p1-su01-rk02-01", "oob-leaf-p1-su01"),
        ("p1-su01-rk02-nvlink-03", "p1-su01"),
        ("compute-spine-pl1-07", "compute-spine-pl1"),
        ("ufm-1", "ufm"),
        ("ufm", "ufm"),
        ("summit-2", "summit"),
    ],
)
def test_place_of_a_device(device: str, place: str) -> None:
    assert place_of(device) == place
