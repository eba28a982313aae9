"""astra-sim-ns3/: each network of accelerators, link by link, for ASTRA-sim over ns-3; on request.

FABRIC.txt is its TOPOLOGY_FILE, FABRIC.json its logical topology (github.com/astra-sim/astra-sim@518bd513:
astra-sim/network_frontend/ns3/AstraSimNetwork.cc, read_logical_topo_config).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from fabricgen.analyze.network import Network, networks_of
from fabricgen.cluster import Cluster
from fabricgen.export.simulators.dimensions import Numbered, dimensions, numbered, numbers_file
from fabricgen.export.simulators.packets import Topology, topology
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.diagnostics import InputError

ON_REQUEST = True
FOLDER = "astra-sim-ns3"


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the topology, logical topology and ids; raises InputError (FG146) for a network that ns-3 cannot hold."""
    for network in networks_of(cluster):
        numbers, logical = _logical(network)
        graph = topology(numbers, domains_first=False)
        yield f"{FOLDER}/{network.fabric.name}.txt", _text(graph).encode()
        told = {"logical-dims": [str(size) for size in logical], "switch-link-bps": graph.rates()}
        yield f"{FOLDER}/{network.fabric.name}.json", f"{json.dumps(told, indent=2)}\n".encode()
        yield numbers_file(numbers, FOLDER, graph.above())


def _logical(network: Network) -> tuple[Numbered, list[int]]:
    """Accelerators by dimensions where the analytical model has such, else in one."""
    try:
        numbers, found = dimensions(network)
    except InputError:
        numbers = numbered(network)
        return numbers, [len(numbers.rows)]
    return numbers, [one.npus for one in found]


def _text(graph: Topology) -> str:
    switches = range(len(graph.numbers.rows), graph.vertices)
    head = f"{graph.vertices} {len(switches)} {len(graph.links.a)}\n{' '.join(map(str, switches))}\n"
    return head + "".join(graph.lines())
