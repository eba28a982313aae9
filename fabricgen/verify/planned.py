"""What a hall is verified against: a blueprint, or a folder that was built from one."""

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
    """The plan of a cluster: its name, its cabling, and the MACs and GUIDs that are known before dumps are read.

    `cluster` is None for a built folder.
    """

    name: str
    cabling: PlannedCabling
    cluster: Cluster | None = None
    addresses: tuple[KnownAddress, ...] = ()

    @cached_property
    def rack_order(self) -> RackOrder:
        """The order in which a technician walks past the racks, and where each rack stands."""
        return find_rack_order(self.cluster) if self.cluster else read_rack_order(self.cabling)


def make_plan(cluster: Cluster) -> PlannedCluster:
    """Make the plan of a compiled blueprint, or of a phase of it."""
    return PlannedCluster(
        cluster.design.loaded.blueprint.name, make_cabling(cluster), cluster, list_known_addresses(cluster)
    )


def read_plan(folder: Path) -> PlannedCluster:
    """Read the plan of a built folder; raises InputError (FG028, FG054) if the folder is not as it was built."""
    cabling, manifest = read_cabling(folder), folder / MANIFEST  # `read_cabling` has checked the manifest
    header = json.loads(manifest.read_bytes()) if manifest.is_file() else {}
    name = str(header.get("blueprint", folder.resolve().name))
    return PlannedCluster(name, cabling, addresses=read_known_addresses(folder))
