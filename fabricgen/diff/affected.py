"""Which switches of two compiled clusters may have different configurations, found without rendering any.

No switch is missed: everything that its configuration is made from is compared (its row, its links and their far ends,
its addresses, the settings of its tier and fabric). A difference that cannot be assigned to a device affects its whole
tier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.linked import group_infiniband_fabrics
from fabricgen.design.tenants.model import TenantDesign
from fabricgen.diff.cables import list_changed_devices
from fabricgen.diff.delta import Delta
from fabricgen.diff.listing import Rows, find_among
from fabricgen.diff.matching import match_rows
from fabricgen.diff.texts import Texts
from fabricgen.numbering.lazy_columns import EncodedColumn
from fabricgen.views.configuration import list_snippets
from fabricgen.views.switch import count_equal_paths


def find_affected_switches(old: Cluster, new: Cluster, devices: Delta, links: Delta) -> set[str]:
    """Return the names of devices and InfiniBand fabrics whose configuration may differ between two clusters.

    `devices` and `links` are the differences of devices.csv and links.csv.
    """
    affected = set(list_changed_devices(devices))
    affected |= _find_neighbours(affected, links)
    # both ends of each link that differs, on the side that has it
    for listing, only, changed in ((links.old, links.removed, links.was), (links.new, links.added, links.now)):
        for end in ("a_device", "b_device"):
            affected |= set(listing[end][np.concatenate([only, changed])].tolist())
    affected |= _find_readdressed(old, new)
    old_text, new_text = (cluster.design.loaded.blueprint.config_of for cluster in (old, new))
    affected |= {name for name in old_text.keys() | new_text.keys() if old_text.get(name) != new_text.get(name)}
    affected |= {device for device, _ in _find_changed_macs(old, new)}
    old_settings, new_settings = dict(_list_settings(old)), dict(_list_settings(new))
    # static routes of one switch name addresses of others: any change may affect all switches of such a fabric
    has_changes = bool(affected)
    for tier in old_settings.keys() | new_settings.keys():
        if old_settings.get(tier) != new_settings.get(tier) or (has_changes and _has_static_routes(tier, old, new)):
            affected |= _list_tier_devices(old, tier) | _list_tier_devices(new, tier)
    return affected | _find_affected_fabrics(old, new, affected)


def _find_affected_fabrics(old: Cluster, new: Cluster, names: set[str]) -> set[str]:
    """Return the InfiniBand fabrics whose own configuration files may differ.

    These are fabrics with a device of `names`, and fabrics whose GUIDs, tenants or settings of the subnet manager
    differ.
    """
    affected: set[str] = set()
    for cluster in (old, new):
        for name, members in group_infiniband_fabrics(cluster.design).items():
            guids = [_list_stated_guids(c, members) for c in (old, new)]
            specs = [c.design.loaded.blueprint.fabrics for c in (old, new)]
            managers = [[_read_manager_settings(spec[m]) for m in members if m in spec] for spec in specs]
            tenants = [_list_tenants(c, members) for c in (old, new)]
            differ = any(was != now for was, now in (guids, managers, tenants))
            if differ or not names.isdisjoint(_list_end_devices(cluster, members)):
                affected.add(name)
    return affected


def _list_stated_guids(cluster: Cluster, members: list[str]) -> list[tuple[Any, ...]]:
    """Return the rows of the stated GUIDs of some fabrics, and then, sorted, all rows of the inventory with a GUID."""
    loaded = cluster.design.loaded
    # without the line in the file, which has no effect
    rows: list[tuple[Any, ...]] = [row[:-1] for m in members for row in loaded.guids.get(m, ())]
    return rows + sorted(row.figures for row in loaded.inventory if row.guid)


def _find_changed_macs(old: Cluster, new: Cluster) -> set[tuple[str, str]]:
    """Return (device, port) of each MAC that is known on one side only, or differs."""
    return {port for port, _ in old.design.loaded.macs.items() ^ new.design.loaded.macs.items()}


def _read_manager_settings(fabric: Fabric) -> tuple[str | None, str | None]:
    """Return what a blueprint states about the subnet manager of a fabric."""
    return fabric.subnet_manager, fabric.default_partition


def _list_tenants(cluster: Cluster, members: list[str]) -> list[TenantDesign]:
    """Return the tenants that are kept apart in at least one of some fabrics (`members`), in the design's order."""
    return [tenant for tenant in cluster.design.tenants if not set(members).isdisjoint(tenant.fabrics)]


def _list_end_devices(cluster: Cluster, members: list[str]) -> set[str]:
    """Return the names of the devices at the ends of some fabrics' links."""
    links = cluster.plan.links
    rows = np.array([s.fabric in members for s in links.segments], dtype=bool)[links.segment]
    return {name for ends in (links.a_device, links.b_device) for name in cluster.name_column[np.unique(ends[rows])]}


def _find_neighbours(changed: set[str], links: Delta) -> set[str]:
    """Return the neighbours of changed devices: a configuration contains its peers' AS numbers, models and tiers."""
    neighbours: set[str] = set()
    for listing in (links.old, links.new):
        for end, other_end in (("a_device", "b_device"), ("b_device", "a_device")):
            neighbours |= set(listing[other_end][find_among(changed, listing[end])].tolist())
    return neighbours


@dataclass(frozen=True)
class _Matched:
    """Rows of devices and of links that both sides have, each as (rows in old, rows in new)."""

    devices: tuple[Rows, Rows]
    links: tuple[Rows, Rows]


def _find_readdressed(old: Cluster, new: Cluster) -> set[str]:
    """Return the names of devices of both sides of which any allocated address or number differs."""
    _, _, *device_rows = match_rows([(old.name_column, new.name_column)])
    old_ends, new_ends = (Texts((EncodedColumn(c.name_column, c.plan.links.a_device),)) for c in (old, new))
    old_ports, new_ports = (Texts((c.port_names.port_columns[0],)) for c in (old, new))
    _, _, *link_rows = match_rows([(old_ends, new_ends), (old_ports, new_ports)])
    common = _Matched((device_rows[0], device_rows[1]), (link_rows[0], link_rows[1]))
    readdressed: set[str] = set()
    # allocated numbers by their path of attributes
    old_columns, new_columns = dict(_walk_columns(old.addresses)), dict(_walk_columns(new.addresses))
    for path in old_columns.keys() | new_columns.keys():
        readdressed |= _find_differing(old, new, common, old_columns.get(path), new_columns.get(path))
    return readdressed


def _walk_columns(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield (path of attributes, column) of every numpy array in allocated addresses, such as `("asn",)`.

    `path` is the path of `value` itself; values of other types than arrays and collections are passed over.
    """
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _walk_columns(inner, (*path, str(key)))
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from _walk_columns(inner, (*path, str(index)))
    elif is_dataclass(value):
        for field in fields(value):
            yield from _walk_columns(getattr(value, field.name), (*path, field.name))


def _find_differing(old: Cluster, new: Cluster, common: _Matched, was: Any, now: Any) -> set[str]:
    """Return the names of devices for which a column differs (old: `was`, new: `now`).

    A column that only one side has (the other is None) differs where it is not 0. Whether its rows are devices or links
    is told by its length; a link counts for the devices at both ends.
    """
    devices: set[str] = set()
    links = old.plan.links
    for kind, (old_rows, new_rows) in (("devices", common.devices), ("links", common.links)):
        sides = ((was, old, old_rows), (now, new, new_rows))
        if all(column is None or len(column) == len(getattr(cluster.plan, kind)) for column, cluster, _ in sides):
            old_values, new_values = (column[rows] if column is not None else 0 for column, _, rows in sides)
            differs: Any = np.asarray(old_values != new_values)
            # a column may have several values for each row
            differs = differs if differs.ndim == 1 else differs.reshape(len(old_rows), -1).any(axis=1)
            rows = old_rows[differs]
            ends = (rows,) if kind == "devices" else (links.a_device[rows], links.b_device[rows])
            devices |= {name for end in ends for name in old.name_column[end].tolist()}
    return devices


def _list_settings(cluster: Cluster) -> Iterator[tuple[TierKey, tuple[Any, ...]]]:
    """Yield (tier, settings), with all settings that apply to every switch of the tier."""
    design = cluster.design
    for tier in design.tiers:
        fabric = design.fabric(tier.fabric)
        guests = [f for f in design.fabrics if tier.fabric in (f.name, f.carrier)]
        naming = design.catalog.naming(tier.nos) if fabric.protocol != "infiniband" else None
        platform = design.catalog.sonic_platform(tier.profile.id) if naming and naming.has_tables else None
        # without counts: links tell how many ports are in use
        runs = [replace(run, count=0) for run in (*tier.downs, *tier.switch_runs)]
        yield (
            tier.key,
            (
                *(tier.profile, tier.nos, tier.lowest, tier.per, naming, platform, runs, count_equal_paths(tier)),
                design.levels[tier.key],
                [cluster.intent(f) for f in guests],
                list_snippets(design, tier, ""),
                fabric.protocol,
            ),
        )


def _has_static_routes(key: TierKey, *clusters: Cluster) -> bool:
    """Whether a tier has static routes on either side; these depend on the whole fabric."""
    return any(
        cluster.intent(fabric).underlay == "static"
        for cluster in clusters
        for fabric in cluster.design.fabrics
        if fabric.name == key.fabric
    )


def _list_tier_devices(cluster: Cluster, key: TierKey) -> set[str]:
    return {name for c in cluster.plan.devices.classes if c.key == key for name in cluster.names[c.rows]}
