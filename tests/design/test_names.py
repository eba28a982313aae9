"""Names from templates, from the blueprint to what is written."""

from __future__ import annotations

import pytest

from fabricgen.design.floor.halls import print_row_number
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


RACKED = (
    'names.racks={nodes: "{hall}-r{row}-{column:02}", shared: "{run}-{n}"}',
    'names.switches={leaf: "su{su:02}-rk{rack:02}-leaf{rail}"}',
)


def test_patch_racks_are_named_by_templates_and_stand_where_they_stood() -> None:
    usual = example_cluster("patched-hall").plan
    for sets, first in {
        'names.racks={panels: "{hall}-{rule}-r{row}-{place}-{n}"}': "hall1-uplinks-r-1-netrow01-1",
        'names.racks="z-{default}"': "z-patch-uplinks-netrow01-01",
    }.items():
        named = example_cluster("patched-hall", sets).plan
        assert first in named.racks.names
        assert (named.patching.panels.rack == usual.patching.panels.rack).all()
        assert (named.racks.column == usual.racks.column).all()


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("p-{su}", "names of racks of patch panels have no field {su}"),
        ("p-{n}", "two racks would be named p-1"),
        ("P-{place}", "P-netrow01 is no name of a rack"),
        ("net-oob-spine-0{n}", "two racks would be named net-oob-spine-01"),
    ],
)
def test_templates_of_patch_racks_that_name_none_are_refused(template: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        example_cluster("patched-hall", f'names.racks={{panels: "{template}"}}')
    assert said in str(caught.value)
    assert [d.path for d in caught.value.diagnostics] == [("names", "racks", "panels")]


def test_racks_are_named_by_templates_and_moved_by_their_names() -> None:
    usual = example_cluster("leaf-spine").plan.racks
    named = example_cluster("leaf-spine", *RACKED).plan.racks
    nodes = {name for name, was in zip(named.names, usual.names, strict=True) if "-rk" in was}
    assert nodes == {"hall1-r1-01", "hall1-r1-03"}
    assert {"p1-su01-net01", "p1-su02-net01"} < set(named.names), "only the templates that are stated apply"
    assert "compute-spine-1" in named.names
    assert (usual.row == named.row).all()
    first = named.names[0]
    moved = example_cluster("leaf-spine", *RACKED, f"floor.racks={{{first}: {{row: 9, column: 3}}}}").plan.racks
    assert moved.names == named.names, "a rack keeps the name of its usual place"
    assert (moved.row[0], moved.column[0]) == (8, 2)


def test_names_tell_the_place_that_racks_csv_has() -> None:
    cluster = example_cluster("leaf-spine", 'names.racks="r{row}-{column}-{hall}"')
    racks = cluster.plan.racks
    for name, row, column in zip(racks.names, print_row_number(racks.row), print_row_number(racks.column), strict=True):
        assert name.startswith(f"r{row}-{column}-")


@pytest.mark.parametrize(
    ("example", "tier", "template"),
    [
        ("leaf-spine", "leaf", "su{su:02}-rk{rack:02}-leaf{rail}"),
        ("superpod-b300", "leaf", "{fabric}-{pod}-su{su:02}-net{rack:02}-{rail}-{plane}-{n}"),
    ],
)
def test_a_leaf_tells_the_rack_that_it_stands_in(example: str, tier: str, template: str) -> None:
    cluster = example_cluster(example, f'fabrics.compute.names={{{tier}: "{template}"}}')
    devices = cluster.plan.devices
    for cls in devices.classes:
        if (cls.fabric, cls.tier) == ("compute", tier):
            for row in range(cls.rows.start, cls.rows.stop):
                rack = cluster.plan.racks.names[devices.rack[row]]
                number = rack[-2:]
                assert f"-{'rk' if 'rk' in template else 'net'}{number}-" in cluster.names[row]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("names.switches={spine: 'x{rack}'}", "compute spine switches have no field {rack}\n  hint: known: cluster"),
        ("names.switches={leaf: 'x{rack}-{n}-{su}'}", "two compute leaf switches would get the same name"),
        ("names.switches={leaf: 'x{rakc}-{n}'}", "no field {rakc}\n  hint: did you mean 'rack'?"),
        ("names.racks={nodes: 'x{rack}'}", "two racks would be named x1"),
        ("names.racks={noeds: 'x{rack}'}", "there are no racks 'noeds' to name\n  hint: did you mean 'nodes'?"),
        ("names.racks={shared: 'x{su}'}", "names of shared network racks have no field {su}"),
        ("names.racks={network: '{index}'}", "names of network racks of units have no field {index}"),
    ],
)
def test_templates_that_do_not_fit_say_what_would(setting: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        example_cluster("leaf-spine", setting)
    assert said in str(caught.value)


def test_the_rack_is_no_field_where_extra_devices_name_switches() -> None:
    extra = "fabrics.compute.extra.gate={device: generic-server, ports: 1, switches: [x]}"
    with pytest.raises(InputError, match="by the rack that they stand in"):
        example_cluster("leaf-spine", RACKED[1], extra)


RUNNING = (
    'names.nodes="gpu{index:04}"',
    'names.racks={nodes: "rack{index:03}"}',
    'names.switches={leaf: "leaf{index:03}"}',
)


def renamed(*sets: str) -> dict[str, str]:
    """Usual name -> name with running numbers, of devices and racks."""
    usual, named = example_cluster("leaf-spine", *sets), example_cluster("leaf-spine", *sets, *RUNNING)
    pairs = [(usual.names, named.names), (usual.plan.racks.names, named.plan.racks.names)]
    return {one: other for names in pairs for one, other in zip(*names, strict=True)}


def test_a_running_number_counts_over_all_groups_and_growth_changes_none() -> None:
    pods = "pods={{a: {{su: {}, reserve: 3}}, b: {{su: {}, reserve: 2}}}}"
    before, after = renamed(pods.format(2, 1)), renamed(pods.format(3, 2))
    assert {name: after[name] for name in before} == before
    assert before["a-su02-n001"] == "gpu0005"
    assert before["b-su01-n001"] == "gpu0013", "three units of four nodes are reserved before it"
    assert before["compute-leaf-a-su02-r1-01"] == "leaf003"
    assert before["compute-leaf-b-su01-r2-01"] == "leaf008"
    assert before["b-su01-rk01"] == "rack004"


@pytest.mark.parametrize("count", ["", "count"])
def test_a_running_number_over_a_derived_count_is_refused(count: str) -> None:
    sets = ["names.switches={spine: 's{index}'}", "fabrics.compute.tiers.spine.per=pod"]
    sets.append(f"fabrics.compute.tiers.spine.count={4 if count else 'null'}")
    if count:
        assert "s4" in example_cluster("leaf-spine", *sets).names
        return
    with pytest.raises(InputError, match="the count of spine is derived and may grow"):
        example_cluster("leaf-spine", *sets)
