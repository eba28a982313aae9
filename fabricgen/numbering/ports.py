"""Names of ports and cages: as the NOS calls them, as the node profile does, or as the box is labelled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.catalog.naming import NosNaming, make_face_naming
from fabricgen.catalog.sonic_models import find_breakout_mode
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.numbering.lazy_columns import EncodedColumn, Strings, make_object_array
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import DeviceClass, ManagementPort, ScaleUpPort, Side, WiringPlan

if TYPE_CHECKING:
    from fabricgen.catalog.sonic_models import SonicPlatform


def name_run_ports(catalog: Catalog, cls: DeviceClass, run: PortRun, ports: int) -> list[str]:
    """Return the names of the first `ports` ports of a run on the switches of a class, as their NOS has them.

    Raises InputError: FG026 if the NOS takes names from a port table and the catalogue has none for the switch, if the
    table has no such split or breakout mode, or if the NOS has no names for ports of line cards; FG018 if the catalogue
    does not know the names of the NOS at all.
    """
    assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - runs are of switches
    naming = catalog.find_naming(cls.nos, cls.path, cls.profile)
    platform = catalog.sonic_platform(cls.profile.id) if naming.numbers == "platform-table" else None
    cage_class = cls.profile.cages[run.cage_class]
    if platform and platform.breakout_modes and not find_breakout_mode(platform, cage_class, run.ways, run.speed_gbps):
        raise _refuse_mode(catalog, cls, platform, run)
    try:
        return _format_port_names(naming, cls.profile, run, ports, platform)
    except LookupError:
        if platform is not None:
            raise _refuse_split(catalog, cls, run.ways) from None
        if naming.numbers == "platform-table":
            raise _refuse_missing_table(catalog, cls) from None
        raise _refuse_card_ports(catalog, cls) from None


def name_listed_ports(catalog: Catalog, cls: DeviceClass, run: PortRun, ports: int) -> list[str]:
    """Return the names of the first `ports` ports of a run for lists and bills, which need no port table.

    If nobody knows what the NOS calls the ports, they are named as they are labelled on the face. Raises InputError
    (FG026) if a port table does not fit its switch.
    """
    assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - runs are of switches
    if catalog.naming(cls.nos).has_tables:
        catalog.sonic_platform(cls.profile.id)  # a damaged table is told, not passed over
    try:
        return name_run_ports(catalog, cls, run, ports)
    except InputError:
        return _format_port_names(make_face_naming(cls.nos), cls.profile, run, ports, None)


def _format_port_names(
    naming: NosNaming, switch: SwitchProfile, run: PortRun, ports: int, platform: SonicPlatform | None
) -> list[str]:
    """Return the names of the first `ports` ports of a run, "" for a port without a cage. Raises LookupError like
    `NosNaming.name_port`.
    """
    cage_class = switch.cages[run.cage_class]
    return [
        naming.name_port(cage, i % run.ways, run.ways, cage_class, platform, switch.find_slot(cage)) if cage else ""
        for i, cage in ((i, run.cages[i // run.ways]) for i in range(ports))
    ]


def _refuse_split(catalog: Catalog, cls: DeviceClass, breakout: int) -> InputError:
    """Return the error for a port table that has no cage with `breakout` ports."""
    return fault(
        "FG026",
        f"the {cls.nos} port table of {cls.profile.id} has no cage of {breakout} ports",
        path=cls.path,
        hint=f"use a speed that needs no such split, {_suggest_another(catalog, cls)}",
    )


def _refuse_mode(catalog: Catalog, cls: DeviceClass, platform: SonicPlatform, run: PortRun) -> InputError:
    """Return the error for a missing breakout mode: without a row in BREAKOUT_CFG the NOS does not create the ports."""
    listed = ", ".join(platform.breakout_modes.get(run.ways, ())) or "none of that split"
    return fault(
        "FG026",
        f"the {cls.nos} port table of {cls.profile.id} has no breakout mode for {run.ways} x {run.speed_gbps}G",
        path=cls.path,
        hint=f"it lists {listed}; use a speed that these have, {_suggest_another(catalog, cls)}",
    )


def _refuse_missing_table(catalog: Catalog, cls: DeviceClass) -> InputError:
    """Return the error for a NOS that takes names from a port table that the catalogue does not have for the switch."""
    other_names = _list_other_nos(catalog, cls)
    run_other = f"run {' or '.join(other_names)} on it, or " if other_names else ""
    return fault(
        "FG026",
        f"the catalogue has no {cls.nos} port table for {cls.profile.id}",
        path=cls.path,
        hint=f"{run_other}add catalog/platforms/sonic/{cls.profile.id}.yaml beside the blueprint",
    )


def _refuse_card_ports(catalog: Catalog, cls: DeviceClass) -> InputError:
    """Return the error for ports on line cards if the catalogue does not say how the NOS names such ports."""
    other_names = _list_other_nos(catalog, cls)
    instead = f"run {' or '.join(other_names)} on it" if other_names else "take another switch"
    return fault(
        "FG026",
        f"{cls.profile.id} has line cards, and the catalogue does not say how {cls.nos} names their ports",
        path=cls.path,
        hint=f"{instead}, or state `card_cage` in catalog/platforms/{cls.nos}.yaml beside the blueprint",
    )


def _suggest_another(catalog: Catalog, cls: DeviceClass) -> str:
    """Return the end of a hint: another switch, or other NOSes that this switch can run."""
    other_names = _list_other_nos(catalog, cls)
    return f"another switch, or {' or '.join(other_names)} on this one" if other_names else "or another switch"


def _list_other_nos(catalog: Catalog, cls: DeviceClass) -> list[str]:
    """Return the NOSes other than its own that name the ports of a switch."""
    assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - runs are of switches
    return [nos for nos in catalog.list_usable_nos(cls.profile) if nos != cls.nos]


class PortNames:
    """Names of the ports and cages at both ends of links, as columns encoded over one vocabulary."""

    def __init__(self, design: Design, plan: WiringPlan) -> None:
        self._catalog, self._plan = design.catalog, plan

    @cached_property
    def port_columns(self) -> tuple[EncodedColumn, EncodedColumn]:
        """The port names of the lower and of the upper end of every link; both columns have one vocabulary."""
        return self._encode_ends(cage=False)

    @cached_property
    def cage_columns(self) -> tuple[EncodedColumn, EncodedColumn]:
        """The cage names of the lower and of the upper end of every link; both columns have one vocabulary."""
        return self._encode_ends(cage=True)

    @cached_property
    def ports(self) -> tuple[Strings, Strings]:
        """The port names of the lower and of the upper end of every link; object arrays of str."""
        a, b = self.port_columns
        return a.texts(), b.texts()

    @cached_property
    def cages(self) -> tuple[Strings, Strings]:
        """The cage names of the lower and of the upper end of every link; object arrays of str."""
        a, b = self.cage_columns
        return a.texts(), b.texts()

    @cached_property
    def faults(self) -> tuple[Diagnostic, ...]:
        """The faults (FG018, FG026), each once, of ports whose names by the NOS the catalogue does not say."""
        diagnostics: dict[Diagnostic, None] = {}
        for _, _, cls, side, ports in self._list_sides():
            if isinstance(side, PortRun):
                try:
                    name_run_ports(self._catalog, cls, side, ports)
                except InputError as refusal:
                    diagnostics |= dict.fromkeys(refusal.diagnostics)
        return tuple(diagnostics)

    def _encode_ends(self, *, cage: bool) -> tuple[EncodedColumn, EncodedColumn]:
        """Return the names of ports, or of cages, at the lower and at the upper end of every link, over one
        vocabulary.
        """
        links, codes_by_name = self._plan.links, dict[str, int]()
        code_columns = np.zeros(len(links), dtype=np.int32), np.zeros(len(links), dtype=np.int32)
        for upper, rows, cls, side, ports in self._list_sides():
            names_by_port = self._list_names(cls, side, ports, cage=cage)
            codes = np.array([codes_by_name.setdefault(name, len(codes_by_name)) for name in names_by_port], np.int32)
            code_columns[upper][rows] = codes[(links.b_port if upper else links.a_port)[rows]]
        names = make_object_array(list(codes_by_name))
        return EncodedColumn(names, code_columns[0]), EncodedColumn(names, code_columns[1])

    def _list_sides(self) -> Iterator[tuple[bool, slice | Ints64, DeviceClass, Side, int]]:
        """Yield (whether it is the upper end, rows of links, device class, kind of ends, ports) for the ends of link
        segments.

        There is an entry for each end of a segment and each class of devices there. `ports` counts the ports of the
        class up to the last one in use.
        """
        devices, links = self._plan.devices, self._plan.links
        for i, segment in enumerate(links.segments):
            rows = links.find_rows(i)
            if rows.start == rows.stop:
                continue
            for upper, side in enumerate((segment.a, segment.b)):
                device, port = (links.b_device, links.b_port) if upper else (links.a_device, links.a_port)
                for cls, class_rows in devices.split_by_class(device, rows):
                    yield bool(upper), class_rows, cls, side, int(port[class_rows].max()) + 1

    def _list_names(self, cls: DeviceClass, side: Side, ports: int, *, cage: bool) -> list[str]:
        """Return the names of the first `ports` ports, or of their cages, of one kind of ends on a class of devices."""
        if isinstance(side, Attachment):
            return [leg.cage if cage else leg.name for leg in side.legs]
        if isinstance(side, ManagementPort):
            return [self._catalog.naming(cls.nos).find_management_port(cls.profile)] * ports
        if isinstance(side, ScaleUpPort):
            return side.list_names(ports, cage=cage)
        if cage and isinstance(cls.profile, SwitchProfile):
            cages = [side.cages[i // side.ways] for i in range(ports)]
            return [cls.profile.cage_label(c) if c else "" for c in cages]
        return name_listed_ports(self._catalog, cls, side, ports)


# An index of links by device and port name.


class LinkEnds:
    """Finds the link at a port; the ports of a device are indexed when they are first asked for."""

    def __init__(self, plan: WiringPlan, ports: tuple[Strings, Strings]) -> None:
        self._links, self._ports = plan.links, ports
        self._links_by_port: dict[int, dict[str, tuple[int, bool]]] = {}

    def list_device_links(self, row: int) -> dict[str, tuple[int, bool]]:
        """Return, by the name of each cabled port of a device, the row of its link and whether the device is the
        upper end.
        """
        if row not in self._links_by_port:
            links: dict[str, tuple[int, bool]] = {}
            for device, ports, upper in (
                (self._links.b_device, self._ports[1], True),
                (self._links.a_device, self._ports[0], False),
            ):
                # backwards, and lower ends last: of several links at a port the first one stays
                for link in reversed(np.flatnonzero(device == row).tolist()):
                    links[str(ports[link])] = (link, upper)
            self._links_by_port[row] = links
        return self._links_by_port[row]
