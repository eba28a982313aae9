"""FG758: images of SONiC do not make a switch lossless."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import list_lossless_fabrics


class LosslessNotInImage(DesignRule):
    """A lossless fabric has switches on SONiC whose images lack the chip's settings for it.

    PFC takes two settings: `config_db.json` names the priorities, and the chip's own file in the image must allow these
    priority groups to be lossless. Where that change is proposed and not merged, config_db is accepted, and the chip
    neither pauses nor keeps headroom: RoCE is dropped under load. The catalogue knows such switches by the pull
    requests of sonic-net/sonic-buildimage (Micas: 28805, 29394, open in 2026-09).

    Build an image with that change, and waive the finding; or take a fabric that needs no PFC.
    """

    severity = Severity.WARNING
    bad = """
        nos: sonic
        fabrics: {compute: {protocol: roce, tiers: {
          leaf: {
            switch: w6940-64oc, per: [su, rail]},  # <-
          spine: {switch: sn5600}}}}
    """
    good = """
        nos: sonic
        fabrics: {compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers of lossless fabrics for whose switches the images of the NOS lack something."""
        for fabric, _ in list_lossless_fabrics(design):
            for tier in fabric.tiers:
                naming = design.catalog.naming(tier.nos)
                if needed := naming.configuration.lossless_by_image.get(tier.profile.id):
                    images = f"images of {naming.title} for {tier.profile.id}"
                    yield self.flag(
                        (*tier.path, "switch"),
                        f"{fabric.name} is lossless, and {images} are not: {needed}",
                        "build an image with it, then waive this; or run the fabric without PFC",
                    )
