"""The view: a compiled cluster as other packages see it, typed and read-only.

What it has is promised by `API_VERSION`; all else of fabricgen may change at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import islice

from fabricgen.cluster import Cluster
from fabricgen.export.files import addresses, endpoints
from fabricgen.export.locality.model import Locality, group_nodes
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.diagnostics import Path as BlueprintPath
from fabricgen.plugins.dhcp import Clients, Subnets, make_dhcp_tables
from fabricgen.plugins.paths import FabricPaths, Path
from fabricgen.plugins.places import Groups, Places
from fabricgen.plugins.tables import Addresses, Cables, Devices, Endpoints, Links
from fabricgen.wiring.arrays import Ints

API_VERSION = "1.1"
"""Version of the view and of what plug-ins are asked for: the first number changes when something is taken away or
means something else, the second when something is added."""

MOST_PATHS = 1000
"""As many paths are listed unless a caller wants more: two nodes of a large cluster have hundreds of thousands."""


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

    @cached_property
    def devices(self) -> Devices:
        """Nodes, extra devices, switches and scale-up trays."""
        return Devices(self._cluster)

    @cached_property
    def links(self) -> Links:
        """Links, port to port."""
        return Links(self._cluster)

    @cached_property
    def cables(self) -> Cables:
        """Cables; a breakout carries several links."""
        return Cables(self._cluster)

    @cached_property
    def addresses(self) -> Addresses:
        """Every address and the interface that has it."""
        return Addresses(addresses.make_table(self._cluster))

    @cached_property
    def endpoints(self) -> Endpoints:
        """Accelerators, and the NIC ports that serve them."""
        return Endpoints(endpoints.make_table(self._cluster))

    @cached_property
    def groups(self) -> Groups:
        """Groups of nodes that are near each other; raises InputError (FG155) where no fabric joins nodes."""
        return Groups(self._locality)

    @cached_property
    def places(self) -> Places:
        """Nodes and the groups that they are in; raises InputError as `groups` does."""
        return Places(self._locality)

    @cached_property
    def subnets(self) -> Subnets:
        """Subnets in which DHCP gives out addresses; raises InputError (FG171) for an image of no NOS and no switch."""
        return self._dhcp_tables[0]

    @cached_property
    def clients(self) -> Clients:
        """Who has which address by DHCP, and what a server tells them; raises InputError as `subnets` does."""
        return self._dhcp_tables[1]

    @cached_property
    def _dhcp_tables(self) -> tuple[Subnets, Clients]:
        return make_dhcp_tables(self._cluster)

    @cached_property
    def _locality(self) -> Locality:
        return group_nodes(self._cluster)

    def refuse(self, code: str, message: str, path: BlueprintPath = (), hint: str = "") -> InputError:
        """What an output raises that cannot be made of this cluster: an error at a place of the blueprint, with a code
        of its own. The build ends with 2, and nothing is written.
        """
        return self._cluster.design.loaded.locate_error(fault(code, message, path=path, hint=hint))

    def paths(self, a: str, b: str, *, fabric: str, most: int = MOST_PATHS) -> tuple[Path, ...]:
        """The equal shortest paths of a fabric between two devices, `most` of them, in the order of their links.

        An end is a device, `p1-su01-n001`, or one of its ports, `p1-su01-n001:eth1`. Switches forward, nodes do not.
        Raises ValueError for a fabric, device or port that there is not, and for ends on one device.
        """
        paths = self._find_paths(fabric)
        return tuple(islice(paths.list_paths(*paths.find_ends(a, b)), most))

    def path_count(self, a: str, b: str, *, fabric: str) -> int:
        """How many equal shortest paths there are, however many; 0 where none joins the two. Raises as `paths` does."""
        paths = self._find_paths(fabric)
        return paths.count_paths(*paths.find_ends(a, b))

    def distances(self, a: str, *, fabric: str) -> Ints:
        """Links on a shortest path of a fabric from a device, or one of its ports, to each device: int32, a row each as
        `devices` has them, -1 where there is none. Raises ValueError for a fabric, device or port that there is not.
        """
        paths = self._find_paths(fabric)
        return paths.measure_distances(paths.find_end(a))

    def _find_paths(self, fabric: str) -> FabricPaths:
        if fabric not in self._paths:
            self._paths[fabric] = FabricPaths(self._cluster, fabric)
        return self._paths[fabric]
