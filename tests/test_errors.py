"""Errors are part of the product: the whole printed text of each case in errors/, place, reason and hint.

What speaks against configurations alone does not keep lists from being written.
"""

from __future__ import annotations

from pathlib import Path

import pytest

OF_CONFIGURATIONS = ("no-port-table", "split-not-in-port-table")
CASES = sorted((Path(__file__).parent / "errors").glob("*.yaml"))


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
@pytest.mark.tenth
def test_printed_text(
    case: Path, fabricgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(case.parent)
    lists = fabricgen("wiring", case.name)
    ran = lists if lists.code else fabricgen("build", case.name, "-o", tmp_path / "built", "--only", "configs")
    assert (lists.code, ran.code) == (0 if case.stem in OF_CONFIGURATIONS else 2, 2)
    assert ran.out == ""
    expected = case.with_suffix(".txt")
    if request.config.getoption("--regenerate"):
        expected.write_text(ran.err, encoding="utf-8")
    assert ran.err == expected.read_text(encoding="utf-8")
