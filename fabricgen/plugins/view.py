"""The view: a compiled cluster as other packages see it, typed and read-only.

What it has is promised by `API_VERSION`; all else of fabricgen may change at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import islice
from typing import TypeVar

from fabricgen.cluster import Cluster
from fabricgen.export.files.addresses import make_table as make_address_table
from fabricgen.export.files.cables import make_table as make_end_table
from fabricgen.export.files.endpoints import make_table as make_endpoint_table
from fabricgen.export.files.racks import make_table as make_rack_table
from fabricgen.export.palette import choose_cluster_swatches
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.diagnostics import Path as BlueprintPath
from fabricgen.plugins.dhcp import make_dhcp_tables
from fabricgen.plugins.patching import make_patching_tables
from fabricgen.plugins.paths import FabricPaths, Path
from fabricgen.plugins.small_tables import (
    Halls,
    Models,
    Pools,
    Racks,
    Vlans,
    make_hall_table,
    make_model_table,
    make_place_tables,
    make_pool_table,
    make_vlan_table,
)
from fabricgen.plugins.tables import Addresses, Cables, Devices, Endpoints, Ends, Links
from fabricgen.plugins.traffic import Busbw, Steering, expect_busbw, find_balancing_modes, find_reached, make_steering
from fabricgen.wiring.arrays import Ints

API_VERSION = "1.7"
"""Version of the view and of what plug-ins are asked for: the first number changes when something is taken away or
means something else, the second when something is added."""

MOST_PATHS = 1000
"""As many paths are listed unless a caller wants more: two nodes of a large cluster have hundreds of thousands."""


Made = TypeVar("Made")


def cached_table(make: Callable[[ClusterView], Made], doc: str) -> cached_property[Made]:
    """Return a property that makes a table of the view when it is first read."""
    made = cached_property(make)
    made.__doc__ = doc
    return made


class ClusterView:
    """A compiled cluster: tables of what is in it, each made when it is first read, and paths between devices."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._paths: dict[str, FabricPaths] = {}

    @property
    def name(self) -> str:
        """The name of the blueprint."""
        return self._cluster.design.loaded.blueprint.name

    @property
    def digest(self) -> str:
        """The digest of the blueprint and all that it includes, as in manifest.json."""
        return self._cluster.design.loaded.digest

    @property
    def fabrics(self) -> tuple[str, ...]:
        """The names of the fabrics, in the order of the blueprint."""
        return tuple(fabric.name for fabric in self._cluster.design.fabrics)

    @property
    def protocols(self) -> Mapping[str, str]:
        """The protocol of each fabric: `infiniband`, `roce` or `ethernet`."""
        return {fabric.name: fabric.protocol for fabric in self._cluster.design.fabrics}

    @property
    def sites(self) -> tuple[str, ...]:
        """The names of the sites."""
        return tuple(self._cluster.design.layout.sites)

    @cached_property
    def reached(self) -> Mapping[str, float]:
        """The share of its line rate, from 0 to 1, that collectives reach on each fabric, as `analyze` reckons; by
        fabric.
        """
        return find_reached(self._cluster)

    @cached_property
    def balancing(self) -> Mapping[str, str]:
        """How the switches of each fabric choose among equal paths: `hash`, or by load or packet as `analyze` says."""
        return find_balancing_modes(self._cluster)

    def expect_busbw(self, collective: str, size: int, job: str = "all", *, fabric: str) -> Busbw | None:
        """Return the bus bandwidth that `analyze` reckons for a collective with messages of `size` bytes.

        `job` says which accelerators take part: `all`, `2048`, or `all@p1/su2`. At a phase it is that of the whole
        cluster. None if the fabric joins no accelerators, or nothing is known of the collective. Raises InputError
        (FG145) for what is no job.
        """
        return expect_busbw(self._cluster, fabric, collective, size, job)

    @cached_property
    def colors(self) -> Mapping[str, str]:
        """The colour of each fabric and scale-up domain on labels and drawings, `#RRGGBB`."""
        return {name: swatch.fill for name, swatch in choose_cluster_swatches(self._cluster).items()}

    @cached_property
    def platforms(self) -> Mapping[str, str]:
        """What NVIDIA's Config Manager calls each network OS of the devices, by id of the OS; the id itself if it has
        no name there.
        """
        catalog = self._cluster.design.catalog
        return {nos: catalog.naming(nos).systems.config_manager or nos for nos in sorted({*self.devices.nos} - {""})}

    _place_tables = cached_table(lambda view: make_place_tables(view._cluster), "Groups and places.")
    _patching_tables = cached_table(lambda view: make_patching_tables(view._cluster), "Panels, trunks and patches.")
    _dhcp_tables = cached_table(lambda view: make_dhcp_tables(view._cluster), "Subnets and clients.")

    devices = cached_table(lambda view: Devices(view._cluster), "Nodes, extra devices, switches and scale-up trays.")
    links = cached_table(lambda view: Links(view._cluster), "Links, port to port.")
    cables = cached_table(lambda view: Cables(view._cluster), "Cables; a breakout carries several links.")
    ends = cached_table(
        lambda view: Ends(make_end_table(view._cluster)),
        "Far ends of cables, with sockets, transceivers and labels at both sides.",
    )
    panels = cached_table(lambda view: view._patching_tables[0], "Patch panels, and housings of fibre shuffles.")
    trunks = cached_table(lambda view: view._patching_tables[1], "Trunks between panels.")
    patches = cached_table(lambda view: view._patching_tables[2], "Which ports of panels each patched link passes.")
    halls = cached_table(lambda view: Halls(make_hall_table(view._cluster)), "Halls of all sites.")
    racks = cached_table(
        lambda view: Racks(make_rack_table(view._cluster)), "Racks, where they stand and what is in them."
    )
    models = cached_table(
        lambda view: Models(make_model_table(view._cluster)), "Models of devices, racks and transceivers."
    )
    vlans = cached_table(lambda view: Vlans(make_vlan_table(view._cluster)), "VLANs of bridged nodes.")
    pools = cached_table(lambda view: Pools(make_pool_table(view._cluster)), "Pools that addresses are taken from.")
    addresses = cached_table(
        lambda view: Addresses(make_address_table(view._cluster, with_vrfs=True)),
        "Every address and the interface that has it.",
    )
    endpoints = cached_table(
        lambda view: Endpoints(make_endpoint_table(view._cluster)), "Accelerators, and the NIC ports that serve them."
    )
    groups = cached_table(
        lambda view: view._place_tables[0],
        "Groups of nodes that are near each other; raises InputError (FG155) where no fabric joins nodes.",
    )
    places = cached_table(
        lambda view: view._place_tables[1], "Nodes and the groups that they are in; raises InputError as `groups` does."
    )
    subnets = cached_table(
        lambda view: view._dhcp_tables[0],
        "Subnets in which DHCP gives out addresses; raises InputError for an image of no NOS and no switch (FG171), "
        "and for what DHCP cannot tell a switch (FG170).",
    )
    clients = cached_table(
        lambda view: view._dhcp_tables[1],
        "Who has which address by DHCP, and what a server tells them; raises InputError as `subnets` does.",
    )

    def refuse(self, code: str, message: str, path: BlueprintPath = (), hint: str = "") -> InputError:
        """Return the error for an output to raise if it cannot be made from this cluster; the build ends with 2 and
        writes nothing.

        `code` is one of its own, and `path` is the place in the blueprint that is to blame.
        """
        return self._cluster.design.loaded.locate_error(fault(code, message, path=path, hint=hint))

    def paths(self, a: str, b: str, *, fabric: str, most: int = MOST_PATHS) -> tuple[Path, ...]:
        """Return the equal shortest paths of a fabric between two devices, the first `most` of them, sorted by their
        links.

        An end is a device, `p1-su01-n001`, or one of its ports, `p1-su01-n001:eth1`. Switches forward, nodes do not.
        Raises ValueError for a fabric, device or port that there is not, and for ends on one device.
        """
        paths = self._find_paths(fabric)
        return tuple(islice(paths.list_paths(*paths.find_ends(a, b)), most))

    def path_count(self, a: str, b: str, *, fabric: str) -> int:
        """Return how many equal shortest paths there are, however many; 0 if none joins the two. Raises as `paths`
        does.
        """
        paths = self._find_paths(fabric)
        return paths.count_paths(*paths.find_ends(a, b))

    def distances(self, a: str, *, fabric: str) -> Ints:
        """Return the number of links on a shortest path from `a` to each device, int32, by row of `devices`; -1 without
        a path.

        `a` is a device or one of its ports, as in `paths`. Raises ValueError for a fabric, device or port that there is
        not.
        """
        paths = self._find_paths(fabric)
        return paths.measure_distances(paths.find_end(a))

    def steering(self, fabric: str) -> Steering:
        """Return how packets of a fabric come to their paths: the balancing mode, the hash seeds of its switches, and
        SRv6.

        Raises KeyError if there is no such fabric.
        """
        return make_steering(self._cluster, fabric)

    def _find_paths(self, fabric: str) -> FabricPaths:
        """Return the paths of a fabric, made when first asked for; raises ValueError if there is no such fabric."""
        if fabric not in self._paths:
            self._paths[fabric] = FabricPaths(self._cluster, fabric)
        return self._paths[fabric]
