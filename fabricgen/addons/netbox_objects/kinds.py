"""A kind of object of NetBox: its rows, what tells them apart, and which other objects they refer to.

Columns are named as in NetBox's forms for CSV (github.com/netbox-community/netbox v4.4.10:
netbox/dcim/forms/bulk_import.py, netbox/ipam/forms/bulk_import.py). Columns that are not references are fields of the
REST API of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from fabricgen.api import ClusterView

MAKER = "Generic"
"""The manufacturer of types for which no profile names one: NetBox requires one for every type."""

MARKS = ("is_primary", "is_oob")
"""Columns that are not fields of their object but of its device."""
FLAGS = {"true": True, "false": False}

Cell = str | int | float

Reference = tuple[str, tuple[str, ...]]
"""The name of a kind, and the columns that hold the key of the object referred to."""


MANUFACTURER: dict[str, Reference] = {"manufacturer": ("manufacturers", ("manufacturer",))}
"""The reference of a type to its manufacturer."""

IN_RACK: dict[str, Reference] = {
    "site": ("sites", ("site",)),
    "location": ("locations", ("site", "location")),
    "rack": ("racks", ("site", "location", "rack")),
}
"""The references of a device to its site, hall and rack."""

Ends = tuple[tuple[str, tuple[str, ...]], ...]
"""The name of a kind, and the key, of each port that a cable has at a side, in the order of its connectors."""

Mapped = tuple[tuple[int, tuple[str, ...], int], ...]
"""For each position of a front port: the position, the key of a rear port, and the position there."""

LEADS = "rear_ports"
"""The field of front ports with the rear ports that they lead to."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Objects of one kind, such as devices: equally long columns by name, with an entry for each object."""

    path: str
    """The path of the kind below /api/: dcim/devices."""
    name: str
    """The name of the kind, and of its file."""
    columns: Mapping[str, Sequence[Cell]]
    key: tuple[str, ...]
    """The columns that tell objects of the kind apart."""
    references: Mapping[str, Reference] = field(default_factory=dict)
    """By field of the REST API, what it refers to."""
    once: tuple[str, ...] = ("status", "color", "slug")
    """Columns that are written when an object is made, and then belong to the operator."""
    marked: Reference | None = None
    """The address by which the device of a row with one of MARKS is reached; None for the row itself."""
    any_case: bool = False
    """Whether NetBox treats keys that differ only in capitals as equal (v4.4.10: Lower("name") of devices at
    a site).
    """
    joins: Sequence[tuple[Ends, Ends]] = ()
    """For cables: what each row joins, at its two sides."""
    mapped: Sequence[Mapped] = ()
    """For front ports: what each row leads to."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return the objects as {column: value}; if the kind has `mapped`, an object has its entry there at `LEADS`."""
        columns = {**self.columns, LEADS: self.mapped} if self.mapped else self.columns
        return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))

    @property
    def plain(self) -> tuple[str, ...]:
        """The columns that are not part of a reference."""
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
"""By (kind, column), the number of characters that NetBox accepts (v4.4.10: netbox/dcim/models)."""


def check_lengths(view: ClusterView, kind: Kind) -> None:
    """Raise InputError (FG163) for a name that is longer than NetBox accepts."""
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
    """Return the rear port of a trunk behind `count` front ports of a panel from `first` on: `1-18`."""
    return f"{first}-{first + count - 1}"


def make_slug(text: str) -> str:
    """Return NetBox's name of an object in URLs: lower-case letters, digits and hyphens, at most 100."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:100]


def make_slugs(texts: Iterable[str]) -> list[str]:
    """Return the slugs of objects of one kind; if two would be equal (`a-b c`, `a b-c`), the later one gets a
    number.
    """
    used = dict[str, None]()
    for text in texts:
        first = make_slug(text) or "unnamed"
        numbered = chain([first], (f"{first[:96]}-{number}" for number in count(2)))
        used[next(candidate for candidate in numbered if candidate not in used)] = None
    return list(used)
