"""Parts that few blueprints have: no validator is made for them before one has."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from pydantic import Field, ValidationError

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.when_stated import WhenStated
from fabricgen.catalog.models import PROFILE_KINDS
from fabricgen.kernel.plain_model import PlainModel


class Shelf(Model):
    """A part."""

    units: int = Field(1, gt=0)


class Hall(Model):
    """A whole."""

    shelf: WhenStated[Shelf] = Field(default_factory=Shelf.model_construct)
    shelves: dict[str, WhenStated[Shelf]] = Field(default_factory=dict)


def test_the_validator_of_a_part_waits_for_one() -> None:
    assert Hall.model_validate({}).shelf == Shelf.model_construct()
    assert Hall.model_validate({"shelf": Shelf.model_construct(units=2)}).shelf.units == 2
    assert not Shelf.__pydantic_complete__
    assert Hall.model_validate({"shelves": {"a": {"units": 3}}}).shelves["a"].units == 3
    assert Shelf.__pydantic_complete__


def test_faults_of_a_part_are_told_at_its_place() -> None:
    with pytest.raises(ValidationError) as caught:
        Hall.model_validate({"shelf": {"units": 0}, "shelves": {"a": {"rows": 1}, "b": 5}})
    places = [(error["loc"], error["type"]) for error in caught.value.errors()]
    assert places == [
        (("shelf", "units"), "greater_than"),
        (("shelves", "a", "rows"), "extra_forbidden"),
        (("shelves", "b"), "model_type"),
    ]


def test_the_schema_names_the_part_once() -> None:
    schema = Hall.model_json_schema()
    assert schema["properties"]["shelf"]["$ref"] == "#/$defs/Shelf"
    assert schema["properties"]["shelves"]["additionalProperties"] == {"$ref": "#/$defs/Shelf"}
    assert schema["$defs"]["Shelf"]["properties"]["units"]["exclusiveMinimum"] == 0


def made_from(base: type) -> Iterator[type]:
    for each in base.__subclasses__():
        yield each
        yield from made_from(each)


def test_annotations_are_compiled_with_modules_of_models_and_left_as_text_in_those_of_plain_ones() -> None:
    """Either costs the start least: pydantic reads its own at once, and plain ones when a file is validated.

    Only of the two packages that every start loads; what else is there depends on which tests ran before.
    """
    assert {Blueprint, *PROFILE_KINDS.values()} <= {*made_from(Model), *made_from(PlainModel)}
    loaded = ("fabricgen.blueprint.", "fabricgen.catalog.")
    models = [m for base in (Model, PlainModel) for m in made_from(base) if m.__module__.startswith(loaded)]
    assert len(models) > 60
    for model in models:
        assert hasattr(sys.modules[model.__module__], "annotations") == issubclass(model, PlainModel), model
