"""kubernetes/: NICs, secondary networks and labels of the nodes as a Kubernetes cluster; on request.

For NVIDIA Network Operator 26.7 (NicClusterPolicy, mellanox.com/v1alpha1; NicConfigurationTemplate,
configuration.net.nvidia.com/v1alpha1), nv-ipam (CIDRPool, nv-ipam.nvidia.com/v1alpha1) and Multus
(NetworkAttachmentDefinition, k8s.cni.cncf.io/v1, with the CNI plugin host-device). Sources: the operators' types and
examples (Mellanox/network-operator, Mellanox/nic-configuration-operator, Mellanox/nvidia-k8s-ipam on GitHub).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.export.kubernetes.labels import PRESETS, network_labels, place_labels
from fabricgen.export.kubernetes.networks import networks, pools
from fabricgen.export.kubernetes.nics import nic_templates
from fabricgen.export.locality.model import locality
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.templates import built_in_templates

ON_REQUEST = True

OPERATOR = "network-operator-v26.7.0"
"""The version of the operator whose types these are."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the files that have something to say: the operator's are for NVIDIA's NICs."""
    found, templates = networks(cluster), nic_templates(cluster)
    values: dict[str, Any] = {"cluster": cluster.design.loaded.blueprint.name, "version": OPERATOR}
    handed = [network for network in found if network.vendors]
    if handed or templates:
        yield _file("nic-cluster-policy.yaml", values, networks=handed)
    if templates:
        yield _file("nic-configuration-templates.yaml", values, templates=templates)
    if found:
        held = {pool.network: pool for pool in pools(cluster)}
        yield _file("networks.yaml", values, networks=found, pools=held)
        if held:
            yield _file("pools.yaml", values, pools=tuple(held.values()))
    with suppress(InputError):  # FG155: no fabric joins nodes, and there is nothing to say of where they are
        where = locality(cluster)
        for preset in PRESETS:
            yield f"kubernetes/labels/{preset.name}.yaml", network_labels(where, preset)
        yield "kubernetes/labels/places.yaml", place_labels(where)


def _file(name: str, common: dict[str, Any], **values: Any) -> File:
    text = built_in_templates().get_template(f"kubernetes/{name}.j2").render(common, **values)
    return f"kubernetes/{name}", text.encode()
