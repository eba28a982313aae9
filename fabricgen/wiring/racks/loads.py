"""The load of every rack: rack units, weight, power, and heat to air and liquid, as columns."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, get_args

import numpy as np

from fabricgen.catalog.loads import Device, air_w, find_power_basis, liquid_w, planned_w
from fabricgen.catalog.profile import Basis
from fabricgen.catalog.rack_models import TRAY_PLACES
from fabricgen.wiring.arrays import Floats, Ints
from fabricgen.wiring.tables import DeviceTable, WiringPlan

BASES: tuple[str, ...] = get_args(Basis)
"""What a figure of power may be, the best known first."""


class RackLoads(NamedTuple):
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


def compute_rack_loads(plan: WiringPlan) -> RackLoads:
    """Return the devices, rack units, weight and power of every rack of a plan."""

    def sum_figure(figure: Callable[[Device], float | None], unknown: float = 0.0) -> Floats:
        return _sum_by_rack(plan.devices, len(plan.racks), figure, unknown)

    weight_kg, unweighed = _weigh_racks(plan)
    return RackLoads(
        devices=sum_figure(lambda _: 1).astype(np.int32),
        units=sum_figure(lambda p: p.rack_units).astype(np.int32)
        + count_panel_units(plan)
        + count_included_units(plan),
        weight_kg=weight_kg,
        unweighed=unweighed,
        power_w=sum_figure(planned_w),
        unpowered=sum_figure(lambda p: planned_w(p) is None).astype(np.int32),
        liquid_w=sum_figure(liquid_w, np.nan),
        air_w=sum_figure(air_w, np.nan),
    )


def describe_power_bases(plan: WiringPlan) -> list[str]:
    """Return for each rack what the power of its devices is: `maximum`, `typical` or `maximum+typical`; "" if none
    draws.
    """
    mask = np.zeros(len(plan.racks), dtype=np.int32)  # a bit for each of BASES
    for cls in plan.devices.classes:
        power_basis = find_power_basis(cls.profile)
        if power_basis is not None:
            mask[plan.devices.rack[cls.rows]] |= 1 << BASES.index(power_basis)
    texts = {bits: "+".join(name for i, name in enumerate(BASES) if bits >> i & 1) for bits in np.unique(mask).tolist()}
    return [texts[bits] for bits in mask.tolist()]


def count_panel_units(plan: WiringPlan) -> Ints:
    """Return the number of rack units that patch panels use in each rack, int32."""
    used = np.zeros(len(plan.racks), dtype=np.int32)
    if plan.patching:
        panels = plan.patching.panels
        height = np.array([p.panel.rack_units for p in plan.patching.policies], dtype=np.int32)
        np.add.at(used, panels.rack, height[panels.policy])
    return used


def count_included_units(plan: WiringPlan) -> Ints:
    """Return how many units of each rack are used by what it is sold with, other than devices; int32."""
    used = np.zeros(len(plan.racks), dtype=np.int32)
    for rack, _, _ in list_included(plan):
        used[rack] += 1
    return used


def list_included(plan: WiringPlan) -> Iterator[tuple[int, int, str]]:
    """Yield (row of the rack, rack unit from 1, what it is) of everything other than devices, such as a `power shelf`,
    that racks are sold with.

    Each takes one rack unit. A rack without any device, and a unit that a device uses, has none.
    """
    racks, devices = plan.racks, plan.devices
    sold = [
        {
            "switch tray" if name == TRAY_PLACES else name.replace("-", " "): us
            for name, us in kind.included_units.items()
        }
        for kind in racks.kinds
    ]
    # racks of a kind that is sold with something
    rows = np.flatnonzero(np.array([bool(units_by_name) for units_by_name in sold])[racks.kind])
    if not len(rows):
        return
    height = np.array([cls.profile.rack_units for cls in devices.classes], dtype=np.int32)
    used_units: dict[int, set[int]] = {}
    inside = np.flatnonzero(np.isin(devices.rack, rows))
    columns = (devices.rack[inside], devices.u[inside], height[devices.device_class[inside]])
    for rack, u, high in zip(*(column.tolist() for column in columns), strict=True):
        used_units.setdefault(rack, set()).update(range(u, u + high))
    for rack, used in sorted(used_units.items()):
        for name, units in sold[int(racks.kind[rack])].items():
            yield from ((rack, u, name) for u in units if u not in used)


def _weigh_racks(plan: WiringPlan) -> tuple[Floats, Ints]:
    """Return (weight of each rack, kg, float64; number of its devices whose weight is unknown, and left out, int32)."""
    devices, racks = plan.devices, plan.racks
    class_kg = np.array([np.nan if (w := cls.profile.weight_kg) is None else w for cls in devices.classes], dtype=float)
    device_kg = class_kg[devices.device_class]
    complete = np.array([kind.complete_kg or 0 for kind in racks.kinds], dtype=np.float64)[racks.kind]
    if complete.any():
        # by kind of rack and rack unit: whether what is there is built in
        fixed = np.zeros((len(racks.kinds), max(kind.units for kind in racks.kinds) + 1), dtype=bool)
        for number, kind in enumerate(racks.kinds):
            fixed[number, [u for units in kind.fixed.values() for u in units]] = kind.complete_kg is not None
        inside = fixed[racks.kind[devices.rack], devices.u]
        # what is built in is in the weight of the complete rack
        device_kg = np.where(inside, 0, device_kg)
        # a rack of that kind without any of what is built into it is an empty one
        complete[np.bincount(devices.rack[inside], minlength=len(racks)) == 0] = 0
    devices_kg = np.bincount(devices.rack, weights=np.nan_to_num(device_kg), minlength=len(racks))
    unweighed = np.bincount(devices.rack[np.isnan(device_kg)], minlength=len(racks))
    return devices_kg + complete, unweighed.astype(np.int32)


def _sum_by_rack(devices: DeviceTable, racks: int, figure: Callable[[Device], float | None], unknown: float) -> Floats:
    """Return the sum of a figure over the devices of each rack, float64; an unpublished figure counts as `unknown`."""
    values = [figure(cls.profile) for cls in devices.classes]
    value_of_class = np.array([unknown if value is None else value for value in values], dtype=np.float64)
    sums: Floats = np.bincount(devices.rack, weights=value_of_class[devices.device_class], minlength=racks).astype(
        np.float64
    )
    return sums
