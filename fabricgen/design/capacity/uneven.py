"""What links that land unequally cost: the exact oversubscription of all-to-all traffic, from the design alone.

If links are dealt in turn (`spread: uneven`), a lower switch has m or m+1 links to an upper one. Equal-cost routing
splits what a switch sends equally over its links, so upwards nothing changes. Downwards, an upper switch passes on what
arrives over fewer or more links: with L lower switches that send equally to each other, the link from upper switch s to
lower switch k carries sum(d_is, i != k) / ((L - 1) x d_ks) times the mean, for d_is links between i and s. The fullest
link sets the pace of a collective (compare Al-Fares et al., SIGCOMM 2008, on equal-cost paths in folded Clos). It
carries at most (m+1)/m times the mean: if one lower switch has m links to an upper switch, and all others have m+1.

With `weights: link-bandwidth` lower switch i sends lower switch k over upper switch s in proportion to d_is x d_ks, the
paths through it: a link between s and k then carries sum(d_is / sum(d_is x d_ks, s), i != k), up and down alike.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.design.fabric_model import FabricDesign, TierDesign, Uplink
from fabricgen.design.linked import weighs_paths
from fabricgen.design.model import Design
from fabricgen.design.shape import list_group_ranks


class UnevenLanding(NamedTuple):
    """A tier whose uplinks land unequally, and what that costs."""

    lower: TierDesign
    upper: TierDesign
    fewest: int
    """The fewest links of a lower switch to an upper one; other pairs have one more."""
    cost: Fraction
    """Load of the fullest link over the mean, for traffic from every lower switch to every other."""

    @property
    def oversubscription(self) -> Fraction:
        """Mean oversubscription of the lower tier times the cost."""
        return (self.lower.oversubscription or Fraction(1)) * self.cost


def find_uneven_landings(design: Design, fabric: FabricDesign) -> Iterator[UnevenLanding]:
    """Yield the tiers of a fabric whose uplinks land unequally, from the nodes up."""
    for lower in fabric.tiers:
        uplink = lower.uplink
        if uplink is None or not uplink.uneven:
            continue
        upper = design.tier(uplink.upper)
        shape = lower.sizes, lower.coarser
        rank_groups = list_group_ranks(lower, lower.count, upper, *shape, by_slot=uplink.by_slot)
        compute_load = (
            weigh_fullest_link if weighs_paths(design.loaded.blueprint, fabric.name) else compute_fullest_link
        )
        fullest_link = max((compute_load(uplink, ranks) for ranks, _ in rank_groups), default=Fraction(1))
        yield UnevenLanding(lower, upper, uplink.links_per_group // uplink.upper_count, fullest_link)


def compute_fullest_link(uplink: Uplink, ranks: Sequence[int]) -> Fraction:
    """Return the load of the fullest link down to a lower switch, over the mean; 1 for fewer than two lower switches.

    `ranks` are the numbers, from 0, of the lower switches in the upper group, in whose order links are dealt.
    """
    upper_switches = range(uplink.upper_count)
    links_to_upper, fewest_links = (
        dict.fromkeys(upper_switches, 0),
        dict.fromkeys(upper_switches, uplink.links_per_group),
    )
    for rank in ranks:
        for upper in upper_switches:
            links = uplink.count_links_to(upper, rank)
            links_to_upper[upper] += links
            fewest_links[upper] = min(fewest_links[upper], links)
    # traffic to a lower switch comes from all others
    senders = len(ranks) - 1
    if senders < 1:
        return Fraction(1)
    return max(
        Fraction(links_to_upper[upper] - fewest_links[upper], senders * fewest_links[upper]) for upper in upper_switches
    )


def weigh_fullest_link(uplink: Uplink, ranks: Sequence[int]) -> Fraction:
    """Return the load of the fullest link over the mean, to a millionth, if paths are weighed by link bandwidth; 1 for
    fewer than two lower switches. `ranks` are the ranks of the lower switches in the upper group.
    """
    import numpy as np

    # lower switches whose links begin at the same upper switch have the same links
    switches_by_turn = Counter((rank * uplink.links_per_group) % uplink.upper_count for rank in ranks)
    rank_of_turn = dict(
        zip(((rank * uplink.links_per_group) % uplink.upper_count for rank in ranks), ranks, strict=True)
    )
    # float64 of shape (turn, upper switch): links of a lower switch
    links = np.array(
        [
            [float(uplink.count_links_to(upper, rank_of_turn[turn])) for upper in range(uplink.upper_count)]
            for turn in switches_by_turn
        ]
    )
    # shape (turn, turn): paths between two lower switches over all upper switches
    paths_between = links @ links.T
    lower_switches = np.array([float(count) for count in switches_by_turn.values()])
    # traffic to a lower switch comes from all others, so its own part is subtracted
    load_of_link = (lower_switches / paths_between) @ links - links / paths_between.diagonal()[:, None]
    if len(ranks) < 2:
        return Fraction(1)
    return Fraction(float(load_of_link.max()) * uplink.links_per_group / (len(ranks) - 1)).limit_denominator(1_000_000)
