"""FG805: a pool is not used."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.routing import Pools
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_drawn_pools
from fabricgen.numbering.asn import merge_asn_plans
from fabricgen.numbering.blocks.family import FAMILIES, filter_prefixes
from fabricgen.numbering.underlay import runs_bgp


class UnusedPool(DesignRule):
    """A pool is stated that nothing uses: no fabric has its address family, or every fabric has a pool of its own.

    Whoever keeps the address register believes that they are in use, and the next reader looks for them in the
    configurations. Remove the pool, or the prefix of the family that no fabric has.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        routing: {underlay: ebgp-unnumbered}
        pools:
          fabric: 10.64.0.0/12  # <-
          hosts: [10.128.0.0/9, "fd5a:19c3:2e41::/48"]  # <-
    """
    good = """
        routing: {underlay: ebgp-numbered}
        pools: {fabric: 10.64.0.0/12, hosts: 10.128.0.0/9}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated pools, or prefixes of one address family in them, that no address is allocated from."""
        drawn = list_drawn_pools(design)
        blueprint = design.loaded.blueprint
        scopes: list[tuple[Path, Pools]] = [((), blueprint.pools)]
        scopes += [(f.path, blueprint.fabrics[f.name].pools) for f in design.fabrics if f.protocol != "infiniband"]
        for base, pools in scopes:
            for name, prefixes in pools:
                path = (*base, "pools", name)
                idle_families = [family for family in FAMILIES if (path, family.word) not in drawn]
                unused = [prefix for family in idle_families for prefix in filter_prefixes(prefixes, family)]
                if unused:
                    message = f"nothing uses addresses of {', '.join(unused)} in pools.{name}"
                    is_partly_used = len(unused) < len(prefixes or ())
                    yield self.flag(path, message, "remove it, or state `ip: dual`" if is_partly_used else "remove it")
        yield from self._check_asns(design)

    def _check_asns(self, design: Design) -> Iterator[Diagnostic]:
        """Flag the cluster's pool of AS numbers if every fabric that runs BGP has its own; without BGP FG803
        judges it.
        """
        plan, path = design.loaded.blueprint.routing.asn, ("routing", "asn", "pool")
        pools = [merge_asn_plans(design, fabric)[1]["pool"] for fabric in design.fabrics if runs_bgp(design, fabric)]
        if plan and "pool" in plan.model_fields_set and pools and path not in pools:
            message = "nothing uses this pool: every fabric that runs BGP states its own AS numbers"
            yield self.flag(path, message, "remove it")
