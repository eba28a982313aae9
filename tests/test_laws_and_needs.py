"""What tests share is right itself: which cases of a law are judged, and what a test may ask of the machine."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.laws import Asked, law_cases, law_examples
from tests.needs import LEFT_OUT, MARKS, require

PYPROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))


def test_a_seeded_tenth_of_the_cases_is_judged_unless_all_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Asked, "whole", False)
    tenth = law_cases("drift", range(1000))
    assert len(tenth) == 100
    assert tenth == sorted(tenth) == law_cases("drift", range(1000))
    assert len(set(tenth) & set(law_cases("hall", range(1000)))) < 50, "laws take other tenths"
    assert len(set(law_cases("drift", range(1001))) - set(tenth)) <= 1, "a new case moves at most one other"
    assert law_cases("drift", ["alone"]) == ["alone"]
    assert law_cases("drift", []) == []
    assert [law_examples(number) for number in (1000, 20, 4)] == [100, 5, 4]
    monkeypatch.setattr(Asked, "whole", True)
    assert law_cases("drift", range(1000)) == [*range(1000)]
    assert law_examples(1000) == 1000


def test_a_test_that_may_lack_a_program_says_so_by_a_mark() -> None:
    """This one bears none; where a mark is, what is missing is a failure in CI and a skip with its reason elsewhere."""
    with pytest.raises(pytest.fail.Exception, match="mark it as one of browser, daemon, office, slow"):
        require("")


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_what_is_missing_fails_in_ci_and_is_skipped_with_its_reason_elsewhere(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="install frr"):
        require("install frr", marked=False)


def test_what_plain_pytest_leaves_out_is_what_ci_runs_after_it() -> None:
    options = PYPROJECT["tool"]["pytest"]["ini_options"]
    assert options["addopts"].endswith(f"-m '{LEFT_OUT}'")
    assert [mark.partition(":")[0] for mark in options["markers"]] == [*MARKS, "law", "tenth"]
    run = (Path(__file__).parent.parent / ".ci" / "run").read_text(encoding="utf-8")
    assert run.splitlines()[-1] == f".venv/bin/python -m pytest -m '{' or '.join(MARKS)}'"
