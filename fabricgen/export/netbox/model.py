"""All objects of NetBox that a cluster is, kind by kind in the order in which they are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.cluster import Cluster
from fabricgen.export.netbox.devices import devices, maker_of, makers
from fabricgen.export.netbox.kinds import Kind
from fabricgen.export.netbox.numbers import addresses, numbers
from fabricgen.export.netbox.places import MAKER, places, rack_makers
from fabricgen.export.netbox.ports import ports
from fabricgen.kernel.diagnostics import fault
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn, LazyColumn, StackedColumn

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
}
"""(kind, column) -> characters that NetBox takes (v4.4.10: netbox/dcim/models)."""


def objects(cluster: Cluster) -> list[Kind]:
    """The objects of a cluster; raises InputError (FG163) for a name that is longer than NetBox takes."""
    made = [maker_of(cls.profile) for cls in cluster.plan.devices.classes]
    kinds = [
        makers([MAKER, *made, *rack_makers(cluster)]),
        *places(cluster),
        *devices(cluster),
        *numbers(cluster),
        *ports(cluster),
        *addresses(cluster),
    ]
    for kind in kinds:
        _check(cluster, kind)
    return kinds


def _check(cluster: Cluster, kind: Kind) -> None:
    for name, column in kind.table.columns.items():
        most = LONGEST.get((kind.name, name))
        longest = max(_texts(column), key=len, default="") if most else ""
        if most and len(longest) > most:
            raise cluster.design.loaded.located(
                fault(
                    "FG163",
                    f"{longest} has {len(longest)} characters, and NetBox takes at most {most} as {name} "
                    f"of {kind.name}",
                    path=("name",),
                    hint="shorter names: `names` of the blueprint states how devices are called",
                )
            )


def _texts(column: Sequence[object]) -> Iterator[str]:
    """The texts of a column, each once where it is encoded."""
    if isinstance(column, StackedColumn):
        for part in column.columns:
            yield from _texts(part)
    elif isinstance(column, EncodedColumn):
        yield from map(str, column.vocabulary.tolist())
    else:
        assert isinstance(column, LazyColumn | ConcatenatedColumn | list | tuple)  # noqa: S101 - all kinds of column
        yield from map(str, column)
