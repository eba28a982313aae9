"""Schemas of config_db.json tables: the forms of their keys and, for each form, the fields of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from fabricgen.models.base import FrozenModel
from fabricgen.render.checks.kinds import Check


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference: the value names a row in one of `tables`; `separator` for a list of references.

    `also` are words that are allowed and name no row.
    """

    tables: tuple[str, ...]
    separator: str = ""
    also: tuple[str, ...] = ()

    def targets(self, value: str) -> tuple[str, ...]:
        """The row keys that a value names; one that is empty names no row there is."""
        if not value:
            return ("",)
        parts = value.split(self.separator) if self.separator else (value,)
        return tuple(part for part in parts if part and part not in self.also)


def ref(*tables: str, separator: str = "", also: tuple[str, ...] = ()) -> Ref:
    """A reference to tables."""
    return Ref(tables, separator, also)


class Row(FrozenModel):
    """The fields of a row: strings whose annotations carry checks and references; fields with a default
    are optional.
    """


class Bare(Row):
    """A row without fields."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """A row with arbitrary fields: a check for the field names and one for the values; field names may be
    references.
    """

    field: Check
    value: Check
    ref: Ref | None = None


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One part of a key; parts are separated by bars."""

    check: Check
    ref: Ref | None = None


Fields: TypeAlias = type[Row] | Mapping


@dataclass(frozen=True, slots=True)
class Form:
    """A form of key, and the fields of its rows."""

    parts: tuple[KeyPart, ...]
    fields: Fields


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table and the forms of its keys; the first form that fits a key applies to the row."""

    name: str
    forms: tuple[Form, ...]


def table(name: str, *forms: tuple[Any, ...]) -> TableSchema:
    """A schema from forms (part of the key, ..., fields); a part is a check, or a check and a reference."""
    return TableSchema(name, tuple(Form(tuple(map(_part, parts)), fields) for *parts, fields in forms))


def _part(stated: Check | tuple[Check, Ref]) -> KeyPart:
    return KeyPart(*stated) if isinstance(stated, tuple) else KeyPart(stated)
