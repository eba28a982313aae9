"""How models declare their fields: pydantic's words, without pydantic.

Its import and its classes were a third of a lint, and what is right needs neither (sure_reading.py). What is
wrong is told by pydantic, to which each of these words is handed on as the one of the same name (as_pydantic.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_origin

F = TypeVar("F")

MISSING: Any = ...
"""In place of a default: the field is required."""

_OF_CLASSES: tuple[Any, ...] = (ClassVar,)
"""Origins of annotations that declare no field."""

CHECKED = "__checked__"
"""Attribute of a function that checks a whole model: `before` or `after` its fields are read."""


class Declared:
    """What `Field` was told: a default or what makes one, bounds, and what people and editors are told."""

    __slots__ = ("default", "default_factory", "terms")

    def __init__(self, default: Any, default_factory: Callable[[], Any] | None, terms: Mapping[str, Any]) -> None:
        self.default, self.default_factory, self.terms = default, default_factory, terms


def Field(  # noqa: N802 - as pydantic's
    default: Any = MISSING, *, default_factory: Callable[[], Any] | None = None, **terms: Any
) -> Any:
    """A field, or what an annotation asks of a value, with pydantic's names: gt, max_length, pattern, description..."""
    return Declared(default, default_factory, terms)


class BeforeValidator:
    """What is made of a value, or raises ValueError, before its type is looked at."""

    __slots__ = ("func",)

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self.func = func


class AfterValidator:
    """What is made of a value, or raises ValueError, once it is of its type."""

    __slots__ = ("func",)

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self.func = func


class WithJsonSchema:
    """The schema that editors see, in place of the type's."""

    __slots__ = ("json_schema",)

    def __init__(self, json_schema: dict[str, Any]) -> None:
        self.json_schema = json_schema


def model_validator(*, mode: str) -> Callable[[F], F]:
    """Mark a method that checks a whole model, `after` its fields are read; or its data, `before`: a class method."""

    def marked(function: F) -> F:
        setattr(getattr(function, "__func__", function), CHECKED, mode)
        return function

    return marked


class FieldInfo:
    """A field of a model: its type as annotated, and what it was declared as: defaults, bounds, what it is for."""

    __slots__ = ("declared", "description", "hint")

    def __init__(self, hint: Any, default: Any = MISSING) -> None:
        self.hint = hint
        self.declared = default if isinstance(default, Declared) else Declared(default, None, {})
        if isinstance(self.declared.default, dict | list | set):
            raise TypeError(f"{self.declared.default!r} would be shared by all models; give a default_factory")
        told = [self.declared, *(asked for asked in reversed(self.metadata) if isinstance(asked, Declared))]
        self.description: str | None = next((t.terms["description"] for t in told if "description" in t.terms), None)

    @property
    def annotation(self) -> Any:
        """The type, without what more is asked of values."""
        return get_args(self.hint)[0] if get_origin(self.hint) is Annotated else self.hint

    @property
    def metadata(self) -> tuple[Any, ...]:
        """What more its annotation asks of values."""
        found: tuple[Any, ...] = get_args(self.hint)[1:] if get_origin(self.hint) is Annotated else ()
        return found

    @property
    def old_names(self) -> tuple[str, ...]:
        """The names that it had before."""
        found: tuple[str, ...] = self.declared.terms.get("old_names", ())
        return found

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.declared.default is MISSING and self.declared.default_factory is None

    def get_default(self) -> Any:
        """What it is where nothing is stated; a new one each time where it could be changed."""
        made = self.declared.default_factory
        return self.declared.default if made is None else made()


def declared_fields(model: type) -> Iterator[tuple[str, FieldInfo]]:
    """The fields that a class itself declares, which are taken off it: an instance without one must not show them."""
    hints: dict[str, Any] = model.__annotations__
    of_instances = {name: hint for name, hint in hints.items() if get_origin(hint) not in _OF_CLASSES}
    for name, hint in of_instances.items():
        if isinstance(hint, str):
            raise TypeError(f"{model.__name__}.{name}: its module must do without `from __future__ import annotations`")
        yield name, FieldInfo(hint, vars(model).get(name, MISSING))
        if name in vars(model):
            delattr(model, name)
