"""infragraph/: the cluster as infrastructure of InfraGraph, every link from port to port; on request.

A device is a kind of machine: a hub, the ports that have links, and for nodes their accelerators. The inside of a node
is not known, so that everything hangs on one hub without a bandwidth. An instance is the machines of one line of the
blueprint, and machine N of it has the Nth name in names.json; edges are in the order of links.csv.

Source: infragraph 3.1.0 on PyPI (infragraph.py: Infrastructure; infragraph_service.py: every device has inner edges).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.export.operations import make_identifier
from fabricgen.export.table import ExportContext, File
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn, encode_column
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.tables import DeviceClass

BATCH_EDGES = 16_384
"""Edges that are made together."""

Json = dict[str, Any]


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield infragraph/NAME.json and infragraph/names.json."""
    infrastructure = _Infrastructure(cluster)
    yield f"infragraph/{cluster.design.loaded.blueprint.name}.json", infrastructure.write_json()
    names = {infrastructure.names[n]: list(cluster.names[cls.rows]) for n, cls in infrastructure.list_classes()}
    yield "infragraph/names.json", f"{json.dumps(names, indent=1)}\n".encode()


class _Infrastructure:
    """The numbers of a cluster's machines and ports in InfraGraph."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, links = cluster, cluster.plan.links
        devices = np.concatenate((links.a_device, links.b_device))
        order = np.argsort(devices, kind="stable")
        start = np.searchsorted(devices[order], np.arange(len(cluster.plan.devices) + 1))
        rank: Ints64 = np.empty(len(devices), dtype=np.int64)
        # the number of each link end among those of its device, in the order of links: the port of the instance
        rank[order] = np.arange(len(devices)) - start[devices[order]]
        self._a_ranks, self._b_ranks, self._port_counts = rank[: len(links)], rank[len(links) :], np.diff(start)
        words = (f"{c.fabric}_{c.tier}" if c.fabric else c.profile.id for c in cluster.plan.devices.classes)
        self.names = [f"{make_identifier(word)}-{number}" for number, word in enumerate(words, start=1)]

    def list_classes(self) -> Iterator[tuple[int, DeviceClass]]:
        """Yield the number and class of the machines that have links."""
        for number, cls in enumerate(self._cluster.plan.devices.classes):
            if self._port_counts[cls.rows].any():
                yield number, cls

    def write_json(self) -> Iterator[bytes]:
        """Yield the infrastructure as JSON, a line for each device, instance, link and edge."""
        links = self._cluster.plan.links
        devices = [self._describe_device(number, cls) for number, cls in self.list_classes()]
        instances = [
            {"name": self.names[n], "device": self.names[n], "count": cls.count} for n, cls in self.list_classes()
        ]
        rates = [
            {
                "name": f"gbps-{speed:g}",
                "physical": {"bandwidth": {"choice": "gigabits_per_second", "gigabits_per_second": speed}},
            }
            for speed in sorted({float(segment.speed_gbps) for segment in links.segments})
        ]
        yield f'{{"name": {json.dumps(self._cluster.design.loaded.blueprint.name)}'.encode()
        for key, rows in (("devices", devices), ("instances", instances), ("links", rates)):
            yield (f',\n"{key}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]").encode()
        (a, a_number), (b, b_number) = (self._number_machines(device) for device in (links.a_device, links.b_device))
        port_texts = [str(n) for n in range(int(self._port_counts.max(initial=0)) + 1)]
        a_port, b_port = encode_column(port_texts, self._a_ranks), encode_column(port_texts, self._b_ranks)
        rate = encode_column([f"gbps-{float(segment.speed_gbps):g}" for segment in links.segments], links.segment)
        edge = ConcatenatedColumn(
            (
                *('{"ep1": {"instance": "', a, "[", a_number, ']", "component": "port[', a_port, ']"}, '),
                *('"ep2": {"instance": "', b, "[", b_number, ']", "component": "port[', b_port, ']"}, '),
                *('"scheme": "one2one", "link": "', rate, '"}'),
            )
        )
        yield b',\n"edges": [\n'
        for begin in range(0, len(links), BATCH_EDGES):
            # a comma between batches: none before the first, for which it is repeated 0 times
            yield (",\n" * (begin > 0) + ",\n".join(edge.read(begin, begin + BATCH_EDGES))).encode()
        yield b"\n]}\n"

    def _number_machines(self, rows: Ints) -> tuple[EncodedColumn, EncodedColumn]:
        """Return, for devices given by row, the name of their instance (that of their class) and their number in it,
        from 0.

        Both are columns of text.
        """
        devices = self._cluster.plan.devices
        device_classes = devices.device_class[rows]
        number = rows - np.array([cls.first for cls in devices.classes], dtype=np.int32)[device_classes]
        texts = [str(n) for n in range(int(number.max(initial=0)) + 1)]
        return encode_column(self.names, device_classes), encode_column(texts, number)

    def _describe_device(self, number: int, cls: DeviceClass) -> Json:
        """Return a class of devices as a device of InfraGraph: a hub that joins all ports and accelerators."""
        accelerators = cls.profile.accelerators if isinstance(cls.profile, NodeProfile) else None
        components = [
            ("hub", "switch", 1),
            ("port", "port", int(self._port_counts[cls.rows].max())),
            ("xpu", "xpu", (accelerators.count if accelerators else 0)),
        ]
        components = [component for component in components if component[2]]
        return {
            "name": self.names[number],
            "description": cls.profile.id,
            "components": [
                {"name": name, "choice": kind, kind: {}, "count": amount} for name, kind, amount in components
            ],
            "links": [{"name": "inside"}],
            "edges": [
                {"ep1": {"component": "hub"}, "ep2": {"component": name}, "scheme": "many2many", "link": "inside"}
                for name, _, _ in components[1:]
            ],
        }
