"""netbox/: every object of NetBox that the cluster is, a CSV file a kind, in the order of import; on request."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.addons.netbox_objects.devices import make_device_kinds, make_manufacturer_kind
from fabricgen.addons.netbox_objects.kinds import Kind, check_lengths
from fabricgen.addons.netbox_objects.numbers import make_address_kinds, make_number_kinds
from fabricgen.addons.netbox_objects.places import make_place_kinds
from fabricgen.addons.netbox_objects.ports import make_port_kinds
from fabricgen.api import ClusterView, write_csv


def files(view: ClusterView) -> Iterator[tuple[str, str | bytes]]:
    """Yield NN-KIND.csv and README.txt; raises InputError (FG163) for a name that is too long for NetBox."""
    lines = [f"{view.name} for NetBox: import these files in this order", ""]
    for number, kind in enumerate(filter(len, list_objects(view)), start=1):
        name = f"{number:02d}-{kind.name}.csv"
        lines.append(f"{name:<28} {len(kind):>9,}  /{kind.path}/import/")
        yield name, write_csv(kind.columns)
    yield "README.txt", "\n".join(lines) + "\n"


def list_objects(view: ClusterView) -> Iterator[Kind]:
    """The objects of a cluster, kind by kind; raises InputError (FG163) for a name that is longer than NetBox takes."""
    for make_kinds in (
        make_manufacturer_kind,
        make_place_kinds,
        make_device_kinds,
        make_number_kinds,
        make_port_kinds,
        make_address_kinds,
    ):
        for kind in make_kinds(view):
            check_lengths(view, kind)
            yield kind
