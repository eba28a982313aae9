"""Partitions of an InfiniBand fabric: which ports of which nodes are in them, one for each tenant and one for the rest.

A port of a tenant is a full member of that tenant's partition alone; an extra device that is of several tenants is in
several, and is what they share. Ports of no tenant are in one more partition: as full members of the default one they
would reach every tenant's nodes, which are limited members of it (InfiniBand Architecture Specification, volume 1,
10.9.3: a full member of a partition talks to the limited ones).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

REST = 0x7FFE
"""The P_Key of ports of no tenant: the last before the default partition's 0x7fff. Tenants are numbered from 1."""


class TenantPort(NamedTuple):
    """A port of a node, by its GUID, and the tenants that it is of, "" for those of none; `stated`: the GUID is one of
    real hardware.
    """

    node: str
    guid: int
    stated: bool
    tenants: tuple[str, ...]


class PartitionMember(NamedTuple):
    """The ports of a node in a partition, by GUID. `alone`: they are in no other but the default one; `planned`: some
    GUID is a placeholder.
    """

    node: str
    guids: tuple[int, ...]
    alone: bool
    planned: bool


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition: its name, its P_Key without the bit for full members, and its members, in the plan's order."""

    name: str
    pkey: int
    members: tuple[PartitionMember, ...]


def partitions_of(ports: Iterable[TenantPort], numbers: Mapping[str, int], rest: str) -> tuple[Partition, ...]:
    """The partitions by P_Key: those of tenants, of which `numbers` has the number, and that of ports of none, named
    `rest`, where there are any.
    """
    found: dict[str, dict[tuple[str, bool], list[TenantPort]]] = {}
    for port in ports:
        for name in port.tenants:
            found.setdefault(name, {}).setdefault((port.node, len(port.tenants) == 1), []).append(port)
    return tuple(
        Partition(name or rest, pkey, tuple(_member(*key, mine) for key, mine in found[name].items()))
        for pkey, name in sorted((numbers.get(name, REST), name) for name in found)
    )


def _member(node: str, alone: bool, ports: list[TenantPort]) -> PartitionMember:
    guids = tuple(port.guid for port in ports)
    return PartitionMember(node, guids, alone, not all(port.stated for port in ports))
