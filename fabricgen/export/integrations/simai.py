"""simai/: each network of accelerators, link by link, for SimAI over ns-3; on request.

The vertex of an accelerator's scale-up domain is reckoned from its number (github.com/aliyun/SimAI@cef83f9d:
astra-sim-alibabacloud/astra-sim/network_frontend/ns3/AstraSimNetwork.cc, main: node2nvswitch), so that domains are all
of one size.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analyze.network import list_networks
from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.export.simulators import (
    NumberedAccelerators,
    PacketTopology,
    build_topology,
    make_numbers_file,
    make_refusal,
    number_accelerators,
)
from fabricgen.export.table import ExportContext, File


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield simai/FABRIC.txt and its ids; raises InputError (FG146) for a network that SimAI cannot hold."""
    for network in list_networks(cluster):
        numbers = number_accelerators(network)
        graph, size = build_topology(numbers, domains_first=True), numbers.size
        if len(graph.domains) < len(size):
            without = f"{len(size) - len(graph.domains):,} of {len(size):,} scale-up domains have no switch"
            raise make_refusal(network, without, "accelerators that all are at a switch of their scale-up domain")
        if size.min() != size.max():
            sizes = f"its scale-up domains have from {size.min()} to {size.max()} accelerators"
            raise make_refusal(network, sizes, "domains of one size")
        yield f"simai/{network.fabric.name}.txt", _format_topology(graph).encode()
        yield make_numbers_file(numbers, "simai", graph.list_vertices_above())


def _format_topology(graph: PacketTopology) -> str:
    """Return the topology file of SimAI.

    Its first line has how many vertices, accelerators in a domain, domains, switches and links there are, and the model
    of the accelerators. The second line has the ids of all domains and switches. A line for each link follows.
    """
    numbers, switches = graph.numbers, len(graph.switches)
    counts = (graph.vertices, numbers.size[0], len(graph.domains), switches, len(graph.links.a))
    head = (*counts, _find_accelerator(numbers))
    above = " ".join(map(str, range(len(numbers.rows), graph.vertices)))
    return f"{' '.join(map(str, head))}\n{above}\n{''.join(graph.format_links())}"


def _find_accelerator(numbers: NumberedAccelerators) -> str:
    """Return the model of the accelerators in one word; raises InputError (FG146) if there are several."""
    network, devices = numbers.network, numbers.network.cluster.plan.devices
    present = set(devices.device_class[network.ranks.device].tolist())
    profiles = [devices.classes[number].profile for number in sorted(present)]
    models = sorted({p.accelerators.model for p in profiles if isinstance(p, NodeProfile) and p.accelerators})
    if len(models) != 1:
        raise make_refusal(network, f"its accelerators are {' and '.join(models)}", "one kind of accelerator")
    return models[0].replace(" ", "-")
