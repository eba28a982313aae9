"""What a table of config_db.json is: the forms of its keys and, for each, the fields of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from fabricgen.models.base import FrozenModel
from fabricgen.render.checks.kinds import Check


@dataclass(frozen=True, slots=True)
class Ref:
    """A value that names a row of a table, or one row of several tables; `separator` of a list of them.

    `also` are words that name no row.
    """

    tables: tuple[str, ...]
    separator: str = ""
    also: tuple[str, ...] = ()

    def targets(self, value: str) -> tuple[str, ...]:
        """The rows that a value names."""
        parts = value.split(self.separator) if self.separator else (value,)
        return tuple(part for part in parts if part and part not in self.also)


def ref(*tables: str, separator: str = "", also: tuple[str, ...] = ()) -> Ref:
    """Make a reference to tables."""
    return Ref(tables, separator, also)


class Row(FrozenModel):
    """Fields of a row, each a string with checks and references in its annotation; one with a default may be absent."""


class Bare(Row):
    """A row whose key says all."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """A row whose fields are data: each field and each value of a kind; fields may name rows too."""

    field: Check
    value: Check
    ref: Ref | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a key, between bars."""

    check: Check
    ref: Ref | None = None


Fields: TypeAlias = type[Row] | Mapping


@dataclass(frozen=True, slots=True)
class Form:
    """A form of key and the fields of its rows."""

    parts: tuple[Part, ...]
    fields: Fields


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the forms of its keys: the first that fits a key judges the row."""

    name: str
    forms: tuple[Form, ...]


def table(name: str, *forms: tuple[Any, ...]) -> Table:
    """A table of forms (part of the key, ..., fields); a part is a check, or a check and a reference."""
    return Table(name, tuple(Form(tuple(map(_part, parts)), fields) for *parts, fields in forms))


def _part(stated: Check | tuple[Check, Ref]) -> Part:
    return Part(*stated) if isinstance(stated, tuple) else Part(stated)
