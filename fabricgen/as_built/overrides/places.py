"""What people write of a cage or port, read as a place that a cable may be plugged into."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fabricgen.as_built.overrides.ends import CableEnd
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault
from fabricgen.numbering.ports import run_port_names

UNKNOWN, UNFIT = "FG080", "FG082"


@dataclass(frozen=True, slots=True)
class Spot:
    """A connector of a cage: `cage` as its device numbers (a switch) or calls it (a node), `connector` from 0."""

    cage: int | str
    connector: int


class Places:
    """Reads places; what was worked out for one kind of port is kept."""

    def __init__(self, catalog: Catalog, devices: Container[str]) -> None:
        self._catalog, self._devices = catalog, devices
        self._faces: dict[tuple[int, PortRun], _Face] = {}

    def spot(self, text: str, end: CableEnd, path: Path) -> Spot:
        """The connector that a text names on the device of an end; the one as planned where only a cage is named.

        Raises InputError: FG080 for what the device does not have, FG082 for a cage of another kind.
        """
        text = self._on_device(text.strip(), end, path)
        if isinstance(end.side, PortRun):
            return self._on_face(text, end, end.side, path)
        if isinstance(end.side, Attachment):
            return _on_node(text, end, end.side, path)
        if text == end.cage:
            return Spot(end.cage, 0)
        hint = "pull the cable to where it is planned"
        raise fault(UNKNOWN, f"{end.name}: {end.cage} is the only port that this cable may have", path=path, hint=hint)

    def label(self, spot: Spot, end: CableEnd) -> str:
        """How a spot is written for an end: its cage, with the connector where that is another one than planned."""
        cage = _profile(end).cage_label(spot.cage) if isinstance(spot.cage, int) else spot.cage
        return cage if spot.connector == end.connector else f"{cage}.{spot.connector + 1}"

    def planned(self, end: CableEnd) -> Spot:
        """Where an end is planned."""
        side = end.side
        return Spot(side.cages[end.ports[0] // side.ways] if isinstance(side, PortRun) else end.cage, end.connector)

    def _on_device(self, text: str, end: CableEnd, path: Path) -> str:
        """The place without the name of its device; another device is refused."""
        device, colon, rest = text.partition(":")
        if not colon:
            return text
        if device == end.name:
            return rest
        other = f"{device} is another device" if device in self._devices else f"there is no device '{device}'"
        raise fault(
            UNKNOWN,
            f"{other}; the {end.word} end of this cable belongs to {end.name}",
            path=path,
            hint="a cable on a wrong device is pulled to the right one: rails, planes and addresses would change",
        )

    def _on_face(self, text: str, end: CableEnd, run: PortRun, path: Path) -> Spot:
        key = end.cls.first, run
        if key not in self._faces:
            self._faces[key] = _Face(self._catalog, end, run)
        face = self._faces[key]
        found = face.spot(text)
        if found is None:
            cages = _profile(end).cage_count
            hint = did_you_mean(text, face.labels) if cages <= 12 else f"it has cages {face.label_range}"
            raise fault(UNKNOWN, f"{end.name} ({_profile(end).id}) has no cage '{text}'", path=path, hint=hint)
        cage, connector = found
        face.check(cage, end, path)
        connector = end.connector if connector is None else connector
        if connector >= max(1, run.connectors, run.ways // run.per_connector):
            raise fault(
                UNKNOWN, f"cage {text.rpartition('.')[0]} of {end.name} has no connector {connector + 1}", path=path
            )
        return Spot(cage, connector)


def _profile(end: CableEnd) -> SwitchProfile:
    assert isinstance(end.cls.profile, SwitchProfile)  # noqa: S101 - runs are of switches
    return end.cls.profile


class _Face:
    """The cages of switches of a class, as ports of a run would lie in them."""

    def __init__(self, catalog: Catalog, end: CableEnd, run: PortRun) -> None:
        self._catalog, self._cls, self._run, self._profile = catalog, end.cls, run, _profile(end)

    @cached_property
    def labels(self) -> dict[str, int]:
        """Cages by what is printed beside them."""
        return {self._profile.cage_label(cage): cage for cage in range(1, self._profile.cage_count + 1)}

    @cached_property
    def label_range(self) -> str:
        """The first and the last label."""
        labels = list(self.labels)
        return f"{labels[0]} to {labels[-1]}"

    @cached_property
    def _ports(self) -> dict[str, tuple[int, int]]:
        """(cage, connector) by port names, as those of the run would be called in cages that can be split so."""
        return {name: spot for cage in self._cages() for name, spot in self._named(cage)}

    def _cages(self) -> range:
        first = self._profile.first_cage(self._run.cage_class)
        return range(first, first + self._profile.cages[self._run.cage_class].count)

    def _named(self, cage: int) -> Iterator[tuple[str, tuple[int, int]]]:
        names = self._names(cage)
        yield from ((name, (cage, i // self._run.per_connector)) for i, name in enumerate(names))

    def _names(self, cage: int) -> list[str]:
        try:
            return run_port_names(self._catalog, self._cls, replace(self._run, cages=(cage,)), self._run.ways)
        except (InputError, LookupError):
            return []

    def spot(self, text: str) -> tuple[int, int | None] | None:
        """(cage, connector or None where only a cage is named) of a text; None for what the face does not have."""
        if text in self.labels:
            return self.labels[text], None
        cage, dot, connector = text.rpartition(".")
        if dot and cage in self.labels and connector.isascii() and connector.isdigit() and 0 < int(connector) < 100:
            return self.labels[cage], int(connector) - 1
        return self._ports.get(text)

    def check(self, cage: int, end: CableEnd, path: Path) -> None:
        """Raise InputError where a cage is of another kind, or the NOS does not split it so."""
        run, profile = self._run, self._profile
        split = f"{run.ways} x {run.speed_gbps}G" if run.ways > 1 else f"{run.speed_gbps}G"
        if cage not in self._cages():
            other, own = profile.cage(cage), profile.cages[run.cage_class]
            raise fault(
                UNFIT,
                f"cage {profile.cage_label(cage)} of {end.name} ({other.form_factor}, {other.speed_gbps}G) is of "
                f"another kind than {end.cage} ({own.form_factor}, {own.speed_gbps}G), which was sized for this cable",
                path=path,
                hint=f"move it to one of cages {profile.cage_label(self._cages()[0])} to "
                f"{profile.cage_label(self._cages()[-1])}",
            )
        if not self._names(cage):
            raise fault(
                UNFIT,
                f"{end.cls.nos} cannot run cage {profile.cage_label(cage)} of {end.name} as {split}",
                path=path,
                hint="move the cable to a cage that its port table splits so",
            )


def _on_node(text: str, end: CableEnd, side: Attachment, path: Path) -> Spot:
    """A NIC port of the same role."""
    spots: dict[str, Spot] = {}
    for leg in side.legs:
        spots.setdefault(f"{leg.cage}.{leg.connector + 1}", Spot(leg.cage, leg.connector))
        spots.setdefault(leg.name, Spot(leg.cage, leg.connector))
    cages: dict[str, list[int]] = {}
    for leg in side.legs:
        cages.setdefault(leg.cage, []).append(leg.connector)
    if text in cages:
        return Spot(text, end.connector if end.connector in cages[text] else cages[text][0])
    if text in spots:
        return spots[text]
    others = next((role for role, called in _other_roles(side) if called == text), "")
    if others:
        message = f"'{text}' of {end.name} is a '{others}' port, and the cable belongs to its '{side.role}' ports"
        raise fault(UNFIT, message, path=path, hint=f"move it to one of {', '.join(cages)}")
    raise fault(UNKNOWN, f"{end.name} has no '{side.role}' cage '{text}'", path=path, hint=did_you_mean(text, cages))


def _other_roles(side: Attachment) -> Iterator[tuple[str, str]]:
    """(role, cage or name) of NIC ports of other roles."""
    for name, role in sorted(side.profile.roles.items()):
        if name != side.role:
            yield from ((name, called) for port in role.ports for called in (port.cage, port.name))
