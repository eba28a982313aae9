"""What the page says of the whole cluster that its tables do not count: optics, power, price."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.bom.bill import make_bill
from fabricgen.bom.cables import CableParts
from fabricgen.bom.prices import as_price
from fabricgen.bom.sources import transceivers
from fabricgen.bom.totals import sum_all, sum_totals
from fabricgen.catalog.loads import planned_w
from fabricgen.export.view.source import PageSource


def block(source: PageSource) -> dict[str, Any]:
    """Transceivers; W drawn by devices and optics as racks.csv has it, and how many of either have no figure; `price`
    where there is a price file, of all pieces and spares, and how many of these have none.
    """
    cluster, beside = source.cluster, source.beside
    classes = cluster.plan.devices.classes
    own_w = sum((planned_w(cls.profile) or 0) * cls.count for cls in classes)
    totals: dict[str, Any] = {
        "optics": int(transceivers.needs(cluster, CableParts(cluster)).quantity.sum()),
        "drawn_w": round(own_w + float(source.optics.added_w.sum())),
        "unpowered": sum(cls.count for cls in classes if planned_w(cls.profile) is None),
        "unpowered_optics": int(np.sum(source.optics.unpowered)),
    }
    if beside.prices:
        price = sum_all(sum_totals(make_bill(cluster), ("kind",), beside.prices))
        totals |= {"price": as_price(price.price), "currency": beside.currency, "unpriced": price.unpriced}
    return totals
