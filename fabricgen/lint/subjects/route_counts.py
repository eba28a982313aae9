"""Count on the design what BGP asks of a switch: prefixes that a leaf is announced, sessions, ECMP groups and paths.

Prefixes are counted low: loopbacks of the switches of the lowest tier and what these announce for nodes; the loopbacks
of the switches above are left out.
"""

from typing import NamedTuple

from fabricgen.design.capacity.bisection import count_strands, list_chains, list_top_tiers
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.numbering.underlay import find_underlay, is_management, list_families, runs_bgp


class Announced(NamedTuple):
    """How many prefixes a neighbour above announces to a leaf at least, in one address family."""

    leaf: str
    """The name of the lowest tier."""
    loopbacks: int
    """How many of the prefixes are loopbacks."""
    hosts: int
    """How many of the prefixes are of nodes."""

    @property
    def prefixes(self) -> int:
        """The number of loopbacks and of prefixes of nodes together."""
        return self.loopbacks + self.hosts

    @property
    def text(self) -> str:
        """Both counts in words: `31 loopbacks and 256 prefixes of hosts`."""
        return f"{self.loopbacks:,} loopbacks" + (f" and {self.hosts:,} prefixes of hosts" if self.hosts else "")


def count_announced(design: Design, fabric: FabricDesign) -> Announced | None:
    """Return what each leaf of a fabric is announced; None if the fabric has no BGP or no tier above its leaves.

    A leaf learns the prefixes of the leaves of its strand (rail, plane) in the place that the top tier serves: those of
    other pods only if a tier joins the pods, and those of other sites over spans. Places of different sizes count as
    their average.
    """
    candidates = []
    for top in list_top_tiers(design, fabric):
        leaf_tiers = [chain[0] for chain in list_chains(design, fabric) if chain[-1] is top and len(chain) > 1]
        if not leaf_tiers or leaf_tiers[0].fabric != fabric.name or not runs_bgp(design, fabric):
            continue
        switches = sum(leaf.switches for leaf in leaf_tiers)
        # the leaves of one strand in one place that the top tier serves; spans join its places
        leaves = switches // (count_strands(design, fabric) * (1 if top.spans else top.places))
        if leaves > 1:
            prefixes_of_leaf = [_count_host_prefixes(design, fabric, leaf) for leaf in leaf_tiers]
            average = sum(leaf.switches * n for leaf, n in zip(leaf_tiers, prefixes_of_leaf, strict=True)) // switches
            # a leaf is not announced its own prefixes; that with the most has the fewest to hear
            hosts = max(0, leaves * average - max(prefixes_of_leaf))
            candidates.append(Announced(leaf_tiers[0].name, leaves, hosts))
    return max(candidates, key=lambda counts: (counts.loopbacks, counts.hosts), default=None)


def _count_host_prefixes(design: Design, fabric: FabricDesign, leaf: TierDesign) -> int:
    """Return how many prefixes of nodes one leaf announces on average: one for each routed link, or 1 if it announces
    the block or subnet of its nodes.
    """
    if fabric.hosts == "none":
        return 0
    may_announce_blocks = design.catalog.naming(leaf.nos).configuration.announces_blocks
    is_numbered = find_underlay(design, fabric) == "ebgp-numbered"
    announces_block = may_announce_blocks and is_numbered and not _needs_frr(design, fabric)
    if fabric.hosts != "routed" or is_management(fabric) or announces_block:
        return 1
    attached = [(feed, *pair) for feed in fabric.feeds_of(leaf.key) for pair in feed.attachments]
    links = sum(design.count_present(feed, nodes) * len(attachment.legs) for feed, nodes, attachment in attached)
    return links // leaf.switches


def _needs_frr(design: Design, fabric: FabricDesign) -> bool:
    """Whether SONiC switches are configured by frr.conf, which announces each link, and not by bgpcfgd, which announces
    blocks.
    """
    blueprint = design.loaded.blueprint
    is_stated = any(r.bfd or r.max_prefixes for r in (blueprint.fabrics[fabric.name].routing, blueprint.routing))
    return is_stated or "v4" not in list_families(design, fabric)


def _count_sessions_per_link(design: Design, fabric: FabricDesign) -> int:
    """Return how many BGP sessions each link has: one for each address family, or one over link-local addresses."""
    return 1 if find_underlay(design, fabric) == "ebgp-unnumbered" else len(list_families(design, fabric))


def count_sessions(design: Design, fabric: FabricDesign, tier: TierDesign) -> int:
    """Return how many BGP neighbours a switch of a tier has at most in the default VRF, on links up, down and inside
    the tier.
    """
    links = (tier.up.count if tier.up else 0) + sum(feed.used for feed in tier.feeds if feed.source.tier)
    links += sum(run.count for run in tier.switch_runs if run is not tier.up)
    return links * _count_sessions_per_link(design, fabric)


def count_ecmp_groups(design: Design, fabric: FabricDesign, tier: TierDesign) -> int:
    """Return how many sets of next hops a switch needs while all links are up, in all address families: one for its
    links up, and one for each lower switch to which it has several links.
    """
    up = 1 if tier.up and tier.up.count > 1 else 0
    down = sum(feed.used // feed.links for feed in tier.feeds if feed.source.tier and feed.links > 1)
    return (up + down) * len(list_families(design, fabric))


def count_ecmp_paths(tier: TierDesign) -> int:
    """Return how many equal-cost paths a switch has at most: its links up, or at the top its links to a lower
    switch.
    """
    return tier.up.count if tier.up else max((feed.links for feed in tier.feeds), default=1)
