"""End-to-end oversubscription: of each tier, and of all tiers above the nodes together."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.design.capacity.bisection import list_chains, sum_node_bandwidth
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design


class EndToEnd(NamedTuple):
    """The product of the tiers' oversubscription up to the narrowest point, and each of those tiers with its ratio."""

    ratio: Fraction
    tiers: tuple[tuple[TierDesign, Fraction], ...]

    @property
    def narrowest(self) -> TierDesign | None:
        """The tier with the highest ratio; None if no tier has uplinks."""
        return max(self.tiers, key=lambda tier_and_ratio: tier_and_ratio[1])[0] if self.tiers else None

    @property
    def allowed(self) -> Fraction:
        """The product of the ratios that the tiers allow, each at least 1."""
        product = Fraction(1)
        for tier, _ in self.tiers:
            product *= max(Fraction(1), tier.allowed)
        return product

    @property
    def text(self) -> str:
        """The tiers and their ratios in words: `leaf 2:1 x spine 4:1`."""
        return " x ".join(f"{tier.name} {float(ratio):.3g}:1" for tier, ratio in self.tiers)


def compute_end_to_end(design: Design, fabric: FabricDesign) -> EndToEnd:
    """Return the oversubscription of a fabric up to its narrowest point: the product of the ratios of its tiers.

    Links between sites count as the uplinks of their tier. If parts of the cluster have tiers to themselves, it is that
    of the worst part.
    """
    chains = [_multiply_chain(chain) for chain in list_chains(design, fabric)]
    return max(chains, key=lambda chain: chain.ratio, default=EndToEnd(Fraction(1), ()))


def _multiply_chain(chain: Sequence[TierDesign]) -> EndToEnd:
    """Return the oversubscription of tiers, each linked up to the next, up to the narrowest point."""
    narrowest, product = EndToEnd(Fraction(1), ()), Fraction(1)
    tiers_below: list[tuple[TierDesign, Fraction]] = []
    for tier in chain:
        ratio = tier.oversubscription
        if ratio is None:
            break
        product *= ratio
        tiers_below.append((tier, ratio))
        if not narrowest.tiers or product > narrowest.ratio:
            narrowest = EndToEnd(product, tuple(tiers_below))
    return narrowest


# What fabrics are for, and how much bandwidth nodes have on them.


def count_attached_nodes(design: Design, fabric: FabricDesign) -> int:
    """Return how many nodes attach to a fabric, without omitted nodes."""
    return sum(design.layout.count_present(nodes) for nodes in fabric.node_sets)


def has_purpose(fabric: FabricDesign, purpose: str) -> bool:
    """Whether nodes attach to a fabric with NICs of a role (`storage`, `inband`), or the fabric has that name."""
    return bool(fabric.attachments) and purpose in (fabric.name, fabric.attachments[0][1].role)


def has_gpu_ports(fabric: FabricDesign) -> bool:
    """Whether nodes attach to a fabric with ports of NICs that belong to accelerators."""
    return any(leg.gpu is not None for _, attachment in fabric.attachments for leg in attachment.legs)


def sum_bandwidth_beyond_leaves(design: Design, fabric: FabricDesign) -> Fraction:
    """Return the bandwidth of all nodes of a fabric beyond their leaves, Gb/s: that of their ports over the
    oversubscription.
    """
    return sum_node_bandwidth(design, fabric) / max(Fraction(1), compute_end_to_end(design, fabric).ratio)


def sum_extra_bandwidth(fabric: FabricDesign, purpose: str) -> int:
    """Return the bandwidth of the extra devices that attach to a fabric with ports of a role (`purpose`), Gb/s."""
    return sum(
        len(extra.links) * extra.attachment.speed_gbps for extra in fabric.extras if extra.attachment.role == purpose
    )
