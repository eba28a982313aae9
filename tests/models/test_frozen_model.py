"""Models of the language: what pydantic makes of the same declarations, without pydantic where nothing is wrong."""

import pickle
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.scalars import Name, Ratio
from fabricgen.catalog.models import PROFILE_KINDS
from fabricgen.models.as_pydantic import adapter
from fabricgen.models.fields import AfterValidator, BeforeValidator, Field, model_validator
from fabricgen.models.model_data import plain_data
from fabricgen.models.plain_model import PlainModel
from fabricgen.models.sure_reading import surely_read


class Shelf(Model):
    """A part."""

    units: int = Field(1, gt=0)


class Hall(Model):
    """A whole with a field of every kind there is."""

    name: Name | None = Field(None, old_names=("title",))
    word: Annotated[str, Field(pattern=r"^[a-c]+$")] = Field("a", min_length=1, max_length=3)
    metres: float = Field(0.0, ge=-1, le=2, lt=1.5)
    open: bool | Shelf = Field(True)
    way: Literal["in", "out", 1] = Field("in")
    steps: tuple[int, ...] = Field((), max_length=2)
    at: tuple[float, str] | None = None
    ratio: Ratio | None = None
    half: Annotated[int, BeforeValidator(lambda value: [value][0]), AfterValidator(lambda value: value // 2)] = 4
    places: int | str = 0
    extra: Any = None
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


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, of the same types all through, and the same of them is stated."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Model):
        return one.model_fields_set == other.model_fields_set and same(vars(one), vars(other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def holds_part(value: Any) -> bool:
    """Whether a model is somewhere in data."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, Shelf) or any(map(holds_part, inside))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.floats()
    | st.sampled_from(["", "a", "b", "bb", "in", "ab\n", "1", "2:1", "4/3", "é", "abcd", Fraction(1, 3), 10**400])
    | st.sampled_from([{"units": 2}, {"units": 5}, {"units": 0}, {"units": 2.0}, {"x": Shelf.model_construct()}])
    | st.just(Shelf.model_construct(units=3)),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from(["a", "units", "x"]), inside),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from([*Hall.model_fields, "title", "nmae"]), VALUES, max_size=3))
@example({"extra": {"x": Shelf.model_construct()}})
@example({"places": "5", "metres": 1, "at": [1, "a"], "open": False, "ratio": "2:1"})
@example({"shelf": {"units": 4}, "shelves": {"a": {}}, "steps": [1, 2], "way": 1, "half": 9})
def test_what_is_surely_right_is_what_pydantic_makes_of_it(data: dict[str, Any]) -> None:
    found = surely_read(Hall, data)
    try:
        expected = adapter(Hall).validate_python(data)
    except ValidationError:
        assert found is None
    else:
        assert found is None or same(found, expected)
        assert same(Hall.model_validate(data), expected)
        if not holds_part(expected.extra):  # a field of any type holds JSON, or pydantic cannot write it
            assert plain_data(expected) == adapter(Hall).dump_python(expected, mode="json", exclude_defaults=True)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"name": "a-1", "word": "ab", "metres": 1, "open": True, "way": "out", "steps": [1, 2], "at": [1.5, "x"]},
        {"ratio": "4:3", "half": 8, "places": "5%", "extra": {"a": [1]}, "shelf": {"units": 2}, "shelves": {"a": {}}},
        {"open": {"units": 3}, "name": None, "way": 1, "places": 3, "shelf": Shelf.model_construct(units=3)},
    ],
)
def test_what_is_written_as_the_language_has_it_needs_no_pydantic(data: dict[str, Any]) -> None:
    assert same(surely_read(Hall, data), adapter(Hall).validate_python(data))


@pytest.mark.parametrize(
    "data", [{"title": "a"}, {"metres": True}, {"steps": (i for i in (1, 2))}, {"shelf": {"units": 2.0}}, {"half": 3.0}]
)
def test_what_needs_a_conversion_is_left_to_pydantic(data: dict[str, Any]) -> None:
    assert surely_read(Hall, data) is None


def test_old_names_are_read_and_other_keys_refused() -> None:
    assert Hall.model_validate({"title": "a"}).name == "a"
    with pytest.raises(ValidationError, match="extra"):
        Hall.model_validate({"titel": "a"})


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
    schema = adapter(Hall).json_schema()
    assert schema["properties"]["shelf"]["$ref"] == "#/$defs/Shelf"
    assert schema["properties"]["shelves"]["additionalProperties"] == {"$ref": "#/$defs/Shelf"}
    assert schema["$defs"]["Shelf"]["properties"]["units"]["exclusiveMinimum"] == 0
    assert schema["properties"]["title"]["deprecated"]


def test_models_are_values() -> None:
    one = Hall(word="ab", steps=(1,))
    assert (one.model_fields_set, one.metres, one.shelf.units) == ({"word", "steps"}, 0.0, 1)
    assert one == Hall.model_validate({"word": "ab", "steps": [1]})
    assert one != Hall(word="ab")
    assert one != Shelf()
    other = one.model_copy(update={"metres": 1.0})
    assert (other.metres, other.word, one.metres) == (1.0, "ab", 0.0)
    assert other.model_fields_set == {"word", "steps", "metres"}
    assert same(pickle.loads(pickle.dumps(other)), other)
    assert hash(Shelf(units=2)) == hash(Shelf(units=2))
    assert repr(Shelf(units=2)) == "Shelf(units=2)"
    with pytest.raises(AttributeError, match="frozen"):
        one.metres = 1.0  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del one.metres
    with pytest.raises(ValidationError):
        Shelf(units=0)


def test_what_can_change_is_no_default_of_two_models() -> None:
    assert Hall().shelves is not Hall().shelves
    assert Hall.model_construct().shelf is not Hall.model_construct().shelf
    assert not hasattr(Hall, "shelves")


def test_a_field_that_cannot_be_read_is_refused_where_it_is_declared() -> None:
    with pytest.raises(TypeError, match="annotations"):
        type("Late", (Model,), {"__annotations__": {"units": "int"}, "units": 1})
    with pytest.raises(TypeError, match="default_factory"):
        type("Shared", (Model,), {"__annotations__": {"units": dict[str, int]}, "units": {}})


def made_from(base: type) -> Iterator[type]:
    for each in base.__subclasses__():
        yield each
        yield from made_from(each)


def test_annotations_are_compiled_with_modules_of_models_and_left_as_text_in_those_of_plain_ones() -> None:
    """Either costs the start least: models are read at every start, and plain ones when a file is validated.

    Only of the two packages that every start loads; what else is there depends on which tests ran before.
    """
    assert {Blueprint, *PROFILE_KINDS.values()} <= {*made_from(Model), *made_from(PlainModel)}
    loaded = ("fabricgen.blueprint.", "fabricgen.catalog.")
    models = [m for base in (Model, PlainModel) for m in made_from(base) if m.__module__.startswith(loaded)]
    assert len(models) > 60
    for model in models:
        assert hasattr(sys.modules[model.__module__], "annotations") == issubclass(model, PlainModel), model
