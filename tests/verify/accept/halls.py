"""Halls that are verified, accepted, and verified again with the same dumps against the plan that took it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.verify.accept.accepting import make_overlay
from fabricgen.verify.actions import Diagnosis
from fabricgen.verify.cabling import PlannedCabling, make_cabling
from fabricgen.verify.diagnosis import diagnose
from fabricgen.verify.sightings import SeenPorts, SparePort
from tests.conftest import BLUEPRINTS
from tests.verify.diagnosis.hall import Hall

Pair = tuple[tuple[str, str], tuple[str, str]]
"""Two ports that see each other, as (device, port)."""


class Site:
    """A blueprint that includes `as-built.yaml`, and what is seen in its hall."""

    def __init__(self, folder: Path, name: str, more: str = "") -> None:
        self.file, self.overlay = folder / "site.yaml", folder / "as-built.yaml"
        text = (BLUEPRINTS / f"{name}.yaml").read_text(encoding="utf-8")
        self.overlay.write_text("cable_of: {}\n", encoding="utf-8")
        self.file.write_text(f"include: as-built.yaml\n{text}{more}", encoding="utf-8")
        self.cluster = self.built()
        self.hall = Hall(make_cabling(self.cluster))

    def built(self) -> Cluster:
        """The cluster with the overlay as it is now."""
        return build_cluster(build_design(load_blueprint(str(self.file))))

    def plug(self, device: str, port: str) -> int:
        """The plug that is planned at a port."""
        cabling = self.hall.cabling
        return int(cabling.plug[self.hall.numbers[cabling.device_numbers[device], port]])

    def rotate(self, *places: tuple[str, str]) -> None:
        """Put the plug of each place where that of the next one is."""
        plugs = [self.plug(*place) for place in places]
        cages = [self.hall.cage[plug] for plug in plugs]
        for plug, cage in zip(plugs, [*cages[1:], cages[0]], strict=True):
            self.hall.cage[plug] = cage

    def move(self, place: tuple[str, str], device: str, *ports: str) -> None:
        """Put the plug of a place into a spare cage."""
        self.hall.cage[self.plug(*place)] = (self.hall.cabling.device_numbers[device], ports)

    def exchange(self, *boxes: str) -> None:
        """Let each box stand where the next one is planned."""
        rows = [self.hall.cabling.device_numbers[box] for box in boxes]
        for row, stands in zip([*rows[1:], rows[0]], rows, strict=True):
            self.hall.tells[row] = stands

    def pairs(self) -> list[Pair]:
        """What dumps of all boxes say, by the names that these tell."""
        hall, found = self.hall, []
        names = hall.cabling.device_names
        for one in range(0, hall.cabling.ports, 2):
            ends = []
            for end in (one, one + 1):
                plug = int(hall.cabling.plug[end])
                place = hall.port(plug, hall.ports[plug].index(end))
                if place:
                    ends.append((names[place[0]], place[1]))
            if len(ends) == 2:
                found.append((ends[0], ends[1]))
        return found

    def verify(self, cluster: Cluster | None = None) -> Diagnosis:
        """What is found of the hall by the plan, or by another one."""
        cabling = make_cabling(cluster or self.cluster)
        return diagnose(cabling, seen_by(cabling, self.pairs()))

    def accept(self, *ids: str) -> tuple[str, Diagnosis]:
        """(the overlay, which is written; what is found afterwards, with the same dumps)."""
        found = make_overlay(self.cluster, self.verify(), ids, str(self.overlay))
        self.overlay.write_bytes(found)
        self.cluster = self.built()
        return found.decode(), self.verify()


def seen_by(cabling: PlannedCabling, pairs: list[Pair]) -> SeenPorts:
    """What a plan sees in dumps of all devices."""
    number = {(cabling.device_names[cabling.device[p]], cabling.port_text(p)): p for p in range(cabling.ports)}
    spare: dict[tuple[str, str], int] = {}
    joined = [
        tuple(number.get(e, spare.setdefault(e, cabling.ports + len(spare)) if e not in number else 0) for e in pair)
        for pair in pairs
    ]
    size = cabling.ports + len(spare)
    joined_to = np.full(size, -1, dtype=np.int32)
    for a, b in joined:
        joined_to[a], joined_to[b] = b, a
    numbers = cabling.device_numbers
    none = np.zeros(size, dtype=bool)
    spares = tuple(SparePort(numbers[device], port) for device, port in spare)
    return SeenPorts(joined_to, np.full(size, -1, dtype=np.int32), ~none, none, none, spares)
