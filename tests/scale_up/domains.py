"""Blueprints of scale-up domains for tests, and what their lists say."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.export.files import scale_up

BLUEPRINT = """
fabricgen: 1
name: domains
scalable_unit: {{nodes: {nodes} x {node}, racks: {{nodes_per_rack: {per_rack}}}}}
pods: {{p1: {{su: {su}}}}}
omit: [{omit}]
scale_up: {{up: {{domain: {domain}, {per}}}}}
fabrics: {{oob: {{protocol: ethernet, attach: {attach}, tiers: {{leaf: {{switch: {leaf}, per: su}}}}}}}}
"""


def blueprint(domain: str, node: str, nodes: int = 1, per: str = "per: node", **more: Any) -> str:
    """The text of a small blueprint with one scale-up entry, `up`."""
    attach = "frontend" if node == "tpu-v4" else "compute" if node == "trn2-48xl" else "bmc"
    leaf = "sn2201" if attach == "bmc" else "sn5600"
    values = {"per_rack": nodes, "su": 1, "omit": "", "attach": attach, "leaf": leaf} | more
    return BLUEPRINT.format(domain=domain, node=node, nodes=nodes, per=per, **values)


def rows(cluster: Cluster) -> list[tuple[Any, ...]]:
    """The rows of scale-up.csv."""
    return list(scale_up.make_table(cluster).rows())


def ends(cluster: Cluster) -> Counter[tuple[str, str]]:
    """How often each (device, port) ends a scale-up link."""
    found: Counter[tuple[str, str]] = Counter()
    for _, _, a_device, a_port, b_device, b_port, _ in rows(cluster):
        found.update([(a_device, a_port), (b_device, b_port)])
    return found


def links_of_accelerators(cluster: Cluster) -> Counter[tuple[str, str]]:
    """(node, accelerator) -> links."""
    found: Counter[tuple[str, str]] = Counter()
    for (device, port), times in ends(cluster).items():
        if port.startswith("gpu"):
            found[device, port.partition("/")[0]] += times
    return found
