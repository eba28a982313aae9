"""Figures of the whole cluster that the tables of the page do not give: optics, power, price."""

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
    """Return the transceivers, the power drawn in W as in racks.csv, and how many devices and optics have no power
    figure.

    With a price file there is also `priced`, of all pieces and spares, and `unpriced`, how many of them have no price.
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
        priced = sum_all(sum_totals(make_bill(cluster), ("kind",), beside.prices))
        totals |= {"price": as_price(priced.price), "currency": beside.currency, "unpriced": priced.unpriced}
    return totals
