"""graph/: the wired graph as node-link JSON and as GraphML, whole or in pieces; on request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.graph import GraphTables, Record, make_graph
from fabricgen.export.table import ExportContext, File, Portion
from fabricgen.wiring.arrays import Ints, Ints64, unique_values

MOST_DEVICES = 20_000
"""The most devices of one GraphML file: a program that reads it keeps all devices and links in memory."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield graph/NAME.json, and graph/NAME.graphml or those of fabrics and units."""
    for portion in portions(cluster):
        yield from portion.make()


def portions(cluster: Cluster) -> Iterator[Portion]:
    """Yield the JSON, and each GraphML file; a link takes twice and six times as long in them as in links.csv."""
    name = cluster.design.loaded.blueprint.name
    yield Portion("json", partial(_write_json, cluster, f"graph/{name}.json"), 2 * len(cluster.plan.links))
    if len(cluster.plan.devices) <= MOST_DEVICES:
        path = f"graph/{name}.graphml"
        yield Portion(path, partial(_write_graphml, cluster, path, None), 6 * len(cluster.plan.links))
        return
    for path, rows in _split_links(cluster, f"graph/{name}"):
        yield Portion(path, partial(_write_graphml, cluster, path, rows), 6 * len(rows))


def _write_json(cluster: Cluster, path: str) -> Iterator[File]:
    yield path, write_node_link_json(cluster)


def _write_graphml(cluster: Cluster, path: str, rows: Ints64 | None) -> Iterator[File]:
    """Yield the graph of all links, or of some, as networkx writes it; its writer with lxml would order keys
    differently.
    """
    import networkx

    content = BytesIO()
    networkx.write_graphml_xml(make_graph(cluster, rows), content)
    yield path, content.getvalue() + b"\n"


def write_node_link_json(cluster: Cluster) -> Iterator[bytes]:
    """Yield what networkx reads by `node_link_graph(data, edges="links")`, some thousand records at a time.

    It is written from columns, because for a graph of a million links networkx needs some GB.
    """
    tables = GraphTables(cluster)
    name = {"name": cluster.design.loaded.blueprint.name}
    yield f'{{"directed":false,"multigraph":true,"graph":{_compact(name)},"nodes":[\n'.encode()
    yield from _write_lines(tables.read_devices())
    yield b'\n],"links":[\n'
    yield from _write_lines(tables.read_links())
    yield b"\n]}\n"


def _write_lines(blocks: Iterable[list[Record]]) -> Iterator[bytes]:
    """Yield the records of a list, each on a line of its own, separated by commas."""
    separator = ""
    for block in blocks:
        yield (separator + ",\n".join(map(_compact, block))).encode()
        separator = ",\n"


_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def _split_links(cluster: Cluster, stem: str) -> Iterator[tuple[str, Ints64]]:
    """Yield the path of each GraphML file and the rows of its links: those of a fabric, or of a pod or unit if it is
    large.

    A link belongs to the pod and unit of its lower end. A unit of more than MOST_DEVICES has no file.
    """
    links, devices, tables = cluster.plan.links, cluster.plan.devices, GraphTables(cluster)
    pods = [pod.name for pod in cluster.design.layout.pods]

    def fits(rows: Ints64) -> bool:
        return len(tables.list_ends(rows)) <= MOST_DEVICES

    fabric_by_link = np.array([s.fabric for s in links.segments], dtype=object)[links.segment]
    for fabric in dict.fromkeys(s.fabric for s in links.segments):
        fabric_links: Ints64 = np.flatnonzero(fabric_by_link == fabric)
        if fits(fabric_links):
            yield f"{stem}-{fabric}.graphml", fabric_links
            continue
        for pod, in_pod in _split_by(devices.pod, links.a_device, fabric_links):
            folder = f"{stem}-{fabric}/" + (f"pods/{pods[pod]}" if pod >= 0 else "other")
            if fits(in_pod):
                yield f"{folder}.graphml", in_pod
                continue
            for su, in_unit in _split_by(devices.su, links.a_device, in_pod):
                if fits(in_unit):
                    yield f"{folder}/" + (f"su-{su + 1}" if su >= 0 else "other") + ".graphml", in_unit


def _split_by(coordinate: Ints, a_device: Ints, rows: Ints64) -> Iterator[tuple[int, Ints64]]:
    """Yield the rows of links for each value of a coordinate of their lower ends, -1 for ends without one."""
    values = coordinate[a_device[rows]]
    for value in unique_values(values):
        yield value, rows[values == value]
