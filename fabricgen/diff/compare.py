"""What is different between two sides: added, removed and changed devices, links, cables and BGP sessions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

from fabricgen.diff.inventory import CableFacts, DeviceFacts, Inventory, LinkFacts, LinkKey, collector_paused

Key = TypeVar("Key", bound=Hashable)
Facts = TypeVar("Facts", bound=tuple[Any, ...])


class SessionFacts(NamedTuple):
    """What a BGP session hangs on: a change of any of these makes it flap. It is known by its link."""

    fabric: str
    b_device: str
    b_port: str
    speed_gbps: int | float
    a_ip: str
    b_ip: str
    a_asn: int | None
    b_asn: int | None
    a_router_id: str
    b_router_id: str


DEVICE_CHANGES: Mapping[str, tuple[str, ...]] = {
    "moved": ("rack", "u"),
    "renumbered": ("asn", "loopback", "mgmt"),
    "replaced": ("model", "nos"),
    "reassigned": ("fabric", "tier"),
}
LINK_CHANGES: Mapping[str, tuple[str, ...]] = {
    "moved": ("b_device", "b_port"),
    "renumbered": ("a_ip", "b_ip"),
    "other-speed": ("speed_gbps",),
    "reassigned": ("fabric",),
}
CABLE_CHANGES: Mapping[str, tuple[str, ...]] = {
    "re-terminated": ("ends",),
    "other-length": ("length_m",),
    "other-medium": ("medium",),
    "reassigned": ("fabric",),
}
SESSION_CHANGES: Mapping[str, tuple[str, ...]] = {"reset": SessionFacts._fields}


@dataclass(frozen=True, slots=True)
class Delta(Generic[Key, Facts]):
    """How the things of one kind differ, sorted by key. A changed thing may have changed in several ways.

    `ways` names them, each with the fields it is about; together they cover all fields.
    """

    ways: Mapping[str, tuple[str, ...]]
    added: tuple[tuple[Key, Facts], ...] = ()
    removed: tuple[tuple[Key, Facts], ...] = ()
    changed: tuple[tuple[Key, Facts, Facts], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def __len__(self) -> int:
        return len(self.added) + len(self.removed) + len(self.changed)

    def changed_as(self, way: str) -> tuple[tuple[Key, Facts, Facts], ...]:
        """Changed things, old and new, that changed in one of the `ways`."""
        if not self.changed:
            return ()
        fields: tuple[str, ...] = type(self.changed[0][1])._fields  # type: ignore[attr-defined]
        places = [fields.index(name) for name in self.ways[way]]
        pick = itemgetter(*places)
        return tuple(row for row in self.changed if pick(row[1]) != pick(row[2]))

    def counts(self) -> dict[str, int]:
        """How many were added, removed, changed at all, and changed in each way."""
        found = {"added": len(self.added), "removed": len(self.removed), "changed": len(self.changed)}
        return found | {way: len(self.changed_as(way)) for way in self.ways}


@dataclass(frozen=True, slots=True)
class Change:
    """Everything that a change does, falsy when nothing; `sessions` are the BGP sessions that flap."""

    devices: Delta[str, DeviceFacts]
    links: Delta[LinkKey, LinkFacts]
    cables: Delta[str, CableFacts]
    sessions: Delta[LinkKey, SessionFacts]

    def __bool__(self) -> bool:
        return bool(self.devices or self.links or self.cables)


def compare(old: Inventory, new: Inventory) -> Change:
    """Say what is different in `new`."""
    with collector_paused():
        devices = _delta(DEVICE_CHANGES, old.devices, new.devices)
        links = _delta(LINK_CHANGES, old.links, new.links)
        touched = _touched(old, new, links)
        return Change(
            devices=devices,
            links=links,
            cables=_delta(CABLE_CHANGES, old.cables, new.cables),
            sessions=_delta(SESSION_CHANGES, sessions(old, touched), sessions(new, touched)),
        )


def sessions(inventory: Inventory, keys: Iterable[LinkKey] | None = None) -> dict[LinkKey, SessionFacts]:
    """BGP sessions by their link, of all links or of some: those between two switches with AS numbers.

    Both switches are of the fabric that the link is of: the management port of a switch carries no session.
    """
    speakers = _speakers(inventory)
    found: dict[LinkKey, SessionFacts] = {}
    for key in inventory.links if keys is None else keys:
        link = inventory.links.get(key)
        a, b = speakers.get(key[0]), speakers.get(link.b_device) if link else None
        if link and a and b and a[0] == b[0] == link.fabric:
            found[key] = SessionFacts._make((*link, a[1], b[1], a[2], b[2]))
    return found


def _touched(old: Inventory, new: Inventory, links: Delta[LinkKey, LinkFacts]) -> dict[LinkKey, None]:
    """Links whose session can be different: they are so, or a switch at an end is another speaker."""
    found = {row[0]: None for rows in (links.added, links.removed, links.changed) for row in rows}
    was, now = _speakers(old), _speakers(new)
    ends = {name for name in was.keys() & now.keys() if was[name] != now[name]} | (was.keys() ^ now.keys())
    if ends:
        for side in (old, new):
            found |= {key: None for key, link in side.links.items() if key[0] in ends or link[1] in ends}
    return found


def _speakers(inventory: Inventory) -> dict[str, tuple[str, int | None, str]]:
    """Fabric, AS number and router id of everything that has an AS number."""
    return {name: (d.fabric, d.asn, d.loopback) for name, d in inventory.devices.items() if d.asn is not None}


def _delta(ways: Mapping[str, tuple[str, ...]], old: dict[Key, Facts], new: dict[Key, Facts]) -> Delta[Key, Facts]:
    added = [(key, facts) for key, facts in new.items() if key not in old]
    removed: list[tuple[Key, Facts]] = []
    changed: list[tuple[Key, Facts, Facts]] = []
    for key, was in old.items():
        now = new.get(key)
        if now is None:
            removed.append((key, was))
        elif now != was:
            changed.append((key, was, now))
    first = itemgetter(0)
    return Delta(
        ways,
        tuple(sorted(added, key=first)),
        tuple(sorted(removed, key=first)),
        tuple(sorted(changed, key=first)),
    )
