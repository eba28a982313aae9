"""FG657: it is not known which connector the power cords of devices take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.rules.plan.ordering.fg651_power_cords_unknown import count_models, find_model_path

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class InletsUnknown(PlanRule):
    """The catalogue knows how many power supplies a device has, but not which inlet: C14 or C20, 10 A or 16 A.

    The bill counts its cords under the name of the device (`cord-sn5600`), and rack PDUs with outlets left open: a cord
    that does not fit is found on the day when power is switched on. Vendors show inlets in figures of their manuals.

    Add a profile with `psu: {count, inlet}` to the blueprint's own `catalog/`, from the vendor's data sheet.
    """

    severity = Severity.INFO
    to_do = ToDo.STATE_FACTS
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},  # <-
          spine: {switch: sn5600}}}}
    """
    good = """
        fabrics: {compute: {tiers: {leaf: {switch: sn4700}, spine: {switch: sn4700, count: 4}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Name all models in one finding, with the number of cords."""
        from fabricgen.bom.sources.power_cords import list_corded

        unknown = [
            (cls, psu.count * len(rows))
            for cls, rows in list_corded(cluster)
            if (psu := cls.profile.psu) is not None and psu.cords == "ordered" and psu.inlet is None
        ]
        if unknown:
            models, path = count_models(unknown), find_model_path(unknown[0][0])
            message = f"the inlets for power cords of {models} are unknown; the bill counts cords without a connector"
            yield self.flag(path, message, "state `psu: {count, inlet}` in a profile of your own")
