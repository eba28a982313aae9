"""The settings of a cluster and of its fabrics, and where they are stated, for the rules on management and others."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.configuration import PortSettings
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.blueprint.sections.management import Management
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.underlay import list_families

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


def is_configured(design: Design, tier: TierDesign) -> bool:
    """Whether configurations are written for the switches of a tier: not for those that a subnet manager sets up."""
    return bool(design.catalog.naming(tier.nos).configuration.places)


def list_scopes(design: Design) -> Iterator[tuple[Path, Blueprint | Fabric]]:
    """Yield (path, what is stated there) for the cluster, whose path is (), and then for each fabric by name.

    Both have `pools`, `routing`, `management` and other settings that a fabric may state for itself.
    """
    blueprint = design.loaded.blueprint
    yield (), blueprint
    yield from ((("fabrics", name), fabric) for name, fabric in sorted(blueprint.fabrics.items()))


class StatedPort(NamedTuple):
    """A port of a single device that `config_of` states, and the link at it, by its row of the plan."""

    device: str
    name: str
    settings: PortSettings
    link: int
    is_upper: bool
    """Whether the port is at the upper end (b) of the link."""

    @property
    def path(self) -> Path:
        """The path of the port's settings in the blueprint."""
        return ("config_of", self.device, "ports", self.name)


def list_stated_ports(cluster: Cluster, *keys: str) -> Iterator[StatedPort]:
    """Yield the ports of single devices that state one of some settings, such as `mtu`, by device and port."""
    stated = cluster.design.loaded.blueprint.config_of
    ports = [
        (device, name, settings)
        for device, config in sorted(stated.items())
        for name, settings in sorted(config.ports.items())
        if any(getattr(settings, key) for key in keys)
    ]
    if not ports:
        return
    from fabricgen.numbering.ports import LinkEnds

    ends = LinkEnds(cluster.plan, (cluster.a_port, cluster.b_port))
    rows = {name: row for row, name in enumerate(cluster.names) if name in stated}
    for device, name, settings in ports:
        yield StatedPort(device, name, settings, *ends.list_device_links(rows[device])[name])


def list_managed_fabrics(design: Design) -> Iterator[tuple[FabricDesign, tuple[TierDesign, ...], Management]]:
    """Yield (fabric, its tiers whose switches are configured, its management settings) for each fabric that has such a
    tier. A setting that the fabric does not state is the cluster's.
    """
    blueprint = design.loaded.blueprint
    for fabric in design.fabrics:
        tiers = tuple(tier for tier in fabric.tiers if is_configured(design, tier))
        if tiers:
            yield fabric, tiers, blueprint.fabrics[fabric.name].management.lay_over(blueprint.management)


def find_setting_path(design: Design, fabric: FabricDesign, *keys: str) -> Path:
    """Return the path of a management setting in the fabric if it states the first of the keys, else in the cluster."""
    settings = design.loaded.blueprint.fabrics[fabric.name].management
    stated = bool(getattr(settings, keys[0]))
    return (*(fabric.path if stated else ()), "management", *keys)


def find_nos_path(design: Design, tier: TierDesign) -> Path:
    """Return the path at which the NOS of a tier is stated, in its fabric or the cluster; if it is stated nowhere, the
    path of the tier's switch, which decides it.
    """
    blueprint = design.loaded.blueprint
    for base, nos in ((("fabrics", tier.fabric), blueprint.fabrics[tier.fabric].nos), ((), blueprint.nos)):
        for name in (tier.name, "all"):
            if nos.get(name) == tier.nos:
                return (*base, "nos", tier.name)
    return (*tier.path, "switch")


def list_management_families(design: Design) -> tuple[str, ...]:
    """Return the address families of the management ports of switches: `v4`, `v6` or both."""
    oob = next((fabric for fabric in design.fabrics if fabric.managed_devices), None)
    if oob is not None:
        return list_families(design, oob)
    ip = design.loaded.blueprint.ip
    return ("v4", "v6") if ip == "dual" else (ip,)


def is_name(server: str) -> bool:
    """Whether the text for a server is a name and not an IP address."""
    try:
        ipaddress.ip_address(server)
    except ValueError:
        return True
    return False


def name_tiers(tiers: Iterable[TierDesign]) -> str:
    """Return the names of tiers, grouped by fabric: `compute leaf and spine, oob leaf`."""
    by_fabric: dict[str, list[str]] = {}
    for tier in tiers:
        by_fabric.setdefault(tier.fabric, []).append(tier.name)
    return ", ".join(f"{fabric} {' and '.join(names)}" for fabric, names in by_fabric.items())
