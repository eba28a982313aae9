"""What the catalogue says of power: the maximum and the typical draw apart, each with its source."""

from __future__ import annotations

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.profile import Power
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
        ("sn4700", "unknown", None),
    ],
)
def test_what_a_switch_is_planned_with(switch: str, basis: str, planned: float | None) -> None:
    power = CATALOG.switch(switch).power_w
    assert (power.basis, power.planning_w) == (basis, planned)


def test_what_is_said_of_a_figure_needs_the_figure() -> None:
    with pytest.raises((InputError, ValueError), match="about the max draw, which is not stated"):
        Power(typical=900, max_with_optics=True)
