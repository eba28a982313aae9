"""FG609: a stated cable is not offered for these ports."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.media.allowed import list_stated_kinds
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class CopperNotOffered(DesignRule):
    """The stated media allow a cable that the vendor of one end does not sell for such ports.

    Passive copper does not carry 200G per lane over useful lengths: NVIDIA offers no DAC for XDR, "too short at
    200G-PAM4" (800G/200G-PAM4 product list, docs.nvidia.com/networking/display/800g200gpam4list); those of other
    vendors reach 1 m.

    State AEC, ACC or optics.
    """

    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x dgx-b300-xdr}
        fabrics: {compute: {protocol: infiniband, tiers: {
          leaf: {switch: q3400-ra, media: {
            down: DAC}},  # <-
          spine: {switch: q3400-ra}}}}
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b300-xdr}
        fabrics: {compute: {protocol: infiniband, tiers: {
          leaf: {switch: q3400-ra, media: {down: [AEC, DR]}},
          spine: {switch: q3400-ra}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated cables that the vendor of an end does not sell, once for each statement and cable."""
        reported = set()
        for kind in list_stated_kinds(design):
            for cable in kind.list_carriers(design.catalog):
                vendor = next((v for v in kind.vendors if v in cable.not_offered_by), "")
                if vendor and (kind.stated.path, cable.id) not in reported:
                    reported.add((kind.stated.path, cable.id))
                    yield self.flag(
                        kind.stated.path,
                        f"{vendor} offers no {cable.medium} at {kind.lane_gbps:g}G per lane for {kind.text}; "
                        f"those of other vendors reach {cable.reach_m:g} m",
                        "use AEC, ACC or optics",
                    )
