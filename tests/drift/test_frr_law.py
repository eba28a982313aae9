"""The law of drift for FRR: what differs from a plan is told at its place, and another spelling of it never is.

Over each frr.conf of the examples: every line taken away, every number and word changed, and lines added that a person
may add. A run has a tenth of the faults that differ in more than numbers; `--whole` has all faults of all switches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from fabricgen.nos.frr.statements import files_of, read_statements
from fabricgen.running.differences import load_rules
from fabricgen.running.statements import Statements
from tests.drift.frr_texts import (
    ENDS,
    PARTS,
    SHAPES,
    Fault,
    example_texts,
    find_shapes,
    lines_added,
    lines_taken_away,
    one_of_each_shape,
    session_lines_denied,
    shape_text,
    spellings,
    words_changed,
)
from tests.laws import law_cases

UNSAID = (r"neighbor \S+ attribute-unchanged next-hop", r"rd [0-9.]+:[0-9]+")
"""Lines of a build that FRR itself does not print: without them nothing changes."""

FAULTS: dict[str, Callable[[str], Iterator[Fault]]] = {
    "taken away": lines_taken_away,
    "changed": words_changed,
    "added": lines_added,
    "denied": session_lines_denied,
}


def of(text: str) -> Statements:
    return read_statements({"frr.conf": text})


def told(text: str, planned: Statements) -> list[tuple[str, ...]]:
    """Paths of what is told of a text: errors, and texts for people that differ."""
    verdicts = load_rules("frr").judge(of(text), planned)
    return [each.difference.path for each in verdicts.errors + verdicts.descriptions]


def is_at(path: tuple[str, ...], fault: Fault) -> bool:
    """Whether a path names the line of a fault, with nothing in it but the line's words; below a header is at it."""
    words = {word for line in (*fault.lines, *fault.above) for word in line.split()} | {"unicast"}
    steps = [set(step.split()) <= words for step in path]
    opens = any(re.match(r"\s*(?:router|route-map|vrf|interface|address-family|vni) ?", line) for line in fault.lines)
    return all(steps) or (opens and steps[0])


def misses(text: str, kind: str, faults: list[Fault]) -> list[str]:
    """Faults that are not told at their place, and spellings that are told as faults."""
    planned = of(text)
    wrong = []
    for fault in faults:
        line = fault.lines[0]
        paths = told(fault.text, planned)
        same = kind == "taken away" and (ENDS.fullmatch(line) or any(re.fullmatch(p, line.strip()) for p in UNSAID))
        if bool(paths) == bool(same) or (paths and not any(is_at(path, fault) for path in paths)):
            wrong.append(f"{kind}: {fault.lines} in {fault.above}: told at {paths[:3]}")
    return wrong


@pytest.mark.law
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.tenth
def test_every_fault_is_told_at_its_place(name: str, kind: str) -> None:
    text = shape_text(name)
    faults = law_cases(f"faults of frr.conf, {kind}, {name}", one_of_each_shape(FAULTS[kind](text)))
    assert faults or kind == "denied"
    assert misses(text, kind, faults) == []


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_fault_of_every_switch_is_told(part: int) -> None:
    for name in law_cases("frr.conf of all examples", example_texts())[part::PARTS]:
        text = example_texts()[name]
        wrong = {kind: misses(text, kind, list(faults_of(text))) for kind, faults_of in FAULTS.items()}
        assert not any(wrong.values()), (name, wrong)


@pytest.mark.slow
def test_shapes_are_those_of_the_examples() -> None:
    assert find_shapes() == SHAPES


@pytest.mark.law
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.tenth
def test_other_spellings_are_no_drift(name: str) -> None:
    text = shape_text(name)
    planned = of(text)
    assert of(files_of(planned)["frr.conf"]) == planned
    for spelling, other in spellings(name, text):
        assert told(other, planned) == [], spelling
