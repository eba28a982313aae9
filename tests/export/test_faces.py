"""Which cage is where on the front of a switch."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.export.drawings import port_map
from fabricgen.export.drawings.port_layout import PAGE_HEIGHT, PAGE_WIDTH, list_panels
from fabricgen.export.drawings.port_map import draw_port_maps
from fabricgen.export.drawings.svg import find_narrowest_width, wrap_words
from fabricgen.export.drawings.switch_ports import FacePort, SwitchPorts
from fabricgen.export.palette import Swatch

CATALOG = Catalog()


def faces(switch: str) -> list[list[tuple[int, ...]]]:
    return [[column.cages for column in panel.columns] for panel in list_panels(CATALOG.switch(switch))]


def test_sn5600_has_four_rows_numbered_down_and_a_service_port():
    (face,) = faces("sn5600")
    assert face[0] == (1, 2, 3, 4)
    assert face[15] == (61, 62, 63, 64)
    assert face[16:] == [(65,)]


def test_sn5400_has_its_strong_cages_in_the_top_row():
    (face,) = faces("sn5400")
    top = {column[0] for column in face[:16]}
    assert top == set(CATALOG.switch("sn5400").cages[0].high_power_cages)


def test_qm9700_has_two_rows_of_sixteen():
    (face,) = faces("qm9700")
    assert face == [(i, i + 1) for i in range(1, 33, 2)]


def test_sn2201_has_copper_on_the_left_and_uplinks_on_the_right():
    (face,) = faces("sn2201")
    assert face[0] == (1, 2)
    assert face[23] == (47, 48)
    assert face[24:] == [(49, 50), (51, 52)]


def test_a_chassis_has_a_panel_for_each_card():
    cards = list_panels(CATALOG.switch("7816r4"))
    assert len(cards) == 16
    assert cards[0].columns[0].cages == (1, 2)
    assert cards[1].columns[0].cages == (37, 38)


@pytest.mark.parametrize("switch", CATALOG.ids("switches"))
def test_every_cage_is_on_the_face_once_and_rows_have_room(switch):
    profile = CATALOG.switch(switch)
    cages = [cage for panel in list_panels(profile) for column in panel.columns for cage in column.cages]
    assert sorted(cages) == list(range(1, profile.cage_count + 1))


def full(profile: SwitchProfile) -> SwitchPorts:
    """A switch with every cage split as finely as it goes, and long names at the far ends."""
    swatch = Swatch("#206699", "#FFFFFF", "blue", "C")
    ports = []
    for kind, cage in enumerate(profile.cages):
        ways, first = max(cage.breakouts), profile.find_first_cage(kind)
        for number in range(first, first + cage.count, cage.block(ways)):
            far = f"compute-leaf-p1-su01-r{number % 8 + 1}-pl1-{number:03}"
            for sub in range(ways):
                place = f"{number} Ethernet{number * 8 + sub}"
                ports.append(
                    FacePort(number, sub, ways, "down", "C1 A", "#206699", "dots", far, place, "p1-su01-net01", 33)
                )
    return SwitchPorts("compute-spine-01", profile, swatch, "net-compute-spine-01", 4, tuple(ports), frozenset())


@pytest.mark.tenth
@pytest.mark.parametrize("switch", [s for s in CATALOG.ids("switches") if not CATALOG.switch(s).line_cards])
def test_a_full_switch_fits_on_pages_whatever_it_is(switch):
    for svg in draw_port_maps(full(CATALOG.switch(switch))):
        width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
        assert width <= PAGE_WIDTH
        assert height <= PAGE_HEIGHT
        assert "scale(" not in svg, "a text is squeezed"


def test_the_catalogue_may_say_otherwise():
    profile = CATALOG.switch("qm9700")
    cages = (profile.cages[0].model_copy(update={"count": 8, "rows": 2, "numbered": "across"}),)
    (panel,) = list_panels(profile.model_copy(update={"cages": cages}))
    assert [column.cages for column in panel.columns] == [(1, 5), (2, 6), (3, 7), (4, 8)]


def test_words_are_broken_only_where_they_must_be():
    groups = (("compute-leaf-p1",), ("33", "Ethernet32", "rk01", "U7"))
    assert wrap_words(groups, 15) == ["compute-leaf-p1", "33 Ethernet32", "rk01 U7"]
    assert wrap_words(groups, 10) == ["compute-", "leaf-p1", "33", "Ethernet32", "rk01 U7"]
    assert find_narrowest_width([groups], 3) == 15
    assert find_narrowest_width([groups], 2) == 21


def test_far_ends_are_filled_into_one_drawing_of_switches_alike():
    one = full(CATALOG.switch("sn5600"))
    other = replace(one, ports=tuple(replace(port, device=port.device.replace("leaf", "le&f")) for port in one.ports))
    port_map._draw_faces.cache_clear()
    drawn, told = (list(draw_port_maps(switch)) for switch in (one, other))
    assert port_map._draw_faces.cache_info().misses == 1
    assert [svg.replace("leaf", "le&amp;f") for svg in drawn] == told != drawn
