"""FG607: a stated medium cannot be split."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import Attachment
from fabricgen.design.media.allowed import LinkKind, list_stated_kinds
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class MediumCannotSplit(DesignRule):
    """Links share a connector at one end, but the stated media multiplex all lanes onto one fibre pair.

    FR4 and LR4 send four lanes over one pair of fibres, which no splitter cable can separate (NVIDIA LinkX guides:
    2xFR4 serves two 400G links, never four of 200G). DR, SR and copper cables have a fibre or wire per lane.

    State DR or SR, or links as fast as a connector.
    """

    severity = Severity.ERROR
    impossible = True
    bad = """
        fabrics: {compute: {speed: 200G, tiers: {leaf: {media: {
          down: FR}}}}}  # <-
    """
    good = """
        fabrics: {compute: {speed: 200G, tiers: {leaf: {media: {down: DR}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag breakouts if no stated medium that carries the lanes can be split over the ports of a connector."""
        for kind in list_stated_kinds(design):
            ports = kind.a.links_per_connector, kind.b.links_per_connector
            carriers = kind.list_carriers(design.catalog)
            lanes = int(-(-kind.b.speed_gbps // kind.lane_gbps))
            if min(ports) > 1 or max(ports) == 1 or not carriers or any(c.splits_for(lanes) for c in carriers):
                continue
            may_be_attached = not _shares_cages(kind)
            splitting = (c for c in kind.list_usual_media(design.catalog) if c.splits_for(lanes))
            fitting = dict.fromkeys(c.medium for c in splitting if may_be_attached or not c.attached)
            yield self.flag(
                kind.stated.path,
                f"{', '.join(c.id for c in carriers)} cannot be split, but {max(ports)} {kind.text} share a connector",
                f"media that split: {', '.join(fitting)}",
            )


def _shares_cages(kind: LinkKind) -> bool:
    """Whether several ports of a node share a cage, which rules out cables with attached ends."""
    legs = kind.a.legs if isinstance(kind.a, Attachment) else ()
    return len({leg.cage for leg in legs}) < len(legs)
