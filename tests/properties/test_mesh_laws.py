"""Laws of links within a tier, over generated sizes: who meets whom, with how many links and ports, and growth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.pipeline import compile_design
from tests.laws import law_examples

LAWS = settings(max_examples=law_examples(100), deadline=None)
PAGE = """
fabricgen: 1
name: meshes
scalable_unit: {{nodes: 1 x generic-server}}
pods: {{p1: {{su: {units}, reserve: {reserve}}}}}
fabrics:
  compute:
    protocol: ethernet
    hosts: routed
    speed: 100G
    tiers:
      router: {{switch: sn5600, per: su, count: {count}, {grid}mesh: {{{mesh}}}}}
nos: sonic
"""


@dataclass(frozen=True)
class Along:
    """Links along a dimension of `size` numbers: of every two, or within a reach, or of every two groups."""

    name: str
    size: int
    links: int
    reach: int = 0
    spread: bool = False

    @property
    def text(self) -> str:
        more = f", reach: {self.reach}" if self.reach else ", spread: true" if self.spread else ""
        return f"{self.name}: {{links: {self.links} x 400G{more}}}"

    def meets(self, low: int, high: int) -> bool:
        """Whether two numbers meet: both ways alike."""
        steps = abs(high - low)
        return low != high and (not self.reach or min(steps, self.size - steps) <= self.reach)


@dataclass(frozen=True)
class Case:
    """A tier of `units` groups, `reserve` of them numbered, whose switches lie along `grid`, with its meshes."""

    units: int
    reserve: int
    grid: tuple[int, ...]
    meshes: tuple[Along, ...]

    def wire(self, units: int | None = None) -> Cluster:
        """The cluster of the case, perhaps with another number of units."""
        names = ("row", "column", "layer")[: len(self.grid)]
        sizes = ", ".join(f"{name}: {size}" for name, size in zip(names, self.grid, strict=True))
        page = PAGE.format(
            units=units or self.units,
            reserve=self.reserve,
            count=prod(self.grid),
            grid=f"grid: {{{sizes}}}, " if len(self.grid) > 1 else "",
            mesh=", ".join(along.text for along in self.meshes),
        )
        return build_cluster(compile_design("b.yaml", unsaved={"b.yaml": page.encode()}, advise=False))


@st.composite
def cases(draw: st.DrawFn, *, rings: bool = True) -> Case:
    """Few switches, so that all ports are there: units, a grid, and a mesh along each dimension or some."""
    units = draw(st.integers(2, 6))
    grid = tuple(draw(st.lists(st.integers(2, 3), min_size=1, max_size=3)))
    names = ("router",) if len(grid) == 1 else ("row", "column", "layer")
    links = st.integers(1, 3)
    reach = st.integers(0, 2) if rings else st.just(0)
    meshes = [
        Along(name, size, draw(links), draw(reach))
        for name, size in zip(names, grid, strict=False)
        if draw(st.booleans())
    ]
    spread = draw(st.booleans())
    meshes.append(
        Along("su", units, draw(st.integers(1, 9)) if spread else draw(links), 0 if spread else draw(reach), spread)
    )
    return Case(units, units + draw(st.integers(0, 2)), grid, tuple(meshes))


def list_ends(cluster: Cluster) -> list[tuple[str, int, int, int, int]]:
    """(dimension, switch, port of the run of its mesh, switch, port), of each link within the tier, by rows from 0."""
    plan = cluster.plan
    start = plan.devices.find_tier(cluster.design.tiers[0].key).rows.start
    ends = []
    for number, segment in enumerate(plan.links.segments):
        if segment.lower_tier == segment.tier:
            rows = plan.links.find_rows(number)
            columns = (plan.links.a_device, plan.links.a_port, plan.links.b_device, plan.links.b_port)
            for a, a_port, b, b_port in zip(*(column[rows].tolist() for column in columns), strict=True):
                ends.append((str(segment.path[-1]), a - start, a_port, b - start, b_port))
    return ends


def locate(case: Case, switch: int) -> tuple[int, ...]:
    """The unit of a switch, and its number along each dimension of the grid, the last counting fastest."""
    place = []
    for size in reversed(case.grid):
        switch, number = divmod(switch, size)
        place.append(number)
    return (switch, *reversed(place))


@pytest.mark.law
@LAWS
@given(cases())
def test_switches_meet_by_the_rule_and_no_other_way(case: Case) -> None:
    """Every two that differ in one dimension alone, and meet in it, have its links; groups of a dragonfly as many in
    all, dealt evenly; nothing else is linked, no port is used twice, and a switch has as many as it uses at most.
    """
    cluster = case.wire()
    found = list_ends(cluster)
    in_group, by_name = prod(case.grid), {along.name: along for along in case.meshes}
    order = ["su", *(("router",) if len(case.grid) == 1 else ("row", "column", "layer")[: len(case.grid)])]
    counts = Counter((name, *sorted((a, b))) for name, a, _, b, _ in found)
    expected: Counter[tuple[str, int, int]] = Counter()
    for a, b in combinations(range(case.units * in_group), 2):
        differ = [i for i, (x, y) in enumerate(zip(locate(case, a), locate(case, b), strict=True)) if x != y]
        along = by_name.get(order[differ[0]]) if len(differ) == 1 else None
        if along and not along.spread and along.meets(locate(case, a)[differ[0]], locate(case, b)[differ[0]]):
            expected[along.name, a, b] = along.links
    spread = [along for along in case.meshes if along.spread]
    assert {key: n for key, n in counts.items() if not by_name[key[0]].spread} == dict(expected)
    for along in spread:
        groups = Counter((a // in_group, b // in_group) for name, a, _, b, _ in found if name == along.name)
        assert groups == dict.fromkeys(combinations(range(case.units), 2), along.links)
        of_switch = Counter(switch for name, a, _, b, _ in found if name == along.name for switch in (a, b))
        dealt = {of_switch[switch] for switch in range(case.units * in_group)}
        assert case.reserve > case.units or max(dealt) - min(dealt) <= 1
    ports = [(name, *end) for name, a, a_port, b, b_port in found for end in ((a, a_port), (b, b_port))]
    assert len(set(ports)) == len(ports)
    used = Counter((name, switch) for name, switch, _ in ports)
    for mesh in cluster.design.tiers[0].meshes:
        degrees = [used[mesh.dimension, switch] for switch in range(case.units * in_group)]
        # with free places the last group may have none of the ports that are numbered for them
        assert max(degrees) == mesh.run.count if case.reserve == case.units else max(degrees) <= mesh.run.count


@pytest.mark.slow
@pytest.mark.law
@LAWS
@given(cases(rings=False).filter(lambda case: case.units > 2))
def test_a_further_unit_within_the_reserve_moves_no_link(case: Case) -> None:
    """Both ends of every link that was there, with their ports; a ring alone is closed anew."""
    few, many = (set(list_ends(case.wire(units))) for units in (case.units - 1, case.units))
    assert few < many
