"""What was found is marked in the picture, and the keyboard goes on there."""

from __future__ import annotations

import pytest

from tests.view.waiting import shown_once

FRAMED = """async () => {
  const c = CanvasRenderingContext2D.prototype, own = c.strokeRect, colour = FG.theme().chosen.toLowerCase(), seen = [];
  c.strokeRect = function (...given) { if (this.strokeStyle === colour) seen.push(given); own.apply(this, given); };
  FG.repaint();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  c.strokeRect = own;
  return seen.length;
}"""


def _find(page, query):
    page.keyboard.press("/")
    page.keyboard.insert_text(query)
    page.wait_for_function("(text) => document.getElementById('found').dataset.query === text", arg=query)
    page.keyboard.press("Enter")
    page.wait_for_selector("#inspector[data-shown]:not([data-shown=''])")
    page.wait_for_function("() => FG.marks || FG.state.chosen.kind === 'device'")


def test_the_keyboard_is_at_the_picture_after_a_search_and_after_a_button(page):
    shown = page("leaf-spine")
    _find(shown, "p1-su01-n001")
    shown.wait_for_function("() => document.activeElement.id === 'picture'")
    before = shown.locator("#inspector h2").inner_text()
    shown.keyboard.press("ArrowRight")
    shown.wait_for_function("(was) => document.querySelector('#inspector h2').textContent !== was", arg=before)
    shown.get_by_role("button", name="Trace from here").focus()
    shown.keyboard.press("Enter")
    shown.wait_for_function("() => document.activeElement.id === 'picture'")


@pytest.mark.parametrize("way", ["fabric", "hall"])
def test_what_a_found_thing_stands_for_is_marked(page, way):
    shown = page("superpod-b200", f"way={way}")
    for query, count in (("p1-su02-n013:gpu3", 1), ("qm9700", 2), ("MFP7E10", 2), ("AS 4200000000", 1)):
        _find(shown, query)
        framed = shown_once(lambda: shown.evaluate(FRAMED), lambda frames, least=count: frames >= least)
        assert framed >= count, query
    _find(shown, "p1-su02-n013:gpu3")
    shown.wait_for_function("() => FG.drawn.path.length === 1")


def test_a_trace_that_begins_asks_for_its_other_end_and_not_for_its_own(page):
    shown = page("leaf-spine", "at=p1-su01-n001")
    shown.get_by_role("button", name="Trace from here").click()
    shown.wait_for_selector("#inspector .note")
    assert "choose its other end" in shown.locator("#inspector .note").inner_text()
    assert not shown.get_by_role("button", name="Trace here from").count()
    _find(shown, "p1-su01-n002")
    shown.get_by_role("button", name="Trace here from p1-su01-n001").click()
    shown.wait_for_selector("#inspector .hops")


def test_keys_begin_in_the_hall_and_the_outline_can_be_skipped(page):
    shown = page("leaf-spine", "way=hall")
    shown.locator("#skip").focus()
    shown.keyboard.press("Enter")
    assert shown.evaluate("() => document.activeElement.id") == "picture"
    shown.keyboard.press("Enter")
    shown.wait_for_function("() => FG.state.chosen?.kind === 'rack'")


def test_the_panel_is_as_wide_as_its_edge_is_moved(page):
    shown = page("leaf-spine")
    shown.locator("#split").focus()
    shown.keyboard.press("ArrowLeft")
    assert shown.evaluate("() => document.getElementById('side').offsetWidth") == 380
    edge = shown.locator("#split").bounding_box()
    shown.mouse.move(edge["x"] + 3, 400)
    shown.mouse.down()
    shown.mouse.move(1000, 400)
    shown.mouse.up()
    assert shown.evaluate("() => document.getElementById('side').offsetWidth") == 600
