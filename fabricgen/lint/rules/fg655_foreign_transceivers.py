"""FG655: transceivers of another vendor are ordered for switches that want a licence for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.cabling.shelf import Shelf

_LOCKED = {"eos": "Arista"}
"""NOS -> the vendor whose licence it wants for transceivers of others."""


class ForeignTransceivers(PlanRule):
    """The product lists sell transceivers of another vendor for switches that run EOS.

    EOS keeps ports with such transceivers down (xcvr-unsupported) until `service unsupported-transceiver NAME KEY` is
    configured, with a key that Arista makes for a customer (The Life of Kenneth, Unlocking Third Party Transceivers on
    Older Arista Switches); how it takes optics of your vendor is between you and Arista.

    Put a list of the switch's vendor first in `cabling.products`, or get the key, put it into a snippet of those tiers,
    and state `cabling: {third_party: [Arista]}`.
    """

    id = "FG655"
    severity = Severity.WARNING
    title = "transceivers of another vendor are ordered for switches that want a licence for them"
    bad = """
        cabling: {products: [nvidia-linkx]}
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {switch: 7060x6-64pe, per: [su, rail]},  # <-
          spine: {switch: sn5600}}}}
    """
    good = """
        cabling: {products: [arista, nvidia-linkx]}
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {compute: {tiers: {leaf: {switch: 7060x6-64pe, per: [su, rail]}, spine: {switch: sn5600}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Count the transceivers in each tier's switches by part; one finding a tier."""
        from fabricgen.bom.cables import CableParts
        from fabricgen.bom.sources import transceivers
        from fabricgen.wiring.cabling.offers import shelf_of

        shelf, devices = shelf_of(cluster.design), cluster.plan.devices
        licensed = cluster.design.loaded.blueprint.cabling.third_party
        locked = {nos for nos, maker in _LOCKED.items() if maker not in licensed}
        if shelf is None or not any(cls.nos in locked for cls in devices.classes):
            return
        vendors, needs = _vendors(shelf), transceivers.needs(cluster, CableParts(cluster))
        counts = Counter(zip(devices.device_class[needs.device].tolist(), needs.part.tolist(), strict=True))
        for number, cls in enumerate(devices.classes):
            maker = _LOCKED.get(cls.nos) if cls.nos in locked else None
            parts = {needs.parts[part].part: n for (of, part), n in sorted(counts.items()) if of == number}
            foreign = {part: n for part, n in parts.items() if vendors.get(part, maker) != maker}
            if maker and foreign:
                listed = ", ".join(f"{n:,} {part} ({vendors[part]})" for part, n in foreign.items())
                message = (
                    f"{listed} for {cls.profile.id}, which runs {cls.nos.upper()}: {maker} wants a licence for them"
                )
                hint = "order its own, or state `cabling: {third_party: [" + maker + "]}` if you have it"
                yield self.flag((*cls.path, "switch"), message, hint)


def _vendors(shelf: Shelf) -> dict[str, str]:
    """Transceiver -> who sells it; parts of any vendor are left out."""
    lists = [found for found in reversed(shelf.lists) if found.vendor != "any"]
    return {p.part: found.vendor for found in lists for p in found.products if p.kind == "transceiver"}
