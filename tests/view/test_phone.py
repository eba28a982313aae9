"""On a phone the panel is a sheet under the picture, and a cable is found, read and followed with a thumb."""

from __future__ import annotations

import csv
import io

import pytest

from tests.conftest import built_files, example_cluster
from tests.view.waiting import resize

PHONE = {"width": 390, "height": 844}
THUMB = 44
"""The least height of what a thumb meets, CSS pixels (WCAG 2.2, target size, enhanced)."""


@pytest.fixture
def phone(page):
    """`phone("leaf-spine", "way=hall")`: the page of an example at the size of a phone."""

    def opened(*given):
        shown = page(*given)
        resize(shown, **PHONE)
        return shown

    return opened


def _box(shown, place):
    return shown.locator(place).first.bounding_box()


@pytest.mark.parametrize("name", ["leaf-spine", "full-cluster", "dual-tor"])
def test_the_picture_is_as_wide_as_the_phone_and_the_panel_below_it(phone, name):
    """It was 72 pixels wide beside the panel."""
    shown = phone(name)
    picture, side, search = (_box(shown, place) for place in ("#picture", "#side", "#query"))
    assert picture["width"] == PHONE["width"]
    assert picture["height"] >= 250
    assert picture["y"] + picture["height"] <= search["y"] < side["y"]
    assert side["width"] == PHONE["width"]
    assert side["y"] + side["height"] <= PHONE["height"]
    assert shown.evaluate("() => document.documentElement.scrollWidth") == PHONE["width"]
    seen = shown.evaluate(
        "() => [FG.camera.at(0, 0), FG.camera.at(FG.camera.width, FG.camera.height), FG.fabricWay.bounds(null)]"
    )
    (left, top), (right, bottom), (x, y, w, h) = seen
    assert left <= x
    assert top <= y
    assert right >= x + w
    assert bottom >= y + h, "all of the cluster is in the picture that is left"


def test_find_a_rack_a_device_a_port_its_label_and_the_next_cable(phone):
    cluster = example_cluster("superpod-b200")
    rows = list(csv.DictReader(io.StringIO(built_files(cluster, "cables")["cables.csv"].decode())))
    shown = phone("superpod-b200")
    shown.locator("#query").click()
    shown.keyboard.type("su01-rk01")
    option = shown.locator("#found [role=option]").first
    option.wait_for()
    assert option.bounding_box()["height"] >= THUMB
    assert option.bounding_box()["y"] < _box(shown, "#query")["y"], "above the keyboard that is there then"
    option.click()
    devices = shown.locator("#inspector section", has=shown.locator("h3", has_text="Devices · 4"))
    devices.locator(".go").first.click()
    ports = shown.locator("#inspector section", has=shown.locator("h3", has_text="Ports (links.csv)"))
    port = ports.locator(".go").first
    assert port.bounding_box()["height"] >= THUMB
    port.click()
    labels = shown.locator("#inspector .label")
    labels.first.wait_for()
    own = [row for row in rows if "p1-su01-n004" in (row["a_device"], row["b_device"])]
    labels_by_cable = {
        cable: [row[f"label_{end}"] for row in rows if row["cable"] == cable for end in "ab"]
        for cable in dict.fromkeys(row["cable"] for row in own)
    }
    assert labels.all_inner_texts() in labels_by_cable.values()
    seen = []
    for _ in labels_by_cable:
        shown.get_by_role("button", name="Next cable").click()
        shown.wait_for_function(
            "(was) => document.querySelector('#inspector h2').textContent !== was", arg=(seen or [""])[-1]
        )
        shown.wait_for_selector("#inspector[data-shown^='cable']")
        seen.append(shown.locator("#inspector h2").inner_text())
        assert labels.all_inner_texts() == labels_by_cable[seen[-1]]
    assert sorted(seen) == sorted(labels_by_cable), "each cable of the node once, and the first one again"
    for button in shown.locator("#inspector .buttons button").all():
        assert button.bounding_box()["height"] >= THUMB
    shown.get_by_role("button", name="p1-su01-rk01").click()
    shown.wait_for_function("() => document.querySelector('#inspector h2').textContent === 'p1-su01-rk01'")


def test_what_is_chosen_comes_first_in_the_sheet_and_its_buttons_stay(phone):
    shown = phone("superpod-b200", "at=compute-spine-01")
    shown.wait_for_selector("#inspector[data-shown]")
    top, ports = _box(shown, "#side")["y"], _box(shown, "#inspector section:has([scope=col])")["y"]
    assert top <= _box(shown, "#inspector h2")["y"] < ports < _box(shown, "#inspector section:has([scope=row])")["y"]
    assert _box(shown, "#inspector")["y"] < _box(shown, "#losses")["y"]
    shown.evaluate("() => { document.getElementById('side').scrollTop = 900; }")
    assert _box(shown, "#inspector .buttons")["y"] == pytest.approx(top, abs=2)


def test_the_sheet_is_as_high_as_its_edge_is_moved(phone):
    shown = phone("leaf-spine")
    assert shown.locator("#split").get_attribute("aria-orientation") == "horizontal"
    before = _box(shown, "#side")["height"]
    shown.locator("#split").focus()
    shown.keyboard.press("ArrowUp")
    assert _box(shown, "#side")["height"] == round(before) + 40
    edge = _box(shown, "#split")
    shown.mouse.move(195, edge["y"] + 13)
    shown.mouse.down()
    shown.mouse.move(195, edge["y"] - 87)
    shown.mouse.up()
    assert _box(shown, "#side")["height"] == pytest.approx(before + 140, abs=2)
    shown.locator("#split").click()
    assert _box(shown, "#side")["height"] < PHONE["height"] / 2, "a tap lowers what is high"
    resize(shown, 1600, 900)
    assert _box(shown, "#side")["width"] == 340
