"""The law of drift for Junos: every statement taken away, and every number and word changed, is told at its place.

Judged block by block: what a block states does not depend on the others, as the first test holds. Blocks that differ in
numbers and descriptions alone are judged once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from fabricgen.nos.junos.reading.text import read_lines
from fabricgen.nos.junos.statements import FILE, files_of, read_statements
from fabricgen.running.differences import load_rules
from fabricgen.running.statements import Statements
from tests.conftest import Ran
from tests.laws import law_cases, law_examples
from tests.parity.asked import MANAGED, RADIUS
from tests.parity.test_exit_parity import GUESTS_ON, IN_VRF, KINDS
from tests.parity.test_host_parity import CASES
from tests.render.rendered import (
    BARE,
    BFD,
    BRIDGED,
    DUAL,
    EVPN_JUNOS,
    EXITS_JUNOS,
    JUNOS,
    ONE_NUMBER,
    RAILS,
    TUNED,
    UNNUMBERED,
    V6,
)
from tests.render.rendered import files_of as rendered

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    *(("leaf-spine", (*JUNOS, *sets)) for sets in ((), MANAGED, RADIUS, TUNED, BARE, BFD, BRIDGED, DUAL, V6, RAILS)),
    *(("leaf-spine", (*JUNOS, *sets)) for sets in (ONE_NUMBER, (*DUAL, *UNNUMBERED), ("routing.load_balance=spray",))),
    ("evpn-guests", (*EVPN_JUNOS, *DUAL)),
    *(("two-exits", (*EXITS_JUNOS, *KINDS[kind])) for kind in ("static", "between-loopbacks", "drained-backup")),
    ("evpn-guests", (*GUESTS_ON["junos"], *DUAL, *IN_VRF["of-tenants-over-evpn"])),
    *(
        CASES[case]
        for case in ("junos-relay", "junos-relay-over-evpn", "junos-segment-relay", "junos-bonds", "junos-advertising")
    ),
)

LEAF = "compute-leaf-p1-su01-r1-01"
SECRET = re.compile(r"<env:\w+>")


class Change(NamedTuple):
    """A block with a line and what is below it left out, or a word of it changed, and the line with those above it."""

    line: str
    text: str


def blocks_of(text: str) -> list[str]:
    """Each block or line of a stanza, in a stanza of its own."""
    found = []
    for stanza, below in re.findall(r"^([\w-]+) \{\n((?: .*\n)*)\}\n", text, re.M):
        for block in re.findall(r"^ {4}\S.*[^{]\n|^ {4}\S.*\{\n(?: {5}.*\n)* {4}\}\n", below, re.M):
            found.append(f"{stanza} {{\n{block}}}\n")
    return found


@cache
def blocks() -> tuple[str, ...]:
    """Blocks of the examples that are asked for, one of each shape."""
    distinct: dict[str, str] = {}
    for name, sets in law_cases("examples of Junos", EXAMPLES):
        for path, text in rendered(name, *sets).items():
            for block in blocks_of(text) if path.endswith(FILE) else ():
                distinct.setdefault(re.sub(r"description .*|\d+", "#", block), block)
        rendered.cache_clear()
    return tuple(law_cases("blocks of Junos", sorted(distinct.values())))


def changes(block: str) -> Iterator[Change]:
    lines = block.splitlines()
    above: list[str] = []
    for at, line in enumerate(lines):
        if line.strip() == "}":
            above.pop()
            continue
        where = " ".join([*above, line.strip().rstrip("{; ")])
        if above:
            closed = "    " * len(above) + "}"
            end = lines.index(closed, at) if line.endswith("{") else at
            yield Change(where, "\n".join(lines[:at] + lines[end + 1 :]))
        words = re.findall(r'"[^"]*"|\S+', line)
        for number, word in enumerate(words):
            for other in changed(word):
                new = "    " * len(above) + " ".join([*words[:number], other, *words[number + 1 :]])
                yield Change(f"{where} -> {other}", "\n".join([*lines[:at], new, *lines[at + 1 :]]))
        if line.endswith("{"):
            above.append(line.strip(" {"))


def changed(word: str) -> Iterator[str]:
    """A word with each of its numbers raised, and with a letter more; a reference to a secret stands for any."""
    if not SECRET.search(word):
        for match in re.finditer(r"\d+", word):
            yield f"{word[: match.start()]}{int(match[0]) + 1}{word[match.end() :]}"
        if re.search("[A-Za-z]", word):
            body, end = re.fullmatch(r'(.*?)("?;?)', word).groups()
            yield f"{body}x{end}"


def of(text: str) -> Statements:
    return read_statements({FILE: text})


def not_told(block: str) -> list[str]:
    """Changes of a block of which neither an error nor a description is told."""
    planned, rules = of(block), load_rules("junos")
    silent = []
    for change in changes(block):
        verdicts = rules.judge(of(change.text), planned)
        if not verdicts.errors and not verdicts.descriptions:
            silent.append(change.line)
    return silent


def is_neutral(line: str) -> bool:
    """What carries nothing, and may be left out."""
    return re.fullmatch(r"protocols bgp log-updown", line) is not None


@pytest.mark.law
@pytest.mark.slow
def test_a_sample_of_changes_is_told_by_the_command(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    built, folder = tmp_path / "built", tmp_path / "running" / LEAF
    sets = [word for value in JUNOS for word in ("--set", value)]
    fabricgen("build", "blueprints/leaf-spine.yaml", "-o", built, "--only", "configs", *sets)
    found = blocks_of((built / "configs" / LEAF / FILE).read_text())
    every = [(at, change) for at, block in enumerate(found) for change in changes(block)]
    folder.mkdir(parents=True)
    for at, change in Random(55).sample(every, law_examples(100)):
        (folder / "show_configuration.txt").write_text("".join([*found[:at], f"{change.text}\n", *found[at + 1 :]]))
        ran = fabricgen("check", "--running", tmp_path / "running", built)
        is_text = " description " in change.line and not change.line.endswith("-> descriptionx")
        assert ran.code == (0 if is_text or is_neutral(change.line) else 1), change.line
        assert is_neutral(change.line) or f"{LEAF}: {'info' if is_text else 'error'}: " in ran.out, change.line


@pytest.mark.slow
def test_blocks_state_what_they_state_together() -> None:
    """So that a block can be judged alone, and a statement a line says the same as braces."""
    for sets in ((), MANAGED, (*DUAL, *BRIDGED)):
        for path, text in rendered("leaf-spine", *JUNOS, *sets).items():
            if path.endswith(FILE):
                alone = [of(block) for block in blocks_of(text)]
                assert {path: value for stated in alone for path, value in stated.items()} == of(text)
                assert of(files_of(of(text))[FILE]) == of(text)
                as_set = "".join(f"set {line}\n" for line in files_of(of(text))[FILE].replace(";\n", "\n").splitlines())
                assert read_lines(as_set) == read_lines(files_of(of(text))[FILE])


def test_what_is_changed_on_a_leaf_is_told() -> None:
    text = rendered("leaf-spine", *JUNOS)[f"configs/{LEAF}/{FILE}"]
    distinct = {re.sub(r"description .*|\d+", "#", block): block for block in blocks_of(text)}
    silent = [line for block in distinct.values() if block.count("\n") < 20 for line in not_told(block)]
    assert [line for line in silent if not is_neutral(line)] == []


@pytest.mark.law
@pytest.mark.slow
def test_every_statement_taken_away_and_every_word_changed_is_told() -> None:
    silent = [line for block in blocks() for line in not_told(block)]
    assert [line for line in silent if not is_neutral(line)] == []
