"""Scale-up domains as columns: the domain of each node, domain names, and coordinates of switch trays."""

from __future__ import annotations

import numpy as np

from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.design.scale_up.placement import DomainPlacement
from fabricgen.wiring.links.columns import Columns, node_columns, site_of_pod, unit_columns
from fabricgen.wiring.tables import DeviceTable, Ints, unique_values


def domain_columns(layout: Layout, places: DomainPlacement, at: Columns) -> tuple[Ints, Ints]:
    """(domain, index in it) of nodes from their columns pod, su, unit and node; int32, domain -1 for none."""
    group_of = np.full(layout.members_per_su, -1, dtype=np.int32)
    rank_of = np.zeros(layout.members_per_su, dtype=np.int32)
    for number, nodes in enumerate(places.groups):
        group_of[list(nodes)] = number
        rank_of[list(nodes)] = np.arange(len(nodes), dtype=np.int32)
    group, rank = group_of[at["node"]], rank_of[at["node"]]
    if places.units == 1:
        domain = at["unit"] * len(places.groups) + group
    else:
        in_pod = places.per == "pod"
        domain = at["pod"] if in_pod else np.zeros_like(at["pod"])
        rank = (at["su"] if in_pod else at["unit"]) * len(places.groups[0]) + rank
    return np.where(group < 0, -1, domain).astype(np.int32), rank.astype(np.int32)


def device_domains(design: Design, devices: DeviceTable, places: DomainPlacement, rows: slice) -> tuple[Ints, Ints]:
    """As `domain_columns`, for rows of the device table that are nodes."""
    at = {name: getattr(devices, name)[rows] for name in ("pod", "su", "unit", "node")}
    return domain_columns(design.layout, places, at)


def present_domains(design: Design, scale_up: ScaleUpDesign) -> Ints:
    """Numbers of the domains that have a node, ascending; int32."""
    domain, _ = domain_columns(design.layout, scale_up.places, node_columns(design.layout))
    return np.array(unique_values(domain[domain >= 0]), dtype=np.int32)


def tray_columns(design: Design, scale_up: ScaleUpDesign) -> Columns:
    """Coordinates of every switch tray, domain by domain: spread over the racks of its nodes, or in racks of their own.

    Trays of a domain of a pod or more stand in network racks, and have no unit, su or rack.
    """
    layout, places = design.layout, scale_up.places
    domains, each = present_domains(design, scale_up), scale_up.trays_each
    index = np.tile(np.arange(each, dtype=np.int32), len(domains))
    if scale_up.tray_scope != "rack":
        pod = domains if places.per == "pod" else np.full(len(domains), -1, dtype=np.int32)
        site = np.where(pod >= 0, site_of_pod(layout)[pod], 0)
        return {"site": np.repeat(site, each), "pod": np.repeat(pod, each), "index": index}
    unit, group = np.divmod(domains, len(places.groups))
    racks = [sorted({node // layout.nodes_per_rack for node in nodes}) for nodes in places.groups]
    dealt = np.array([[r[t * len(r) // each] for t in range(each)] for r in racks], dtype=np.int32)
    columns = {name: np.repeat(column[unit], each) for name, column in unit_columns(layout).items()}
    return columns | {"rack": dealt[group].reshape(-1), "index": index}


def domain_names(design: Design, scale_up: ScaleUpDesign) -> list[str]:
    """The name of every domain: `nvlink-p1-su01-rk03`, or `-n004`, `-rk03-rk04`, or fewer places for larger domains."""
    layout, places = design.layout, scale_up.places
    if places.per == "cluster":
        return [scale_up.name]
    if places.per == "pod":
        return [f"{scale_up.name}-{pod.name}" for pod in layout.pods]
    units = [f"{scale_up.name}-{pod.name}-su{su + 1:02d}" for pod in layout.pods for su in range(pod.su)]
    return [f"{unit}{suffix}" for unit in units for suffix in _suffixes(layout, places)]


def _suffixes(layout: Layout, places: DomainPlacement) -> list[str]:
    """The name suffixes that distinguish the domains of a unit."""
    if places.per == "su":
        return [""]
    if places.per == "node":
        return [f"-n{nodes[0] + 1:03d}" for nodes in places.groups]
    first = [nodes[0] // layout.nodes_per_rack // places.racks * places.racks + 1 for nodes in places.groups]
    last = [f"-rk{f + places.racks - 1:02d}" if places.racks > 1 else "" for f in first]
    return [f"-rk{f:02d}{ending}" for f, ending in zip(first, last, strict=True)]
