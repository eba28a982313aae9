"""Racks from both sides: ports where they are, equal racks once, and aisles up to the walls."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from fabricgen.export.drawings.book import Books
from fabricgen.export.drawings.elevation import WIDTH, draw_elevation
from fabricgen.export.drawings.rack_contents import PLUGGED, READY, FilledRacks, RackTotal
from fabricgen.export.files.panels import make_table as make_panel_table
from fabricgen.export.view.blocks.hall import block as hall_block
from fabricgen.export.view.source import PageSource
from tests.conftest import example_cluster
from tests.export.test_drawings import FIXTURES, SVG, floor_of, parsed, texts


def cages_at(svg: str) -> dict[str, list[tuple[float, float, float, float]]]:
    """The cages that are drawn at the front (left half) and at the rear of a rack, by (x, y, width, height)."""
    cages: dict[str, list[tuple[float, float, float, float]]] = {"front": [], "rear": []}
    for path in parsed(svg).iter(f"{SVG}path"):
        if path.get("class") in ("c", "v"):
            boxes = re.findall(r"M(-?[\d.]+) (-?[\d.]+)h([\d.]+)v([\d.]+)", path.get("d") or "")
            for box in (tuple(map(float, numbers)) for numbers in boxes):
                cages["front" if box[0] < WIDTH / 2 else "rear"].append(box)
    return cages


def test_ports_are_drawn_on_the_side_where_they_are():
    """Of a network rack of superpod-b200 the QM9700 and SN2201 blow out at their ports, the SN5600 breathe in there."""
    cluster = example_cluster("superpod-b200")
    racks = FilledRacks(cluster)
    network = racks.make_rack(cluster.plan.racks.names.index("p1-su01-net01"))
    models = Counter(item.model for item in network.items)
    cages = cages_at(draw_elevation(network))
    assert len(cages["rear"]) == models["qm9700"] * 32 + models["sn2201"] * 52 > 0
    assert len(cages["front"]) == models["sn5600"] * 65 > 0
    nodes = cages_at(draw_elevation(racks.make_rack(0)))
    assert (len(nodes["front"]), len(nodes["rear"])) == (0, 4 * (4 + 4 + 1))  # OSFP cages, slot ports, BMC


@pytest.mark.parametrize(
    "name",
    [
        "superpod-b200",
        "known-hardware",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("superpod-b300", "nvl72-gb200", "full-cluster")),
    ],
)
def test_cages_lie_in_their_face_and_not_on_each_other(name):
    cluster = example_cluster(name)
    racks = FilledRacks(cluster)
    for rack in {
        racks.make_rack(number).kind: racks.make_rack(number) for number in range(len(cluster.plan.racks))
    }.values():
        for side, boxes in cages_at(draw_elevation(rack)).items():
            left = 5 if side == "front" else WIDTH / 2 + 5
            for x, y, width, height in boxes:
                assert left <= x, (rack.name, side)
                assert x + width <= left + 58.01, (rack.name, side)
                others = [box for box in boxes if box[:2] != (x, y) and abs(box[1] - y) < height - 0.01]
                assert all(other[0] >= x + width - 0.01 or other[0] + other[2] <= x + 0.01 for other in others)


def test_ports_of_bluefield_cards_are_named_where_they_are():
    """A GB200 tray has them at its front, a DGX B200 at its rear; of the first only these have room for their names."""
    tray = parsed(draw_elevation(FilledRacks(example_cluster("nvl72-gb200")).make_rack(0)))
    named = [(text.text, float(text.get("x"))) for text in texts(tray) if (text.text or "").startswith("BF3-")]
    assert Counter(text for text, _ in named) == {"BF3-P1": 36, "BF3-P2": 36}
    assert all(x < WIDTH / 2 for _, x in named)
    node = parsed(draw_elevation(FilledRacks(example_cluster("superpod-b200")).make_rack(0)))
    at = {text.text: float(text.get("x")) for text in texts(node)}
    assert min(at[f"SLOT{slot}P{port}"] for slot in (1, 2) for port in (1, 2)) > WIDTH / 2
    assert at["bf3-b3240"] > WIDTH / 2


def test_neighbours_change_sides_behind_a_rack():
    """R01 faces down on the plan: who stands before it has lower places on the left, who stands behind it on the right.
    R02 faces up.
    """
    cluster = example_cluster("superpod-b300")
    racks = FilledRacks(cluster)
    beside = {rack.name: rack.beside for rack in map(racks.make_rack, range(len(cluster.plan.racks)))}
    assert beside["p1-su01-rk02"] == ("01", "03")
    assert beside["p1-su02-rk02"] == ("03", "01")
    assert beside["p1-su01-rk01"] == ("", "02")
    drawn = texts(parsed(draw_elevation(racks.make_rack(cluster.plan.racks.names.index("p1-su01-rk02")))))
    corners = [text.text for text in drawn if re.fullmatch(r"< \d\d|\d\d >", text.text or "")]
    assert corners == ["< 01", "03 >", "< 03", "01 >"]


def test_racks_that_differ_in_names_only_are_drawn_once():
    """Racks of equal contents are one elevation with their count; what differs in anything but names is drawn."""
    cluster = example_cluster("nvl72-gb200")
    ((_, book),) = Books(cluster).sections["book"]()
    text = book.decode()
    counts = Counter(FilledRacks(cluster).make_rack(number).kind for number in range(len(cluster.plan.racks)))
    assert text.count("<title>Rack ") == len(counts)
    assert sorted(re.findall(r">x (\d+) like this<", text)) == sorted(str(n) for n in counts.values() if n > 1)
    changed = FilledRacks(cluster).make_rack(0)
    assert replace(changed, weight_kg=RackTotal(1, None)).kind != changed.kind


def test_aisles_reach_from_the_outer_rows_to_the_walls():
    """Walls at y -2.4 and 10.8, rows from 0 to 8.4: 2.4 m of hot aisle at both, and 3 m at the ends of rows."""
    cluster, root = floor_of(FIXTURES)
    words = [text.text for text in texts(root)]
    assert words.count("hot aisle 2.4 m") == 2
    assert words.count("aisle 3.0 m") == 2
    block = hall_block(PageSource(cluster))
    _, top, _, height = block["halls"][0]["box"]
    ends = sorted((y, y + h) for _, y, _, h, _ in block["aisles"])
    assert (ends[0][0], ends[-1][1]) == (top, top + height)
    _, open_floor = floor_of("floor={}")
    assert {"hot aisle", "cold aisle"} & {text.text for text in texts(open_floor)}, "no figure where no wall is stated"


def test_a_published_group_of_cages_is_one_row():
    """The eight OSFP of a DGX B300 sit side by side; the last stood below the first."""
    drawn = texts(parsed(draw_elevation(FilledRacks(example_cluster("superpod-b300")).make_rack(0))))
    rows = Counter(text.get("y") for text in drawn if (text.text or "").startswith("OSFP"))
    assert list(rows.values()) == [8] * 4


@pytest.mark.parametrize("name", ["patched-hall", "shuffled-planes"])
def test_panels_have_as_many_dark_positions_as_panels_csv_counts(name):
    cluster = example_cluster(name)
    racks, patching = FilledRacks(cluster), cluster.plan.patching
    counted = make_panel_table(cluster, patching).columns
    items = {item.name: item for n in range(len(cluster.plan.racks)) for item in racks.make_rack(n).items}
    for panel, ports, cabled, used in zip(*(counted[key] for key in ("panel", "ports", "cabled", "used")), strict=True):
        states, behind = items[panel].positions
        assert len(states) == ports
        assert states.count(PLUGGED) == used > 0
        assert states.count(READY) == max(0, cabled - used)
        assert behind.count(PLUGGED) == cabled  # one position a connector in these panels
    rack = next(r for r in map(racks.make_rack, range(len(cluster.plan.racks))) if any(i.positions[0] for i in r.items))
    panels = [item for item in rack.items if item.positions[0]]
    drawn = Counter[str]()
    for path in parsed(draw_elevation(rack)).iter(f"{SVG}path"):
        if path.get("class") == "f" and "#333333" in (path.get("style") or ""):
            boxes = re.findall(r"M(-?[\d.]+) ", path.get("d") or "")
            drawn.update("front" if float(x) < WIDTH / 2 else "rear" for x in boxes)
    other = {"front": "rear", "rear": "front"}
    expected = Counter[str]()
    for item in panels:
        expected[item.side] += item.positions[0].count(PLUGGED)
        expected[other[item.side]] += item.positions[1].count(PLUGGED)
    assert drawn == +expected
