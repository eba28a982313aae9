"""What a technician needs to know of each cable end, as columns: one row for each row of cables.csv."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_devices, locate_racks, locate_rows, number_rows
from fabricgen.export.palette import Swatch, choose_cluster_swatches, choose_ink, make_plane_mark, shade_for_rail
from fabricgen.export.plugs import PlugTable, list_cable_end_ports, list_plugs
from fabricgen.export.technician.pulled_rows import TRUNK_END, PulledRows, is_a_first, list_pulled_rows
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64, unique_combinations
from fabricgen.wiring.cabling.end_kinds import are_common_ends_lower


@dataclass(frozen=True, slots=True)
class CableTag:
    """The tag that identifies a kind of cable: `C3A` for compute, rail 3, plane A. `fill` and `ink` are `#RRGGBB`."""

    text: str
    fill: str
    ink: str
    word: str
    fabric: str
    rail: int
    plane: int


NO_TAG = CableTag("", "#FFFFFF", "#000000", "", "", 0, 0)
"""The tag of trunks, which may carry several fabrics."""


@dataclass(frozen=True)
class Records:
    """Columns by cable end row; pairs are (a end, b end).

    `socket` is the socket of the plugs as the front of the device shows it, `place` the position of the device.
    `common_a` says whether the common end of the cable is its a end (a breakout has one common end and several others).
    `bundle_tags` are `tags` without rails, which a cable bundle mixes.
    """

    cluster: Cluster
    pull: PullPlan
    cable: Ints
    common_a: Flags
    device: tuple[Ints, Ints]
    plugs: PlugTable
    socket: tuple[Strings, Strings]
    place: tuple[Strings, Strings]
    tags: tuple[CableTag, ...]
    tag: Ints64
    bundle_tags: tuple[CableTag, ...]


def make_records(cluster: Cluster) -> Records:
    """Return what is known of each cable end of a cluster: its plug, place, tag, bundle and pulling order."""
    cables, links = cluster.plan.cables, cluster.plan.links
    cable = cables.end_cable
    a, b = links.a_device[cables.end_link], links.b_device[cables.end_link]
    places, cable_plugs = locate_devices(cluster), list_plugs(cluster)
    plugs_and_cages = zip(cable_plugs.merge_by_row(len(cable)), list_cable_end_ports(cluster)[0], strict=True)
    (tags, tag), swatches = list_cable_tags(cluster), choose_cluster_swatches(cluster)
    socket_a, socket_b = (plug.format_texts(cage).texts() for plug, cage in plugs_and_cages)
    return Records(
        cluster=cluster,
        pull=make_pull_plan(cluster, cable_plugs),
        cable=cable,
        common_a=are_common_ends_lower(links, cables),
        device=(a, b),
        plugs=cable_plugs,
        socket=(socket_a, socket_b),
        place=(places[a], places[b]),
        tags=tags,
        tag=tag,
        bundle_tags=tuple(_make_tag(t.fabric, swatches[t.fabric], 0, t.plane) for t in tags),
    )


def count_ends_per_rack(cluster: Cluster) -> Ints64:
    """Return the number of cable ends in each rack, int64; the common end of a breakout counts once for each
    far end.
    """
    links, rack = cluster.plan.links, cluster.plan.devices.rack
    rows = cluster.plan.cables.end_link
    ends = np.concatenate([rack[links.a_device[rows]], rack[links.b_device[rows]]])
    return np.bincount(ends, minlength=len(cluster.plan.racks))


def list_cable_tags(cluster: Cluster) -> tuple[tuple[CableTag, ...], Ints64]:
    """Return the distinct tags by fabric, rail and plane, and the index of the tag of each cable end row."""
    links, link = cluster.plan.links, cluster.plan.cables.end_link
    fabrics = sorted({segment.fabric for segment in links.segments})
    segment_fabrics = np.array([fabrics.index(segment.fabric) for segment in links.segments], dtype=np.int32)
    fabric, rail, plane = segment_fabrics[links.segment[link]], links.rail[link], links.plane[link]
    swatches = choose_cluster_swatches(cluster)
    multi_plane_fabrics = {f.name for f in cluster.design.fabrics if f.planes > 1}
    first_rows, tag = unique_combinations(fabric, rail, plane)
    tags = [
        _make_tag(fabrics[i], swatches[fabrics[i]], r, p if fabrics[i] in multi_plane_fabrics else 0)
        for i, r, p in zip(*(column[first_rows].tolist() for column in (fabric, rail, plane)), strict=True)
    ]
    return tuple(tags), tag


def _make_tag(fabric: str, swatch: Swatch, rail: int, plane: int) -> CableTag:
    """Return the tag of a fabric's cables; 0 stands for no rail or plane."""
    mark, fill = make_plane_mark(plane), shade_for_rail(swatch.fill, rail)
    letter = mark.letter if mark else ""
    return CableTag(f"{swatch.code}{rail or ''}{letter}", fill, choose_ink(fill), swatch.word, fabric, rail, plane)


# Cable bundles: which cables are pulled together, and in which order.
#
# A bundle holds jumpers of one fabric, plane, kind and length between the same two racks. A cable between twin-port
# cages has two jumpers and a splitter one; tails of a splitter to another rack are in the bundle that goes there. The
# jumpers of a cable through panels are in bundles of their own, and a trunk between panels is a bundle. The size
# keeps a bundle round and stiff enough for one hand and one strap: 24 fibres or active optical cables of 3.0 mm, 8 of
# copper of 9.4 mm (diameters: NVIDIA DGX SuperPOD Data Center Design, Networking, Cable Weights), 24 twisted pairs
# (TIA TSB-184-A; https://www.cablinginstall.com/standards/article/16481797).
#
# A step holds the bundles between the same two rows, trunks before all others. The longest runs come first: to other
# sites, other halls, other rows, then along the row, and last inside each rack. So long runs lie at the bottom of the
# tray with short ones above, and nobody pulls a long run past ports that are already plugged in. Within a step copper
# comes before fibre, which must not carry its weight; bundles between the same racks follow one another, the farthest
# racks first.

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
    """Return the bundles, steps and order of all that is pulled in a cluster; tails of a splitter go by the racks at
    their ends.
    """
    plan, rows = cluster.plan, list_pulled_rows(cluster, plugs)
    forward = is_a_first(cluster, rows.a_rack, rows.b_rack)
    home, away = (np.where(forward, *racks) for racks in ((rows.a_rack, rows.b_rack), (rows.b_rack, rows.a_rack)))
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
    first_rows, bundle = unique_combinations(key, chunk)
    longest = _find_greatest(rows.run_m, bundle)[first_rows]
    step, steps = _number_steps(cluster, is_trunk[first_rows], (home[first_rows], away[first_rows]), longest)
    pair = unique_combinations(home[first_rows], away[first_rows])[1]
    farthest = _find_greatest(longest, unique_combinations(step, kind[first_rows], pair)[1])
    # last column first: steps, copper before fibre, the farthest racks, then pair by pair
    walk = np.lexsort(
        (chunk[first_rows], plane[first_rows], fabric[first_rows], pair, -farthest, kind[first_rows], step)
    )
    number_by_bundle = np.empty(len(walk), dtype=np.int32)
    number_by_bundle[walk] = np.arange(len(walk), dtype=np.int32)
    chosen = first_rows[walk]
    order = _number_rows(number_by_bundle[bundle], together, rows.position)
    named = np.array(words, dtype=object)[fabric[chosen]], plane[chosen], kind[chosen], chunk[chosen]
    names = _name_bundles(cluster, (home[chosen], away[chosen]), named)
    return PullPlan(
        rows,
        number_by_bundle[bundle],
        order,
        home,
        away,
        names,
        step[walk],
        kind[chosen].astype(np.int32),
        longest[walk],
        steps,
    )


def _divide_bundles(key: Ints64, together: Ints64, laid: tuple[Ints, Floats], size: tuple[Ints, Ints64]) -> Ints64:
    """Return the bundle of each row, numbered from 0 among the rows with its key; int64.

    `laid` are (position among the ports of the home rack, length of the cable in m). Bundles are filled along these
    ports, each with cables of one length, the longest first. `size` are (jumpers of each row, the most of a bundle).
    Rows with equal `together`, those of one cable, stay in one bundle.
    """
    (position, length_m), (jumpers, most) = laid, size
    # jumpers of each cable between two racks, and the position of its first row along the ports
    count = np.bincount(together, jumpers).astype(np.int64)
    first_position = np.full(len(count), len(key))
    walk = np.lexsort((position, -length_m, key))
    np.minimum.at(first_position, together[walk], np.arange(len(walk)))
    lay_order = np.argsort(first_position)
    row = walk[first_position[lay_order]]
    # cables in the order in which they are laid; a cable that would make a bundle too large begins the next one
    chunk, number, filled, last_laid = np.empty(len(count), dtype=np.int64), 0, 0, (-1, 0.0)
    columns = (column.tolist() for column in (lay_order, key[row], length_m[row], count[lay_order], most[row]))
    for lay_number, row_key, metres, added, limit in zip(*columns, strict=True):
        if row_key != last_laid[0]:
            number, filled = 0, 0
        elif filled + added > limit or metres != last_laid[1]:
            number, filled = number + 1, 0
        filled, last_laid = filled + added, (row_key, metres)
        chunk[lay_number] = number
    return chunk[together]


def _number_rows(bundle_number: Ints, together: Ints64, position: Ints) -> Ints:
    """Return the number of each row in pulling order, from 1: bundle by bundle, along ports; int32.

    Rows with equal `together` have the same number.
    """
    walk = np.lexsort((position, bundle_number))
    first_position = np.full(int(together.max(initial=-1)) + 1, len(walk))
    np.minimum.at(first_position, together[walk], np.arange(len(walk)))
    number = np.empty(len(first_position), dtype=np.int32)
    # cables in the order of their first rows
    number[np.argsort(first_position)] = np.arange(1, len(first_position) + 1, dtype=np.int32)
    return number[together]


def _index_fabrics(cluster: Cluster, rows: PulledRows, link: Ints) -> tuple[Ints, list[str]]:
    """Return the index of the name of each row's fabric, int32, and the names.

    A trunk has the name of its policy. Fabrics come before policies, both sorted; `link` is a link of each row.
    """
    segments, patching = cluster.plan.links.segments, cluster.plan.patching
    fabrics = sorted({segment.fabric for segment in segments})
    segment_fabrics = np.array([fabrics.index(segment.fabric) for segment in segments], dtype=np.int32)
    fabric = segment_fabrics[cluster.plan.links.segment[link]]
    if patching is None:
        return fabric, fabrics
    trunks = np.flatnonzero(rows.end == TRUNK_END)
    fabric[trunks] = len(fabrics) + patching.trunks.policy[rows.trunk[trunks]]
    return fabric, [*fabrics, *(policy.name for policy in patching.policies)]


def _find_greatest(values: Floats, group: Ints | Ints64) -> Floats:
    """Return the greatest value in the group of each item."""
    greatest = np.zeros(int(group.max(initial=-1)) + 1)
    np.maximum.at(greatest, group, values)
    return greatest[group]


def _number_steps(
    cluster: Cluster, is_trunk: Flags, ends: tuple[Ints, Ints], longest: Floats
) -> tuple[Ints, tuple[str, ...]]:
    """Return the step of each bundle, numbered in pulling order, and the names of the steps.

    `ends` are the home and away racks of the bundles, `longest` their longest runs in m.
    """
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
    first_bundles, step = unique_combinations(is_trunk, reach, row[home], row[away])
    farthest = _find_greatest(longest, step)[first_bundles]
    # last column first: trunks, the longest reach, then the longest run
    walk = np.lexsort(
        (row[away[first_bundles]], row[home[first_bundles]], -farthest, reach[first_bundles], ~is_trunk[first_bundles])
    )
    step_number = np.empty(len(walk), dtype=np.int32)
    step_number[walk] = np.arange(len(walk), dtype=np.int32)
    rows, chosen = locate_rows(cluster), first_bundles[walk]
    chosen_columns = (column[chosen].tolist() for column in (is_trunk, reach, rows[home], rows[away]))
    return step_number[step], tuple(_name_step(*values) for values in zip(*chosen_columns, strict=True))


def _name_step(is_trunk: bool, reach: int, home: str, away: str) -> str:
    """Return the name of a step between two rows of racks, or inside racks."""
    route = {SAME_RACK: f"inside racks of {home}", SAME_ROW: f"along {home}"}.get(reach, f"{home} to {away}")
    return f"trunks {route}" if is_trunk else route


def _name_bundles(cluster: Cluster, ends: tuple[Ints, Ints], columns: tuple[Strings, Ints, Ints, Ints64]) -> Strings:
    """Return the names of bundles: `h1.R01.03/h1.N01.02:compute.1-F2`.

    A name has from and to, the fabric and plane or the policy of a trunk, the kind, and a number among the bundles that
    are named alike.
    """
    (home, away), (word, plane, kind, chunk) = ends, columns
    places = locate_racks(cluster)
    multi_plane_fabrics = {fabric.name for fabric in cluster.design.fabrics if fabric.planes > 1}
    has_planes = np.array([text in multi_plane_fabrics for text in word.tolist()], dtype=bool) & (kind != TRUNK)
    planes = np.array(["", *(f".{n + 1}" for n in range(int(plane.max(initial=0))))], dtype=object)
    letters = np.array([f"-{letter}" for letter in LETTERS], dtype=object)
    numbers = np.array([str(n + 1) for n in range(int(chunk.max(initial=0)) + 1)], dtype=object)
    text = planes[np.where(has_planes, plane, 0)] + letters[kind] + numbers[chunk]
    names: Strings = places[home] + "/" + places[away] + ":" + word + text
    return names
