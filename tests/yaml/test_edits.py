"""Edits of YAML text: the data changes as meant, and every other character stays."""

from __future__ import annotations

import pytest

from fabricgen.kernel.diagnostics import Edit, Path
from fabricgen.yaml.edits import UncertainEditError, apply_replacements, apply_to_data, list_replacements
from fabricgen.yaml.located import parse_located

BLOCK = """\
# a head
first: 1
list:       # of two
  - a: 1
    # inside
    b: {x: 1, z: [1, 2]}   # end of b
  - a: 2

# of the last
last:
  deep: "text"  # says
"""
FLOW = "{a: 1, b: {x: 1,   # of x\n  z: 2}, c: [1, 2, 3]}\n"

CASES: list[tuple[str, Edit, str]] = [
    (BLOCK, Edit("remove", ("first",)), BLOCK.replace("first: 1\n", "")),
    (BLOCK, Edit("remove", ("list", 0, "b")), BLOCK.replace("    b: {x: 1, z: [1, 2]}   # end of b\n", "")),
    (BLOCK, Edit("remove", ("list", 0, "b", "x")), BLOCK.replace("x: 1, ", "")),
    (BLOCK, Edit("remove", ("list", 0, "b", "z")), BLOCK.replace(", z: [1, 2]", "")),
    (BLOCK, Edit("remove", ("list", 0, "b", "z", 0)), BLOCK.replace("[1, 2]", "[2]")),
    (BLOCK, Edit("remove", ("list", 0, "b", "z", 1)), BLOCK.replace("[1, 2]", "[1]")),
    (BLOCK, Edit("remove", ("list", 1)), BLOCK.replace("  - a: 2\n", "")),
    (BLOCK, Edit("remove", ("list", 1, "a")), BLOCK.replace("  - a: 2\n", "")),
    (BLOCK, Edit("remove", ("list",)), BLOCK[: BLOCK.index("list")] + BLOCK[BLOCK.index("\n# of the last") :]),
    (BLOCK, Edit("remove", ("last", "deep")), BLOCK[: BLOCK.index("last:\n")]),
    (BLOCK, Edit("rename", ("last", "deep"), "deeper"), BLOCK.replace("deep:", "deeper:")),
    (BLOCK, Edit("rename", ("list", 0, "b", "x"), "w"), BLOCK.replace("x: 1", "w: 1")),
    (BLOCK, Edit("set", ("last", "deep"), "[1]"), BLOCK.replace('"text"', "[1]")),
    (BLOCK, Edit("set", ("list", 0, "b", "z"), "3"), BLOCK.replace("[1, 2]", "3")),
    (BLOCK, Edit("insert", ("version",), "1"), BLOCK.replace("first", "version: 1\nfirst")),
    (BLOCK, Edit("insert", ("last", "m"), "1"), BLOCK.replace("  deep", "  m: 1\n  deep")),
    (BLOCK, Edit("insert", ("list", 0, "b", "m"), "1"), BLOCK.replace("{x", "{m: 1, x")),
    (FLOW, Edit("remove", ("b", "x")), "{a: 1, b: {   # of x\n  z: 2}, c: [1, 2, 3]}\n"),
    (FLOW, Edit("remove", ("b", "z")), "{a: 1, b: {x: 1,   # of x\n  }, c: [1, 2, 3]}\n"),
    (FLOW, Edit("remove", ("c",)), "{a: 1, b: {x: 1,   # of x\n  z: 2}}\n"),
    ("a: 1\r\nb: 2\r\nc: 3", Edit("remove", ("b",)), "a: 1\r\nc: 3"),
    ("a: 1\nb:\nc: 3\n", Edit("remove", ("b",)), "a: 1\nc: 3\n"),
    ("a: 1\nb: >\n  long\n  text\n", Edit("remove", ("b",)), "a: 1\n"),
]


def changed(text: str, *edits: Edit) -> str:
    return apply_replacements({"f": text}, list_replacements(parse_located(text, "f"), {"f": text}, edits))["f"]


def test_every_edit_leaves_the_rest_of_the_text() -> None:
    for text, edit, meant in CASES:
        result = changed(text, edit)
        assert result == meant, edit
        assert parse_located(result, "f").data == apply_to_data(parse_located(text, "f").data, [edit]), edit


def test_edits_of_one_text_are_made_together() -> None:
    gone: list[Path] = [("list", 0, "b", "z", 0), ("list", 0, "a"), ("last",), ("list", 1)]
    text = BLOCK.replace("  - a: 1\n    # inside\n    b", "  -\n    a: 1\n    b")
    edits = [Edit("remove", path) for path in gone]
    assert parse_located(changed(text, *edits), "f").data == {"first": 1, "list": [{"b": {"x": 1, "z": [2]}}]}
    assert apply_to_data(parse_located(text, "f").data, edits) == {"first": 1, "list": [{"b": {"x": 1, "z": [2]}}]}


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("a: &x {b: 1, c: 2}\nd: *x\n", Edit("remove", ("d", "b"))),
        ("a: &x 1\nd: {e: *x, f: 2}\n", Edit("set", ("d", "e"), "2")),
        ("a: &x 1\nd: {e: *x, f: 2}\n", Edit("remove", ("d", "e"))),
        ("- a: 1\n  b: 2\n", Edit("remove", (0, "a"))),
        ("a:\n  b: 1\n", Edit("set", ("a",), "2")),
    ],
)
def test_what_would_change_something_else_is_refused(text: str, edit: Edit) -> None:
    with pytest.raises(UncertainEditError):
        changed(text, edit)
