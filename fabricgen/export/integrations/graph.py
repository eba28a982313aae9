"""graph/: the wired graph as node-link JSON and as GraphML, whole or in pieces; on request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.graph import GraphTables, Record, wired_graph
from fabricgen.export.table import ExportContext, File, Portion
from fabricgen.wiring.arrays import Ints, Ints64, unique_values

ON_REQUEST = True

MOST_DEVICES = 20_000
"""Devices of which one GraphML file holds all: what reads it keeps every one of them, and its links, in memory."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield graph/NAME.json, and graph/NAME.graphml or those of fabrics and units."""
    for portion in portions(cluster):
        yield from portion.make()


def portions(cluster: Cluster) -> Iterator[Portion]:
    """The JSON, and each GraphML file; against links.csv a link takes twice and six times as long in them."""
    name = cluster.design.loaded.blueprint.name
    yield Portion("json", partial(_json_file, cluster, f"graph/{name}.json"), 2 * len(cluster.plan.links))
    if len(cluster.plan.devices) <= MOST_DEVICES:
        path = f"graph/{name}.graphml"
        yield Portion(path, partial(_graphml_file, cluster, path, None), 6 * len(cluster.plan.links))
        return
    for path, rows in _pieces(cluster, f"graph/{name}"):
        yield Portion(path, partial(_graphml_file, cluster, path, rows), 6 * len(rows))


def _json_file(cluster: Cluster, path: str) -> Iterator[File]:
    yield path, node_link_json(cluster)


def _graphml_file(cluster: Cluster, path: str, rows: Ints64 | None) -> Iterator[File]:
    """The graph of all links or of some, as networkx writes it; the writer of lxml would order keys otherwise."""
    import networkx

    content = BytesIO()
    networkx.write_graphml_xml(wired_graph(cluster, rows), content)
    yield path, content.getvalue() + b"\n"


def node_link_json(cluster: Cluster) -> Iterator[bytes]:
    """What networkx reads by `node_link_graph(data, edges="links")`, some thousand records at a time.

    It is written from columns: a graph of a million links takes networkx some GB.
    """
    tables = GraphTables(cluster)
    name = {"name": cluster.design.loaded.blueprint.name}
    yield f'{{"directed":false,"multigraph":true,"graph":{_compact(name)},"nodes":[\n'.encode()
    yield from _lines(tables.devices())
    yield b'\n],"links":[\n'
    yield from _lines(tables.links())
    yield b"\n]}\n"


def _lines(blocks: Iterable[list[Record]]) -> Iterator[bytes]:
    """Records of a list, each on a line of its own."""
    between = ""
    for block in blocks:
        yield (between + ",\n".join(map(_compact, block))).encode()
        between = ",\n"


_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def _pieces(cluster: Cluster, stem: str) -> Iterator[tuple[str, Ints64]]:
    """(path of a GraphML file, rows of its links): those of a fabric, and of large ones those of a pod or unit.

    A link belongs to the pod and unit of its lower end. A unit of more than MOST_DEVICES has no file.
    """
    links, devices, tables = cluster.plan.links, cluster.plan.devices, GraphTables(cluster)
    pods = [pod.name for pod in cluster.design.layout.pods]

    def fits(rows: Ints64) -> bool:
        return len(tables.ends(rows)) <= MOST_DEVICES

    fabric_of = np.array([s.fabric for s in links.segments], dtype=object)[links.segment]
    for fabric in dict.fromkeys(s.fabric for s in links.segments):
        whole: Ints64 = np.flatnonzero(fabric_of == fabric)
        if fits(whole):
            yield f"{stem}-{fabric}.graphml", whole
            continue
        for pod, in_pod in _by(devices.pod, links.a_device, whole):
            place = f"{stem}-{fabric}/" + (f"pods/{pods[pod]}" if pod >= 0 else "other")
            if fits(in_pod):
                yield f"{place}.graphml", in_pod
                continue
            for su, in_unit in _by(devices.su, links.a_device, in_pod):
                if fits(in_unit):
                    yield f"{place}/" + (f"su-{su + 1}" if su >= 0 else "other") + ".graphml", in_unit


def _by(coordinate: Ints, a_device: Ints, rows: Ints64) -> Iterator[tuple[int, Ints64]]:
    """Rows of links by a coordinate of their lower ends, -1 for those that have none."""
    found = coordinate[a_device[rows]]
    for value in unique_values(found):
        yield value, rows[found == value]
