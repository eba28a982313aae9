"""FG745: a switch is in maintenance."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.linked import find_fabric_underlay
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class InMaintenance(DesignRule):
    """`config_of` drains a switch: it is planned and powered, and carries nothing where there is another way.

    Every figure of the design counts it: bisection, oversubscription, what is left after a loss. A switch that was
    drained for an upgrade is easily forgotten, and the fabric stays narrower than its plan says. Without BGP, as with
    static routes, nothing is drained at all.

    Remove `maintenance` when the work is done. Until then, waive the finding with an `until`, which ends by itself.
    """

    severity = Severity.WARNING
    bad = """
        config_of:
          compute-spine-01: {maintenance: true}  # <-
    """
    good = """
        config_of:
          compute-spine-01: {maintenance: false}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag switches with `maintenance: true`, and tell of those whose fabric runs no BGP that it drains nothing."""
        blueprint = design.loaded.blueprint
        drained = sorted(device for device, config in blueprint.config_of.items() if config.maintenance)
        if not drained:
            return
        from fabricgen.numbering.names import name_devices
        from fabricgen.wiring.devices import expand_devices

        devices = expand_devices(design)
        rows = {name: row for row, name in enumerate(name_devices(design, devices))}
        for device in drained:
            fabric = devices.classes[devices.device_class[rows[device]]].fabric
            effect = f", and drains nothing: {fabric} runs no BGP"
            if find_fabric_underlay(blueprint, fabric).startswith("ebgp"):
                effect = "; all figures of the design count it"
            hint = "remove it, or waive it with an `until`"
            yield self.flag(("config_of", device, "maintenance"), f"{device} is in maintenance{effect}", hint)
