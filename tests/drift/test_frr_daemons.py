"""FRR itself on what is drift: its daemons print what they were given, and frr-reload.py reads both texts.

Neither imports anything of fabricgen. What a daemon prints of a build's frr.conf, or of another spelling of it, is no
drift; what frr-reload.py would add or delete are the differences of the statements, line by line; and what a line
changes in what a daemon prints is told.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.lab import machine
from fabricgen.running.differences import load_rules
from fabricgen.running.statements import compare_statements
from tests.conftest import require
from tests.drift.frr_daemons import Daemons, frr_daemons
from tests.drift.frr_texts import (
    PARTS,
    SHAPES,
    Fault,
    example_texts,
    lines_added,
    session_lines_denied,
    shape_text,
    spellings,
)
from tests.drift.test_frr_law import is_at, of
from tests.laws import law_cases
from tests.render.frr_lab import short_folder

RELOAD = Path("/usr/lib/frr/frr-reload.py")

NOT_FOR_FRR = {"AS numbers in dots", "what is nobody's of the plan", "in another order"}
"""Spellings that FRR 8.4, which Debian has, does not take: those of later versions, and members before their group."""

pytestmark = [pytest.mark.daemon, pytest.mark.law]


@contextlib.contextmanager
def switch(text: str) -> Iterator[Daemons]:
    """Daemons of the switch that a configuration calls itself."""
    require(machine.explain_lack())
    with short_folder() as folder, frr_daemons(folder, hostname(text)) as daemons:
        yield daemons


def hostname(text: str) -> str:
    found = re.search(r"^hostname (\S+)", text, re.M)
    assert found
    return found[1]


def drift(running: str, planned: str) -> list[tuple[str, ...]]:
    verdicts = load_rules("frr").judge(of(running), of(planned))
    return [each.difference.path for each in verdicts.errors + verdicts.descriptions]


@pytest.mark.parametrize("part", range(PARTS))
def test_what_frr_writes_back_is_no_drift(tmp_path: Path, part: int) -> None:
    require("" if RELOAD.exists() else "needs frr-reload.py: `apt-get install frr-pythontools`")
    for name in law_cases("frr.conf written back", example_texts())[part::PARTS]:
        text = example_texts()[name]
        with switch(text) as daemons:
            daemons.load(text)
            shown = daemons.show()
        assert drift(shown, text) == [], name
        differences = [each.path for each in compare_statements(of(shown), of(text)) if each.path != ("frr version",)]
        lines = reload_lines(tmp_path, shown, text)
        assert [fault for fault in lines if not any(is_at(path, fault) for path in differences)] == [], name
        assert [path for path in differences if not any(is_at(path, fault) for fault in lines)] == [], name


def reload_lines(folder: Path, running: str, planned: str) -> list[Fault]:
    """What frr-reload.py would delete and add, with the lines of the sections above."""
    files = [folder / "running.conf", folder / "planned.conf"]
    head = re.compile(r"(?:Building configuration\.\.\.|Current configuration:)?")
    files[0].write_text("\n".join(line for line in running.splitlines() if not head.fullmatch(line)) + "\n")
    files[1].write_text(planned)
    python = shutil.which("python3", path="/usr/bin") or "python3"  # vtysh's own modules are Debian's
    command = [python, str(RELOAD), "--test", "--log-level", "error", "--input", str(files[0]), str(files[1])]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    lines, above = [], []
    for line in done.stdout.splitlines():
        if not line.strip() or re.fullmatch(r"=+|Lines To (?:Delete|Add)", line):
            continue
        indent = len(line) - len(line.lstrip())
        above = [*above[:indent], line]
        opens = re.match(r" *(?:router bgp|address-family|vrf|vni|interface|route-map) ", line)
        if not opens:
            lines.append(Fault("", (line.strip().removeprefix("no "),), tuple(above[:-1])))
    return lines


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_called_another_spelling_is_the_same_for_frr(part: int) -> None:
    spelled = [(name, *other) for name in SHAPES for other in spellings(name, shape_text(name))]
    spelled = [case for case in spelled if case[1] not in NOT_FOR_FRR]
    law = "frr.conf in other spellings through FRR"
    for name, spelling, text in law_cases(law, spelled, lambda case: case[:2])[part::PARTS]:
        with switch(shape_text(name)) as daemons:
            daemons.load(text)
            assert drift(daemons.show(), shape_text(name)) == [], (name, spelling)


@pytest.mark.parametrize("name", law_cases("lines added to FRR", SHAPES))
def test_what_a_line_changes_in_frr_is_told(name: str) -> None:
    """What FRR prints is told where a line changes it: FRR refuses some lines, and others leave all as it is."""
    text = shape_text(name)
    changed = 0
    with switch(text) as daemons:
        daemons.load(text)
        before = daemons.show()
        for fault in law_cases(f"lines added to FRR, {name}", [*lines_added(text), *session_lines_denied(text)]):
            daemons.load("\n".join([*reversed(fault.above), *fault.lines]))
            after = daemons.show()
            if _lines_of(after) != _lines_of(before):
                changed += 1
                assert drift(after, before), (fault.lines, _lines_of(after) ^ _lines_of(before))
            before = after
    assert changed > 0


def _lines_of(text: str) -> set[str]:
    """The lines of a text, but for those of members that say what their peer group has as well."""
    lines = {line.strip() for line in text.splitlines()} - {"!", "", "exit"}
    groups = dict(re.findall(r"^ neighbor (\S+)(?: interface)? peer-group (\S+)$", text, re.M))
    return {
        line
        for line in lines
        if not (match := re.fullmatch(r"(no )?neighbor (\S+) (.+)", line))
        or f"{match[1] or ''}neighbor {groups.get(match[2], '')} {match[3]}" not in lines
    }
