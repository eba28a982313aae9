"""The differences between two sides, by kind: devices, links, cables, optics, addresses, sessions, bill
of materials.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from fabricgen.diff.bill import BomDelta, compare_boms
from fabricgen.diff.cables import (
    ChangedCables,
    compare_cable_ends,
    compare_optics,
    find_changed_cables,
    find_links_to_compare,
    list_changed_devices,
)
from fabricgen.diff.configs import ConfigDelta
from fabricgen.diff.delta import Delta, compare_rows, rank_rows, sort_rows
from fabricgen.diff.device_places import DevicePlaces
from fabricgen.diff.listing import COLUMNS, Listing, Lists, Rows, derive_figures
from fabricgen.diff.matching import match_rows
from fabricgen.diff.reasons import explain_change
from fabricgen.diff.renaming import NAME, Renamed, apply_new_names, match_renamed_devices
from fabricgen.diff.sessions import compare_sessions, list_sessions
from fabricgen.diff.sizing_figures import SizingFigures, TierFigures, TierName
from fabricgen.diff.tenant_moves import TenantMove, describe_move, describe_sharing, find_tenant_moves

DEVICE_CHANGES: Mapping[str, tuple[str, ...]] = {
    "renamed": (NAME,),
    "moved": ("site", "rack", "u"),
    "renumbered": ("asn", "loopback", "mgmt"),
    "replaced": ("model", "nos"),
    "reassigned": ("fabric", "tier", "pod", "su", "rail", "plane"),
}
"""Way in which a device changes -> the columns that then differ."""
LINK_CHANGES: Mapping[str, tuple[str, ...]] = {
    "moved": ("b_device", "b_port"),
    "renumbered": ("a_ip", "b_ip"),
    "other-speed": ("speed_gbps",),
    "other-cable": ("cable",),
    "reassigned": ("fabric",),
}
"""Way in which a link changes -> the columns that then differ."""


JUMPER_CHANGES: Mapping[str, tuple[str, ...]] = {
    "re-patched": ("panel", "port", "trunk", "connector", "fibres"),
    "moved": ("rack", "u"),
}
"""Way in which a jumper to a panel changes -> the columns that then differ."""
_NO_JUMPERS = Listing.of(dict.fromkeys(COLUMNS["patches"], ()))
_SHORT = 8
"""The number of characters of a commit's id that are shown."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison: the name that the user gave it, its lists, and (for a blueprint) the figures of sizing.

    `sets` are the settings that the user gave with `--set`; `commit` is the id of a git revision, "" for none.
    """

    name: str
    lists: Lists
    shape: SizingFigures | None = None
    sets: tuple[str, ...] = ()
    commit: str = ""

    @property
    def title(self) -> str:
        """The name with settings and commit: `pod.yaml with pods.p1.su=3`, `git:main:pod.yaml (commit 12345abc)`."""
        commit = f" (commit {self.commit[:_SHORT]})" if self.commit and self.commit[:_SHORT] not in self.name else ""
        return f"{self.name}{commit}{' with ' if self.sets else ''}{', '.join(self.sets)}"


@dataclass(frozen=True)
class ClusterChange:
    """Everything that a change does; false if nothing differs.

    Lists that a side lacks are None, and `notes` say so. `sides` and `shapes` (the figures of sizing; None for a side
    that is no blueprint) are (old, new). `reasons` are sentences about why the sides differ.
    """

    sides: tuple[Side, Side]
    devices: Delta
    links: Delta
    cables: Delta
    optics: Delta
    addresses: Delta | None
    patches: Delta | None
    """Jumpers between cages and panels; None if neither side has any."""
    sessions: Delta
    bom: BomDelta | None
    shapes: tuple[SizingFigures | None, SizingFigures | None]
    reasons: tuple[str, ...]
    places: DevicePlaces
    renamed: Renamed = field(default_factory=dict)
    configs: ConfigDelta | None = None
    tenants: tuple[TenantMove, ...] = ()
    """Nodes that change tenants, if both sides are blueprints."""
    notes: tuple[str, ...] = ()
    show_diffs: bool = False
    """Whether reports show the differing lines of configurations."""

    def __bool__(self) -> bool:
        files = bool(self.configs and (self.configs.files or not self.configs.judged))
        return any(map(bool, self.deltas.values())) or any((self.bom, files, self.spare_differs, self.tenants))

    @property
    def title(self) -> str:
        """Both sides in one line."""
        return " -> ".join(side.title for side in self.sides)

    @property
    def deltas(self) -> dict[str, Delta]:
        """The lists that were compared, by kind."""
        deltas = (*(self.devices, self.cables, self.optics, self.links), self.addresses, self.patches, self.sessions)
        return {delta.kind: delta for delta in deltas if delta is not None}

    @property
    def spare_differs(self) -> bool:
        """Whether spare ports differ; False unless both sides are blueprints."""
        old, new = self.shapes
        return bool(old and new and any(was != now for _, was, now in self.spare_ports()))

    def spare_ports(self) -> Iterator[tuple[TierName, tuple[int, ...] | None, tuple[int, ...] | None]]:
        """Yield (tier, old, new) of every tier of either side.

        `old` and `new` are (down ports of a switch, free ones on the fullest switch, free ones in the whole tier, ports
        of a switch that are neither in use nor set aside for later), or None for a side without the tier.
        """
        old, new = ({} if shape is None else shape.tiers for shape in self.shapes)
        for tier in dict.fromkeys((*old, *new)):
            yield tier, _list_port_counts(old.get(tier)), _list_port_counts(new.get(tier))


def _list_port_counts(tier: TierFigures | None) -> tuple[int, ...] | None:
    return None if tier is None else (tier.capacity, tier.least_free, tier.free, tier.spare)


def compare_sides(
    old: Side, new: Side, prices: Mapping[str, float] | None = None, renamed: Renamed | None = None
) -> ClusterChange:
    """Compare two sides, except configurations, which `configs` compares.

    `prices` are unit prices by part, `renamed` the devices that are known to have another name.
    """
    with pause_collector():
        renamed = match_renamed_devices(old.lists.devices, new.lists.devices, renamed or {})
        was, now = apply_new_names(old.lists, new.lists, renamed)
        links = compare_rows("links", ("a_device", "a_port"), LINK_CHANGES, (was.links, now.links), "a_device")
        columns_by_change = {
            kind_of_change: columns
            for kind_of_change, columns in DEVICE_CHANGES.items()
            if renamed or kind_of_change != "renamed"
        }
        devices = compare_rows("devices", ("device",), columns_by_change, (was.devices, now.devices), "device")
        changed_ends = find_changed_cables(was.cables, now.cables)
        cables = compare_cable_ends((was.cables, now.cables), changed_ends, _find_rerouted_cables(was.links, links))
        moves = _find_tenant_moves(old, new, was, now, renamed)
        return ClusterChange(
            sides=(old, new),
            devices=devices,
            links=links,
            cables=cables,
            optics=compare_optics(was.cables, now.cables, changed_ends),
            addresses=_compare_addresses(was.addresses, now.addresses),
            patches=_compare_jumpers(was.patches, now.patches),
            sessions=compare_sessions(*_list_sessions(was, now, devices, links, changed_ends)),
            bom=_compare_bills(was, now, prices or {}),
            shapes=(old.shape, new.shape),
            reasons=(*_list_reasons(old, new, (links, cables), was, now), *map(describe_move, moves)),
            places=DevicePlaces(was, now),
            renamed=renamed,
            tenants=moves,
            notes=tuple(_list_gaps(old, new, differ=bool(devices or links))),
        )


def _compare_jumpers(was: Listing | None, now: Listing | None) -> Delta | None:
    """Return the difference of jumpers; None if neither side is patched. A side that is not has none."""
    if was is now is None:
        return None
    sides = was or _NO_JUMPERS, now or _NO_JUMPERS
    return compare_rows("patches", ("cable", "end", "device", "socket"), JUMPER_CHANGES, sides, "device")


def _compare_bills(was: Lists, now: Lists, prices: Mapping[str, float]) -> BomDelta | None:
    if was.bom is None or now.bom is None:
        return None
    return compare_boms(was.bom, now.bom, prices, (was.in_devices_w, now.in_devices_w))


def _list_reasons(old: Side, new: Side, deltas: tuple[Delta, Delta], was: Lists, now: Lists) -> tuple[str, ...]:
    """Return sentences about why two sides differ; `deltas` are the differences of links and of cables."""
    if not (old.shape and new.shape):
        return explain_change(derive_figures(was), derive_figures(now), *deltas, was)
    return (*explain_change(old.shape, new.shape, *deltas, was), *describe_sharing(old.shape, new.shape))


def _find_tenant_moves(old: Side, new: Side, was: Lists, now: Lists, renamed: Renamed) -> tuple[TenantMove, ...]:
    """Return the moves of devices of both sides between tenants.

    There are none if a side is not a blueprint, or if no device of either belongs to a tenant.
    """
    if not (old.shape and new.shape and (old.shape.tenancies or new.shape.tenancies)):
        return ()
    old_names = set(was.devices["device"][:].tolist())
    common = [name for name in now.devices["device"][:].tolist() if name in old_names]
    return find_tenant_moves(old.shape, new.shape, common, now.links, renamed)


def _list_sessions(
    old: Lists, new: Lists, devices: Delta, links: Delta, changed_ends: ChangedCables
) -> tuple[Listing, Listing]:
    """Return the BGP sessions that may have changed, as (those of the old side, those of the new side)."""
    names = list_changed_devices(devices)
    old_rows = find_links_to_compare(old, np.concatenate([links.removed, links.was]), names, changed_ends.cables)
    new_rows = find_links_to_compare(new, np.concatenate([links.added, links.now]), names, changed_ends.cables)
    return list_sessions(old, old_rows), list_sessions(new, new_rows)


def _find_rerouted_cables(old: Listing, links: Delta) -> set[str]:
    """Return the ids of old cables that carried a link which now ends elsewhere."""
    return set(old["cable"][links.was[links.ways["moved"]]].tolist()) - {""}


def _compare_addresses(old: Listing | None, new: Listing | None) -> Delta | None:
    return None if old is None or new is None else compare_addresses(old, new)


def _list_gaps(old: Side, new: Side, *, differ: bool) -> Iterator[str]:
    """Yield sentences about what was not compared.

    Slots of `omit` and spare nodes only explain differences of devices and links: they are mentioned only if these
    `differ`.
    """
    for side in (old, new):
        for name in ("addresses", "bom"):
            if getattr(side.lists, name) is None:
                yield f"{side.name} has no {name}.csv, so that is not compared"
        other_shape = (new if side is old else old).shape
        if differ and side.shape is None and other_shape and (other_shape.omits or other_shape.spares):
            yield f"{side.name} does not say which slots are omitted and which nodes spare, so that is not compared"


@contextmanager
def pause_collector() -> Iterator[None]:
    """Within this context, cyclic garbage collection is paused.

    Rows of lists form no cycles, and scanning a million of them takes longer than making them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# Addresses of two sides, IPv4 and IPv6, matched by device and port.

ADDRESS_CHANGES: Mapping[str, tuple[str, ...]] = {"renumbered": ("prefix",), "other-kind": ("kind",)}
"""Way in which an address changes -> the columns that then differ."""
_KEYS = ("device", "port")


def compare_addresses(old: Listing, new: Listing) -> Delta:
    """Compare two lists of addresses.

    Identical rows are left out; of the others, the n-th address of a family on a port is matched with the n-th one on
    the same port.
    """
    columns = ("device", "port", "kind", "prefix")
    old_only, new_only, _, _ = match_rows([(old[name], new[name]) for name in columns])
    old_rows, new_rows = add_family(old.pick_rows(old_only)), add_family(new.pick_rows(new_only))
    removed, added, was, now = match_rows([(old_rows[name], new_rows[name]) for name in (*_KEYS, "family")])
    order = np.argsort(_rank_rows(old_rows, was), kind="stable") if len(was) else was
    was, now = was[order], now[order]
    differs = {name: np.asarray(old_rows[name][was] != new_rows[name][now], dtype=bool) for name in ("prefix", "kind")}
    flags = {change: differs[columns_compared[0]] for change, columns_compared in ADDRESS_CHANGES.items()}
    removed, added = sort_rows(old_rows, columns, removed), sort_rows(new_rows, columns, added)
    return Delta("addresses", _KEYS, "device", old_rows, new_rows, removed, added, was, now, differs, flags)


def add_family(addresses: Listing) -> Listing:
    """Return the same listing with a column `family`: ipv4 or ipv6."""
    family = np.array(["ipv6" if ":" in prefix else "ipv4" for prefix in addresses["prefix"].tolist()], dtype=object)
    return Listing({**addresses.columns, "family": family})


def _rank_rows(side: Listing, rows: Rows) -> Rows:
    return rank_rows(side, (*_KEYS, "prefix"), rows)
