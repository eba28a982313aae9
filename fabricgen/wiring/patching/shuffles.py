"""Fibre shuffles: which connector takes which port in, which far connector which port out, and where shuffles stand.

In an n x n shuffle pair k of port i in is pair i of port k out (J. M. Castro, Optical Shuffle Architectures for Large
AI Networks, IEEE 802.3 E4AI workshop, 2026): connectors of n NICs, whose lanes belong to n planes, go in, and one for
each of n leaves comes out. So lane k of a connector takes port k out, and the connector takes the port in that is its
lane at the far ends, the same at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.media.patching import FIBRES, PatchPolicy
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.wiring.cabling.cables import connectors
from fabricgen.wiring.cabling.end_numbers import CableEnds, hangs_on_lower
from fabricgen.wiring.patching.tables import PanelTable, ShuffleTable
from fabricgen.wiring.tables import Ints, LinkTable, Side

_STRIDE = 1 << 20
"""Connectors of one device are numbered below this."""


@dataclass(frozen=True, slots=True)
class _Shuffle:
    """One shuffle: its policy, kind of fibre, place, and (cable end row, port in, port out) of its pairs."""

    policy: int
    fibre: int
    place: int
    pairs: tuple[tuple[int, int, int], ...]


def lay_shuffles(
    links: LinkTable,
    ends: CableEnds,
    policies: tuple[PatchPolicy, ...],
    of: tuple[Ints, Ints, tuple[CableProfile, ...]],
    places: tuple[Ints, Ints],
) -> tuple[PanelTable, ShuffleTable]:
    """The housings of shuffles, without a rack yet (-1), and the pairs that pass them; panels are numbered from 0.

    `of` are (policy of each cable, -1 for none; medium of each cable; all media), `places` those of both ends of every
    cable end row. Raises InputError (FG075) where a shuffle cannot serve a cable.
    """
    policy, medium, media = of
    found = []
    for number, one in enumerate(policies):
        rows = np.flatnonzero(policy[ends.cable] == number).astype(np.int32)
        if one.shuffles and len(rows):
            place = places[0 if one.spec.end == "a" else 1]
            found += list(_of_policy(links, ends, (number, one), rows, (medium, media, place)))
    housings: dict[tuple[int, int, int, int], int] = {}
    behind: dict[tuple[int, int, int], int] = {}
    pairs: list[tuple[int, int, int, int, int]] = []
    for shuffle in found:
        here = shuffle.policy, shuffle.fibre, shuffle.place
        nth = behind[here] = behind.get(here, -1) + 1
        housing, inside = divmod(nth, policies[shuffle.policy].panel.shuffles)
        panel = housings.setdefault((*here, housing), len(housings))
        pairs += [(row, panel, inside, port_in, port_out) for row, port_in, port_out in shuffle.pairs]
    panels = np.array(list(housings), dtype=np.int32).reshape(-1, 4).T
    none = np.full(len(housings), -1, dtype=np.int32)
    table = np.array(sorted(pairs), dtype=np.int32).reshape(-1, 5).T
    return PanelTable(panels[0], panels[1], panels[2], none, none, panels[3]), ShuffleTable(*table)


def _of_policy(
    links: LinkTable,
    ends: CableEnds,
    policy: tuple[int, PatchPolicy],
    rows: Ints,
    of: tuple[Ints, tuple[CableProfile, ...], Ints],
) -> Iterator[_Shuffle]:
    """The shuffles of one policy in the order of their first cables: cables with the same far connectors share one."""
    number, own = policy
    medium, media, place = of
    ways = own.panel.shuffle
    plugs: dict[tuple[int, int], list[tuple[tuple[int, int], int, int, int]]] = {}
    for cable, row, (far, lane_in, lane_out) in zip(
        ends.cable[rows].tolist(), rows.tolist(), _lanes(links, ends, own, rows), strict=True
    ):
        profile = media[medium[cable]]
        if profile.connector != own.panel.front or profile.lanes_per_connector != ways:
            raise _refused(
                own, f"{profile.id} has {profile.lanes_per_connector} pairs in {profile.connector or 'no fibre'}"
            )
        (plug, port_out), (socket, port_in) = divmod(lane_out, ways), divmod(lane_in, ways)
        plugs.setdefault((cable, plug), []).append(((far, socket), row, port_in, port_out))
    groups: dict[tuple[tuple[int, int], ...], list[tuple[int, int]]] = {}
    for at, legs in plugs.items():
        if len({port_in for _, _, port_in, _ in legs}) > 1:
            raise _refused(own, "a connector has other lanes at each of its far ends")
        groups.setdefault(tuple(far for far, *_ in sorted(legs, key=lambda leg: leg[3])), []).append(at)
    for far_ends, members in groups.items():
        pairs = [(row, port_in, port_out) for at in members for _, row, port_in, port_out in plugs[at]]
        if len({pair[1:] for pair in pairs}) < len(pairs) or len(set(far_ends)) < len(far_ends):
            raise _refused(own, f"{len(members)} connectors share far ends that are not {ways} x {ways} pairs")
        kind = FIBRES.index(media[medium[members[0][0]]].fibre)
        yield _Shuffle(number, kind, min(int(place[row]) for row, *_ in pairs), tuple(pairs))


def _lanes(links: LinkTable, ends: CableEnds, policy: PatchPolicy, rows: Ints) -> Iterator[tuple[int, int, int]]:
    """(far connector, lane in it, lane in the connector at the common end) of some cable end rows."""
    link = ends.link[rows]
    segment = links.segment[link]
    far, lane_in, lane_out = (np.zeros(len(rows), dtype=np.int64) for _ in range(3))
    for i in sorted(set(segment.tolist())):
        one, here = links.segments[i], np.flatnonzero(segment == i)
        if not hangs_on_lower(one) or one.lanes * int(ends.links[rows[here]].max()) > 1 or one.a.per_connector < 2:
            raise _refused(policy, f"{one.fabric} {one.key} links are not one pair of a split connector each")
        a, b = links.a_port[link[here]], links.b_port[link[here]]
        lane_in[here], lane_out[here] = _lane(one.b, b), _lane(one.a, a)
        far[here] = links.b_device[link[here]].astype(np.int64) * _STRIDE + connectors(one.b, b)
    return zip(far.tolist(), lane_in.tolist(), lane_out.tolist(), strict=True)


def _lane(side: Side, ports: Ints) -> Ints:
    """The number, from 0, of each port among those of its connector."""
    if isinstance(side, Attachment):
        places = [(leg.cage, leg.connector) for leg in side.legs]
        before = [places[:i].count(place) for i, place in enumerate(places)]
        return np.array(before, dtype=np.int32)[ports]
    return ports % side.per_connector


def _refused(policy: PatchPolicy, why: str) -> InputError:
    return fault(
        "FG075",
        f"{policy.panel.id} cannot serve the cables of `{policy.name}`: {why}",
        path=(*policy.path, "panel"),
        hint="take a shuffle of other ports, or leave such links out with `fabrics` and `between`",
    )
