"""Plain data as an instance of a model, where it is right beyond doubt; whatever else it is, pydantic judges.

Only what pydantic takes as it stands is taken here: a whole number where one is asked for, not 2.0 for 2. So there is
no second opinion on what is wrong, and none of what a conversion gives: the two agree wherever this one has a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from fabricgen.models.fields import AfterValidator, BeforeValidator, Declared
from fabricgen.models.frozen_model import FrozenModel, fill

M = TypeVar("M")
Reader: TypeAlias = Callable[[Any], Any]

_BOUNDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": lambda bound, value: value > bound,
    "ge": lambda bound, value: value >= bound,
    "lt": lambda bound, value: value < bound,
    "le": lambda bound, value: value <= bound,
    "min_length": lambda bound, value: len(value) >= bound,
    "max_length": lambda bound, value: len(value) <= bound,
    # One line of ASCII: of that, all kinds of regular expressions think alike.
    "pattern": lambda bound, value: value.isascii() and "\n" not in value and bool(re.search(bound, value)),
}
"""What a value must be, in the order in which it is looked at: the length of a text before its form."""


class _UnsureError(Exception):
    """Pydantic must judge."""


def surely_read(model: type[M], data: Any) -> M | None:
    """The data as an instance; None where only pydantic can say what it is, or what is wrong with it.

    Plain models (plain_model.py) are always left to pydantic: few files have any.
    """
    kind: Any = model
    if not issubclass(kind, FrozenModel):
        return None
    try:
        found: M = _reader_of(kind)(data)
    except Exception:  # noqa: BLE001 - checks raise what they like; pydantic runs them again, and tells
        return None
    return found


@cache
def _reader_of(model: Any) -> Reader:
    return _ModelReader(model).read


class _ModelReader:
    """Reads a model; what reads a field of it is made when it is first stated: most fields never are."""

    def __init__(self, model: type[FrozenModel]) -> None:
        fields, checks = model.model_fields, model.__checks__
        self._model = model
        self._usual = {name: info.declared.default for name, info in fields.items()}
        self._needed = {name for name, info in fields.items() if info.is_required}
        self._made = [(name, made) for name, info in fields.items() if (made := info.declared.default_factory)]
        self._readers: dict[str, Reader] = {}
        self._before = [name for name, when in checks.items() if when == "before"]
        self._after = [name for name, when in checks.items() if when == "after"]

    def read(self, data: Any) -> FrozenModel:
        """The data as an instance; raises whatever it likes where that is not sure."""
        for name in self._before:
            data = getattr(self._model, name)(data)
        found: FrozenModel = data if isinstance(data, self._model) else self._read_fields(data)
        for name in self._after:
            found = getattr(found, name)()
        return found

    def _read_fields(self, data: Any) -> FrozenModel:
        if type(data) is not dict or not self._needed <= data.keys() <= self._usual.keys():
            raise _UnsureError
        values = self._usual.copy()
        for name, value in data.items():
            reader = self._readers.get(name)
            if reader is None:
                info = self._model.model_fields[name]
                reader = self._readers[name] = _reader(info.hint, info.declared)
            values[name] = reader(value)
        for name, made in self._made:
            if name not in data:
                values[name] = made()
        return fill(object.__new__(self._model), values, set(data))


def _reader(annotation: Any, *asked: Any) -> Reader:
    """What reads values of a type, with what else is asked of them; raises _UnsureError for types it does not know."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _asked(_reader(inside[0]), (*asked, *inside[1:]))
    if asked:
        return _asked(_reader(annotation), asked)
    if origin in (Union, UnionType):
        return partial(_one_of, [_reader(member) for member in inside])
    if origin is Literal:
        return partial(_chosen, {(type(word), word): word for word in inside})
    if origin is dict:
        return partial(_mapping, _reader(inside[0]), _reader(inside[1]))
    if origin is tuple and len(inside) == 2 and inside[1] is Ellipsis:
        return partial(_items, _reader(inside[0]))
    if origin is tuple:
        return partial(_each, [_reader(item) for item in inside])
    if annotation in (str, int, bool, NoneType, Fraction):
        return partial(_exactly, annotation)
    if annotation is float:
        return _number
    if annotation is Any:
        return lambda value: value
    is_model = isinstance(annotation, type) and issubclass(annotation, FrozenModel)
    if is_model:
        return _reader_of(annotation)
    raise _UnsureError


def _asked(reader: Reader, metadata: Iterable[Any]) -> Reader:
    """A reader with all that is asked of its values, in its order."""
    for asked in metadata:
        if isinstance(asked, BeforeValidator):
            reader = partial(_after, asked.func, reader)
        elif isinstance(asked, AfterValidator):
            reader = partial(_after, reader, asked.func)
        elif isinstance(asked, Declared):
            reader = _bounded(reader, asked.terms)
    return reader


def _after(first: Reader, then: Reader, value: Any) -> Any:
    return then(first(value))


def _bounded(reader: Reader, terms: Mapping[str, Any]) -> Reader:
    """A reader that looks at bounds too, where there are any; nothing is no value that these are of."""
    holds = [partial(check, terms[word]) for word, check in _BOUNDS.items() if word in terms]
    return partial(_within, reader, holds) if holds else reader


def _within(reader: Reader, holds: Sequence[Callable[[Any], bool]], value: Any) -> Any:
    found = reader(value)
    if found is not None and not all(check(found) for check in holds):
        raise _UnsureError
    return found


def _exactly(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise _UnsureError
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise _UnsureError
    return float(value)


def _chosen(words: Mapping[tuple[type, Any], Any], value: Any) -> Any:
    return words[type(value), value]


def _mapping(key_of: Reader, value_of: Reader, value: Any) -> dict[Any, Any]:
    if type(value) is not dict:
        raise _UnsureError
    return {key_of(key): value_of(item) for key, item in value.items()}


def _items(item_of: Reader, value: Any) -> tuple[Any, ...]:
    if type(value) not in (list, tuple):
        raise _UnsureError
    return tuple([item_of(item) for item in value])


def _each(items_of: list[Reader], value: Any) -> tuple[Any, ...]:
    if type(value) not in (list, tuple):
        raise _UnsureError
    return tuple([read(item) for read, item in zip(items_of, value, strict=True)])


def _one_of(members: list[Reader], value: Any) -> Any:
    """A value that is of one kind and no other."""
    found = [each for read in members for each in _if_right(read, value)]
    if len(found) != 1:
        raise _UnsureError
    return found[0]


def _if_right(read: Reader, value: Any) -> tuple[Any, ...]:
    try:
        return (read(value),)
    except Exception:  # noqa: BLE001 - see surely_read
        return ()
