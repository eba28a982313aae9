"""astra-sim/: each network of accelerators for ASTRA-sim's analytical model, and which is which; on request.

The form is that of github.com/astra-sim/astra-network-analytical@599a0473 (input/Ring_FullyConnected_Switch.yml).
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analyze.network import networks_of
from fabricgen.cluster import Cluster
from fabricgen.export.simulators.dimensions import GBPS_OF_GB, Dimension, Numbered, dimensions, numbers_file
from fabricgen.export.table import ExportContext, File

ON_REQUEST = True


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield astra-sim/FABRIC.yml and its ids; raises InputError (FG146) for a network that has no such form."""
    for network in networks_of(cluster):
        numbers, found = dimensions(network)
        yield f"astra-sim/{network.fabric.name}.yml", _yaml(numbers, found).encode()
        yield numbers_file(numbers, "astra-sim")


def _yaml(numbers: Numbered, found: list[Dimension]) -> str:
    network = numbers.network
    name = network.cluster.design.loaded.blueprint.name
    told = [f"# {name}, {network.fabric.name}: {len(numbers.rows):,} {network.what}"]
    for number, one in enumerate(found, start=1):
        told.append(f"# dimension {number}, {one.what}: {one.npus:,}, {one.gbps:,.6g} Gb/s, {one.ns:,.6g} ns a link")
    rows = {
        "topology": [one.topology for one in found],
        "npus_count": [str(one.npus) for one in found],
        "bandwidth": [f"{one.gbps / GBPS_OF_GB:.6f}" for one in found],
        "latency": [f"{one.ns:.3f}" for one in found],
    }
    units = {"bandwidth": "  # GB/s, of 2^30 bytes", "latency": "  # ns"}
    told += [f"{key}: [ {', '.join(values)} ]{units.get(key, '')}" for key, values in rows.items()]
    return "\n".join(told) + "\n"
