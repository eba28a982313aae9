"""Errors are part of the product: the whole printed text of each case in errors/, place, reason and hint."""

from __future__ import annotations

from pathlib import Path

import pytest

CASES = sorted((Path(__file__).parent / "errors").glob("*.yaml"))


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_printed_text(case: Path, fabricgen, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.chdir(case.parent)
    ran = fabricgen("wiring", case.name)
    assert ran.code == 2
    assert ran.out == ""
    expected = case.with_suffix(".txt")
    if request.config.getoption("--regenerate"):
        expected.write_text(ran.err, encoding="utf-8")
    assert ran.err == expected.read_text(encoding="utf-8")
