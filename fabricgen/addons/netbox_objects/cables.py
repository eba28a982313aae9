"""Cables of NetBox: from port to port, or as pieces that a hand lays, with the profiles of NetBox 4.5 and later.

In a profile each port is a connector with some positions, and connectors face each other by their number (v4.6.8:
netbox/dcim/cable_profiles.py). A connector takes one port: the ports of a split cage have one each, though they share a
plug. Older releases do not know which ends of a cable with several ends belong together: for them each link is a cable.
Links of a backplane have no cable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from fabricgen.addons.netbox_objects.kinds import Cell, Ends, Kind, name_rear_port
from fabricgen.addons.netbox_objects.panels import list_power_cables
from fabricgen.api import ClusterView

TRUNKS = {2: (1, 2, 4, 6, 8, 12), 4: (1, 2, 4, 6, 8), 8: (4,)}
"""By number of connectors of profiles that lead each connector to the one of the same number: the positions that a
connector may have.
"""
BREAKOUTS = (2, 4, 6, 8)
"""Numbers of connectors of profiles that lead each position of one connector to a connector of its own."""
SINGLES = (2, 4, 6, 8, 12, 16)
"""Positions of profiles with one connector at each end."""

PORT = "interfaces"

MEDIA = {"DAC": "dac-passive", "ACC": "dac-active", "AEC": "dac-active", "AOC": "aoc", "COPPER": "cat6a"}
"""Types of cables by medium, if the fibre does not tell the type.

NetBox has no type of active copper but `dac-active`.
"""
SERIAL = ("FR", "LR")
"""Prefixes of media whose lanes share a fibre pair."""

_FIELDS = ("type", "status", "label", "color", "length", "length_unit", "profile")


def choose_cable_type(medium: str, fibre: str) -> str:
    """Return the type of a cable: of a medium that tells it, else the kind of fibre, else `smf-os2`.

    Source: v4.4.10, netbox/dcim/choices.py, CableTypeChoices.
    """
    return MEDIA.get(medium) or fibre or "smf-os2"


def make_link_cable_kind(view: ClusterView) -> Iterator[Kind]:
    """Yield a cable for each link, patched or not; the links of a splitter are cables that share its label."""
    yield Kind(
        "dcim/cables",
        "cables",
        _make_link_columns(view),
        ("side_a_device", "side_a_name"),
        joins=[
            (_list_ports(view, "a", [row]), _list_ports(view, "b", [row]))
            for row in np.flatnonzero(view.links.cable >= 0).tolist()
        ],
    )


def _make_link_columns(view: ClusterView) -> dict[str, Sequence[Cell]]:
    """Return columns of NetBox's form for CSV, with a row for each link."""
    links, cables, rows = view.links, view.cables, np.flatnonzero(view.links.cable >= 0)
    cable, ends = links.cable[rows], dict[str, Sequence[Cell]]()
    for end in "ab":
        ends |= {
            f"side_{end}_site": view.devices.site[links[end][rows]].tolist(),
            f"side_{end}_device": links[f"{end}_device"][rows].tolist(),
            f"side_{end}_type": ["dcim.interface"] * len(rows),
            f"side_{end}_name": links[f"{end}_port"][rows].tolist(),
        }
    # NetBox takes colours without the #, in small letters
    return {
        **ends,
        "type": np.array(list(map(choose_cable_type, cables.medium, cables.fibre)), dtype=object)[cable].tolist(),
        "status": ["planned"] * len(rows),
        "label": cables.name[cable].tolist(),
        "color": [
            {fabric: fill[1:].lower() for fabric, fill in view.colors.items()}.get(fabric, "")
            for fabric in links.fabric[rows]
        ],
        "length": cables.length_m.round(2)[cable].tolist(),
        "length_unit": ["m"] * len(rows),
    }


def _list_ports(view: ClusterView, end: str, rows: Iterable[int]) -> Ends:
    """Return the ports at the ends `end` (a or b) of the links at some rows of the view."""
    links = view.links
    return tuple((PORT, (links[f"{end}_device"][row], links[f"{end}_port"][row])) for row in rows)


def make_piece_kind(view: ClusterView) -> Iterator[Kind]:
    """Yield a cable for each piece with its profile: direct cables and splitters, jumpers, trunks and power cords."""
    rows, joins = list[tuple[Cell, ...]](), list[tuple[Ends, Ends]]()
    for row, join in (*_list_direct_cables(view), *_list_jumpers(view), *_list_trunks(view)):
        rows.append(row)
        joins.append(join)
    for join in list_power_cables(view):
        rows.append(("power", "planned", "", "", "", "", ""))
        joins.append(join)
    yield Kind(
        "dcim/cables",
        "cables",
        {name: [row[field_index] for row in rows] for field_index, name in enumerate(_FIELDS)},
        ("label",),
        joins=joins,
    )


Piece = tuple[tuple[Cell, ...], tuple[Ends, Ends]]
"""A cable: its cells of _FIELDS, and what it joins."""


def _list_direct_cables(view: ClusterView) -> Iterator[Piece]:
    """Yield the cables from cage to cage; one with more links than a profile has connectors becomes one for
    each link.
    """
    links, cables, patched = view.links, view.cables, set(view.patches.link.tolist())
    links_of_cable: dict[int, list[int]] = defaultdict(list)
    for link in np.lexsort((links.b_port, links.a_port, links.b, links.a)).tolist():
        if links.cable[link] >= 0 and link not in patched:
            links_of_cable[int(links.cable[link])].append(link)
    for cable, its_links in sorted(links_of_cable.items()):
        profile = _choose_trunk_profile(len(its_links), _count_positions(view, its_links[0]))
        for rows in [its_links] if profile or len(its_links) == 1 else [[link] for link in its_links]:
            cells = _describe_cable(view, cable, its_links[0], float(cables.length_m[cable]), profile)
            yield cells, (_list_ports(view, "a", rows), _list_ports(view, "b", rows))


def _count_positions(view: ClusterView, link: int) -> int:
    """Return how many fibre pairs, or lanes of copper, a link has; `link` is its row in the view."""
    links = view.links
    lanes = round(float(links.speed_gbps[link] / links.lane_gbps[link])) if links.lane_gbps[link] else 1
    return 1 if str(view.cables.medium[links.cable[link]]).startswith(SERIAL) else lanes


def _choose_trunk_profile(connectors: int, positions: int) -> str:
    """Return the profile with the fewest connectors and positions that suffice: `trunk-4c2p` has 4 connectors of 2
    positions.

    It is "" for a single connector, and for more connectors than any profile has. If no profile has enough positions,
    the one with most is taken.
    """
    count = next((count for count in TRUNKS if count >= connectors), 0)
    if connectors < 2 or not count:
        return ""
    return f"trunk-{count}c{next((size for size in TRUNKS[count] if size >= positions), TRUNKS[count][-1])}p"


def _describe_cable(view: ClusterView, cable: int, link: int, length_m: float, profile: str) -> tuple[Cell, ...]:
    """Return the cells of _FIELDS for a cable, or for a piece of it; `link` is one of its links."""
    cables, color = view.cables, view.colors.get(str(view.links.fabric[link]), "")
    return (
        choose_cable_type(str(cables.medium[cable]), str(cables.fibre[cable])),
        "planned",
        str(cables.name[cable]),
        color[1:].lower(),
        round(length_m, 2),
        "m",
        profile,
    )


def _list_jumpers(view: ClusterView) -> Iterator[Piece]:
    """Yield the jumpers from cages to ports of panels; both jumpers of a link have its cable's label."""
    patches, kind_of_panel = view.patches, dict(zip(view.panels.name, view.panels.kind, strict=True))
    rows_of_jumper: dict[int, list[int]] = defaultdict(list)
    for row, jumper in enumerate(patches.jumper.tolist()):
        rows_of_jumper[jumper].append(row)
    for rows in rows_of_jumper.values():
        end = str(patches.end[rows[0]])
        rows.sort(key=lambda row: (patches.pair[row], row))
        link_rows = list(dict.fromkeys(patches.link[rows].tolist()))
        ports = list(dict.fromkeys(zip(patches.panel[rows].tolist(), patches.port[rows].tolist(), strict=True)))
        # ports out of a shuffle are the rear ones
        port_kind = "rear-ports" if end == "b" and kind_of_panel[ports[0][0]] == "shuffle" else "front-ports"
        cage_ends = _list_ports(view, end, link_rows)
        panel_ends: Ends = tuple((port_kind, (panel, str(port))) for panel, port in ports)
        profile, join = _choose_jumper_profile(cage_ends, panel_ends, patches.pair[rows].tolist())
        cable = int(view.links.cable[link_rows[0]])
        yield _describe_cable(view, cable, link_rows[0], float(patches.length_m[rows[0]]), profile), join


def _choose_jumper_profile(near_ports: Ends, far_ports: Ends, pairs: Sequence[int]) -> tuple[str, tuple[Ends, Ends]]:
    """Return (profile, (one side, other side)) of a jumper that joins some ports; a side with a single port comes
    first.

    The profile is "" if NetBox has none for so many ports. It is also "" if `pairs`, the numbers of the fibre pairs
    that the ports take, lack some: NetBox numbers connectors by the order of ports.
    """
    if len(near_ports) == len(far_ports):
        return _choose_trunk_profile(len(near_ports), 1), (near_ports, far_ports)
    single_side, split_side = (near_ports, far_ports) if len(near_ports) == 1 else (far_ports, near_ports)
    count = next((count for count in BREAKOUTS if count >= len(split_side)), 0)
    # NetBox numbers connectors by the order of ports: if pairs are left out, the pairs after them would move
    in_order = not any(pairs) or list(pairs) == list(range(1, len(split_side) + 1))
    return (f"breakout-1c{count}p-{count}c1p" if count and len(single_side) == 1 and in_order else ""), (
        single_side,
        split_side,
    )


def _list_trunks(view: ClusterView) -> Iterator[Piece]:
    """Yield the trunks between the rear ports of panels, with a position for each front port."""
    for trunk in view.trunks.rows():
        count = trunk["ports"]
        a, b = ((("rear-ports", (trunk[f"{end}_panel"], name_rear_port(trunk[f"{end}_port"], count))),) for end in "ab")
        profile = f"single-1c{count}p" if count in SINGLES else ""
        yield (trunk["fibre"], "planned", trunk["name"][:100], "", trunk["length_m"], "m", profile), (a, b)
