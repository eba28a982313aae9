"""Our `dataclass` does as the standard one does; only what it costs differs."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pydantic
import pytest

from fabricgen.kernel import dataclass as ours

STANDARD, OURS = dataclasses.dataclass, ours.dataclass


def port(decorator: Callable[..., Any], **options: bool) -> Any:
    """A class with a default, a default factory and a field that is not compared."""

    class Port:
        """A port."""

        name: str
        lanes: tuple[int, ...] = (1, 2)
        tags: dict[str, int] = dataclasses.field(default_factory=dict, compare=False)

        @property
        def first(self) -> int:
            return self.lanes[0]

    return decorator(frozen=True, **options)(Port)


@OURS(frozen=True, slots=True)
class Pair:
    """Two numbers, known by the name of its module, as pickle wants it."""

    low: int
    high: int = 9

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


@pytest.mark.parametrize("slots", [False, True])
def test_values_are_made_shown_compared_and_replaced_as_standard_ones(slots: bool) -> None:
    usual, own = port(STANDARD, slots=slots), port(OURS, slots=slots)
    for given, named in ((("a",), {}), (("a", (3,)), {}), ((), {"lanes": (4,), "name": "b"}), (("a",), {"tags": {}})):
        expected, made = usual(*given, **named), own(*given, **named)
        assert repr(made) == repr(expected)
        assert dataclasses.asdict(made) == dataclasses.asdict(expected)
        assert hash(made) == hash(expected)
        assert made.first == expected.first
        assert repr(dataclasses.replace(made, name="z")) == repr(dataclasses.replace(expected, name="z"))
        assert hasattr(made, "__dict__") != slots
    assert own("a", tags={"x": 1}) == own("a")
    assert own("a") != own("b")
    assert own("a") != usual("a")
    assert own("a").tags is not own("a").tags


@pytest.mark.parametrize(
    ("given", "named"), [((), {}), (("a", (), {}, 4), {}), (("a",), {"name": "b"}), (("a",), {"colour": 1})]
)
def test_what_does_not_fit_the_fields_is_refused(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    for decorator in (STANDARD, OURS):
        with pytest.raises(TypeError):
            port(decorator)(*given, **named)


def test_nothing_changes_once_it_is_made() -> None:
    made = Pair(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.low = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del made.low
    assert pickle.loads(pickle.dumps(made)) == made == Pair(1, 9)
    with pytest.raises(ValueError, match="above"):
        Pair(10)


def test_identity_stands_where_values_are_not_compared() -> None:
    alone = port(OURS, eq=False)
    assert alone("a") != alone("a")


@OURS(order=True, slots=True)
class Place:
    """Where something stands, until it is moved."""

    kinds: ClassVar[tuple[str, ...]] = ("rack",)
    row: int
    column: int = 0


def test_ordered_classes_are_compared_by_their_fields_in_order() -> None:
    assert sorted([Place(2), Place(1, 5), Place(1)]) == [Place(1), Place(1, 5), Place(2)]
    assert Place(1) <= Place(1) < Place(1, 1)
    assert Place(2) >= Place(2) > Place(1, 9)
    with pytest.raises(TypeError):
        Place(1) < (1, 0)  # noqa: B015 - it raises
    with pytest.raises(ValueError, match="eq must be true"):
        OURS(order=True, eq=False)


def test_changing_classes_change_and_have_no_hash() -> None:
    place = pickle.loads(pickle.dumps(Place(1)))
    place.row = 2
    assert place == Place(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(place)
    assert not hasattr(place, "__dict__")


def test_annotations_stay_as_they_are_written_and_those_of_the_class_are_no_fields() -> None:
    assert [(field.name, field.type) for field in dataclasses.fields(Place)] == [("row", "int"), ("column", "int")]
    assert [field.type for field in dataclasses.fields(Pair)] == ["int", "int"]
    assert Pair.__annotations__ == {"low": "int", "high": "int"}
    assert Place.kinds == ("rack",)


def test_fields_that_the_constructor_does_not_take_are_refused() -> None:
    with pytest.raises(TypeError, match="every field"):
        OURS(frozen=True)(type("Odd", (), {"__annotations__": {"n": "int"}, "n": dataclasses.field(init=False)}))


@OURS(frozen=True, slots=True)
class Triple(Pair):
    """Adds to the fields of another class, and to its slots."""

    middle: int = 5


def test_fields_and_slots_of_a_base_class_stay_its_own() -> None:
    assert [field.name for field in dataclasses.fields(Triple)] == ["low", "high", "middle"]
    assert Triple.__slots__ == ("middle",)
    assert Triple.__match_args__ == ("low", "high", "middle")
    assert pickle.loads(pickle.dumps(Triple(1, 2, 3))) == Triple(1, 2, 3) != Pair(1, 2)
    with pytest.raises(ValueError, match="above"):
        Triple(10)


@pytest.mark.parametrize("default", [[], {}, set()])
def test_a_default_that_values_would_share_is_refused(default: object) -> None:
    for decorator in (STANDARD, OURS):
        with pytest.raises(ValueError, match="default_factory"):
            decorator(frozen=True)(type("Odd", (), {"__annotations__": {"n": "object"}, "n": default}))


@pytest.mark.parametrize("told", ["InitVar[int]", "dataclasses.InitVar[int]", "KW_ONLY"])
def test_what_is_no_field_for_the_standard_decorator_is_refused(told: str) -> None:
    with pytest.raises(TypeError, match=r"Odd\.n: no "):
        OURS(frozen=True)(type("Odd", (), {"__annotations__": {"n": told}}))


def test_a_class_with_slots_of_its_own_is_refused() -> None:
    for decorator in (STANDARD, OURS):
        with pytest.raises(TypeError, match="Odd"):
            decorator(slots=True)(type("Odd", (), {"__annotations__": {"n": "int"}, "__slots__": ("m",)}))


def test_pydantic_takes_them_for_dataclasses() -> None:
    assert pydantic.TypeAdapter(Pair).validate_python({"low": "3"}) == Pair(3)
