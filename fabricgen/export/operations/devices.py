"""Devices as the systems that run a cluster know them: by what the plan says of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.export.boot.names import known_addresses
from fabricgen.export.files import devices
from fabricgen.export.table import Cell

TOLD = ("fabric", "tier", "model", "nos", "site", "pod", "su", "rack", "rail", "plane")
"""Columns of devices.csv that are labels of metrics; numbers and addresses that no query groups by are not."""

Labels = dict[str, str]


def labelled(cluster: Cluster) -> Iterator[Labels]:
    """Each device with the columns of devices.csv that it has a value in, in the order of that table.

    In place of `mgmt` is `address`, by which the DNS knows it: a node's is that of its host, and `bmc` its BMC's.
    """
    table, known = devices.table(cluster), known_addresses(cluster)
    columns: list[Sequence[Cell]] = list(table.columns.values())
    for row in zip(*columns, strict=True):
        labels = {name: str(cell) for name, cell in zip(table.columns, row, strict=True) if cell != ""}
        management, address = labels.pop("mgmt", ""), known.get(labels["device"], "")
        if address:
            labels["address"] = address
        if management and "fabric" not in labels and management != address:
            labels["bmc"] = management
        yield labels


def of_metrics(labels: Labels, profile: str | None) -> Labels:
    """The labels of a device's metrics: its name as `host`, as exporters call ports `device`, and its profile."""
    told = {name: labels[name] for name in TOLD if name in labels}
    return {"host": labels["device"], **told, **({"profile": profile} if profile else {})}


def word(text: str) -> str:
    """Text as part of a name of letters, digits and underscores, which Ansible and Prometheus ask for."""
    return re.sub(r"[^A-Za-z0-9_]", "_", text)


def configured_nos(catalog: Catalog) -> tuple[str, ...]:
    """Every NOS for whose switches a build writes configurations, sorted."""
    return tuple(nos for nos in catalog.known_nos() if catalog.naming(nos).configuration.claims)
