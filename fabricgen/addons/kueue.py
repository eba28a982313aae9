"""kueue/: the topology of Kueue's topology-aware scheduling, and a flavor for each network; on request.

Levels are labels of nodes, the widest first: the labels that `kubernetes/labels/topograph-1.0.yaml` gives them. A
flavor (Kueue's ResourceFlavor) is the nodes of one network, which links join: it selects them by the label of their
widest group, and names the topology. Kueue heeds taints of nodes only if the host name is the lowest level.

Source: github.com/kubernetes-sigs/kueue@ff69552e79: config/components/crd/bases, kueue.x-k8s.io_topologies.yaml and
kueue.x-k8s.io_resourceflavors.yaml (v1beta2: at most 16 levels, each once; at least one label beside `topologyName`),
site/static/examples/tas/sample-gpu-queues.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from json import dumps

from fabricgen.api import ClusterView, make_label_value

VERSION = "kueue.x-k8s.io/v1beta2"
TIER, DOMAIN, HOST = "fabric.topograph.run/tier-{}", "accelerator.topograph.run/domain", "kubernetes.io/hostname"
"""Labels of a tier, which counts from 0 at the logical leaf, of a scale-up domain, and of a node."""


def files(view: ClusterView) -> Iterator[tuple[str, str]]:
    """Yield topology.yaml: the topology, and a flavor for each network.

    Raises InputError (FG155), as `view.places` does, if no fabric joins nodes.
    """
    paths = _list_paths(view)
    depth = min(map(len, paths.values()))
    groups = [group for group in view.places.group.tolist() if group >= 0]
    tiers = {TIER.format(tier): [paths[group][tier] for group in groups] for tier in reversed(range(depth))}
    domains = view.places.domain[view.places.group >= 0].tolist()
    levels = _nest_levels(tiers, domains if all(domains) else [])
    (widest, networks), *_ = tiers.items()
    flavors = [{widest: make_label_value(network)} for network in dict.fromkeys(networks)]
    yield "topology.yaml", "".join(_write_resources(view.name, levels, flavors))


def _list_paths(view: ClusterView) -> dict[int, list[str]]:
    """Return, by logical leaf that has nodes (a row of `groups`), the names of the groups that it is in, itself first.

    A logical leaf is a lowest group: nodes on the same leaf switches. Groups without switches of their own are left
    out: they have no label, as they are the same as the group below. No path is empty, because some group has the
    switches that the nodes are cabled to.
    """
    groups, paths = view.groups, dict[int, list[str]]()
    for leaf in dict.fromkeys(view.places.group[view.places.group >= 0].tolist()):
        row, path = leaf, list[str]()
        while row >= 0:
            path += [groups.name[row]] if groups.switches[row] else []
            row = int(groups.above[row])
        paths[leaf] = path
    return paths


def _nest_levels(tiers: Mapping[str, Sequence[str]], domains: Sequence[str]) -> list[str]:
    """Return the labels of the levels of the topology, the widest first and the host name last.

    `tiers` has, by label of a tier, the group of each node, the widest tier first. `domains` has the scale-up domain of
    each node, or is empty. Each level lies inside the one before, so a tier is left out if its groups cut through
    domains: for a job, a domain is the better place.
    """
    if not domains:
        return [*tiers, HOST]
    around = [label for label, groups in tiers.items() if _is_inside(domains, groups)]
    within = [label for label, groups in tiers.items() if label not in around and _is_inside(groups, domains)]
    return [*around, DOMAIN, *within, HOST]


def _is_inside(parts: Sequence[str], wholes: Sequence[str]) -> bool:
    """Whether each part lies in a single whole; both arguments have an entry for each node: the part, and the whole,
    that it is in.
    """
    return len(set(zip(parts, wholes, strict=True))) == len(set(parts))


def _write_resources(name: str, levels: Sequence[str], flavors: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the YAML of the topology, and of a flavor for each set of node labels in `flavors`."""
    yield f"# {name}: levels from the widest to a node; kubernetes/labels/topograph-1.0.yaml gives nodes these labels\n"
    yield f"apiVersion: {VERSION}\nkind: Topology\nmetadata:\n  name: {dumps(name)}\nspec:\n  levels:\n"
    yield from (f"    - nodeLabel: {label}\n" for label in levels)
    for number, labels in enumerate(flavors, start=1):
        flavor = name if len(flavors) == 1 else f"{name}-{number}"
        yield f"---\napiVersion: {VERSION}\nkind: ResourceFlavor\nmetadata:\n  name: {dumps(flavor)}\nspec:\n"
        yield f"  nodeLabels: {dumps(labels)}\n  topologyName: {dumps(name)}\n"
