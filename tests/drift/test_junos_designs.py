"""Configurations of others are read but for what docs/junos.md lists: on ours, with lines of others in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.juniper_designs import PAGE, find_faults, list_known_patterns

GOLDEN = Path(__file__).resolve().parents[1] / "golden/junos-stripe/expected/configs"
OURS = sorted(GOLDEN.glob("*/juniper.conf"))


def test_our_own_configurations_hold_nothing_that_is_not_known() -> None:
    assert len(OURS) == 3
    assert list(find_faults([file.read_text(encoding="utf-8") for file in OURS], [])) == []


@pytest.mark.parametrize(
    ("text", "patterns", "faults"),
    [
        ("version 24.4R1;\n", ["version *"], []),
        ("version 24.4R1;\n", [], ["not known: version 24.4R1"]),
        (
            "protocols { rip { group a; } }\n",
            ["version *"],
            ["not known: protocols rip group a", "nothing is: version *"],
        ),
        ("system { host-name a; }\n", ["security *"], ["nothing is: security *"]),
    ],
)
def test_what_is_not_known_and_what_no_longer_needs_an_entry_is_told(
    text: str, patterns: list[str], faults: list[str]
) -> None:
    assert list(find_faults([text], patterns)) == faults


def test_the_page_lists_what_is_not_known() -> None:
    patterns = list_known_patterns(PAGE.read_text(encoding="utf-8"))
    assert "version *" in patterns
    assert all(" " in pattern or "*" not in pattern for pattern in patterns)
