"""Names from templates: which template applies to which devices, whether it gives distinct names, and names in bulk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import NamedTuple, TypeAlias

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.naming import Part, parse_template
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault

Values: TypeAlias = str | Sequence[str | int]
"""The values of a template field for many devices: one text for all, or a column of texts or numbers."""


@dataclass(frozen=True)
class Naming:
    """A name template, its path in the blueprint, and in words the devices that it names (`who`)."""

    who: str
    template: str
    path: Path

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parsed template."""
        return parse_template(self.template)

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields that the template uses."""
        return frozenset(part.field for part in self.parts) - {""}

    def make_names(self, fields: Mapping[str, Values], count: int) -> list[str]:
        """Return the names of `count` devices, from the values of their fields."""
        columns: list[Iterable[str]] = []
        prefix = ""
        for part in self.parts:
            prefix += part.text
            values = fields[part.field] if part.field else ""
            if isinstance(values, str):
                prefix += values
                continue
            texts = {value: prefix + str(value).zfill(part.width) for value in set(values)}
            columns.append(map(texts.__getitem__, values))
            prefix = ""
        return list(map("".join, zip(*columns, repeat(prefix, count), strict=True)))

    def check(self, texts: Sequence[str], numbers: Sequence[str], needed: Sequence[str]) -> None:
        """Check the fields of the template: these devices have `texts` and `numbers`, and need the fields of `needed`
        for unique names. Raises InputError (FG039) at the template.
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
            missing_fields = ", ".join(f"{{{field}}}" for field in missing)
            raise fault(
                "FG039",
                f"two {self.who} would get the same name: '{self.template}' lacks {missing_fields}",
                path=self.path,
                hint=f"add {missing_fields}, or write {{default}} for the default name",
            )


def apply_stated_names(blueprint: Blueprint, names: Sequence[str]) -> list[str]:
    """Return the names, with those replaced that the blueprint states for single devices."""
    stated_names = blueprint.names.devices
    return [stated_names.get(name, name) for name in names] if stated_names else list(names)


def find_template(blueprint: Blueprint, fabric: str, tier: str) -> tuple[str, Path]:
    """Return the template stated nearest to a tier, and its path; ("", ()) if there is none."""
    names = blueprint.fabrics[fabric].names
    fabric_templates: list[tuple[Mapping[str, str], Path]] = [(names, ("fabrics", fabric, "names"))]
    for templates, path in (*fabric_templates, (blueprint.names.switches, ("names", "switches"))):
        for key in (tier, "all"):
            if key in templates:
                return templates[key], (*path, key)
    return "", ()


# Names of racks: kinds of racks by what they are for, their usual names, and the fields that templates may have.

NODES, NETWORK, SHARED, PANELS = "nodes", "network", "shared", "panels"
"""Keys of templates: racks of nodes, network racks of a unit and those that serve more than one, and patch racks."""

USUAL_RACKS = {
    NODES: "{pod}-su{su:02}-rk{rack:02}",
    NETWORK: "{pod}-su{su:02}-net{rack:02}",
    SHARED: "net-{run}-{n:02}",
    PANELS: "patch-{rule}-{place}-{n:02}",
}
RACK_WORDS = {
    NODES: "racks of nodes",
    NETWORK: "network racks of units",
    SHARED: "shared network racks",
    PANELS: "racks of patch panels",
}
_TEXTS = ("cluster", "site", "hall")
_NUMBERS = ("row", "column")
RACK_FIELDS = {
    NODES: ((*_TEXTS, "pod"), (*_NUMBERS, "su", "rack", "index")),
    NETWORK: ((*_TEXTS, "pod"), (*_NUMBERS, "su", "rack")),
    SHARED: ((*_TEXTS, "run"), (*_NUMBERS, "n")),
    PANELS: ((*_TEXTS, "rule", "place"), (*_NUMBERS, "n")),
}
"""Fields of templates that are texts, and numbers. Only units' node racks have a running number: a tier that comes adds
network racks to every unit."""


class UnitRack(NamedTuple):
    """A rack of a unit."""

    unit: int
    """The unit's number in the cluster, from 0."""
    rack: int
    """The rack's number in the unit, from 0, node racks before network racks."""
    node_racks: int
    """How many node racks the unit has."""

    @property
    def kind(self) -> str:
        """The key of its templates: what the rack is for."""
        return NODES if self.rack < self.node_racks else NETWORK


class PatchRack(NamedTuple):
    """A rack of patch panels and where it stands: hall, row and column count from 0."""

    rule: str
    """The rule of `cabling.patching` that asks for it."""
    place: str
    """The row or other place that its panels serve."""
    number: int
    hall: int
    row: int
    column: int
