"""Keys of a blueprint that are written under a name they had before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from fabricgen.blueprint.base import Model, old_names
from fabricgen.blueprint.models import Blueprint
from fabricgen.kernel.diagnostics import Path
from fabricgen.models.json_schema import fields_at


class OldName(NamedTuple):
    """A key by its place, as it is written, and its name of today."""

    path: Path
    name: str


@cache
def _old_words() -> frozenset[str]:
    """Every old name of the language."""
    return frozenset(old for part in _parts(Model) for info in part.model_fields.values() for old in old_names(info))


def _parts(model: type[Model]) -> Iterator[type[Model]]:
    """The models that are made from one, and from those: all parts of the language."""
    for part in model.__subclasses__():
        yield part
        yield from _parts(part)


def old_names_in(data: Any) -> Iterator[OldName]:
    """Every key of a blueprint, as plain data, that has another name today."""
    for path in _keys_among(data, _old_words(), ()):
        for name, info in fields_at(Blueprint, path[:-1]).items():
            if path[-1] in old_names(info):
                yield OldName(path, name)


def _keys_among(data: Any, words: frozenset[str], above: Path) -> Iterator[Path]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        if key in words:
            yield (*above, key)
        yield from _keys_among(value, words, (*above, key))


def as_written(data: Any, path: Path) -> Path:
    """A path with the names that the text has, old ones where it uses them; what it lacks stays as it is."""
    found: list[str | int] = []
    for part in path:
        old: tuple[str, ...] = ()
        if isinstance(data, dict) and part not in data:
            info = fields_at(Blueprint, path[: len(found)]).get(str(part))
            old = tuple(name for name in old_names(info) if name in data) if info else ()
        found.append(old[0] if old else part)
        try:
            data = data[found[-1]]
        except (KeyError, IndexError, TypeError):
            return (*found, *path[len(found) :])
    return tuple(found)
