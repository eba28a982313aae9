"""FG712: a lossless span needs more headroom than there is buffer."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.inside.scale_across import compute_headroom
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_buffer_bytes, list_lossless_fabrics, list_pausing_spans


class LosslessSpan(DesignRule):
    """PFC cannot work over a long span: the packets in flight when a switch pauses do not fit its buffer.

    A sender continues until the pause arrives, and what it sent before is still on its way: twice the length at 4.9
    us/km, at full speed, for every link, and two packets and the reaction of the far end (IEEE Std 802.3, 31B.3.7).
    Without that headroom packets are dropped in spite of `lossless: true`.

    Use deep-buffer border switches, fewer or slower links per switch, or `lossless: false` and NICs that retransmit
    selectively. Buffer sizes are those of SONiC's device tree; of switches without one there FG750 says what it takes.
    """

    severity = Severity.WARNING
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], links: 8 x 400G, lossless: true,
            km: 120}}}}  # <-
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], links: 8 x 400G, lossless: true, km: 8}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the headroom of all spans of a border switch with its buffer, at the site that needs the most
        headroom.
        """
        for fabric, _ in list_lossless_fabrics(design):
            pausing_spans = list_pausing_spans(design, fabric)
            sites = sorted({site for _, figures in pausing_spans for site in figures.sites})
            for tier in {tier.name: tier for tier, _ in pausing_spans}.values():
                buffer = find_buffer_bytes(design.catalog, tier.profile.id)
                spans_at = {site: [f.span for t, f in pausing_spans if t == tier and site in f.sites] for site in sites}
                if buffer is None:
                    continue
                headroom = {
                    site: sum(s.links * compute_headroom(s.km, s.run.speed_gbps) for s in spans)
                    for site, spans in spans_at.items()
                }
                # the name decides between equals, so that the finding is always the same
                site = max(sites, key=lambda name: (headroom[name], name))
                if headroom[site] > buffer:
                    span = max(spans_at[site], key=lambda s: (s.km * s.links, s.name))
                    yield self.flag(
                        (*span.path, "km"),
                        f"{fabric.name} {tier.name} at {site}: {sum(s.links for s in spans_at[site])} links of "
                        f"{span.run.speed_gbps}G over up to {max(s.km for s in spans_at[site]):g} km need "
                        f"{headroom[site] / 1e6:.0f} MB of headroom; {tier.profile.id} has {buffer / 1e6:.0f} MB",
                        "use deep-buffer border switches, or `lossless: false`",
                    )
