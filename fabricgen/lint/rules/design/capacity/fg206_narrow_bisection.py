"""FG206: bisection bandwidth per accelerator is below target."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod

from fabricgen.design.capacity.bisection import (
    compute_bisection_per_accelerator,
    count_accelerators,
    list_chains,
    list_top_tiers,
    sum_node_bandwidth,
)
from fabricgen.design.capacity.end_to_end import compute_end_to_end, count_attached_nodes, has_gpu_ports
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class NarrowBisection(DesignRule):
    """Half of a compute fabric's accelerators cannot send enough bandwidth to the other half.

    All-to-all traffic, above all of mixtures of experts, sends half of all bytes across any even cut of the fabric,
    so the worst cut sets its pace (Dally and Towles, Principles and Practices of Interconnection Networks, chapter
    3). The target is `lint.limits.bisection_gbps_per_accelerator`. Without that limit, it is the bandwidth of an
    accelerator's ports divided by the oversubscription of the tiers, which only a fabric with isolated leaves
    misses: tiers that narrow are judged by FG201 and FG205, parts that nothing joins by FG315, and links between
    sites are taken as stated. Nodes are not cut, because scale-up joins their rails. Add uplinks, or a tier that
    joins the isolated parts.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {oversubscription: "2:1", tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 2 x 400G}}}}  # <-
        lint: {limits: {bisection_gbps_per_accelerator: 400}}
    """
    good = """
        fabrics: {compute: {oversubscription: "2:1", tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G}}}}
        lint: {limits: {bisection_gbps_per_accelerator: 400}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the bisection of each fabric that accelerators attach to with its target."""
        stated = design.loaded.limits.bisection_gbps_per_accelerator
        for fabric in design.fabrics:
            # a single node leaves nothing to cut
            if not has_gpu_ports(fabric) or count_attached_nodes(design, fabric) <= 1:
                continue
            number, bisection = count_accelerators(design, fabric), compute_bisection_per_accelerator(design, fabric)
            if not number or bisection is None:
                continue
            if not stated and any(top.scope != "all" for top in list_top_tiers(design, fabric)):
                continue
            ports, narrowing = Fraction(sum_node_bandwidth(design, fabric), number), compute_end_to_end(design, fabric)
            ratio = max(Fraction(1), narrowing.allowed, narrowing.ratio) * _compute_uneven_cost(design, fabric)
            target = Fraction(stated) if stated else ports / ratio
            if bisection < target:
                limit = "`lint.limits` asks for" if stated else f"{float(ratio):.3g}:1 oversubscription should leave"
                yield self.flag(
                    _locate_bottleneck(design, fabric),
                    f"the bisection of {fabric.name} is {float(bisection):.4g}G per accelerator, whose ports have "
                    f"{float(ports):.4g}G; {limit} {float(target):.4g}G",
                    _write_hint(bisection, ports, target),
                )


def _compute_uneven_cost(design: Design, fabric: FabricDesign) -> Fraction:
    """Return by how many times uplinks that spread unevenly narrow a fabric at worst (1 for not at all), which FG210
    judges.
    """
    costs = [Fraction(1)]
    for chain in list_chains(design, fabric):
        uplinks = [tier.uplink for tier in chain if tier.uplink and tier.uplink.uneven]
        # of 8 links to 3 switches, 6 carry a full load of traffic that is spread equally: 8/6 narrower, times each tier
        costs_of_tiers = (Fraction(u.links_per_group * u.upper_groups, u.full_load_links) for u in uplinks)
        costs.append(prod(costs_of_tiers, start=Fraction(1)))
    return max(costs)


def _locate_bottleneck(design: Design, fabric: FabricDesign) -> Path:
    """Return the path of the setting to blame: `uplinks` or `oversubscription` of the narrowest tier.

    If no tier narrows the fabric, return the path of its `tiers`, or of the fabric if another fabric carries it.
    """
    narrowing = compute_end_to_end(design, fabric)
    tier = narrowing.narrowest
    if tier is None or narrowing.ratio <= 1:
        return (*fabric.path, "tiers") if fabric.carrier == "" else fabric.path
    stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name]
    return (*tier.path, "uplinks" if stated.uplinks else "oversubscription")


def _write_hint(bisection: Fraction, ports: Fraction, target: Fraction) -> str:
    """Return what has to change so that the bisection reaches the target; all are in Gb/s per accelerator."""
    if target > ports:
        return f"no fabric gives more than the {float(ports):.4g}G of the ports: lower the limit, or use faster NICs"
    if not bisection:
        return "no link joins the halves: add a tier above, or peer links"
    return f"{float(target / bisection):.3g} times the uplinks is enough"
