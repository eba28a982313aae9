"""The wired graph: devices are its vertices and links its edges, as a graph of networkx or as records.

Attributes are named like the columns of devices.csv, links.csv and cables.csv, and are there only if the device or link
has such a value. Numbers are numbers: su, u, rail and plane count from 1, speed_gbps and length_m are floats. The key
of an edge is the link's name in links.csv (`a_device:a_port`), which no other link has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn, encode_column, encode_or_empty
from fabricgen.wiring.arrays import Ints, Ints64, unique_values
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY

if TYPE_CHECKING:
    import networkx

Record = dict[str, Any]

KINDS = {NODE: "node", EXTRA: "extra", SWITCH: "switch", TRAY: "tray"}
"""Words for the kinds of devices: of a scalable unit, beside scalable units, a switch of a fabric, a switch tray of a
scale-up domain.
"""

BATCH_ROWS = 16_384
"""Records that are made together: enough for columns to pay, and few enough to keep memory low."""


def make_graph(cluster: Cluster, links: Ints64 | None = None) -> networkx.MultiGraph[str]:
    """Return the graph of a cluster, or of some of its links (rows of the link table) and the devices at their ends.

    Vertices are named by device, in the order of devices.csv; edges are in the order of links.csv. An edge has no
    direction: its attributes a_device and b_device tell its lower from its upper end.
    """
    import networkx

    tables = GraphTables(cluster)
    graph: networkx.MultiGraph[str] = networkx.MultiGraph(name=cluster.design.loaded.blueprint.name)
    for record in chain.from_iterable(tables.read_devices(None if links is None else tables.list_ends(links))):
        graph.add_node(record.pop("id"), **record)
    for record in chain.from_iterable(tables.read_links(links)):
        graph.add_edge(record.pop("source"), record.pop("target"), record.pop("key"), **record)
    return graph


@dataclass(frozen=True)
class GraphTables:
    """Devices and links of a cluster as records of the graph, made some thousand at a time when they are read."""

    cluster: Cluster

    def read_devices(self, rows: Ints64 | None = None) -> Iterator[list[Record]]:
        """Yield batches of devices: `id` and attributes of all devices, or of some rows of the device table."""
        return _read_records(self._device_columns, rows)

    def read_links(self, rows: Ints64 | None = None) -> Iterator[list[Record]]:
        """Yield batches of links: `source`, `target`, `key` and attributes of all links, or of some rows of the link
        table.
        """
        return _read_records(self._link_columns, rows)

    def list_ends(self, links: Ints64) -> Ints64:
        """Return the devices at the ends of links, as ascending rows of the device table."""
        table = self.cluster.plan.links
        return np.array(unique_values(np.concatenate((table.a_device[links], table.b_device[links]))), dtype=np.int64)

    @cached_property
    def _device_columns(self) -> Mapping[str, EncodedColumn | ConcatenatedColumn]:
        """Columns of all devices by attribute of a vertex; "" for none, numbers from 1."""
        cluster, devices = self.cluster, self.cluster.plan.devices
        class_texts = {
            "kind": [KINDS[c.kind] for c in devices.classes],
            "tier": [c.tier for c in devices.classes],
            "fabric": [c.fabric for c in devices.classes],
            "model": [c.profile.id for c in devices.classes],
            "nos": [c.nos for c in devices.classes],
        }
        return {
            "id": encode_column(cluster.name_column, np.arange(len(devices))),
            **{name: encode_column(texts, devices.device_class) for name, texts in class_texts.items()},
            "site": encode_column(cluster.sites, np.arange(len(devices))),
            "pod": encode_or_empty([pod.name for pod in cluster.design.layout.pods], devices.pod),
            "su": _encode_numbers(devices.su + 1),
            "rack": encode_column(cluster.plan.racks.names, devices.rack),
            "u": _encode_numbers(devices.u),
            "rail": _encode_numbers(devices.rail + 1),
            "plane": _encode_numbers(devices.plane + 1),
        }

    @cached_property
    def _link_columns(self) -> Mapping[str, EncodedColumn | ConcatenatedColumn]:
        """Columns of all links by attribute of an edge."""
        cluster, links, cables = self.cluster, self.cluster.plan.links, self.cluster.plan.cables
        a_device, b_device = (EncodedColumn(cluster.name_column, device) for device in (links.a_device, links.b_device))
        a_port, b_port = cluster.port_names.port_columns
        return {
            "source": a_device,
            "target": b_device,
            "key": ConcatenatedColumn((a_device, ":", a_port)),
            "fabric": encode_column([s.fabric for s in links.segments], links.segment),
            "cable": cluster.cable_id_columns.make_id_column(links.cable),
            "a_device": a_device,
            "a_port": a_port,
            "b_device": b_device,
            "b_port": b_port,
            "speed_gbps": encode_column([float(s.speed_gbps) for s in links.segments], links.segment),
            "rail": _encode_numbers(links.rail),
            "plane": _encode_numbers(links.plane),
            "length_m": encode_or_empty(cables.length_m.tolist(), links.cable),
            "medium": encode_or_empty([cables.media[n].medium for n in cables.medium.tolist()], links.cable),
        }


def _encode_numbers(column: Ints) -> EncodedColumn:
    """Return a column of numbers as they are, with "" for 0 and below."""
    number = np.maximum(column, 0)
    return encode_column(["", *range(1, int(number.max(initial=0)) + 1)], number)


def _read_records(
    columns: Mapping[str, EncodedColumn | ConcatenatedColumn], rows: Ints64 | None
) -> Iterator[list[Record]]:
    """Yield batches of records made of the rows of columns, without empty values."""
    chosen = columns if rows is None else {name: column.take(rows) for name, column in columns.items()}
    for start in range(0, len(next(iter(chosen.values()))), BATCH_ROWS):
        yield [
            {name: cell for name, cell in zip(chosen, cells, strict=True) if cell != ""}
            for cells in zip(*(column.read(start, start + BATCH_ROWS) for column in chosen.values()), strict=True)
        ]
