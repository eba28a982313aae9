"""gnmic/: targets of gNMIc with the labels that Prometheus has for them, and subscriptions; on request.

Sources: github.com/openconfig/gnmic, docs/user_guide: targets/targets.md@0a9c9432 (address, event-tags),
targets/target_discovery/file_discovery.md@166bb086, subscriptions.md@2f7a4b67, outputs/prometheus_output.md@1d1bf7b6;
paths of openconfig/public: openconfig-interfaces, openconfig-if-ethernet and openconfig-network-instance.
"""

from __future__ import annotations

from collections.abc import Iterator
from json import dumps

from fabricgen.cluster import Cluster
from fabricgen.export.boot import BootServer
from fabricgen.export.operations import (
    list_configured_nos,
    list_labels,
    list_profiles,
    make_metric_labels,
    map_switch_profiles,
)
from fabricgen.export.table import ExportContext, File
from fabricgen.kernel.discovery import find_resource_dir


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield the targets, which gNMIc reads again when they change, and its configuration."""
    server, profile_by_switch = BootServer(cluster), map_switch_profiles(cluster, list_profiles(cluster))
    lines, catalog = list[str](), cluster.design.catalog
    ports = {nos: catalog.naming(nos).systems.gnmi_port for nos in list_configured_nos(catalog)}
    for labels in list_labels(cluster):
        if "fabric" not in labels or labels.get("nos") not in ports:
            continue
        gnmi, name = server.find_settings(labels["fabric"]).gnmi, labels["device"]
        port = (gnmi.port if gnmi else None) or ports[labels["nos"]]
        if port is None:
            continue
        address = labels.get("address", name)
        address = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        tags = make_metric_labels(labels, profile_by_switch.get(name))
        lines.append(f"{dumps(name)}: {dumps({'address': address, 'event-tags': tags})}\n")
    yield "gnmic/targets.yaml", "".join(lines or ["{}\n"]).encode()
    yield "gnmic/gnmic.yaml", (find_resource_dir("templates") / "gnmic" / "gnmic.yaml").read_bytes()
