"""The law of drift for EOS: every line taken away, and every number and word of it changed, is told at its place.

Judged section by section: what a section states does not depend on the others, as the first test holds. Sections that
differ in numbers and descriptions alone are judged once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from fabricgen.nos.eos.statements import files_of, read_statements
from fabricgen.running.differences import load_rules
from fabricgen.running.statements import Statements
from tests.conftest import Ran
from tests.laws import law_cases, law_examples
from tests.parity.test_exit_parity import EOS as EXITS_EOS
from tests.render.rendered import (
    ALL_EOS,
    BARE,
    BFD,
    BRIDGED,
    BY_HAND,
    DUAL,
    EVPN_EOS,
    EVPN_PAIRS,
    LEAKS,
    MANAGED,
    ONE_NUMBER,
    PER_RACK,
    RADIUS,
    RAILS,
    STATIC,
    TUNED,
    UNNUMBERED,
    V6,
)
from tests.render.rendered import files_of as rendered

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((name, ()) for name in ("dual-stack", "dual-tor", "mi300x-roce", "modular-spine", "nic-modes", "rail-groups")),
    *((name, ()) for name in ("superpod-b300", "tenants", "two-site")),
    *(("leaf-spine", (*ALL_EOS, *sets)) for sets in ((), MANAGED, RADIUS, TUNED, BY_HAND, UNNUMBERED, STATIC, BARE)),
    *(("leaf-spine", (*ALL_EOS, *sets)) for sets in (BRIDGED, DUAL, V6, RAILS, PER_RACK, ONE_NUMBER, BFD)),
    *(("leaf-spine", (*ALL_EOS, *sets)) for sets in ((*DUAL, *LEAKS), (*UNNUMBERED, *DUAL, *BRIDGED))),
    ("evpn-guests", EVPN_EOS),
    ("evpn-guests", EVPN_PAIRS),
    ("two-exits", EXITS_EOS),
)
"""Every example with EOS in it, and the smallest with everything that EOS is told."""

DEFAULTS = (
    r"interface \S+ +no shutdown",
    r"interface \S+ +switchport mode access",
    r"qos profile \S+ (uc-)?tx-queue \d +priority strict",
    r"qos map dscp (0 1 2 3 4 5 6 7 to traffic-class 1|26 to traffic-class 3|48 to traffic-class 6)( -> \d+)?",
    r"qos map traffic-class (\d) to tx-queue \1",
    r"logging trap informational",
    r"router bfd interval 300 min-rx 300 multiplier 3 default",
    r"management api gnmi transport grpc \S+ port 6030",
)
"""Lines that say what EOS does without them, and leaves out of what it shows: taken away they are no drift."""

LEAF = "compute-leaf-p1-su01-r1-01"
SECRET = re.compile(r"<env:\w+>")


class Change(NamedTuple):
    """A section with a line left out, or a number or word of it changed, and that line with those above it."""

    line: str
    text: str


def sections_of(text: str) -> list[str]:
    """The sections of a configuration, without comments; banners are left out: they have no words of EOS."""
    text = re.sub(r"^banner \S+\n.*?^EOF\n", "", text, flags=re.M | re.S)
    lines = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("!") and line != "end"]
    return re.findall(r"^\S.*\n(?: .*\n)*", "".join(f"{line}\n" for line in lines), flags=re.M)


@cache
def sections() -> tuple[str, ...]:
    """Sections of the examples that are asked for, one of each shape."""
    distinct: dict[str, str] = {}
    for name, sets in law_cases("examples of EOS", EXAMPLES):
        for path, text in rendered(name, *sets).items():
            for section in sections_of(text) if path.endswith(".cfg") and "\nhostname " in text else ():
                distinct.setdefault(re.sub(r"description .*|\d+", "#", section), section)
        rendered.cache_clear()
    return tuple(law_cases("sections of EOS", sorted(distinct.values())))


def changes(section: str) -> Iterator[Change]:
    lines = section.splitlines()
    for at, line in enumerate(lines):
        indent = line[: len(line) - len(line.lstrip())]
        above = [up for n, up in enumerate(lines[:at]) if is_above(lines[n:at], indent)]
        where = re.sub(" +", " ", " ".join([*above, line]))
        yield Change(where, "\n".join(lines[:at] + lines[at + 1 :]))
        words = line.split()
        for number, word in enumerate(words):
            for other in changed(word):
                new = indent + " ".join([*words[:number], other, *words[number + 1 :]])
                yield Change(f"{where} -> {other}", "\n".join([*lines[:at], new, *lines[at + 1 :]]))


def is_above(lines: list[str], indent: str) -> bool:
    """Whether the first of some lines is a section that what follows them, so far in, stands in."""
    depth = [len(line) - len(line.lstrip()) for line in lines]
    return depth[0] < len(indent) and all(depth[0] < other for other in depth[1:])


def changed(word: str) -> Iterator[str]:
    """A word with each of its numbers raised, and with a letter more; a reference to a secret stands for any."""
    if not SECRET.fullmatch(word):
        for match in re.finditer(r"\d+", word):
            yield f"{word[: match.start()]}{int(match[0]) + 1}{word[match.end() :]}"
        if re.search("[A-Za-z]", word):
            yield f"{word}x"


def of(text: str) -> Statements:
    return read_statements({"switch.cfg": text})


def not_told(section: str) -> list[str]:
    """Changes of a section of which neither an error nor a description is told."""
    planned, rules = of(section), load_rules("eos")
    silent = []
    for change in changes(section):
        verdicts = rules.judge(of(change.text), planned)
        if not verdicts.errors and not verdicts.descriptions:
            silent.append(change.line)
    return silent


@pytest.mark.law
@pytest.mark.slow
def test_a_sample_of_changes_is_told_by_the_command(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    built, folder = tmp_path / "built", tmp_path / "running" / LEAF
    sets = [word for value in ALL_EOS for word in ("--set", value)]
    fabricgen("build", "blueprints/leaf-spine.yaml", "-o", built, "--only", "configs", *sets)
    sections = sections_of((built / "configs" / LEAF / f"{LEAF}.cfg").read_text())
    every = [(at, change) for at, section in enumerate(sections) for change in changes(section)]
    folder.mkdir(parents=True)
    for at, change in Random(52).sample(every, law_examples(200)):
        (folder / "show_run.txt").write_text("".join([*sections[:at], f"{change.text}\n", *sections[at + 1 :]]))
        ran = fabricgen("check", "--running", tmp_path / "running", built)
        is_text = " description " in change.line and not change.line.endswith("-> descriptionx")
        assert ran.code == (0 if is_text or is_default(change.line) else 1), change.line
        assert is_default(change.line) or f"{LEAF}: {'info' if is_text else 'error'}: " in ran.out, change.line


def is_default(line: str) -> bool:
    return any(re.fullmatch(pattern, line) for pattern in DEFAULTS)


def test_sections_state_what_they_state_together() -> None:
    """So that a section can be judged alone."""
    for text in rendered("leaf-spine", *ALL_EOS, *DUAL, *LEAKS).values():
        if "\nrouter bgp" in text:
            alone = [of(section) for section in sections_of(text)]
            assert {path: value for stated in alone for path, value in stated.items()} == of(text)
            assert of(files_of(of(text))["switch.cfg"]) == of(text)


def test_what_is_changed_on_a_leaf_is_told() -> None:
    text = rendered("leaf-spine", *ALL_EOS)[f"configs/{LEAF}/{LEAF}.cfg"]
    ports = [section for section in sections_of(text) if section.startswith("interface ")]
    short = [section for section in sections_of(text) if section not in ports[1:-1] and section.count("\n") < 20]
    silent = [line for section in short for line in not_told(section)]
    assert [line for line in silent if not is_default(line)] == []
    assert len(silent) < 20


@pytest.mark.law
@pytest.mark.slow
def test_every_line_taken_away_and_every_word_changed_is_told() -> None:
    silent = [line for section in sections() for line in not_told(section)]
    assert [line for line in silent if not is_default(line)] == []
