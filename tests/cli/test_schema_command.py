"""`schema --check`, `init` and folders given to `lint`: what hooks and new users meet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from fabricgen.catalog.loader import BUILT_IN
from tests.conftest import BLUEPRINTS

DATA = BUILT_IN / "data"

LEAF_SPINE = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_check_finds_faults_of_structure_at_their_places(fabricgen, tmp_path: Path) -> None:
    own = (DATA / "switches" / "sn4700.yaml").read_text(encoding="utf-8").replace("id: sn4700", "id: switch-of-my-own")
    write(tmp_path / "catalog" / "switches" / "switch-of-my-own.yaml", own)
    good = write(tmp_path / "good.yaml", LEAF_SPINE.replace("sn4700", "switch-of-my-own"))
    bad = write(tmp_path / "bad.yaml", LEAF_SPINE.replace("pods:", "pods: {p1: {su: '2'}}\nx-pods:"))
    ran = fabricgen("schema", "--check", good, bad)
    assert ran.code == 2
    assert "pods.p1.su: expected a whole number, found '2'" in ran.out
    assert f"{bad}:" in ran.out
    assert f"{good}:" not in ran.out
    assert fabricgen("schema", "--check", good).code == 0


@pytest.mark.parametrize(
    ("place", "text", "message"),
    [
        (".fabricgen.yaml", "lint: {fail_on: never, selekt: []}\n", "unknown key 'selekt' in lint"),
        ("catalog/switches/own.yaml", "kind: switch\nid: own\n", "the top level needs 'source'"),
        ("catalog/platforms/sonic/own.yaml", "colour: red\n", "unknown key 'colour'"),
        ("catalog/platforms/own.yaml", "colour: red\n", "unknown key 'colour'"),
        ("superpod.lock.yaml", "lock: none\n", "error[FG038]"),
    ],
)
def test_check_knows_other_files_by_their_places(
    fabricgen, tmp_path: Path, place: str, text: str, message: str
) -> None:
    ran = fabricgen("schema", "--check", write(tmp_path / place, text))
    assert ran.code == 2
    assert message in ran.out


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("kind: swich\nid: own\n", ":1:7: error[FG010]: 'swich' is no kind of profile", "did you mean 'switch'?"),
        ("kind: Node\nid: own\n", ":1:7: error[FG010]: 'Node' is no kind of profile", "did you mean 'node'?"),
        ("knd: switch\nid: own\n", ":1:1: error[FG010]: a profile needs `kind`", "known: cable, constants, nic"),
    ],
)
def test_a_profile_of_no_kind_is_told_as_that_alone(
    fabricgen, tmp_path: Path, text: str, message: str, hint: str
) -> None:
    ran = fabricgen("schema", "--check", write(tmp_path / "own.yaml", text))
    assert ran.code == 2
    assert message in ran.out
    assert hint in ran.out
    assert ran.out.splitlines()[-1] == "1 profile: 1 error, 0 warnings, 0 infos"


def test_what_the_schema_alone_refuses_is_told_in_its_words_at_its_place(fabricgen, tmp_path: Path) -> None:
    """A profile's reader takes a number in quotes; JSON Schema, by which editors go, does not."""
    text = (DATA / "racks" / "eia-48u-600.yaml").read_text(encoding="utf-8")
    own = write(tmp_path / "catalog" / "racks" / "own.yaml", text.replace("units: 48", 'units: "48"'))
    ran = fabricgen("schema", "--check", own)
    line = 1 + text[: text.index("units: 48")].count("\n")
    assert ran.code == 2
    assert f"{own}:{line}:8: error[FG010]: units: '48' is not of type 'integer'" in ran.out


def test_a_profile_in_the_folder_of_another_kind_is_refused(fabricgen, tmp_path: Path) -> None:
    text = (DATA / "racks" / "eia-48u-600.yaml").read_text(encoding="utf-8")
    ran = fabricgen("schema", "--check", write(tmp_path / "catalog" / "panels" / "own.yaml", text))
    assert ran.code == 2
    assert "kind: expected 'panel', found 'rack'" in ran.out


MISSPELT = {
    "switch: sn4700, per": ("switch: sn4770, per", "FG011", "sn4700"),
    "x generic-server": ("x generic-serfer", "FG011", "generic-server"),
    "pods:": ("nos: {leaf: sonik}\npods:", "FG018", "sonic"),
    "name:": ("cabling: {products: [generik]}\nname:", "FG011", "generic"),
    "scalable_unit:": ("scale_up: {nvlink: {domain: hgx-b2000}}\nscalable_unit:", "FG011", "hgx-b200"),
}


@pytest.mark.tenth
@pytest.mark.parametrize("right", MISSPELT)
def test_a_misspelt_name_is_marked_in_editors_and_told_by_check(fabricgen, tmp_path: Path, right: str) -> None:
    """An editor marks what the schema that `init` writes refuses."""
    wrong, code, meant = MISSPELT[right]
    assert fabricgen("init", tmp_path / "first.yaml").code == 0
    schema = json.loads((tmp_path / "blueprint.schema.json").read_text(encoding="utf-8"))
    judge = Draft202012Validator(schema)
    text = LEAF_SPINE.replace(right, wrong, 1)
    assert text != LEAF_SPINE
    assert not list(judge.iter_errors(yaml.safe_load(LEAF_SPINE)))
    assert list(judge.iter_errors(yaml.safe_load(text)))
    ran = fabricgen("schema", "--check", write(tmp_path / "bad.yaml", text))
    assert ran.code == 2
    assert f"error[{code}]" in ran.out
    assert f"did you mean '{meant}'?" in ran.out


def test_check_takes_a_file_for_an_overlay_where_it_is_told_so(fabricgen, tmp_path: Path) -> None:
    """Such as what `as-built -o` and `verify --accept -o` write: a part of a blueprint, without name and fabrics."""
    overlay = tmp_path / "as-built.yaml"
    overlay.write_text('cable_of:\n  "leaf:1": {a_cage: "30", length_m: 25}\n', encoding="utf-8")
    assert fabricgen("schema", "--check", "--of", "overlay", overlay).code == 0
    assert fabricgen("schema", "--check", overlay).code == 2
    overlay.write_text("cable_of: {x: {a_cagee: 3}}\nfoo: 1\n", encoding="utf-8")
    ran = fabricgen("schema", "--check", "--of", "overlay", overlay)
    assert ran.code == 2
    assert f"{overlay}:1:16: error[FG010]: unknown key 'a_cagee' in cable_of.x" in ran.out
    assert f"{overlay}:2:1: error[FG010]: unknown key 'foo' at the top level" in ran.out
    assert "needs" not in ran.out
    overlay.write_text("- 1\n", encoding="utf-8")
    assert "FG010" in fabricgen("schema", "--check", "--of", "overlay", overlay).out
    told = fabricgen("schema", "--check", "--of", "project", overlay)
    assert (told.code, "leave out --of" in told.err) == (2, True)


@pytest.mark.slow
def test_profiles_of_ones_own_are_names_in_the_schema_of_a_blueprint(fabricgen, tmp_path: Path) -> None:
    file = write(tmp_path / "mine.yaml", LEAF_SPINE.replace("sn4700", "own-switch"))
    data = yaml.safe_load(file.read_text(encoding="utf-8"))

    def marked() -> bool:
        return bool(list(Draft202012Validator(json.loads(fabricgen("schema", file).out)).iter_errors(data)))

    assert marked()
    assert not list(Draft202012Validator(json.loads(fabricgen("schema").out)).iter_errors(data)), "for any catalogue"
    profile = (DATA / "switches" / "sn4700.yaml").read_text(encoding="utf-8").replace("id: sn4700", "id: own-switch")
    write(tmp_path / "catalog" / "switches" / "own-switch.yaml", profile)
    assert not marked()
    assert fabricgen("schema", "--check", file).code == 0


@pytest.mark.parametrize("example", ["bonded-pair", "superpod-b200"])
def test_patterns_escape_nothing_that_unicode_patterns_refuse(fabricgen, example: str) -> None:
    """ECMA-262 with the flag u, as JSON Schema recommends, knows no escape of other signs (22.2.1, IdentityEscape)."""
    told = fabricgen("schema", BLUEPRINTS / f"{example}.yaml").out
    patterns = [value for value in _list_values(json.loads(told), "pattern") if isinstance(value, str)]
    assert any("dgx" in pattern or "accelerator" in pattern for pattern in patterns)
    assert [p for p in patterns if re.search(r"(?<!\\)(?:\\\\)*\\[^dDwWsSbBnrtfvxuckpP0-9^$\\.*+?()\[\]{}|/]", p)] == []


def _list_values(tree: Any, key: str) -> Iterator[Any]:
    if isinstance(tree, dict):
        yield from (value for name, value in tree.items() if name == key)
        for value in tree.values():
            yield from _list_values(value, key)
    elif isinstance(tree, list):
        for value in tree:
            yield from _list_values(value, key)


def test_init_puts_the_table_of_an_example_beside_the_blueprint(fabricgen, tmp_path: Path) -> None:
    file, table = tmp_path / "mine.yaml", tmp_path / "known-hardware.csv"
    assert fabricgen("init", file, "--example", "known-hardware").code == 0
    assert table.read_text(encoding="utf-8").startswith("device,port,mac,guid,serial\ncompute-leaf-01,,,0x")
    assert fabricgen("lint", file).code == 0
    table.write_text("mine", encoding="utf-8")
    again = fabricgen("init", tmp_path / "other.yaml", "--example", "known-hardware")
    assert (again.code, table.read_text(encoding="utf-8")) == (2, "mine")


@pytest.mark.parametrize(
    "arguments", [("--check",), ("missing.yaml",), ("a.yaml", "b.yaml"), ("--of", "project", "a.yaml")]
)
def test_check_and_files_go_together(fabricgen, arguments: tuple[str, ...]) -> None:
    assert fabricgen("schema", *arguments).code == 2


def test_init_puts_the_schema_beside_the_blueprint(fabricgen, tmp_path: Path) -> None:
    file, schema = tmp_path / "mine.yaml", tmp_path / "blueprint.schema.json"
    assert fabricgen("init", file).code == 0
    assert file.read_text(encoding="utf-8").splitlines()[0] == f"# yaml-language-server: $schema={schema.name}"
    assert schema.read_text(encoding="utf-8") == fabricgen("schema", file).out
    schema.write_text("{}", encoding="utf-8")
    assert fabricgen("init", tmp_path / "other.yaml").code == 0
    assert schema.read_text(encoding="utf-8") == "{}"
    assert fabricgen("schema", "--check", file).code == 0


def test_a_folder_stands_for_the_blueprints_in_it(fabricgen, tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", LEAF_SPINE)
    write(tmp_path / "b.yml", LEAF_SPINE.replace("sn4700", "sn470"))
    write(tmp_path / "common" / "fragment.yaml", "pools: {}\n")
    write(tmp_path / ".fabricgen.yaml", "lint: {}\n")
    ran = fabricgen("lint", "--fast", tmp_path)
    assert ran.code == 2
    assert f"{tmp_path / 'b.yml'}:" in ran.out
    assert "2 blueprints" in ran.out
    assert fabricgen("lint", "--fast", tmp_path / "common").code == 2
    (tmp_path / "empty").mkdir()
    assert "FG001" in fabricgen("lint", tmp_path / "empty").err
