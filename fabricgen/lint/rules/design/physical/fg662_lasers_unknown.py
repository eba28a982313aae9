"""FG662: what is not published of external laser modules."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.switch_models import LaserModules
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class LasersUnknown(DesignRule):
    """Switches with co-packaged optics take external laser modules, and not all that a bill needs of them is published.

    Light comes from lasers that are plugged into the front and exchanged there, since they fail first. Where nobody
    says how many a switch takes, the bill has none, nor spares; where nobody says what one draws, racks count 0 W for
    it; without a part number the bill names the switch instead.

    Ask the vendor, and state `lasers: {count, part_number, power_w, source}` in a profile of your own.
    """

    severity = Severity.INFO
    to_do = ToDo.STATE_FACTS
    bad = """
        scalable_unit: {nodes: 4 x dgx-b300-xdr}
        fabrics: {compute: {protocol: infiniband, tiers: {
          leaf: {switch: q3400-ra, media: {up: [DR]}},
          spine: {
            switch: q3450-ld}}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b300-xdr}
        fabrics: {compute: {protocol: infiniband, tiers: {
          leaf: {switch: q3400-ra, media: {up: [DR]}},
          spine: {switch: q3400-ra}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Tell what nobody publishes of the laser modules of each switch model, at the first tier that has
        the model.
        """
        models: dict[str, tuple[LaserModules, Path, int]] = {}
        for tier in design.tiers:
            if tier.profile.lasers is not None:
                _, path, count = models.get(tier.profile.id, (None, (*tier.path, "switch"), 0))
                models[tier.profile.id] = tier.profile.lasers, path, count + tier.switches
        for name, (lasers, path, count) in models.items():
            missing = [
                words
                for words, is_known in (
                    ("how many each takes, so that the bill has none", lasers.count is not None),
                    ("what one draws, so that racks count 0 W", lasers.power_w is not None),
                    ("the part number", bool(lasers.part_number)),
                )
                if not is_known
            ]
            if missing:
                yield self.flag(
                    path,
                    f"of the external laser modules of {name} ({count}) nobody publishes {'; '.join(missing)}",
                    "ask the vendor, and state `lasers` in a profile of your own",
                )
