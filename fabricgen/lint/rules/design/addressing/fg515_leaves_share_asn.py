"""FG515: all leaves have one AS number."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.asn import merge_asn_plans
from fabricgen.numbering.underlay import runs_bgp


class LeavesShareAsn(DesignRule):
    """One AS number is stated for a whole tier of leaves, so each leaf drops the routes of the others by default.

    fabricgen configures `allowas-in` to accept them, but this disables BGP's own loop protection, and the AS path
    no longer says which leaf a route is from (RFC 7938, 5.2.2, on reusing numbers). A range gives each leaf its own
    number.
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        routing:
          asn:
            tiers:
              leaf: 4200100000  # <-
    """
    good = """
        routing: {asn: {tiers: {leaf: 4200100000-4200100999}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag single AS numbers that are stated for a lowest tier of several switches."""
        for fabric in (fabric for fabric in design.fabrics if runs_bgp(design, fabric)):
            plan, paths = merge_asn_plans(design, fabric)
            for tier in fabric.tiers:
                first, last = parse_asns(plan.tiers.get(tier.name, "1-2"))
                if tier.lowest and tier.up and tier.switches > 1 and first == last:
                    message = f"the {tier.switches} switches of {fabric.name} {tier.name} all have AS number {first}"
                    hint = f"state a range of {tier.switches} numbers or more"
                    yield self.flag((*paths["tiers"], tier.name), message, hint)
