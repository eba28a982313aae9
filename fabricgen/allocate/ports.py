"""Port and cage names: what the NOS, the node or the label calls them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SonicPlatform, SwitchProfile
from fabricgen.catalog.sonic_modes import breakout_mode
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.plan.scale_up_ports import ScaleUpPort
from fabricgen.plan.tables import DeviceClass, Ints, ManagementPort, Plan, Side

Strings: TypeAlias = npt.NDArray[np.object_]


def run_port_names(catalog: Catalog, cls: DeviceClass, run: PortRun, ports: int) -> list[str]:
    """Names of the first `ports` ports of a run on the switches of a class, as their NOS has them.

    Raises InputError when the NOS takes names from a port table and the catalogue has none for the switch, or it does
    not split cages so or has no breakout mode for the speed, or when the switch is a chassis and the NOS has no names
    for line cards.
    """
    assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - runs are of switches
    naming = catalog.naming(cls.nos, cls.path)
    platform = catalog.sonic_platform(cls.profile.id) if naming.numbers == "platform-table" else None
    cage_class = cls.profile.cages[run.cage_class]
    if platform and platform.breakout_modes and not breakout_mode(platform, cage_class, run.ways, run.speed_gbps):
        raise _no_mode(cls, platform, run)
    try:
        return [
            naming.port(cage, i % run.ways, run.ways, cage_class, platform, cls.profile.slot_of(cage))
            for i, cage in ((i, run.cages[i // run.ways]) for i in range(ports))
        ]
    except LookupError:
        if platform is not None:
            raise _no_split(cls, run.ways) from None
        raise _no_table(cls) from None


def _no_split(cls: DeviceClass, ways: int) -> InputError:
    return fault(
        "FG026",
        f"the {cls.nos} port table of {cls.profile.id} has no cage of {ways} ports",
        path=cls.path,
        hint="use a speed that needs no such split, another switch or another NOS",
    )


def _no_mode(cls: DeviceClass, platform: SonicPlatform, run: PortRun) -> InputError:
    """Without a mode the ports have no row in BREAKOUT_CFG, and the image does not make them."""
    listed = ", ".join(platform.breakout_modes.get(run.ways, ())) or "none of that split"
    return fault(
        "FG026",
        f"the {cls.nos} port table of {cls.profile.id} has no breakout mode for {run.ways} x {run.speed_gbps}G",
        path=cls.path,
        hint=f"it lists {listed}; use a speed that these have, another switch or another NOS",
    )


def _no_table(cls: DeviceClass) -> InputError:
    others = [n for n in getattr(cls.profile, "nos", ()) if n != cls.nos]
    run_other = f"run {' or '.join(others)} on it, or " if others else ""
    return fault(
        "FG026",
        f"the catalogue has no {cls.nos} port table for {cls.profile.id}",
        path=cls.path,
        hint=f"{run_other}add catalog/platforms/{cls.nos}/{cls.profile.id}.yaml beside the blueprint",
    )


class PortNames:
    """Names of the ports and cages at either end of links, as object columns made from shared tables."""

    def __init__(self, design: Design, plan: Plan) -> None:
        self._catalog, self._plan = design.catalog, plan

    def ends(self, *, cage: bool = False) -> tuple[Strings, Strings]:
        """Port (or cage) names of the a and b ends of every link; object arrays of str."""
        links = self._plan.links
        a, b = np.empty(len(links), dtype=object), np.empty(len(links), dtype=object)
        for i, segment in enumerate(links.segments):
            rows = np.flatnonzero(links.segment == i)
            if len(rows):
                a[rows] = self._column(segment.a, links.a_device[rows], links.a_port[rows], cage=cage)
                b[rows] = self._column(segment.b, links.b_device[rows], links.b_port[rows], cage=cage)
        return a, b

    def _column(self, side: Side, devices: Ints, ports: Ints, *, cage: bool) -> Any:
        classes = self._plan.devices.device_class[devices]
        names = np.empty(len(devices), dtype=object)
        for number in np.unique(classes).tolist():
            rows = np.flatnonzero(classes == number)
            table = self._table(self._plan.devices.classes[number], side, int(ports[rows].max()) + 1, cage=cage)
            names[rows] = np.array(table, dtype=object)[ports[rows]]
        return names

    def _table(self, cls: DeviceClass, side: Side, ports: int, *, cage: bool) -> list[str]:
        if isinstance(side, Attachment):
            return [leg.cage if cage else leg.name for leg in side.legs]
        if isinstance(side, ManagementPort):
            return [self._catalog.naming(cls.nos, cls.path).management_of(cls.profile)] * ports
        if isinstance(side, ScaleUpPort):
            return side.names(ports)
        if cage and isinstance(cls.profile, SwitchProfile):
            return [cls.profile.cage_label(side.cages[i // side.ways]) for i in range(ports)]
        return run_port_names(self._catalog, cls, side, ports)
