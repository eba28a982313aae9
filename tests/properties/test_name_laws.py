"""Laws of names: they say where a device is, and nothing else depends on them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.blocks.column import AddressColumn
from tests.properties.blueprints import blueprints
from tests.properties.compiling import cases, compiled, compiled_or_dropped
from tests.properties.halls import Tree


@pytest.mark.law
@cases(70)
@given(blueprints())
@pytest.mark.slow
def test_a_template_changes_names_and_nothing_else(tree: Tree) -> None:
    before = compiled_or_dropped(tree)
    named = deepcopy(tree) | {"names": {"switches": "x-{default}", "nodes": "y-{default}", "racks": "z-{default}"}}
    for fabric in named["fabrics"].values():
        for extra in fabric.get("extra", {}).values():
            if "switches" in extra:
                extra["switches"] = [f"x-{name}" for name in extra["switches"]]
    after = compiled(named)
    assert [name.removeprefix("x-").removeprefix("y-") for name in after.names] == list(before.names)
    families = zip(before.addresses.families, after.addresses.families, strict=True)
    for one, other in ((before.plan.links, after.plan.links), (before.addresses, after.addresses), *families):
        for field in fields(one):
            column = getattr(one, field.name)
            if isinstance(column, np.ndarray):
                assert (column == getattr(other, field.name)).all(), field.name
            if isinstance(column, AddressColumn):
                assert column.same(getattr(other, field.name)).all(), field.name
    assert (before.a_port == after.a_port).all()
    assert (before.b_port == after.b_port).all()
    assert [cable.split(":")[1] for cable in before.cable_ids] == [cable.split(":")[1] for cable in after.cable_ids]
    assert [f"z-{name}" for name in before.plan.racks.names] == list(after.plan.racks.names)


def running(tree: Tree) -> Tree:
    """The blueprint with running numbers for nodes, racks of nodes and every tier that may have them."""
    tiers = {name for fabric in tree["fabrics"].values() for name in fabric.get("tiers", {})}
    templates = dict.fromkeys(sorted(tiers), "{fabric}-{tier}-{index:05}")
    while True:
        names = {"switches": templates, "nodes": "n{index:05}", "racks": {"nodes": "rack-{index:05}"}}
        try:
            compiled(deepcopy(tree) | {"names": names})
        except InputError as refusal:
            (refused,) = refusal.diagnostics
            assert refused.code == "FG039"
            del templates[str(refused.path[-1])]  # its count is derived and may grow
            continue
        return deepcopy(tree) | {"names": names}


def renamed(usual: Cluster, named: Cluster) -> dict[str, str]:
    """Usual name -> name, of devices and racks."""
    pairs = [(usual.names, named.names), (usual.plan.racks.names, named.plan.racks.names)]
    return {one: other for names in pairs for one, other in zip(*names, strict=True)}


@pytest.mark.slow
@pytest.mark.law
@cases(25)
@given(blueprints(), st.data())
def test_growth_inside_the_reserve_changes_no_running_number(tree: Tree, data: st.DataObject) -> None:
    growing = [name for name, pod in tree["pods"].items() if pod.get("reserve", 1) > pod["su"] and "nodes" not in pod]
    assume(growing and not any("switches" in e for f in tree["fabrics"].values() for e in f.get("extra", {}).values()))
    before = compiled_or_dropped(tree)
    named = running(tree)
    larger = deepcopy(tree)
    larger["pods"][data.draw(st.sampled_from(growing))]["su"] += 1
    after = compiled_or_dropped(larger)
    was = renamed(before, compiled(named))
    now = renamed(after, compiled(larger | {"names": named["names"]}))
    assert len(set(was.values())) == len(was)
    assert {name: was[name] for name in was if name in now} == {name: now[name] for name in was if name in now}
