"""Trunks between panels whose ends are exchanged: all that runs through one arrives where the other should."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from fabricgen.verify.actions import Action, End, Kind, Step
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.topology import Gain, Topology
from fabricgen.verify.diagnosis.wording import listed

Channel = tuple[str, str, int]
"""Where a link runs in a trunk: its connector, its fibres there, and which of the links on these it is."""


@dataclass(frozen=True)
class TrunkEnds:
    """The ends of trunks, two each: `places` at panels, the ports behind each by channel, and the end behind a port."""

    names: list[str]
    places: list[End]
    ports: list[dict[Channel, int]]
    behind: dict[int, tuple[int, Channel]]


def trunk_ends(cabling: PlannedCabling) -> TrunkEnds | None:
    """The ends of the trunks of a plan; None if nothing is patched."""
    if cabling.patching is None:
        return None
    patches, trunks = cabling.patching()
    names = [str(name) for name in trunks["trunk"]]
    places = [
        End(str(panel), str(ports), str(rack), int(unit or 0))
        for at in range(len(names))
        for rack, unit, panel, ports in [
            [trunks[f"{s}_{w}"][at] for w in ("rack", "u", "panel", "ports")] for s in "ab"
        ]
    ]
    found = TrunkEnds(names, places, [{} for _ in places], {})
    number = {name: at for at, name in enumerate(names)}
    for port, (trunk, panel, channel) in _channels(cabling, patches).items():
        end = 2 * number[trunk] + (panel != places[2 * number[trunk]].device)
        for place, at in ((end, port), (end ^ 1, port ^ 1)):
            found.ports[place][channel] = at
            found.behind[at] = (place, channel)
    return found


def _channels(cabling: PlannedCabling, patches: object) -> dict[int, tuple[str, str, Channel]]:
    """(Trunk, panel, channel) of planned ports, one for each link that is patched.

    A row of the list of jumpers has the cage. Several of one cable in one cage are those of its links in order, unless
    it is the common end of a splitter, of which the other ends tell the links apart.
    """
    columns = [list(map(str, patches[name])) for name in ("cable", "end", "device", "cage")]  # type: ignore[index]
    rows: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, key in enumerate(zip(*columns, strict=True)):
        rows[key].append(at)
    patched = set(columns[0])
    is_patched = [str(cable) in patched for cable in cabling.cable_ids.tolist()]
    ends: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for link, cable in enumerate(cabling.cable.tolist()):
        if is_patched[cable]:
            for end in (0, 1):
                port = 2 * link + end
                device = cabling.device_names[cabling.device[port]]
                ends[str(cabling.cable_ids[cable]), "ab"[end], device, cabling.cage(port)].append(port)
    found: dict[int, tuple[str, str, Channel]] = {}
    told: set[int] = set()
    for key, ports in sorted(ends.items(), key=lambda each: len(rows[each[0]])):
        for nth, port in enumerate(ports):
            if port >> 1 in told or len(rows[key]) not in (1, len(ports)):
                continue
            told.add(port >> 1)
            row = rows[key][nth if len(rows[key]) > 1 else 0]
            trunk, panel, connector, fibres = (
                str(patches[name][row])  # type: ignore[index]
                for name in ("trunk", "panel", "connector", "fibres")
            )
            found[port] = trunk, panel, (connector, fibres, nth if len(rows[key]) == 1 else 0)
    return found


def exchangeable_trunks(ends: TrunkEnds) -> Exchangeable:
    """Ends of trunks as things that can stand in for each other."""

    def votes(topology: Topology) -> list[Vote]:
        counts: Counter[tuple[int, int]] = Counter()
        for port in topology.wrong().tolist():
            here, there = ends.behind.get(port), ends.behind.get(int(topology.mate[port]) ^ 1)
            if here and there and here[0] != there[0] and here[0] % 2 == there[0] % 2 and here[1] == there[1]:
                counts[here[0], there[0]] += 1
        found = [Vote(links, *pair) for pair, links in counts.items()]
        return sorted(found, key=lambda vote: (-vote.links, vote.found, vote.planned))

    def renumbered(topology: Topology, ring: Ring) -> tuple[dict[int, int], list[int]]:
        taken_for, touched = {}, []
        for found, planned in ring.items():
            for channel, port in ends.ports[found].items():
                touched.append(port)
                now = ends.ports[planned].get(channel, port)
                if topology.tells(port, now):
                    taken_for[port] = now
        if len(set(taken_for.values())) < len(taken_for):
            return {}, []
        return taken_for, touched

    def is_worth(_topology: Topology, ring: Ring, gain: Gain) -> bool:
        return gain.plugs > len(ring) and gain.links > gain.unseen

    return Exchangeable(votes, renumbered, is_worth)


def trunk_action(ends: TrunkEnds, ring: Ring, cables: tuple[str, ...]) -> Action:
    """Ends of trunks that are in each other's place, told by their panels; a step for each, of no cable of the plan."""
    found = sorted(ring)
    names = listed([ends.names[end // 2] for end in found])
    places = [ends.places[end] for end in found]
    at = listed([f"{end.device} ports {end.port} (rack {end.rack}, U{end.u})" for end in places])
    other = listed(sorted({ends.places[end ^ 1].device for end in found}))
    what = "exchanged: swap them" if len(found) == 2 else "in each other's places"
    text = f"the ends of trunks {names} at {at} are {what} there, or at {other}."
    steps = tuple(
        Step("", ends.places[end], replace(ends.places[ring[end]], label=ends.names[ring[end] // 2])) for end in found
    )
    return Action(Kind.SPLITTER, len(found), cables, tuple(places), text, steps=steps)
