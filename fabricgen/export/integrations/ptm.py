"""ptm/topology.dot: which ports of switches are joined, as Cumulus Linux checks it by itself; on request.

NVIDIA, Cumulus Linux 5.1 user guide, "Prescriptive Topology Manager - PTM": an undirected graph of Graphviz, with
`"switch":"port"` at both ends; ptmd compares the lines of its own switch with LLDP, by host name and interface. It
takes physical ports only, and any number of lines for other switches, so that one file serves all.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.ports import PortRun
from fabricgen.export.table import ExportContext, File
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn

BATCH_LINES = 16_384
"""Lines that are made together."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the graph of the links between Ethernet switches; ports of nodes have names that depend on their image."""
    yield "ptm/topology.dot", _write_lines(cluster)


def _write_lines(cluster: Cluster) -> Iterator[bytes]:
    """Yield the links between Ethernet switches, one on each line, some thousand lines at a time."""
    links = cluster.plan.links
    is_listed = np.array(
        [
            isinstance(s.a, PortRun) and isinstance(s.b, PortRun) and s.protocol in ("ethernet", "roce")
            for s in links.segments
        ],
        dtype=bool,
    )
    rows = np.flatnonzero(is_listed[links.segment])
    a_device, b_device = (EncodedColumn(cluster.name_column, device) for device in (links.a_device, links.b_device))
    a_port, b_port = cluster.port_names.port_columns
    line = ConcatenatedColumn(('  "', a_device, '":"', a_port, '" -- "', b_device, '":"', b_port, '"\n')).take(rows)
    name = cluster.design.loaded.blueprint.name
    yield f"# {name}: {len(rows):,} links between switches\ngraph fabric {{\n".encode()
    for start in range(0, len(rows), BATCH_LINES):
        yield "".join(line.read(start, start + BATCH_LINES)).encode()
    yield b"}\n"
