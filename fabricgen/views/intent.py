"""The settings of the switches of each fabric: those that the blueprint states for it, the cluster's, then defaults.

Long-haul connections (spans) are among them, as border switches need them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.blueprint.sections.management import Management
from fabricgen.blueprint.sections.routing import Bfd, LoadBalance, Routing
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import find_fabric_vlan, group_linked_fabrics, weighs_paths
from fabricgen.design.model import Design
from fabricgen.design.qos import QosIntent, resolve_qos
from fabricgen.numbering.blocks.family import FAMILIES
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.numbering.srv6 import Srv6Block, find_block
from fabricgen.numbering.underlay import find_underlay, is_management, list_families
from fabricgen.views.balancing import find_balancing
from fabricgen.views.exits import list_outside_prefixes
from fabricgen.views.service import HostServices, make_host_services

if TYPE_CHECKING:
    from fabricgen.blueprint.sections import mesh as language
    from fabricgen.switch.interfaces import LinkMacsec
    from fabricgen.switch.routing import Permit

MACSEC_OVERHEAD = 32
"""Bytes that MACsec adds to a frame: a tag of 16 with the sender's identifier, and an integrity check value of 16 (IEEE
802.1AE-2018, 9.3, 9.11 and 14.5). The MTU of the port is smaller by that, so that frames on the fibre are no larger
than those of other links."""


class SpanIntent(NamedTuple):
    """A long-haul connection: `lossless` if PFC pauses over it, `length_m` of its fibre.

    The key of `macsec` is a reference until configurations are rendered.
    """

    name: str
    length_m: int
    lossless: bool
    macsec: LinkMacsec | None

    @property
    def settings_name(self) -> str:
        """The name of its settings on a switch."""
        return f"span-{self.name}"

    @property
    def overhead(self) -> int:
        """Bytes that its links add to every frame."""
        return MACSEC_OVERHEAD if self.macsec else 0


def list_spans(spec: Fabric) -> tuple[SpanIntent, ...]:
    """Return the spans that a blueprint states for a fabric, by name."""
    return tuple(
        SpanIntent(
            name=name,
            length_m=round(1000 * span.km),
            lossless=span.lossless,
            macsec=_make_macsec(span.macsec),
        )
        for name, span in sorted(spec.spans.items())
    )


def _make_macsec(stated: language.Macsec | None) -> LinkMacsec | None:
    """Return how a span is encrypted; the model of switches is imported only for encrypted spans."""
    if stated is None:
        return None
    from fabricgen.switch.interfaces import LinkMacsec

    return LinkMacsec(stated.cipher, stated.ckn, stated.cak)


class FabricIntent(NamedTuple):
    """The settings that all switches of a fabric share."""

    name: str
    underlay: str
    """How its switches route, as `routing.underlay` spells it: `ebgp-numbered`, `static`, ..."""
    hosts: str
    """`routed`, `bridged` or `none`."""
    bfd: Bfd | None
    """BFD timers; None where sessions run without BFD."""
    max_prefixes: int
    """The most prefixes of a family that a neighbour may announce; 0: no limit."""
    states_max_prefixes: bool
    """Whether the blueprint states `max_prefixes`."""
    balancing: LoadBalance
    """How its switches choose among equal paths."""
    weighted: bool
    """Whether BGP tells how many links lead on, so that equal paths are weighted by them."""
    spans: tuple[SpanIntent, ...]
    """Its long-haul connections, by name."""
    management: Management
    """Its own settings over the cluster's; secrets are references until configurations are rendered."""
    qos: QosIntent
    vlan: int
    """That of its bridged hosts, and of its VRF on links between switches."""
    vrf: str
    """The VRF in which another fabric carries it; "" for the default VRF."""
    families: tuple[str, ...]
    """`v4`, `v6` or both, of the addresses that its switches route."""
    loopback_pools: tuple[str, ...]
    """Prefixes that contain all loopbacks of this fabric and of those linked with it, in its families."""
    host_pools: tuple[str, ...]
    """Prefixes that contain all node addresses of this fabric and of those that share a VRF with it."""
    offers: HostServices
    """What leaves do for its hosts."""
    srv6: Srv6Block | None = None
    """The block of its SRv6 identifiers, where it has any."""
    outside: tuple[Permit, ...] = ()
    """What is beyond the exits of this fabric and of those that share a VRF with it."""


def make_fabric_intent(
    design: Design, fabric: FabricDesign, own_loopbacks: Mapping[str, tuple[str, ...]] | None = None
) -> FabricIntent:
    """Return the settings of a fabric; `own_loopbacks` are loopback prefixes of single switches, by fabric.

    These are added to `loopback_pools` unless a pool contains them.
    """
    blueprint = design.loaded.blueprint
    spec = blueprint.fabrics[fabric.name]
    linked = next(part for part in group_linked_fabrics(blueprint.fabrics) if fabric.name in part)
    joined = [f for f in design.fabrics if f.name in linked and f.vrf == fabric.vrf]
    members = (fabric, *joined)
    loopbacks = tuple(dict.fromkeys(p for f in members for p in _list_pool_prefixes(design, f, "loopback")))
    single_loopbacks = dict.fromkeys(p for f in members for p in (own_loopbacks or {}).get(f.name, ()))
    limits = (routing.max_prefixes for routing in (spec.routing, blueprint.routing))
    stated_limit, usual_limit = (
        next((limit for limit in limits if limit is not None), None),
        _derive_max_prefixes(design, linked),
    )
    return FabricIntent(
        name=fabric.name,
        underlay=find_underlay(design, fabric),
        hosts=fabric.hosts,
        bfd=_find_bfd(spec.routing, blueprint.routing),
        max_prefixes=usual_limit if stated_limit is None else stated_limit,
        states_max_prefixes=bool(stated_limit),
        balancing=find_balancing(spec.routing, blueprint.routing),
        weighted=weighs_paths(blueprint, fabric.name),
        spans=list_spans(spec),
        management=spec.management.lay_over(blueprint.management),
        qos=resolve_qos(design, fabric),
        vlan=find_fabric_vlan(blueprint, design.layout.numbering, fabric.name),
        vrf=fabric.vrf,
        families=list_families(design, fabric),
        loopback_pools=_add_single_prefixes(loopbacks, single_loopbacks),
        host_pools=tuple(dict.fromkeys(p for f in members for p in list_host_pools(design, f))),
        offers=make_host_services(spec),
        srv6=find_block(design, fabric),
        outside=list_outside_prefixes(design, fabric, fabric.vrf),
    )


def _list_pool_prefixes(design: Design, fabric: FabricDesign, name: str) -> tuple[str, ...]:
    """Return the prefixes of a pool in the families of a fabric."""
    routed_families = [family for family in FAMILIES if family.word in list_families(design, fabric)]
    blueprint = design.loaded.blueprint
    return tuple(
        prefix for family in routed_families for prefix in find_pool_prefixes(blueprint, fabric.name, name, family)[0]
    )


def _add_single_prefixes(pools: tuple[str, ...], single: Iterable[str]) -> tuple[str, ...]:
    """Return pools, and those single prefixes that no pool contains."""
    return (*pools, *(prefix for prefix in single if not _is_in_pool(prefix, pools)))


def _is_in_pool(prefix: str, pools: Iterable[str]) -> bool:
    """Whether a pool contains a single address, given as a prefix."""
    network = ip_network(prefix)
    return any(network.network_address in ip_network(pool) for pool in pools)


def list_host_pools(design: Design, fabric: FabricDesign) -> tuple[str, ...]:
    """Return prefixes that contain all node addresses of a fabric."""
    return _list_pool_prefixes(design, fabric, "management" if is_management(fabric) else "hosts")


def _find_bfd(of_fabric: Routing, of_cluster: Routing) -> Bfd | None:
    """Return the BFD settings that the fabric states, else those of the cluster."""
    stated = of_fabric.bfd if of_fabric.bfd is not None else of_cluster.bfd
    return Bfd.model_construct() if stated is True else stated or None


LEAST_MAX_PREFIXES = 4096


def _derive_max_prefixes(design: Design, linked: Iterable[str]) -> int:
    """Return the next power of two above twice the loopbacks and host ports of linked fabrics.

    Growth rarely changes a power of two, and a change of it would change every switch.
    """
    names = frozenset(linked)
    tiers = [tier for f in design.fabrics if f.name in names or f.carrier in names for tier in f.tiers]
    hosts = sum(tier.switches * run.capacity for tier in tiers if tier.lowest for run in tier.downs)
    switches_and_hosts = sum(tier.switches for tier in tiers) + hosts
    return max(LEAST_MAX_PREFIXES, 1 << (2 * switches_and_hosts).bit_length())
