"""Laws of names: they say where a device is, and nothing else depends on them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields

import numpy as np
from hypothesis import given

from fabricgen.numbering.addresses.column import AddressColumn
from tests.properties.blueprints import blueprints
from tests.properties.compiling import cases, compiled, compiled_or_dropped
from tests.properties.halls import Tree


@cases(70)
@given(blueprints())
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
