"""Each kind of fault, as it is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabricgen.export.locations import locate_devices
from fabricgen.verify.actions import CableState, Kind
from fabricgen.verify.diagnosis import diagnose
from fabricgen.verify.diagnosis.trunks import list_trunk_ends
from fabricgen.verify.sightings import Conflict, SparePort, Stranger
from tests.conftest import example_cluster
from tests.verify.diagnosis.hall import Cage, Hall, cabling

LEAF = "compute-leaf-p1-su01-r1-01"
LEAF2 = "compute-leaf-p1-su01-r2-01"


def _hall(name: str = "spare-nodes") -> Hall:
    return Hall(cabling(name))


def _port(hall: Hall, place: str) -> int:
    device, _, port = place.partition(":")
    return hall.numbers[hall.cabling.device_numbers[device], port]


def _plug(hall: Hall, place: str) -> int:
    return int(hall.cabling.plug[_port(hall, place)])


def _cage(hall: Hall, place: str) -> Cage:
    device, _, port = place.partition(":")
    if port == "spare":
        return hall.cabling.device_numbers[device], tuple(f"99/{lane}" for lane in range(8))
    return _plug(hall, place)


def _moved(hall: Hall, *places: str) -> Hall:
    """Each plug planned at a place is put at the next place; the last one at the first, unless that is `spare`."""
    plugs = [_plug(hall, place) for place in places if not place.endswith(":spare")]
    cages = [_cage(hall, place) for place in places]
    for plug, cage in zip(plugs, [*cages[1:], cages[0]], strict=False):
        hall.cage[plug] = cage
    return hall


def _only(hall: Hall):
    found = diagnose(hall.cabling, hall.seen())
    (action,) = found.actions
    return action


def _ports(hall: Hall, device: str, count: int, first: int = 0) -> list[str]:
    number = hall.cabling.device_numbers[device]
    return [hall.cabling.name_port(port) for port in hall.cabling.list_device_ports(number).tolist()][
        first : first + count
    ]


def test_as_planned():
    hall = _hall()
    found = diagnose(hall.cabling, hall.seen())
    assert (found.states[hall.cabling.cable] == CableState.AS_PLANNED).all()
    assert (found.actions, found.extra, found.harmless, found.notes) == ((), (), (), ())


def test_nothing_dumped():
    hall = _hall()
    found = diagnose(hall.cabling, hall.seen([]))
    assert (found.states == CableState.UNSEEN).all()
    assert found.actions == ()


def test_swap():
    hall = _hall()
    one, _, other = _ports(hall, LEAF, 3)
    action = _only(_moved(hall, one, other))
    assert (action.kind, action.moves, len(action.cables)) == (Kind.SWAP, 2, 2)
    assert {end.device for end in action.ends} == {LEAF}
    assert action.text == (f"{LEAF} (rack p1-su01-net01, U46): the plugs in 1/1 and 2/1 are swapped.")
    (other_side,) = action.alternatives
    assert (other_side.kind, other_side.moves) == (Kind.SWAP, 2)
    assert {step.pull.device for step in other_side.steps} == {"p1-su01-n001", "p1-su01-n003"}


def test_ring_over_devices():
    hall = _hall()
    action = _only(_moved(hall, f"{LEAF}:1/1", f"{LEAF2}:5/1", "p1-su01-n012:right-P3"))
    assert (action.kind, action.moves, len(action.cables)) == (Kind.RING, 3, 3)


@pytest.mark.parametrize(
    ("count", "backwards", "told"),
    [
        (3, False, "3 plugs in 2/1 to 3/1 are shifted round, each sits one port too high"),
        (5, True, "5 plugs in 2/1 to 4/1 are shifted round, each sits one port too low"),
    ],
)
def test_shift_round(count, backwards, told):
    hall = _hall()
    places = _ports(hall, LEAF, count, 2)
    action = _only(_moved(hall, *(reversed(places) if backwards else places)))
    assert (action.kind, action.moves) == (Kind.SHIFT, count)
    assert told in action.text


def test_shift_into_a_free_port():
    hall = _hall()
    count = len(hall.cabling.list_device_ports(hall.cabling.device_numbers[LEAF]))
    places = _ports(hall, LEAF, 4, count - 4)
    action = _only(_moved(hall, *places, f"{LEAF}:spare"))
    assert (action.kind, action.moves, len(action.cables)) == (Kind.SHIFT, 4, 4)
    names = [place.partition(":")[2] for place in places]
    assert (
        f"4 plugs are shifted by one: {names[1]} to 99/0 hold what belongs in {names[0]} to {names[3]}" in action.text
    )
    assert [step.put.port for step in action.steps] == names
    assert action.alternatives == ()


def test_move():
    hall = _hall()
    action = _only(_moved(hall, f"{LEAF}:2/1", f"{LEAF}:spare"))
    assert (action.kind, action.moves) == (Kind.MOVE, 1)
    assert action.text.endswith("one plug is in the wrong place; move 99/0 to 2/1.")


def test_crossed_rails():
    hall = _hall()
    action = _only(_moved(hall, "p1-su01-n002:left-P3", "p1-su01-n002:left-P4"))
    assert (action.kind, action.moves, len(action.cables)) == (Kind.CROSSED, 2, 2)
    assert "rails 1 and 2 are crossed" in action.text
    assert action.text.startswith("p1-su01-n002 (rack p1-su01-rk01, U12): ")
    (leaves,) = action.alternatives
    assert leaves.moves == 2
    assert {step.pull.device for step in leaves.steps} == {LEAF, LEAF2}


def test_management_of_a_leaf_has_no_say_in_its_rails():
    action = _only(_moved(_hall("patched-hall"), "p1-su02-n007:NIC1", "p1-su02-n007:NIC8"))
    assert (action.kind, action.moves) == (Kind.CROSSED, 2)
    assert "rails 1 and 8 are crossed" in action.text


def test_cables_of_two_nodes_on_a_leaf_of_all_rails_are_not_crossed():
    hall = _hall("top-of-rack")
    action = _only(_moved(hall, "p1-su01-n001:NIC1", "p1-su01-n002:NIC2"))
    assert (action.kind, action.moves) == (Kind.SWAP, 2)


def test_rolled_splitter():
    hall = _hall("leaf-spine")
    action = _only(_moved(hall, "p1-su01-n001:eth1", "p1-su01-n002:eth1"))
    assert (action.kind, action.moves) == (Kind.SPLITTER, 2)
    assert action.cables == ("compute-leaf-p1-su01-r1-01:1",)
    assert "the ends of breakout compute-leaf-p1-su01-r1-01:1 are in the wrong order" in action.text


def test_shift_of_breakouts():
    hall = _hall("rail-only")
    action = _only(_moved(hall, *(f"compute-leaf-r1-01:Ethernet{port}" for port in (8, 16, 24))))
    assert (action.kind, action.moves) == (Kind.SHIFT, 3)
    assert "3 plugs in Ethernet8 to Ethernet24 are shifted round, each sits one port too high" in action.text


def test_common_plugs_are_one_plug_each():
    hall = _hall("leaf-spine")
    leaf = "compute-leaf-p1-su01-r1-01"
    action = _only(_moved(hall, f"{leaf}:Ethernet0", f"{leaf}:Ethernet8"))
    assert (action.kind, action.moves, len(action.cables)) == (Kind.SWAP, 2, 2)
    hall = _hall("leaf-spine")
    action = _only(_moved(hall, f"{leaf}:Ethernet0", f"{leaf}:spare"))
    assert (action.kind, action.moves, len(action.cables)) == (Kind.MOVE, 1, 1)


def test_exchanged_boxes():
    hall = _hall()
    one, other = hall.cabling.device_numbers["p1-su01-n012"], hall.cabling.device_numbers["p1-su01-n013"]
    hall.tells[one], hall.tells[other] = other, one
    action = _only(hall)
    assert (action.kind, action.moves, action.boxes) == (Kind.EXCHANGE, 0, 2)
    assert action.renamed == {"p1-su01-n012": "p1-su01-n013", "p1-su01-n013": "p1-su01-n012"}
    plugs = sum(hall.device[plug] in (one, other) for plug in range(hall.plugs))
    moved, renamed = action.alternatives
    assert (moved.kind, moved.moves) == (Kind.SWAP, plugs)
    assert "only their names are exchanged: read the serial number" in renamed.text
    assert action.text.endswith(f" are exchanged: swap the two boxes, or move {plugs} plugs.")
    assert len(action.cables) == plugs


def test_ring_of_boxes_one_of_which_is_dead():
    hall = _hall()
    a, b, c = (hall.cabling.device_numbers[f"p1-su01-n0{number}"] for number in (12, 13, 14))
    hall.tells[a], hall.tells[b], hall.tells[c] = c, a, b
    for plug in range(hall.plugs):
        if hall.device[plug] == a:
            hall.cage[plug] = None
    exchange, dark = diagnose(hall.cabling, hall.seen([d for d in range(len(hall.tells)) if d != c])).actions
    assert (exchange.kind, exchange.boxes) == (Kind.EXCHANGE, 2)
    assert exchange.renamed == {"p1-su01-n012": "p1-su01-n013", "p1-su01-n013": "p1-su01-n014"}
    assert exchange.text.startswith("p1-su01-n012 stands where p1-su01-n013 (rack")
    assert (dark.kind, [end.device for end in dark.ends]) == (Kind.DARK, ["p1-su01-n012"])


def test_boxes_of_one_plug_each_are_not_exchanged():
    hall = _hall("patched-hall")
    action = _only(_moved(hall, "oob-spine-01:Ethernet0", "oob-spine-02:Ethernet0"))
    assert (action.kind, action.moves) == (Kind.SWAP, 2)


def test_spare_box_in_the_place_of_another():
    hall = _hall()
    spare, used = hall.cabling.device_numbers["p1-su01-n012"], hall.cabling.device_numbers["p1-su01-n013"]
    for plug in range(hall.plugs):
        if hall.device[plug] == spare:
            hall.cage[plug] = None
    hall.tells[spare], hall.tells[used] = used, spare
    devices = [device for device in range(len(hall.tells)) if device not in (spare, used)]
    found = diagnose(hall.cabling, hall.seen(devices))
    exchange, dark = found.actions
    assert (exchange.kind, exchange.boxes, exchange.renamed) == (Kind.EXCHANGE, 1, {"p1-su01-n012": "p1-su01-n013"})
    assert "p1-su01-n012 stands where p1-su01-n013 (rack" in exchange.text
    assert (dark.kind, dark.ends[0].device, len(dark.ends)) == (Kind.DARK, "p1-su01-n012", 1)


def test_dark():
    hall = _hall()
    hall.cage[_plug(hall, f"{LEAF}:2/1")] = None
    action = _only(hall)
    assert (action.kind, action.moves, len(action.cables), len(action.ends)) == (Kind.DARK, 0, 1, 2)
    seen = hall.seen()
    doubtful = replace(seen, doubtful=np.ones_like(seen.doubtful))
    assert diagnose(hall.cabling, doubtful).actions == ()


def test_dark_device():
    """One that has a dump of its own has power: its plugs are looked at."""
    hall = _hall()
    node = hall.cabling.device_numbers["p1-su01-n012"]
    plugs = [plug for plug in range(hall.plugs) if hall.device[plug] == node]
    for plug in plugs:
        hall.cage[plug] = None
    speaks = _only(hall)
    assert (speaks.kind, {end.device for end in speaks.ends}) == (Kind.DARK, {"p1-su01-n012"})
    assert len(speaks.ends) == len(speaks.cables) == len(plugs)
    assert "are these of one batch" in speaks.text
    (action,) = diagnose(hall.cabling, hall.seen([d for d in range(len(hall.tells)) if d != node])).actions
    assert (action.kind, [(end.device, end.port) for end in action.ends]) == (Kind.DARK, [("p1-su01-n012", "")])
    assert len(action.cables) == len(plugs)
    assert action.text.endswith(f"sees nobody and is seen by nobody ({len(plugs)} cables): is it powered?")


def test_leaf_without_power_of_which_half_is_unseen():
    """As in a dump of an InfiniBand subnet: the spines see nobody, and the nodes behind the leaf are not in it."""
    hall = _hall()
    leaf = hall.cabling.device_numbers[LEAF]
    ports = hall.cabling.list_device_ports(leaf)
    nodes = {int(device) for device in hall.cabling.device[ports ^ 1] if "-n0" in hall.cabling.device_names[device]}
    for plug in range(hall.plugs):
        if hall.device[plug] == leaf:
            hall.cage[plug] = None
    (action,) = diagnose(
        hall.cabling, hall.seen([d for d in range(len(hall.tells)) if d not in {leaf, *nodes}])
    ).actions
    assert (action.kind, [end.device for end in action.ends]) == (Kind.DARK, [LEAF])
    assert "more that nobody looked at): is it powered?" in action.text


def test_all_uplinks_of_a_leaf_dark_are_one_action():
    hall = _hall()
    leaf = hall.cabling.device_numbers[LEAF]
    up = [
        p
        for p in hall.cabling.list_device_ports(leaf)
        if "spine" in hall.cabling.device_names[hall.cabling.device[p ^ 1]]
    ]
    for port in up:
        hall.cage[int(hall.cabling.plug[port])] = None
    action = _only(hall)
    assert (action.kind, len(action.ends), {end.device for end in action.ends}) == (Kind.DARK, len(up), {LEAF})
    assert f"none of its {len(up)} cables to compute spines is up, and others are" in action.text


def test_dark_half_of_a_module():
    hall = _hall("superpod-b300")
    leaf = hall.cabling.device_numbers["compute-leaf-p1-su01-r1-pl1-01"]
    hall.cage[int(hall.cabling.plug[hall.numbers[leaf, "Ethernet260"]])] = None
    action = _only(hall)
    assert [end.connector for end in action.ends] == ["33/2", "1/2"]
    assert "though the other half of the module, compute-leaf-p1-su01-r1-pl1-01:33/1, is up" in action.text


def test_dark_device_of_which_one_cable_ends_elsewhere():
    """A cable planned for it is plugged into another box, which does not make it twelve dark cables."""
    hall = _hall()
    node = hall.cabling.device_numbers["p1-su01-n012"]
    plugs = [plug for plug in range(hall.plugs) if hall.device[plug] == node]
    for plug in plugs:
        hall.cage[plug] = None
    hall.cage[plugs[0]] = _cage(hall, "p1-su01-n011:spare")
    found = diagnose(hall.cabling, hall.seen()).actions
    assert [action.kind for action in found] == [Kind.MOVE, Kind.DARK]
    assert len(found[1].cables) == len(plugs) - 1


def test_device_that_sees_a_stranger_is_not_without_power():
    hall = _hall()
    node = hall.cabling.device_numbers["p1-su01-n012"]
    plugs = [plug for plug in range(hall.plugs) if hall.device[plug] == node]
    for plug in plugs:
        hall.cage[plug] = None
    port = int(hall.cabling.list_device_ports(node)[0])
    found = diagnose(hall.cabling, replace(hall.seen(), strangers=(Stranger(port, "printer"),))).actions
    assert {len(action.cables) for action in found} == {1}
    assert not any("powered" in action.text for action in found)


def test_moved_plug_whose_own_place_has_lost_its_cable():
    """The one plug that is moved makes one cable right; the other one is not there."""
    hall = _hall()
    one, _, other = _ports(hall, LEAF, 3)
    hall.cage[_plug(hall, one)] = None
    hall.cage[_plug(hall, other)] = _cage(hall, one)
    found = diagnose(hall.cabling, hall.seen())
    assert sorted((action.kind.value, action.moves, len(action.cables)) for action in found.actions) == [
        ("dark", 0, 1),
        ("move", 1, 1),
    ]


def test_harmless():
    """Both jumpers of one cage go to one spine, and its ports have no addresses."""
    hall = _hall("superpod-b300")
    leaf = "compute-leaf-p1-su01-r1-pl1-01"
    found = diagnose(hall.cabling, _moved(hall, f"{leaf}:Ethernet256", f"{leaf}:Ethernet260").seen())
    assert found.actions == ()
    assert (found.states == CableState.HARMLESS).sum() == 1
    assert len(found.harmless) == 2
    assert "harmless" in found.notes[0]


def test_parallel_links_with_addresses_are_not_harmless():
    """The peer links of a pair have addresses of their own: exchanged, both subnets are down."""
    hall = _hall("small-pair")
    found = diagnose(hall.cabling, _moved(hall, "inband-leaf-01:swp63", "inband-leaf-01:swp64").seen())
    (action,) = found.actions
    assert (action.kind, action.moves) == (Kind.SWAP, 2)
    assert (found.states == CableState.ELSEWHERE).sum() == 2
    assert not found.harmless


def test_extra():
    hall = _hall()
    seen = hall.seen()
    planned = hall.cabling.ports
    spare = (SparePort(0, "eth98"), SparePort(1, "eth99"), SparePort(2, "eth97"))
    more = {
        "joined_to": np.r_[seen.joined_to, [planned + 1, planned, -1]].astype(np.int32),
        "towards": np.r_[seen.towards, [-1, -1, -1]].astype(np.int32),
    }
    none = np.zeros(3, dtype=bool)
    flags = {name: np.r_[getattr(seen, name), none] for name in ("dumped", "down", "doubtful")}
    seen = replace(seen, **more, **flags, spare=spare, strangers=(Stranger(planned + 2, "printer"),))
    found = diagnose(hall.cabling, seen)
    assert found.actions == ()
    assert found.extra == ("p1-su01-n001:eth98 - p1-su01-n002:eth99", "p1-su01-n003:eth97 - printer")


def _blind(hall: Hall, *ports: int):
    seen = hall.seen()
    for port in ports:
        seen.joined_to[[port, port ^ 1]] = -1
    return seen


def test_strangers():
    hall = _hall()
    ports = [_port(hall, place) for place in _ports(hall, LEAF, 2)]
    strangers = tuple(Stranger(port, "00:11:22:33:44:55") for port in ports)
    found = diagnose(hall.cabling, replace(_blind(hall, *ports), strangers=strangers))
    assert [(action.kind, len(action.cables)) for action in found.actions] == [(Kind.PORT, 1), (Kind.PORT, 1)]
    assert "sees 00:11:22:33:44:55, which is not in the plan, instead of p1-su01-n001:" in found.actions[0].text
    ports = [_port(hall, place) ^ 1 for place in _ports(hall, "p1-su01-n001", 3)]
    strangers = tuple(Stranger(port, "unnamed") for port in ports)
    found = diagnose(hall.cabling, replace(_blind(hall, *ports), strangers=strangers))
    (action,) = found.actions
    assert action.text.startswith("3 ports that should see p1-su01-n001 (rack ")


def test_conflict():
    hall = _hall()
    one, other = (_port(hall, place) for place in _ports(hall, LEAF, 2))
    conflicts = (Conflict(one, other ^ 1, other), Conflict(other ^ 1, one, -1))
    found = diagnose(hall.cabling, replace(_blind(hall, one, other), conflicts=conflicts))
    (action,) = found.actions
    assert (action.kind, action.moves, len(action.cables)) == (Kind.PORT, 0, 2)
    assert "dumps of different times" in action.text


def test_neighbour_whose_port_is_not_told():
    hall = _hall()
    port = _port(hall, f"{LEAF}:1/1")
    seen = _blind(hall, port)
    seen.towards[port] = hall.cabling.device[port ^ 1]
    assert diagnose(hall.cabling, seen).actions == ()
    seen.towards[port] = hall.cabling.device_numbers["p1-su01-n002"]
    (action,) = diagnose(hall.cabling, seen).actions
    assert (action.kind, len(action.cables)) == (Kind.PORT, 1)
    assert "sees p1-su01-n002, at a port that is not told, instead of p1-su01-n001:" in action.text


def test_ids_stay():
    hall = _moved(_hall(), *_ports(_hall(), LEAF, 2))
    alone = _only(hall).id
    hall.cage[_plug(hall, "compute-leaf-p1-su01-r3-01:1/1")] = None
    assert alone in {action.id for action in diagnose(hall.cabling, hall.seen()).actions}


def test_exchange_that_too_little_is_known_of():
    """Where most links of two boxes were not seen, their exchange stands beside the moves of plugs."""
    hall = _hall("dual-stack")
    one, other = (hall.cabling.device_numbers[f"compute-leaf-p1-su02-rg{group}-01"] for group in (1, 2))
    hall.tells[one], hall.tells[other] = other, one
    nodes = [at for at, name in enumerate(hall.cabling.device_names) if "-n0" in name]
    found = diagnose(hall.cabling, hall.seen(nodes))
    assert {action.kind for action in found.actions} <= {Kind.SHIFT, Kind.SWAP, Kind.CROSSED}
    assert all(action.alternatives[-1].kind is Kind.EXCHANGE for action in found.actions)
    (note,) = found.notes
    assert "may be exchanged as boxes, which would mend" in note
    (exchange,) = diagnose(hall.cabling, hall.seen()).actions
    assert exchange.kind is Kind.EXCHANGE


def test_exchanged_ends_of_trunks():
    """Two trunks of 18 and 14 cables of splitters each, exchanged at the leaves' panel: two moves instead of 32."""
    hall = _hall("patched-hall")
    ends = list_trunk_ends(hall.cabling)
    assert sum(len(ports) for ports in ends.ports) == len(ends.behind) == hall.cabling.ports - _ports_not_patched(hall)
    one, other = 0, 1
    assert [ends.names[trunk].rpartition("-")[0] for trunk in (one, other)] == [
        "nodes:p1-su01-rk01:p1-su01-net01:om4"
    ] * 2
    seen = hall.seen()
    for channel, port in ends.ports[2 * one + 1].items():
        swapped = ends.ports[2 * other + 1].get(channel)
        if swapped is not None:
            far, near = int(seen.joined_to[port]), int(seen.joined_to[swapped])
            seen.joined_to[[port, near, swapped, far]] = [near, port, far, swapped]
    found = diagnose(hall.cabling, seen)
    assert [(action.kind, action.moves, len(action.ends)) for action in found.actions] == [(Kind.SPLITTER, 2, 2)]
    assert "the ends of trunks nodes:p1-su01-rk01:p1-su01-net01:om4-1 and" in found.actions[0].text


def _ports_not_patched(hall: Hall) -> int:
    patches, _ = hall.cabling.patching()
    patched = {str(cable) for cable in patches["cable"]}
    return 2 * sum(str(hall.cabling.cable_ids[cable]) not in patched for cable in hall.cabling.cable.tolist())


def test_exchanged_boxes_of_which_the_ports_are_not_told():
    """Leaves that tell only the name of the node at each port are enough."""
    hall = _hall()
    one, other = hall.cabling.device_numbers["p1-su01-n012"], hall.cabling.device_numbers["p1-su01-n013"]
    seen = hall.seen()
    for node, sees in ((one, other), (other, one)):
        ports = hall.cabling.list_device_ports(node)
        seen.joined_to[ports] = seen.joined_to[ports ^ 1] = -1
        seen.towards[ports ^ 1] = sees
        seen.dumped[ports] = False
    (action,) = diagnose(hall.cabling, seen).actions
    assert (action.kind, action.renamed["p1-su01-n012"]) == (Kind.EXCHANGE, "p1-su01-n013")


@pytest.mark.parametrize("name", ["small-pair", "collapsed-pair", "dual-stack"])
def test_labels_are_those_of_the_ports(name):
    """Also where a breakout has several ends on one device."""
    plan, places = cabling(name), locate_devices(example_cluster(name)).tolist()
    for port in range(plan.ports):
        ours, far = plan.make_label(port).split(" > ")
        assert ours.startswith(f"{places[plan.device[port]]}:")
        assert far.startswith(f"{places[plan.device[port ^ 1]]}:")
        told = str(plan.read_cable("label_b" if port & 1 else "label_a", port)).partition(" > ")[0]
        assert ours.partition(":")[2] == plan.connector_text(port)
        if len(plan.list_plug_ports(int(plan.plug[port]))) == 1:
            told = told.partition(":")[2]
            assert "+" in told or told.endswith(plan.port_text(port))
