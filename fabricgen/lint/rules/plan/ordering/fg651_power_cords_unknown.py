"""FG651: it is not known which power cords devices take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
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

    severity = Severity.INFO
    to_do = ToDo.STATE_FACTS
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

        unknown = [(cls, len(rows)) for cls, rows in list_corded(cluster) if cls.profile.psu is None]
        if unknown:
            message = f"the power supplies of {count_models(unknown)} are unknown; the bill has no cords for them"
            path, hint = find_model_path(unknown[0][0]), "state `psu: {count, inlet}` in a profile of your own"
            yield self.flag(path, message, hint)


def count_models(counts: Iterable[tuple[DeviceClass, int]]) -> str:
    """Return the models of device classes with the sums of their counts: `sn5600 (1,024), dgx-b200 (256)`."""
    sums = Counter[str]()
    for cls, count in counts:
        sums[cls.profile.id] += count
    return ", ".join(f"{model} ({count:,})" for model, count in sums.items())


def find_model_path(cls: DeviceClass) -> Path:
    """Return the path of a tier's switch for a class of switches, else the path of the devices."""
    return (*cls.path, "switch") if cls.tier else cls.path
