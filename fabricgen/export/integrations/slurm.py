"""slurm/: where nodes are, for Slurm's topology plugins; on request.

topology.conf is for topology/tree of any version. What no link joins are trees of their own, and no job spans them.
Sources: github.com/SchedMD/slurm@284c3b95: doc/man/man5/topology.conf.5, src/plugins/topology/tree/switch_record.c (a
switch has nodes or switches, never both; a name has at most HOST_NAME_MAX characters, which are 64).
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.export.locality.hostlists import MOST_NODES, hostlist
from fabricgen.export.locality.model import Locality, locality
from fabricgen.export.locality.tree import Branch, trees
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.diagnostics import fault

ON_REQUEST = True


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield slurm/topology.conf; raises InputError (FG155) where no fabric joins nodes, or where they are too many."""
    found = locality(cluster)
    if len(found.nodes) > MOST_NODES:
        error = fault(
            "FG155",
            f"Slurm has at most {MOST_NODES:,} nodes, and {len(found.nodes):,} are on the network",
            path=("pods",),
            hint="several Slurm clusters, each of a blueprint or phase of its own",
        )
        raise cluster.design.loaded.located(error)
    yield "slurm/topology.conf", _tree(found, trees(found)).encode()


def rows(cluster: Cluster) -> int:
    """Work, in rows of links.csv: about as many as there are devices."""
    return len(cluster.plan.devices)


def _head(found: Locality) -> Iterator[str]:
    """What the file is of, and which nodes it lacks."""
    kinds = " > ".join(tier.kind for tier in reversed(found.tiers))
    yield f"# {found.cluster.design.loaded.blueprint.name}: {len(found.nodes):,} nodes, {kinds}"
    if len(found.others):
        yield f"# not on the network: {hostlist(found.cluster.name_column[found.others].tolist())}"


def _tree(found: Locality, networks: list[list[Branch]]) -> str:
    lines = [*_head(found), "# topology/tree: a switch is the leaves that its nodes have in common, or what joins such"]
    for number, branches in enumerate(networks, start=1):
        if len(networks) > 1:
            lines.append(f"# network {number} of {len(networks)}: no link joins them")
        for branch in branches:
            held = f"Nodes={hostlist(branch.nodes)}" if branch.nodes else f"Switches={hostlist(branch.below)}"
            lines.append(f"SwitchName={branch.name} {held}")
    return "\n".join(lines) + "\n"
