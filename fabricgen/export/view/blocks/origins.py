"""Where things come from: lines of the blueprint, racks and their feeds, and GPUs behind ports."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.export.files import racks as racks_csv
from fabricgen.export.view.source import Packed, PageSource, pack_table
from fabricgen.kernel.diagnostics import Path


def block(source: PageSource) -> dict[str, Any]:
    """Lines by class of device and by kind of link; racks with feeds; ports of GPUs; what is one graph; latency
    of cables, and of each model of switch with where it was read, as `analyze` reckons.
    """
    cluster = source.cluster
    plan, design = cluster.plan, cluster.design
    latency = design.catalog.constants().latency
    switches = {cls.profile.id: cls.profile for cls in plan.devices.classes if isinstance(cls.profile, SwitchProfile)}
    return {
        "lines": {
            "classes": [_locate_line(source, cls.path) for cls in plan.devices.classes],
            "segments": [_locate_line(source, segment.path) for segment in plan.links.segments],
        },
        "racks": _pack_racks(source),
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
"""What is told of a rack, as racks.csv has it."""


def _pack_racks(source: PageSource) -> Packed:
    """Racks by name with columns of racks.csv."""
    columns = racks_csv.make_table(source.cluster).columns
    return pack_table({"name": source.cluster.plan.racks.names, **{name: columns[name] for name in RACK_COLUMNS}})


def _locate_line(source: PageSource, path: Path) -> str:
    """Base name and line of what stands at a path of the blueprint."""
    span = source.cluster.design.loaded.source.span(path)
    return f"{PurePath(span.file).name}:{span.line}"


def _list_gpu_ports(source: PageSource) -> list[dict[str, Any]]:
    """Ports of GPUs by model of node and fabric: name of the port, GPU from 0."""
    ports_by_model: dict[tuple[str, str], dict[str, int]] = {}
    for segment in source.cluster.plan.links.segments:
        if isinstance(segment.a, Attachment):
            ports = {leg.name: leg.gpu for leg in segment.a.legs if leg.gpu is not None}
            if ports:
                ports_by_model.setdefault((segment.a.profile.id, segment.fabric), {}).update(ports)
    return [{"model": model, "fabric": fabric, "ports": ports} for (model, fabric), ports in ports_by_model.items()]
