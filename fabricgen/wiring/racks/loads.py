"""The load of every rack: rack units, weight, power, and heat to air and liquid, as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import get_args

import numpy as np

from fabricgen.catalog.loads import Device, air_w, basis, liquid_w, planned_w
from fabricgen.catalog.profile import Basis
from fabricgen.catalog.rack_models import TRAY_PLACES
from fabricgen.wiring.arrays import Floats, Ints
from fabricgen.wiring.tables import DeviceTable, WiringPlan

BASES: tuple[str, ...] = get_args(Basis)
"""What a figure of power may be, the best known first."""


@dataclass(frozen=True, slots=True)
class RackLoads:
    """One row a rack: the number of devices, and the rack units that they, patch panels and what the rack is sold with
    use, int32.

    Weight (kg), power and heat (W) are sums of published figures of devices, float64; optics are in them only where the
    maximum of a device is published with them. Where the weight of a complete rack is published, it stands for all that
    is fixed in it, and for the rack. `unweighed` and `unpowered` count devices without such a figure; heat is NaN where
    it is not known whether air or liquid takes it.
    """

    devices: Ints
    units: Ints
    weight_kg: Floats
    unweighed: Ints
    power_w: Floats
    unpowered: Ints
    liquid_w: Floats
    air_w: Floats


def rack_loads(plan: WiringPlan) -> RackLoads:
    """The load of every rack of a plan."""

    def total(figure: Callable[[Device], float | None], unknown: float = 0.0) -> Floats:
        return _summed(plan.devices, len(plan.racks), figure, unknown)

    weight_kg, unweighed = _weights(plan)
    return RackLoads(
        devices=total(lambda _: 1).astype(np.int32),
        units=total(lambda p: p.rack_units).astype(np.int32) + panel_units(plan) + included_units(plan),
        weight_kg=weight_kg,
        unweighed=unweighed,
        power_w=total(planned_w),
        unpowered=total(lambda p: planned_w(p) is None).astype(np.int32),
        liquid_w=total(liquid_w, np.nan),
        air_w=total(air_w, np.nan),
    )


def power_bases(plan: WiringPlan) -> list[str]:
    """What the power of the devices of each rack is: `maximum`, `typical`, `maximum+typical`; "" where none draws."""
    mask = np.zeros(len(plan.racks), dtype=np.int32)
    for cls in plan.devices.classes:
        found = basis(cls.profile)
        if found is not None:
            mask[plan.devices.rack[cls.rows]] |= 1 << BASES.index(found)
    texts = {one: "+".join(name for i, name in enumerate(BASES) if one >> i & 1) for one in np.unique(mask).tolist()}
    return [texts[one] for one in mask.tolist()]


def panel_units(plan: WiringPlan) -> Ints:
    """Rack units that patch panels use in each rack, int32."""
    used = np.zeros(len(plan.racks), dtype=np.int32)
    if plan.patching:
        panels = plan.patching.panels
        height = np.array([p.panel.rack_units for p in plan.patching.policies], dtype=np.int32)
        np.add.at(used, panels.rack, height[panels.policy])
    return used


def included_units(plan: WiringPlan) -> Ints:
    """Rack units of each rack, int32, that something takes which is sold with it and is not among the devices."""
    used = np.zeros(len(plan.racks), dtype=np.int32)
    for rack, _, _ in included(plan):
        used[rack] += 1
    return used


def included(plan: WiringPlan) -> Iterator[tuple[int, int, str]]:
    """(rack, rack unit, what it is) of everything that racks are sold with and that is not among the devices, such as
    power shelves; one rack unit each. A rack without any device has none.
    """
    racks, devices = plan.racks, plan.devices
    sold = [
        {
            "switch tray" if name == TRAY_PLACES else name.replace("-", " "): us
            for name, us in kind.included_units.items()
        }
        for kind in racks.kinds
    ]
    rows = np.flatnonzero(np.array([bool(each) for each in sold])[racks.kind])
    if not len(rows):
        return
    height = np.array([cls.profile.rack_units for cls in devices.classes], dtype=np.int32)
    taken: dict[int, set[int]] = {}
    inside = np.flatnonzero(np.isin(devices.rack, rows))
    columns = (devices.rack[inside], devices.u[inside], height[devices.device_class[inside]])
    for rack, u, high in zip(*(column.tolist() for column in columns), strict=True):
        taken.setdefault(rack, set()).update(range(u, u + high))
    for rack, held in sorted(taken.items()):
        for name, units in sold[int(racks.kind[rack])].items():
            yield from ((rack, u, name) for u in units if u not in held)


def _weights(plan: WiringPlan) -> tuple[Floats, Ints]:
    """The weight of each rack, kg, and how many of its devices are not in it."""
    devices, racks = plan.devices, plan.racks
    of_class = np.array([np.nan if (w := cls.profile.weight_kg) is None else w for cls in devices.classes], dtype=float)
    each = of_class[devices.device_class]
    complete = np.array([kind.complete_kg or 0 for kind in racks.kinds], dtype=np.float64)[racks.kind]
    if complete.any():
        fixed = np.zeros((len(racks.kinds), max(kind.units for kind in racks.kinds) + 1), dtype=bool)
        for number, kind in enumerate(racks.kinds):
            fixed[number, [u for units in kind.fixed.values() for u in units]] = kind.complete_kg is not None
        inside = fixed[racks.kind[devices.rack], devices.u]
        each = np.where(inside, 0, each)
        complete[np.bincount(devices.rack[inside], minlength=len(racks)) == 0] = 0
    summed = np.bincount(devices.rack, weights=np.nan_to_num(each), minlength=len(racks))
    unweighed = np.bincount(devices.rack[np.isnan(each)], minlength=len(racks))
    return summed + complete, unweighed.astype(np.int32)


def _summed(devices: DeviceTable, racks: int, figure: Callable[[Device], float | None], unknown: float) -> Floats:
    values = [figure(cls.profile) for cls in devices.classes]
    each = np.array([unknown if value is None else value for value in values], dtype=np.float64)
    found: Floats = np.bincount(devices.rack, weights=each[devices.device_class], minlength=racks).astype(np.float64)
    return found
