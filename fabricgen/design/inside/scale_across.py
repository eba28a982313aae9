"""Scale-across: bandwidth and latency of the links between sites, the oversubscription of each site's nodes, and the
headroom that PFC needs over such a distance.

Headroom is for the bytes that arrive after a port has sent a pause. The pause travels to the far end, which finishes
the packet that it sends and reacts within the time of the standard; meanwhile, and for as long again, bytes already
sent keep arriving: two delays of the medium, a largest packet at each end, the pause frame, and the reaction time of
IEEE Std 802.3, 31B.3.7, 905 quanta of 512 bits at 400 Gb/s (sonic-net/SONiC, doc/qos/dynamically-headroom-
calculation.md, sums up the same; IEEE Std 802.1Q has an annex on buffers of PFC).
"""

from fractions import Fraction
from typing import NamedTuple

from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.inside.links import Mesh
from fabricgen.design.inside.meshes import count_mesh_links
from fabricgen.design.model import Design

US_PER_KM = 4.9
"""Latency of light in single-mode fibre, us per km: a group index of 1.47 (ITU-T G.652)."""

LARGEST_FRAME = 9216 + 22 + 32
"""Bytes: the largest MTU, and the overhead of Ethernet and of MACsec."""

REACTION = 905 * 512 // 8
"""Bytes that may leave a port of 400 Gb/s between a pause frame's arrival and its effect; fewer at lower speeds."""

PAUSE_FRAME = 84
"""Bytes on the wire, with preamble and gap."""


class SpanFigures(NamedTuple):
    """Links between two sites: how many, bandwidth in Gb/s each way, one-way latency in us."""

    span: Mesh
    sites: tuple[str, str]
    links: int
    gbps: int
    latency_us: float


def list_spans(design: Design, fabric: FabricDesign) -> list[tuple[TierDesign, SpanFigures]]:
    """Return the spans of a fabric, each with the tier that it joins."""
    sites = design.layout.sites
    spans = []
    for tier in fabric.tiers:
        for span in tier.spans:
            link_count, site_names = count_mesh_links(tier, span), (sites[span.sites[0]], sites[span.sites[1]])
            latency_us = round(span.km * US_PER_KM, 1)
            spans.append(
                (tier, SpanFigures(span, site_names, link_count, link_count * span.run.speed_gbps, latency_us))
            )
    return spans


def compute_site_oversubscription(design: Design, fabric: FabricDesign) -> dict[str, Fraction]:
    """Return the oversubscription of each site that has spans, by site: the bandwidth of its nodes, in the fabrics that
    a scale-across fabric joins, divided by the bandwidth of its spans.
    """
    spans = list_spans(design, fabric)
    ratios: dict[str, Fraction] = {}
    for site in design.layout.sites:
        span_gbps = sum(figures.gbps for _, figures in spans if site in figures.sites)
        if span_gbps:
            joined_tiers = {tier.key for tier, _ in spans}
            joined_fabrics = [
                f for f in design.fabrics if any(_is_linked_up_to(design, leaf, joined_tiers) for leaf in f.leaves)
            ]
            ratios[site] = Fraction(sum(_sum_node_bandwidth(design, f, site) for f in joined_fabrics), span_gbps)
    return ratios


def _is_linked_up_to(design: Design, key: TierKey, tiers: set[TierKey]) -> bool:
    """Whether a tier, or one that it is linked up to, is in `tiers`."""
    while key not in tiers:
        uplink = design.tier(key).uplink
        if uplink is None:
            return False
        key = uplink.upper
    return True


def _sum_node_bandwidth(design: Design, fabric: FabricDesign, site: str) -> int:
    """Return the bandwidth in a fabric of the nodes that are present at a site, Gb/s."""
    gbps = 0
    for feed in fabric.node_feeds:
        layout = design.tier(feed.leaf).layout.of_part(feed.part)
        pods_of_site = {pod_number for pod_number, pod in enumerate(layout.pods) if pod.site == site}
        units = sum(layout.pods[pod_number].su for pod_number in pods_of_site)
        for nodes, attachment in feed.attachments:
            missing = sum(slot.pod in pods_of_site and nodes.holds(slot.node - 1) for slot in layout.omitted)
            gbps += (nodes.count * units - missing) * len(attachment.legs) * attachment.speed_gbps
    return gbps


def count_bytes_in_flight(km: float, gbps: int) -> float:
    """Return how many bytes are on the way, there and back, over a length of fibre at full speed."""
    return 2 * km * US_PER_KM * gbps * 1000 / 8


def compute_headroom(km: float, gbps: int) -> int:
    """Return the headroom of one port and one priority over a length of fibre, bytes."""
    return round(count_bytes_in_flight(km, gbps)) + 2 * LARGEST_FRAME + REACTION + PAUSE_FRAME
