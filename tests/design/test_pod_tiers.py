"""What a pod states of its own switches: cages, breakout and reserved ports, which each model has where it will."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.design.fabric_model import TierDesign
from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_design

BLUEPRINT = """\
fabricgen: 1
name: pods
scalable_unit: {nodes: 4 x dgx-h100}
pods:
  p1: {su: 1}
  p2: {su: 1, tiers: {compute.leaf: {STATED}}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: su, cages: {down: 1-32, up: 33-64}}
      spine: {switch: sn5600, count: 2}
"""


def leaves(folder: Path, stated: str) -> tuple[TierDesign, TierDesign]:
    """The leaves of the first pod, and of the second, which states something of its own."""
    file = folder / "pods.yaml"
    file.write_text(BLUEPRINT.replace("STATED", stated), encoding="utf-8")
    first, second = sorted((t for t in compile_design(str(file)).tiers if t.name == "leaf"), key=lambda t: t.part)
    return first, second


def test_cages_of_a_pod_are_in_the_place_of_those_of_the_tier(tmp_path: Path) -> None:
    first, second = leaves(tmp_path, "cages: {down: 17-64, up: 1-16}")
    assert (min(first.downs[0].cages), max(second.downs[0].cages)) == (1, 64)
    assert set(first.up.cages if first.up else ()) <= set(range(33, 65))
    assert set(second.up.cages if second.up else ()) <= set(range(1, 17))


def test_a_smaller_switch_has_cages_of_its_own(tmp_path: Path) -> None:
    _, second = leaves(tmp_path, "switch: 7060dx5-64s, cages: {down: 1-32, up: 33-64}, breakout: 1x400")
    assert second.downs[0].ways == 1


def test_reserved_ports_of_a_pod(tmp_path: Path) -> None:
    first, second = leaves(tmp_path, "cages: {down: 1-31, up: 33-64}, reserved_ports: {wan: {cages: 32}}")
    assert first.reserved == ()
    assert second.reserved == (("wan", 0, (32,)),)


@pytest.mark.parametrize(
    ("stated", "column", "said"),
    [
        ("cages: {down: 1-80}", 41, "sn5600 has cages 1 to 65, `down` asks for cage 80"),
        ("cages: {down: 1-40, up: 40-64}", 41, "cage 40 is kept for both"),
        ("cages: {down: 1-32, down.wan: 33}", 41, "cages are kept for 'down.wan', which is no fabric"),
    ],
)
def test_what_does_not_fit_is_told_where_the_pod_states_it(stated: str, column: int, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        leaves(tmp_path, stated)
    (found,) = refused.value.diagnostics
    assert said in found.message
    assert found.path[:5] == ("pods", "p2", "tiers", "compute.leaf", "cages")
    assert found.span is not None
    assert found.span.line == 6
    assert found.span.column > column
