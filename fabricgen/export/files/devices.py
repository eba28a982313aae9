"""devices.csv: one row for each node, extra device, switch and scale-up tray."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, File, Table, counted, csv_file, positive
from fabricgen.numbering.lazy_columns import encode_column, encode_or_empty

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield devices.csv."""
    yield csv_file(table(cluster))


def rows(cluster: Cluster) -> int:
    """Number of devices."""
    return len(cluster.plan.devices)


def table(cluster: Cluster) -> Table:
    """Devices in the order of the device table; addresses are IPv4 where a device has one, else IPv6."""
    devices, allocated = cluster.plan.devices, cluster.addresses
    loopbacks, managements = allocated.list_device_addresses()
    of_class = {
        "fabric": [c.fabric for c in devices.classes],
        "tier": [c.tier for c in devices.classes],
        "model": [c.profile.id for c in devices.classes],
        "nos": [c.nos for c in devices.classes],
    }
    columns = {
        "device": cluster.names,
        **{name: encode_column(texts, devices.device_class) for name, texts in of_class.items()},
        "site": cluster.sites,
        "pod": encode_or_empty([p.name for p in cluster.design.layout.pods], devices.pod),
        "su": counted(devices.su),
        "rack": encode_column(cluster.plan.racks.names, devices.rack),
        "u": positive(devices.u),
        "rail": counted(devices.rail),
        "plane": counted(devices.plane),
        "asn": [str(n) if n else "" for n in allocated.asn.tolist()],
        "loopback": loopbacks,
        "mgmt": managements,
    }
    return Table("devices", columns)
