"""Names from templates: which template applies to which devices, whether it gives distinct names, and names in bulk."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from typing import NamedTuple, TypeAlias

from fabricgen.blueprint.beside.lock import INDEXES
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.naming import Part, parse_template
from fabricgen.design.layout import Layout
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    allocate_intervals,
    list_numbers,
    make_intervals,
)

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

    def make_names(self, fields: Mapping[str, Values | Callable[[], Values]], count: int) -> list[str]:
        """Return the names of `count` devices. `fields` has the values of each field, or a function that computes them,
        which is called only if the template has the field.
        """
        columns: list[Iterable[str]] = []
        prefix = ""
        for part in self.parts:
            prefix += part.text
            values = fields[part.field] if part.field else ""
            values = values() if callable(values) else values
            if isinstance(values, str):
                prefix += values
                continue
            # Each column holds the text before its field too, so that names are joined of as few parts as possible.
            text_of_value = {value: prefix + str(value).zfill(part.width) for value in set(values)}
            columns.append(map(text_of_value.__getitem__, values))
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
    """A rack of patch panels and where it stands: number, hall (an index), row and column count from 0."""

    rule: str
    """The entry of `cabling.patch` that asks for it."""
    place: str
    """The row or other place that its panels serve."""
    number: int
    hall: int
    row: int
    column: int


# Running numbers, `{index}` of names, through units of several kinds: one block for each pod, which the lock keeps.
# If all units are of one kind, numbers follow from the slots of units and need no memory.


RACKS = "racks"
"""The owner of running numbers of node racks, in the lock."""


class CountedNames(NamedTuple):
    """How devices are counted that have running numbers, by pod."""

    usual: Mapping[str, Sequence[int]]
    """The running numbers, from 0, of its devices if each kind of units counts by itself."""
    sizes: Mapping[str, int]
    """How many numbers it needs, reserved ones included."""


def count_members(layout: Layout, per_unit: Sequence[int]) -> CountedNames:
    """Return how members of units are counted by pod, with `per_unit` members in each unit of a pod: by slot, so that
    growth changes no number. `per_unit` is in the order of the pods.
    """
    unit_slots = iter(layout.number_units("all", by_slot=True))
    pods_and_counts = list(zip(layout.pods, per_unit, strict=True))
    numbers = {
        pod.name: [slot * count + member for slot in islice(unit_slots, pod.su) for member in range(count)]
        for pod, count in pods_and_counts
    }
    return CountedNames(numbers, {pod.name: pod.slots * count for pod, count in pods_and_counts if count})


def name_numbers_kind(owner: str) -> str:
    """Return the kind of lock entry for running numbers of `owner`: `FABRIC TIER`, `nodes TEMPLATE` or `racks`."""
    return f"{INDEXES} {owner}"


def allocate_blocks(layout: Layout, owner: str, kind_count: int, counted: CountedNames) -> Allocations:
    """Return the block of running numbers, from 0, of each pod, if numbers count on through units of `kind_count`
    kinds; empty if there is one kind, and the lock has no blocks. `owner` is what is numbered, as for
    `name_numbers_kind`.

    Pods of a lock that was made before another kind came keep their usual numbers, unless a pod before has one of them.
    Other pods get the first free block.
    """
    kept_blocks = dict(layout.lock.find_allocations(name_numbers_kind(owner)))
    if kind_count < 2 and not kept_blocks:
        return {}
    taken_numbers: set[int] = set()
    for pod in () if kept_blocks else layout.lock.find_allocations("units"):
        numbers = counted.usual.get(pod, ())
        if numbers and taken_numbers.isdisjoint(numbers):
            kept_blocks[pod] = make_intervals(numbers)
            taken_numbers.update(numbers)
    # pods of the lock get their reserve before new pods get numbers
    pods = sorted(
        (pod.name for pod in layout.pods if pod.name in counted.sizes), key=lambda pod: pod not in kept_blocks
    )
    requests = [AllocationRequest(pod, counted.sizes[pod], (Interval(0, 1 << 40),)) for pod in pods]
    return {**kept_blocks, **allocate_intervals(kept_blocks, requests)}


def list_block_numbers(blocks: Allocations, counted: CountedNames) -> Mapping[str, Sequence[int]]:
    """Return, by pod, the running numbers from 0 of its devices in their order: those of `blocks`, or the usual ones if
    there are no blocks.
    """
    return {pod: list(list_numbers(intervals)) for pod, intervals in blocks.items()} or counted.usual


def count_racks(layout: Layout) -> CountedNames:
    """Return how node racks are counted."""
    return count_members(layout, [kind.racks for kind in layout.kind_of_pod])


def allocate_rack_blocks(blueprint: Blueprint, layout: Layout) -> Allocations:
    """Return the running numbers of node racks by pod, from 0; empty if each kind of units counts by itself."""
    template = blueprint.names.racks.get("nodes", blueprint.names.racks.get("all", ""))
    has_index_alone = {part.field for part in parse_template(template)} - {"", "cluster"} == {"index"}
    return allocate_blocks(layout, RACKS, len(layout.kinds), count_racks(layout)) if has_index_alone else {}
