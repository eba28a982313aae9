"""Trunks between panels whose ends are exchanged: all links through one arrive where those of another should."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from fabricgen.verify.actions import Action, End, Kind, Step
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.exchange_search import Exchangeable, Ring, Vote
from fabricgen.verify.diagnosis.topology import Gain, SeenTopology
from fabricgen.verify.diagnosis.wording import join_in_words

Channel = tuple[str, str, int]
"""Where a link runs in a trunk: the connector, the fibres in it, and which of the links on these fibres it is."""


@dataclass(frozen=True)
class TrunkEnds:
    """The ends of trunks: trunk n has the ends 2n (a) and 2n + 1 (b).

    `names` has a name for each trunk; `places` (at panels) and `ports` (planned ports behind the end, by channel) have
    one entry for each end. `behind` maps a planned port to the end and channel that its link runs through.
    """

    names: list[str]
    places: list[End]
    ports: list[dict[Channel, int]]
    behind: dict[int, tuple[int, Channel]]


def list_trunk_ends(cabling: PlannedCabling) -> TrunkEnds | None:
    """List the ends of the trunks of a plan; None if nothing is patched."""
    if cabling.patching is None:
        return None
    patches, trunks = cabling.patching()
    names = [str(name) for name in trunks["trunk"]]
    panel_ends = [
        End(str(panel), str(ports), str(rack), int(unit or 0))
        for trunk_row in range(len(names))
        for rack, unit, panel, ports in [
            [trunks[f"{letter}_{column}"][trunk_row] for column in ("rack", "u", "panel", "ports")] for letter in "ab"
        ]
    ]
    trunk_ends = TrunkEnds(names, panel_ends, [{} for _ in panel_ends], {})
    row_of_trunk = {name: trunk_row for trunk_row, name in enumerate(names)}
    for port, (trunk, panel, channel) in _read_channels(cabling, patches).items():
        # the a end of the trunk, or the b end if the panel is not that of the a end; `end ^ 1` is its other end
        end = 2 * row_of_trunk[trunk] + (0 if panel == panel_ends[2 * row_of_trunk[trunk]].device else 1)
        for end_index, port_behind in ((end, port), (end ^ 1, port ^ 1)):
            trunk_ends.ports[end_index][channel] = port_behind
            trunk_ends.behind[port_behind] = (end_index, channel)
    return trunk_ends


def _read_channels(cabling: PlannedCabling, patches: object) -> dict[int, tuple[str, str, Channel]]:
    """Return (trunk, panel, channel) by planned port, for one port of each link that is patched.

    `patches` are columns of patches.csv, whose rows name a cage and not a port. If a cable has as many rows in a cage
    as links, these belong together in order. Otherwise the cage holds the common end of a splitter, and its links are
    told apart at their other ends.
    """
    key_columns = [list(map(str, patches[name])) for name in ("cable", "end", "device", "cage")]  # type: ignore[index]
    rows_by_cable_end: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for patch_row, cable_end in enumerate(zip(*key_columns, strict=True)):
        rows_by_cable_end[cable_end].append(patch_row)
    patched_cables = set(key_columns[0])
    is_patched = [str(cable) in patched_cables for cable in cabling.cable_ids.tolist()]
    ports_by_cable_end: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for link, cable in enumerate(cabling.cable.tolist()):
        if is_patched[cable]:
            for end in (0, 1):
                port = 2 * link + end
                device = cabling.device_names[cabling.device[port]]
                ports_by_cable_end[str(cabling.cable_ids[cable]), "ab"[end], device, cabling.find_cage(port)].append(
                    port
                )
    channels: dict[int, tuple[str, str, Channel]] = {}
    done_links: set[int] = set()
    # ends with one jumper come first: there is no doubt which jumper carries a link. Its other end is then done as
    # well.
    for cable_end, ports in sorted(
        ports_by_cable_end.items(), key=lambda patched_end: len(rows_by_cable_end[patched_end[0]])
    ):
        for nth_port, port in enumerate(ports):
            if port >> 1 in done_links or len(rows_by_cable_end[cable_end]) not in (1, len(ports)):
                continue
            done_links.add(port >> 1)
            row = rows_by_cable_end[cable_end][nth_port if len(rows_by_cable_end[cable_end]) > 1 else 0]
            trunk, panel, connector, fibres = (
                str(patches[name][row])  # type: ignore[index]
                for name in ("trunk", "panel", "connector", "fibres")
            )
            # the links of a splitter share fibres, and are numbered in their order
            nth_on_fibres = nth_port if len(rows_by_cable_end[cable_end]) == 1 else 0
            channels[port] = trunk, panel, (connector, fibres, nth_on_fibres)
    return channels


def list_trunk_links(ends: TrunkEnds) -> list[tuple[list[int], tuple[End, End], str]]:
    """Return (links, ends at panels, name) of each trunk that planned links run over."""
    return [
        (sorted({port >> 1 for port in ports.values()}), (ends.places[2 * number], ends.places[2 * number + 1]), name)
        for number, (name, ports) in enumerate(zip(ends.names, ends.ports[::2], strict=True))
        if ports
    ]


def make_trunk_exchangeable(ends: TrunkEnds) -> Exchangeable:
    """Make ends of trunks exchangeable: an a end for an a end, and a b end for a b end."""

    def count_votes(topology: SeenTopology) -> list[Vote]:
        # votes of wrong links for ends of trunks in each other's places, those of most links first
        counts: Counter[tuple[int, int]] = Counter()
        for port in topology.find_wrong_ports().tolist():
            target = int(topology.joined_to[port]) ^ 1  # the port where the plug that is seen here belongs
            if port in ends.behind and target in ends.behind:
                (actual_end, actual_channel), (planned_end, planned_channel) = ends.behind[port], ends.behind[target]
                # an a end (even) only stands in for an a end, at the same channel
                is_same_side = actual_end % 2 == planned_end % 2
                if is_same_side and actual_channel == planned_channel and actual_end != planned_end:
                    counts[actual_end, planned_end] += 1
        votes = [Vote(links, *pair) for pair, links in counts.items()]
        return sorted(votes, key=lambda vote: (-vote.links, vote.actual, vote.planned))

    def map_ports(topology: SeenTopology, ring: Ring) -> tuple[dict[int, int], list[int]]:
        # (port -> the port it is taken for if a ring of trunk ends is believed, all ports touched)
        taken_for, touched = {}, []
        for actual, planned in ring.items():
            for channel, port in ends.ports[actual].items():
                touched.append(port)
                # a port whose channel the other trunk does not use stays as it is
                now = ends.ports[planned].get(channel, port)
                if topology.has_state(port, now):
                    taken_for[port] = now
        # if the trunks are used differently, two ports may be taken for one, which no exchange can do
        if len(set(taken_for.values())) < len(taken_for):
            return {}, []
        return taken_for, touched

    def is_worth(_topology: SeenTopology, ring: Ring, gain: Gain) -> bool:
        return gain.cable_rows > len(ring) and gain.links > gain.unseen

    return Exchangeable(count_votes, map_ports, is_worth)


def make_trunk_action(trunk_ends: TrunkEnds, ring: Ring, cables: tuple[str, ...]) -> Action:
    """Make the action for ends of trunks in each other's places, with a step (of no planned cable) for each end."""
    # a trunk has two ends, one after the other: `end // 2` is its number, `end ^ 1` its other end
    actual_ends = sorted(ring)
    names = join_in_words([trunk_ends.names[end // 2] for end in actual_ends])
    panel_ends = [trunk_ends.places[end] for end in actual_ends]
    locations = join_in_words([f"{end.device} ports {end.port} (rack {end.rack}, U{end.u})" for end in panel_ends])
    other_panels = join_in_words(sorted({trunk_ends.places[end ^ 1].device for end in actual_ends}))
    phrase = "exchanged: swap them" if len(actual_ends) == 2 else "in each other's places"
    text = f"the ends of trunks {names} at {locations} are {phrase} there, or at {other_panels}."
    steps = tuple(
        Step("", trunk_ends.places[end], replace(trunk_ends.places[ring[end]], label=trunk_ends.names[ring[end] // 2]))
        for end in actual_ends
    )
    # a trunk fans out as a breakout does: the fault is in one bundle, not in the plugs of its cables
    return Action(Kind.SPLITTER, len(actual_ends), cables, tuple(panel_ends), text, steps=steps)
