"""What pages name is there: links, paths, functions, options, examples; and their YAML can be read."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from fabricgen.blueprint.models import Blueprint
from fabricgen.cli.main import cli
from tests.conftest import EXAMPLES, Ran
from tests.docs.pages import BY_HAND, PAGES, ROOT, Block, blocks, text_of, yaml_of
from tests.docs.workspace import own_files

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
NAMED = re.compile(r"(?<!/run/)\b(fabricgen|templates|tests|tools|benchmarks|schemas|blueprints|docs)/([\w./-]*[\w/])")
FUNCTION = re.compile(r"`([\w/]+\.py):(\w+)(?:\.(\w+))?`")
INLINE = re.compile(r"`fabricgen ([a-z][a-z-]*)([^`]*)`")

YAML_BLOCKS = [block for page in BY_HAND for block in blocks(page) if block.language in ("yaml", "yml")]
SECTIONS = Blueprint.model_fields.keys() - {"name"}
BLUEPRINT_BLOCKS = [block for block in YAML_BLOCKS if block.text.startswith("fabricgen: 1\n")]


@cache
def anchors(page: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_pages_have_no_marks_of_a_merge() -> None:
    pages = [*PAGES, "CHANGELOG.md"]
    assert [page for page in pages if re.search(r"^(<{7} |={7}$|>{7} )", text_of(page), re.MULTILINE)] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target, anchor in LINK.findall(text_of(page)):
        if "://" in target:
            continue
        file = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert file.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in anchors(file.relative_to(ROOT).as_posix()), f"{page} links to {target}#{anchor}"


@pytest.mark.parametrize("page", BY_HAND)
def test_paths_of_the_checkout_that_pages_name_exist(page: str) -> None:
    for folder, rest in set(NAMED.findall(text_of(page))):
        path = f"{folder}/{rest}"
        assert not _is_of_the_checkout(path) or (ROOT / path).exists(), f"{page} names {path}"


def _is_of_the_checkout(path: str) -> bool:
    """Whether a path is not a reader's own; some words stand for any name, and readers have a `blueprints/`."""
    theirs = r"^blueprints/(pod|common|catalog|blueprint\.schema)"
    return not re.search(rf"ID|NAME|NOS|NNN|{theirs}|^fabricgen/fabricgen$", path)


@pytest.mark.parametrize("page", BY_HAND)
def test_functions_that_pages_name_exist(page: str) -> None:
    for path, name, inner in set(FUNCTION.findall(text_of(page))):
        file = ROOT / path if (ROOT / path).is_file() else ROOT / "fabricgen" / path
        assert file.is_file(), f"{page} names {path}"
        tree = ast.parse(file.read_text(encoding="utf-8"))
        assert _defines(tree, name, inner), f"{page} names {path}:{name}{inner and '.' + inner}"


def _defines(node: ast.AST, name: str, inner: str) -> bool:
    """Whether a module has a function or class of a name, and within it one of another name."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [each for each in ast.iter_child_nodes(node) if isinstance(each, kinds) and each.name == name]
    return any(not inner or _defines(each, inner, "") for each in found)


@pytest.mark.parametrize("page", BY_HAND)
def test_commands_and_options_in_the_text_exist(page: str) -> None:
    context = click.Context(cli)
    for name, rest in set(INLINE.findall(text_of(page))):
        command = cli.get_command(context, name)
        assert command is not None, f"{page} names `fabricgen {name}`"
        known = {option for each in command.params for option in each.opts}
        unknown = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rest)) - known - {"--help", "-h"}
        assert not unknown, f"{page} names `fabricgen {name}{rest}`"


@pytest.mark.parametrize("block", YAML_BLOCKS, ids=lambda block: block.place)
def test_yaml_can_be_read_and_has_the_keys_of_its_kind(block: Block) -> None:
    data = yaml_of(block)
    assert data
    if kind := _kind(block, data):
        faults = [
            f"{error.json_path}: {error.message}"
            for error in _validator(kind).iter_errors(json.loads(json.dumps(data, default=str)))
        ]
        assert not faults, block.place


def _kind(block: Block, data: Any) -> str:
    """The schema that a block of YAML is of; "" for files of other programs, locks, and whole blueprints, see below."""
    if block.text.startswith("# .fabricgen.yaml"):
        return "project"
    if not isinstance(data, dict) or block in BLUEPRINT_BLOCKS:
        return ""
    if "kind" in data:
        return "catalog"
    return "overlay" if data.keys() <= SECTIONS else ""


@cache
def _validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((ROOT / "schemas" / f"{kind}.schema.json").read_bytes()))


@pytest.mark.parametrize("block", BLUEPRINT_BLOCKS, ids=lambda block: block.place)
def test_whole_blueprints_are_without_errors(block: Block, tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    file = tmp_path / "shown.yaml"
    for name, text in own_files(block.page).items():  # profiles that it may use
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    file.write_text(block.text, encoding="utf-8")
    assert fabricgen("lint", file).code == 0


def test_the_readme_shows_a_whole_blueprint() -> None:
    assert any(block.page == "README.md" for block in BLUEPRINT_BLOCKS)


def test_every_example_blueprint_is_on_its_page() -> None:
    named = re.findall(r"^\| `([\w-]+)\.yaml` \|", text_of("docs/examples.md"), re.MULTILINE)
    assert sorted(named) == list(EXAMPLES)


def test_every_page_stands_once_in_the_navigation_of_the_site() -> None:
    """`.ci/run` builds it, which checks its links; this needs no mkdocs."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    entries = re.findall(r"^ +- ([\w-]+\.md)$", text[text.index("\nnav:") :], re.MULTILINE)
    pages = [page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")]
    assert sorted(entries) == sorted(pages)


def test_the_readme_leads_to_every_page() -> None:
    linked = {target for target, _ in LINK.findall(text_of("README.md"))}
    assert {page for page in PAGES if page.startswith("docs/")} <= linked


def test_the_readme_has_every_command_and_the_test_command_of_ci() -> None:
    readme = text_of("README.md")
    for name in cli.list_commands(click.Context(cli)):
        assert f"| `fabricgen {name}" in readme, name
    (command,) = re.findall(r"^python3 -m venv .*pytest$", readme, re.MULTILINE)
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_picture_of_the_house_has_the_layers_that_imports_are_held_to() -> None:
    contracts = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    picture = next(block for block in blocks("docs/architecture.md") if block.language == "text")
    rows = iter(picture.text.splitlines())
    for layer in contracts[0]["layers"]:
        names = {name.removeprefix("fabricgen.") for name in layer.split(" | ")}
        assert any(names <= set(re.findall(r"[\w.]+", row)) for row in rows), f"no row below the last one has {layer}"
