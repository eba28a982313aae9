"""FG653: a product is named for an accessory that the bill does not list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity, did_you_mean
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class AccessoryOfNothing(PlanRule):
    """A specification under `accessories.parts` is none that the bill lists.

    The product is then not ordered, and the bill lists what is needed by its specification only. Ratings of rack PDUs
    follow from what racks draw and from `accessories.pdu`, heights from the racks: a change of either renames them.

    Copy the specification from `fabricgen bom` of the blueprint without that line, or remove the line.
    """

    severity = Severity.WARNING
    bad = """
        accessories:
          parts:
            rack-pdu-1ph-16a-230v: PDU-4711  # <-
    """
    good = """
        accessories:
          parts: {blanking-panel-1u: BP-1U-BLACK}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag products that are named for a specification which the bill does not list."""
        accessories = cluster.design.loaded.blueprint.accessories
        if not accessories.parts:
            return
        from fabricgen.bom.specifications import list_specifications

        specifications = list_specifications(cluster)
        for spec in accessories.parts:
            if spec not in specifications:
                message = f"the bill lists no '{spec}', so that {accessories.parts[spec]} is not ordered"
                yield self.flag(("accessories", "parts", spec), message, did_you_mean(spec, specifications))
