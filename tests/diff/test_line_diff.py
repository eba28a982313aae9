"""Diffs of configurations: as difflib writes them, whatever is set aside or remembered."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from fabricgen.diff import configs
from fabricgen.diff.configs import write_unified_diff

LINES = st.text("abc-", max_size=10).map(list)


@given(LINES, LINES, st.integers(0, 9), st.integers(0, 9))
def test_a_diff_of_short_files_turns_one_into_the_other(old: list[str], new: list[str], head: int, tail: int) -> None:
    was, now = (["a"] * head + lines + ["b"] * tail for lines in (old, new))
    found = write_unified_diff(was, now, "leaf-01/frr.conf")
    assert bool(found) == (was != now)
    assert found[:2] == (["--- old/leaf-01/frr.conf", "+++ new/leaf-01/frr.conf"] if found else [])
    assert _applied(was, found[2:]) == now


def _applied(lines: list[str], diff: list[str]) -> list[str]:
    """A unified diff applied to a file, its places and context checked."""
    made: list[str] = []
    at = 0
    for line in diff:
        if line.startswith("@@"):
            first, _, count = line.split()[1].removeprefix("-").partition(",")
            start = int(first) - (count != "0")
            made, at = made + lines[at:start], start
        elif line.startswith("+"):
            made.append(line[1:])
        else:
            assert lines[at] == line[1:]
            made += [line[1:]] * line.startswith(" ")
            at += 1
    return made + lines[at:]


def test_a_diff_is_what_difflib_writes() -> None:
    old = ["same"] * 3 + [f"neighbor 10.0.0.{i}" for i in range(30)] + ["end"]
    new = ["same"] * 3 + ["new", *old[3:9], *old[12:25], "other", "", *old[25:]]
    assert write_unified_diff(old, new, "x") == list(difflib.unified_diff(old, new, "old/x", "new/x", lineterm=""))


def test_files_that_differ_alike_are_compared_once() -> None:
    configs._find_hunks.cache_clear()
    found = [
        write_unified_diff([f"{name} 1", "b"], [f"{name} 1", "a", f"{name} 2"], name) for name in ("leaf-01", "leaf-02")
    ]
    assert [line.replace("leaf-02", "leaf-01") for line in found[1]] == found[0]
    assert configs._find_hunks.cache_info().misses == 1
