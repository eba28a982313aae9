"""Links of two switches side by side (`parallel: adjacent`): the same pairs on other ports, and growth moves none.

That they lie so, in any design, is a law (`tests/properties/laws_of_links.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.cluster import Cluster
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.lint.engine import lint
from tests.conftest import Ran, example_cluster, example_design
from tests.design.test_growth_spread import changed, grown

SPINE = "fabrics.compute.tiers.spine"
WORD = f"{SPINE}.parallel=adjacent"
PARTS = ("mixed-generations", "pods.p1.su=1", "pods.p2.su=1", "pods.p3.su=1")
TEN_TO_A_SPINE = (
    "superpod-b200",
    "pods.p1.su=1",
    "scalable_unit.nodes=16 x dgx-b200",
    "fabrics.inband.oversubscription=1:1",
)
"""In-band, four to a cage, which ten do not fill."""
Port = tuple[int, int, int]


def ends_between_switches(cluster: Cluster) -> list[tuple[Port, Port]]:
    """(switch, cage, port in the cage) at both ends of every link between switches."""
    links = cluster.plan.links
    found = list[tuple[Port, Port]]()
    for i, number in enumerate(links.segment.tolist()):
        a, b = links.segments[number].a, links.segments[number].b
        if isinstance(a, PortRun) and isinstance(b, PortRun):
            low, high = int(links.a_port[i]), int(links.b_port[i])
            lower = int(links.a_device[i]), a.cages[low // a.ways], low % a.ways
            found.append((lower, (int(links.b_device[i]), b.cages[high // b.ways], high % b.ways)))
    return found


@pytest.mark.parametrize(
    "example",
    [
        ("superpod-b300", "pods.p1.su=2"),  # two links a cage at both ends
        ("superpod-b200", "pods.p1.su=2"),  # whole cages
        ("gaudi3",),  # four links a cage
        PARTS,
    ],
)
def test_the_same_switches_meet_as_often_and_no_port_is_used_twice(example: tuple[str, ...]) -> None:
    name, *sets = example
    apart, beside = example_cluster(name, *sets), example_cluster(name, *sets, WORD)
    before, after = ends_between_switches(apart), ends_between_switches(beside)
    assert Counter((a[0], b[0]) for a, b in before) == Counter((a[0], b[0]) for a, b in after)
    assert len({end for ends in after for end in ends}) == 2 * len(after)
    assert set(before) != set(after)
    assert len(apart.cable_ids) == len(beside.cable_ids)
    for one, other in zip(apart.design.fabrics, beside.design.fabrics, strict=True):
        assert count_links(apart.design, one) == count_links(beside.design, other)


@pytest.mark.parametrize(("before", "after"), [(3, 4), (5, 8)])
def test_growth_within_the_reserve_changes_nothing_there(before: int, after: int) -> None:
    old, new = grown("superpod-b300", before, after, WORD)
    assert not changed(old.devices, new.devices)
    assert not changed(old.links, new.links)
    assert not changed(old.cables, new.cables)
    assert len(old.links) < len(new.links)


def test_spines_that_double_take_nearly_all_links_and_lint_says_so() -> None:
    (told,) = [f for f in lint(example_design("superpod-b300", WORD)).findings if f.code == "FG106"]
    assert "moves 62 of 64 of the uplinks of each leaf" in told.message
    old, new = grown("superpod-b300", 2, 3, WORD)
    moved = Counter(leaf for leaf, _ in changed(old.links, new.links))
    assert min(moved.values()) >= 60, "of 64; 32 where links are apart"


TWO_KINDS = """
fabricgen: 1
name: two-kinds
scalable_units: {h100: {nodes: 8 x dgx-h100}, b200: {nodes: 8 x dgx-b200}}
pods: {p1: {unit: h100, su: 1}, p2: {unit: b200, su: 1}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail], uplinks: 8 x 400G}
      spine: {switch: sn5600, count: 2}
"""


def idle(design: Design) -> list[str]:
    return [f.message for f in lint(design).findings if f.code == "FG806" and "`parallel`" in f.message]


@pytest.mark.parametrize(
    ("example", "said"),
    [
        (("leaf-spine", WORD), "`parallel` has no effect: a leaf has one link to a spine"),
        (("superpod-b200", "fabrics.compute.tiers.leaf.parallel=adjacent"), "no tier is below compute leaf"),
        ((*TEN_TO_A_SPINE, "fabrics.inband.tiers.spine.parallel=adjacent"), "leaf links lie side by side without it"),
        (("uneven-spread", WORD), "leaf links lie side by side without it"),
    ],
)
def test_a_word_that_does_nothing_is_told(example: tuple[str, ...], said: str) -> None:
    (message,) = idle(example_design(*example))
    assert message.endswith(said)
    without = tuple(s for s in example if "parallel" not in s)
    assert example_design(*example).fabrics == example_design(*without).fabrics


@pytest.mark.slow
def test_links_that_a_lock_keeps_apart_are_told(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    """Of a kind of pods that came later; --release lays them anew."""
    file = tmp_path / "cluster.yaml"
    file.write_text(TWO_KINDS, encoding="utf-8")
    assert fabricgen("lock", file).code == 0
    file.write_text(TWO_KINDS.replace("count: 2", "count: 2, parallel: adjacent"), encoding="utf-8")
    text = fabricgen("lint", "--fast", file).out
    release = "links of compute leaf/b200"
    assert f"the lock keeps {release} apart, which `parallel` would have side by side" in text
    assert "leaf/h100" not in text, "ports of the kind that came first follow from the word"
    assert f"fabricgen lock --release '{release}'" in text
    assert "compute-spine-01" in fabricgen("plan", file, file, "--release", release).out
    assert fabricgen("lock", file, "--release", release).code == 0
    assert "`parallel`" not in fabricgen("lint", "--fast", file).out
