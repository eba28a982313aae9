"""Names from templates, from the blueprint to what is written."""

from __future__ import annotations

import pytest

from fabricgen.kernel.diagnostics import InputError
from tests.conftest import example_cluster

OWN = (
    'names.switches={leaf: "{cluster}-{pod}-su{su:02}-r{rail}", spine: "s{n:03}"}',
    'names.nodes="{site}-{pod}-{su}-rk{rack}-{n:02}"',
    "names.devices={s002: edge}",
)


def test_usual_names_are_those_of_the_usual_templates() -> None:
    usual = example_cluster("leaf-spine")
    stated = example_cluster(
        "leaf-spine",
        'names.switches={leaf: "{fabric}-{tier}-{pod}-su{su:02}-r{rail}-{n:02}", spine: "{fabric}-{tier}-{n:02}"}',
        'names.nodes="{pod}-su{su:02}-n{node:03}"',
    )
    assert stated.names == usual.names
    assert "compute-leaf-p1-su01-r1-01" in usual.names
    assert "p1-su02-n004" in usual.names


def test_templates_and_own_names_hold() -> None:
    names = example_cluster("leaf-spine", *OWN).names
    assert {"leaf-spine-p1-su02-r2", "s001", "edge", "s003", "site1-p1-2-rk1-04"} <= set(names)
    assert "s002" not in names


def test_a_template_of_a_fabric_wins() -> None:
    named = example_cluster(
        "leaf-spine", 'names.switches="top-{default}"', 'fabrics.compute.names={spine: "own-{default}"}'
    ).names
    assert {"top-compute-leaf-p1-su01-r1-01", "own-compute-spine-01"} <= set(named)


def test_configurations_carry_the_names() -> None:
    cluster = example_cluster("leaf-spine", *OWN)
    views = {view.name: view for view in cluster.switches()}
    assert {port.peer for port in views["edge"].ports} == {f"leaf-spine-p1-su0{u}-r{r}" for u in (1, 2) for r in (1, 2)}
    assert all(cable.split(":")[0] in cluster.names for cable in cluster.cable_ids)


def test_extra_devices_name_switches_as_they_are_called() -> None:
    sets = ('names.switches="x-{default}"', "names.devices={x-compute-leaf-p1-su02-r2-01: edge}")
    extra = "fabrics.compute.extra.gate={device: generic-server, ports: 1, switches: [edge]}"
    cluster = example_cluster("leaf-spine", *sets, extra)
    edge = next(view for view in cluster.switches() if view.name == "edge")
    assert "gate" in {port.peer for port in edge.ports}
    with pytest.raises(InputError, match=r"there is no leaf switch 'x-compute-leaf-p1-su02-r2-01'"):
        example_cluster("leaf-spine", *sets, extra.replace("edge", "x-compute-leaf-p1-su02-r2-01"))
