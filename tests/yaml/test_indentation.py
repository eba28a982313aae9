"""What is wrong with an indentation, or with a ':' between brackets, is called that, at its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.blueprint.models import Blueprint
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.models.forms import IN_WORDS

HEAD = "fabricgen: 1\nname: m\nscalable_unit: {nodes: 2 x dgx-b200}\npods:\n  p1: {su: 1}\nfabrics:\n  compute:\n"


def refused(folder: Path, text: str) -> list[Diagnostic]:
    file = folder / "b.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_blueprint(str(file))
    return list(error.value.diagnostics)


@pytest.mark.parametrize(
    ("text", "line", "says", "hint"),
    [
        ("pods:\n  p1:\n    su: 1\n   reserve: 4\n", 4, "line 4 is indented by 3, and no key above it is", "by 2 or 4"),
        (
            f"{HEAD}    protocol: roce\n     tiers:\n",
            9,
            "by 5, deeper than line 8, which has a value",
            "indent it by 4",
        ),
        (" fabricgen: 1\nname: m\n", 1, "line 1 is indented by 1, and those after it are not", "in one column"),
        ("a:\n  b:\n    c: x\n       d: y\n", 4, "by 7, deeper than line 3, which has a value already", "by 4"),
        (
            "a:\n  b:\n    tiers:\n    leaf: {}\n      spine: {}\n",
            5,
            "by 6, deeper than line 4, which has a value already",
            "indent it by 4, as that line, or both by 6, below `tiers`",
        ),
    ],
)
def test_a_wrong_indentation_is_called_that(tmp_path: Path, text: str, line: int, says: str, hint: str) -> None:
    (found,) = refused(tmp_path, text)
    assert (found.code, found.span and found.span.line) == ("FG002", line)
    assert found.message.startswith("wrong indentation: ")
    assert says in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    ("text", "says", "hint"),
    [
        (
            f"{HEAD}    protocol: roce\n    tiers:\n    leaf: {{switch: sn5600}}\n",
            "wrong indentation: 'leaf' stands beside `tiers`, which has nothing below it",
            "indent it below `tiers`",
        ),
        (
            f"{HEAD}    protocol: roce\n  tiers:\n    leaf: {{switch: sn5600}}\n",
            "wrong indentation: `tiers` stands beside compute, as if it were one of `fabrics`",
            "indent it below compute",
        ),
        (
            f"{HEAD}    protocol: roce\n    tiers: {{leaf: {{switch: sn5600}}}}\noob: {{protocol: ethernet}}\n",
            "wrong indentation: 'oob' stands beside `fabrics`, as if it were no part of it",
            "indent it below `fabrics`",
        ),
        (
            "fabricgen: 1\nname: m\n\u00a0fabrics: {}\n",
            "unknown key '\u00a0fabrics' at the top level",
            "there is a no-break space or the like in it: write plain spaces",
        ),
    ],
)
def test_a_key_on_the_wrong_level_is_told_where_it_belongs(tmp_path: Path, text: str, says: str, hint: str) -> None:
    found = [d for d in refused(tmp_path, text) if d.message == says]
    assert [d.hint for d in found] == [hint]


@pytest.mark.parametrize("text", ["a: [65101:100]\n", "a: {b: 65101:100}\n", "a: [1, 65101:100, 2]\n"])
def test_a_colon_between_brackets_asks_for_quotes(tmp_path: Path, text: str) -> None:
    (found,) = refused(tmp_path, text)
    assert found.code == "FG002"
    assert "not valid" not in found.message
    assert found.message.startswith("65101:100 has a ':' between brackets and no quotes: YAML 1.2 takes it for text")
    assert found.hint == 'write "65101:100"'
    assert found.span is not None
    assert text[found.span.column - 1 : found.span.end_column - 1] == "65101:100"


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("a:\n  b\n    c: d\n", 2, "no ':' after b", "write `b:`"),
        ("a:\n  b:c\n  d: e\n", 2, "no space after the ':' of b", "write `b: ...`"),
        ("a: {switch:sn2201, per: su}\n", 1, "no space after the ':' of switch", "write `switch: ...`"),
        ("name: x\nnos = sonic\na: b\n", 2, "an '=' after nos", "write `nos: ...`"),
        ('name: "x\nb: c\n', 1, 'a " that is not closed', "close it"),
        ("a: {b: c}}\nd: e\n", 1, "a '}' too many", "take it away, or open it before"),
        ("a:\n  b: {}\n  - c: {}\n", 3, "an item of a list (`- `) beside keys", "take the '-' away"),
        ("a: b\n<<<<<<< HEAD\nc: d\n=======\nc: e\n>>>>>>> x\n", 2, "a merge that is not ended", "keep one"),
    ],
)
def test_a_slip_is_told_at_the_line_that_has_it(tmp_path: Path, text: str, line: int, message: str, hint: str) -> None:
    (found,) = refused(tmp_path, text)
    assert (found.code, found.span and found.span.line, found.message) == ("FG002", line, message)
    assert found.hint.startswith(hint)


def test_what_a_slip_holds_is_not_repeated(tmp_path: Path) -> None:
    for text in ("a:\n  password:hunter2\n  d: e\n", "a: {password:hunter2, b: c}\n", "password = hunter2\na: b\n"):
        (found,) = refused(tmp_path, text)
        assert "hunter2" not in found.text()


@pytest.mark.parametrize(
    ("line", "says", "hint"),
    [
        ("extra: {ufm: {device: ufm}}", "unknown key 'extra' at the top level", "`extra` is a key of fabrics.NAME or"),
        ("mtu: 9000", "unknown key 'mtu' at the top level", "`mtu` is a key of config_of.NAME.ports.NAME"),
        ("management: {syslog: 10.32.0.6}", "expected a mapping", "its keys: level, servers"),
        (
            "scale_up: {nvlink: hgx-b200}",
            "expected a mapping",
            "its keys: domain, joins, per, racks",
        ),
        ("scalable_unit: {nodes: 16}", "expected a mapping, found 16", "nodes: `32 x dgx-b200`, or several sets"),
        ("floor: {rack_pitch_m: 600}", "less than or equal to 10", "Between the centres of racks in a row, m"),
        ("floor: {trays: {exits: {h: [1]}}}", "exits.h: value 2 of the list is missing", "[x, y] in m"),
        ("management: {users: {Ops: {}}}", "expected a login name of up to 31 small letters", ""),
        ("management: {ztp: {url: 'http://10.0.0.1:70000/f'}}", "a port of up to 65535", "url: Under which"),
        ("management: {ntp: '10.32.0.4, 10.32.0.5'}", "write several in brackets: [A, B]", ""),
        ("fabrics: {c: {protocol: roce, router_advertisements: {lifetime_s: 599}}}", "599 s end before the next", ""),
    ],
)
def test_a_message_says_what_would_be_right(tmp_path: Path, line: str, says: str, hint: str) -> None:
    told = [d for d in refused(tmp_path, f"fabricgen: 1\nname: m\n{line}\n") if says in d.message]
    assert told, says
    assert any(hint in d.hint for d in told)


def patterns_in(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if schema.get("type") == "str" and "pattern" in schema:
            yield schema["pattern"]
        schema = list(schema.values())
    for inner in schema if isinstance(schema, list | tuple) else ():
        yield from patterns_in(inner)


def test_no_form_of_the_language_is_told_as_a_regular_expression() -> None:
    told = set(patterns_in(Blueprint.__pydantic_core_schema__))
    assert told
    assert sorted(told - set(IN_WORDS)) == []


def test_other_faults_of_syntax_are_told_as_before(tmp_path: Path) -> None:
    (found,) = refused(tmp_path, "a: [1, 2\nb: 3\n")
    assert found.message.startswith("not valid YAML")
