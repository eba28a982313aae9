"""Where things come from: lines of the blueprint, racks and their feeds, GPUs behind ports, and latency."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.export.files import racks as racks_csv
from fabricgen.export.view.source import PageSource, pack_table
from fabricgen.kernel.diagnostics import Path


def block(source: PageSource) -> dict[str, Any]:
    """Return where things come from.

    There are the blueprint lines of device classes and kinds of links, racks with their feeds, ports of GPUs, the
    fabrics that form one graph, and latency as `analyze` computes it: of cables, and of each switch model with its
    source.
    """
    cluster = source.cluster
    plan, design = cluster.plan, cluster.design
    latency, rack_columns = design.catalog.constants().latency, racks_csv.make_table(cluster).columns
    switches = {cls.profile.id: cls.profile for cls in plan.devices.classes if isinstance(cls.profile, SwitchProfile)}
    return {
        "lines": {
            "classes": [_locate_line(source, cls.path) for cls in plan.devices.classes],
            "segments": [_locate_line(source, segment.path) for segment in plan.links.segments],
        },
        "racks": pack_table({"name": plan.racks.names, **{name: rack_columns[name] for name in RACK_COLUMNS}}),
        "gpus": _list_gpu_ports(source),
        "domains": {
            cls.profile.id: scale_up
            for cls in plan.devices.classes
            if (scale_up := getattr(cls.profile, "scale_up", ""))
        },
        "graphs": group_linked_fabrics(design.loaded.blueprint.fabrics),
        "ns_per_m": latency.medium.fibre_ns_per_m,
        "ns_per_m_source": latency.medium.source,
        "switch_ns": {
            name: [latency.switch_ns(profile), latency.switch_source(profile).partition(";")[0]]
            for name, profile in switches.items()
        },
    }


RACK_COLUMNS = (
    "place",
    "hall",
    "row",
    "column",
    "units",
    "units_used",
    "weight_kg",
    "unweighed",
    "drawn_w",
    "unpowered",
    "unpowered_optics",
    "power_basis",
    "feeds",
)
"""The columns of racks.csv that the page gets."""


def _locate_line(source: PageSource, path: Path) -> str:
    """Return `FILE:LINE`, without the folder, of what stands at a path of the blueprint."""
    span = source.cluster.design.loaded.source.span(path)
    return f"{PurePath(span.file).name}:{span.line}"


def _list_gpu_ports(source: PageSource) -> list[dict[str, Any]]:
    """Return, by node model and fabric, the ports that belong to a GPU with the GPU's number, from 0."""
    ports_by_model: dict[tuple[str, str], dict[str, int]] = {}
    for segment in source.cluster.plan.links.segments:
        if isinstance(segment.a, Attachment):
            ports = {leg.name: leg.gpu for leg in segment.a.legs if leg.gpu is not None}
            if ports:
                ports_by_model.setdefault((segment.a.profile.id, segment.fabric), {}).update(ports)
    return [{"model": model, "fabric": fabric, "ports": ports} for (model, fabric), ports in ports_by_model.items()]
