"""FG651: it is not known which power cords devices take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import DeviceClass


class PowerCordsUnknown(PlanRule):
    """The catalogue does not say how many power supplies a device has.

    The bill then orders no cords for them, and a rack stands dark for the want of them. Devices that a busbar feeds,
    and those that come with their cords, are not meant; where only the inlet is unknown, the bill counts the cords
    under the name of the device.

    Add a profile with `psu: {count, inlet}` to the blueprint's own `catalog/`, from the vendor's data sheet.
    """

    id = "FG651"
    severity = Severity.INFO
    to_do = ToDo.STATE_FACTS
    title = "it is not known which power cords devices take"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: 7816r4, per: [su, rail]},  # <-
          spine: {switch: 7816r4}}}}
    """
    good = """
        fabrics: {compute: {tiers: {leaf: {switch: sn4700}, spine: {switch: sn4700, count: 4}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Name all models in one finding, with the number of devices."""
        from fabricgen.bom.sources.power_cords import list_corded

        unknown: dict[str, tuple[DeviceClass, int]] = {}
        for cls, rows in list_corded(cluster):
            if cls.profile.psu is None:
                first, count = unknown.get(cls.profile.id, (cls, 0))
                unknown[cls.profile.id] = first, count + len(rows)
        if unknown:
            listed = ", ".join(f"{model} ({count:,})" for model, (_, count) in unknown.items())
            cls, _ = next(iter(unknown.values()))
            message = f"the power supplies of {listed} are unknown; the bill has no cords for them"
            yield self.flag(find_model_path(cls), message, "state `psu: {count, inlet}` in a profile of your own")


def find_model_path(cls: DeviceClass) -> Path:
    """Where the blueprint names the model of a tier; else the line of the devices."""
    return (*cls.path, "switch") if cls.tier else cls.path
