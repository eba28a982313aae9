"""devices.csv: one row for each node, extra device, switch and scale-up tray."""

from __future__ import annotations

from fabricgen.cluster import Cluster
from fabricgen.export.table import encode_from_one, encode_positive, yield_table
from fabricgen.numbering.lazy_columns import encode_column, encode_or_empty
from fabricgen.reports.table import Table

ON_REQUEST = False


def rows(cluster: Cluster) -> int:
    """Return the work of writing devices.csv, counted in rows of links.csv: one for each device."""
    return len(cluster.plan.devices)


def make_table(cluster: Cluster) -> Table:
    """Return the devices in the order of the device table; addresses are IPv4 if a device has one, else IPv6."""
    devices, allocated = cluster.plan.devices, cluster.addresses
    loopbacks, managements = allocated.list_device_addresses()
    class_texts = {
        "fabric": [c.fabric for c in devices.classes],
        "tier": [c.tier for c in devices.classes],
        "model": [c.profile.id for c in devices.classes],
        "nos": [c.nos for c in devices.classes],
    }
    return Table(
        "devices",
        {
            "device": cluster.names,
            **{name: encode_column(texts, devices.device_class) for name, texts in class_texts.items()},
            "site": cluster.sites,
            "pod": encode_or_empty([p.name for p in cluster.design.layout.pods], devices.pod),
            "su": encode_from_one(devices.su),
            "rack": encode_column(cluster.plan.racks.names, devices.rack),
            "u": encode_positive(devices.u),
            "rail": encode_from_one(devices.rail),
            "plane": encode_from_one(devices.plane),
            "asn": [str(n) if n else "" for n in allocated.asn.tolist()],
            "loopback": loopbacks,
            "mgmt": managements,
        },
    )


files = yield_table(make_table)
