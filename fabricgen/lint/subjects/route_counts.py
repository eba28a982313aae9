"""What BGP makes of a design: prefixes that a leaf is announced, and sessions, ECMP groups and paths of a switch.

All are counted on the design. Prefixes are counted low: switches of the lowest tier and what they announce, and not the
loopbacks of all the switches above them.
"""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.design.capacity.bisection import count_strands, list_chains, list_top_tiers
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.numbering.underlay import find_underlay, is_management, list_families, runs_bgp


class Announced(NamedTuple):
    """What a neighbour above announces to a leaf at least, in one address family."""

    leaf: str
    """The name of the lowest tier."""
    loopbacks: int
    hosts: int
    """Prefixes of nodes."""

    @property
    def prefixes(self) -> int:
        """Loopbacks and prefixes of nodes together."""
        return self.loopbacks + self.hosts

    @property
    def text(self) -> str:
        """Both counts in words: `31 loopbacks and 256 prefixes of hosts`."""
        return f"{self.loopbacks:,} loopbacks" + (f" and {self.hosts:,} prefixes of hosts" if self.hosts else "")


def count_announced(design: Design, fabric: FabricDesign) -> Announced | None:
    """What each leaf of a fabric is announced; None where there is no BGP, or nothing above the leaves.

    Leaves meet those of their strand (rail, plane) in the place that the top tier serves: pods that nothing joins
    announce each other nothing, and sites do over spans. Places of different sizes count as their average.
    """
    candidates = []
    for top in list_top_tiers(design, fabric):
        below = [chain[0] for chain in list_chains(design, fabric) if chain[-1] is top and len(chain) > 1]
        if not below or below[0].fabric != fabric.name or not runs_bgp(design, fabric):
            continue
        places = 1 if top.spans else top.places
        leaves = sum(leaf.switches for leaf in below) // (count_strands(design, fabric) * places)
        if leaves > 1:
            host_prefixes = [_count_host_prefixes(design, fabric, leaf) for leaf in below]
            total = sum(leaf.switches * prefixes for leaf, prefixes in zip(below, host_prefixes, strict=True))
            average = total // sum(leaf.switches for leaf in below)
            candidates.append(Announced(below[0].name, leaves, max(0, leaves * average - max(host_prefixes))))
    return max(candidates, key=lambda counts: (counts.loopbacks, counts.hosts), default=None)


def _count_host_prefixes(design: Design, fabric: FabricDesign, leaf: TierDesign) -> int:
    """Prefixes of nodes that one leaf announces, on average: of each routed link, or a block or subnet at least."""
    if fabric.hosts == "none":
        return 0
    blocks = design.catalog.naming(leaf.nos).configuration.announces_blocks
    as_block = blocks and find_underlay(design, fabric) == "ebgp-numbered" and not _needs_frr(design, fabric)
    if fabric.hosts != "routed" or is_management(fabric) or as_block:
        return 1
    attached = [(feed, *pair) for feed in fabric.feeds_of(leaf.key) for pair in feed.attachments]
    links = sum(design.count_present(feed, nodes) * len(attachment.legs) for feed, nodes, attachment in attached)
    return links // leaf.switches


def _needs_frr(design: Design, fabric: FabricDesign) -> bool:
    """Whether SONiC switches take an frr.conf, which announces each link, and not bgpcfgd, which announces blocks."""
    blueprint = design.loaded.blueprint
    scopes = (blueprint.fabrics[fabric.name].routing, blueprint.routing)
    is_stated = any(routing.bfd or routing.max_prefixes for routing in scopes)
    return is_stated or "v4" not in list_families(design, fabric)


def _count_sessions_per_link(design: Design, fabric: FabricDesign) -> int:
    """BGP sessions on each link: one an address family, or one over link-local addresses for both."""
    return 1 if find_underlay(design, fabric) == "ebgp-unnumbered" else len(list_families(design, fabric))


def count_sessions(design: Design, fabric: FabricDesign, tier: TierDesign) -> int:
    """The most BGP neighbours of a switch of a tier in the default VRF: on links up, down and inside the tier."""
    links = (tier.up.count if tier.up else 0) + sum(feed.used for feed in tier.feeds if feed.source.tier)
    links += sum(run.count for run in tier.switch_runs if run is not tier.up)
    return links * _count_sessions_per_link(design, fabric)


def count_ecmp_groups(design: Design, fabric: FabricDesign, tier: TierDesign) -> int:
    """Sets of next hops that a switch needs while all links are up: one up, and one for each lower switch that it has
    several links to; of each address family.
    """
    up = 1 if tier.up and tier.up.count > 1 else 0
    down = sum(feed.used // feed.links for feed in tier.feeds if feed.source.tier and feed.links > 1)
    return (up + down) * len(list_families(design, fabric))


def count_ecmp_paths(tier: TierDesign) -> int:
    """The most equal-cost paths of a switch: its links up, or at the top its parallel links to a lower switch."""
    return tier.up.count if tier.up else max((feed.links for feed in tier.feeds), default=1)
