"""FG654: a span loses more light than its optics allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import find_segments_of_cables

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

_DB_PER_KM = 0.275
"""Loss of a link of G.652 fibre, splices included, at 1530 to 1565 nm (ITU-T G.652, Appendix I, Table I.1)."""

_LEAST_DB_PER_KM = 0.14
"""Loss of the clearest fibre that was ever made, 0.1419 dB/km at 1560 nm (Tamura et al., JLT 36, 2018)."""

_ODF_DB = 0.75
"""Loss of the mated pair at an optical distribution frame (ODF), at most (ANSI/TIA-568.3)."""


class SpanLosesLight(PlanRule):
    """The dark fibre between two sites loses more light than its optics allow without amplifiers.

    A 400ZR module has a budget of 11 dB on an unamplified link (OIF 400ZR); fibre loses 0.275 dB/km with its splices,
    and a connector at each distribution frame 0.75 dB: that is some 34 km. Beyond, links do not come up until somebody
    puts amplifiers at the ends, which take rack units, power and months of delivery.

    State what was measured from ODF to ODF as `loss_db`; state `amplified: true` where amplifiers make up for it, and
    order them; or use optics that send more light. Only coherent optics are judged by an estimate.
    """

    severity = Severity.WARNING
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G,
            loss_db: 7.5}}}}  # <-
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G, loss_db: 4.2}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the loss of each span, stated or else estimated, with the budget of the media that its cables run
        over.
        """
        fabrics, plan = cluster.design.loaded.blueprint.fabrics, cluster.plan
        segment_of_cable = find_segments_of_cables(cluster)
        for index, segment in enumerate(plan.links.segments):
            spec = fabrics[segment.fabric].spans.get(segment.mesh.name) if segment.mesh else None
            if spec is None or spec.amplified:
                continue
            least_db = spec.km * _LEAST_DB_PER_KM
            if spec.loss_db is not None and spec.loss_db < least_db:
                message = (
                    f"{spec.km:g} km cannot lose {spec.loss_db:g} dB: the clearest fibre there is loses {least_db:.1f}"
                )
                yield self.flag((*segment.path, "loss_db"), message, "state what was measured from ODF to ODF, in dB")
                continue
            for code in sorted(set(plan.cables.medium[(segment_of_cable == index) & plan.cables.reaches].tolist())):
                medium = plan.cables.media[code]
                loss = spec.loss_db
                if loss is None and medium.medium == "ZR":
                    loss = spec.km * _DB_PER_KM + 2 * _ODF_DB
                # sums of tenths of a dB may be off by a last bit
                if loss is None or medium.loss_db is None or loss <= medium.loss_db + 1e-9:
                    continue
                how = "as measured" if spec.loss_db is not None else f"estimated, {_DB_PER_KM:g} dB/km and two ODFs"
                yield self.flag(
                    (*segment.path, "loss_db" if spec.loss_db is not None else "km"),
                    f"{spec.km:g} km lose {loss:.1f} dB ({how}); {medium.id} allows {medium.loss_db:g} dB unamplified",
                    "state the measured `loss_db`, or `amplified: true` and order the amplifiers",
                )
