"""Each seeded fault raises its code where it stands, and little else."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.lint.rule import PlanRule, load_all_rules
from tests.conftest import EXAMPLES
from tests.lint.mutants import NEIGHBOURS, Mutant, findings, grave, mutants, untouched

ENOUGH = 300
"""So many faults at least, spread over all examples and all rules."""

NO_BLUEPRINT_RAISES = {"FG310"}
"""A check of the plan itself, which tests/lint/test_plan_rules.py shows a plan that was spoilt."""


@pytest.mark.tenth
@pytest.mark.parametrize("mutant", mutants(), ids=lambda m: m.name)
def test_a_seeded_fault_is_found(mutant: Mutant, tmp_path: Path) -> None:
    found = findings(mutant.write(tmp_path), deep=mutant.deep)
    said = "\n".join(d.text() for d in found)
    known = untouched(mutant.of, deep=mutant.deep)
    new = [d for d in found if d.code == mutant.raises and (d.code, d.message) not in known]
    assert new, f"{mutant.raises} is not raised:\n{said}"
    assert any(mutant.line in _line(d.span) and mutant.says in d.message for d in new), said
    assert grave(found) - {mutant.raises} == set(mutant.also), said


@pytest.mark.tenth
@pytest.mark.parametrize("neighbour", mutants(NEIGHBOURS), ids=lambda m: m.name)
def test_what_is_near_a_fault_is_not_told(neighbour: Mutant, tmp_path: Path) -> None:
    found = findings(neighbour.write(tmp_path), deep=neighbour.deep)
    known = untouched(neighbour.of, deep=neighbour.deep)
    new = [d for d in found if (d.code, d.message) not in known]
    assert {neighbour.raises, *neighbour.also}.isdisjoint(d.code for d in new), "\n".join(d.text() for d in new)
    assert not any(d.code.startswith("FG0") for d in new), "the blueprint is refused"


def _line(span: object) -> str:
    """The line of the file that a finding points at."""
    return Path(span.file).read_text(encoding="utf-8").splitlines()[span.line - 1]


def test_faults_are_many_and_everywhere() -> None:
    assert len(mutants()) >= ENOUGH
    assert {m.of for m in mutants()} == set(EXAMPLES)


@pytest.mark.parametrize("rule", load_all_rules(), ids=lambda r: r.id)
def test_every_rule_is_raised_by_a_fault(rule) -> None:
    raised = [m for m in mutants() if m.raises == rule.id]
    assert len(raised) >= 2 or rule.id in NO_BLUEPRINT_RAISES
    assert all(m.deep for m in raised) == isinstance(rule, PlanRule) or not raised
