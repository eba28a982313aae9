"""Resolves what people write for a cage or port to the connector that a cable is plugged into."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fabricgen.cable_overrides.ends import CableEnd, CableIndex
from fabricgen.cable_overrides.other_device import PULL, UNKNOWN, OtherDevices
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault
from fabricgen.numbering.ports import name_listed_ports, name_run_ports

DOES_NOT_FIT = "FG082"


@dataclass(frozen=True, slots=True)
class CagePosition:
    """A connector of a cage of a device (by row): `cage` is a number for switches, a name for nodes; `connector` counts
    from 0.
    """

    device: int
    cage: int | str
    connector: int


class CageResolver:
    """Resolves texts to cage positions; the cages of each run of ports are computed once."""

    def __init__(self, catalog: Catalog, cables: CableIndex) -> None:
        self._catalog, self._names, self._others = catalog, cables.names, OtherDevices(cables)
        self._switch_cages: dict[tuple[int, PortRun], _SwitchCages] = {}

    def find_position(self, text: str, end: CableEnd, path: Path) -> CagePosition:
        """Return the connector that a text names, on the planned device of an end, or as DEVICE:CAGE on another device
        of its kind. If the text names only a cage, it is the connector with the planned number.

        Raises InputError: FG080 for a cage or device that does not exist, FG082 for a cage of another kind, FG077 for a
        device of another kind.
        """
        device, colon, cage_text = text.strip().partition(":")
        text = cage_text if colon else device
        if colon and device != end.name:
            end = self._others.move_end(device, end, path)
        if isinstance(end.side, PortRun):
            return self._find_at_switch(text, end, end.side, path)
        if isinstance(end.side, Attachment):
            return _find_at_node(text, end, end.side, path)
        if text == end.cage:
            return CagePosition(end.device, end.cage, 0)
        raise fault(UNKNOWN, f"{end.name}: {end.cage} is the only port that this cable may have", path=path, hint=PULL)

    def format_position(self, position: CagePosition, end: CableEnd) -> str:
        """Return a position as text: the cage, with the device and the connector if these are not the planned ones."""
        cage = _find_profile(end).cage_label(position.cage) if isinstance(position.cage, int) else position.cage
        cage = cage if position.device == end.device else f"{self._names[position.device]}:{cage}"
        return cage if position.connector == end.connector else f"{cage}.{position.connector + 1}"

    def find_planned_position(self, end: CableEnd) -> CagePosition:
        """Return the planned position of an end."""
        side = end.side
        cage = side.cages[end.ports[0] // side.ways] if isinstance(side, PortRun) else end.cage
        return CagePosition(end.device, cage, end.connector)

    def _find_at_switch(self, text: str, end: CableEnd, run: PortRun, path: Path) -> CagePosition:
        """Return the cage and connector of a switch that a text names.

        Raises InputError if there is none (FG080), or if it cannot take the cable (FG082).
        """
        # switches of a class are alike: their names are computed once for all of them
        key = end.cls.first, run
        if key not in self._switch_cages:
            self._switch_cages[key] = _SwitchCages(self._catalog, end, run)
        cages_of_class = self._switch_cages[key]
        cage_and_connector = cages_of_class.parse_cage(text)
        if cage_and_connector is None:
            cages = _find_profile(end).cage_count
            hint = (
                did_you_mean(text, cages_of_class.labels)
                if cages <= 12
                else f"it has cages {cages_of_class.label_range}"
            )
            raise fault(UNKNOWN, f"{end.name} ({_find_profile(end).id}) has no cage '{text}'", path=path, hint=hint)
        cage, connector = cage_and_connector
        cages_of_class.check_cage(cage, end, path)
        connector = end.connector if connector is None else connector
        # a cage has as many connectors as the run says, or as its ports take if links share them
        if connector >= max(1, run.connectors, run.ways // run.links_per_connector):
            raise fault(
                UNKNOWN, f"cage {split_plug(text)[0]} of {end.name} has no connector {connector + 1}", path=path
            )
        return CagePosition(end.device, cage, connector)


def _find_profile(end: CableEnd) -> SwitchProfile:
    assert isinstance(end.cls.profile, SwitchProfile)  # noqa: S101 - runs are of switches
    return end.cls.profile


def split_plug(text: str) -> tuple[str, int | None]:
    """Return (cage, connector from 0) of `14.2`, or of `14/2` as on labels; (text, None) for any other text."""
    match = re.fullmatch(r"(.+)[./]([0-9]{1,2})", text, flags=re.ASCII)
    # connectors count from 1 on the front: `/0` is a part of the cage's own name
    return (match[1], int(match[2]) - 1) if match and int(match[2]) else (text, None)


class _SwitchCages:
    """The cages of the switches of one class, and the names of the ports that a cable's run of ports would have in
    each.
    """

    def __init__(self, catalog: Catalog, end: CableEnd, run: PortRun) -> None:
        self._catalog, self._cls, self._run, self._profile = catalog, end.cls, run, _find_profile(end)

    @cached_property
    def labels(self) -> dict[str, int]:
        """The number of each cage, by the label on the box."""
        return {self._profile.cage_label(cage): cage for cage in range(1, self._profile.cage_count + 1)}

    @cached_property
    def label_range(self) -> str:
        """The first and the last label, in words."""
        labels = list(self.labels)
        return f"{labels[0]} to {labels[-1]}"

    @cached_property
    def _ports(self) -> dict[str, tuple[int, int]]:
        """(cage, connector) by port name, for every cage that can be split like the run."""
        return {name: position for cage in self._list_cages() for name, position in self._list_port_positions(cage)}

    def _list_cages(self) -> range:
        """Return the numbers of the cages of the same class as those of the run."""
        first_cage = self._profile.find_first_cage(self._run.cage_class)
        return range(first_cage, first_cage + self._profile.cages[self._run.cage_class].count)

    def _list_port_positions(self, cage: int) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield (port name, (cage, connector from 0)) of the ports of the run in a cage."""
        names = self._list_port_names(cage)
        yield from ((name, (cage, i // self._run.links_per_connector)) for i, name in enumerate(names))

    def _list_port_names(self, cage: int) -> list[str]:
        """Return the names that the ports of the run would have in a cage; empty if the NOS does not split it so."""
        run = replace(self._run, cages=(cage,))
        if not self._is_named:
            return name_listed_ports(self._catalog, self._cls, run, run.ways)
        try:
            return name_run_ports(self._catalog, self._cls, run, run.ways)
        except (InputError, LookupError):
            return []

    @cached_property
    def _is_named(self) -> bool:
        """Whether the catalogue says how the NOS names the ports as they are planned."""
        try:
            name_run_ports(self._catalog, self._cls, self._run, 1)
        except InputError:
            return False
        return True

    def parse_cage(self, text: str) -> tuple[int, int | None] | None:
        """Return (cage, connector) of a text, with connector None if the text names only a cage; None if the switch has
        no such cage.
        """
        if text in self.labels:
            return self.labels[text], None
        cage, connector = split_plug(text)
        if connector is not None and cage in self.labels and ("." in text or text not in self._ports):
            return self.labels[cage], connector
        return self._ports.get(text)

    def check_cage(self, cage: int, end: CableEnd, path: Path) -> None:
        """Raise InputError (FG082), at `path`, if a cage cannot take the cable of an end.

        That is so if it is not of the class of cages (form factor and speed) that the cable was planned in, or if the
        NOS does not split it into as many ports of that speed.
        """
        run, profile = self._run, self._profile
        split = f"{run.ways} x {run.speed_gbps}G" if run.ways > 1 else f"{run.speed_gbps}G"
        if cage not in self._list_cages():
            other_cage, planned_cage = profile.find_cage_class(cage), profile.cages[run.cage_class]
            raise fault(
                DOES_NOT_FIT,
                f"cage {profile.cage_label(cage)} of {end.name} ({other_cage.form_factor}, {other_cage.speed_gbps}G) "
                f"is of another kind than {end.cage} ({planned_cage.form_factor}, {planned_cage.speed_gbps}G), "
                "which was sized for this cable",
                path=path,
                hint=f"move it to one of cages {profile.cage_label(self._list_cages()[0])} to "
                f"{profile.cage_label(self._list_cages()[-1])}",
            )
        if not self._list_port_names(cage):
            raise fault(
                DOES_NOT_FIT,
                f"{end.cls.nos} cannot run cage {profile.cage_label(cage)} of {end.name} as {split}",
                path=path,
                hint="move the cable to a cage that its port table splits so",
            )


def _find_at_node(text: str, end: CableEnd, side: Attachment, path: Path) -> CagePosition:
    """Return the position of a NIC port of the same role that a text names; raises InputError (FG080, FG082) if there
    is none.
    """
    positions: dict[str, CagePosition] = {}
    for leg in side.legs:
        position = CagePosition(end.device, leg.cage, leg.connector)
        for name in (f"{leg.cage}.{leg.connector + 1}", leg.name, f"{leg.cage}/{leg.connector + 1}"):
            positions.setdefault(name, position)
    cages: dict[str, list[int]] = {}
    for leg in side.legs:
        cages.setdefault(leg.cage, []).append(leg.connector)
    if text in cages:
        # only a cage: the planned connector number in it, if it has that one
        return CagePosition(end.device, text, end.connector if end.connector in cages[text] else cages[text][0])
    if text in positions:
        return positions[text]
    other_role = next((role for role, name in _list_other_roles(side) if name == text), "")
    if other_role:
        message = f"'{text}' of {end.name} is a '{other_role}' port, and the cable belongs to its '{side.role}' ports"
        raise fault(DOES_NOT_FIT, message, path=path, hint=f"move it to one of {', '.join(cages)}")
    raise fault(UNKNOWN, f"{end.name} has no '{side.role}' cage '{text}'", path=path, hint=did_you_mean(text, cages))


def _list_other_roles(side: Attachment) -> Iterator[tuple[str, str]]:
    """Yield (role, cage or name) of NIC ports of other roles."""
    for name, role in sorted(side.profile.roles.items()):
        if name != side.role:
            yield from ((name, called) for port in role.ports for called in (port.cage, port.name))
