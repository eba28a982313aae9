"""Which fields a model has at a place of its data."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fabricgen.kernel.diagnostics import Path


def names_at(model: type[BaseModel], path: Path, tags: Sequence[str] = ()) -> list[str]:
    """Return the keys that the mapping at `path` may have; `tags` (as pydantic has them) narrow unions."""
    return sorted({name for found in _models_at(model, path, tags) for name in found.model_fields})


def field_hint(model: type[BaseModel], path: Path, tags: Sequence[str] = ()) -> str:
    """Return what the field at `path` is for, where the model says so."""
    for found in _models_at(model, path[:-1], tags):
        info = found.model_fields.get(str(path[-1]))
        if info and info.description:
            return f"{path[-1]}: {info.description.rstrip('.')}"
    return ""


def fields_at(model: type[BaseModel], path: Path) -> dict[str, FieldInfo]:
    """Return the fields of the mapping at `path`, by name."""
    return {name: info for found in _models_at(model, path, ()) for name, info in found.model_fields.items()}


def places_of(model: type[BaseModel], key: str) -> list[str]:
    """Return the mappings of a model that have a key, as `fabrics.NAME`, those that are least deep first."""
    places: list[str] = []
    reached: set[type] = set()
    layer: list[tuple[str, Any]] = [("", model)]
    while layer:
        below: list[tuple[str, Any]] = []
        for place, annotation in layer:
            for inner in _unwrap(annotation):
                if _is_model(inner) and inner not in reached:
                    reached.add(inner)
                    places += [place] * (key in inner.model_fields)
                    below += [(f"{place}.{n}".strip("."), f.annotation) for n, f in inner.model_fields.items()]
                elif isinstance(get_origin(inner), type) and issubclass(get_origin(inner), Mapping):
                    below.append((f"{place}.NAME", get_args(inner)[1]))
        layer = below
    return places


def _models_at(model: type[BaseModel], path: Path, tags: Sequence[str]) -> list[type[BaseModel]]:
    inside: list[Any] = list(_unwrap(model))
    for part in path:
        inside = [t for each in inside for inner in _children(each, part) for t in _unwrap(inner)]
    here: list[type[BaseModel]] = [t for t in inside if _is_model(t)]
    return [m for m in here if _is_tagged(m, tags)] or here


def _unwrap(annotation: Any) -> Iterator[Any]:
    """The plain types that an annotation allows."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _unwrap(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _unwrap(member)
    else:
        yield annotation


def _children(annotation: Any, part: str | int) -> Iterator[Any]:
    """What may stand under a key or index of a value of this type."""
    if _is_model(annotation):
        info = annotation.model_fields.get(str(part))
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
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _is_tagged(model: type[BaseModel], tags: Sequence[str]) -> bool:
    """Say whether one of the tags means this model: its name, or a literal value of one of its fields."""
    if model.__name__ in tags:
        return True
    literals = (i.annotation for i in model.model_fields.values() if get_origin(i.annotation) is Literal)
    return any(str(value) in tags for literal in literals for value in get_args(literal))
