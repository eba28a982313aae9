"""FG749: a lossless fabric is joined by a span that drops packets."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.inside.scale_across import list_spans
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import list_lossless_fabrics


class SpanDrops(DesignRule):
    """A lossless fabric has a span, and the blueprint does not say whether PFC pauses over it: it does not.

    A pause takes as long as light does, and what is on the way meanwhile needs a buffer for twice the length of the
    span. So the ports of a span mark packets (ECN), without PFC and its watchdog, and drop what they cannot hold. RoCE
    over it relies on ECN, and on NICs that retransmit selectively.

    State `lossless: false`, if that is meant, or `lossless: true` for headroom where the switch has it.
    """

    severity = Severity.INFO
    to_do = ToDo.DO_ELSEWHERE
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G}}}}  # <-
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G, lossless: false}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag spans of lossless fabrics that do not state `lossless`."""
        for fabric, _ in list_lossless_fabrics(design):
            stated = design.loaded.blueprint.fabrics[fabric.name].spans
            for name in dict.fromkeys(figures.span.name for _, figures in list_spans(design, fabric)):
                if "lossless" not in stated[name].model_fields_set:
                    yield self.flag(
                        (*fabric.path, "spans", name),
                        f"{fabric.name} is lossless, and {name}, of {stated[name].km:g} km, drops what it cannot hold",
                        "state `lossless: false` if that is meant",
                    )
