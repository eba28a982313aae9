"""Statements, their comparison, and how rules judge differences."""

from __future__ import annotations

import pytest

from fabricgen.running.differences import DifferenceRule, DifferenceRules, Given, PardonCase
from fabricgen.running.statements import UNREADABLE, Difference, compare_statements, read_sections, write_sections

CASE = PardonCase(planned="", running="", counter="")


def rule(*path: str, **more: object) -> DifferenceRule:
    fields = {"kind": "foreign", "why": "of nobody's concern", "source": "a manual", "case": CASE, **more}
    return DifferenceRule.model_validate({"path": path, **fields})


def test_differences_are_missing_extra_or_changed() -> None:
    found = compare_statements({("a",): "1", ("c",): ""}, {("a",): "2", ("b",): ""})
    assert [(each.path, each.side) for each in found] == [(("a",), "changed"), (("b",), "missing"), (("c",), "extra")]


def test_sections_are_read_and_written_back() -> None:
    text = "interface Ethernet1\n   mtu 9000\n!\nrouter bgp 1\n  address-family ipv4\n    activate\n   x\n"
    stated = read_sections(text)
    assert list(stated) == [
        ("interface Ethernet1",),
        ("interface Ethernet1", "mtu 9000"),
        ("router bgp 1",),
        ("router bgp 1", "address-family ipv4"),
        ("router bgp 1", "address-family ipv4", "activate"),
        ("router bgp 1", "address-family ipv4", "x"),
    ]
    assert read_sections(write_sections(stated)) == stated
    assert write_sections({("a", "b"): "7"}, lambda path: "exit" if path == ("a",) else "") == "a\n b 7\nexit\n"


def test_a_rule_takes_exact_paths_and_never_what_lies_below() -> None:
    rules = DifferenceRules([rule("user .*", side="extra")])
    running = {("user ops",): "", ("user ops", "shell"): "", ("other",): ""}
    judged = rules.judge(running, {})
    assert [each.difference.path for each in judged.errors] == [("user ops", "shell"), ("other",)]
    assert [each.name for each in judged.foreign] == ["user ops"]


def test_conditions_look_at_what_a_group_matched() -> None:
    table = Given(path=("ACL_TABLE", "{table}", "type"), values=("CTRLPLANE",))
    rules = DifferenceRules([rule("ACL_RULE", r"(?P<table>\w+)\|.*", name="list {table}", given=(table,))])
    judged = rules.judge(
        {("ACL_RULE", "SSH|1"): "", ("ACL_RULE", "L3|1"): "", ("ACL_TABLE", "SSH", "type"): "CTRLPLANE"},
        {("ACL_TABLE", "SSH", "type"): "CTRLPLANE"},
    )
    assert [each.name for each in judged.foreign] == ["list SSH"]
    assert [each.difference.path for each in judged.errors] == [("ACL_RULE", "L3|1")]


def test_values_and_absent_statements_restrict_a_rule() -> None:
    own = Given(path=("speed",), among="planned", absent=True)
    rules = DifferenceRules([rule("mtu", kind="neutral", values=("9100",), given=(own,))])
    judge = rules.judge
    assert not judge({("mtu",): "9100"}, {}).errors
    assert judge({("mtu",): "1500"}, {}).errors
    assert judge({("mtu",): "9100"}, {("mtu",): "9216"}).errors
    assert judge({("mtu",): "9100", ("speed",): "1"}, {("speed",): "1"}).errors


@pytest.mark.parametrize(
    ("running", "planned", "same"),
    [
        ("hunter2", "hunter2", True),
        ("hunter3", "hunter2", False),
        ("7 0822455D0A16", "hunter2", True),
        ("7 0822455D0A16", "7 13061E010803", False),
        ("$6$salt$hash", "$6$salt$hash", True),
        ("$6$salt$hash", "$6$salt$other", False),
        ("$1$salt$hash", "$6$salt$hash", False),
        ("$6$salt$hash", "<env:PASSWORD>", True),
        ("", "<env:PASSWORD>", False),
        ("*", "$6$salt$hash", False),
        ("hunter2", "$6$salt$hash", False),
        ("$6$salt$hash", "hunter2", True),
    ],
)
def test_secrets_are_compared_in_one_form(running: str, planned: str, same: bool) -> None:
    rules = DifferenceRules([rule("secret", kind="secret")])
    stated = {("secret",): running}
    verdict = rules.judge_difference(Difference(("secret",), running, planned), stated, {})
    assert running == planned or (verdict.kind == "neutral") is same
    assert verdict.secret


def test_what_cannot_be_read_is_never_pardoned() -> None:
    rules = DifferenceRules([rule(".*", ".*")])
    assert rules.judge({("PORT", UNREADABLE): "no table"}, {}).errors
    assert rules.judge({("PORT", "x"): ""}, {}).foreign
