"""infragraph/: the cluster as infrastructure of InfraGraph, every link from port to port; on request.

A device is a kind of machine: a hub, and the ports that have links; nodes have their accelerators, too. What is inside
a node is not known, so that all of it hangs on one hub without a bandwidth. An instance is the machines of one line of
the blueprint, and machine N of it has the Nth name in names.json; edges are in the order of links.csv.

Source: infragraph 3.1.0 on PyPI (infragraph.py: Infrastructure; infragraph_service.py: every device has inner edges).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.export.operations.devices import word
from fabricgen.export.table import ExportContext, File
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn, encode_column
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.tables import DeviceClass

ON_REQUEST = True

AT_ONCE = 16_384
"""Edges that are made together."""

Json = dict[str, Any]


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield infragraph/NAME.json and infragraph/names.json."""
    made = _Infrastructure(cluster)
    yield f"infragraph/{cluster.design.loaded.blueprint.name}.json", made.text()
    names = {made.names[n]: list(cluster.names[cls.rows]) for n, cls in made.classes()}
    yield "infragraph/names.json", f"{json.dumps(names, indent=1)}\n".encode()


class _Infrastructure:
    """The numbers of a cluster's machines and ports in InfraGraph."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, links = cluster, cluster.plan.links
        of = np.concatenate((links.a_device, links.b_device))
        by = np.argsort(of, kind="stable")
        start = np.searchsorted(of[by], np.arange(len(cluster.plan.devices) + 1))
        rank: Ints64 = np.empty(len(of), dtype=np.int64)
        rank[by] = np.arange(len(of)) - start[of[by]]
        self._a, self._b, self._ports = rank[: len(links)], rank[len(links) :], np.diff(start)
        self.names = [f"{_name(cls)}-{n + 1}" for n, cls in enumerate(cluster.plan.devices.classes)]

    def classes(self) -> Iterator[tuple[int, DeviceClass]]:
        """Number and class of the machines that have links."""
        for number, cls in enumerate(self._cluster.plan.devices.classes):
            if self._ports[cls.rows].any():
                yield number, cls

    def text(self) -> Iterator[bytes]:
        """The infrastructure as JSON, a line for each device, instance, link and edge."""
        links = self._cluster.plan.links
        devices = [self._device(number, cls) for number, cls in self.classes()]
        instances = [{"name": self.names[n], "device": self.names[n], "count": cls.count} for n, cls in self.classes()]
        speeds = sorted({float(segment.speed_gbps) for segment in links.segments})
        rates = [
            {
                "name": f"gbps-{speed:g}",
                "physical": {"bandwidth": {"choice": "gigabits_per_second", "gigabits_per_second": speed}},
            }
            for speed in speeds
        ]
        yield f'{{"name": {json.dumps(self._cluster.design.loaded.blueprint.name)}'.encode()
        for key, rows in (("devices", devices), ("instances", instances), ("links", rates)):
            yield (f',\n"{key}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]").encode()
        (a, a_number), (b, b_number) = (self._machine(device) for device in (links.a_device, links.b_device))
        most = [str(n) for n in range(int(self._ports.max(initial=0)) + 1)]
        a_port, b_port = encode_column(most, self._a), encode_column(most, self._b)
        rate = encode_column([f"gbps-{float(segment.speed_gbps):g}" for segment in links.segments], links.segment)
        edge = ConcatenatedColumn(
            (
                *('{"ep1": {"instance": "', a, "[", a_number, ']", "component": "port[', a_port, ']"}, '),
                *('"ep2": {"instance": "', b, "[", b_number, ']", "component": "port[', b_port, ']"}, '),
                *('"scheme": "one2one", "link": "', rate, '"}'),
            )
        )
        yield b',\n"edges": [\n'
        for begin in range(0, len(links), AT_ONCE):
            yield (",\n" * (begin > 0) + ",\n".join(edge.read(begin, begin + AT_ONCE))).encode()
        yield b"\n]}\n"

    def _machine(self, rows: Ints) -> tuple[EncodedColumn, EncodedColumn]:
        """The instances of some devices, and their numbers in these."""
        devices = self._cluster.plan.devices
        of_class = devices.device_class[rows]
        number = rows - np.array([cls.first for cls in devices.classes], dtype=np.int32)[of_class]
        most = [str(n) for n in range(int(number.max(initial=0)) + 1)]
        return encode_column(self.names, of_class), encode_column(most, number)

    def _device(self, number: int, cls: DeviceClass) -> Json:
        accelerators = cls.profile.accelerators if isinstance(cls.profile, NodeProfile) else None
        count = accelerators.count if accelerators else 0
        parts = [("hub", "switch", 1), ("port", "port", int(self._ports[cls.rows].max())), ("xpu", "xpu", count)]
        parts = [part for part in parts if part[2]]
        inside = [
            {"ep1": {"component": "hub"}, "ep2": {"component": name}, "scheme": "many2many", "link": "inside"}
            for name, _, _ in parts[1:]
        ]
        return {
            "name": self.names[number],
            "description": cls.profile.id,
            "components": [{"name": name, "choice": kind, kind: {}, "count": many} for name, kind, many in parts],
            "links": [{"name": "inside"}],
            "edges": inside,
        }


def _name(cls: DeviceClass) -> str:
    return word(f"{cls.fabric}_{cls.tier}" if cls.fabric else cls.profile.id)
