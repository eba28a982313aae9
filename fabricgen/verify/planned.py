"""What a hall is verified against: a blueprint, or a folder that was built of one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fabricgen.cluster import Cluster
from fabricgen.publish.manifest import MANIFEST
from fabricgen.verify.cabling import PlannedCabling, make_cabling, read_cabling
from fabricgen.verify.identity.names import KnownAddress, list_known_addresses, read_known_addresses
from fabricgen.verify.progress.counts import RackOrder, find_rack_order, read_rack_order


@dataclass(frozen=True)
class PlannedCluster:
    """The name of a cluster, its cabling, and MACs and GUIDs known before; `cluster` is None for a built folder."""

    name: str
    cabling: PlannedCabling
    cluster: Cluster | None = None
    addresses: tuple[KnownAddress, ...] = ()

    @cached_property
    def rack_order(self) -> RackOrder:
        """Where its racks stand."""
        return find_rack_order(self.cluster) if self.cluster else read_rack_order(self.cabling)


def make_plan(cluster: Cluster) -> PlannedCluster:
    """What a blueprint plans, or a phase of it."""
    return PlannedCluster(
        cluster.design.loaded.blueprint.name, make_cabling(cluster), cluster, list_known_addresses(cluster)
    )


def read_plan(folder: Path) -> PlannedCluster:
    """What a built folder says was planned; raises InputError (FG028, FG054) where it is not as it was built."""
    cabling, manifest = read_cabling(folder), folder / MANIFEST  # which has been read by now, and is one of ours
    header = json.loads(manifest.read_bytes()) if manifest.is_file() else {}
    name = str(header.get("blueprint", folder.resolve().name))
    return PlannedCluster(name, cabling, addresses=read_known_addresses(folder))
