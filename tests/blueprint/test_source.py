"""Includes, overlays and `--set`."""

from __future__ import annotations

import io
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.blueprint.source import read_source
from fabricgen.kernel.diagnostics import Diagnostic, InputError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(**files: str) -> None:
    for name, text in files.items():
        file = Path(name.replace("__", "/") + ".yaml")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


def refused(*sets: str, blueprint: str = "b.yaml", allow_outside: bool = False) -> Diagnostic:
    with pytest.raises(InputError) as caught:
        read_source(blueprint, sets=sets, allow_outside=allow_outside)
    (found,) = caught.value.diagnostics
    return found


def give_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))


def test_the_including_file_is_laid_over(here: Path) -> None:
    write(
        base="x-sizes: &s {su: 4}\nname: base\npods: {p1: *s, p2: {su: 2}}\nlist: [1, 2]\ngone: {a: 1}\n",
        more="pods: {p2: {su: 3}}\nlist: [3]\n",
        b="include: [base.yaml, more.yaml]\nname: mine\npods: {p1: {reserve: 9}}\ngone:\nnothing:\nx-k: 1\n",
    )
    located = read_source("b.yaml")
    assert located.data == {
        "name": "mine",
        "pods": {"p1": {"su": 4, "reserve": 9}, "p2": {"su": 3}},
        "list": [3],
        "nothing": None,
    }
    assert str(located.span(("pods", "p1", "su"))) == "base.yaml:1:18"
    assert str(located.span(("pods", "p1", "reserve"))) == "b.yaml:3:22"
    assert str(located.key_span(("pods", "p2", "su"))) == "more.yaml:1:13"
    assert str(located.key_span(("pods",))) == "b.yaml:3:1"


def test_a_value_may_be_a_file_relative_to_the_one_that_names_it(here: Path) -> None:
    write(
        b="fabrics:\n  compute: !include parts/compute.yaml\n  list: [!include parts/leaf.yaml]\n",
        parts__compute="include: common.yaml\ntiers: {leaf: !include leaf.yaml}\n",
        parts__common="protocol: roce\ntiers: {spine: {switch: s}}\n",
        parts__leaf="switch: q\n",
    )
    located = read_source("b.yaml")
    leaf = {"switch": "q"}
    compute = {"protocol": "roce", "tiers": {"spine": {"switch": "s"}, "leaf": leaf}}
    assert located.data == {"fabrics": {"compute": compute, "list": [leaf]}}
    path = ("fabrics", "compute", "tiers", "leaf", "switch")
    assert str(located.span(path)) == f"{Path('parts/leaf.yaml')}:1:9"
    assert str(located.key_span(path[:2])) == "b.yaml:2:3"


def test_standard_input(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(base="a: 1")
    give_stdin(monkeypatch, b"include: base.yaml\nb: 2\n")
    located = read_source("-")
    assert located.data == {"a": 1, "b": 2}
    assert [str(located.span((k,))) for k in "ab"] == ["base.yaml:1:4", "<stdin>:2:4"]
    give_stdin(monkeypatch, b"\xff")
    assert (refused(blueprint="-").code, str(refused(blueprint="-").span)) == ("FG001", "<stdin>:1:1")
    monkeypatch.setattr("sys.stdin", None)
    assert "closed" in refused(blueprint="-").message


@pytest.mark.parametrize(
    ("text", "place", "code", "message"),
    [
        ("include: none.yaml", "1:10", "FG001", "cannot read 'none.yaml': no such file"),
        ("a: !include ''", "1:4", "FG007", "names no file"),
        ('a: !include "a\\0b"', "1:4", "FG007", "names no file"),
        ("include: /etc/hostname", "1:10", "FG007", "is an absolute path"),
        ("include: C:\\x.yaml", "1:10", "FG007", "is an absolute path"),
        ("include: ../up.yaml", "1:10", "FG007", "lies outside the blueprint's folder"),
        ("a:\n  b: !include link.yaml", "2:6", "FG007", "lies outside the blueprint's folder"),
        ("include: b.yaml", "1:10", "FG007", "includes itself: b.yaml -> b.yaml"),
        ("include: list.yaml", "1:10", "FG007", "'list.yaml' holds a list, not a mapping"),
        ("include: {a: 1}", "1:10", "FG007", "takes file names, not a mapping"),
        ("include: [3]", "1:11", "FG007", "takes file names, not 3"),
        ("include: !include list.yaml", "1:10", "FG007", "takes file names, not !include"),
        ("include:", "1:9", "FG007", "takes file names, not nothing"),
        ("include: sub", "1:10", "FG001", "cannot read 'sub': it is a folder"),
    ],
)
def test_bad_includes_are_refused_where_they_stand(here: Path, text: str, place: str, code: str, message: str) -> None:
    write(b=text, list="[1]")
    (here.parent / "up.yaml").write_text("u: 1")
    (here / "link.yaml").symlink_to("../up.yaml")
    (here / "sub").mkdir()
    found = refused()
    assert (str(found.span), found.code) == (f"b.yaml:{place}", code)
    assert message in found.message


def test_outside_may_be_allowed(here: Path) -> None:
    write(b="include: ../up.yaml\na: !include link.yaml")
    (here.parent / "up.yaml").write_text("u: 1")
    (here / "link.yaml").symlink_to("../up.yaml")
    located = read_source("b.yaml", allow_outside=True)
    assert located.data == {"u": 1, "a": {"u": 1}}
    assert located.span(("u",)).file == str(Path("../up.yaml"))


def test_links_within_the_folder_are_fine(here: Path) -> None:
    write(now__b="include: base.yaml", now__base="a: 1")
    Path("b.yaml").symlink_to("now/b.yaml")
    Path("base.yaml").symlink_to("now/base.yaml")
    assert read_source("b.yaml").data == {"a": 1}


def test_includes_are_bounded(here: Path) -> None:
    write(b="include: f0.yaml", **{f"f{i}": f"include: f{i + 1}.yaml\nk{i}: 1" for i in range(17)}, f17="z: 1")
    found = refused()
    assert (found.code, str(found.span)) == ("FG007", "f15.yaml:1:10")
    write(f15="z: 1")
    assert len(read_source("b.yaml").data) == 16
    write(b="a: [" + "!include one.yaml, " * 256 + "]", one="1")
    assert read_source("b.yaml").data == {"a": [1] * 256}
    write(b="a: [" + "!include one.yaml, " * 257 + "]")
    assert "more than 256 files" in refused().message
    write(b="a: " + "[" * 40 + "!include deep.yaml" + "]" * 40, deep="[" * 40 + "]" * 40)
    found = refused()
    assert (found.code, str(found.span)) == ("FG007", "b.yaml:1:44")
    write(b="a: !include c.yaml", c="b: &x !include d.yaml\nc: *x", d="a: !include b.yaml")
    assert "b.yaml -> c.yaml -> d.yaml -> b.yaml" in refused().message


def test_errors_in_an_included_file_name_it(here: Path) -> None:
    write(b="include: sub/base.yaml", sub__base="a: 1\nb: on\n")
    found = refused()
    assert (found.code, str(found.span)) == ("FG004", f"{Path('sub/base.yaml')}:2:4")


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("pods.p1.su=3", {"pods": {"p1": {"su": 3}}, "l": [1, {"x": 2}]}),
        ("l.1.x=[a, b]", {"pods": {"p1": {"su": 4}}, "l": [1, {"x": ["a", "b"]}]}),
        ("l.0=1:1", {"pods": {"p1": {"su": 4}}, "l": ["1:1", {"x": 2}]}),
        ("pods={}", {"pods": {}, "l": [1, {"x": 2}]}),
        ("l=null", {"pods": {"p1": {"su": 4}}, "l": None}),
        ('"a.b".c=x=y', {"pods": {"p1": {"su": 4}}, "l": [1, {"x": 2}], "a.b": {"c": "x=y"}}),
        ('l="{a"', {"pods": {"p1": {"su": 4}}, "l": "{a"}),
        ("pods.0=4:3", {"pods": {"p1": {"su": 4}, "0": "4:3"}, "l": [1, {"x": 2}]}),
    ],
)
def test_sets(here: Path, setting: str, expected: dict[str, Any]) -> None:
    write(b="pods: {p1: {su: 4}}\nl: [1, {x: 2}]\n")
    assert read_source("b.yaml", sets=[setting]).data == expected


def test_sets_apply_in_order_over_includes_and_have_a_place(here: Path) -> None:
    write(b="include: base.yaml", base="a: &a {x: 1}\nb: *a\nnone:\n")
    located = read_source("b.yaml", sets=["b.x= 2", "b.y.z={q: 5}", "b.x=3", "none.k=1"])
    assert located.data == {"a": {"x": 1}, "b": {"x": 3, "y": {"z": {"q": 5}}}, "none": {"k": 1}}
    assert str(located.span(("b", "y", "z", "q"))) == "--set b.y.z:1:5"
    assert str(located.key_span(("b", "y"))) == "--set b.y.z:1:1"
    assert str(located.key_span(("b", "x"))) == "base.yaml:1:8"
    assert str(located.span(("none", "k"))) == "--set none.k:1:1"


@pytest.mark.parametrize(
    ("setting", "place", "code", "message"),
    [
        ("nonsense", "--set nonsense:1:1", "FG008", "'nonsense' is not PATH=VALUE"),
        ("=3", "--set =3:1:1", "FG008", "'=3' is not PATH=VALUE"),
        ("a..b=3", "--set a..b:1:1", "FG008", "is not PATH=VALUE"),
        ('a."b=3', '--set a."b=3:1:1', "FG008", "is not PATH=VALUE"),
        ('a."b"c=3', '--set a."b"c:1:1', "FG008", "is not PATH=VALUE"),
        ("a=", "--set a:1:1", "FG008", "no value is given for a"),
        ("a.b.c=1", "--set a.b.c:1:1", "FG008", "a is 1, not a mapping; it cannot have 'b'"),
        ("l.x=1", "--set l.x:1:1", "FG008", "l is a list and has no 'x'"),
        ("l.1=1", "--set l.1:1:1", "FG008", "l is a list and has no '1'"),
        ("include=x.yaml", "--set include:1:1", "FG008", "'include' cannot be set"),
        ("n=!include x.yaml", "--set n:1:1", "FG008", "cannot be an !include"),
        ("n.q= yes", "--set n.q:1:2", "FG004", "unquoted yes is true"),
        ("n=[1, 010]", "--set n:1:5", "FG004", "unquoted 010 is the octal number 8"),
        ("n=[1", "--set n:1:3", "FG002", "not valid YAML"),
        ("n={a: 1, a: 2}", "--set n:1:8", "FG003", "already given"),
        (".".join("n" * 70) + "=1", "--set " + ".".join("n" * 70) + ":1:1", "FG008", "nests deeper than 64"),
    ],
)
def test_bad_sets_are_refused(here: Path, setting: str, place: str, code: str, message: str) -> None:
    write(b="a: 1\nl: [1]\n")
    found = refused(setting)
    assert (str(found.span), found.code) == (place, code)
    assert message in found.message


def test_what_is_no_blueprint(here: Path) -> None:
    assert refused(blueprint="none.yaml").code == "FG001"
    assert refused(blueprint=".").code == "FG001"
    assert refused(blueprint="").code == "FG001"
    assert refused(blueprint="a\0b").code == "FG001"
    assert "it is a folder" in refused(blueprint=os.fspath(here)).message
    write(b="[1]")
    assert read_source("b.yaml").data == [1]
    assert refused("x=1").code == "FG008"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("small") / "b.yaml"
    file.write_text("a: {b: [1, {c: 2}]}\n")
    return str(file)


@pytest.mark.slow
@settings(max_examples=200)
@given(setting=st.text(max_size=40) | st.from_regex(r'\A[ab0."]{1,8}=.{0,8}\Z'))
def test_only_input_errors_come_out_of_sets(small: str, setting: str) -> None:
    try:
        spans = list(read_source(small, sets=[setting]).spans.values())
    except InputError as error:
        spans = [d.span for d in error.diagnostics if d.span]
    assert spans
