"""What is wrong with an indentation, or with a ':' between brackets, is called that, at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.kernel.diagnostics import Diagnostic, InputError

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


def test_other_faults_of_syntax_are_told_as_before(tmp_path: Path) -> None:
    (found,) = refused(tmp_path, "a: [1, 2\nb: 3\n")
    assert found.message.startswith("not valid YAML")
