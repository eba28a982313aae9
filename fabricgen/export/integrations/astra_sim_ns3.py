"""astra-sim-ns3/: each network of accelerators, link by link, for ASTRA-sim over ns-3; on request.

FABRIC.txt is its TOPOLOGY_FILE, FABRIC.json its logical topology (github.com/astra-sim/astra-sim@518bd513:
astra-sim/network_frontend/ns3/AstraSimNetwork.cc, read_logical_topo_config).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from fabricgen.analyze.network import Network, list_networks
from fabricgen.cluster import Cluster
from fabricgen.export.simulators import (
    NumberedAccelerators,
    PacketTopology,
    build_topology,
    list_dimensions,
    make_numbers_file,
    number_accelerators,
)
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.diagnostics import InputError

FOLDER = "astra-sim-ns3"


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the topology, logical topology and ids; raises InputError (FG146) for a network that ns-3 cannot hold."""
    for network in list_networks(cluster):
        numbers, logical = _find_logical_sizes(network)
        graph = build_topology(numbers, domains_first=False)
        yield f"{FOLDER}/{network.fabric.name}.txt", _format_topology(graph).encode()
        settings = {"logical-dims": [str(size) for size in logical], "switch-link-bps": graph.list_rates()}
        yield f"{FOLDER}/{network.fabric.name}.json", f"{json.dumps(settings, indent=2)}\n".encode()
        yield make_numbers_file(numbers, FOLDER, graph.list_vertices_above())


def _find_logical_sizes(network: Network) -> tuple[NumberedAccelerators, list[int]]:
    """Return the accelerators, and how many there are along each dimension of the analytical model.

    If the network does not fit that model, all accelerators are one dimension.
    """
    try:
        numbers, dimension_list = list_dimensions(network)
    except InputError:
        numbers = number_accelerators(network)
        return numbers, [len(numbers.rows)]
    return numbers, [dimension.npus for dimension in dimension_list]


def _format_topology(graph: PacketTopology) -> str:
    switches = range(len(graph.numbers.rows), graph.vertices)
    head = f"{graph.vertices} {len(switches)} {len(graph.links.a)}\n{' '.join(map(str, switches))}\n"
    return head + "".join(graph.format_links())
