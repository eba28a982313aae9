"""FG660: racks are too narrow for what is planned at their sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


_FIT = 4
"""How many pieces fit beside a rack of 600 mm if it is deep: on either side a manager in front and a PDU at the
rear."""


class NarrowRacks(PlanRule):
    """Racks of switches are narrower than is usual for vertical cable managers and zero-U PDUs at their sides.

    A rack of 600 mm leaves about 60 mm on either side of 19 inches. The bill has a vertical manager and one or several
    PDUs for each side of racks with switches; this rule speaks of more than one of each a side. Makers sell cabinets
    of 600 mm for servers, and of 750 or 800 mm for networks. Racks whose type keeps units for horizontal managers or
    PDUs (`reserved`) are left out.

    Plan wider racks: `floor.network_rack: eia-48u-800`, or another `rack_pitch_m` for all; or reserve rack units.
    """

    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    bad = """
        accessories: {pdu: {volts: 100, amps: [10]}}
        floor: {rack_pitch_m: 0.6}  # <-
    """
    good = """
        accessories: {pdu: {volts: 100, amps: [10]}}
        floor: {rack_pitch_m: 0.8}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag each type of racks beside which more cable managers and PDUs are planned than fit, with the
        first rack.
        """
        if not cluster.design.loaded.blueprint.accessories.order:
            return
        from fabricgen.bom.accessories import NETWORK_M, find_narrow_racks
        from fabricgen.bom.cables import CableParts
        from fabricgen.bom.need import join_needs
        from fabricgen.bom.sources import rack_fittings, rack_pdus

        parts = CableParts(cluster)
        fittings = join_needs([source.needs(cluster, parts) for source in (rack_fittings, rack_pdus)])
        for narrow in (narrow for narrow in find_narrow_racks(cluster, fittings) if narrow.most_pieces > _FIT):
            first_rack = cluster.plan.racks.names[int(narrow.rows[0])]
            usual = f"for such racks {1000 * NETWORK_M:.0f} mm or more is usual"
            yield self.flag(
                ("floor", "network_rack" if narrow.rack.vendor else "rack_pitch_m"),
                f"racks of type {narrow.rack.id}: {narrow.text}, the first of them {first_rack}; {usual}",
                "plan wider racks (`network_rack: eia-48u-800`, or `rack_pitch_m: 0.8` for all), or reserve rack units "
                "for horizontal managers",
            )
