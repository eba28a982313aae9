"""The cages of each model of node, with what its labels say, which cables they take, and where they are.

Models are what the catalogue calls nodes: servers and trays, and also storage, routers and whatever else is wired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fabricgen.blueprint.models import natural
from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import Cluster
from fabricgen.export.plugs import cable_end_ports, plugs
from fabricgen.export.technician.records import CableTag, cable_tags
from fabricgen.wiring.groups import unique_combinations

_Told: TypeAlias = dict[str, dict[str, list[CableTag]]]
"""By cage and label: the tags of the cables there."""


@dataclass(frozen=True, slots=True)
class Socket:
    """What one plug is in, as its label says (`OSFP1/2`), and the tags of the cables that nodes have there."""

    label: str
    tags: tuple[CableTag, ...]


@dataclass(frozen=True, slots=True)
class NodeCage:
    """A cage of a node, its form factor, and its sockets in use; none: spare. Of an inlet for power they are None."""

    name: str
    form_factor: str
    sockets: tuple[Socket, ...] | None


@dataclass(frozen=True, slots=True)
class CageBlock:
    """Cages that sit together: where, in words, and whether that is published, or else a role."""

    where: str
    published: bool
    cages: tuple[NodeCage, ...]


@dataclass(frozen=True, slots=True)
class NodePorts:
    """A model of node, how many of it there are, and its cages."""

    profile: NodeProfile
    count: int
    blocks: tuple[CageBlock, ...]


def node_ports(cluster: Cluster) -> tuple[NodePorts, ...]:
    """The models of nodes of a cluster that have cables, by id."""
    counts: dict[str, int] = {}
    profiles: dict[str, NodeProfile] = {}
    for cls in cluster.plan.devices.classes:
        if isinstance(cls.profile, NodeProfile):
            profiles[cls.profile.id] = cls.profile
            counts[cls.profile.id] = counts.get(cls.profile.id, 0) + cls.count
    sockets = _sockets(cluster, sorted(profiles))
    return tuple(
        NodePorts(profiles[id_], counts[id_], tuple(_blocks(profiles[id_], sockets[id_])))
        for id_ in sorted(profiles)
        if sockets[id_]
    )


def _sockets(cluster: Cluster, ids: Sequence[str]) -> dict[str, _Told]:
    """What is plugged into the nodes of each model."""
    found, links = plugs(cluster), cluster.plan.links
    link = cluster.plan.cables.end_link[found.row]
    tags, tag = cable_tags(cluster)
    classes = cluster.plan.devices.classes
    known = {id_: number for number, id_ in enumerate(ids)}
    model = np.array([known.get(cls.profile.id, -1) for cls in classes], dtype=np.int32)
    told: dict[str, _Told] = {id_: {} for id_ in ids}
    for end, cages, device in zip(
        found.ends, cable_end_ports(cluster)[0], (links.a_device, links.b_device), strict=True
    ):
        own = model[cluster.plan.devices.device_class[device[link]]]
        cage = cages.take(found.row)
        label = end.texts(cage, tails=False)
        first, _ = unique_combinations(own, cage.codes, label.codes, tag[found.row])
        first = first[own[first] >= 0]
        what = zip(
            own[first].tolist(), cage.take(first), label.take(first), tag[found.row][first].tolist(), strict=True
        )
        for number, name, text, which in what:
            told[ids[number]].setdefault(name, {}).setdefault(text, []).append(tags[which])
    return told


def _blocks(profile: NodeProfile, told: _Told) -> Iterator[CageBlock]:
    """Cages whose place is published, then the others by role and name, then those that the catalogue has not."""
    forms = {port.cage: role.form_factor for role in profile.roles.values() for port in role.ports}

    def drawn(names: Sequence[str]) -> tuple[NodeCage, ...]:
        return tuple(NodeCage(name, forms.get(name, ""), tuple(_in_order(told.get(name, {})))) for name in names)

    groups = profile.panel.groups if profile.panel else ()
    for group in groups:
        yield CageBlock(group.where, True, drawn(group.cages))
    placed = {cage for group in groups for cage in group.cages}
    roles = profile.role_of_cage
    for role in profile.roles:
        names = sorted((cage for cage, of in roles.items() if of == role and cage not in placed), key=natural)
        if names:
            yield CageBlock(role, False, drawn(names))
    others = sorted(told.keys() - roles.keys(), key=natural)
    if others:
        yield CageBlock("not in the catalogue", False, drawn(others))


def _in_order(told: Mapping[str, Sequence[CableTag]]) -> Iterator[Socket]:
    for label in sorted(told, key=natural):
        yield Socket(label, tuple(sorted(set(told[label]), key=lambda tag: natural(tag.text))))
