"""YAML with places: what is read, what is refused, and exactly where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fabricgen
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Span
from fabricgen.yaml.located import Include, parse_located, read_located
from tests.effort import calls

ROOT = Path(fabricgen.__file__).parents[1]


def refused(text: str | bytes) -> Diagnostic:
    with pytest.raises(InputError) as caught:
        parse_located(text, "f")
    (found,) = caught.value.diagnostics
    return found


def data(text: str) -> Any:
    return parse_located(text, "f").data


def test_every_value_and_key_has_its_place() -> None:
    located = parse_located("a: 1\nb:\n  c: [x, 'yy']\n", "f")
    assert located.data == {"a": 1, "b": {"c": ["x", "yy"]}}
    assert dict(located.spans) == {
        (): Span("f", 1, 1, 4, 1),
        ("a",): Span("f", 1, 4, 1, 5),
        ("b",): Span("f", 3, 3, 4, 1),
        ("b", "c"): Span("f", 3, 6, 3, 15),
        ("b", "c", 0): Span("f", 3, 7, 3, 8),
        ("b", "c", 1): Span("f", 3, 10, 3, 14),
    }
    assert dict(located.keys) == {
        ("a",): Span("f", 1, 1, 1, 2),
        ("b",): Span("f", 2, 1, 2, 2),
        ("b", "c"): Span("f", 3, 3, 3, 4),
    }
    assert (len(located.spans), len(located.keys)) == (6, 3)


def test_a_missing_place_falls_back_to_the_key_above() -> None:
    located = parse_located("a: 1\nb:\n  c: [{d: 2}]\n", "f")
    assert str(located.span(("b", "x", "y"))) == "f:2:1"
    assert str(located.span(("b", "c", 7))) == "f:3:3"
    assert str(located.span(("b", "c", 0, "x"))) == "f:3:7"
    assert str(located.span(("a", "x"))) == "f:1:4"
    assert str(located.span(("nope",))) == "f:1:1"
    assert str(located.span(("b", "c", "0"))) == "f:3:3"
    assert str(located.key_span(("b", "c"))) == "f:3:3"
    assert str(located.key_span(("b", "c", 0))) == "f:3:7"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("-7", -7), ("+3", 3), ("0", 0), ("0x1F", 31), ("0o17", 15),
        ("999999999999999999", 10**18 - 1),
        ("1.5", 1.5), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("true", True), ("False", False),
        ("~", None),
        ("null", None), ("2027-01-31", "2027-01-31"), ("10.0.0.0/16", "10.0.0.0/16"), ("3:99", "3:99"),
        ("1_000", "1_000"), ("32 x dgx-b200", "32 x dgx-b200"), ("'on'", "on"), ('"1:1"', "1:1"),
        ("10%", "10%"),
        ("!!str yes", "yes"), ("! 12", "12"), ('!!int "12"', 12), ("!!float 1", 1.0), ("!!bool true", True),
        ("!!null ~", None), ("!!map {}", {}), ("!!seq []", []), ("|\n  yes\n", "yes\n"),
        (">-\n  a\n  b\n", "a b"),
        ("!include b.yaml", Include("b.yaml")),
    ],
)  # fmt: skip
def test_scalars_are_those_of_the_core_schema(text: str, value: object) -> None:
    found = data(f"k: {text}")["k"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "place", "code", "message", "hint"),
    [
        ("a: 1:1", "1:4", "FG004", "unquoted 1:1 is the number 61 to YAML 1.1 readers",
         'write "1:1" in quotes'),
        ("a:\n  - 4:3", "2:5", "FG004", "unquoted 4:3 is the number 243", 'write "4:3" in quotes'),
        ("a: {b: 4:3, c: 1}", "1:8", "FG004", "unquoted 4:3 is the number 243", 'write "4:3" in quotes'),
        ("a: 12:30:00", "1:4", "FG004", "unquoted 12:30:00 is the number 45000", '"12:30:00"'),
        ("a: " + "1:" * 5000 + "1", "1:4", "FG004", "is a base-60 number to YAML 1.1 readers", "quotes"),
        ("a: on", "1:4", "FG004", "unquoted on is true to YAML 1.1 readers", 'write "on" in quotes, or true'),
        ("a: [x, No]", "1:8", "FG004", "unquoted No is false", 'write "No" in quotes, or false'),
        ("a: 1\nOFF: 1", "2:1", "FG004", "unquoted OFF is false", ""),
        ("y: 1", "1:1", "FG004", "unquoted y is true", ""),
        ("a: !!bool yes", "1:4", "FG004", "unquoted yes is true", ""),
        ("a: 010", "1:4", "FG004", "unquoted 010 is the octal number 8 to", 'write "010" in quotes, or 10'),
        ("a: -08", "1:4", "FG004", "unquoted -08 is a number to some", 'write "-08" in quotes, or -8'),
        ("a: .nan", "1:4", "FG004", "unquoted .nan is no finite number", ""),
        ("a: -.INF", "1:4", "FG004", "unquoted -.INF is no finite number", ""),
        ("a: nan", "1:4", "FG004", "unquoted nan is no finite number", 'write "nan" in quotes if'),
        ("a: 1e999", "1:4", "FG004", "the number 1e999 is too large", ""),
        ("a: 1000000000000000000", "1:4", "FG004", "has more than 18 digits", ""),
        ("a: " + "9" * 10_000, "1:4", "FG004", "has more than 18 digits", ""),
        ("a: 0x" + "f" * 10_000, "1:4", "FG004", "has more than 18 digits", ""),
        ("a: 1\nb: 2\na: 3", "3:1", "FG003", "the key 'a' is already given at line 1", ""),
        ("a: {x: 1,\n x: 2}", "2:2", "FG003", "the key 'x' is already given at line 1", ""),
        ("1: x", "1:1", "FG002", "a key must be text, not 1", 'write "1" in quotes'),
        ("true: x", "1:1", "FG002", "a key must be text, not true", 'write "true" in quotes'),
        ("a:\n  null: x", "2:3", "FG002", "a key must be text, not nothing", "give it a name"),
        ("? [1]\n: x", "1:3", "FG002", "a key must be text, not a list", ""),
        ("a: {{ x }}", "1:5", "FG002", "a key must be text, not a mapping", "quote text that begins with {"),
        ("a: 1\n---\nb: 2", "2:1", "FG002", "a second document begins here", "'---'"),
        ("a:\n\tb: 1", "2:1", "FG002", "a tab was used for indentation", "indent with spaces"),
        ("a:\n  b: 1\n \tc: 2", "3:2", "FG002", "a tab was used for indentation", "indent with spaces"),
        ("a: b: c", "1:5", "FG002", "mapping values are not allowed here", "contains ': ' in quotes"),
        ("a: {u: 2001:db8::/32}", "1:8", "FG002", "has a ':' between brackets", 'write "2001:db8::/32"'),
        ("a: [1,\n  2", "2:4", "FG002", "(while parsing a flow sequence, from line 1)", "closing bracket"),
        ("a: @x", "1:4", "FG002", "cannot start any token", "in quotes"),
        ("a: 1\nb: \x07", "2:4", "FG002", "the control character U+0007 is not allowed", ""),
        ("a: \ud800", "1:4", "FG002", "U+D800 is not allowed", ""),
        ("", "1:1", "FG002", "'f' is empty", ""),
        ("# only this\n", "1:1", "FG002", "'f' is empty", ""),
        ("---\n...\n", "1:1", "FG002", "'f' is empty", ""),
        ("a: *u", "1:4", "FG005", "no anchor &u before this alias", ""),
        ("a: &a [1, *a]", "1:11", "FG005", "the alias *a contains itself", ""),
        ("a: &a\n  b: *a", "2:6", "FG005", "the alias *a contains itself", ""),
        ("a: {<<: 3}", "1:9", "FG005", "'<<' merges mappings, not 3", ""),
        ("a: {<<: {b: 1}, <<: {c: 1}}", "1:17", "FG003", "the key '<<' is already given", ""),
        ("a: !!python/object:os.system x", "1:4", "FG006", "unknown tag !!python/object:os.system", ""),
        ("a: !foo {b: 1}", "1:4", "FG006", "unknown tag !foo", "only !include"),
        ("a: !include [x]", "1:4", "FG006", "!include takes one file name", ""),
        ("a: !!int x", "1:4", "FG006", "'x' is not what its tag !!int says", ""),
        ("a: !!map [1]", "1:4", "FG006", "not what its tag !!map says", ""),
        ("[" * 100_000, "1:65", "FG002", "nested deeper than 64", ""),
        ("- " * 100_000, "1:129", "FG002", "nested deeper than 64", ""),
        ("{a: " * 100_000, "1:257", "FG002", "nested deeper than 64", ""),
    ],
)  # fmt: skip
def test_traps_are_refused_at_their_place(text: str, place: str, code: str, message: str, hint: str) -> None:
    found = refused(text)
    assert (str(found.span), found.code) == (f"f:{place}", code)
    assert message in found.message
    assert hint in found.hint


def test_anchors_aliases_and_merge_keys() -> None:
    text = "x: &x {p: 1, q: 2}\nz: &z {q: 9, r: 3}\nm:\n  <<: [*x, *z]\n  p: 0\nw: {<<: *z}\ns: *x\n"
    located = parse_located(text, "f")
    assert located.data["m"] == {"p": 0, "q": 2, "r": 3}
    assert located.data["w"] == {"q": 9, "r": 3}
    assert located.data["s"] == {"p": 1, "q": 2}
    assert str(located.span(("m", "r"))) == "f:2:17"
    assert str(located.key_span(("m", "r"))) == "f:2:14"
    assert str(located.span(("m", "p"))) == "f:5:6"
    assert str(located.span(("s",))) == "f:1:4"
    assert str(located.key_span(("s",))) == "f:7:1"
    assert data("'<<': 1") == {"<<": 1}
    assert data("a: &k name\n*k : 1") == {"a": "name", "name": 1}


def test_aliases_cannot_expand_without_end() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n"
    assert calls(lambda: refused(bomb)) < 20_000
    found = refused(bomb)
    assert (found.code, found.message) == ("FG005", "aliases expand to more than 20000 values")
    ladder = "a0: &a0 [[1]]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 70))
    assert "nested deeper than 64" in refused(ladder).message


def test_the_deepest_that_is_read() -> None:
    assert data("[" * 64 + "]" * 64)
    assert refused("[" * 65 + "]" * 65).code == "FG002"


@pytest.mark.parametrize("text", ["a: 1\r\nb: 2\r\n", "\ufeffa: 1\nb: 2\n", b"\xef\xbb\xbfa: 1\nb: 2", "a: 1\rb: 2"])
def test_line_ends_and_byte_order_marks_are_accepted(text: str | bytes) -> None:
    located = parse_located(text, "f")
    assert located.data == {"a": 1, "b": 2}
    assert str(located.key_span(("a",))) == "f:1:1"
    assert located.span(("b",)) == Span("f", 2, 4, 2, 5)


def test_columns_count_characters() -> None:
    assert str(parse_located("é: 😀\nb: {ü: 1}", "f").span(("b", "ü"))) == "f:2:8"


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "1:1", "it is a binary file"),
        ("a: 1".encode("utf-16"), "1:1", "it is UTF-16, not UTF-8"),
        ("a: 1\nü: é".encode("latin-1"), "2:1", "it is not UTF-8 (byte 0xFC)"),
        (b" " * (4 * 1024 * 1024 + 1), "1:1", "it is larger than 4 MiB"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, place: str, message: str) -> None:
    file = tmp_path / "b.yaml"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_located(file)
    (found,) = caught.value.diagnostics
    assert (found.code, str(found.span)) == ("FG001", f"{file}:{place}")
    assert message in found.message


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text("a: 1")
    (tmp_path / "loop").symlink_to("loop")
    for name, message in {
        "pos.yaml": "no such file",
        "pod.yaml/x": "no such file",
        ".": "it is a folder",
        "x" * 300: "its name is too long",
        "loop": "its symbolic links go in a circle",
        "a\0b": "this is no file name",
    }.items():
        with pytest.raises(InputError, match=message) as caught:
            read_located(tmp_path / name)
        assert caught.value.diagnostics[0].code == "FG001"
    with pytest.raises(InputError, match=r"did you mean '.*pod\.yaml'"):
        read_located(tmp_path / "pos.yaml")


def test_a_file_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "b.yaml"
    file.write_text("a: 1")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root, which CI may be, reads whatever the mode says
    with pytest.raises(InputError, match="no permission"):
        read_located(file)


def test_spans_carry_the_name_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.yaml").write_text("a: 1")
    monkeypatch.chdir(tmp_path)
    assert read_located(Path("b.yaml")).span(("a",)).file == "b.yaml"
    assert read_located(Path("b.yaml"), shown_as="mine").span(("a",)).file == "mine"


@settings(max_examples=200)
@given(st.text() | st.text("ab:-?*&!<>|[]{},'\"# \n\t%@0.", max_size=60) | st.binary(max_size=60))
def test_only_input_errors_come_out(text: str | bytes) -> None:
    try:
        spans = list(parse_located(text, "f").spans.values())
    except InputError as error:
        spans = [d.span for d in error.diagnostics if d.span]
    assert spans
    assert all(span.line >= 1 and span.column >= 1 for span in spans)


def test_a_usual_blueprint_is_read_at_once() -> None:
    def steps(lines: int) -> int:
        text = "".join(f"k{i}: {{a: {i}, b: [u, v], c: some text}}\n" for i in range(lines))
        return calls(lambda: parse_located(text, "f"))

    steps(1)  # what is imported and made once
    assert steps(200) < 200 * 350, "more than some fifty calls a value"
    assert steps(400) < 2.1 * steps(200), "more than in step with the lines"


def test_importing_costs_nothing() -> None:
    code = "import sys, fabricgen.yaml.located; print({'pydantic', 'ruamel.yaml'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"
