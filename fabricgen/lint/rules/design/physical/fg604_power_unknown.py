"""FG604: a device has no power figure, or only a typical one."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.loads import Device, find_power_basis
from fabricgen.design.advice.switches import list_powered_devices
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class PowerUnknown(DesignRule):
    """The catalogue has no power figure for a device, or only a typical draw.

    Totals and budgets count a device without a figure as 0 W, and one whose maximum nobody publishes with its typical
    draw: a budget of that kind is only met on paper. An SN5610 typically draws 900 W with passive cables, and 2,080 W
    with 64 optical modules (NVIDIA SN5000 hardware user manual, Specifications). Typical draws are named where a limit
    of power or an expected power is stated; racks.csv always has them (`power_basis`). Add a profile with
    `power_w: {max: W}` to the blueprint's own `catalog/`, from the vendor's data sheet or a measurement under load.
    """

    severity = Severity.INFO
    to_do = ToDo.STATE_FACTS
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5640, per: [su, rail]},  # <-
          spine: {switch: sn5640}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Name all nodes, extra devices and switches without a figure in one finding, and those that have a typical
        draw alone in another if power is judged; external devices are left out.
        """
        # for each model, (profile, path of its first devices, how many devices)
        devices: dict[str, tuple[Device, Path, int]] = {}
        for profile, path, count in list_powered_devices(design):
            _, first_path, count_before = devices.get(profile.id, (profile, path, 0))
            devices[profile.id] = (profile, first_path, count_before + count)
        missing, typical = (
            [row for row in devices.values() if find_power_basis(row[0]) == basis] for basis in ("unknown", "typical")
        )
        if missing:
            listed = ", ".join(f"{profile.id} ({count:,})" for profile, _, count in missing)
            yield self.flag(missing[0][1], f"no power figure for {listed}; the totals count each as 0 W")
        if typical and _is_judged(design):
            listed = ", ".join(f"{p.id} ({count:,} x {p.power_w.typical:g} W)" for p, _, count in typical)
            yield self.flag(
                typical[0][1],
                f"no maximum power is published for {listed}; totals and budgets count the typical draw",
                "state a maximum in a profile of your own, from the vendor or a measurement under load",
            )


def _is_judged(design: Design) -> bool:
    """Whether a rack type or the blueprint limits what racks draw or give off, or the blueprint expects a power."""
    racks = [design.layout.network_rack, *(kind.node_rack for kind in design.layout.kinds)]
    limits = [limit for rack in racks for limit in (rack.power_kw, rack.air_kw, rack.liquid_kw)]
    return any(limits) or design.loaded.blueprint.expect.power_w is not None
