"""What a hall is verified against: a blueprint, or a folder that was built of one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fabricgen.cluster import Cluster
from fabricgen.publish.manifest import MANIFEST
from fabricgen.verify.cabling import PlannedCabling, cabling_in, cabling_of
from fabricgen.verify.identity.names import KnownAddress, known_addresses, known_addresses_in
from fabricgen.verify.progress.counts import RackOrder, rack_order_in, rack_order_of


@dataclass(frozen=True)
class Planned:
    """The name of a cluster, its cabling, and MACs and GUIDs known before; `cluster` is None for a built folder."""

    name: str
    cabling: PlannedCabling
    cluster: Cluster | None = None
    addresses: tuple[KnownAddress, ...] = ()

    @cached_property
    def rack_order(self) -> RackOrder:
        """Where its racks stand."""
        return rack_order_of(self.cluster) if self.cluster else rack_order_in(self.cabling)


def planned_by(cluster: Cluster) -> Planned:
    """What a blueprint plans, or a phase of it."""
    return Planned(cluster.design.loaded.blueprint.name, cabling_of(cluster), cluster, known_addresses(cluster))


def planned_in(folder: Path) -> Planned:
    """What a built folder says was planned; raises InputError (FG028, FG054) where it is not as it was built."""
    cabling, manifest = cabling_in(folder), folder / MANIFEST  # which has been read by now, and is one of ours
    header = json.loads(manifest.read_bytes()) if manifest.is_file() else {}
    name = str(header.get("blueprint", folder.resolve().name))
    return Planned(name, cabling, addresses=known_addresses_in(folder))
