"""Cable bundles: which cables are pulled together, and in which order.

A bundle holds jumpers of one fabric, plane, kind and length between the same two racks: a cable between twin-port
cages is two, a splitter one, and its tails to another rack are in the bundle that goes there. Of a cable through panels
the jumpers at either end are in bundles of their own, and a trunk between panels is one. Its size keeps it round
and stiff enough for one hand and one strap: 24 fibres or active optical cables of 3.0 mm, 8 of copper of 9.4 mm
(diameters: NVIDIA DGX SuperPOD Data Center Design, Networking, Cable Weights), 24 twisted pairs (TIA TSB-184-A;
https://www.cablinginstall.com/standards/article/16481797).

A step holds the bundles between the same two rows, those of trunks before all others. The longest runs come first: to
other sites, other halls, other rows, then along the row, and last inside each rack. So long runs lie at the bottom of
the tray with short ones above, and nobody pulls a long run past ports that are already plugged in. Within a step copper
comes before fibre, which must not carry its weight; bundles between the same racks follow one another, the farthest
racks first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_racks, locate_rows, number_rows, rank_racks
from fabricgen.export.plugs import PlugTable
from fabricgen.export.technician.pulled_rows import TRUNK_END, PulledRows, list_pulled_rows
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64, unique_combinations

TWISTED, COPPER, FIBRE, TRUNK = range(4)
"""Kinds of cable, in the order in which they are laid within a step; trunks have steps of their own."""

LETTERS, MOST = ("T", "C", "F", "K"), (24, 8, 24, 1)
"""For each kind, its letter in names of bundles, and the most jumpers of a bundle."""

KIND_WORDS = ("twisted pair", "copper", "fibre", "trunk")
"""Names of the kinds."""

KIND_OF = {"COPPER": TWISTED, "DAC": COPPER, "ACC": COPPER, "AEC": COPPER}
"""Kind by the catalogue's word for the medium; all other media are fibre."""

OTHER_SITE, OTHER_HALL, OTHER_ROW, SAME_ROW, SAME_RACK = range(5)
"""How far the cables of a step go."""


@dataclass(frozen=True, slots=True)
class PullPlan:
    """Bundle, step and pulling order of everything that is pulled, and the properties of bundles and steps.

    By row of `rows`, int32: `bundle`, `order` from 1 (rows of one cable that go together have the same), `home` and
    `away` (the racks at its ends; home is the first on the floor). By bundle, in pulling order: `names`, `step`,
    `kind`, and `longest_m`, the longest run in m. By step: its name.
    """

    rows: PulledRows
    bundle: Ints
    order: Ints
    home: Ints
    away: Ints
    names: Strings
    step: Ints
    kind: Ints
    longest_m: Floats
    steps: tuple[str, ...]


def make_pull_plan(cluster: Cluster, plugs: PlugTable) -> PullPlan:
    """Bundle and order the jumpers of a cluster and the tails of its splitters, each by the racks at its ends."""
    plan, rows = cluster.plan, list_pulled_rows(cluster, plugs)
    home, away = _orient_ends(cluster, rows)
    is_trunk = rows.end == TRUNK_END
    lead, row = rows.row[rows.lead], rows.row
    media = np.array([KIND_OF.get(m.medium, FIBRE) for m in plan.cables.media], dtype=np.int32)
    kind = np.where(is_trunk, TRUNK, media[plan.cables.medium[plan.cables.end_cable[row]]])
    link = plan.cables.end_link[lead]
    plane = np.where(is_trunk, 0, plan.links.plane[link])
    fabric, words = _index_fabrics(cluster, rows, link)
    key = unique_combinations(fabric, plane, kind, home, away)[1]
    together = unique_combinations(key, rows.unit)[1]
    chunk = _divide_bundles(key, together, (rows.position, rows.length_m), (rows.jumpers, np.array(MOST)[kind]))
    first, bundle = unique_combinations(key, chunk)
    longest = _find_greatest(rows.run_m, bundle)[first]
    step, steps = _number_steps(cluster, is_trunk[first], (home[first], away[first]), longest)
    pair = unique_combinations(home[first], away[first])[1]
    farthest = _find_greatest(longest, unique_combinations(step, kind[first], pair)[1])
    # last column first: steps, copper before fibre, the farthest racks, then pair by pair
    walk = np.lexsort((chunk[first], plane[first], fabric[first], pair, -farthest, kind[first], step))
    number_by_bundle = np.empty(len(walk), dtype=np.int32)
    number_by_bundle[walk] = np.arange(len(walk), dtype=np.int32)
    chosen = first[walk]
    order = _number_rows(number_by_bundle[bundle], together, rows.position)
    named = np.array(words, dtype=object)[fabric[chosen]], plane[chosen], kind[chosen], chunk[chosen]
    names = _name_bundles(cluster, (home[chosen], away[chosen]), named)
    bundle_columns = names, step[walk], kind[chosen].astype(np.int32), longest[walk], steps
    return PullPlan(rows, number_by_bundle[bundle], order, home, away, *bundle_columns)


def _orient_ends(cluster: Cluster, rows: PulledRows) -> tuple[Ints, Ints]:
    """(home rack, away rack) of each row, the one that is first on the floor first; int32."""
    rack_rank = rank_racks(cluster.plan.racks)
    forward = rack_rank[rows.a_rack] <= rack_rank[rows.b_rack]
    return np.where(forward, rows.a_rack, rows.b_rack), np.where(forward, rows.b_rack, rows.a_rack)


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


def _index_fabrics(cluster: Cluster, rows: PulledRows, link: Ints) -> tuple[Ints, list[str]]:
    """(the fabric of each row, the policy of a trunk, as the index of its name; these names), fabrics before policies
    and each in sorted order; int32.
    """
    segments, patching = cluster.plan.links.segments, cluster.plan.patching
    fabrics = sorted({segment.fabric for segment in segments})
    of_segment = np.array([fabrics.index(segment.fabric) for segment in segments], dtype=np.int32)
    fabric = of_segment[cluster.plan.links.segment[link]]
    if patching is None:
        return fabric, fabrics
    trunks = np.flatnonzero(rows.end == TRUNK_END)
    fabric[trunks] = len(fabrics) + patching.trunks.policy[rows.trunk[trunks]]
    return fabric, [*fabrics, *(policy.name for policy in patching.policies)]


def _find_greatest(values: Floats, group: Ints | Ints64) -> Floats:
    """The greatest value in the group of each item."""
    greatest = np.zeros(int(group.max(initial=-1)) + 1)
    np.maximum.at(greatest, group, values)
    group_greatest: Floats = greatest[group]
    return group_greatest


def _number_steps(
    cluster: Cluster, is_trunk: Flags, ends: tuple[Ints, Ints], longest: Floats
) -> tuple[Ints, tuple[str, ...]]:
    """(step of each bundle, numbered in pulling order; names of the steps); `ends` are home and away racks."""
    racks, row, (home, away) = cluster.plan.racks, number_rows(cluster.plan.racks), ends
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
    first, step = unique_combinations(is_trunk, reach, row[home], row[away])
    farthest = _find_greatest(longest, step)[first]
    # last column first: trunks, the longest reach, then the longest run
    walk = np.lexsort((row[away[first]], row[home[first]], -farthest, reach[first], ~is_trunk[first]))
    step_number = np.empty(len(walk), dtype=np.int32)
    step_number[walk] = np.arange(len(walk), dtype=np.int32)
    rows, chosen = locate_rows(cluster), first[walk]
    names = zip(*(column.tolist() for column in (is_trunk, reach, rows[home], rows[away])), strict=True)
    name_by_bundle = list(names)
    return step_number[step], tuple(_name_step(*name_by_bundle[bundle]) for bundle in chosen.tolist())


def _name_step(is_trunk: bool, reach: int, home: str, away: str) -> str:
    way = {SAME_RACK: f"inside racks of {home}", SAME_ROW: f"along {home}"}.get(reach, f"{home} to {away}")
    return f"trunks {way}" if is_trunk else way


def _name_bundles(cluster: Cluster, ends: tuple[Ints, Ints], columns: tuple[Strings, Ints, Ints, Ints64]) -> Strings:
    """`h1.R01.03/h1.N01.02:compute.1-F2`: from, to, fabric and plane or policy of a trunk, kind, and a number among
    bundles with the same name.
    """
    (home, away), (word, plane, kind, chunk) = ends, columns
    places = locate_racks(cluster)
    several = {fabric.name for fabric in cluster.design.fabrics if fabric.planes > 1}
    has_planes = np.array([text in several for text in word.tolist()], dtype=bool) & (kind != TRUNK)
    planes = np.array(["", *(f".{n + 1}" for n in range(int(plane.max(initial=0))))], dtype=object)
    letters = np.array([f"-{letter}" for letter in LETTERS], dtype=object)
    numbers = np.array([str(n + 1) for n in range(int(chunk.max(initial=0)) + 1)], dtype=object)
    text = planes[np.where(has_planes, plane, 0)] + letters[kind] + numbers[chunk]
    names: Strings = places[home] + "/" + places[away] + ":" + word + text
    return names
