"""What a technician needs to know of each cable end, as columns: one row for each row of cables.csv."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_devices, locate_racks, locate_rows, number_rows
from fabricgen.export.palette import Swatch, choose_cluster_swatches, choose_ink, make_plane_mark, shade_for_rail
from fabricgen.export.plugs import PlugTable, list_cable_end_ports, list_plugs
from fabricgen.export.technician.pulled_rows import TRUNK_END, PulledRows, is_a_first, list_pulled_rows
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64, unique_combinations
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower


@dataclass(frozen=True, slots=True)
class CableTag:
    """The tag that identifies a kind of cable: `C3A` for compute, rail 3, plane A. `fill` and `ink` are `#RRGGBB`.

    `word` is the name of the colour; `rail` and `plane` count from 1, 0 for none.
    """

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

    `cable` and `device` are rows of their tables. `socket` is the socket of the plugs as the front of the device shows
    it, `place` the position of the device, `tag` an index into `tags`. `bundle_tags` are `tags` without rails, for
    cable bundles, which mix these. `common_a`, which is by cable, says whether the common end of the cable is its a end
    (a breakout has one common end and several others).
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
    """Return (tags, index): the distinct tags of cables, and the index of the tag of each cable end row.

    There is a tag for each combination of fabric, rail and plane.
    """
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
"""By kind: the letter in names of bundles, and the most jumpers of a bundle."""

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


class _BundleKinds(NamedTuple):
    """What all cables of a bundle have in common; int32 columns by pulled row, or by bundle.

    `fabric` is an index into the names that `_index_fabrics` returns. `plane` is 0 for fabrics without planes and for
    trunks. `kind` is TWISTED, COPPER, FIBRE or TRUNK. `home` and `away` are racks.
    """

    fabric: Ints
    plane: Ints
    kind: Ints
    home: Ints
    away: Ints

    def take(self, rows: Ints64) -> _BundleKinds:
        """Return the columns at some rows."""
        return _BundleKinds(*(column[rows] for column in self))


def make_pull_plan(cluster: Cluster, plugs: PlugTable) -> PullPlan:
    """Return the bundles, steps and pulling order of all that is pulled in a cluster.

    Tails of one splitter that lead to different racks are in different bundles. Bundles and steps are numbered from 0
    in pulling order.
    """
    rows = list_pulled_rows(cluster, plugs)
    kinds_of_rows, fabric_names = _list_bundle_kinds(cluster, rows)
    bundle_kind = unique_combinations(*kinds_of_rows)[1]
    # a cable here is all rows that are pulled at once between the same two racks
    cable_of_row = unique_combinations(bundle_kind, rows.unit)[1]
    max_jumpers = np.array(MOST)[kinds_of_rows.kind]
    bundle_in_kind = _divide_bundles(
        bundle_kind, cable_of_row, (rows.position, rows.length_m), (rows.jumpers, max_jumpers)
    )
    first_row_of_bundle, bundle_of_row = unique_combinations(bundle_kind, bundle_in_kind)
    bundles, number_in_kind = kinds_of_rows.take(first_row_of_bundle), bundle_in_kind[first_row_of_bundle]
    longest_m = _find_greatest(rows.run_m, bundle_of_row)[first_row_of_bundle]
    step, step_names = _number_steps(cluster, bundles, longest_m)
    pulling_order = _order_bundles(bundles, number_in_kind, step, longest_m)
    number_of_bundle = np.empty(len(pulling_order), dtype=np.int32)
    number_of_bundle[pulling_order] = np.arange(len(pulling_order), dtype=np.int32)
    bundle = number_of_bundle[bundle_of_row]
    bundles_in_order = bundles.take(pulling_order)
    return PullPlan(
        rows=rows,
        bundle=bundle,
        order=_number_rows(bundle, cable_of_row, rows.position),
        home=kinds_of_rows.home,
        away=kinds_of_rows.away,
        names=_name_bundles(cluster, bundles_in_order, fabric_names, number_in_kind[pulling_order]),
        step=step[pulling_order],
        kind=bundles_in_order.kind.astype(np.int32),
        longest_m=longest_m[pulling_order],
        steps=step_names,
    )


def _list_bundle_kinds(cluster: Cluster, rows: PulledRows) -> tuple[_BundleKinds, list[str]]:
    """Return (kinds, names): what each pulled row has in common with the rows of its bundle, and the names for
    `kinds.fabric`.

    These are the names of fabrics and of patching policies.
    """
    cables, links, is_trunk = cluster.plan.cables, cluster.plan.links, rows.end == TRUNK_END
    is_a_home = is_a_first(cluster, rows.a_rack, rows.b_rack)
    kind_of_medium = np.array([KIND_OF.get(m.medium, FIBRE) for m in cables.media], dtype=np.int32)
    # a trunk has no cable end row (-1), and so no medium and no plane: both are replaced
    kind = np.where(is_trunk, TRUNK, kind_of_medium[cables.medium[cables.end_cable[rows.row]]])
    link = cables.end_link[rows.row[rows.lead]]
    fabric, fabric_names = _index_fabrics(cluster, rows, link)
    kinds = _BundleKinds(
        fabric=fabric,
        plane=np.where(is_trunk, 0, links.plane[link]),
        kind=kind,
        home=np.where(is_a_home, rows.a_rack, rows.b_rack),
        away=np.where(is_a_home, rows.b_rack, rows.a_rack),
    )
    return kinds, fabric_names


def _divide_bundles(
    bundle_kind: Ints64,
    cable_of_row: Ints64,
    position_and_length: tuple[Ints, Floats],
    jumpers_and_limit: tuple[Ints, Ints64],
) -> Ints64:
    """Return the bundle of each row, numbered from 0 among the bundles of its kind; int64.

    All arguments are columns by row. Bundles are filled along the ports of the home rack (`position`), each with
    cables of one length in m, the longest first, up to the limit of jumpers. Rows of one cable stay in one bundle.
    """
    (position, length_m), (jumpers, max_jumpers) = position_and_length, jumpers_and_limit
    jumpers_of_cable = np.bincount(cable_of_row, jumpers).astype(np.int64)
    rows_in_order = np.lexsort((position, -length_m, bundle_kind))
    # a cable is laid with its first row: the lowest index in `rows_in_order` of any of its rows
    first_index_of_cable = np.full(len(jumpers_of_cable), len(bundle_kind))
    np.minimum.at(first_index_of_cable, cable_of_row[rows_in_order], np.arange(len(rows_in_order)))
    cables_in_order = np.argsort(first_index_of_cable)
    first_row = rows_in_order[first_index_of_cable[cables_in_order]]
    bundle_of_cable = np.empty(len(jumpers_of_cable), dtype=np.int64)
    # a cable that would make a bundle too large, or has another length, begins the next bundle; no kind is -1
    number, jumpers_so_far, last_kind_and_length = 0, 0, (-1, 0.0)
    columns = (
        cables_in_order,
        bundle_kind[first_row],
        length_m[first_row],
        jumpers_of_cable[cables_in_order],
        max_jumpers[first_row],
    )
    for cable, kind, metres, added, limit in zip(*(column.tolist() for column in columns), strict=True):
        if kind != last_kind_and_length[0]:
            number, jumpers_so_far = 0, 0
        elif jumpers_so_far + added > limit or metres != last_kind_and_length[1]:
            number, jumpers_so_far = number + 1, 0
        jumpers_so_far, last_kind_and_length = jumpers_so_far + added, (kind, metres)
        bundle_of_cable[cable] = number
    return bundle_of_cable[cable_of_row]


def _order_bundles(bundles: _BundleKinds, number_in_kind: Ints64, step: Ints, longest_m: Floats) -> Ints64:
    """Return the indices of bundles in pulling order, int64: step by step, copper before fibre, the farthest racks
    first.

    The columns are by bundle. Bundles between the same two racks follow one another by fabric, plane and number.
    """
    rack_pair = unique_combinations(bundles.home, bundles.away)[1]
    farthest_m = _find_greatest(longest_m, unique_combinations(step, bundles.kind, rack_pair)[1])
    # lexsort takes the most significant column last
    return np.lexsort((number_in_kind, bundles.plane, bundles.fabric, rack_pair, -farthest_m, bundles.kind, step))


def _number_rows(bundle: Ints, cable_of_row: Ints64, position: Ints) -> Ints:
    """Return the number of each row in pulling order, from 1: bundle by bundle, and along the ports of the home rack
    (`position`) within a bundle; int32.

    Rows of one cable have the same number, that of the first of them.
    """
    rows_in_order = np.lexsort((position, bundle))
    first_index_of_cable = np.full(int(cable_of_row.max(initial=-1)) + 1, len(rows_in_order))
    np.minimum.at(first_index_of_cable, cable_of_row[rows_in_order], np.arange(len(rows_in_order)))
    number_of_cable = np.empty(len(first_index_of_cable), dtype=np.int32)
    number_of_cable[np.argsort(first_index_of_cable)] = np.arange(1, len(number_of_cable) + 1, dtype=np.int32)
    return number_of_cable[cable_of_row]


def _index_fabrics(cluster: Cluster, rows: PulledRows, link: Ints) -> tuple[Ints, list[str]]:
    """Return an index into names for each pulled row, int32, and the names: of fabrics, sorted, then of policies.

    A trunk, which may carry several fabrics, has the name of its patching policy. `link` is a link of each row, any
    link for a trunk.
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
    """Return, for each entry of `values` (0 or more), the greatest value in its group; `group` has the group of each,
    from 0.
    """
    greatest = np.zeros(int(group.max(initial=-1)) + 1)
    np.maximum.at(greatest, group, values)
    return greatest[group]


def _number_steps(cluster: Cluster, bundles: _BundleKinds, longest_m: Floats) -> tuple[Ints, tuple[str, ...]]:
    """Return the step of each bundle, int32, numbered from 0 in pulling order, and the names of the steps.

    `longest_m` are the longest runs of the bundles. Steps with trunks come first, then those that reach farthest.
    """
    racks, rack_row = cluster.plan.racks, number_rows(cluster.plan.racks)
    home, away, is_trunk = bundles.home, bundles.away, bundles.kind == TRUNK
    reach = np.select(
        [
            racks.site[home] != racks.site[away],
            racks.hall[home] != racks.hall[away],
            rack_row[home] != rack_row[away],
            home != away,
        ],
        [OTHER_SITE, OTHER_HALL, OTHER_ROW, SAME_ROW],
        SAME_RACK,
    )
    home_row, away_row = rack_row[home], rack_row[away]
    first_bundle_of_step, step = unique_combinations(is_trunk, reach, home_row, away_row)
    farthest_m = _find_greatest(longest_m, step)[first_bundle_of_step]
    is_trunk_step, reach_of_step, home_row_of_step, away_row_of_step = (
        column[first_bundle_of_step] for column in (is_trunk, reach, home_row, away_row)
    )
    # lexsort takes the most significant column last
    # and False before True: steps of trunks come first
    pulling_order = np.lexsort((away_row_of_step, home_row_of_step, -farthest_m, reach_of_step, ~is_trunk_step))
    number_of_step = np.empty(len(pulling_order), dtype=np.int32)
    number_of_step[pulling_order] = np.arange(len(pulling_order), dtype=np.int32)
    row_places, first_bundles = locate_rows(cluster), first_bundle_of_step[pulling_order]
    columns = (column[first_bundles].tolist() for column in (is_trunk, reach, row_places[home], row_places[away]))
    return number_of_step[step], tuple(_name_step(*values) for values in zip(*columns, strict=True))


def _name_step(is_trunk: bool, reach: int, home: str, away: str) -> str:
    """Return the name of a step: between two rows of racks, or inside the racks of one row.

    `home` and `away` are the positions of the rows (`h1.R03`); `reach` says how far cables go, OTHER_SITE to SAME_RACK.
    """
    route = {SAME_RACK: f"inside racks of {home}", SAME_ROW: f"along {home}"}.get(reach, f"{home} to {away}")
    return f"trunks {route}" if is_trunk else route


def _name_bundles(cluster: Cluster, bundles: _BundleKinds, fabric_names: list[str], number_in_kind: Ints64) -> Strings:
    """Return the names of bundles: `h1.R01.03/h1.N01.02:compute.1-F2`.

    A name has the home and away racks, the fabric (with the plane if it has several) or the policy of a trunk, the
    letter of the kind, and the bundle's number from 1 among the bundles that are named alike (`number_in_kind` + 1).
    """
    rack_places, kind = locate_racks(cluster), bundles.kind
    multi_plane_fabrics = {fabric.name for fabric in cluster.design.fabrics if fabric.planes > 1}
    is_multi_plane = np.array([name in multi_plane_fabrics for name in fabric_names], dtype=bool)
    plane = np.where(is_multi_plane[bundles.fabric] & (kind != TRUNK), bundles.plane, 0)
    plane_texts = np.array(["", *(f".{n + 1}" for n in range(int(plane.max(initial=0))))], dtype=object)
    letters = np.array([f"-{letter}" for letter in LETTERS], dtype=object)
    number_texts = np.array([str(n + 1) for n in range(int(number_in_kind.max(initial=0)) + 1)], dtype=object)
    fabric_texts = np.array(fabric_names, dtype=object)[bundles.fabric]
    ending = plane_texts[plane] + letters[kind] + number_texts[number_in_kind]
    names: Strings = rack_places[bundles.home] + "/" + rack_places[bundles.away] + ":" + fabric_texts + ending
    return names
