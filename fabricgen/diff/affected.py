"""Which switches of two compiled clusters may have different configurations, found without rendering any.

None is missed: everything that a switch's configuration is made from is compared (its row, its links and their far
ends, its addresses, the settings of its tier and fabric), and what cannot be assigned to a device affects the whole
tier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.linked import whole_fabrics
from fabricgen.design.tenants.model import TenantDesign
from fabricgen.diff.cables import changed_devices
from fabricgen.diff.delta import Delta
from fabricgen.diff.listing import Rows, among
from fabricgen.diff.matching import match_rows
from fabricgen.diff.texts import Texts
from fabricgen.numbering.lazy_columns import EncodedColumn
from fabricgen.views.configuration import list_snippets


def affected_switches(old: Cluster, new: Cluster, devices: Delta, links: Delta) -> set[str]:
    """Names of devices whose configuration may differ; `devices` and `links` are how these lists differ."""
    found = set(changed_devices(devices))
    found |= _far_ends(found, links)
    for side, only, changed in ((links.old, links.removed, links.was), (links.new, links.added, links.now)):
        for end in ("a_device", "b_device"):
            found |= set(side[end][np.concatenate([only, changed])].tolist())
    found |= _readdressed(old, new)
    stated = [cluster.design.loaded.blueprint.config_of for cluster in (old, new)]
    found |= {name for name in stated[0].keys() | stated[1].keys() if stated[0].get(name) != stated[1].get(name)}
    found |= {device for device, _ in _changed_macs(old, new)}
    settings = dict(_settings(old)), dict(_settings(new))
    anything = bool(found)
    for key in settings[0].keys() | settings[1].keys():
        if settings[0].get(key) != settings[1].get(key) or (anything and _static(key, old, new)):
            found |= _of_tier(old, key) | _of_tier(new, key)
    return found | _affected_fabrics(old, new, found)


def _affected_fabrics(old: Cluster, new: Cluster, found: set[str]) -> set[str]:
    """Fabrics with configuration files of their own in which a device of `found` is, or what is stated for their subnet
    manager or a GUID differs.
    """
    affected: set[str] = set()
    for cluster in (old, new):
        for name, members in whole_fabrics(cluster.design).items():
            guids = [_stated_guids(c, members) for c in (old, new)]
            specs = [c.design.loaded.blueprint.fabrics for c in (old, new)]
            stated = [[_for_subnet_manager(spec[m]) for m in members if m in spec] for spec in specs]
            tenants = [_tenants_in(c, members) for c in (old, new)]
            differ = any(was != now for was, now in (guids, stated, tenants))
            if differ or not found.isdisjoint(_ends_in(cluster, members)):
                affected.add(name)
    return affected


def _stated_guids(cluster: Cluster, members: list[str]) -> list[tuple[Any, ...]]:
    """What is stated of GUIDs in some fabrics; of the inventory whatever has one."""
    loaded = cluster.design.loaded
    rows: list[tuple[Any, ...]] = [row[:-1] for m in members for row in loaded.guids.get(m, ())]
    return rows + sorted(row.figures for row in loaded.inventory if row.guid)


def _changed_macs(old: Cluster, new: Cluster) -> set[tuple[str, str]]:
    """(device, port) whose MAC is known on one side only, or differs."""
    return {place for place, _ in old.design.loaded.macs.items() ^ new.design.loaded.macs.items()}


def _for_subnet_manager(fabric: Fabric) -> tuple[str | None, str | None]:
    """What a blueprint says of the subnet manager of a fabric."""
    return fabric.subnet_manager, fabric.default_partition


def _tenants_in(cluster: Cluster, members: list[str]) -> list[TenantDesign]:
    """The tenants that are kept apart in some fabrics."""
    return [tenant for tenant in cluster.design.tenants if not set(members).isdisjoint(tenant.fabrics)]


def _ends_in(cluster: Cluster, members: list[str]) -> set[str]:
    """Names of the devices at the ends of some fabrics' links."""
    links = cluster.plan.links
    rows = np.array([s.fabric in members for s in links.segments], dtype=bool)[links.segment]
    return {name for ends in (links.a_device, links.b_device) for name in cluster.name_column[np.unique(ends[rows])]}


def _far_ends(changed: set[str], links: Delta) -> set[str]:
    """Neighbours of devices, whose configurations contain their peer's AS number, model and tier."""
    found: set[str] = set()
    for side in (links.old, links.new):
        for end, far in (("a_device", "b_device"), ("b_device", "a_device")):
            found |= set(side[far][among(changed, side[end])].tolist())
    return found


@dataclass(frozen=True)
class _Matched:
    """Rows of devices and of links that both sides have, as (in old, in new)."""

    devices: tuple[Rows, Rows]
    links: tuple[Rows, Rows]


def _readdressed(old: Cluster, new: Cluster) -> set[str]:
    """Devices with any allocated address or number that differs."""
    _, _, *devices = match_rows([(old.name_column, new.name_column)])
    ends = [Texts((EncodedColumn(c.name_column, c.plan.links.a_device),)) for c in (old, new)]
    ports = [Texts((c.port_names.port_columns[0],)) for c in (old, new)]
    _, _, *links = match_rows([(ends[0], ends[1]), (ports[0], ports[1])])
    both = _Matched((devices[0], devices[1]), (links[0], links[1]))
    found: set[str] = set()
    was, now = dict(_columns(old.addresses)), dict(_columns(new.addresses))
    for key in was.keys() | now.keys():
        found |= _differing(old, new, both, was.get(key), now.get(key))
    return found


def _columns(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(path of attributes, column) of every numeric column inside allocated addresses."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _columns(inner, (*path, str(key)))
    elif isinstance(value, tuple):
        for place, inner in enumerate(value):
            yield from _columns(inner, (*path, str(place)))
    elif is_dataclass(value):
        for field in fields(value):
            yield from _columns(getattr(value, field.name), (*path, field.name))


def _differing(old: Cluster, new: Cluster, both: _Matched, was: Any, now: Any) -> set[str]:
    """Names of devices for which a column differs; a column that only one side has differs where it is not 0."""
    found: set[str] = set()
    lengths = [(len(c.plan.devices), len(c.plan.links)) for c in (old, new)]
    for kind, pair in ((0, both.devices), (1, both.links)):
        fits = [column is None or len(column) == lengths[i][kind] for i, column in enumerate((was, now))]
        if all(fits):
            values = [column[rows] if column is not None else 0 for column, rows in zip((was, now), pair, strict=True)]
            differs: Any = np.asarray(values[0] != values[1])
            differs = differs if differs.ndim == 1 else differs.reshape(len(pair[0]), -1).any(axis=1)
            rows = pair[0][differs]
            links = old.plan.links
            ends = (rows,) if kind == 0 else (links.a_device[rows], links.b_device[rows])
            found |= {name for end in ends for name in old.name_column[end].tolist()}
    return found


def _settings(cluster: Cluster) -> Iterator[tuple[TierKey, tuple[Any, ...]]]:
    """(tier, settings) of everything that applies to all switches of a tier."""
    design = cluster.design
    for tier in design.tiers:
        fabric = design.fabric(tier.fabric)
        guests = [f for f in design.fabrics if tier.fabric in (f.name, f.carrier)]
        naming = design.catalog.naming(tier.nos) if fabric.protocol != "infiniband" else None
        platform = design.catalog.sonic_platform(tier.profile.id) if naming and naming.has_tables else None
        runs = [replace(run, count=0) for run in (*tier.downs, *((tier.up,) if tier.up else ()))]
        runs += [replace(tier.peer_links.run, count=0)] if tier.peer_links else []
        yield (
            tier.key,
            (
                *(tier.profile, tier.nos, tier.lowest, tier.per, naming, platform, runs, _width(tier)),
                design.levels[tier.key],
                [cluster.intent(f) for f in guests],
                list_snippets(design, tier, ""),
                fabric.protocol,
            ),
        )


def _width(tier: TierDesign) -> int:
    """The most equal-cost paths, as in `SwitchView.ecmp_width`."""
    return tier.up.count if tier.up else max((run.count for run in tier.downs), default=1)


def _static(key: TierKey, *clusters: Cluster) -> bool:
    """Whether a tier has static routes, which depend on the whole fabric."""
    return any(
        cluster.intent(fabric).underlay == "static"
        for cluster in clusters
        for fabric in cluster.design.fabrics
        if fabric.name == key.fabric
    )


def _of_tier(cluster: Cluster, key: TierKey) -> set[str]:
    return {name for c in cluster.plan.devices.classes if c.key == key for name in cluster.names[c.rows]}
