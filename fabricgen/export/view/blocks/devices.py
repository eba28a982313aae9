"""The device table of the page."""

from __future__ import annotations

from fabricgen.export.table import encode_from_one, encode_positive
from fabricgen.export.view.source import Packed, PageSource, pack_table
from fabricgen.numbering.lazy_columns import encode_column, encode_or_empty


def block(source: PageSource) -> Packed:
    """Return the columns of devices.csv without addresses; the page knows a device by its row here."""
    devices, allocated = source.cluster.plan.devices, source.cluster.addresses
    return pack_table(
        {
            "name": source.cluster.names,
            "class": devices.device_class,
            "site": source.cluster.sites,
            "pod": encode_or_empty([p.name for p in source.cluster.design.layout.pods], devices.pod),
            "su": encode_from_one(devices.su),
            "rack": encode_column(source.cluster.plan.racks.names, devices.rack),
            "u": encode_positive(devices.u),
            "rail": encode_from_one(devices.rail),
            "plane": encode_from_one(devices.plane),
            "asn": [str(n) if n else "" for n in allocated.asn.tolist()],
        }
    )
