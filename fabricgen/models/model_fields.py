"""Which fields a model has at a place of its data."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from fabricgen.kernel.diagnostics import Path
from fabricgen.models.fields import FieldInfo
from fabricgen.models.plain_model import PlainModel, fields_of


def names_at(model: type[Any], path: Path, tags: Sequence[str] = ()) -> list[str]:
    """Return the keys that the mapping at `path` may have; `tags` (as pydantic has them) narrow unions."""
    return sorted({name for found in _models_at(model, path, tags) for name in fields_of(found)})


def field_hint(model: type[Any], path: Path, tags: Sequence[str] = ()) -> str:
    """Return what the field at `path` is for, where the model says so."""
    for found in _models_at(model, path[:-1], tags):
        info = fields_of(found).get(str(path[-1]))
        if info and info.description:
            return f"{path[-1]}: {info.description.rstrip('.')}"
    return ""


def fields_at(model: type[Any], path: Path) -> dict[str, FieldInfo]:
    """Return the fields of the mapping at `path`, by name."""
    return {name: info for found in _models_at(model, path, ()) for name, info in fields_of(found).items()}


def _models_at(model: type[Any], path: Path, tags: Sequence[str]) -> list[type[Any]]:
    inside: list[Any] = list(_unwrap(model))
    for part in path:
        inside = [t for each in inside for inner in _children(each, part) for t in _unwrap(inner)]
    here = [t for t in inside if _is_model(t)]
    return [m for m in here if _is_tagged(m, tags)] or here


def _unwrap(annotation: Any) -> Iterator[Any]:
    """The plain types that an annotation allows."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _unwrap(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _unwrap(member)
    elif hasattr(annotation, "__value__"):  # a type alias
        yield from _unwrap(annotation.__value__)
    elif _is_model(annotation) and "root" in fields_of(annotation):
        yield from _unwrap(fields_of(annotation)["root"].annotation)
    else:
        yield annotation


def _children(annotation: Any, part: str | int) -> Iterator[Any]:
    """What may stand under a key or index of a value of this type."""
    if _is_model(annotation):
        info = fields_of(annotation).get(str(part))
        if info:
            yield info.annotation
        return
    origin, arguments = get_origin(annotation), get_args(annotation)
    if not (isinstance(origin, type) and arguments):
        return
    if issubclass(origin, Mapping):
        yield arguments[1]
    elif issubclass(origin, tuple) and arguments[-1] is not Ellipsis:
        yield from arguments[part : part + 1] if isinstance(part, int) else ()
    elif issubclass(origin, Sequence | Set):
        yield arguments[0]


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and (issubclass(annotation, PlainModel) or hasattr(annotation, "model_fields"))


def _is_tagged(model: type[Any], tags: Sequence[str]) -> bool:
    """Say whether one of the tags means this model: its name, or a literal value of one of its fields."""
    if model.__name__ in tags:
        return True
    literals = (i.annotation for i in fields_of(model).values() if get_origin(i.annotation) is Literal)
    return any(str(value) in tags for literal in literals for value in get_args(literal))
