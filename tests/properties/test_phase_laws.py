"""Laws of phases over generated blueprints: what is there at a phase is there at the next, number by number."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.blueprint.sections.phases import Phase
from fabricgen.cluster import Cluster
from fabricgen.design.model import Design
from fabricgen.design.phase_selection import Selection, check_phases, select_phase
from fabricgen.design.summary import summarize_design
from fabricgen.export.files import addresses, cables, devices, endpoints, links
from fabricgen.export.plugs import make_label_texts
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.phases.summary import summarize_phase
from fabricgen.phases.tables import cut_cluster
from fabricgen.reports.table import Table
from tests.properties.blueprints import FAMILIES
from tests.properties.compiling import cases, compiled_or_dropped
from tests.properties.halls import Tree

TABLES = (devices.make_table, links.make_table, cables.make_table, addresses.make_table, endpoints.make_table)


@st.composite
def phases(draw: st.DrawFn, design: Design) -> Tree:
    """A phase of a design that leaves something out, most often."""
    found: Tree = {}
    for key, most in (("planes", "planes"), ("rails", "rails")):
        several = {f.name: getattr(f, most) for f in design.fabrics if getattr(f, most) > 1}
        if several and draw(st.booleans()):
            fabric = draw(st.sampled_from(sorted(several)))
            numbers = draw(st.sets(st.integers(1, several[fabric]), min_size=1))
            found[key] = {fabric: sorted(numbers)}
    for pod in design.layout.pods:
        if pod.su > 1 and draw(st.booleans()):
            found.setdefault("units", {})[pod.name] = draw(st.integers(1, pod.su))
    tiers = [tier for tier in design.tiers if tier.count > 1]
    if tiers and draw(st.booleans()):
        tier = draw(st.sampled_from(tiers))
        found["switches"] = {f"{tier.fabric}.{tier.name}": draw(st.integers(1, tier.count - 1))}
    names = [fabric.name for fabric in design.fabrics]
    if len(names) > 1 and draw(st.booleans()):
        found["fabrics"] = sorted(draw(st.sets(st.sampled_from(names), min_size=1)))
    if len(design.layout.pods) > 1 and draw(st.booleans()):
        found["pods"] = sorted(draw(st.sets(st.sampled_from([p.name for p in design.layout.pods]), min_size=1)))
    return found


def phased(whole: Cluster, stated: dict[str, Tree]) -> Cluster:
    """The cluster with phases stated in its blueprint."""
    blueprint = whole.design.loaded.blueprint
    named = {name: Phase.model_validate(phase) for name, phase in stated.items()}
    loaded = replace(whole.design.loaded, blueprint=blueprint.model_copy(update={"phases": named}))
    return replace(whole, design=replace(whole.design, loaded=loaded))


def rows(table: Table) -> list[tuple[object, ...]]:
    """The rows of a table, as text."""
    return list(zip(*(map(str, column) for column in table.columns.values()), strict=True))


def parts(cluster: Cluster) -> list[list[tuple[object, ...]]]:
    """The rows of all tables, and the sockets of cable ends."""
    found = [rows(table(cluster)) for table in TABLES]
    found[-1] = [row for row in found[-1] if row[3]]  # accelerators without a link are listed, too
    a, b = make_label_texts(cluster)
    return [
        *found,
        list(zip(map(str, cluster.cable_id_columns.make_id_column(cluster.plan.cables.end_cable)), a, b, strict=True)),
    ]


def either(mine: frozenset[int] | None, other: frozenset[int] | None) -> frozenset[int] | None:
    """The numbers of either; None is all of them."""
    return None if mine is None or other is None else mine | other


def widened(earlier: Selection, other: Selection) -> Selection:
    """All that either of two phases has."""
    return Selection(
        units=earlier.units | other.units,
        fabrics=earlier.fabrics | other.fabrics,
        planes={name: either(mine, other.planes[name]) for name, mine in earlier.planes.items()},
        rails={name: either(mine, other.rails[name]) for name, mine in earlier.rails.items()},
        switches={key: max(count, other.switches[key]) for key, count in earlier.switches.items()},
        extra=earlier.extra | other.extra,
    )


def only_grows(before: Cluster, after: Cluster) -> None:
    """Every row of a phase is one of the next; every port of a switch is as it will be."""
    for few, many in zip(parts(before), parts(after), strict=True):
        there = set(many)
        assert [row for row in few if row not in there] == []
    names = set(before.names)
    after_rows = {name: row for row, name in enumerate(after.names)}
    for row in before.switch_rows():
        now, then = before.switch(row), after.switch(after_rows[before.names[row]])
        apart = {"ports": (), "routes": (), "services": (), "pair": None, "pair_end": None}
        assert replace(now, **apart) == replace(then, **apart)
        if now.pair is not None:  # else the other switch may come later
            assert then.pair is not None
            assert (now.pair.name, now.pair.mate, now.pair.number) == (then.pair.name, then.pair.mate, then.pair.number)
        assert {port.peer for port in now.ports} <= names
        later_ports = {port.name: port for port in then.ports}
        for port in now.ports:
            later = later_ports[port.name]
            assert replace(port, subinterfaces=later.subinterfaces, shared=later.shared) == later
            assert set(port.subinterfaces) <= set(later.subinterfaces)
            assert set(port.shared) <= set(later.shared) & {service.fabric for service in now.services}
        assert set(now.services) <= set(then.services)
        assert {port.service for port in now.ports if port.service} <= {s.fabric for s in now.services} | {""}
    for name in before.whole_fabrics():
        before.whole_fabric(name)
    lint(before.design, before)


@pytest.mark.slow
@pytest.mark.law
@pytest.mark.parametrize("family", FAMILIES)
def test_a_phase_is_part_of_the_next(family: str) -> None:
    @cases(8)
    @given(st.deferred(FAMILIES[family]), st.data())
    def judge(tree: dict, data: st.DataObject) -> None:
        whole = compiled_or_dropped(tree)
        stated = {name: data.draw(phases(whole.design)) for name in ("first", "second")} | {"all": {}}
        try:
            check_phases(phased(whole, {"first": stated["first"]}).design)
            check_phases(phased(whole, {"second": stated["second"]}).design)
        except InputError:
            return
        whole = phased(whole, stated)
        design = whole.design
        first = select_phase(design, "first")._replace(nodes=data.draw(st.none() | st.integers(1, 3)))  # as of a lab
        both = widened(first, select_phase(design, "second"))
        chain = [cut_cluster(whole, name, selection) for name, selection in (("first", first), ("second", both))]
        end = cut_cluster(whole, "all", select_phase(design, "all"))
        only_grows(*chain)
        only_grows(chain[1], end)
        assert parts(end) == parts(whole)
        figures = summarize_design(design)
        found = summarize_phase(end)
        for fabric in figures["fabrics"].values():
            del fabric["cables"]
        for name, fabric in found["fabrics"].items():
            del fabric["cables"]
            fabric["links"] |= {k: 0 for k, v in figures["fabrics"][name]["links"].items() if not v}
        assert [(k, v, figures[k]) for k, v in found.items() if k != "phase" and v != figures[k]] == []

    judge()
