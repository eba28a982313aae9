"""What faults cost, on the plan of a SuperPOD with 8 rails and 4 units: hand-made actions, and sums counted by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from fabricgen.verify.actions import Action, Consequence, Diagnosis, End, Kind, Step
from fabricgen.verify.cabling import PlannedCabling, make_cabling
from fabricgen.verify.consequences.costs import add_consequences
from fabricgen.verify.consequences.wording import describe_consequence
from tests.conftest import example_cluster

NAME = "superpod-b200"


@cache
def planned() -> PlannedCabling:
    """The planned cabling of the SuperPOD."""
    return make_cabling(example_cluster(NAME))


def port(place: str) -> int:
    """The planned port of DEVICE:PORT."""
    device, _, name = place.partition(":")
    ports = planned().list_device_ports(planned().device_numbers[device]).tolist()
    return next(p for p in ports if planned().port_text(p) == name)


def far(place: str) -> str:
    """DEVICE:PORT of the planned other end."""
    return planned().name_port(port(place) ^ 1)


def end(place: str) -> End:
    """An end of an action."""
    device, _, name = place.partition(":")
    return End(device, name)


def cable(place: str) -> str:
    """The id of the cable that is planned at a place."""
    return str(planned().read_cable("cable", port(place)))


def moved(kind: Kind, *pairs: tuple[str, str]) -> Action:
    """An action of steps: (where the plug is, where it belongs)."""
    steps = tuple(Step(cable(put), end(pull), end(put)) for pull, put in pairs)
    cables = tuple(step.cable for step in steps)
    return Action(kind, len(pairs), cables, tuple(step.put for step in steps), "", steps=steps)


def swap(one: str, other: str, kind: Kind = Kind.SWAP) -> Action:
    """Two plugs that sit in each other's places."""
    return moved(kind, (one, other), (other, one))


def dark(place: str) -> Action:
    """A cable that nobody sees."""
    return Action(Kind.DARK, 0, (cable(place),), (end(place), end(far(place))), "")


def judged(*actions: Action) -> Diagnosis:
    """The diagnosis with consequences."""
    states = np.zeros(len(planned().cable_ids), dtype=np.int32)
    return add_consequences(planned(), Diagnosis(states, actions), example_cluster(NAME))


def cost(action: Action) -> Consequence:
    """The consequence of one action."""
    return judged(action).actions[0].consequence


def node_ports(name: str) -> list[str]:
    """The compute ports of a node, by rail."""
    ports = planned().list_device_ports(planned().device_numbers[name]).tolist()
    mine = [p for p in ports if planned().read_link("fabric", p) == "compute"]
    return [planned().name_port(p) for p in sorted(mine, key=lambda p: int(planned().read_link("rail", p)))]


LEAF = "compute-leaf-p1-su01-r1-01"


def test_nothing_is_asked_of_a_diagnosis_without_actions() -> None:
    nothing = Diagnosis(np.zeros(0, dtype=np.int32), ())
    assert add_consequences(planned(), nothing, None) is nothing


def test_two_cables_of_a_node_on_each_others_rails() -> None:
    """Both NICs have their bandwidth on the wrong leaf, at either side that is mended."""
    ports = node_ports("p1-su01-n001")
    for action in (
        swap(far(ports[0]), far(ports[2]), Kind.CROSSED),
        swap(ports[0], ports[2], Kind.CROSSED),
    ):
        found = cost(action)
        assert found.rails == (("compute", 1, 3), ("compute", 3, 1))
        assert found.astray_gbps == {"compute node-leaf": 800}
        assert not found.lost_gbps
        assert (found.links, found.nodes, found.accelerators) == (2, 1, 8)
        assert not found.uneven
        assert not found.uplinks
        assert not found.planes
        assert not found.fabrics
    assert describe_consequence(found) == (
        "rails crossed (compute 1<->3): collectives on them leave their leaf; "
        "800 Gb/s of compute (node-leaf) on a wrong path; 8 GPUs of 1 node affected"
    )


def test_two_nodes_swapped_on_one_leaf_lose_no_bandwidth() -> None:
    one, other = node_ports("p1-su01-n001")[0], node_ports("p1-su01-n002")[0]
    assert far(one).startswith(LEAF)
    assert far(other).startswith(LEAF)
    found = cost(swap(far(one), far(other)))
    assert found == Consequence(links=2, nodes=2, accelerators=16)
    assert describe_consequence(found).startswith("no bandwidth lost: ")
    assert "16 GPUs of 2 nodes" in describe_consequence(found)


def test_two_nodes_swapped_between_units_stay_on_their_rail() -> None:
    one, other = node_ports("p1-su01-n001")[3], node_ports("p1-su02-n001")[3]
    found = cost(swap(one, other))
    assert found.astray_gbps == {"compute node-leaf": 800}
    assert not found.rails
    assert found.accelerators == 16


def test_a_dark_uplink_is_a_share_of_the_leaf() -> None:
    uplinks = [p for p in planned().list_device_ports(planned().device_numbers[LEAF]).tolist() if not p & 1]
    uplinks = [p for p in uplinks if planned().read_link("fabric", p) == "compute"]
    place = planned().name_port(uplinks[0])
    found = cost(dark(place))
    assert found.lost_gbps == {"compute leaf-spine": 400}
    assert found.uplinks == ((LEAF, 1, len(uplinks)),)
    below = {
        far(planned().name_port(p)).partition(":")[0] for p in planned().list_device_ports(port_device(LEAF)) if p & 1
    }
    assert found.nodes == len(below & nodes())
    assert found.accelerators == 8 * len(below & dgx())
    both = judged(dark(place), dark(planned().name_port(uplinks[1])))
    share = 2 / len(uplinks)
    most = f"of all switches {LEAF} has lost the most uplinks: 2 of {len(uplinks)} ({share:.1%}); its oversubs"
    assert both.notes[0].startswith(most)


def test_an_uplink_that_two_actions_tell_is_lost_once() -> None:
    ports = planned().list_device_ports(planned().device_numbers[LEAF]).tolist()
    places = [planned().name_port(p) for p in ports if not p & 1 and planned().read_link("fabric", p) == "compute"]
    told = judged(*map(dark, [*places, places[0]]))
    (note,) = told.notes
    assert note.endswith(f"uplinks: {len(places)} of {len(places)} (100.0%)")


def test_jumpers_of_one_cable_that_several_actions_tell_cost_each_their_own() -> None:
    """A node without power and, at the other jumper of its cage, a cable that is dark or in a free cage."""
    leaf = "storage-leaf-p1-su01-r1-01"
    here, beside = f"{leaf}:Ethernet0", f"{leaf}:Ethernet4"
    assert cable(here) == cable(beside)
    off = Action(Kind.DARK, 0, (cable(here),), (End(far(here).partition(":")[0], ""),), "")
    astray = moved(Kind.MOVE, (f"{leaf}:Ethernet400", beside))
    for action, lost in ((dark(beside), 400), (astray, 0)):
        both = [told.consequence for told in judged(off, action).actions]
        assert [sum(consequence.lost_gbps.values()) for consequence in both] == [400, lost]
        assert [consequence.nodes for consequence in both] == [1, 1]


def port_device(name: str) -> int:
    """The row of a device."""
    return planned().device_numbers[name]


def nodes() -> set[str]:
    """Names of nodes and extra devices."""
    return {name for i, name in enumerate(planned().device_names) if planned().read_device("tier", i) == "node"}


def dgx() -> set[str]:
    """Names of nodes with accelerators."""
    return {name for name in nodes() if planned().read_device("model", port_device(name)) == "dgx-b200"}


def test_uplinks_of_two_leaves_swapped_at_their_spines() -> None:
    """Each leaf has a link too many to one spine, and one too few to the other."""
    one, other = f"{LEAF}:17/1", "compute-leaf-p1-su01-r2-01:18/1"
    spines = [far(one).partition(":")[0], far(other).partition(":")[0]]
    assert spines[0] != spines[1]
    found = cost(swap(far(one), far(other)))
    assert found.astray_gbps == {"compute leaf-spine": 800}
    assert not found.rails
    assert {(there, planned) for _, _, there, planned in found.uneven}
    assert len(found.uneven) == 4
    assert {switch for switch, *_ in found.uneven} == {LEAF, "compute-leaf-p1-su01-r2-01"}
    assert all(abs(there - planned) == 1 for _, _, there, planned in found.uneven)


def test_uplinks_of_one_leaf_swapped_are_even() -> None:
    one, other = far(f"{LEAF}:17/1"), far(f"{LEAF}:18/1")
    found = cost(swap(one, other))
    assert not found.uneven
    assert not found.astray_gbps


def test_a_plug_in_another_fabric() -> None:
    ports = planned().list_device_ports(port_device("p1-su01-n001")).tolist()
    storage = next(planned().name_port(p) for p in ports if planned().read_link("fabric", p) == "storage")
    found = cost(swap(node_ports("p1-su01-n001")[0], storage))
    assert ("compute", "storage") in found.fabrics or ("storage", "compute") in found.fabrics
    assert sum(found.astray_gbps.values()) > 0


def test_a_plug_in_a_spare_port_of_the_right_switch_and_of_another() -> None:
    place = node_ports("p1-su01-n001")[0]
    assert not cost(moved(Kind.MOVE, (f"{LEAF}:99/9", far(place)))).astray_gbps
    other = "compute-leaf-p1-su01-r3-01:99/9"
    found = cost(moved(Kind.MOVE, (other, far(place))))
    assert found.rails == (("compute", 1, 3),)
    assert found.astray_gbps == {"compute node-leaf": 400}


def test_a_shift_on_a_leaf_and_the_end_of_its_chain() -> None:
    leaf = [far(node_ports(f"p1-su01-n00{i}")[0]) for i in range(1, 5)]
    action = moved(Kind.SHIFT, *zip(leaf[1:], leaf, strict=False))
    found = cost(replace(action, cables=(*action.cables, cable(leaf[3]))))
    assert found.lost_gbps == {"compute node-leaf": 400}
    assert not found.astray_gbps


def test_exchanged_boxes() -> None:
    """Nodes of one unit are on the same leaves; leaves of two rails are crossed with all that is on them."""
    pair = {"p1-su01-n001": "p1-su01-n002", "p1-su01-n002": "p1-su01-n001"}
    cables = tuple(cable(place) for name in pair for place in node_ports(name))
    found = cost(Action(Kind.EXCHANGE, 0, cables, (), "", boxes=2, renamed=pair))
    assert found == Consequence(links=16, nodes=2, accelerators=16)
    other = "compute-leaf-p1-su01-r3-01"
    names = [planned().device_names[d] for d in range(len(planned().device_names))]
    places = [node_ports(name)[rail] for name in names if name in dgx() and "su01" in name for rail in (0, 2)]
    leaves = {LEAF: other, other: LEAF}
    found = cost(Action(Kind.EXCHANGE, 0, tuple(map(cable, places)), (), "", boxes=2, renamed=leaves))
    assert found.rails == (("compute", 1, 3), ("compute", 3, 1))
    assert found.astray_gbps == {"compute node-leaf": 400 * len(places)}


def test_optics_and_doubts_cost_nothing_that_is_known() -> None:
    place = node_ports("p1-su01-n001")[0]
    found = cost(replace(dark(place), kind=Kind.PORT))
    assert found == Consequence()
    assert describe_consequence(found) == ""
