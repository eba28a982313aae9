"""Each entry of the rules of drift: its case is pardoned by it, its counter-case is an error."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fabricgen.kernel.nos_rooms import list_nos
from fabricgen.running.differences import MOST_RULES, DifferenceRule, DifferenceRules, Verdict, load_rule_entries
from fabricgen.running.statements import Statements, compare_statements, load_spelling
from tests.drift.snippets import files_of_snippet

NOSES = list_nos("statements")
ENTRIES = [(nos, rule) for nos in NOSES for rule in load_rule_entries(nos)]


def stated(nos: str, snippet: Any) -> Statements:
    return load_spelling(nos).read_statements(files_of_snippet(nos, snippet))


def verdicts(rules: DifferenceRules, nos: str, running: Any, planned: Any) -> list[Verdict]:
    found, wanted = stated(nos, running), stated(nos, planned)
    return [rules.judge_difference(each, found, wanted) for each in compare_statements(found, wanted)]


@pytest.mark.parametrize(("nos", "rule"), ENTRIES, ids=[f"{nos}: {' | '.join(r.path)}" for nos, r in ENTRIES])
@pytest.mark.tenth
def test_a_case_is_pardoned_and_its_counter_case_is_an_error(nos: str, rule: DifferenceRule) -> None:
    every, case = DifferenceRules(load_rule_entries(nos)), rule.case
    if rule.kind == "error":
        assert rule.why in {each.why for each in verdicts(every, nos, case.running, case.planned)}
        assert all(each.kind != "error" for each in verdicts(every, nos, case.counter, case.planned))
        return
    pardoned = verdicts(every, nos, case.running, case.planned)
    assert pardoned, "the case has no difference"
    assert {each.kind for each in pardoned} <= {"neutral", "foreign", "description"}
    if rule.kind == "secret":
        assert all(each.secret for each in verdicts(DifferenceRules([rule]), nos, case.counter, case.planned))
    else:
        assert any(
            each.kind == rule.kind for each in verdicts(DifferenceRules([rule]), nos, case.running, case.planned)
        )
    assert any(each.kind == "error" for each in verdicts(every, nos, case.counter, case.planned))


@pytest.mark.parametrize("nos", NOSES)
def test_a_nos_has_few_rules_each_with_a_reason(nos: str) -> None:
    rules = load_rule_entries(nos)
    assert len(rules) <= MOST_RULES
    assert all(rule.why and rule.source for rule in rules)
    for rule in rules:
        named = {name for step in rule.path for name in re.compile(step).groupindex}
        used = set(re.findall(r"{(\w+)}", " ".join([rule.name, *(s for given in rule.given for s in given.path)])))
        assert used <= named, f"{rule.path} names no group {sorted(used - named)}"
