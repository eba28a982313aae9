"""FG117: ports of one job or one flow have unequal speeds."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.bisection import list_chain, list_chains
from fabricgen.design.capacity.end_to_end import has_gpu_ports
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.views.balancing import find_balancing


class MixedSpeeds(DesignRule):
    """Accelerators in one compute fabric have ports of unequal bandwidth, or uplinks are slower than node ports.

    Collectives run in lockstep: the job runs at the pace of its slowest NIC, and the faster ones wait. Equal-cost
    routing keeps a flow on one path, so where uplinks are slower than node ports, no flow reaches the speed of its
    NIC. RDMA training traffic consists of a few large flows (Gangidi et al., RDMA over Ethernet for Distributed AI
    Training at Meta Scale, SIGCOMM 2024, on low flow entropy), so other flows do not fill the gap. Storage and
    management servers at other speeds on the same leaves do no harm. Put unlike nodes into separate fabrics or
    clusters, set a `speed` that all of them support, or use fewer, faster uplinks. Kinds of scalable units are judged
    each alone: jobs run in the pods of one kind.
    """

    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: {old: 2 x dgx-b200, new: 2 x dgx-b300}}
        fabrics:
          compute:  # <-
            tiers:
              leaf: {switch: sn5600, per: [su, rail], uplinks: 12 x 200G}  # <-
    """
    good = """
        scalable_unit: {nodes: {old: 2 x dgx-b200, new: 2 x dgx-b300}}
        fabrics:
          compute:
            speed: 400G
            tiers:
              leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 800G}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the bandwidths of accelerators in each fabric, and node ports with the uplinks above them."""
        for fabric in design.fabrics:
            if has_gpu_ports(fabric):
                yield from self._check_accelerators(fabric)
                yield from self._check_uplinks(design, fabric)

    def _check_accelerators(self, fabric: FabricDesign) -> Iterator[Diagnostic]:
        """Flag a fabric if the accelerators of a kind of scalable unit have unequal bandwidth."""
        # for each kind of unit, the node profiles (keys in order) by the Gb/s of each of their accelerators
        profiles_of_units: dict[str, dict[float, dict[str, None]]] = {}
        for nodes, attachment in fabric.attachments:
            if nodes.profile.accelerators:
                gbps = len(attachment.legs) * attachment.speed_gbps / nodes.profile.accelerators.count
                profiles_of_units.setdefault(nodes.unit, {}).setdefault(gbps, {})[nodes.profile.id] = None
        for profiles_by_gbps in profiles_of_units.values():
            if len(profiles_by_gbps) == 1:
                continue
            words = ", ".join(f"{gbps:g}G on {' and '.join(ids)}" for gbps, ids in sorted(profiles_by_gbps.items()))
            yield self.flag(
                fabric.path,
                f"accelerators of {fabric.name} have unequal bandwidth: {words}; a job runs at the lowest",
                "give each kind of node its own fabric, or set a `speed` that all of them support",
            )

    def _check_uplinks(self, design: Design, fabric: FabricDesign) -> Iterator[Diagnostic]:
        """Flag tiers whose uplinks are slower than the ports of the nodes below, unless flows are spread by load."""
        blueprint = design.loaded.blueprint
        balancing = find_balancing(blueprint.fabrics[fabric.name].routing, blueprint.routing)
        if fabric.protocol != "roce" or balancing.by_load:
            return
        reported_paths = set()
        for tier in list_chain(design, fabric):
            leaves = [chain[0].key for chain in list_chains(design, fabric) if tier in chain]
            speeds = [a.speed_gbps for leaf in leaves for feed in fabric.feeds_of(leaf) for _, a in feed.attachments]
            fastest = max(speeds, default=0)
            if tier.up and tier.up.speed_gbps < fastest and tier.path not in reported_paths:
                reported_paths.add(tier.path)
                yield self.flag(
                    (*tier.path, "uplinks"),
                    f"{fabric.name} nodes have {fastest}G ports, {tier.name} uplinks have {tier.up.speed_gbps}G: no "
                    "flow is faster",
                    "use fewer, faster uplinks, or `load_balance: dynamic` where the switches spread a flow over paths",
                )
