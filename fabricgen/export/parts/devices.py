"""devices.csv: one row a node, extra device, switch or scale-up tray."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.columns import counted, picked, positive
from fabricgen.export.table import ExportContext, File, Table, csv_file

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield devices.csv."""
    yield csv_file(table(cluster))


def table(cluster: Cluster) -> Table:
    """Devices in the order of their table; addresses are IPv4 where a device has any, else IPv6."""
    devices, allocated = cluster.plan.devices, cluster.addresses
    loopbacks, managements = allocated.of_devices()
    pods = np.array([*(p.name for p in cluster.design.layout.pods), ""], dtype=object)
    racks = np.array(cluster.plan.racks.names, dtype=object)
    of_class = {
        "fabric": [c.fabric for c in devices.classes],
        "tier": [c.tier for c in devices.classes],
        "model": [c.profile.id for c in devices.classes],
        "nos": [c.nos for c in devices.classes],
    }
    shared = {k: picked(np.array(v, dtype=object), devices.device_class) for k, v in of_class.items()}
    columns = {
        "device": list(cluster.names),
        **shared,
        "site": list(cluster.sites),
        "pod": picked(pods, devices.pod),
        "su": counted(devices.su),
        "rack": picked(racks, devices.rack),
        "u": positive(devices.u),
        "rail": counted(devices.rail),
        "plane": counted(devices.plane),
        "asn": [str(n) if n else "" for n in allocated.asn.tolist()],
        "loopback": loopbacks,
        "mgmt": managements,
    }
    return Table("devices", columns)
