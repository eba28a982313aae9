"""A kind of object of NetBox: its rows, what tells them apart, and which other objects they refer to.

Columns are called as NetBox's forms for CSV call them (github.com/netbox-community/netbox v4.4.10:
netbox/dcim/forms/bulk_import.py, netbox/ipam/forms/bulk_import.py). Those that are no references are fields of the REST
API of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from fabricgen.api import ClusterView

MAKER = "Generic"
"""Who makes what no profile names a maker of: NetBox wants one of every type."""

MARKS = ("is_primary", "is_oob")
"""Columns that are no fields of their object but of its device."""
FLAGS = {"true": True, "false": False}

Cell = str | int | float

Reference = tuple[str, tuple[str, ...]]
"""(name of a kind, the columns that hold the key of the object referred to)."""


Ends = tuple[tuple[str, tuple[str, ...]], ...]
"""(name of a kind, key) of each port that a cable has at a side, in the order of its connectors."""

Mapped = tuple[tuple[int, tuple[str, ...], int], ...]
"""(position, key of a rear port, position there) of each position of a front port."""

LEADS = "rear_ports"
"""The field of front ports that has what they lead to."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Objects of one kind, a row each."""

    path: str
    """Below /api/: dcim/devices."""
    name: str
    """Of the kind, and of its file."""
    columns: Mapping[str, Sequence[Cell]]
    key: tuple[str, ...]
    """The columns that tell objects of the kind apart."""
    references: Mapping[str, Reference] = field(default_factory=dict)
    """Field of the REST API -> what it refers to."""
    once: tuple[str, ...] = ("status", "color", "slug")
    """Columns that are written when an object is made, and from then on are the operator's."""
    marked: Reference | None = None
    """What the device of a row with one of MARKS is reached at; else the row itself."""
    any_case: bool = False
    """Whether NetBox takes keys that differ in capitals alone for one (v4.4.10: Lower("name") of devices at a site)."""
    joins: Sequence[tuple[Ends, Ends]] = ()
    """Of cables: what each row joins, at its two sides."""
    mapped: Sequence[Mapped] = ()
    """Of front ports: what each row leads to."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The objects, each by column, and with what it leads to."""
        columns = {**self.columns, LEADS: self.mapped} if self.mapped else self.columns
        return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))

    @property
    def plain(self) -> tuple[str, ...]:
        """The columns that are no part of a reference."""
        reference_columns = {column for _, columns in self.references.values() for column in columns}
        columns = (*self.columns, LEADS) if self.mapped else self.columns
        return tuple(column for column in columns if column not in reference_columns)


LONGEST = {
    ("sites", "name"): 100,
    ("locations", "name"): 100,
    ("racks", "name"): 100,
    ("racks", "facility_id"): 50,
    ("device-roles", "name"): 100,
    ("devices", "name"): 64,
    ("interfaces", "name"): 64,
    ("interfaces", "label"): 64,
    ("vlans", "name"): 64,
    ("vrfs", "name"): 100,
    ("module-types", "model"): 100,
    ("module-bays", "name"): 64,
    ("cables", "label"): 100,
    ("panels", "name"): 64,
    ("pdus", "name"): 64,
    ("power-panels", "name"): 100,
    ("power-feeds", "name"): 100,
}
"""(kind, column) -> characters that NetBox takes (v4.4.10: netbox/dcim/models)."""


def check_lengths(view: ClusterView, kind: Kind) -> None:
    """Raise InputError (FG163) for a name that is longer than NetBox takes."""
    for name, column in kind.columns.items():
        most = LONGEST.get((kind.name, name))
        longest = max(map(str, column), key=len, default="") if most else ""
        if most and len(longest) > most:
            raise view.refuse(
                "FG163",
                f"{longest} has {len(longest)} characters, and NetBox takes at most {most} as {name} of {kind.name}",
                path=("name",),
                hint="shorter names: `names` of the blueprint states how devices are called",
            )


def name_rear_port(first: int, count: int) -> str:
    """The rear port of a trunk behind some front ports of a panel: `1-18`."""
    return f"{first}-{first + count - 1}"


def make_slug(text: str) -> str:
    """What NetBox calls an object in addresses: lower-case letters, digits and hyphens, at most 100."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:100]


def make_slugs(texts: Iterable[str]) -> list[str]:
    """Slugs of objects of one kind; where two would have one (`a-b c`, `a b-c`), the later has a number behind it."""
    used = dict[str, None]()
    for text in texts:
        first = make_slug(text) or "unnamed"
        numbered = chain([first], (f"{first[:96]}-{number}" for number in count(2)))
        used[next(candidate for candidate in numbered if candidate not in used)] = None
    return list(used)
