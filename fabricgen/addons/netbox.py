"""netbox/: every object of NetBox that the cluster is, a CSV file a kind, in the order of import; on request."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.addons.netbox_objects.cables import make_link_cable_kind, make_piece_kind
from fabricgen.addons.netbox_objects.devices import make_device_kinds, make_manufacturer_kind, make_place_kinds
from fabricgen.addons.netbox_objects.kinds import Kind, check_lengths
from fabricgen.addons.netbox_objects.numbers import make_address_kinds, make_number_kinds
from fabricgen.addons.netbox_objects.panels import make_panel_kinds, make_power_kinds
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


def list_objects(view: ClusterView, *, pieces: bool = False) -> Iterator[Kind]:
    """Yield the objects of a cluster, kind by kind; raises InputError (FG163) for a name longer than NetBox accepts.

    With `pieces`, cabling is as NetBox 4.5 and later hold it through their REST API: panels, power, and a cable for
    each piece that is laid. Without it there is a cable for each link.
    """
    for make_kinds in (
        make_manufacturer_kind,
        make_place_kinds,
        make_device_kinds,
        make_number_kinds,
        make_port_kinds,
        *((make_panel_kinds, make_power_kinds, make_piece_kind) if pieces else (make_link_cable_kind,)),
        make_address_kinds,
    ):
        for kind in make_kinds(view):
            check_lengths(view, kind)
            yield kind
