"""Drawings: what a technician reads off them is where it truly is, legible, and the same every time."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.export.drawings import book as book_module
from fabricgen.export.drawings.book import Books
from fabricgen.export.drawings.elevation import draw_elevation
from fabricgen.export.drawings.floor_marks import RackKinds
from fabricgen.export.drawings.floor_pages import A3, A4, Window, find_whole_hall, fit_on_page, plan_sheets, split_hall
from fabricgen.export.drawings.floor_plan import draw_floor_plan
from fabricgen.export.drawings.port_layout import PAGE_HEIGHT, PAGE_WIDTH
from fabricgen.export.drawings.port_map import draw_port_maps
from fabricgen.export.drawings.rack_contents import FilledRacks, RackTotal
from fabricgen.export.drawings.svg import GLYPH
from fabricgen.export.drawings.switch_ports import PortMaps, SwitchPorts
from fabricgen.export.files import links as links_part
from fabricgen.export.locations import locate_rows
from fabricgen.export.view.blocks.hall import block as hall_block
from fabricgen.export.view.source import PageSource
from fabricgen.wiring.tables import SWITCH
from tests.conftest import example_cluster, require

EXAMPLES = ("leaf-spine", "nvl72-gb200", "multi-plane", "modular-spine", "dual-tor")
CHROMIUM = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-pdf-header-footer",
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


def list_book_files(cluster: Cluster) -> list[tuple[str, bytes]]:
    return [file for make in Books(cluster).sections.values() for file in make()]


@cache
def first_switches(name: str) -> tuple[SwitchPorts, ...]:
    """The first and the last switch of each class of an example."""
    cluster = example_cluster(name)
    classes = [cls for cls in cluster.plan.devices.classes if cls.kind == SWITCH]
    rows = sorted({row for cls in classes for row in (cls.first, cls.first + cls.count - 1)})
    return tuple(PortMaps(cluster).list_switches(rows))


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg if "xmlns" in svg else svg.replace("<svg", f'<svg xmlns="{SVG[1:-1]}"', 1))


def texts(root: ElementTree.Element) -> list[ElementTree.Element]:
    return list(root.iter(f"{SVG}text"))


def squeezed_to(text: ElementTree.Element) -> float:
    """The share of its width that a text is drawn in."""
    return float((re.match(r"scale\(([\d.]+) 1\)", text.get("transform") or "") or ("", "1"))[1])


def told(svg: str) -> str:
    return " ".join(text.text or "" for text in texts(parsed(svg)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_devices_stand_at_their_rack_units(name):
    cluster = example_cluster(name)
    racks = FilledRacks(cluster)
    for number in (0, len(cluster.plan.racks) - 1):
        drawn = texts(parsed(draw_elevation(racks.make_rack(number), alone=True)))
        unit_at = {text.text: float(text.get("y")) for text in drawn if text.get("class") == "e"}
        height = unit_at["1"] - unit_at["2"]
        y_of = {text.text: float(text.get("y")) for text in drawn}
        for row in racks.list_devices(number):
            u = int(cluster.plan.devices.u[row])
            top = u + cluster.plan.devices.classes[cluster.plan.devices.device_class[row]].profile.rack_units - 1
            middle = (unit_at[str(u)] + unit_at[str(top)]) / 2
            assert y_of[cluster.names[row]] == pytest.approx(middle, abs=height), cluster.names[row]


def test_a_rack_above_its_budget_is_marked():
    rack = FilledRacks(example_cluster("leaf-spine")).make_rack(0)
    assert "OVER" not in told(draw_elevation(rack, alone=True))
    assert "kW 12.5+ of 12 OVER" in told(draw_elevation(replace(rack, power_kw=RackTotal(12.5, 12, True)), alone=True))


@pytest.mark.parametrize("name", EXAMPLES)
def test_switches_have_the_ports_that_the_links_have(name):
    table = links_part.make_table(example_cluster(name)).columns
    wired: dict[str, list[str]] = {}
    for a, b, cable in zip(table["a_device"], table["b_device"], table["cable"], strict=True):
        if cable != "":
            wired.setdefault(a, []).append(b)
            wired.setdefault(b, []).append(a)
    for switch in first_switches(name):
        assert Counter(port.device for port in switch.ports) == Counter(wired.get(switch.name, [])), switch.name


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_port_is_drawn_with_its_far_end_on_pages_that_fit(name):
    for switch in first_switches(name):
        drawings = list(draw_port_maps(switch))
        words = Counter(re.sub(r"[ -]", "", "".join(told(svg).split())) for svg in drawings)
        everything = "".join(words)
        for port in switch.ports:
            if port.cage:
                assert port.device.replace("-", "") in everything
        for svg in drawings:
            _, _, width, height = map(float, parsed(svg).get("viewBox").split())
            assert width <= PAGE_WIDTH, switch.name
            assert height <= PAGE_HEIGHT, switch.name


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_text_of_a_port_map_lies_on_another(name):
    for switch in first_switches(name):
        for svg in draw_port_maps(switch):
            turned = next(group for group in parsed(svg).iter(f"{SVG}g") if group.get("transform") == "rotate(-90)")
            size = float(turned.get("font-size"))
            boxes = []
            for text in turned:
                left, middle = float(text.get("x")), float(text.get("y"))
                width = len(text.text) * GLYPH * size
                boxes.append((left, left + width, middle - size * 0.45, middle + size * 0.45, text.text))
            by_line = sorted(boxes, key=lambda box: box[2])
            for i, (left, right, _, bottom, one) in enumerate(by_line):
                for other_left, other_right, other_top, _, other in by_line[i + 1 :]:
                    if other_top >= bottom - 0.05:
                        break
                    assert other_left >= right or other_right <= left, (switch.name, one, other)


def test_text_is_at_least_five_points_and_fits_its_cell():
    for name in EXAMPLES:
        for switch in first_switches(name):
            for svg in draw_port_maps(switch):
                turned = next(group for group in parsed(svg).iter(f"{SVG}g") if group.get("transform"))
                assert float(turned.get("font-size")) >= 1.75
                narrowed = [text for text in turned if squeezed_to(text) < 1]
                assert not narrowed, (switch.name, narrowed[0].text)


def test_same_bytes_every_time():
    cluster = example_cluster("leaf-spine")
    assert list_book_files(cluster) == list_book_files(cluster)


@pytest.mark.parametrize("most", [1, 128])
def test_what_a_book_points_to_is_there(monkeypatch, most):
    monkeypatch.setattr(book_module, "MOST_RACKS", most)
    files = dict(list_book_files(example_cluster("leaf-spine")))
    names = {path for path in files if path.endswith(".html")}
    assert ("ports/net-compute-spine-01.html" in names) == (most == 1)
    for path in names:
        text = files[path].decode()
        for link in re.findall(r'href="([^"]+)"', text):
            file, _, anchor = link.partition("#")
            target = os.path.normpath(Path(path).parent / file) if file else path
            assert target in files, (path, link)
            assert not anchor or f'id="{anchor}"' in files[target].decode(), (path, link)
        for pattern in re.findall(r"url\(#([a-z]+)\)", text):
            assert f'<pattern id="{pattern}"' in text
        assert "://" not in text.replace("http://www.w3.org/2000/svg", ""), "nothing is fetched from elsewhere"


def list_range_names(text: str) -> list[str]:
    """The names in `n[01-03], m1`."""
    names: list[str] = []
    for part in text.split(", "):
        head, _, ranges = part.removesuffix("]").partition("[")
        for low, _, high in (numbers.partition("-") for numbers in ranges.split(",") if numbers):
            names += [f"{head}{number:0{len(low)}}" for number in range(int(low), int(high or low) + 1)]
        names += [] if ranges else [head]
    return names


def test_a_whole_cluster_is_in_its_book():
    cluster = example_cluster("nvl72-gb200")
    files = dict(list_book_files(cluster))
    text = files["book.html"].decode()
    listed = {name for ranges in re.findall(r"<td>([^<]*)</td></tr>", text) for name in list_range_names(ranges)}
    for name in cluster.names:
        assert f">{name}<" in text or name in listed
    for name in cluster.plan.racks.names:
        assert text.count(f'id="rack-{name}"') == 1
    assert {f"racks/{name}.svg" for name in cluster.plan.racks.names} < set(files)
    for path, content in files.items():
        if path.endswith(".svg"):
            assert parsed(content.decode().partition("\n")[2]).tag == f"{SVG}svg"


def test_hostile_names_are_text():
    name = "<script>alert('&\"')</script>\x00\x1b"
    switch = first_switches("leaf-spine")[0]
    switch = replace(switch, name=name, ports=tuple(replace(p, device=name, place=name) for p in switch.ports))
    for svg in draw_port_maps(switch):
        assert not list(parsed(svg).iter(f"{SVG}script"))
        assert "<script>alert('&\"')</script>\ufffd\ufffd" in told(svg)
    rack = FilledRacks(example_cluster("leaf-spine")).make_rack(0)
    item = replace(rack.items[0], name=name, model=name)
    assert not list(parsed(draw_elevation(replace(rack, name=name, items=(item,)), alone=True)).iter(f"{SVG}script"))


def racks_drawn(svg: str, names: tuple[str, ...]) -> Counter[str]:
    """How often the name of each rack is on a plan; names are broken over lines, in order."""
    group = [g for g in parsed(svg).iter(f"{SVG}g") if g.get("transform") == "rotate(-90)"]
    flow = "".join(text.text or "" for g in group for text in g)
    return Counter({name: flow.count(name) for name in names})


def kinds_of(cluster: Cluster) -> RackKinds:
    return RackKinds(cluster, FilledRacks(cluster))


@pytest.mark.parametrize("name", ["leaf-spine", "multi-plane", "modular-spine"])
def test_pages_of_a_floor_plan_hold_every_rack_once(name):
    cluster = example_cluster(name)
    table = cluster.plan.racks
    found: Counter[str] = Counter()
    for window in split_hall(table, 0):
        svg = draw_floor_plan(kinds_of(cluster), window)
        _, _, width, height = map(float, parsed(svg).get("viewBox").split())
        assert (width, height) <= (277, 186)
        found += racks_drawn(svg, table.names)
    assert found == Counter(dict.fromkeys(table.names, 1))
    assert racks_drawn(draw_floor_plan(kinds_of(cluster), find_whole_hall(table, 0)), table.names) == found


def test_an_overview_takes_one_page_and_tells_its_scale():
    cluster = example_cluster("modular-spine")
    svg = draw_floor_plan(kinds_of(cluster), fit_on_page(cluster.plan.racks, 0))
    _, _, width, height = map(float, parsed(svg).get("viewBox").split())
    assert width <= 277
    assert height <= 186.01
    scale, metres = re.search(r"scale 1:(\d+)", told(svg))[1], re.search(r"(\d+) m ", told(svg))[1]
    bar = re.search(r'd="M14 [\d.]+h([\d.]+)M', svg)[1]
    assert float(bar) == pytest.approx(int(metres) * 1000 / int(scale), rel=0.02)


def test_a_long_hall_is_an_overview_and_sheets_of_a3():
    """It was one drawing of 1.63 m, most of it rows that are kept free."""
    files = {path: content.decode() for path, content in Books(example_cluster("dual-tor")).sections["floors"]()}
    assert set(files) == {f"floor/h1{zone}.svg" for zone in ("", ".N02-R05", ".R33-R38")}
    names = example_cluster("dual-tor").plan.racks.names
    found: Counter[str] = Counter()
    for path, content in files.items():
        root = parsed(content.partition("\n")[2])
        _, _, width, height = map(float, root.get("viewBox").split())
        assert (min(width, height) <= 277.01) & (max(width, height) <= 400.01), path
        sizes = [float(one.get("font-size")) for one in root.iter() if one.get("font-size")]
        assert min(sizes) >= 5 / 72 * 25.4, path
        found += racks_drawn(content.partition("\n")[2], names)
    assert found == Counter(dict.fromkeys(names, 1))
    book = draw_floor_plan(kinds_of(example_cluster("dual-tor")), *overview_of_book("dual-tor"))
    for overview, sheet in ((files["floor/h1.svg"].partition("\n")[2], "N02-R05"), (book, "N02-R01")):
        squeezed = {text.text for text in texts(parsed(overview)) if squeezed_to(text) < 1}
        assert {f"sheet {sheet}", "27 empty rows, 66.0 m"} <= {text.text for text in texts(parsed(overview))} - squeezed


def overview_of_book(name: str) -> tuple[Window, list[Window]]:
    """The first page of a hall in the book, and the zones that it names."""
    first, *zones = plan_sheets(example_cluster(name).plan.racks, 0, (A4,))
    return first.window, [zone.window for zone in zones]


def floor_of(*floor: str) -> tuple[Cluster, ElementTree.Element]:
    """A small cluster in a stated hall, and the plan of it."""
    cluster = example_cluster("full-cluster", *floor)
    return cluster, parsed(draw_floor_plan(kinds_of(cluster), find_whole_hall(cluster.plan.racks, 0)))


def test_no_name_of_a_unit_stands_on_the_number_of_a_place():
    """In a hall whose first row has nodes, the name of the first unit was printed over place 01."""
    _, root = floor_of("floor={network_rows: {at: last}, halls: {h1: {rows: 4, racks_per_row: 18}}}")
    at = {text.text: (float(text.get("x")), float(text.get("y"))) for text in reversed(texts(root)) if text.text}
    (x, y), (name_x, name_y) = at["01"], at["p1-su01"]
    assert name_x < x < name_x + 20
    assert name_y - y >= (1.9 + 2.0) / 2


FIXTURES = """floor={racks_per_row: 18, feeds: [A, B], halls: {h1: {rows: 4, walls_m: [[-3, -2.4], [13.8, 10.8]],
fixtures: {gate: {kind: door, at_m: [-3, 2.4], size_m: [0.3, 2.4]},
crah: {kind: cooling, at_m: [-2.9, -1.5], size_m: [0.9, 2.6], count: [1, 2], every_m: [0, 7.2]},
rpp: {kind: power, at_m: [12, 1.2], size_m: [1.2, 0.8], feed: A},
c: {kind: column, at_m: [2.4, 1.5], size_m: [0.6, 0.6]},
busway: {kind: busway, at_m: [0, 2.5], size_m: [10.8, 0.25]}}}}}"""


def test_doors_columns_cooling_and_power_are_drawn_to_scale_with_a_key():
    cluster, root = floor_of(FIXTURES)
    words = [text.text for text in texts(root)]
    assert {"gate", "crah-1", "crah-2", "c", "rpp (A)", "busway"} <= set(words)
    assert {"door", "column", "cooling", "power", "busway, above"} <= set(words)
    number = r"(-?[\d.]+)"
    boxes = [
        tuple(map(float, re.match(rf"M{number} {number}h{number}v{number}", one.get("d")).groups()))
        for one in root.iter(f"{SVG}path")
        if "#A8E0E6" in (one.get("style") or "")
    ]
    first, second = boxes[:2]
    assert (first[2], first[3]) == pytest.approx((0.9 * 1000 / 60, 2.6 * 1000 / 60), abs=0.02)
    assert second[1] - first[1] == pytest.approx(7.2 * 1000 / 60, abs=0.02)
    walls = next(root.iter(f"{SVG}rect"))
    assert float(walls.get("width")) == pytest.approx(16.8 * 1000 / 60, abs=1)
    block = hall_block(PageSource(cluster))
    assert [one[:2] for one in block["fixtures"]] == [
        ["busway", "busway"], ["column", "c"], ["cooling", "crah-1"], ["cooling", "crah-2"], ["door", "gate"],
        ["power", "rpp (A)"],
    ]  # fmt: skip
    x, y, width, height = block["halls"][0]["box"]
    assert (width, height) == (16800, 13200)
    assert block["fixtures"][4][2:] == [x, y + 4800, 300, 2400]


def test_a_floor_plan_has_the_name_of_the_hall_that_labels_have():
    """Its title was `site1 hall1` where labels, lists and the workbook say h1."""
    cluster = example_cluster("nvl72-gb200")
    assert "Floor plan h1 " in told(draw_floor_plan(kinds_of(cluster), find_whole_hall(cluster.plan.racks, 0)))
    assert [hall["title"] for hall in hall_block(PageSource(cluster))["halls"]] == ["h1"]
    title = told(
        draw_floor_plan(
            kinds_of(example_cluster("two-site")), find_whole_hall(example_cluster("two-site").plan.racks, 1)
        )
    )
    assert title.startswith(f"Floor plan {locate_rows(example_cluster('two-site'))[-1].rpartition('.')[0]} ")


def test_numbers_of_places_are_evenly_apart():
    """The overview of dual-tor numbered 01, 04, 06: the step of two left out 02."""
    cluster = example_cluster("dual-tor")
    overview = plan_sheets(cluster.plan.racks, 0, (A3, A3.upright))[0].window
    svg = parsed(draw_floor_plan(kinds_of(cluster), overview))
    numbers = [int(text.text) for text in texts(svg) if re.fullmatch(r"\d\d", text.text or "")]
    assert sorted(set(numbers)) == list(range(1, 17, 2))


def test_places_that_are_kept_for_network_racks_are_marked():
    """Places 02 to 05 of row N01, which further spines will take, looked like floor that is free."""
    cluster = example_cluster("nvl72-gb200")
    kinds = kinds_of(cluster)
    assert kinds.kept == {(0, -1, column): "compute spine" for column in range(1, 5)}
    words = told(draw_floor_plan(kinds, find_whole_hall(cluster.plan.racks, 0)))
    assert words.count("kept for") == 4 + 1
    assert "kept for racks to come" in words
    window = find_whole_hall(example_cluster("tpu-torus").plan.racks, 0)
    root = parsed(draw_floor_plan(kinds_of(example_cluster("tpu-torus")), window))
    sizes = {float(g.get("font-size")): [len(t.text) for t in texts(g)] for g in root.iter(f"{SVG}g")}
    assert len(sizes) == 2
    assert all(max(widths) * GLYPH * size <= 1.07 * 1000 / 60 for size, widths in sizes.items())
    small = example_cluster("leaf-spine")
    assert "kept for" not in told(draw_floor_plan(kinds_of(small), find_whole_hall(small.plan.racks, 0)))


def test_no_name_of_a_rack_stands_on_its_stripes():
    """The first letters of `p1-su01-rk01` stood on the stripe of nvlink: a GB300 NVL72 is less deep than its place."""
    cluster = example_cluster(
        "nvl72-gb200", "scalable_unit.racks.type=nvl72-gb300", "floor.rack_depth_m=1.4", "floor.feeds=[A, B]"
    )
    racks = cluster.plan.racks
    root = parsed(draw_floor_plan(kinds_of(cluster), find_whole_hall(racks, 0)))
    group = next(g for g in root.iter(f"{SVG}g") if any(t.text == "(A+B)" for t in g))
    size, least = float(group.get("font-size")), min(kind.depth_m for kind in racks.kinds)
    longest = max(len(t.text or "") for t in group)
    assert longest * GLYPH * size <= least * 1000 / 60 * (1 - 2 * 0.12)


def test_what_places_are_kept_for_is_inside_their_outlines():
    """`plane 2` stood over the dashed edge in rows N01 and N02 of superpod-b300."""
    racks = example_cluster("superpod-b300").plan.racks
    window = find_whole_hall(racks, 0)
    root = parsed(draw_floor_plan(kinds_of(example_cluster("superpod-b300")), window))
    group = next(g for g in root.iter(f"{SVG}g") if any((t.text or "").startswith("kept") for t in g))
    size, lines = float(group.get("font-size")), [(t.text, float(t.get("y"))) for t in group]
    starts = [i for i, (text, _) in enumerate(lines) if text.startswith("kept")]
    assert len(starts) == 4
    for start, end in pairwise([*starts, len(lines)]):
        ys = [y for _, y in lines[start:end]]
        assert max(ys) - min(ys) + size <= 0.86 * racks.halls[0].rack_pitch_m * window.scale


def test_a_rack_that_is_sold_complete_has_its_power_shelves():
    """28 of 48 rack units were told of a rack whose eight power shelves take eight more."""
    rack = FilledRacks(example_cluster("nvl72-gb200")).make_rack(0)
    shelves = [(item.u, item.model) for item in rack.items if item.name == "power shelf"]
    assert shelves == [(u, "with the rack") for u in (3, 4, 5, 6, 39, 40, 41, 42)]
    assert "U  36 of 48" in told(draw_elevation(rack))
    named = FilledRacks(example_cluster("full-cluster")).make_rack(0)
    assert len({item.u for item in named.items}) == len(named.items) == named.used_u.value
    assert not any(item.model == "with the rack" for item in named.items), "the blueprint names its shelves"


def test_what_is_not_known_of_a_rack_is_not_a_zero():
    """`kg 0+` stood for a weight of which nothing is known, and nothing told why there was no bar."""
    rack = FilledRacks(example_cluster("leaf-spine")).make_rack(0)
    words = {
        kg: told(draw_elevation(replace(rack, weight_kg=kg)))
        for kg in (RackTotal(0, None, True), RackTotal(0, 900, True))
    }
    assert [text.partition("kg of devices ")[2].partition(" kW")[0] for text in words.values()] == [
        "not stated", "not stated, limit 900",
    ]  # fmt: skip
    assert "kg of devices 40, no limit stated" in told(draw_elevation(replace(rack, weight_kg=RackTotal(40, None))))
    assert "of it optics" not in told(draw_elevation(replace(rack, optics_kw=0.04)))  # `0.0 kW of it optics` was told
    assert "0.1 kW of it optics" in told(draw_elevation(replace(rack, optics_kw=0.06)))


@pytest.mark.parametrize("name", ["ualink-pod", "full-cluster", "patched-hall"])
def test_notes_below_a_rack_can_be_read(name):
    """Eighty letters of what has no figure stood in half their width."""
    cluster = example_cluster(name)
    for number in range(len(cluster.plan.racks)):
        root = parsed(draw_elevation(FilledRacks(cluster).make_rack(number)))
        notes = [text for text in texts(root) if text.get("font-size") == "1.9"]
        assert len(notes) <= 6
        assert max((float(text.get("y")) for text in notes), default=0) + 1.9 / 4 <= float(
            root.get("viewBox").split()[3]
        )
        for text in notes:
            assert squeezed_to(text) >= 0.8, text.text


def test_names_of_switches_are_not_squeezed_by_their_ports():
    """26 letters stood in 63 % of their width, so that the aisle of their ports fitted beside them."""
    cluster = example_cluster("full-cluster")
    rack = FilledRacks(cluster).make_rack(cluster.plan.racks.names.index("p1-su01-net01"))
    root = parsed(draw_elevation(rack))
    named = {text.text: text for text in texts(root)}
    for item in rack.items:
        text = named[item.name]
        assert squeezed_to(text) >= 0.85
    assert "ports: front qm9700, sn5600" in named


def test_fronts_face_cold_aisles():
    cluster = example_cluster("modular-spine")
    svg = draw_floor_plan(kinds_of(cluster), find_whole_hall(cluster.plan.racks, 0))
    y_of = {text.text: float(text.get("y")) for text in texts(parsed(svg))}
    aisles = sorted((float(t.get("y")), t.text.split()[0]) for t in texts(parsed(svg)) if "aisle" in (t.text or ""))
    cold = next(y for y, word in aisles if word == "cold" and y > y_of["R01"])
    assert y_of["R01"] < cold < y_of["R02"]
    assert {word for _, word in aisles} == {"cold", "hot"}


def test_the_part_is_built_on_request(fabricgen, tmp_path):
    ran = fabricgen("build", "blueprints/leaf-spine.yaml", "-o", tmp_path / "out", "--only", "drawings")
    assert ran.code == 0, ran.err
    assert (tmp_path / "out/drawings/book.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert (tmp_path / "out/drawings/floor/h1.svg").exists()


@pytest.mark.browser
@pytest.mark.office
def test_a_book_prints_to_pages_of_a4(tmp_path):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
    require("" if chromium else "chromium is missing: `apt-get install chromium` to print a book")
    require("" if shutil.which("pdfinfo") else "pdfinfo is missing: `apt-get install poppler-utils` to read the print")
    cluster = example_cluster("leaf-spine")
    book, printed = tmp_path / "book.html", tmp_path / "book.pdf"
    book.write_bytes(dict(list_book_files(cluster))["book.html"])
    command = [
        chromium,
        *CHROMIUM,
        f"--user-data-dir={tmp_path / 'profile'}",
        f"--print-to-pdf={printed}",
        book.as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    info = subprocess.run(["pdfinfo", str(printed)], check=True, capture_output=True, text=True, timeout=300).stdout
    width, height = map(float, re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", info).groups())
    assert (round(width / 72 * 25.4), round(height / 72 * 25.4)) == (297, 210)
    racks_with_switches = 3
    assert int(re.search(r"Pages:\s+(\d+)", info)[1]) <= 1 + 2 + 1 + 2 * racks_with_switches, "no page spills over"
    text = subprocess.run(
        ["pdftotext", str(printed), "-"], check=True, capture_output=True, text=True, timeout=300
    ).stdout
    for name in (*cluster.names, *cluster.plan.racks.names):
        assert name in text


def test_a_cable_that_was_built_otherwise_is_drawn_where_it_is(design_of):
    text = Path("blueprints/leaf-spine.yaml").read_text(encoding="utf-8")
    text += '\ncable_of:\n  "compute-leaf-p1-su02-r2-01:32": {b_cage: 30}\n'
    cluster = build_cluster(design_of(text))
    (spine,) = PortMaps(cluster).list_switches([cluster.names.index("compute-spine-04")])
    assert [port.cage for port in spine.ports] == [1, 2, 3, 30]
