"""What a lock keeps where pods have units of several kinds: none that comes, or grows, moves what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.pipeline import compile_cluster, compile_design
from tests.conftest import Ran, built_files

FabricGen = Callable[..., Ran]

HALL = """\
fabricgen: 1
name: hall
{units}
pods: {{{pods}}}
fabrics:
  compute:
    protocol: roce
    tiers: {{leaf: {{switch: sn5600, per: [su, rail]}}, spine: {{switch: sn5600, count: 8}}}}
  storage: {{protocol: roce, speed: 200G, tiers: {{leaf: {{switch: sn5600, count: 2, spread: stripe}}}}}}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {{leaf: {{switch: sn2201, per: su}}, spine: {{switch: sn4600c, count: 2}}}}
"""
OLD = "scalable_unit: {nodes: 8 x dgx-h100}"
NAMED = "scalable_units: {m-h100: {nodes: 8 x dgx-h100}}"
NEW = "b300: {nodes: 4 x dgx-b300}"
THIRD = "a-b200: {nodes: 6 x dgx-b200, racks: {nodes_per_rack: 2}}"

HISTORY = {
    "one": "m1: {su: 1}",
    "a newer kind": "m1: {su: 1}, b1: {unit: b300, su: 1}",
    "the old one grows": "m1: {su: 2}, b1: {unit: b300, su: 1}",
    "a third": "m1: {su: 2}, b1: {unit: b300, su: 1}, a1: {unit: a-b200, su: 1}",
    "a further pod": "m1: {su: 2}, b1: {unit: b300, su: 1}, a1: {unit: a-b200, su: 1}, a0: {unit: b300, su: 1}",
    "all grow": "m1: {su: 3}, b1: {unit: b300, su: 2}, a1: {unit: a-b200, su: 2}, a0: {unit: b300, su: 2}",
}


def list_rows(blueprint: Path) -> set[str]:
    """Devices with their numbers, and links with ports and addresses."""
    cluster = compile_cluster(compile_design(str(blueprint), ()))
    files = built_files(cluster, "links", "devices")
    return {line for name in ("links.csv", "devices.csv") for line in files[name].decode().splitlines()}


@pytest.mark.slow
@pytest.mark.parametrize("named", [False, True])
def test_kinds_that_come_and_grow_move_nothing(named: bool, tmp_path: Path, fabricgen: FabricGen) -> None:
    blueprint, before = tmp_path / "hall.yaml", set[str]()
    for step, pods in HISTORY.items():
        more = ", ".join([NEW] * ("b300" in pods) + [THIRD] * ("a-b200" in pods))
        if named:
            units = NAMED.replace("}}", f"}}, {more}}}") if more else NAMED
            text = HALL.format(units=units, pods=pods.replace("m1: {su", "m1: {unit: m-h100, su"))
        else:
            text = HALL.format(units=OLD + (f"\nscalable_units: {{{more}}}" if more else ""), pods=pods)
        blueprint.write_text(text, encoding="utf-8")
        after = list_rows(blueprint)
        assert before <= after, (step, sorted(before - after)[:4])
        ran = fabricgen("lock", blueprint)
        assert ran.code == 0, ran.err
        assert list_rows(blueprint) == after
        before = after
