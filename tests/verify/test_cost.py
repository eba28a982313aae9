"""What miscabling costs a job: `fabricgen analyze --dump`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS, Ran
from tests.verify.cabled import CabledHall

NODE = "p1-su01-n001"
WORDS = ("--section", "structure", "--sizes", "8G", "--format", "json")


def _costs(name: str, hall: CabledHall, folder: Path, fabricgen: Callable[..., Ran]) -> dict[str, Any]:
    dump = hall.csv(folder / "hall.csv")
    ran = fabricgen("analyze", BLUEPRINTS / f"{name}.yaml", *WORDS, "--dump", dump)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)["as_built"]["compute"]
    return found


def _uplink(hall: CabledHall) -> tuple[str, str]:
    """A port of a leaf to a spine."""
    return next(
        (device, port) for (device, port), (far, _) in sorted(hall.sees.items()) if "leaf" in device and "spine" in far
    )


def test_a_crossed_rail_costs_nothing_where_the_spines_carry_it(tmp_path: Path, fabricgen) -> None:
    found = _costs("superpod-b200", CabledHall("superpod-b200").swap(NODE, "OSFP1P1", "OSFP1P2"), tmp_path, fabricgen)
    (crossed,) = found["each"]
    assert crossed["slower"] == {"all-reduce": 0, "all-to-all": 0}
    assert "rails 5 and 8 are crossed" in crossed["text"]
    assert found["together"]["cut_off"] == 0
    changed = {(row["what"], row["figure"]): (row["planned"], row["as_found"]) for row in found["changed"]}
    planned, crossed = changed["same unit, same rail, by spine", "share of pairs"]
    assert planned is None
    assert crossed == pytest.approx(2 * 2 * 31 / (1016 * 1015))  # two ranks, 31 others of either rail, both ways
    assert ("bisection", "Gb/s each") not in changed


def test_a_crossed_rail_stops_a_job_where_rails_are_networks_of_their_own(tmp_path: Path, fabricgen) -> None:
    found = _costs("rail-only", CabledHall("rail-only").swap(NODE, "OSFP1P1", "OSFP1P2"), tmp_path, fabricgen)
    assert found["together"]["slower"] == {"all-reduce": None, "all-to-all": None}


def test_a_dark_uplink_costs_its_share_of_what_crosses_the_leaf(tmp_path: Path, fabricgen) -> None:
    """31 of 32 uplinks carry what 32 did; 985 of the 1,008 ranks beyond a domain are on other leaves."""
    hall = CabledHall("superpod-b200")
    found = _costs("superpod-b200", hall.cut(*_uplink(hall)), tmp_path, fabricgen)
    assert found["together"]["slower"]["all-reduce"] == 0
    assert 0 < found["together"]["slower"]["all-to-all"] < 1 / 31
    assert found["each"][0]["id"].startswith("dark-")


def test_a_dark_nic_cuts_its_rank_off(tmp_path: Path, fabricgen) -> None:
    found = _costs("superpod-b200", CabledHall("superpod-b200").cut(NODE, "OSFP1P1"), tmp_path, fabricgen)
    assert found["together"]["cut_off"] == 1
    assert found["together"]["slower"]["all-reduce"] is None


def test_a_dump_is_of_one_hall(fabricgen) -> None:
    ran = fabricgen("analyze", "a.yaml", "b.yaml", "--dump", "c.csv")
    assert ran.code == 2
    assert "name one blueprint" in ran.err


@pytest.mark.parametrize("name", ["superpod-b200"])
def test_a_hall_as_planned_costs_nothing(name: str, tmp_path: Path, fabricgen) -> None:
    found = _costs(name, CabledHall(name), tmp_path, fabricgen)
    assert found["each"] == []
    assert found["together"]["slower"] == {"all-reduce": 0, "all-to-all": 0}
