"""Trunks between panels whose ends are exchanged: all that runs through one arrives where the other should."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from fabricgen.verify.actions import Action, End, Kind, Step
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.topology import Gain, SeenTopology
from fabricgen.verify.diagnosis.wording import join_in_words

Channel = tuple[str, str, int]
"""Where a link runs in a trunk: its connector, its fibres there, and which of the links on these it is."""


@dataclass(frozen=True)
class TrunkEnds:
    """The ends of trunks, two each: `places` at panels, the ports behind each by channel, and the end behind a port."""

    names: list[str]
    places: list[End]
    ports: list[dict[Channel, int]]
    behind: dict[int, tuple[int, Channel]]


def list_trunk_ends(cabling: PlannedCabling) -> TrunkEnds | None:
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
    trunk_ends = TrunkEnds(names, places, [{} for _ in places], {})
    number = {name: at for at, name in enumerate(names)}
    for port, (trunk, panel, channel) in _read_channels(cabling, patches).items():
        # the ends of trunk n are 2n (a) and 2n + 1 (b), so that `end ^ 1` is the other one
        end = 2 * number[trunk] + (panel != places[2 * number[trunk]].device)
        for end_index, at in ((end, port), (end ^ 1, port ^ 1)):
            trunk_ends.ports[end_index][channel] = at
            trunk_ends.behind[at] = (end_index, channel)
    return trunk_ends


def _read_channels(cabling: PlannedCabling, patches: object) -> dict[int, tuple[str, str, Channel]]:
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
                ends[str(cabling.cable_ids[cable]), "ab"[end], device, cabling.find_cage(port)].append(port)
    channels: dict[int, tuple[str, str, Channel]] = {}
    done_links: set[int] = set()
    # ends of one jumper come first: there is no doubt which one carries a link, whose other end is then done
    for key, ports in sorted(ends.items(), key=lambda patched_end: len(rows[patched_end[0]])):
        for nth, port in enumerate(ports):
            if port >> 1 in done_links or len(rows[key]) not in (1, len(ports)):
                continue
            done_links.add(port >> 1)
            row = rows[key][nth if len(rows[key]) > 1 else 0]
            trunk, panel, connector, fibres = (
                str(patches[name][row])  # type: ignore[index]
                for name in ("trunk", "panel", "connector", "fibres")
            )
            channels[port] = trunk, panel, (connector, fibres, nth if len(rows[key]) == 1 else 0)
    return channels


def list_trunk_links(ends: TrunkEnds) -> list[tuple[list[int], tuple[End, End], str]]:
    """(Its links, its ends at panels, its name) of each trunk that links of the plan run over."""
    return [
        (sorted({port >> 1 for port in ports.values()}), (ends.places[2 * number], ends.places[2 * number + 1]), name)
        for number, (name, ports) in enumerate(zip(ends.names, ends.ports[::2], strict=True))
        if ports
    ]


def make_trunk_exchangeable(ends: TrunkEnds) -> Exchangeable:
    """Ends of trunks as things that can stand in for each other."""

    def count_votes(topology: SeenTopology) -> list[Vote]:
        # votes of wrong links for trunks whose ends are exchanged; those for most links first
        counts: Counter[tuple[int, int]] = Counter()
        for port in topology.find_wrong_ports().tolist():
            # (end of a trunk, channel) that this port runs through, and that of the port where its plug belongs
            own_end, planned_end = ends.behind.get(port), ends.behind.get(int(topology.mate[port]) ^ 1)
            if (
                own_end
                and planned_end
                and own_end[0] != planned_end[0]
                # an a end only stands in for an a end, at the same channel
                and own_end[0] % 2 == planned_end[0] % 2
                and own_end[1] == planned_end[1]
            ):
                counts[own_end[0], planned_end[0]] += 1
        votes = [Vote(links, *pair) for pair, links in counts.items()]
        return sorted(votes, key=lambda vote: (-vote.links, vote.actual, vote.planned))

    def renumber_ring(topology: SeenTopology, ring: Ring) -> tuple[dict[int, int], list[int]]:
        # (port -> the port it is taken for once a ring of trunk ends is put right, all ports touched)
        taken_for, touched = {}, []
        for actual, planned in ring.items():
            for channel, port in ends.ports[actual].items():
                touched.append(port)
                now = ends.ports[planned].get(channel, port)
                if topology.has_state(port, now):
                    taken_for[port] = now
        # trunks of different use: two ports would become one, which no exchange does
        if len(set(taken_for.values())) < len(taken_for):
            return {}, []
        return taken_for, touched

    def is_worth(_topology: SeenTopology, ring: Ring, gain: Gain) -> bool:
        return gain.rows > len(ring) and gain.links > gain.unseen

    return Exchangeable(count_votes, renumber_ring, is_worth)


def make_trunk_action(ends: TrunkEnds, ring: Ring, cables: tuple[str, ...]) -> Action:
    """Ends of trunks that are in each other's place, told by their panels; a step for each, of no cable of the plan."""
    # a trunk has two ends, one after the other: `end // 2` is its number, `end ^ 1` its other end
    actual_ends = sorted(ring)
    names = join_in_words([ends.names[end // 2] for end in actual_ends])
    places = [ends.places[end] for end in actual_ends]
    locations = join_in_words([f"{end.device} ports {end.port} (rack {end.rack}, U{end.u})" for end in places])
    other_panels = join_in_words(sorted({ends.places[end ^ 1].device for end in actual_ends}))
    phrase = "exchanged: swap them" if len(actual_ends) == 2 else "in each other's places"
    text = f"the ends of trunks {names} at {locations} are {phrase} there, or at {other_panels}."
    steps = tuple(
        Step("", ends.places[end], replace(ends.places[ring[end]], label=ends.names[ring[end] // 2]))
        for end in actual_ends
    )
    # a trunk fans out as a breakout does: what is wrong is one bundle, not the plugs of its cables
    return Action(Kind.SPLITTER, len(actual_ends), cables, tuple(places), text, steps=steps)
