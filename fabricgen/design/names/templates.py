"""Names from templates: which template holds for whom, whether it tells devices apart, and names in columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TypeAlias

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.naming import Part, template_parts
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault

Values: TypeAlias = str | Sequence[str | int]
"""A field of many devices: one text for all, or a column of texts or of numbers."""


@dataclass(frozen=True)
class Naming:
    """How devices of one line of the blueprint are named: `who` they are, their template and its place."""

    who: str
    template: str
    path: Path

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The template, read."""
        return template_parts(self.template)

    @cached_property
    def fields(self) -> frozenset[str]:
        """Fields that the template names."""
        return frozenset(part.field for part in self.parts) - {""}

    def names(self, fields: Mapping[str, Values], count: int) -> list[str]:
        """The names of so many devices, from the values of their fields."""
        columns: list[Iterable[str]] = []
        before = ""
        for part in self.parts:
            before += part.text
            values = fields[part.field] if part.field else ""
            if isinstance(values, str):
                before += values
                continue
            texts = {value: before + str(value).zfill(part.width) for value in set(values)}
            columns.append(map(texts.__getitem__, values))
            before = ""
        return list(map("".join, zip(*columns, repeat(before, count), strict=True)))

    def check(self, texts: Sequence[str], numbers: Sequence[str], needed: Sequence[str]) -> None:
        """Check the fields: these devices have `texts` and `numbers`, and need those of `needed` for unique names.

        Raises InputError at the template.
        """
        for part in self.parts:
            if part.field and part.field not in (*texts, *numbers):
                raise fault(
                    "FG039",
                    f"names of {self.who} have no field {{{part.field}}}",
                    path=self.path,
                    hint=did_you_mean(part.field, (*texts, *numbers, "default")),
                )
            if part.width and part.field in texts:
                raise fault(
                    "FG039",
                    f"{{{part.field}}} is text and cannot have a width",
                    path=self.path,
                    hint=f"write {{{part.field}}}",
                )
        if missing := [field for field in needed if field not in self.fields]:
            listed = ", ".join(f"{{{field}}}" for field in missing)
            raise fault(
                "FG039",
                f"two {self.who} would get the same name: '{self.template}' lacks {listed}",
                path=self.path,
                hint=f"add {listed}, or write {{default}} for the default name",
            )


def with_own(blueprint: Blueprint, names: Sequence[str]) -> list[str]:
    """Names, with those that single devices have of their own in the place of the usual ones."""
    own = blueprint.names.devices
    return [own.get(name, name) for name in names] if own else list(names)


def stated(blueprint: Blueprint, fabric: str, tier: str) -> tuple[str, Path]:
    """The template of a tier, as stated nearest to it, and its place; "" where there is none."""
    names = blueprint.fabrics[fabric].names
    own: list[tuple[Mapping[str, str], Path]] = [(names, ("fabrics", fabric, "names"))]
    for templates, path in (*own, (blueprint.names.switches, ("names", "switches"))):
        for key in (tier, "all"):
            if key in templates:
                return templates[key], (*path, key)
    return "", ()
