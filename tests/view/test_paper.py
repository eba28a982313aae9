"""On paper, and before anything is painted, the picture is as light as its page; what is printed fits its paper."""

from __future__ import annotations

import re

import pytest

CORNERS = """() => {
  const canvas = document.getElementById("picture"), { width, height } = canvas;
  const copy = Object.assign(document.createElement("canvas"), { width, height });
  const c = copy.getContext("2d", { willReadFrequently: true });
  c.drawImage(canvas, 0, 0);
  return [[1, 1], [width - 2, 1], [1, height - 2], [width - 2, height - 2]].map(([x, y]) =>
    `#${[...c.getImageData(x, y, 1, 1).data].slice(0, 3).map((one) => one.toString(16).padStart(2, "0")).join("")}`);
}"""
LATE = "Response.prototype.arrayBuffer = () => new Promise(() => {});"
"""Columns that are never decoded: a page that stays as it is before its first paint."""

PAGES = re.compile(rb"/Type\s*/Page\b")
INCH = 96


@pytest.mark.parametrize(("theme", "paper"), [("light", "#ffffff"), ("dark", "#14171a")])
def test_the_picture_is_paper_before_it_is_painted(browser, page, tmp_path, theme, paper):
    page("leaf-spine")
    context = browser.new_context(color_scheme=theme)
    shown = context.new_page()
    shown.add_init_script(LATE)
    shown.goto(next(tmp_path.glob("*.html")).as_uri())
    shown.wait_for_function("() => FG.camera")
    assert set(shown.evaluate(CORNERS)) == {paper}
    assert not shown.locator("html[data-ready]").count()
    context.close()


@pytest.mark.parametrize("way", ["fabric", "hall"])
def test_paper_is_light_and_sharp_and_the_screen_is_dark_again(page, way):
    shown = page("leaf-spine", f"way={way}")
    shown.emulate_media(color_scheme="dark")
    shown.wait_for_function("() => FG.theme().paper === '#14171a'")
    wide = shown.evaluate("() => document.getElementById('picture').width")
    shown.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    shown.emulate_media(media="print")
    assert set(shown.evaluate(CORNERS)) <= {"#ffffff", "#f3f5f7"}
    assert shown.evaluate("() => document.getElementById('picture').width") == 3 * wide
    assert shown.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    shown.emulate_media(media="screen")
    shown.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert set(shown.evaluate(CORNERS)) <= {"#14171a", "#1f2428"}
    assert shown.evaluate("() => document.getElementById('picture').width") == wide


@pytest.mark.parametrize(("width", "height"), [(8.27, 11.69), (11.69, 8.27), (8.5, 11), (11, 8.5)])
@pytest.mark.parametrize("name", ["leaf-spine", "full-cluster"])
def test_the_picture_its_totals_and_its_key_fit_a_page(page, name, width, height):
    shown = page(name)
    made = shown.pdf(width=f"{width}in", height=f"{height}in", print_background=True)
    assert len(PAGES.findall(made)) == 1


def test_a_long_list_goes_on_and_nothing_is_cut_at_its_side(page):
    shown = page("superpod-b200", "at=compute-leaf-p1-su01-r1-01")
    shown.wait_for_selector("#inspector[data-shown^='device']")
    assert len(PAGES.findall(shown.pdf(format="A4"))) <= 3
    shown.set_viewport_size({"width": round(7.48 * INCH), "height": round(10.9 * INCH)})  # A4 within margins of 10 mm
    shown.emulate_media(media="print")
    boxes = [shown.locator(place).bounding_box() for place in ("#picture", "#side", "#inspector table >> nth=2")]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 7.48 * INCH + 1 for box in boxes)
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert shown.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
