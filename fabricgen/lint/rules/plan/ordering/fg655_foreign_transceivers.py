"""FG655: transceivers of another vendor are ordered for switches that want a licence for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.bom.cables import CableParts
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.cabling.shelf import Shelf

Plugged = Counter[tuple[int, str, str]]
"""For each (index of a class of switches, part, vendor), how many of the part are plugged into these switches."""


class ForeignTransceivers(PlanRule):
    """The product lists sell transceivers, or cables with ends, of another vendor for switches that run EOS.

    EOS keeps ports with such plugs down (xcvr-unsupported) until `service unsupported-transceiver NAME KEY` is
    configured, with a key that Arista makes for a customer (The Life of Kenneth, Unlocking Third Party Transceivers on
    Older Arista Switches); how it takes optics of your vendor is between you and Arista.

    Order from a list of the switch's vendor, `cabling: {products: {arista: arista, others: [...]}}`; or get the key,
    put it into a snippet of those tiers, and state `cabling: {third_party: [Arista]}`.
    """

    severity = Severity.WARNING
    bad = """
        cabling: {products: [nvidia-linkx]}
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {switch: 7060x6-64pe, per: [su, rail]},  # <-
          spine: {switch: sn5600}}}}
    """
    good = """
        cabling: {products: {arista: arista, others: nvidia-linkx}}
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {compute: {tiers: {leaf: {switch: 7060x6-64pe, per: [su, rail]}, spine: {switch: sn5600}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Count the transceivers, and the cables with attached ends, in the switches of each tier that want a licence;
        one finding for each tier.
        """
        from fabricgen.bom.cables import CableParts
        from fabricgen.wiring.cabling.offers import make_shelf
        from fabricgen.wiring.tables import SWITCH

        shelf, devices = make_shelf(cluster.design), cluster.plan.devices
        licensed = cluster.design.loaded.blueprint.cabling.third_party
        noses = {cls.nos for cls in devices.classes if cls.kind == SWITCH}
        vendors = {nos: cluster.design.catalog.naming(nos).systems.own_optics for nos in noses}
        locked = {nos: vendor for nos, vendor in vendors.items() if vendor and vendor not in licensed}
        if shelf is None or not locked:
            return
        parts = CableParts(cluster)
        plugged = _count_transceivers(cluster, parts, shelf) + _count_cables(cluster, parts, shelf)
        for number, cls in enumerate(devices.classes):
            maker = locked.get(cls.nos)
            foreign = [
                f"{count:,} {part} ({vendor})"
                for (code, part, vendor), count in sorted(plugged.items())
                if code == number and vendor not in (maker, "any")
            ]
            if maker and foreign:
                model = f"{cls.profile.id}, which runs {cls.nos.upper()}"
                message = f"{', '.join(foreign)} for {model}: {maker} wants a licence for them"
                products = f"`products: {{{maker.lower()}: ...}}`"
                hint = f"order its own ({products}), or state `cabling: {{third_party: [{maker}]}}` if you have it"
                yield self.flag((*cls.path, "switch"), message, hint)


def _count_transceivers(cluster: Cluster, parts: CableParts, shelf: Shelf) -> Plugged:
    """Return how many transceivers of product lists the switches of each class take."""
    from fabricgen.bom.sources import transceivers

    needs, devices = transceivers.needs(cluster, parts), cluster.plan.devices
    vendors = {
        p.part: seller.vendor for seller in reversed(shelf.lists) for p in seller.products if p.kind == "transceiver"
    }
    classes_and_parts = zip(devices.device_class[needs.device].tolist(), needs.part.tolist(), strict=True)
    counts = ((number, needs.parts[part].part, n) for (number, part), n in Counter(classes_and_parts).items())
    return Counter({(number, part, vendors[part]): n for number, part, n in counts if part in vendors})


def _count_cables(cluster: Cluster, parts: CableParts, shelf: Shelf) -> Plugged:
    """Return how many cables with attached ends of product lists the switches of each class take."""
    import numpy as np

    made, code = parts.made
    cables, links, classes = cluster.plan.cables, cluster.plan.links, cluster.plan.devices.device_class
    plugged: Plugged = Counter()
    for kind, cable in enumerate(made):
        sold = shelf.find_piece(cable.wanted, cable.length_m) if cable.listed and cable.wanted.medium.attached else None
        if sold is None:
            continue
        vendor = next(seller.vendor for seller in shelf.lists if sold[0] in seller.products)
        rows = np.flatnonzero(code[cables.end_cable] == kind)
        classes_at_ends = [classes[device[cables.end_link[rows]]] for device in (links.a_device, links.b_device)]
        # rows of cables and of device classes: a cable counts once for each class that it ends at
        ends = np.unique(np.stack([np.tile(cables.end_cable[rows], 2), np.concatenate(classes_at_ends)]), axis=1)
        for number, count in Counter(ends[1].tolist()).items():
            plugged[number, cable.part, vendor] += count
    return plugged
