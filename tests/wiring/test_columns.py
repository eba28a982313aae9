"""Placement and cables are made in columns: twice the cables take hardly more calls, so that 200,000 GPUs take less
than a second."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from fabricgen.numbering.names import find_stated_places
from fabricgen.wiring.cabling.cables import make_cables
from fabricgen.wiring.cabling.offers import make_shelf
from fabricgen.wiring.devices import expand_devices
from fabricgen.wiring.expand import build_wiring_plan
from fabricgen.wiring.racks.table import place_in_racks
from tests.conftest import example_design

VARIANTS = {
    "plain": (),
    "policy": ("cabling.copper_to_m=2", "cabling.prefer=[DR, SR]", "cabling.avoid=[AOC]"),
    "products": ("cabling.products=[nvidia-linkx, generic]",),
    "patched": ("cabling.patch.uplinks={fabrics: compute, between: leaf-spine, at: row-end, trunk_fibres: 288}",),
}


def cables_and_calls(pods: int, *sets: str) -> tuple[int, int]:
    """How many cables a cluster has, and how many calls of functions place its devices and choose its cables."""
    design = example_design("colossus-200k", f"pods.p1.count={pods}", *sets)
    links = build_wiring_plan(design, find_stated_places).links
    calls = 0

    def count(_frame: object, event: str, _what: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        devices, racks = place_in_racks(design, expand_devices(design))
        _, cables, *_ = make_cables(design, devices, racks, links, make_shelf(design))
    finally:
        sys.setprofile(None)
    return len(cables), calls


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_no_function_is_called_for_each_cable(name: str) -> None:
    (few, calls), (many, more) = (cables_and_calls(pods, *VARIANTS[name]) for pods in (2, 4))
    assert many - few > 10_000
    # network switches are stacked one by one, some twenty calls each: there is one for a hundred cables
    assert more - calls < (many - few) / 3
