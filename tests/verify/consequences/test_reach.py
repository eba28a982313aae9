"""Whether planned cables could be where their plugs are: lengths as ordered against runs without slack."""

from __future__ import annotations

import numpy as np
import pytest

from fabricgen.verify.actions import Action, Diagnosis, End, Kind, Step
from fabricgen.verify.cabling import make_cabling
from fabricgen.verify.consequences.costs import add_consequences
from fabricgen.wiring.cabling.routes import measure_device_runs
from tests.conftest import example_cluster


def told(name: str, step: Step, *, floor: bool = True) -> bool | None:
    """What is said of a step's reach."""
    cluster = example_cluster(name)
    cabling = make_cabling(cluster)
    action = Action(Kind.MOVE, 1, (step.cable,), (step.put,), "", steps=(step,))
    states = np.zeros(len(cabling.cable_ids), dtype=np.int32)
    found = add_consequences(cabling, Diagnosis(states, (action,)), cluster if floor else None)
    return found.actions[0].steps[0].reaches


@pytest.mark.slow
@pytest.mark.parametrize("name", ["superpod-b200", "leaf-spine"])
def test_reach_is_that_of_the_floor(name: str) -> None:
    """Every tenth cable of the plan against every device of its kind at its upper end."""
    cluster = example_cluster(name)
    cabling = make_cabling(cluster)
    switches = [i for i in range(len(cabling.device_names)) if cabling.read_device("tier", i) != "node"]
    devices, racks, floor = cluster.plan.devices, cluster.plan.racks, cluster.design.loaded.blueprint.floor
    told_of = set()
    for port in range(0, cabling.ports, cabling.ports // 10 & ~1):
        put = End(cabling.device_names[cabling.device[port + 1]], cabling.port_text(port + 1))
        for switch in switches[:: max(1, len(switches) // 6)]:
            pull = End(cabling.device_names[switch], "nowhere")
            found = told(name, Step(str(cabling.read_cable("cable", port)), pull, put))
            a, b = (np.array([d], dtype=np.int32) for d in (cabling.device[port], switch))
            run_m = measure_device_runs(devices, racks, floor, a, b)[0]
            bare_m = (run_m - 2 * floor.trays.loop_m) / (1 + floor.slack)
            assert found is bool(float(cabling.read_cable("length_m", port)) >= bare_m - 1e-6)
            told_of.add(found)
    assert name != "superpod-b200" or told_of == {True, False}


@pytest.mark.slow
def test_the_planned_place_is_always_within_reach() -> None:
    cabling = make_cabling(example_cluster("superpod-b200"))
    for port in range(1, cabling.ports, 301 * 2):
        end = End(cabling.device_names[cabling.device[port]], cabling.port_text(port))
        assert told("superpod-b200", Step(str(cabling.read_cable("cable", port)), end, end))


def test_unknown_without_a_floor_through_panels_and_between_sites() -> None:
    cabling = make_cabling(example_cluster("leaf-spine"))
    end = End(cabling.device_names[cabling.device[1]], cabling.port_text(1))
    assert told("leaf-spine", Step(str(cabling.read_cable("cable", 1)), end, end), floor=False) is None
    assert told("leaf-spine", Step("", end, end)) is None
    assert told("leaf-spine", Step("x", End("no-such", "1"), end)) is None
    cluster = example_cluster("patched-hall")
    cabling = make_cabling(cluster)
    patching = cluster.plan.patching
    assert patching is not None
    cable = cluster.cable_ids[int(np.flatnonzero(patching.policy >= 0)[0])]
    port = next(p for p in range(1, cabling.ports, 2) if cabling.read_cable("cable", p) == cable)
    end = End(cabling.device_names[cabling.device[port]], cabling.port_text(port))
    assert told("patched-hall", Step(cable, end, end)) is None
