"""What the catalogue says of power: the maximum and the typical draw apart, each with its source."""

from __future__ import annotations

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.loads import Device, find_power_basis, planned_w
from fabricgen.catalog.profile import Power
from fabricgen.catalog.rack_models import RackProfile
from fabricgen.kernel.diagnostics import InputError

CATALOG = Catalog()
PROFILES = [CATALOG.switch(name) for name in CATALOG.ids("switches")]


def test_every_figure_of_a_switch_has_its_own_source_and_tag() -> None:
    stated = [(p.id, p.power_w, name) for p in PROFILES for name in ("max", "typical") if getattr(p.power_w, name)]
    assert len(stated) > 10
    assert [(who, name) for who, power, name in stated if not getattr(power, f"{name}_source")] == []
    assert [(who, name) for who, power, name in stated if not getattr(power, f"{name}_tag")] == []


@pytest.mark.parametrize(
    ("switch", "basis", "planned"),
    [
        ("qm9700", "maximum-with-optics", 1720),
        ("q3400-ra", "maximum-with-optics", 7000),
        ("sn5610", "maximum-with-optics", 2080),
        ("sn5600", "typical", 940),
        ("7060x6-64pe", "estimate", 1125),
        ("sn4700", "typical", 630),
        ("sn5640", "unknown", None),
    ],
)
def test_what_a_switch_is_planned_with(switch: str, basis: str, planned: float | None) -> None:
    power = CATALOG.switch(switch).power_w
    assert (power.basis, power.planning_w) == (basis, planned)


def test_what_is_said_of_a_figure_needs_the_figure() -> None:
    with pytest.raises((InputError, ValueError), match="about the max draw, which is not stated"):
        Power(typical=900, max_with_optics=True)


def test_what_stands_in_a_rack_whose_figure_is_that_of_all_of_it_adds_nothing() -> None:
    """Power shelves pass power on; the switch trays of a rack are in the figure of its compute trays."""
    inside: tuple[Device, ...] = (CATALOG.node("power-shelf"), *map(CATALOG.switch, ("nvlink5-tray", "nvlink6-tray")))
    assert {(planned_w(profile), find_power_basis(profile)) for profile in inside} == {(0, None)}
    with pytest.raises((InputError, ValueError), match="its draw would count twice"):
        Power(max=900, counted_in="the figure of its rack")


def test_every_device_of_the_racks_that_are_sold_complete_has_a_figure() -> None:
    held = [
        what for name in CATALOG.ids("racks") if CATALOG.rack(name).complete_kg for what in CATALOG.rack(name).fixed
    ]
    assert "power-shelf" in held
    trays = [CATALOG.node(f"{chip}-tray") for chip in ("gb200", "gb300")]
    assert [planned_w(tray) for tray in trays] == [6667, 7889]


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"fixed": {}}, "nothing is `fixed` in it"),
        ({"weight_kg": 1400}, "1360 kg with its contents, 1400 kg when it is empty"),
    ],
)
def test_a_complete_rack_holds_something(figures: dict[str, object], said: str) -> None:
    with pytest.raises((InputError, ValueError), match=said):
        RackProfile(**(CATALOG.rack("nvl72-gb200").model_dump() | figures))
