"""Reports of a change: a page of text, Markdown that nothing can break out of, and JSON that holds everything."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.diff.compare import ClusterChange, Side, compare_sides
from fabricgen.diff.fail_on import WORDS, matches_any, parse_fail_on
from fabricgen.diff.reports import json as json_report
from fabricgen.diff.reports import markdown, text
from fabricgen.diff.reports.json import make_json
from fabricgen.diff.reports.markdown import MOST, escape_markdown
from fabricgen.kernel.diagnostics import InputError
from tests.diff.conftest import changed, side_of

Changing = Callable[[str, tuple[str, ...], tuple[str, ...]], ClusterChange]

SPINES = "fabrics.compute.tiers.spine.count"
OMIT = ("leaf-spine", (), ('omit=["p1/su-2/node-4"]',))
GROWN = ("superpod-b300", ("pods.p1.su=4",), ("pods.p1.su=5",))


WRITERS: dict[str, Callable[[ClusterChange], str]] = {
    "txt": lambda change: text.report(change) + "\n",
    "md": markdown.report,
    "json": lambda change: json_report.report(change) + "\n",
}


@pytest.mark.parametrize("form", WRITERS)
def test_golden(change: Changing, form: str, request: pytest.FixtureRequest) -> None:
    file = Path(__file__).parent / "golden" / f"omitted-node.{form}"
    written = WRITERS[form](change(*OMIT))
    if request.config.getoption("--regenerate"):
        file.write_text(written, encoding="utf-8")
    assert written == file.read_text(encoding="utf-8")


def test_no_change_is_said(change: Changing) -> None:
    same = change("leaf-spine", (), ())
    assert text.report(same) == "no differences"
    assert markdown.report(same) == "**No differences.**\n"
    found = make_json(same)
    assert found["differences"] is False
    assert found["links"] == {"added": [], "removed": [], "changed": []}


def test_text_is_capped_and_counts_what_it_leaves_out(change: Changing) -> None:
    grown = change(*GROWN)
    page, whole = text.report(grown).splitlines(), text.report(grown, every=True).splitlines()
    assert len(page) < 150 < len(whole)
    head = page[: page.index("p1 su 1: " + page[next(i for i, x in enumerate(page) if x.startswith("p1 su 1"))][9:])]
    assert len(head) <= 50
    shown = 0
    for line in page:
        if line.startswith("  rack "):
            shown = 0
        elif line.startswith("    … and "):
            rack_total = shown + int(line.split()[2].replace(",", ""))
            assert rack_total > shown == 6
        elif line.startswith("    "):
            shown += 1
    assert "…" not in "\n".join(whole)
    listed = [line for line in whole if line.startswith("    ")]
    told = sum(len(grown.deltas[kind]) for kind in ("devices", "cables", "optics", "addresses", "sessions"))
    assert len(listed) == told


def test_rows_are_grouped_by_unit_and_rack(change: Changing) -> None:
    page = text.report(change("leaf-spine", (), ("pods.p1.su=3",)), every=True).splitlines()
    units = [line.split(":")[0] for line in page if re.match(r"(p1 su|shared)", line)]
    assert units == ["p1 su 3", "shared"]
    racks = [line.split(":")[0].strip() for line in page if line.startswith("  rack ")]
    assert racks == ["rack p1-su03-net01", "rack p1-su03-rk01", "rack net-compute-spine-01"]


@pytest.mark.slow
def test_markdown_fits_a_comment_unless_all_is_asked_for(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=4",), ("pods.p1.su=16",))
    page = markdown.report(grown)
    assert len(page) < MOST + 5000 < 65536
    assert page.count("<details>") == page.count("</details>") > 3
    assert page.startswith("### superpod-b300 -> superpod-b300\n\n| | |\n|---|---|\n| devices | ")
    assert len(markdown.report(grown, every=True)) > len(page)


HOSTILE = "x`` ``` \n\n</details><script>|@team [a](http://b) *c* _d_ # www.e.fr \x1b[31m"


def test_hostile_names_stay_text(change: Changing) -> None:
    lists = side_of("leaf-spine").lists
    bad = changed(lists, "devices", 0, rack=HOSTILE, model=HOSTILE)
    bad = replace(bad, bom=None)
    found = compare_sides(Side(HOSTILE, lists), Side("new", bad))
    for page in (markdown.report(found), text.report(found)):
        assert "\x1b" not in page
    page = markdown.report(found)
    fences = [line for line in page.splitlines() if line.startswith("```")]
    assert len(fences) % 2 == 0
    assert all(fence.startswith("````") for fence in fences)
    outside = "\n".join(part for i, part in enumerate(re.split(r"\n````.*", page)) if i % 2 == 0)
    for sign in ("<script", "@team", "](", "http://", "www.e", "| @", "``"):
        assert sign not in outside
    assert outside.count("</details>") == outside.count("<details>")
    assert text.report(found).count("\n") == len(text.report(found).splitlines()) - 1
    assert json.loads(json.dumps(make_json(found)))["devices"]["changed"][0]["new"]["model"] == HOSTILE


def test_escaping_keeps_plain_words_readable() -> None:
    assert escape_markdown("compute spine: 2 -> 4 (stated), 1.5 m") == "compute spine: 2 -> 4 (stated), 1.5 m"
    assert escape_markdown("> a") == "&#62; a"
    assert escape_markdown("1. a") == "1. a"
    assert escape_markdown("a@b") == "a&#64;&#8288;b"


@pytest.mark.slow
def test_json_is_complete_and_plain(change: Changing) -> None:
    grown = change(*GROWN)
    found = make_json(grown)
    assert json.loads(json.dumps(found)) == found
    for kind in ("devices", "cables", "optics", "links", "addresses", "sessions"):
        counts = found["counts"][kind]
        assert all(len(found[kind][way]) == counts[way] for way in ("added", "removed", "changed"))
        said = [way for row in found[kind]["changed"] for way in row["what"]]
        assert {way: said.count(way) for way in set(said)}.items() <= counts.items()
        for row in found[kind]["changed"]:
            assert row["what"]
            assert row["old"].keys() == row["new"].keys()
            assert all(row["old"][field] != row["new"][field] for field in row["new"])
    assert found["devices"]["added"][0]["place"].keys() == {"pod", "su", "rack"}
    moved = next(row for row in found["cables"]["changed"] if "moved" in row["what"])
    assert moved["new"]["ends"][0].keys() == {"a_device", "a_cage", "b_device", "b_cage"}
    spine = next(row for row in found["spare_ports"] if row["tier"] == "spine" and row["fabric"] == "compute")
    assert spine["old"] == {"ports": 128, "free_on_fullest": 0, "free": 0, "unnumbered": 0}
    assert spine["new"] == {"ports": 128, "free_on_fullest": 48, "free": 3072, "unnumbered": 48}


RESERVED = "pods.p1.reserve=4"


@pytest.mark.parametrize(
    ("case", "happens"),
    [
        (("leaf-spine", (), ()), ""),
        (OMIT, "any removed-device"),
        (("leaf-spine", (RESERVED,), (RESERVED, "pods.p1.su=3")), "any added-device added-cable"),
        (("leaf-spine", (), ("pools.loopback=10.99.0.0/24",)), "any renumbered session-flap"),
        (GROWN, "any added-device moved-device added-cable moved-cable replaced-cable session-flap"),
        (
            ("leaf-spine", (f"{SPINES}=4",), (f"{SPINES}=2",)),
            "any removed-device moved-cable session-flap",
        ),
    ],
)
def test_fail_on(change: Changing, case: tuple[str, tuple[str, ...], tuple[str, ...]], happens: str) -> None:
    found = change(*case)
    assert [word for word in WORDS if matches_any(found, (word,))] == happens.split()


def test_fail_on_knows_its_words() -> None:
    assert parse_fail_on("moved-cable, renumbered,session-flap") == ("moved-cable", "renumbered", "session-flap")
    with pytest.raises(InputError, match="did you mean 'moved-cable'"):
        parse_fail_on("moved-cables")
    with pytest.raises(InputError, match="FG046"):
        parse_fail_on(",")
