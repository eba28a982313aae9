"""FG728: a switch needs larger tables than it is published to have."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.managed import is_configured
from fabricgen.lint.subjects.route_counts import count_announced, count_ecmp_groups, count_ecmp_paths, count_sessions
from fabricgen.numbering.underlay import list_families, runs_bgp


class TablesTooSmall(DesignRule):
    """A switch needs more routes, ECMP groups, equal-cost paths or BGP neighbours than it is published to hold.

    A route that finds no room in the chip stays in the processor, or nowhere, and its traffic is dropped; paths beyond
    the widest group are idle links. Nothing says so until the last rack is connected. Limits are those of `tables` in
    the switch's profile and of `ecmp_paths` of its NOS, with their sources in the catalogue; of what is not published
    there, the rule says nothing. Routes are counted as a leaf's neighbours announce them, which is the least.

    Use `hosts: rail-subnets`, which announces a subnet for each rail and not an address for each NIC; fewer and
    faster uplinks; or a switch with larger tables.
    """

    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: 32 x dgx-b200}
        fabrics: {compute: {nos: cumulus, tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 160 x 100G},  # <-
          spine: {switch: sn5600, count: 16}}}}
    """
    good = """
        scalable_unit: {nodes: 32 x dgx-b200}
        fabrics: {compute: {nos: cumulus, tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 32 x 400G},
          spine: {switch: sn5600, count: 16}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare what each tier of a fabric with BGP needs with what its switch and NOS are published to hold."""
        for fabric in (fabric for fabric in design.fabrics if runs_bgp(design, fabric)):
            for tier in (tier for tier in fabric.tiers if is_configured(design, tier)):
                yield from self._check_tables(design, fabric, tier)

    def _check_tables(self, design: Design, fabric: FabricDesign, tier: TierDesign) -> Iterator[Diagnostic]:
        """Compare paths, ECMP groups, neighbours and routes of a tier's switches with what is published."""
        tables, switch = tier.profile.tables, tier.profile.id
        name, paths = f"{fabric.name} {tier.name}", count_ecmp_paths(tier)
        paths_of_nos = design.catalog.naming(tier.nos).configuration.ecmp_paths
        limits = [(tables.ecmp_width, switch) if tables else (None, ""), (paths_of_nos, tier.nos)]
        # the narrower of chip and NOS, 0 if neither says it
        width, holder = min(((limit, holder) for limit, holder in limits if limit), default=(0, ""))
        if width and paths > width:
            message = f"{name} has {paths} equal-cost paths up, and {holder} uses {width} at most"
            yield self.flag((*tier.path, "uplinks"), message, "use fewer and faster uplinks")
        if tables is None:
            return
        ip_families = list_families(design, fabric)
        groups = count_ecmp_groups(design, fabric, tier)
        if tables.ecmp_groups and groups > tables.ecmp_groups:
            message = f"{name} needs {groups:,} ECMP groups, and {switch} holds {tables.ecmp_groups:,}"
            yield self.flag((*tier.path, "switch"), message, "use fewer parallel links, or a switch with larger tables")
        neighbors = count_sessions(design, fabric, tier)
        if tables.bgp_neighbors and neighbors > tables.bgp_neighbors:
            message = f"{name} has {neighbors:,} BGP neighbours, and {switch} is for {tables.bgp_neighbors:,} at most"
            yield self.flag((*tier.path, "switch"), message, "use fewer and faster links, or another switch")
        announced_routes = count_announced(design, fabric)
        for word, limit in (("v4", tables.routes_v4), ("v6", tables.routes_v6)):
            if announced_routes and limit and word in ip_families and announced_routes.prefixes > limit:
                message = (
                    f"{name} is announced {announced_routes.text}, and {switch} holds {limit:,} routes of IP{word}"
                )
                yield self.flag((*tier.path, "switch"), message, "use `hosts: rail-subnets`, or larger tables")
