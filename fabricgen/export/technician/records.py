"""Everything a technician needs to know of each cable end, as columns: one row for each row of cables.csv."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_devices
from fabricgen.export.palette import Swatch, choose_cluster_swatches, choose_ink, make_plane_mark, shade_for_rail
from fabricgen.export.plugs import PlugTable, list_cable_end_ports, list_plugs
from fabricgen.export.technician.cable_bundles import PullPlan, make_pull_plan
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Flags, Ints, Ints64, unique_combinations
from fabricgen.wiring.cabling.end_kinds import are_common_ends_lower


@dataclass(frozen=True, slots=True)
class CableTag:
    """The tag that identifies a kind of cable: `C3A` for compute, rail 3, plane A; fill and ink as `#RRGGBB`."""

    text: str
    fill: str
    ink: str
    word: str
    fabric: str
    rail: int
    plane: int


NO_TAG = CableTag("", "#FFFFFF", "#000000", "", "", 0, 0)
"""What trunks have, which may carry several fabrics."""


@dataclass(frozen=True)
class Records:
    """Columns by cable end row. `socket` is what its plugs are in, as the front of the device has it, `port` the same
    with the NOS's name of the port, `place` the device's position.

    `common_a`: the common end of the cable is its a end (a breakout has one there and several at b). `first`: the first
    row of its cable; `number` counts the rows of a cable from 1. Pairs are (a end, b end). `bundle_tags` are `tags`
    without rails, which a cable bundle mixes.
    """

    cluster: Cluster
    pull: PullPlan
    cable: Ints
    first: Flags
    number: Ints
    common_a: Flags
    rows_of_cable: Ints
    device: tuple[Ints, Ints]
    port: tuple[Strings, Strings]
    plugs: PlugTable
    socket: tuple[Strings, Strings]
    place: tuple[Strings, Strings]
    tags: tuple[CableTag, ...]
    tag: Ints64
    bundle_tags: tuple[CableTag, ...]


def make_records(cluster: Cluster) -> Records:
    """What is known of each cable end of a cluster: its plug, place, tag, bundle and pulling order."""
    cables, links = cluster.plan.cables, cluster.plan.links
    cable = cables.end_cable
    # rows of a cable follow one another; the cut leaves none where there are no cables
    first = np.r_[True, cable[1:] != cable[:-1]][: len(cable)]
    starts = np.flatnonzero(first)
    rows = np.diff(starts, append=len(cable)).astype(np.int32)
    number = np.arange(1, len(cable) + 1) - starts[cable]
    a, b = links.a_device[cables.end_link], links.b_device[cables.end_link]
    places = locate_devices(cluster)
    cable_plugs, cages, ports = list_plugs(cluster), *list_cable_end_ports(cluster)
    ends = list(zip(cable_plugs.merge_by_row(len(cable)), cages, ports, strict=True))
    tags, tag = list_cable_tags(cluster)
    socket_a, socket_b = (plug.format_texts(cage).texts() for plug, cage, _ in ends)
    port_a, port_b = (plug.format_texts(cage, ports=(port, cables.end_links > 1)).texts() for plug, cage, port in ends)
    return Records(
        cluster=cluster,
        pull=make_pull_plan(cluster, cable_plugs),
        cable=cable,
        first=first,
        number=number.astype(np.int32),
        common_a=are_common_ends_lower(links, cables),
        rows_of_cable=rows,
        device=(a, b),
        port=(port_a, port_b),
        plugs=cable_plugs,
        socket=(socket_a, socket_b),
        place=(places[a], places[b]),
        tags=tags,
        tag=tag,
        bundle_tags=tuple(_remove_rail(t, choose_cluster_swatches(cluster)) for t in tags),
    )


def count_ends_per_rack(cluster: Cluster) -> Ints64:
    """Number of cable ends in each rack, the common end of a breakout counted once for each far end; int64."""
    links, rack = cluster.plan.links, cluster.plan.devices.rack
    rows = cluster.plan.cables.end_link
    ends = np.concatenate([rack[links.a_device[rows]], rack[links.b_device[rows]]])
    counts: Ints64 = np.bincount(ends, minlength=len(cluster.plan.racks))
    return counts


def list_cable_tags(cluster: Cluster) -> tuple[tuple[CableTag, ...], Ints64]:
    """(distinct tags by fabric, rail and plane; index of the tag of each cable end row)."""
    links, link = cluster.plan.links, cluster.plan.cables.end_link
    fabrics = sorted({segment.fabric for segment in links.segments})
    segment_fabrics = np.array([fabrics.index(segment.fabric) for segment in links.segments], dtype=np.int32)
    fabric, rail, plane = segment_fabrics[links.segment[link]], links.rail[link], links.plane[link]
    swatches = choose_cluster_swatches(cluster)
    several = {f.name for f in cluster.design.fabrics if f.planes > 1}
    first, tag = unique_combinations(fabric, rail, plane)
    keys = zip(*(column[first].tolist() for column in (fabric, rail, plane)), strict=True)
    tags = [_make_tag(fabrics[i], swatches[fabrics[i]], r, p if fabrics[i] in several else 0) for i, r, p in keys]
    return tuple(tags), tag


def _make_tag(fabric: str, swatch: Swatch, rail: int, plane: int) -> CableTag:
    mark, fill = make_plane_mark(plane), shade_for_rail(swatch.fill, rail)
    letter = mark.letter if mark else ""
    return CableTag(f"{swatch.code}{rail or ''}{letter}", fill, choose_ink(fill), swatch.word, fabric, rail, plane)


def _remove_rail(tag: CableTag, swatches: dict[str, Swatch]) -> CableTag:
    return _make_tag(tag.fabric, swatches[tag.fabric], 0, tag.plane)
