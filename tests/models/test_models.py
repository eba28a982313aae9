"""Models are pydantic's, with what the language and the catalogue ask beyond that."""

import pickle
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

import pytest
from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, ValidationError, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.scalars import Name, Ratio
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import PROFILE_KINDS, find_model
from fabricgen.models.forms import FrozenModel


class Shelf(Model):
    """A part."""

    units: int = Field(1, gt=0)


class Hall(Model):
    """A whole with a field of every kind there is."""

    name: Name | None = Field(None, validation_alias=AliasChoices("name", "title"))
    word: Annotated[str, Field(pattern=r"^[a-c]+$")] = Field("a", min_length=1, max_length=3)
    pairs: int = Field(0, multiple_of=2)
    metres: float = Field(0.0, ge=-1, le=2, lt=1.5)
    open: bool | Shelf = Field(True)
    way: Literal["in", "out", 1] = Field("in")
    steps: tuple[int, ...] = Field((), max_length=2)
    ratio: Ratio | None = None
    half: Annotated[int, BeforeValidator(lambda value: [value][0]), AfterValidator(lambda value: value // 2)] = 4
    shelf: Shelf = Field(default_factory=Shelf.model_construct)
    shelves: dict[str, Shelf] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _told(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("word") == "bb":
            raise ValueError("two are too many")
        return value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.shelf.units > 3 and not self.shelves:
            raise ValueError("too high")
        return self


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"pairs": 3}, "multiple_of"),
        ({"metres": 1.5}, "less_than"),
        ({"metres": -1.1}, "greater_than_equal"),
        ({"word": "abca"}, "string_too_long"),
        ({"word": "d"}, "string_pattern_mismatch"),
        ({"steps": [1, 2, 3]}, "too_long"),
        ({"shelf": {"units": 0}}, "greater_than"),
        ({"word": "bb"}, "value_error"),
        ({"shelf": {"units": 4}}, "value_error"),
        ({"titel": "a"}, "extra_forbidden"),
    ],
)
def test_bounds_and_checks_hold(data: dict[str, Any], kind: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Hall.model_validate(data)
    assert [error["type"] for error in caught.value.errors()] == [kind]


@pytest.mark.parametrize(
    "data",
    [{"pairs": "2"}, {"pairs": True}, {"metres": "1"}, {"metres": True}, {"open": 1}, {"way": True}, {"steps": ["1"]}],
)
def test_text_and_truth_values_are_no_numbers(data: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Hall.model_validate(data)


def test_a_whole_number_may_have_a_point_and_a_bound_allows_its_end() -> None:
    made = Hall.model_validate({"pairs": 4.0, "metres": -1, "half": 9, "way": 1, "ratio": "4:3"})
    assert (made.pairs, made.metres, made.half, made.way, made.ratio) == (4, -1.0, 4, 1, Fraction(4, 3))


def test_old_names_are_read_and_the_schema_marks_them() -> None:
    assert Hall.model_validate({"title": "a"}).name == "a"
    schema = Hall.model_json_schema()
    assert schema["properties"]["title"]["deprecated"]
    assert schema["not"] == {"required": ["name", "title"]}


def test_faults_of_a_part_are_told_at_its_place() -> None:
    with pytest.raises(ValidationError) as caught:
        Hall.model_validate({"shelf": {"units": 0}, "shelves": {"a": {"rows": 1}, "b": 5}})
    places = [(error["loc"], error["type"]) for error in caught.value.errors()]
    assert places == [
        (("shelf", "units"), "greater_than"),
        (("shelves", "a", "rows"), "extra_forbidden"),
        (("shelves", "b"), "model_type"),
    ]


def test_models_are_values() -> None:
    one = Hall(word="ab", steps=(1,))
    assert (one.model_fields_set, one.metres, one.shelf.units) == ({"word", "steps"}, 0.0, 1)
    assert one == Hall.model_validate({"word": "ab", "steps": [1]})
    assert one != Hall(word="ab")
    assert {Shelf(units=2): 1}[Shelf(units=2)] == 1
    copy = pickle.loads(pickle.dumps(one))
    assert (copy, copy.model_fields_set) == (one, one.model_fields_set)
    with pytest.raises(ValidationError, match="frozen"):
        one.metres = 1.0  # type: ignore[misc]


def test_profiles_go_to_workers_and_a_switch_is_equal_to_itself_alone() -> None:
    catalog = Catalog()
    for kind in PROFILE_KINDS:
        profile = catalog.profile(kind, catalog.ids(kind)[0])
        copy = pickle.loads(pickle.dumps(profile))
        assert copy.model_dump() == profile.model_dump()
        assert (copy == profile) == (kind != "switches")


def made_from(base: type[FrozenModel]) -> set[type[FrozenModel]]:
    return {each for part in base.__subclasses__() for each in ({part} | made_from(part))}


def test_every_model_refuses_unknown_keys_and_changes() -> None:
    of_profiles = {find_model(kind) for kind in PROFILE_KINDS}
    models = made_from(FrozenModel)
    assert {Blueprint} | of_profiles <= models
    for model in models:
        assert (model.model_config["extra"], model.model_config["frozen"]) == ("forbid", True), model
