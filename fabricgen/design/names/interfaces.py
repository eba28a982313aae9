"""Interface names of nodes' ports in their operating system: as stated, else the port's printed name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from fabricgen.blueprint.models import Blueprint
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.layout import Layout
from fabricgen.kernel.diagnostics import did_you_mean, fault


def interface_name(blueprint: Blueprint, profile: str, port: str) -> str:
    """The interface name of a node's port; by default the port's name, with `-` for the `/` of a split port.

    Linux allows no `/` in interface names. The default need not be a valid Linux name otherwise.
    """
    return blueprint.names.interfaces.get(profile, {}).get(port) or port.replace("/", "-")


def bond_name(fabric: str, nic: int) -> str:
    """What the files call the bond of a host in a fabric: `bond-FABRIC`, or `bond-FABRIC-NIC` of one for each NIC."""
    return f"bond-{fabric}-{nic}" if nic else f"bond-{fabric}"


def check_interface_names(blueprint: Blueprint, layout: Layout, fabrics: Iterable[FabricDesign]) -> None:
    """Raise InputError, at the name, for interface names of unknown nodes or ports, and for names used twice."""
    if not blueprint.names.interfaces:
        return
    ports = _ports(layout, fabrics)
    for profile, names in blueprint.names.interfaces.items():
        path = ("names", "interfaces", profile)
        if profile not in ports:
            raise fault(
                "FG016", f"there is no '{profile}' in this cluster", path=path, hint=did_you_mean(profile, ports)
            )
        for port in names:
            if port not in ports[profile]:
                hint = did_you_mean(port, ports[profile])
                raise fault("FG016", f"{profile} has no port '{port}' here", path=(*path, port), hint=hint)
        _check_distinct(blueprint, profile, names, ports[profile])


def _check_distinct(blueprint: Blueprint, profile: str, names: Mapping[str, str], ports: Iterable[str]) -> None:
    taken: dict[str, str] = {}
    for port in sorted(ports, key=lambda port: (port in names, port)):
        name = interface_name(blueprint, profile, port)
        first = taken.setdefault(name, port)
        if first != port and port in names:
            raise fault(
                "FG035",
                f"ports {first} and {port} of {profile} would both be interface {name}: {port} by this line, {first} "
                + (f"by names.interfaces.{profile}.{first}" if first in names else "by its own name"),
                path=("names", "interfaces", profile, port),
                hint="choose another name for one of them",
            )


def _ports(layout: Layout, fabrics: Iterable[FabricDesign]) -> dict[str, set[str]]:
    """Port names by node profile: as fabrics split them, and whole ports that no fabric splits; and its bonds."""
    of_fabrics = [(f, a) for f in fabrics for a in (*(a for _, a in f.attachments), *(e.attachment for e in f.extras))]
    attachments = [attachment for _, attachment in of_fabrics]
    found: dict[str, set[str]] = defaultdict(set)
    for attachment in attachments:
        found[attachment.profile.id] |= {leg.name for leg in attachment.legs}
    profiles = {p.id: p for p in (*(s.profile for s in layout.node_sets), *(a.profile for a in attachments))}
    for name, profile in profiles.items():
        whole = {port.name for role in profile.roles.values() for port in role.ports}
        split = {leg.rpartition("/")[0] for leg in found[name] - whole}
        found[name] |= whole - split
    for fabric, attachment in ((fabric, attachment) for fabric, attachment in of_fabrics if fabric.bond):
        nics = {leg.rail if fabric.bond == "nic" else 0 for leg in attachment.legs}
        found[attachment.profile.id] |= {bond_name(fabric.name, nic) for nic in nics}
    return found
