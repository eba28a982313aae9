"""The floor as it is drawn: every rack once, none over another, and devices inside their racks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fabricgen.export.view.blocks import faces, hall
from fabricgen.export.view.blocks.hall import draw_halls
from fabricgen.export.view.source import PageSource
from tests.conftest import example_cluster
from tests.view.waiting import resize

EXAMPLES = ("end-of-row", "full-cluster", "patched-hall", "superpod-b300", "tpu-torus", "two-site")


def centres(cluster: Any) -> Any:
    """(x, y) of the middle of every rack in the drawing, m."""
    racks, shift = cluster.plan.racks, np.array(draw_halls(cluster).shift)
    return np.stack([racks.x_m, racks.y_m], axis=1) + shift[racks.hall]


@pytest.mark.parametrize("name", EXAMPLES)
def test_racks_are_drawn_once_apart_and_in_their_hall(name: str) -> None:
    cluster = example_cluster(name)
    racks, drawn, at = cluster.plan.racks, draw_halls(cluster), centres(cluster)
    assert hall.block(PageSource(cluster))["racks"]["rows"] == len(racks)
    kinds = [(min(k.width_m, h.rack_pitch_m), k.depth_m) for k in racks.kinds for h in racks.halls[:1]]
    size = np.array(kinds)[racks.kind]
    for i in range(len(racks)):
        apart = np.abs(at - at[i])
        touch = ((apart < (size + size[i]) / 2 - 1e-6).all(axis=1)).sum()
        assert touch == 1  # itself
        x, y, w, h = drawn.halls[int(racks.hall[i])]
        left, top = np.array([x, y]) + drawn.shift[int(racks.hall[i])]
        assert left <= at[i][0] - size[i][0] / 2
        assert at[i][0] + size[i][0] / 2 <= left + w
        assert top <= at[i][1] - size[i][1] / 2
        assert at[i][1] + size[i][1] / 2 <= top + h


@pytest.mark.parametrize("name", EXAMPLES)
def test_devices_are_inside_their_racks_and_apart(name: str) -> None:
    cluster = example_cluster(name)
    block, devices = faces.block(PageSource(cluster)), cluster.plan.devices
    high = np.array([block[cls.profile.id]["units"] for cls in devices.classes])[devices.device_class]
    assert (devices.u >= 1).all()
    assert (devices.u + high - 1 <= cluster.plan.racks.units[devices.rack]).all()
    order = np.lexsort((devices.u, devices.rack))
    same = devices.rack[order][1:] == devices.rack[order][:-1]
    assert (devices.u[order][1:] >= (devices.u + high)[order][:-1])[same].all()


def test_sites_lie_beside_each_other() -> None:
    drawn = hall.block(PageSource(example_cluster("two-site")))
    east, west = (h["box"] for h in drawn["halls"])
    assert east[0] + east[2] < west[0] or east[1] + east[3] < west[1]
    assert max(h[0] + h[2] for h in (east, west)) == drawn["size"][0]


def test_racks_hold_what_they_are_sold_with() -> None:
    """The picture drew the units of eight power shelves free."""
    held = hall.block(PageSource(example_cluster("nvl72-gb200")))["panels"]
    assert held["rows"] == 8 * 8
    assert hall.block(PageSource(example_cluster("full-cluster")))["panels"]["rows"] == 0, "devices of their own"


def test_kept_places_and_what_stands_beside_devices_are_told() -> None:
    """Places 02 to 05 of row N01 were blank, where the floor plan says for whom they are kept."""
    told = hall.block(PageSource(example_cluster("nvl72-gb200")))
    assert [name for name, *_ in told["kept"]] == ["compute spine"] * 4
    assert all(min(x, y) >= 0 and w > 400 and d > 800 for _, x, y, w, d in told["kept"])
    assert told["beside"] == "power shelf (with the rack)"
    assert hall.block(PageSource(example_cluster("leaf-spine")))["kept"] == []


@pytest.mark.parametrize("name", ["full-cluster", "nvl72-gb200"])
def test_every_rack_has_its_name_when_the_hall_opens(page: Any, name: str) -> None:
    """Five of the seven network racks of full-cluster had none, and the key did not say what is white."""
    cluster = example_cluster(name)
    shown = page(cluster, "way=hall")
    shown.evaluate("""() => {
        FG.written = [];
        const pen = FG.Pen.prototype;
        for (const how of ["text", "plate"]) {
            const draw = pen[how];
            pen[how] = function (told, ...rest) { FG.written.push(told); return draw.call(this, told, ...rest); };
        }
        FG.repaint();
    }""")
    shown.wait_for_function("() => FG.written.length")
    written = shown.evaluate("() => FG.written")
    both = set(written) | {one + two for one, two in pairwise(written)}
    assert set(cluster.plan.racks.names) <= both
    legend = shown.locator("#legend li").all_inner_texts()
    if name == "full-cluster":
        assert any("other devices" in text for text in legend)
    else:
        assert "Dashed: kept for racks to come." in shown.locator("#key").inner_text()
        assert "kept for compute spine" in {*written, *map(" ".join, pairwise(written))}


def test_a_rack_opens_and_a_device_shows_its_face(page: Any) -> None:
    cluster = example_cluster("full-cluster")
    leaf = next(i for i, name in enumerate(cluster.names) if name.startswith("compute-leaf"))
    rack = cluster.plan.racks.names[cluster.plan.devices.rack[leaf]]
    shown = page(cluster, f"way=hall&at=rack:{rack}")
    assert not shown.evaluate("() => FG.way.isOpen() && FG.camera.scale > 20")
    shown.evaluate("() => FG.goTo(FG.state.chosen)")
    assert shown.evaluate("() => FG.way.isOpen()")
    click(shown, f"FG.way.elevation.face({leaf})")
    assert shown.evaluate("() => FG.state.chosen") == {"kind": "device", "id": leaf}
    shown.evaluate("() => FG.goTo(FG.state.chosen)")
    shown.wait_for_function("() => FG.way.elevation.links")
    (x, y, w, h, label, _), *_ = faces.block(PageSource(cluster))["qm9700"]["cages"]
    box = f"(([x, y, w, h]) => [x + {x} * w, y + {y} * h, {w} * w, {h} * h])(FG.way.elevation.face({leaf}))"
    click(shown, box)
    chosen = shown.evaluate("() => FG.state.chosen")
    links = cluster.plan.links
    assert chosen["kind"] == "link"
    assert leaf in (links.a_device[chosen["id"]], links.b_device[chosen["id"]])
    cages = cluster.port_names.cages[int(links.b_device[chosen["id"]] == leaf)]
    assert cages[chosen["id"]] == label
    assert f"{cluster.names[leaf]} {label}" in shown.evaluate("() => FG.way.describe(FG.state.chosen)")


def click(shown: Any, box: str) -> None:
    """Click into the middle of a box of the drawing."""
    x, y = shown.evaluate(
        f"""() => {{
          const [x, y, w, h] = {box}, pen = FG.camera, at = (middle, is, size) => (middle - is) * pen.scale + size / 2;
          return [at(x + w / 2, pen.x, pen.width), at(y + h / 2, pen.y, pen.height)];
        }}"""
    )
    shown.locator("#picture").click(position={"x": x, "y": y})


def test_the_other_way_of_looking_keeps_what_is_chosen_in_sight(page: Any) -> None:
    cluster = example_cluster("two-site")
    shown = page(cluster, f"way=hall&at={cluster.names[-1]}")
    shown.evaluate("() => FG.goTo(FG.state.chosen)")
    shown.evaluate("() => FG.set({ way: 'fabric' })")
    shown.wait_for_function("() => FG.way.name === 'fabric'")
    shown.evaluate("() => FG.set({ chosen: { kind: 'device', id: 0 } })")
    shown.evaluate("() => FG.set({ way: 'hall' })")
    shown.wait_for_function("() => FG.way.name === 'hall'")
    seen = "() => { const [x, y, w, h] = FG.way.bounds(FG.state.chosen); return FG.camera.sees(x + w / 2, y + h / 2); }"
    assert shown.evaluate(seen)


def test_racks_of_panels_are_told_from_those_of_nodes_on_dark_paper(page: Any) -> None:
    """Both were the same grey, in the picture as in the key."""
    shown = page("patched-hall", "way=hall")
    shown.emulate_media(color_scheme="dark")
    shown.wait_for_function("() => FG.theme().dark === '1'")
    fills = shown.evaluate(
        "() => ['node_fill', 'panel_fill', 'extra_fill'].map((name) => FG.rackFill(FG.hall.block[name], FG.theme()))"
    )
    assert len(set(fills)) == 3


@pytest.mark.parametrize("wide", [390, 1000, 1600])
def test_rows_of_both_sites_have_their_names(page: Any, wide: int) -> None:
    """Those of the first had none where the margin of its hall, and that of the picture, were narrow."""
    shown = page("two-site", "way=hall")
    resize(shown, wide, 800)
    written = shown.evaluate("""() => new Promise((done) => {
        const written = [], draw = FG.Pen.prototype.text, rows = FG.paintRows;
        FG.Pen.prototype.text = function (told, ...rest) { written.push(told); draw.call(this, told, ...rest); };
        FG.paintRows = (...given) => { written.length = 0; rows(...given); }; // of several pictures the last one counts
        requestAnimationFrame(() => { FG.repaint(); requestAnimationFrame(() => done(written)); });
    })""")
    assert [written.count(row) for row in ("N01", "R01")] == [2, 2]
    assert "R02" in written


def test_rows_that_a_reserve_keeps_are_said_where_they_are(page: Any) -> None:
    """Two thirds of a hall were empty without a word, and racks of nodes had the colour of the floor."""
    shown = page("dual-tor", "way=hall")
    texts, shaded = shown.evaluate("""() => new Promise((done) => {
        const texts = [], shaded = [], { text: write, fill } = FG.Pen.prototype, { line } = FG.theme();
        FG.Pen.prototype.text = function (text, ...rest) { texts.push(text); write.call(this, text, ...rest); };
        FG.Pen.prototype.fill = function (x, y, w, h, colour) {
          if (colour === line && this.c.globalAlpha > 0.4) shaded.push(`${x} ${y}`);
          fill.call(this, x, y, w, h, colour);
        };
        FG.repaint();
        requestAnimationFrame(() => requestAnimationFrame(() => done([texts, shaded])));
    })""")
    assert "27 rows without racks" in texts
    assert len(set(shaded)) == 136, "every rack of nodes"


@pytest.mark.parametrize("name", ["dragonfly", "superpod-b300", "two-exits"])
def test_a_hall_leaves_room_for_its_name_and_the_scale(page: Any, name: str) -> None:
    """On a phone both lay on its outline."""
    shown = page(name, "way=hall")
    resize(shown, 390, 844)
    top, bottom = shown.evaluate("""() => {
        const [, y, , h] = FG.hall.block.halls[0].box, [, from] = FG.camera.at(0, 0), { scale, height } = FG.camera;
        return [(y / 10 - from) * scale, height - ((y + h) / 10 - from) * scale];
    }""")
    assert min(top, bottom) >= 22
