"""Templates are compiled once and kept, and what is kept is only taken for what it was made of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import jinja2
import pytest

from fabricgen.kernel import templates
from fabricgen.kernel.compiled_templates import CompiledTemplates


class _Counting(jinja2.Environment):
    """An environment that counts what it compiles."""

    compiled = 0

    def compile(self, *args: object, **told: object) -> object:  # type: ignore[override]
        self.compiled += 1
        return super().compile(*args, **told)  # type: ignore[call-overload]


def _rendered(kept: Path, text: str, settings: str = "") -> tuple[str, int]:
    """What a template prints in a new environment, and how many were compiled for it."""
    loader = jinja2.DictLoader({"eos/banner.j2": text})
    environment = _Counting(loader=loader, bytecode_cache=CompiledTemplates(kept, settings))
    return environment.get_template("eos/banner.j2").render(name="leaf1"), environment.compiled


@pytest.fixture(autouse=True)
def _may_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def test_the_next_environment_need_not_compile(tmp_path: Path) -> None:
    assert _rendered(tmp_path, "hostname {{ name }}") == ("hostname leaf1", 1)
    assert _rendered(tmp_path, "hostname {{ name }}") == ("hostname leaf1", 0)
    assert [path.name for path in tmp_path.iterdir()] == [f"eos.banner.j2.{sys.implementation.cache_tag}.template.pyc"]


def test_another_text_and_other_settings_are_compiled_and_take_the_place(tmp_path: Path) -> None:
    _rendered(tmp_path, "hostname {{ name }}")
    assert _rendered(tmp_path, "switch {{ name }}") == ("switch leaf1", 1)
    assert _rendered(tmp_path, "switch {{ name }}", "autoescape") == ("switch leaf1", 1)
    assert _rendered(tmp_path, "switch {{ name }}", "autoescape") == ("switch leaf1", 0)
    assert len(list(tmp_path.iterdir())) == 1


def test_another_jinja_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "jinja2"
    installed.mkdir()
    (installed / "__init__.py").touch()
    (tmp_path / "kept").mkdir()
    _rendered(tmp_path / "kept", "hostname {{ name }}")
    monkeypatch.setattr(jinja2, "__file__", str(installed / "__init__.py"))
    assert _rendered(tmp_path / "kept", "hostname {{ name }}") == ("hostname leaf1", 1)
    (installed / "compiler.py").write_text("# newer", encoding="utf-8")
    assert _rendered(tmp_path / "kept", "hostname {{ name }}") == ("hostname leaf1", 1)
    assert _rendered(tmp_path / "kept", "hostname {{ name }}") == ("hostname leaf1", 0)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_what_is_cut_short_or_changed_is_compiled_again(tmp_path: Path, share: float) -> None:
    _rendered(tmp_path, "hostname {{ name }}")
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    at = int(len(whole) * share)
    for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
        kept.write_bytes(damaged)
        assert _rendered(tmp_path, "hostname {{ name }}") == ("hostname leaf1", 1)
        assert kept.read_bytes() == whole


def test_where_nothing_can_be_kept_templates_are_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "missing"
    assert _rendered(missing, "hostname {{ name }}") == ("hostname leaf1", 1)
    assert _rendered(missing, "hostname {{ name }}") == ("hostname leaf1", 1)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert _rendered(tmp_path, "hostname {{ name }}") == ("hostname leaf1", 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("environment", "name"),
    [(templates.built_in_templates, "eos/DEVICE.cfg.j2"), (templates.built_in_pages, "drawings/book.html.j2")],
)
def test_templates_that_ship_are_kept_beside_the_code_of_modules(
    environment: Callable[[], jinja2.Environment], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = templates.__spec__ and templates.__spec__.cached
    assert cached
    assert Path(cached).parent == templates.COMPILED
    monkeypatch.setattr(templates, "COMPILED", tmp_path)
    made = environment.__wrapped__  # type: ignore[attr-defined] # what is made anew in each process
    assert made().get_template(name)
    monkeypatch.setattr(jinja2.Environment, "compile", None)
    assert made().get_template(name)
