"""Lanes within a cable, and rows of free ports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.verify.actions import CableState, Kind
from fabricgen.verify.diagnosis import diagnose
from tests.conftest import BLUEPRINTS, Ran
from tests.verify.diagnosis.hall import Hall, cabling

LEAF = "compute-leaf-p1-su01-r1-01"


@pytest.mark.parametrize("others", [range(41, 44), range(36, 40)])
def test_more_free_ports_in_a_row_than_a_breakout_has_lanes(
    others: range, tmp_path: Path, fabricgen: Callable[..., Ran]
) -> None:
    """Of a breakout of two nodes one is seen, and strangers are at free ports behind (or before) it."""
    lines = ["device,port,neighbor,neighbor_port", f"{LEAF},Ethernet40,p1-su01-n001,eth1"]
    lines += [f"{LEAF},Ethernet{port},printer-{port},eth0" for port in others]
    (tmp_path / "hall.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    ran = fabricgen("verify", BLUEPRINTS / "leaf-spine.yaml", tmp_path / "hall.csv", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    assert "one breakout plug is in the wrong cage; move Ethernet40 to Ethernet0." in ran.out


@pytest.mark.parametrize(
    ("name", "device", "port"),
    [("end-of-row", "frontend-leaf-p1-su01-r1-01", "Ethernet448"), ("gaudi3", "p1-su01-n001", "OSFP1/1")],
)
def test_lanes_that_are_swapped_within_their_cable_move_no_plug(name: str, device: str, port: str) -> None:
    """Their subnets are down; the cable is in its place."""
    hall = Hall(cabling(name))
    first = hall.numbers[hall.cabling.device_numbers[device], port]
    one, other = hall.cabling.list_plug_ports(int(hall.cabling.plug[first]))
    seen = hall.seen()
    seen.joined_to[[one, other ^ 1, other, one ^ 1]] = other ^ 1, one, one ^ 1, other
    found = diagnose(hall.cabling, seen)
    (action,) = found.actions
    assert (action.kind, action.moves, action.steps) == (Kind.PORT, 0, ())
    assert action.text.endswith("the links of one plug see different ones: look at the cable.")
    assert (found.states == CableState.ELSEWHERE).sum() == 1
