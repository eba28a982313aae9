"""Generated pages and schemas are those that the code makes now, and the schema says what the loader says."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from tests.conftest import BLUEPRINTS, EXAMPLES
from tools.generate import ROOT, pages

PAGES = pages()


@pytest.mark.parametrize("path", sorted(PAGES))
def test_generated_files_are_fresh(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == PAGES[path], "run python tools/generate.py"


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((ROOT / "schemas" / "blueprint.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def plain(file: Path) -> object:
    return YAML(typ="safe").load(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_schema_accepts_every_example(name: str, validator: jsonschema.Draft202012Validator) -> None:
    assert [e.message for e in validator.iter_errors(plain(BLUEPRINTS / f"{name}.yaml"))] == []


@pytest.mark.parametrize("case", ["unknown-key", "missing-tiers", "wrong-protocol", "two-faults"])
def test_the_schema_rejects_what_the_loader_rejects(case: str, validator: jsonschema.Draft202012Validator) -> None:
    file = Path(__file__).parent / "errors" / f"{case}.yaml"
    assert list(validator.iter_errors(plain(file)))
