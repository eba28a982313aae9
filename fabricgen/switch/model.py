"""What a switch is told to do, in words that belong to no NOS.

A reader (`nos/NOS/reader.py`) makes it from the files of one switch alone: two switches that are told the
same are equal. Empty text, 0 and None stand for what is absent. Collections without an order of their own
are sets or mappings, so that the order in which a file says things does not matter; where views make them, they are in
the order in which they are written.

Names of interfaces are those of the NOS; `comparing.rename_ports` gives them others, so that two NOSes can be compared.
VRFs go by the blueprint's names, "" for the default one (SONiC's `Vrf_` is not part of a name). The VRF of the
management port is not among `vrfs`: its name is the NOS's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabricgen.switch.interfaces import Bond, Interface, Pair, Subinterface, Vlan
from fabricgen.switch.management import Management
from fabricgen.switch.qos import Balancing, Qos, Trimming
from fabricgen.switch.routing import Bgp, Overlay, StaticRoute


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch. `interfaces` are its ports but for those in `unused`: down, and with no use.

    `subinterfaces` are by (port, VLAN tag), `vlans` and `bonds` by number, `bgp` by VRF, `routes` by (VRF, prefix).
    """

    hostname: str
    interfaces: Mapping[str, Interface]
    unused: frozenset[str]
    loopbacks: frozenset[str]
    management: Management
    subinterfaces: Mapping[tuple[str, int], Subinterface] = field(default_factory=dict)
    vlans: Mapping[int, Vlan] = field(default_factory=dict)
    bonds: Mapping[int, Bond] = field(default_factory=dict)
    pair: Pair | None = None
    vrfs: frozenset[str] = frozenset()
    bgp: Mapping[str, Bgp] = field(default_factory=dict)
    routes: Mapping[tuple[str, str], StaticRoute] = field(default_factory=dict)
    drained: bool = False
    """Whether all that it announces by BGP is the last choice of its neighbours (graceful shutdown, a longer path)."""
    qos: Qos | None = None
    overlay: Overlay | None = None
    """EVPN, over which VRFs travel."""
    balancing: Balancing = field(default_factory=Balancing)
    vrf_loopbacks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By VRF, the addresses of its own loopback there."""
    trimming: Trimming | None = None
    """What a best-effort fabric does instead of dropping packets."""
