"""Ports that devices have and no fabric attaches, so that no cable is planned for them."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.catalog.models import NodeProfile
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path


@dataclass(frozen=True, slots=True)
class Unattached:
    """Devices of one name: the roles of their ports that fabrics attach, and those that none does."""

    profile: NodeProfile
    attached: tuple[str, ...]
    missing: tuple[str, ...]
    path: Path
    skipped: frozenset[str] = frozenset()
    """Of the missing, those of fabrics that the blueprint says they `skip`."""


def unattached(design: Design) -> list[Unattached]:
    """Sets of nodes, then extra devices, with ports that no fabric attaches; those of somebody else are left out."""
    nodes: dict[Path, set[str]] = {members.path: set() for members in design.layout.node_sets}
    extras: dict[str, tuple[NodeProfile, Path, set[str]]] = {}
    role_of = {name: spec.attach or name for name, spec in design.loaded.blueprint.fabrics.items()}
    for fabric in design.fabrics:
        for members, attachment in fabric.attachments:
            nodes[members.path].add(attachment.role)
        for extra in fabric.extras:
            extras.setdefault(extra.name, (extra.attachment.profile, extra.path, set()))[2].add(extra.attachment.role)
    found = []
    for members in design.layout.node_sets:
        skipped = frozenset(role_of[fabric] for fabric in members.skip)
        found.append((members.profile, members.path, nodes[members.path], skipped))
    found += [(*extra, frozenset()) for extra in extras.values()]
    return [
        Unattached(profile, tuple(sorted(roles)), missing, path, skipped.intersection(missing))
        for profile, path, roles, skipped in found
        if (missing := tuple(sorted(set(profile.roles) - roles))) and not profile.external
    ]
