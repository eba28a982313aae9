"""The fabric view in a browser: choosing, zooming, dimming, keys, and the fragment of its address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fabricgen.pipeline import compile_cluster, compile_design
from tests.conftest import BLUEPRINTS
from tests.view.waiting import shown_once

Opened = Callable[..., Any]


def _device_at(page: Any, name: str) -> tuple[float, float]:
    """The middle of a device on the screen."""
    place: list[float] = page.evaluate(
        """async (name) => {
          const fabric = FG.fabricWay, camera = FG.camera, row = await FG.naming.device.find(name);
          const [w, h] = fabric.cell(fabric.bandOf[row]), box = FG.el("picture").getBoundingClientRect();
          const [left, top] = camera.at(0, 0);
          const x = fabric.dx[row] + w / 2 - left, y = fabric.dy[row] + h / 2 - top;
          return [box.x + x * camera.scale, box.y + y * camera.scale];
        }""",
        name,
    )
    return place[0], place[1]


def _tells(page: Any, chosen: str) -> None:
    """Wait until the fragment of the address says what is chosen."""
    page.wait_for_function("(chosen) => location.hash.includes(chosen)", arg=chosen)


def test_click_chooses_and_keys_move(page: Opened) -> None:
    """A click chooses a device; arrows go to the next, Escape to its band, and the fragment names what is chosen."""
    opened = page("superpod-b200")
    opened.mouse.click(*_device_at(opened, "compute-leaf-p1-su01-r1-01"))
    _tells(opened, "at=compute-leaf-p1-su01-r1-01")
    opened.keyboard.press("ArrowRight")
    _tells(opened, "at=compute-leaf-p1-su01-r2-01")
    opened.keyboard.press("Escape")
    _tells(opened, "at=band%3Ap1%20su01%2Fcompute%20leaf")
    opened.keyboard.press("Escape")
    _tells(opened, "at=box%3Ap1%20su01")


def test_zoom_shows_names_then_faces_then_links(page: Opened) -> None:
    """Closer and closer at a switch: blocks, then names, then its cages, and the links of devices in sight."""
    opened = page("superpod-b200")
    drawn = """() => new Promise((done) => {
      const seen = { texts: [], curves: 0 }, c = CanvasRenderingContext2D.prototype, { fillText, bezierCurveTo } = c;
      c.fillText = function (text, ...at) { seen.texts.push(text); fillText.call(this, text, ...at); };
      c.bezierCurveTo = function (...at) { seen.curves += 1; bezierCurveTo.apply(this, at); };
      FG.repaint();
      requestAnimationFrame(() => { Object.assign(c, { fillText, bezierCurveTo }); done(seen); });
    })"""
    far = opened.evaluate(drawn)
    assert "superpod-b200 · 127 nodes · 1,016 accelerators" in far["texts"]
    assert "compute spine · 16 x qm9700" in far["texts"]
    assert "256 x 400G · 1:1" in far["texts"]
    assert "compute-leaf-p1-su01-r1-01" not in far["texts"]
    opened.mouse.move(*_device_at(opened, "compute-leaf-p1-su01-r1-01"))
    for _ in range(14):
        opened.mouse.wheel(0, -200)
    near = shown_once(lambda: opened.evaluate(drawn), lambda seen: {"1", "32"} <= set(seen["texts"]))
    assert "compute-leaf-p1-su01-r1-01" in near["texts"]
    assert {"1", "32"} <= set(near["texts"])
    links = opened.evaluate(
        "async () => (await FG.ends()).of(await FG.naming.device.find('compute-leaf-p1-su01-r1-01')).length"
    )
    assert links <= near["curves"] <= 6100


def test_choice_of_a_fabric_dims_the_others(page: Opened) -> None:
    """The list chooses a fabric, the fragment says it, and a page opened at the fragment has it chosen."""
    opened = page("full-cluster")
    opened.select_option("#choose-fabric", "storage")
    _tells(opened, "fabric=storage")
    lit = """() => FG.block("head").classes.map((cls, i) => [`${cls.fabric} ${cls.label}`, i])
      .filter(([, i]) => FG.fabricWay.choice.band([...FG.fabricWay.bands.cls].indexOf(i))).map(([name]) => name)"""
    assert sorted(opened.evaluate(lit)) == [" node", " nvme", "storage leaf", "storage spine"]
    again = page("full-cluster", "way=fabric&fabric=storage&rail=2&at=box%3Ap1%20su01%20rk02")
    assert again.input_value("#choose-fabric") == "storage"
    assert again.input_value("#choose-rail") == "2"


def test_outline_is_text_with_counts(page: Opened) -> None:
    """The picture as nested lists: groups, bands, links; a button of it chooses."""
    opened = page("superpod-b200")
    outline = opened.locator("#outline")
    assert "superpod-b200 · 127 nodes · 1,016 accelerators" in outline.inner_text()
    assert "compute spine · 16 x qm9700" in outline.inner_text()
    outline.locator("summary", has_text="p1 su04").focus()
    opened.keyboard.press("Enter")
    outline.get_by_role("button", name="node · 31 x dgx-b200").click()
    _tells(opened, "at=band%3Ap1%20su04%2Fnode")


def test_no_zoom_paints_more_than_some_thousand_shapes(pages: Any) -> None:
    """200,000 GPUs, from far to a face: what is out of sight or too small is not painted, and memory stays small."""
    cluster = compile_cluster(compile_design(str(BLUEPRINTS / "colossus-200k.yaml")))
    opened = pages.of(cluster)
    painted = opened.evaluate(
        """async () => {
          const c = CanvasRenderingContext2D.prototype, counts = [];
          let count = 0;
          for (const name of ["fillRect", "strokeRect", "fill", "stroke", "fillText", "strokeText"]) {
            const own = c[name];
            c[name] = function (...given) { count += 1; return own.apply(this, given); };
          }
          for (let step = 0; step < 24; step += 1) {
            count = 0;
            FG.camera.zoom(1.32, 600, 500);
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            counts.push(count);
          }
          return counts;
        }"""
    )
    assert max(painted) < 8000
    assert min(painted) > 0
    assert opened.evaluate("() => performance.memory.usedJSHeapSize") < 600e6
