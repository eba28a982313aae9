"""The table of statements is kept: nothing grows unsaid, and the tool that writes it finds what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.statements import ALL, Allowance, count_statements, find_faults, read_table, update_table, write_table

TABLE = {"bom": Allowance(10, 10), "lab": Allowance(20, 23, "waits for routes"), ALL: Allowance(30, 40, "an issue")}


def test_no_room_has_more_statements_than_the_table_allows() -> None:
    assert find_faults(read_table(), count_statements()) == [], "run `python -m tools.statements`"


@pytest.mark.parametrize(
    ("table", "counts", "faults"),
    [
        (TABLE, {"bom": 10, "lab": 23}, []),
        (TABLE, {"bom": 9, "lab": 3}, []),
        (TABLE, {"bom": 11, "lab": 3}, ["bom: 11 statements, and the table allows 10"]),
        (TABLE, {"bom": 1, "lab": 3, "new": 1}, ["new: not in the table"]),
        (TABLE, {"bom": 1}, ["lab: no such room"]),
        (TABLE | {"lab": Allowance(20, 23)}, {"bom": 1, "lab": 3}, ["lab: may grow by 3 statements: say why"]),
        (
            TABLE | {"bom": Allowance(10, 20, "all of it")},
            {"bom": 20, "lab": 23},
            [
                f"{ALL}: 43 statements, and the table allows 40",
                f"{ALL}: rooms may have 43 statements, and all of them 40",
            ],
        ),
        (TABLE | {"bom": Allowance(9, 9)}, {"bom": 1, "lab": 3}, [f"{ALL}: rooms had 29 statements before, not 30"]),
    ],
)
def test_what_the_table_does_not_allow_is_told(
    table: dict[str, Allowance], counts: dict[str, int], faults: list[str]
) -> None:
    assert find_faults(table, counts) == faults


def test_an_update_keeps_reasons_and_an_issue_begins_without_any(tmp_path: Path) -> None:
    counts = {"bom": 12, "lab": 21}
    updated = update_table(TABLE, counts)
    assert updated == {
        "bom": Allowance(10, 12),
        "lab": Allowance(20, 21, "waits for routes"),
        ALL: Allowance(30, 40, "an issue"),
    }
    assert find_faults(updated, counts) == ["bom: may grow by 2 statements: say why"]
    write_table(updated, tmp_path / "table.yaml")
    assert read_table(tmp_path / "table.yaml") == updated
    begun = update_table(TABLE, counts, begin=True)
    assert begun == {"bom": Allowance(12, 12), "lab": Allowance(21, 21), ALL: Allowance(33, 33)}


def test_statements_are_counted_by_folder_and_module(tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    write(
        "lab/deep/start.py",
        "# a comment\ndef start(\n    folder,\n):\n    if folder:\n        return 1\n    return 2\n",
    )
    write("lab/stop.py", '"""A docstring,\n\nof some lines."""\n')
    write("api.py", "a = 1; b = 2\n")
    assert count_statements(tmp_path) == {"api.py": 2, "lab": 4}
