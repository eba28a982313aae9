"""FG315: parts of a fabric cannot reach each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from fabricgen.blueprint.dimensions import find_noun
from fabricgen.design.capacity.bisection import list_top_tiers
from fabricgen.design.capacity.counts import make_slot_table
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.inside.meshes import list_unmet_dimensions
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class FabricInIslands(DesignRule):
    """The top tier of a fabric is grouped by pod, unit or rack, and nothing joins its groups.

    Each pod, unit or rack is then a network of its own: a job that spans two of them has no path between its nodes,
    and neither has a management station. Sites are not judged, because `spans` join them or they are separate on
    purpose; nor are rails and planes, which every node joins.

    Several switches of one group, with nodes and nothing above, are islands too unless nodes have links to several of
    them (`spread: stripe`). Peer links join two switches each, however many they are: sixteen switches of `peer: 15 x
    200G` are eight pairs.

    Where switches meet within the tier (`mesh`), those that no dimension joins are islands: groups of a dragonfly
    without global links, rows of a HyperX that meet along one dimension alone.

    Add a tier above (`core`), group the top tier more widely, or let its switches meet along a further dimension.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        pods: {p1: {su: 2, count: 2}}
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, per: pod, count: 4}}}}  # <-
    """
    good = """
        pods: {p1: {su: 2, count: 2}}
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, per: pod, count: 4},
          core: {switch: sn5600, per: spine}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag top tiers that leave places, groups, or switches that do not meet, without a path to each other."""
        judged: set[TierKey] = set()
        for fabric in design.fabrics:
            tops = list_top_tiers(design, fabric)
            scope, places = (tops[0].scope, sum(top.places for top in tops)) if tops else ("all", 1)
            yield from self._check_groups(design, fabric, [top for top in tops if top.key not in judged])
            yield from self._check_meshes(fabric, [top for top in tops if top.key not in judged])
            if any(top.meshes for top in tops):
                judged.update(top.key for top in tops)
                continue
            if scope in ("all", "site") or places == 1 or tops[0].key in judged:
                continue
            judged.update(top.key for top in tops)
            yield self.flag(
                (*tops[0].path, "per"),
                f"nothing joins the {places} {find_noun(scope)}s of {fabric.name}: its top tier {tops[0].name} is "
                f"per {scope}",
                "add a tier above it, or group it more widely",
            )

    def _check_groups(self, design: Design, fabric: FabricDesign, tops: Sequence[TierDesign]) -> Iterator[Diagnostic]:
        """Flag top tiers whose switches of a group neither the nodes attached to them nor peer links join."""
        for tier in tops:
            is_alone = tier.count > 1 and tier.key in fabric.leaves and not tier.meshes
            islands = _count_islands(design, fabric, tier) if is_alone else 0
            if islands <= tier.places:
                continue
            why = f"`peer` joins two each, {tier.count // 2} pairs" if tier.peer_links else "no tier is above them"
            yield self.flag(
                (*tier.path, "peer" if tier.peer_links else "count"),
                f"the {tier.switches} {fabric.name} {tier.name} switches make {islands} islands: {why}, and nodes on "
                "different ones have no path",
                "add a tier above it",
            )

    def _check_meshes(self, fabric: FabricDesign, tops: Sequence[TierDesign]) -> Iterator[Diagnostic]:
        """Flag top tiers whose switches meet within the tier, but not along enough dimensions to reach all others."""
        for tier in tops:
            unmet = list_unmet_dimensions(tier) if tier.meshes else []
            if unmet:
                yield self.flag(
                    (*tier.path, "mesh"),
                    f"the {tier.switches} {fabric.name} {tier.name} switches are islands: those that differ in "
                    f"{' or '.join(unmet)} have no path",
                    f"let them meet along it: `mesh: {{{unmet[0]}: 1}}`, or add a tier above",
                )


def _count_islands(design: Design, fabric: FabricDesign, tier: TierDesign) -> int:
    """Return into how many parts the switches that nodes attach to fall: a node joins the switches that it has links
    to, and peer links join the two switches of a pair.
    """
    import networkx as nx

    graph: nx.Graph[object] = nx.Graph()
    for feed in fabric.feeds_of(tier.key):
        slots = make_slot_table(design, feed)
        members = [(nodes.first + i, a) for nodes, a in feed.attachments for i in range(nodes.count)]
        for unit, (member, attachment) in product(range(slots.layout.units), members):
            for group, slot in (slots.slot_of(unit, member, leg) for leg in attachment.legs):
                switch = int(feed.find_port_of_slot(slot, tier.count)[0])
                graph.add_edge((feed.part, unit, member), (group, switch))
                if tier.peer_links:
                    # switches 2k and 2k + 1 of a group are a pair
                    graph.add_edge((group, switch), (group, switch ^ 1))
    return nx.number_connected_components(graph)
