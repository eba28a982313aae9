"""The unit of verify is the plug: connectors as labels have them, jumpers that move alone, and shifts of whole rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fabricgen.export.technician.labels import make_label_table
from fabricgen.export.technician.records import make_records
from fabricgen.verify.actions import Diagnosis, Kind
from fabricgen.verify.cabling import PlannedCabling, make_cabling, read_cabling
from fabricgen.verify.diagnosis import diagnose
from tests.conftest import BLUEPRINTS, Ran, example_cluster
from tests.verify.diagnosis.hall import Hall, cabling

B300 = "superpod-b300"
LEAF = "compute-leaf-p1-su01-r1-pl1-01"
"""Its cages 33 to 48 have a jumper of each pair in connector 1 and 2, to one spine a cage: Ethernet256, 260, 264..."""


def _plug(hall: Hall, place: str) -> int:
    device, _, port = place.partition(":")
    return int(hall.cabling.plug[hall.numbers[hall.cabling.device_numbers[device], port]])


def _rotated(name: str, *places: str, into: tuple[str, ...] = ()) -> Diagnosis:
    """What is found where each plug sits in the place of the next one, the last in that of the first or in `into`."""
    hall = Hall(cabling(name))
    plugs = [_plug(hall, place) for place in places]
    cages = [hall.cage[plug] for plug in plugs]
    last = (hall.device_of(cages[0]), into) if into and cages[0] is not None else cages[0]
    for plug, cage in zip(plugs, [*cages[1:], last], strict=True):
        hall.cage[plug] = cage
    return diagnose(hall.cabling, hall.seen())


@cache
def _labels(name: str, *sets: str) -> dict[tuple[str, str], list[str]]:
    columns = make_label_table(make_records(example_cluster(name, *sets))).columns
    found: dict[tuple[str, str], list[str]] = {}
    for cable, device, port in zip(*(columns[w] for w in ("cable", "near_device", "near_port")), strict=True):
        found.setdefault((str(cable), str(device)), []).append(str(port).partition(" ")[0])
    return {key: sorted(ports) for key, ports in found.items()}


def _connectors(plan: PlannedCabling) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    _, first = np.unique(plan.plug, return_index=True)
    for port in first.tolist():
        key = str(plan.cable_ids[plan.cable[port >> 1]]), plan.device_names[plan.device[port]]
        found.setdefault(key, []).append(plan.connector_text(port))
    return {key: sorted(texts) for key, texts in found.items()}


@pytest.mark.parametrize("name", ["leaf-spine", "superpod-b300", "mixed-breakouts", "multi-plane", "nvl72-gb200"])
def test_plugs_are_those_that_have_labels(name: str) -> None:
    assert _connectors(cabling(name)) == _labels(name)


def test_plugs_of_splitters_and_jumpers_that_were_built_elsewhere_are_those_that_have_labels() -> None:
    """The ids of cables keep the cages that were planned."""
    splitters, jumpers = (f"compute-leaf-p1-su01-rg{group}-01" for group in (1, 2))
    built = {f"{splitters}:1": "3", f"{splitters}:3": "1", f"{jumpers}:63": "64", f"{jumpers}:64": "63"}
    sides = {cable: "b" if cable.startswith(splitters) else "a" for cable in built}
    cables = ", ".join(f'"{cable}": {{{sides[cable]}_cage: "{cage}"}}' for cable, cage in built.items())
    sets = ("pods.p1.su=2", "scalable_unit.nodes=4 x mi300x-8", f"cable_of={{{cables}}}", "floor.tray_m=0.3")
    plan = make_cabling(example_cluster("rail-groups", *sets))
    assert _connectors(plan) == _labels("rail-groups", *sets)
    assert _connectors(plan)[f"{splitters}:1", splitters] == ["3"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mixed-breakouts", "patched-hall", "rail-groups"])
def test_a_built_folder_has_the_plugs_of_its_blueprint(
    name: str, tmp_path: Path, fabricgen: Callable[..., Ran]
) -> None:
    out = tmp_path / "out"
    assert (
        fabricgen("build", BLUEPRINTS / f"{name}.yaml", "-o", out, "--only", "devices,links,cables,addresses").code == 0
    )
    ours, theirs = cabling(name), read_cabling(out)
    assert ours.plug.tolist() == theirs.plug.tolist()
    assert _connectors(ours) == _connectors(theirs)


def test_one_jumper_in_another_cage_is_two_plugs_by_connector() -> None:
    (action,) = _rotated(B300, f"{LEAF}:Ethernet256", f"{LEAF}:Ethernet264").actions
    assert (action.kind, action.moves) == (Kind.SWAP, 2)
    assert {step.pull.connector for step in action.steps} == {"33/1", "34/1"}
    assert {end.rack for end in action.ends} == {"p1-su01-net01"}
    assert "Ethernet256 (33/1) and Ethernet264 (34/1) are swapped" in action.text
    (spines,) = action.alternatives
    assert {step.pull.device for step in spines.steps} == {"compute-spine-pl1-01", "compute-spine-pl1-02"}


def test_both_plugs_of_a_cage_are_one_pull() -> None:
    hall = Hall(cabling(B300))
    for one, other in ((256, 264), (260, 268)):
        plugs = [_plug(hall, f"{LEAF}:Ethernet{port}") for port in (one, other)]
        hall.cage[plugs[0]], hall.cage[plugs[1]] = plugs[1], plugs[0]
    (action,) = diagnose(hall.cabling, hall.seen()).actions
    assert (action.kind, action.moves, len(action.steps)) == (Kind.SWAP, 2, 4)


@pytest.mark.parametrize("other", ["compute-spine-pl1-01:Ethernet2/5", f"{LEAF}:Ethernet320"])
def test_pairs_that_went_round_stay_pairs_where_a_jumper_of_them_is_swapped_too(other: str) -> None:
    """Four pulls, and the swap of a jumper at the other end, or at the same: no seven single plugs."""
    hall = Hall(cabling(B300))
    pairs = [[_plug(hall, f"{LEAF}:Ethernet{cage + lane}") for cage in (256, 264, 272, 280)] for lane in (0, 4)]
    for plugs in pairs:
        for at, plug in enumerate(plugs):
            hall.cage[plug] = plugs[(at + 1) % 4]
    swapped = [_plug(hall, other), _plug(hall, f"{LEAF}:Ethernet256")]
    if "spine" in other:
        swapped[1] = _plug(hall, "compute-spine-pl1-01:Ethernet1/1")
    cages = [hall.cage[plug] for plug in swapped]
    hall.cage[swapped[0]], hall.cage[swapped[1]] = cages[1], cages[0]
    actions = diagnose(hall.cabling, hall.seen()).actions
    assert sum(action.moves for action in actions) == 6
    hall.apply(actions)
    assert hall.cage == list(range(hall.plugs))


def test_first_jumpers_shifted_by_a_cage() -> None:
    first = [f"{LEAF}:Ethernet{port}" for port in range(256, 256 + 8 * 8, 8)]
    (action,) = _rotated(B300, *first).actions
    assert (action.kind, action.moves) == (Kind.SHIFT, 8)
    assert {step.pull.connector for step in action.steps} == {f"{cage}/1" for cage in range(33, 41)}


def test_jumpers_of_two_leaves_swapped_at_a_spine_cross_no_rails() -> None:
    """Each leaf has its link to the spine still."""
    (action,) = _rotated(B300, "compute-spine-pl1-01:Ethernet1/1", "compute-spine-pl1-01:Ethernet2/1").actions
    assert (action.kind, action.moves) == (Kind.SWAP, 2)
    assert "crossed" not in action.text


def test_what_is_left_of_a_ring_of_plugs_that_are_alike_is_harmless() -> None:
    """Once 4/2 and 7/1 are swapped, those in 7/1 and 7/2 go from one node to one leaf."""
    found = _rotated("small-pair", *(f"compute-leaf-02:{port}" for port in ("7/1", "7/3", "4/3")))
    (action,) = found.actions
    assert (action.kind, action.moves) == (Kind.SWAP, 2)
    assert action.cables == ("compute-leaf-02:4.2", "compute-leaf-02:7.1", "compute-leaf-02:7.2")


def test_splitter_that_hangs_loose_beside_a_node_without_power() -> None:
    """Nodes 1 and 2 are on 1/1 of each leaf, and the other plug of the cage is told on its own."""
    hall = Hall(cabling("dual-tor"))
    leaf, node = "compute-tor-p1-su01-r1-pl1-01", "p1-su01-host-001"
    for plug, device in enumerate(hall.device):
        if hall.cabling.device_names[device] == node:
            hall.cage[plug] = None
    hall.cage[_plug(hall, f"{leaf}:Ethernet1/5")] = None
    every = set(range(len(hall.cabling.device_names)))
    found = diagnose(hall.cabling, hall.seen(every - {hall.cabling.device_numbers[node]})).actions
    assert [action.kind for action in found] == [Kind.DARK, Kind.DARK]
    assert "is it powered?" in found[0].text
    assert found[1].cables == (f"{leaf}:1",)
    assert {end.port for end in found[1].ends if end.device == leaf} == {"Ethernet1/5"}


def test_half_a_module_in_a_free_cage() -> None:
    """The spine has no cable in its cages 9 to 16."""
    (action,) = _rotated("rail-groups", "compute-spine-01:Ethernet1/1", into=("Ethernet12/5",)).actions
    (step,) = action.steps
    assert (action.kind, action.moves) == (Kind.MOVE, 1)
    assert (step.pull.cage, step.pull.connector, step.put.connector) == ("12", "12/2", "1/1")


@pytest.mark.parametrize("by", [1, 2, 3, 8])
def test_uplinks_of_all_leaves_some_cages_low_are_shifts_and_no_boxes(by: int) -> None:
    hall = Hall(cabling("leaf-spine"))
    leaves = [name for name in hall.cabling.device_names if "-leaf-" in name]
    for leaf in leaves:
        device = hall.cabling.device_numbers[leaf]
        ports = range(224, 256, 8)
        for port in ports:
            low = port - 8 * by
            cage = _plug(hall, f"{leaf}:Ethernet{low}") if low in ports else (device, (f"Ethernet{low}",))
            hall.cage[_plug(hall, f"{leaf}:Ethernet{port}")] = cage
    actions = diagnose(hall.cabling, hall.seen()).actions
    assert [(action.kind, action.moves) for action in actions] == [(Kind.SHIFT, 4)] * len(leaves)


def test_uplinks_of_all_leaves_shifted_round_are_shifts_or_boxes() -> None:
    """Every pair of devices has its link, so that the shifts come first; the exchange is told beside them."""
    hall = Hall(cabling("leaf-spine"))
    for leaf in (name for name in hall.cabling.device_names if "-leaf-" in name):
        plugs = [_plug(hall, f"{leaf}:Ethernet{port}") for port in range(224, 256, 8)]
        for at, plug in enumerate(plugs):
            hall.cage[plug] = plugs[(at + 2) % 4]
    actions = diagnose(hall.cabling, hall.seen()).actions
    assert {(action.kind, action.moves) for action in actions} == {(Kind.SHIFT, 4)}
    assert all("are exchanged as boxes" in action.alternatives[-1].text for action in actions)


def test_nics_of_one_leaf_with_addresses_are_no_harmless_swap() -> None:
    """NIC1 and NIC3 go to one leaf, but their subnets of two addresses do not."""
    found = _rotated("rail-groups", "p1-su01-n001:NIC1", "p1-su01-n001:NIC3")
    (action,) = found.actions
    assert action.moves == 2
    assert not found.harmless


def test_rail_groups_that_are_exchanged_are_one_action() -> None:
    hall = Hall(cabling("rail-groups"))
    for nic in (1, 3, 5, 7):
        plugs = [_plug(hall, f"p1-su01-n001:NIC{number}") for number in (nic, nic + 1)]
        hall.cage[plugs[0]], hall.cage[plugs[1]] = plugs[1], plugs[0]
    (action,) = diagnose(hall.cabling, hall.seen()).actions
    assert (action.kind, action.moves) == (Kind.CROSSED, 4)  # both jumpers of two leaf cages each: four pulls
    assert "rails 1 and 2, 3 and 4, 5 and 6, 7 and 8 are crossed" in action.text
