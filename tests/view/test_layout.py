"""Where things of the fabric view are drawn: inside what they are in, nothing over another, and every link counted."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from textwrap import dedent

import numpy as np
import pytest

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.export.view.boxes import ALL_CHILDREN, OUTSIDE
from fabricgen.export.view.layout import CELL_H, CELL_W, Scene, lay_out_scene
from fabricgen.export.view.ribbons import draw_ribbons
from tests.conftest import example_cluster

EXAMPLES = ("superpod-b200", "nvl72-gb200", "full-cluster", "two-site", "tpu-torus", "collapsed-pair", "uneven-spread")

Rectangle = tuple[float, float, float, float]


@pytest.fixture(scope="module", params=EXAMPLES)
def drawn(request: pytest.FixtureRequest) -> tuple[Cluster, Scene]:
    """An example and its drawing."""
    cluster = example_cluster(request.param)
    return cluster, lay_out_scene(cluster)


def test_nothing_lies_outside_of_what_it_is_in_or_over_another(drawn: tuple[Cluster, Scene]) -> None:
    """Boxes in a box, and its bands, are within it and apart from each other."""
    _, scene = drawn
    inside: dict[int, list[Rectangle]] = {box: [] for box in range(len(scene.places))}
    boxes = [
        tuple(map(float, corner)) for corner in zip(scene.box_x, scene.box_y, scene.box_w, scene.box_h, strict=True)
    ]
    for box, parent in enumerate(scene.places.parent.tolist()):
        if parent >= 0:
            inside[parent].append(boxes[box])
    for band in scene.bands:
        inside[band.box].append((band.x, band.y, band.w, band.h))
    for box, parts in inside.items():
        x, y, w, h = boxes[box]
        for px, py, pw, ph in parts:
            assert x <= px
            assert y <= py
            assert px + pw <= x + w + 1e-6
            assert py + ph <= y + h + 1e-6
        for (ax, ay, aw, ah), (bx, by, bw, bh) in combinations(parts, 2):
            assert ax + aw <= bx + 1e-6 or bx + bw <= ax + 1e-6 or ay + ah <= by + 1e-6 or by + bh <= ay + 1e-6


def test_every_device_has_a_place_of_its_own_in_its_band(drawn: tuple[Cluster, Scene]) -> None:
    """Each device stands once, in the band of its class and box, below the band's name."""
    cluster, scene = drawn
    devices = cluster.plan.devices
    assert sorted(scene.order.tolist()) == list(range(len(devices)))
    for band in scene.bands:
        rows = scene.order[band.first : band.last]
        assert (devices.device_class[rows] == band.cls).all()
        assert (scene.places.device_box[rows] == band.box).all()
        x, y = scene.device_x[rows], scene.device_y[rows]
        assert (x >= band.x).all()
        assert (x + CELL_W * band.scale <= band.x + band.w + 1e-6).all()
        assert (y >= band.y + band.header - 1e-6).all()
        assert (y + CELL_H * band.scale <= band.y + band.h + 1e-6).all()
        assert (np.diff(np.unique(x)) > CELL_W * band.scale).all()
        assert (np.diff(np.unique(y)) > CELL_H * band.scale).all()
        assert len(set(zip(x.tolist(), y.tolist(), strict=True))) == len(rows)


def test_bundles_count_every_link_where_its_ends_meet(drawn: tuple[Cluster, Scene]) -> None:
    """By fabric and pair of tiers, bundles that join are the links; what leaves a box is what comes from it above."""
    cluster, scene = drawn
    links = cluster.plan.links
    joined, left, came = Counter[tuple[str, str]](), Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for bundle in scene.bundles:
        if not bundle.leaves:
            segment = links.segments[bundle.segment]
            joined[segment.fabric, segment.key] += bundle.links
        else:
            left[int(scene.places.parent[bundle.box]), bundle.segment] += bundle.links
        for end in (bundle.child, bundle.other):
            if end == ALL_CHILDREN or end >= 0:
                came[bundle.box, bundle.segment] += bundle.links
    wanted = Counter[tuple[str, str]]()
    for number, segment in enumerate(links.segments):
        wanted[segment.fabric, segment.key] += links.find_rows(number).stop - links.find_rows(number).start
    assert joined == +wanted
    assert left == came


def test_bundles_are_told_apart_where_there_are_as_many_classes_as_boxes(design_of) -> None:
    """Found by a reviewer: a key that told classes from places by their number alone."""
    blueprint = """
    scalable_unit: {nodes: {gpu: 8 x dgx-b200, login: 1 x login-server}, racks: {nodes_per_rack: 4}}
    fabrics:
      compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600}}}
      oob:
        protocol: ethernet
        attach: bmc
        also: switches
        tiers: {leaf: {switch: sn2201, per: pod}, spine: {switch: sn4600c, count: 1}}
    """
    cluster = build_cluster(design_of("fabricgen: 1\nname: few\n" + dedent(blueprint)))
    scene = lay_out_scene(cluster)
    classes = cluster.plan.devices.classes
    assert len(classes) == len(scene.places) - OUTSIDE
    assert {end for bundle in scene.bundles for end in (bundle.lower, bundle.upper)} <= set(range(len(classes)))
    assert len(draw_ribbons(cluster, scene)) >= len(scene.bundles)


def test_ribbons_begin_and_end_within_their_box(drawn: tuple[Cluster, Scene]) -> None:
    """Every bundle has ribbons in one piece; they stay within the box, and those that leave it end at its top."""
    cluster, scene = drawn
    pieces: dict[int, list[tuple[float, float, float]]] = {}
    for ribbon in draw_ribbons(cluster, scene):
        box = scene.bundles[ribbon.bundle].box
        for x, w in ((ribbon.x0, ribbon.w0), (ribbon.x1, ribbon.w1)):
            assert scene.box_x[box] <= x - w / 2 + 0.5
            assert x + w / 2 <= scene.box_x[box] + scene.box_w[box] + 0.5
        assert ribbon.arc > 0 or ribbon.y0 >= ribbon.y1
        known = pieces.setdefault(ribbon.bundle, [])
        assert not known or known[-1] == (ribbon.x0, ribbon.y0, ribbon.w0)
        known.append((ribbon.x1, ribbon.y1, ribbon.w1))
    assert sorted(pieces) == list(range(len(scene.bundles)))
    for number, ends in pieces.items():
        bundle = scene.bundles[number]
        if bundle.other == OUTSIDE:
            assert ends[-1][1] == scene.box_y[bundle.box]


@pytest.mark.parametrize("name", ["nvl72-gb200", "small-pair"])
def test_ends_of_ribbons_lie_on_the_edges_that_they_join(name: str) -> None:
    """Management leaves beside trays that stand lower, and below a pair: ends of arcs were once exchanged."""
    cluster = example_cluster(name)
    scene = lay_out_scene(cluster)
    edges = {(band.y, band.x, band.w) for band in scene.bands} | {(b.y + b.h, b.x, b.w) for b in scene.bands}
    edges |= {(float(y), float(x), float(w)) for y, x, w in zip(scene.box_y, scene.box_x, scene.box_w, strict=True)}
    lanes = [(lane.x, lane.w) for lane in scene.lanes.values()]
    for ribbon in draw_ribbons(cluster, scene):
        for x, y in ((ribbon.x0, ribbon.y0), (ribbon.x1, ribbon.y1)):
            on_edge = any(abs(top - y) < 1e-6 and left <= x <= left + w for top, left, w in edges)
            assert on_edge or any(left <= x <= left + w for left, w in lanes)


def test_each_group_of_a_mesh_has_all_its_links_to_others_in_one_ribbon() -> None:
    """Of links between equals a group has some by their lower end: ribbons said 128, 112, 96 and so on to 16."""
    scene = lay_out_scene(example_cluster("dragonfly"))
    leaving = [b.links for b in scene.bundles if b.leaves and b.lower == b.upper]
    assert leaving == [8 * 16] * 9  # eight routers of sixteen global links in each of nine groups


def test_arcs_over_one_another_rise_to_different_heights() -> None:
    """Six pairs of four groups: the longest arc is the highest, and none is broader than half its height."""
    cluster = example_cluster("hyperx")
    scene = lay_out_scene(cluster)
    arcs = [ribbon for ribbon in draw_ribbons(cluster, scene) if ribbon.arc and scene.bundles[ribbon.bundle].box == 0]
    heights = {round(abs(arc.x1 - arc.x0)): arc.arc for arc in arcs}
    assert len(arcs) == 6
    assert len(heights) == 3
    assert [heights[length] for length in sorted(heights)] == sorted(set(heights.values()))
    assert all(arc.w0 <= arc.arc / 2 + 1e-9 for arc in arcs)
