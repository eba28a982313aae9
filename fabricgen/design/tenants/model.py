"""A tenant of the cluster, in the symmetric form."""

from collections.abc import Mapping
from typing import NamedTuple

from fabricgen.blueprint.slots import NodeSlot
from fabricgen.kernel.diagnostics import Path


class TenantDesign(NamedTuple):
    """A tenant: its nodes and extra devices, the fabrics in which it is kept apart, and its numbers."""

    name: str
    """Its name, which is that of its VRF."""
    number: int
    """Its number, from 1: VNIs and partition keys follow from it, and no other tenant ever gets it."""
    slots: frozenset[NodeSlot]
    """Its nodes that are present; pods are numbered as in the whole cluster."""
    extras: tuple[str, ...]
    """Names of its sets of extra devices."""
    fabrics: tuple[str, ...]
    """The fabrics in which it is kept apart, including InfiniBand ones, in the order of fabrics."""
    transport: tuple[str, ...]
    """The Ethernet fabrics with switches that its VRF may pass: those in `fabrics`, and those linked with them."""
    vlans: Mapping[str, tuple[int, ...]]
    """Its VLAN in each Ethernet fabric of `fabrics` and `transport`, or a VLAN for each subnet of rails. The first one
    is also the VLAN of its sub-interfaces on links between the switches of the fabric.
    """
    path: Path
    shared: tuple[str, ...] = ()
    """Names of the sets of extra devices on InfiniBand that its partition shares with others."""


class LeakDesign(NamedTuple):
    """Routes that two VRFs pass to each other."""

    name: str
    between: tuple[str, str]
    """The two VRFs; "" is the default VRF."""
    prefixes: Mapping[str, tuple[str, ...]]
    """The prefixes that a VRF passes to the other; a VRF that is absent passes routes to all its hosts."""
    fabrics: tuple[str, ...]
    """The fabrics that own the switches which have both VRFs and leak between them."""
    meeting: tuple[str, ...] = ()
    """The fabrics in which no leaf may have hosts of both VRFs, as these hosts would be in one subnet."""

    def find_source_vrf(self, vrf: str) -> str | None:
        """Return the VRF whose routes it brings into `vrf`; None if `vrf` is not one of the two."""
        a, b = self.between
        return {a: b, b: a}.get(vrf)
