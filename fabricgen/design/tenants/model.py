"""A tenant of the cluster, in the symmetric form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fabricgen.blueprint.slots import NodeSlot
from fabricgen.kernel.diagnostics import Path


class TenantDesign(NamedTuple):
    """A tenant: its nodes and extra devices, the fabrics that it is kept apart in, and its numbers.

    Its name is that of its VRF. `number` is from 1, and never another's: VNIs and partition keys follow from it.
    """

    name: str
    number: int
    slots: frozenset[NodeSlot]
    """Its nodes that are present; the pod is that of the whole cluster."""
    extras: tuple[str, ...]
    """Names of its sets of extra devices."""
    fabrics: tuple[str, ...]
    """The fabrics that it is kept apart in, InfiniBand ones included, in the order of fabrics."""
    transport: tuple[str, ...]
    """The Ethernet fabrics with switches that its VRF may pass: its own, and those linked with them."""
    vlans: Mapping[str, tuple[int, ...]]
    """By Ethernet fabric, its own and of `transport`: its VLAN, or one for each subnet of rails. The first is also that
    of its sub-interfaces on links between the switches of the fabric.
    """
    path: Path
    shared: tuple[str, ...] = ()
    """Names of the sets of extra devices on InfiniBand that are in its partition, too."""


class LeakDesign(NamedTuple):
    """Routes that two VRFs tell each other; "" is the default VRF.

    `prefixes`: what a VRF shows to the other, absent for all its hosts. `fabrics` own the switches that leak, where
    they have both VRFs.
    """

    name: str
    between: tuple[str, str]
    prefixes: Mapping[str, tuple[str, ...]]
    fabrics: tuple[str, ...]
    meeting: tuple[str, ...] = ()
    """The fabrics of whose leaves none may have hosts of both VRFs: they would be in one subnet."""

    def find_source_vrf(self, vrf: str) -> str | None:
        """The VRF whose routes it brings into one; None where it is not of this leak."""
        a, b = self.between
        return {a: b, b: a}.get(vrf)
