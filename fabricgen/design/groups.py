"""Device groups and link bundles of a design: a graph in which identical devices are one vertex."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design, DeviceGroup, LinkBundle
from fabricgen.design.shape import depth, places_in_pod


def groups_of(design: Design) -> tuple[DeviceGroup, ...]:
    """The nodes of each pod as one group, then the switches of every tier: one group a pod where they stand in pods,
    else one.
    """
    layout = design.layout
    found = []
    for i, (pod, kind) in enumerate(zip(layout.pods, layout.kind_of_pod, strict=True)):
        omitted = [slot for slot in layout.omitted if slot.pod == i]
        for nodes in kind.node_sets:
            missing = sum(nodes.holds(slot.node - 1) for slot in omitted)
            count = nodes.count * pod.su - missing
            found.append(DeviceGroup(f"{pod.name}/{nodes.name}", "", "node", pod.name, nodes.profile.id, count))
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            found.extend(_tier_groups(tier))
    return tuple(found)


def _in_pods(tier: TierDesign) -> bool:
    return depth(tier.scope) >= depth("pod")


def _tier_groups(tier: TierDesign) -> list[DeviceGroup]:
    label = f"{tier.fabric}/{tier.name}"
    if not _in_pods(tier):
        return [DeviceGroup(label, tier.fabric, tier.name, "", tier.profile.id, tier.switches)]
    return [
        DeviceGroup(
            f"{label}/{pod.name}",
            tier.fabric,
            tier.name,
            pod.name,
            tier.profile.id,
            tier.per_place * places_in_pod(tier.layout, tier.scope, pod.su),
        )
        for pod in tier.layout.pods
    ]


def bundles_of(design: Design) -> tuple[LinkBundle, ...]:
    """Links between groups; links of a pod's nodes and switches stay in the pod, or go to the group that all pods
    share.
    """
    found: list[LinkBundle] = []
    by_name = {g.name: g for g in groups_of(design)}
    for fabric in design.fabrics:
        found.extend(_node_bundles(design, fabric, by_name))
        found.extend(bundle for tier in fabric.tiers for bundle in _peer_link_bundles(tier))
        for lower in design.tiers:
            if lower.up is None or lower.uplink is None or lower.uplink.fabric != fabric.name:
                continue
            upper = design.tier(lower.uplink.upper)
            each = lower.uplink.links_per_group * lower.uplink.upper_groups
            for group in _tier_groups(lower):
                above = f"{upper.fabric}/{upper.name}" + (f"/{group.pod}" if _in_pods(upper) else "")
                links = group.count * each
                found.append(LinkBundle(fabric.name, group.name, above, links, links * lower.up.speed_gbps))
    return tuple(found)


def _peer_link_bundles(tier: TierDesign) -> Iterator[LinkBundle]:
    """Links inside a tier, from a group to itself."""
    if tier.peer_links is None:
        return
    run, sites = tier.peer_links.run, len(tier.layout.sites)
    for group in _tier_groups(tier):
        links = group.count // sites * sum(span.links for span in tier.peer_links.spans) or group.count // 2 * run.count
        yield LinkBundle(tier.fabric, group.name, group.name, links, links * run.speed_gbps)


def _node_bundles(design: Design, fabric: FabricDesign, groups: dict[str, DeviceGroup]) -> list[LinkBundle]:
    found: list[LinkBundle] = []
    for feed, nodes, attachment in ((of, *pair) for of in fabric.node_feeds for pair in of.attachments):
        tier = design.tier(feed.leaf)
        for pod in tier.layout.of_part(feed.part).pods:
            lower = groups[f"{pod.name}/{nodes.name}"]
            upper = f"{tier.fabric}/{tier.name}" + (f"/{pod.name}" if _in_pods(tier) else "")
            links = lower.count * len(attachment.legs)
            found.append(LinkBundle(fabric.name, lower.name, upper, links, links * attachment.speed_gbps))
    return found
