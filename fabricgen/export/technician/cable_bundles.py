"""Cable bundles: which cables are pulled together, and in which order.

A bundle holds jumpers of one fabric, plane, kind and length between the same two racks: a cable between twin-port
cages is two, a splitter one, and its tails to another rack are in the bundle that goes there. Its size keeps it round
and stiff enough for one hand and one strap: 24 fibres or active optical cables of 3.0 mm, 8 of copper of 9.4 mm
(diameters: NVIDIA DGX SuperPOD Data Center Design, Networking, Cable Weights), 24 twisted pairs (TIA TSB-184-A;
https://www.cablinginstall.com/standards/article/16481797).

A step holds the bundles between the same two rows. The longest runs come first: to other sites, other halls, other
rows, then along the row, and last inside each rack. So long runs lie at the bottom of the tray with short ones above,
and nobody pulls a long run past ports that are already plugged in. Within a step copper comes before fibre, which must
not carry its weight; bundles between the same racks follow one another, the farthest racks first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_racks, locate_rows, number_rows, rank_racks
from fabricgen.export.plugs import PlugTable
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Floats, Ints, Ints64, unique_combinations
from fabricgen.wiring.cabling.end_numbers import number_ends
from fabricgen.wiring.cabling.sockets import number_connectors

TWISTED, COPPER, FIBRE = range(3)
"""Kinds of cable, in the order in which they are laid."""

LETTERS, MOST = ("T", "C", "F"), (24, 8, 24)
"""For each kind, its letter in names of bundles, and the most jumpers of a bundle."""

KIND_WORDS = ("twisted pair", "copper", "fibre")
"""Names of the kinds."""

KIND_OF = {"COPPER": TWISTED, "DAC": COPPER, "ACC": COPPER, "AEC": COPPER}
"""Kind by the catalogue's word for the medium; all other media are fibre."""

OTHER_SITE, OTHER_HALL, OTHER_ROW, SAME_ROW, SAME_RACK = range(5)
"""How far the cables of a step go."""


@dataclass(frozen=True, slots=True)
class PullPlan:
    """Bundle, step and pulling order of every cable end row, and the properties of bundles and steps.

    By row of cables.csv, int32: `bundle`, `order` from 1 (rows of one cable that go together have the same),
    `jumpers` (how many it adds to its bundle; 0 for further tails of a splitter to the same rack), `home` and `away`
    (the racks at its ends; home is the first on the floor). By bundle, in pulling order: `names`, `step`, `kind`, and
    `longest_m`, the longest run in m. By step: its name.
    """

    bundle: Ints
    order: Ints
    jumpers: Ints
    home: Ints
    away: Ints
    names: Strings
    step: Ints
    kind: Ints
    longest_m: Floats
    steps: tuple[str, ...]


def make_pull_plan(cluster: Cluster, plugs: PlugTable) -> PullPlan:
    """Bundle and order the jumpers of a cluster and the tails of its splitters, each by the racks at its ends."""
    cables = cluster.plan.cables
    cable, link = cables.end_cable, cables.end_link
    home, away, position = _orient_ends(cluster, link)
    jumpers, lead = _count_jumpers(cable, plugs, home, away)
    kind = np.array([KIND_OF.get(m.medium, FIBRE) for m in cables.media], dtype=np.int32)[cables.medium][cable]
    plane, fabric = cluster.plan.links.plane[link[lead]], _index_fabrics(cluster, link[lead])
    key = unique_combinations(fabric, plane, kind, home, away)[1]
    together = unique_combinations(key, cable)[1]
    chunk = _divide_bundles(key, together, (position, cables.length_m[cable]), (jumpers, np.array(MOST)[kind]))
    first, bundle = unique_combinations(key, chunk)
    longest = _find_greatest(cables.run_m[cable], bundle)[first]
    step, steps = _number_steps(cluster, home[first], away[first], longest)
    pair = unique_combinations(home[first], away[first])[1]
    farthest = _find_greatest(longest, unique_combinations(step, kind[first], pair)[1])
    # last column first: steps, copper before fibre, the farthest racks, then pair by pair
    walk = np.lexsort((chunk[first], plane[first], fabric[first], pair, -farthest, kind[first], step))
    number_by_bundle = np.empty(len(walk), dtype=np.int32)
    number_by_bundle[walk] = np.arange(len(walk), dtype=np.int32)
    chosen = first[walk]
    order = _number_rows(number_by_bundle[bundle], together, position)
    names = _name_bundles(cluster, (home[chosen], away[chosen]), (link[lead[chosen]], kind[chosen], chunk[chosen]))
    bundle_columns = names, step[walk], kind[chosen].astype(np.int32), longest[walk], steps
    return PullPlan(number_by_bundle[bundle], order, jumpers, home, away, *bundle_columns)


def _orient_ends(cluster: Cluster, link: Ints) -> tuple[Ints, Ints, Ints]:
    """(home rack, away rack, position among the ports of the home rack) of each cable end row; int32."""
    devices, links = cluster.plan.devices, cluster.plan.links
    rack_rank = rank_racks(cluster.plan.racks)
    numbers = number_ends(devices, links, number_connectors)
    a, b = devices.rack[links.a_device[link]], devices.rack[links.b_device[link]]
    forward = rack_rank[a] <= rack_rank[b]
    position = np.where(forward, numbers.a[link], numbers.b[link]).astype(np.int32)
    return np.where(forward, a, b), np.where(forward, b, a), position


def _count_jumpers(cable: Ints, plugs: PlugTable, home: Ints, away: Ints) -> tuple[Ints, Ints64]:
    """(how many jumpers each cable end row adds to what goes between its two racks; the row that says its plane).

    A straight row is its own jumpers. The tails of a splitter to one rack count once, and have the plane of the first.
    """
    # `home` and `away` are the racks of each cable end row
    row = plugs.row
    piece_rows, code = unique_combinations(cable[row], plugs.piece)
    is_first = np.zeros(len(row), dtype=np.int32)
    is_first[unique_combinations(cable[row], plugs.piece, home[row], away[row])[0]] = 1
    counted = np.bincount(row, is_first, minlength=len(cable)).astype(np.int32)
    lead = np.arange(len(cable))
    tails = plugs.tails > 1
    lead[row[tails]] = row[piece_rows][code[tails]]
    return counted, lead


def _divide_bundles(key: Ints64, together: Ints64, laid: tuple[Ints, Floats], size: tuple[Ints, Ints64]) -> Ints64:
    """Which bundle each row is in, from 0 among those with its key.

    `laid` are (position among the ports of the home rack, length of the cable, m): bundles are filled along these
    ports, each with cables of one length, the longest first, up to the second of `size` (jumpers, the most of a
    bundle); what is `together`, the rows of one cable, is not divided.
    """
    (position, length_m), (jumpers, most) = laid, size
    # jumpers of each cable between these racks, and where along the ports its first row is
    count = np.bincount(together, jumpers).astype(np.int64)
    first = np.full(len(count), len(key))
    walk = np.lexsort((position, -length_m, key))
    np.minimum.at(first, together[walk], np.arange(len(walk)))
    lay_order = np.argsort(first)
    row = walk[first[lay_order]]
    # cables in the order in which they are laid; one that would make a bundle too large opens the next
    chunk, number, filled, last = np.empty(len(count), dtype=np.int64), 0, 0, (-1, 0.0)
    columns = (column.tolist() for column in (lay_order, key[row], length_m[row], count[lay_order], most[row]))
    for lay_number, row_key, metres, added, limit in zip(*columns, strict=True):
        if row_key != last[0]:
            number, filled = 0, 0
        elif filled + added > limit or metres != last[1]:
            number, filled = number + 1, 0
        filled, last = filled + added, (row_key, metres)
        chunk[lay_number] = number
    divided: Ints64 = chunk[together]
    return divided


def _number_rows(bundle_number: Ints, together: Ints64, position: Ints) -> Ints:
    """The number of each row in pulling order, from 1, bundle by bundle along ports; the same for what is together."""
    walk = np.lexsort((position, bundle_number))
    first = np.full(int(together.max(initial=-1)) + 1, len(walk))
    np.minimum.at(first, together[walk], np.arange(len(walk)))
    number = np.empty(len(first), dtype=np.int32)
    # cables by where the first row of each is
    number[np.argsort(first)] = np.arange(1, len(first) + 1, dtype=np.int32)
    order: Ints = number[together]
    return order


def _index_fabrics(cluster: Cluster, link: Ints) -> Ints:
    """The fabric of each link, as the index of its name in sorted order; int32."""
    segments = cluster.plan.links.segments
    index_by_fabric = {name: i for i, name in enumerate(sorted({segment.fabric for segment in segments}))}
    return np.array([index_by_fabric[segment.fabric] for segment in segments], dtype=np.int32)[
        cluster.plan.links.segment[link]
    ]


def _find_greatest(values: Floats, group: Ints | Ints64) -> Floats:
    """The greatest value in the group of each item."""
    greatest = np.zeros(int(group.max(initial=-1)) + 1)
    np.maximum.at(greatest, group, values)
    group_greatest: Floats = greatest[group]
    return group_greatest


def _number_steps(cluster: Cluster, home: Ints, away: Ints, longest: Floats) -> tuple[Ints, tuple[str, ...]]:
    """(step of each bundle, numbered in pulling order; names of the steps)."""
    racks, row = cluster.plan.racks, number_rows(cluster.plan.racks)
    reach = np.select(
        [
            racks.site[home] != racks.site[away],
            racks.hall[home] != racks.hall[away],
            row[home] != row[away],
            home != away,
        ],
        [OTHER_SITE, OTHER_HALL, OTHER_ROW, SAME_ROW],
        SAME_RACK,
    )
    first, step = unique_combinations(reach, row[home], row[away])
    farthest = _find_greatest(longest, step)[first]
    # last column first: the longest reach, then the longest run
    walk = np.lexsort((row[away[first]], row[home[first]], -farthest, reach[first]))
    step_number = np.empty(len(walk), dtype=np.int32)
    step_number[walk] = np.arange(len(walk), dtype=np.int32)
    rows = locate_rows(cluster)
    chosen = first[walk]
    ends = zip(reach[chosen].tolist(), rows[home[chosen]].tolist(), rows[away[chosen]].tolist(), strict=True)
    return step_number[step], tuple(_name_step(*end) for end in ends)


def _name_step(reach: int, home: str, away: str) -> str:
    if reach == SAME_RACK:
        return f"inside racks of {home}"
    return f"along {home}" if reach == SAME_ROW else f"{home} to {away}"


def _name_bundles(cluster: Cluster, ends: tuple[Ints, Ints], bundle_columns: tuple[Ints, Ints, Ints64]) -> Strings:
    """`h1.R01.03/h1.N01.02:compute.1-F2`: from, to, fabric and plane, kind, and a number among bundles with the same
    name.
    """
    (home, away), (link, kind, chunk) = ends, bundle_columns
    links, places = cluster.plan.links, locate_racks(cluster)
    fabrics = np.array([f":{segment.fabric}" for segment in links.segments], dtype=object)
    several = {fabric.name for fabric in cluster.design.fabrics if fabric.planes > 1}
    has_planes = np.array([segment.fabric in several for segment in links.segments])[links.segment[link]]
    planes = np.array(["", *(f".{plane + 1}" for plane in range(int(links.plane.max(initial=0))))], dtype=object)
    letters = np.array([f"-{letter}" for letter in LETTERS], dtype=object)
    numbers = np.array([str(n + 1) for n in range(int(chunk.max(initial=0)) + 1)], dtype=object)
    ends_and_fabric = places[home] + "/" + places[away] + fabrics[links.segment[link]]
    names: Strings = (
        ends_and_fabric + planes[np.where(has_planes, links.plane[link], 0)] + letters[kind] + numbers[chunk]
    )
    return names
