"""accelerators of one half of a fabric cannot send enough to the other half."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.design.capacity.bisection import accelerators_of, bisection_per_accelerator, chain_of, node_gbps
from fabricgen.design.capacity.end_to_end import end_to_end
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.shape import scope_of
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class NarrowBisection(DesignRule):
    """Half of a compute fabric's accelerators can send the other half less than they should.

    All-to-all traffic, of mixtures of experts above all, puts half of all bytes across any even cut of the fabric, so
    that the worst cut sets its pace (Dally and Towles, Principles and Practices of Interconnection Networks, chapter
    3). The target is `lint.limits.bisection_gbps_per_accelerator`; without one it is the bandwidth of an accelerator's
    ports over the oversubscription of the tiers, which only a fabric whose leaves stand apart misses: FG201, FG205 and
    FG315 tell of tiers that narrow and of places that nothing joins, and links between sites are as many as are stated.
    Nodes are not cut, since scale-up joins their rails. Add uplinks, or a tier that joins what stands apart.
    """

    id = "FG206"
    severity = Severity.WARNING
    title = "bisection per accelerator is below target"
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
            if not any(leg.gpu is not None for _, a in fabric.attachments for leg in a.legs):
                continue
            number, found = accelerators_of(design, fabric), bisection_per_accelerator(design, fabric)
            if not number or found is None or _single_node(design, fabric):
                continue
            ports, whole = Fraction(node_gbps(design, fabric), number), end_to_end(design, fabric)
            if not stated and scope_of(chain_of(design, fabric)[-1].per) != "all":
                continue
            ratio = max(Fraction(1), whole.allowed, whole.ratio)
            target = Fraction(stated) if stated else ports / ratio
            if found < target:
                limit = "`lint.limits` asks for" if stated else f"its {float(ratio):.3g}:1 leaves them"
                yield self.flag(
                    _place(design, fabric),
                    f"half of {fabric.name} reaches the other half at {float(found):.4g}G an accelerator, of the "
                    f"{float(ports):.4g}G of its ports; {limit} {float(target):.4g}G",
                    _hint(found, ports, target),
                )


def _single_node(design: Design, fabric: FabricDesign) -> bool:
    """Whether there is nothing to cut."""
    layout = design.layout
    nodes = [layout.node_sets[index] for index in sorted({index for index, _ in fabric.attachments})]
    return sum(s.count * layout.units - layout.omitted_of(s) for s in nodes) <= 1


def _place(design: Design, fabric: FabricDesign) -> Path:
    """What narrows the fabric most: a tier's uplinks, or where no tier narrows it, its own tiers, which stand apart."""
    whole = end_to_end(design, fabric)
    tier = whole.narrowest
    if tier is None or whole.ratio <= 1:
        return (*fabric.path, "tiers") if fabric.carrier == "" else fabric.path
    stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name]
    return (*tier.path, "uplinks" if stated.uplinks else "oversubscription")


def _hint(found: Fraction, ports: Fraction, target: Fraction) -> str:
    """What would have to change."""
    if target > ports:
        return f"no fabric gives more than the {float(ports):.4g}G of the ports: lower the limit, or take faster NICs"
    if not found:
        return "no link joins the halves: add a tier above, or peer links"
    return f"{float(target / found):.3g} times the uplinks would do"
