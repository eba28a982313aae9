"""Names stand on paper and not under lines, and ribbons begin at the outline of a tier rather than at one switch."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from fabricgen.export.view.layout import BAR, BAR_SHARE, CELL_H, lay_out_scene
from fabricgen.export.view.ribbons import draw_ribbons
from fabricgen.wiring.tables import SWITCH
from tests.conftest import example_cluster
from tests.view.waiting import resize

PAINTED = """() => new Promise((done) => {
  const seen = [], c = CanvasRenderingContext2D.prototype, own = {};
  for (const name of ["fillText", "fillRect", "stroke"]) {
    own[name] = c[name];
    c[name] = function (...given) {
      const whole = given[2] === this.canvas.width && given[3] === this.canvas.height && this.globalAlpha === 1;
      if (name === "fillRect" && whole) seen.length = 0; // a picture begins: of several the last one counts
      seen.push({ name, given, fill: this.fillStyle, ink: this.strokeStyle, thick: this.lineWidth });
      return own[name].apply(this, given);
    };
  }
  FG.repaint();
  requestAnimationFrame(() => { Object.assign(c, own); done(seen); });
})"""


def _number_texts(painted):
    return [i for i, one in enumerate(painted) if one["name"] == "fillText"]


def _is_under(plate, text):
    (x, y, w, h), (_, at_x, at_y, *_) = plate["given"], text["given"]
    return plate["name"] == "fillRect" and x <= at_x <= x + w and y < at_y < y + h


def test_names_of_devices_are_over_the_lines_that_cross_them(page):
    """Lines went through the names of nodes."""
    shown = page("known-hardware")
    shown.wait_for_function("() => FG.fabricWay.links.ends")
    painted = shown.evaluate(PAINTED)
    texts = _number_texts(painted)
    lines = [i for i, one in enumerate(painted) if one["name"] == "stroke"]
    assert len(lines) >= len(example_cluster("known-hardware").plan.links)
    names = [i for i in texts if painted[i]["given"][0] in example_cluster("known-hardware").names]
    assert len(names) == len(example_cluster("known-hardware").names)
    for i in names:
        assert max(lines) < i
        assert _is_under(painted[i - 1], painted[i]), painted[i]


def test_counts_on_ribbons_stand_on_paper(page):
    shown = page("superpod-b200")
    painted = shown.evaluate(PAINTED)
    labels = [i for i in _number_texts(painted) if painted[i]["given"][0] == "256 x 400G · 1:1"]
    assert labels
    for i in labels:
        assert _is_under(painted[i - 1], painted[i])
        assert painted[i - 1]["fill"] == "#ffffff"


def test_names_of_racks_are_over_the_cables_of_what_is_chosen(page):
    shown = page("superpod-b200", "way=hall")
    shown.evaluate("() => FG.set({ chosen: { kind: 'rack', id: 4 } })")
    shown.wait_for_function("() => FG.hall.bundle?.pieces.length")
    painted = shown.evaluate(PAINTED)
    chosen = shown.evaluate("() => FG.theme().chosen")
    cables = [
        i for i, one in enumerate(painted) if one["name"] == "stroke" and one["ink"] == chosen and one["thick"] > 1.5
    ]
    assert cables
    names = {
        piece
        for name in example_cluster("superpod-b200").plan.racks.names
        for piece in (name, f"{name[:-5]}-", name[-5:])
    }
    told = [i for i in _number_texts(painted) if painted[i]["given"][0] in names]
    assert len(told) >= 20
    for i in told:
        assert max(cables) < i
        assert painted[i - 1]["name"] == "fillRect"
        assert painted[i - 1]["given"][2] > 10


def test_ribbons_of_a_tier_begin_at_a_bar_below_all_of_its_switches(page):
    """`72 x 400G` seemed to come from the first switch above it alone."""
    cluster = example_cluster("spare-nodes")
    scene = lay_out_scene(cluster)
    classes = cluster.plan.devices.classes
    tiers = [band for band in scene.bands if classes[band.cls].kind == SWITCH]
    for band in tiers:
        foot = max(scene.device_y[row] for row in scene.order[band.first : band.last]) + CELL_H * band.scale
        assert band.y + band.h - foot >= BAR * band.scale, "room between the switches and the bar"
    feet = {band.y + band.h for band in scene.bands}
    rising = [
        ribbon for ribbon in draw_ribbons(cluster, scene) if not ribbon.arc and not scene.bundles[ribbon.bundle].leaves
    ]
    assert len([ribbon for ribbon in rising if ribbon.y1 in feet]) >= 4
    shown = page("spare-nodes")
    painted = shown.evaluate(PAINTED)
    bars = shown.evaluate(
        """() => FG.fabricWay.bands.x.reduce((all, x, i) => {
          const { x: xs, y, w, h, cls } = FG.fabricWay.bands, [left, top] = FG.camera.at(0, 0), { scale } = FG.camera;
          const foot = (y[i] + h[i] - top) * scale;
          const { kind } = FG.block("head").classes[cls[i]];
          if (kind === "switch") all.push([(xs[i] - left) * scale, foot, w[i] * scale]);
          return all;
        }, [])"""
    )
    assert len(bars) == len(tiers)
    for x, foot, w in bars:
        drawn = [
            one["given"]
            for one in painted
            if one["name"] == "fillRect" and abs(one["given"][0] - x) < 0.1 and abs(one["given"][2] - w) < 0.1
        ]
        assert any(2 <= h <= 4 and abs(y + h - foot) < 0.1 for _, y, _, h in drawn), "as wide as the tier, at its foot"
    assert 0 < BAR_SHARE < 1


@pytest.mark.parametrize("size", [(1600, 900), (390, 844)])
def test_names_along_a_path_do_not_lie_on_each_other(page, size):
    """On a phone the names of both leaves were one line of letters."""
    shown = page("superpod-b200", "trace=p1-su01-n001:gpu0..p1-su04-n007:gpu0")
    resize(shown, *size)
    shown.wait_for_function("() => FG.drawn?.path.length === 4")
    shown.evaluate("() => FG.camera.show(...FG.fabricWay.bounds(null))")
    painted = shown.evaluate(PAINTED)
    names = shown.evaluate(
        "() => FG.drawn.path.flatMap((step) => [step.from, step.to]).map((row) => FG.drawnNames.at(row))"
    )
    last = {painted[i]["given"][0]: i for i in _number_texts(painted) if painted[i]["given"][0] in names}
    plates = [painted[i - 1]["given"] for i in last.values()]
    assert len(plates) == 5
    for (x0, y0, w0, h0), (x1, y1, w1, h1) in combinations(plates, 2):
        assert x0 + w0 <= x1 or x1 + w1 <= x0 or y0 + h0 <= y1 or y1 + h1 <= y0


def test_counts_of_cables_are_over_names_of_racks(page):
    shown = page("superpod-b200", "way=hall")
    shown.evaluate("() => FG.set({ chosen: { kind: 'rack', id: 4 } })")
    shown.wait_for_function("() => FG.hall.bundle?.pieces.length")
    painted = shown.evaluate(PAINTED)
    texts = [painted[i]["given"][0] for i in _number_texts(painted)]
    counts = [i for i, text in enumerate(texts) if re.fullmatch(r"\d+ cables?", text)]
    racks = [i for i, text in enumerate(texts) if text.startswith("p1-su0") and ":" not in text]
    assert counts
    assert racks
    assert max(racks) < min(counts)


def test_what_stands_beside_the_units_is_named_however_small(page):
    """One box of three had no name: too narrow for it, and not narrow enough to have it written upward."""
    shown = page("three-generations")
    resize(shown, 1000, 750)
    written = [one["given"][0] for one in shown.evaluate(PAINTED) if one["name"] == "fillText"]
    assert {"array", "mgmt", "wan"} <= {text.split(" · ")[0] for text in written}


def test_labels_of_ribbons_keep_off_each_other(page):
    """Each group of a dragonfly tells its links to others and those within it, which lie beside each other."""
    painted = page("dragonfly").evaluate(PAINTED)
    labels = [one["given"] for one in painted if one["name"] == "fillText" and " x 400G" in one["given"][0]]
    assert [text for text, *_ in labels].count("128 x 400G") >= 2 * 9
    assert [text for text, *_ in labels].count("112 x 400G") == 9
    for (one, x, y, *_), (other, far_x, far_y, *_) in combinations(labels, 2):
        assert abs(y - far_y) >= 16 or abs(x - far_x) >= 60, (one, other)


@pytest.mark.parametrize("name", ["bonded-pair", "full-cluster", "mi300x-roce", "nvl256"])
def test_names_of_racks_keep_off_their_stripes(page, name):
    """They covered the fabrics whose ports are at the rear, and one stood out of its rack."""
    shown = page(name, "way=hall")
    resize(shown, 1000, 800)
    outside = shown.evaluate("""() => {
      const { racks, block } = FG.hall, camera = FG.camera, outside = [], draw = FG.Pen.prototype.text;
      FG.Pen.prototype.text = function (text, px, py, size, ink, how = {}) {
        draw.call(this, text, px, py, size, ink, how);
        if (!how.turned || !how.ground) return;
        const [x, y] = camera.at(px, py), half = this.c.measureText(text).width / 2 / camera.scale;
        const isAt = (middle, i) => Math.abs(x - middle) < racks.w[i] / 2 && Math.abs(y - racks.y[i]) < racks.d[i];
        const at = racks.x.findIndex(isAt), from = y - racks.y[at];
        const sides = block.looks[racks.look[at]].stripes.map(([, rear]) => rear), down = racks.faces[at] > 0;
        const free = [true, false].map((low) => racks.d[at] * (sides.includes(down !== low) ? 0.36 : 0.5));
        if (from + half > free[0] || half - from > free[1]) outside.push([text, from, half, ...free]);
        outside.seen = true;
      };
      FG.repaint();
      const told = () => outside.seen ? outside : ["no name"], next = requestAnimationFrame;
      return new Promise((done) => next(() => next(() => done(told()))));
    }""")
    assert outside == []


def test_counts_on_ribbons_make_way_for_names_that_are_written_upward(page):
    """On a phone `mgmt` stood in the middle of `16 x 100G`."""
    shown = page("bonded-pair")
    resize(shown, 390, 844)
    shown.evaluate("""() => {
      const upward = FG.FabricWay.upward, write = FG.FabricWay.write;
      FG.FabricWay.upward = (c, theme, text) => {
        FG.upward.push([text.x, text.y, c.measureText(text.choices[0]).width]);
        upward(c, theme, text);
      };
      FG.FabricWay.write = (view) => { FG.upward = []; write(view); };
    }""")
    painted = shown.evaluate(PAINTED)
    upward = shown.evaluate("() => FG.upward")
    counts = [one["given"] for one in painted if one["name"] == "fillText" and " x 1" in one["given"][0]]
    assert len(upward) == 2
    for text, x, y, *_ in counts:
        for at, foot, length in upward:
            assert not (x - 3 < at < x + 6 * len(text) and foot - length < y < foot), text


def test_names_of_nodes_can_be_read_on_dark_paper(pages):
    """They were white on light grey, 3.4 : 1 (WCAG 2.2 wants 4.5)."""
    shown = pages.of("bonded-pair")
    shown.emulate_media(color_scheme="dark")
    shown.wait_for_function("() => FG.theme().dark === '1'")
    painted = shown.evaluate(PAINTED)
    inks = {
        one["fill"] for one in painted if one["name"] == "fillText" and re.fullmatch(r"(su01-)?n00\d", one["given"][0])
    }
    assert inks == {"#14171a"}


@pytest.mark.parametrize("name", ["mixed-speeds", "pkeys", "small-pair"])
def test_names_that_are_written_upward_end_below_the_tier_above(page, name):
    """On a phone `mgmt` and `array` reached into the boxes of switches."""
    shown = page(name)
    resize(shown, 390, 844)
    covered = shown.evaluate("""() => new Promise((done) => {
      const { bands } = FG.fabricWay, upward = FG.FabricWay.upward, names = [], write = FG.FabricWay.write;
      FG.FabricWay.upward = (c, theme, text) => {
        const [left, top] = FG.camera.at(0, 0), { scale } = FG.camera;
        const end = text.y - c.measureText(text.choices[0]).width - 2;
        for (let i = 0; i < bands.rows; i += 1) {
          const x = (bands.x[i] - left) * scale, w = bands.w[i] * scale;
          const foot = (bands.y[i] + bands.h[i] - top) * scale;
          if (x - 5 < text.x && text.x < x + w + 5 && foot < text.y) names.push([text.choices[0], end - foot]);
        }
        names.push(["", 0]);
        upward(c, theme, text);
      };
      FG.FabricWay.write = (view) => { names.length = 0; write(view); };
      FG.repaint();
      requestAnimationFrame(() => requestAnimationFrame(() => done(names)));
    })""")
    assert ["", 0] in covered, "some name is written upward"
    assert [(text, room) for text, room in covered if room < 0] == []
