"""astra-sim/: each network of accelerators for ASTRA-sim's analytical model, with the ids of accelerators; on request.

The form is that of github.com/astra-sim/astra-network-analytical@599a0473 (input/Ring_FullyConnected_Switch.yml).
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analyze.network import list_networks
from fabricgen.cluster import Cluster
from fabricgen.export.simulators import (
    GBPS_OF_GB,
    NetworkDimension,
    NumberedAccelerators,
    list_dimensions,
    make_numbers_file,
)
from fabricgen.export.table import ExportContext, File


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield astra-sim/FABRIC.yml and its ids; raises InputError (FG146) for a network that cannot have this form."""
    for network in list_networks(cluster):
        numbers, dimension_list = list_dimensions(network)
        yield f"astra-sim/{network.fabric.name}.yml", _format_network(numbers, dimension_list).encode()
        yield make_numbers_file(numbers, "astra-sim")


def _format_network(numbers: NumberedAccelerators, dimension_list: list[NetworkDimension]) -> str:
    """Return the network as YAML for ASTRA-sim's analytical model."""
    network = numbers.network
    name = network.cluster.design.loaded.blueprint.name
    lines = [f"# {name}, {network.fabric.name}: {len(numbers.rows):,} {network.what}"]
    for number, dimension in enumerate(dimension_list, start=1):
        lines.append(
            f"# dimension {number}, {dimension.label}: {dimension.npus:,},"
            f" {dimension.gbps:,.6g} Gb/s, {dimension.ns:,.6g} ns a link"
        )
    rows = {
        "topology": [dimension.topology for dimension in dimension_list],
        "npus_count": [str(dimension.npus) for dimension in dimension_list],
        "bandwidth": [f"{dimension.gbps / GBPS_OF_GB:.6f}" for dimension in dimension_list],
        "latency": [f"{dimension.ns:.3f}" for dimension in dimension_list],
    }
    units = {"bandwidth": "  # GB/s, of 2^30 bytes", "latency": "  # ns"}
    lines += [f"{key}: [ {', '.join(values)} ]{units.get(key, '')}" for key, values in rows.items()]
    return "\n".join(lines) + "\n"
