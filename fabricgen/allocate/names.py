"""Device names from coordinates: a name never depends on what else is in the cluster."""

from __future__ import annotations

import numpy as np

from fabricgen.design.model import Design
from fabricgen.design.switch_names import switch_names
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.plan.tables import EXTRA, NODE, SWITCH, DeviceClass, DeviceTable


def device_names(design: Design, devices: DeviceTable) -> list[str]:
    """Name every device, in table order.

    Nodes are `p1-su01-n001`, switches `fabric-tier-place-...-01`, extra devices by their own name, scale-up trays by
    their rack. Numbers are padded to a fixed width and grow wider, never narrower, so growth renames nothing.
    Raises InputError where two devices would have one name.
    """
    names: list[str] = []
    for cls in devices.classes:
        if cls.kind == NODE:
            names += _nodes(design, devices, cls)
        elif cls.kind == EXTRA:
            names += design.extra_devices[cls.label][1]
        elif cls.kind == SWITCH:
            names += _switches(design, cls)
        else:
            names += _trays(design, devices, cls)
    if len(set(names)) < len(names):
        raise _twice(names, devices)
    return names


def _twice(names: list[str], devices: DeviceTable) -> InputError:
    """The refusal of two devices with one name, at the line of the later one."""
    seen: dict[str, int] = {}
    for row, name in enumerate(names):
        if seen.setdefault(name, row) != row:
            cls = devices.classes[devices.device_class[row]]
            other = devices.classes[devices.device_class[seen[name]]]
            return fault(
                "FG035",
                f"two devices would be named {name}, here and at {'.'.join(map(str, other.path))}",
                path=cls.path,
                hint="choose another name for one of them",
            )
    raise AssertionError("no name is there twice")


def _units(design: Design, devices: DeviceTable, cls: DeviceClass) -> list[str]:
    pods = design.layout.pods
    pairs = zip(devices.pod[cls.rows].tolist(), devices.su[cls.rows].tolist(), strict=True)
    return [f"{pods[pod].name}-su{su + 1:02d}" for pod, su in pairs]


def _nodes(design: Design, devices: DeviceTable, cls: DeviceClass) -> list[str]:
    members = next(s for s in design.layout.node_sets if s.name == cls.label)
    if members.per_rack:
        racks = (devices.rack_in_unit[cls.rows] + 1).tolist()
        places = ((devices.node[cls.rows] - members.first) % members.per_rack + 1).tolist()
        units = _units(design, devices, cls)
        return [f"{u}-rk{r:02d}-{cls.label}-{i:02d}" for u, r, i in zip(units, racks, places, strict=True)]
    stem = "n" if cls.label == "node" else f"{cls.label}-"
    numbers = (devices.node[cls.rows] + 1).tolist()
    return [f"{unit}-{stem}{n:03d}" for unit, n in zip(_units(design, devices, cls), numbers, strict=True)]


def _trays(design: Design, devices: DeviceTable, cls: DeviceClass) -> list[str]:
    places = [f"{place[1:]}-" if place else "" for place in _places(design, devices, cls)]
    numbers = (devices.index[cls.rows] + 1).tolist()
    return [f"{place}{cls.label}-{i:02d}" for place, i in zip(places, numbers, strict=True)]


def _switches(design: Design, cls: DeviceClass) -> list[str]:
    fabric = design.fabric(cls.fabric)
    tier = fabric.tier(cls.tier)
    return switch_names(design.layout, fabric.name, tier.name, tier.per, fabric.tier_sizes, tier.count)


def site_names(design: Design, devices: DeviceTable) -> list[str]:
    """The site of every device; one that serves several sites stands in the first."""
    sites = np.maximum(devices.site, 0).tolist()
    return [design.layout.sites[i] for i in sites]


def _places(design: Design, devices: DeviceTable, cls: DeviceClass) -> list[str]:
    layout, rows = design.layout, cls.rows
    pod, su = devices.pod[rows].tolist(), devices.su[rows].tolist()
    rack = devices.rack_in_unit[rows].tolist()
    site = devices.site[rows].tolist()
    found = []
    for i in range(cls.count):
        text = f"-{layout.pods[pod[i]].name}" if pod[i] >= 0 else ""
        if pod[i] < 0 and site[i] >= 0 and len(layout.sites) > 1:
            text = f"-{layout.sites[site[i]]}"
        text += f"-su{su[i] + 1:02d}" if su[i] >= 0 else ""
        text += f"-rk{rack[i] + 1:02d}" if rack[i] >= 0 else ""
        found.append(text)
    return found
