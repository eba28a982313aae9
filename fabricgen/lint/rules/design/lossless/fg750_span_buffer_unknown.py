"""FG750: nobody says whether the buffer holds the headroom of a span."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.inside.scale_across import compute_headroom
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_buffer_bytes, list_lossless_fabrics, list_pausing_spans


class SpanBufferUnknown(DesignRule):
    """A span is to be lossless, and the catalogue has no buffer size of its border switches.

    The finding says how much headroom each link takes: twice the length at 4.9 us/km at full speed, two packets, and
    the reaction of the far end (IEEE Std 802.3, 31B.3.7). Not all of a deep buffer serves as headroom: packets that
    arrive after a pause may have to be kept on the chip. Ask the vendor; switches whose buffer SONiC's device tree has
    are judged by FG712.
    """

    severity = Severity.WARNING
    bad = """
        nos: {border: eos}
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: 7280r4-32qf-32df, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G,
            lossless: true}}}}  # <-
    """
    good = """
        nos: {border: eos}
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: 7280r4-32qf-32df, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G, lossless: false}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag lossless spans between switches of unknown buffer, and tell the headroom that a link needs."""
        for fabric, _ in list_lossless_fabrics(design):
            for tier, figures in list_pausing_spans(design, fabric):
                run = figures.span.run
                if find_buffer_bytes(design.catalog, tier.profile.id) is not None:
                    continue
                need = compute_headroom(figures.span.km, run.speed_gbps)
                yield self.flag(
                    (*figures.span.path, "lossless"),
                    f"{fabric.name} {tier.name}: each of {figures.span.links} links of {run.speed_gbps}G over "
                    f"{figures.span.km:g} km needs {need / 1e6:.1f} MB of headroom; the buffer of {tier.profile.id} is "
                    "not in the catalogue",
                    "ask the vendor what its chip keeps for headroom, or use `lossless: false`",
                )
