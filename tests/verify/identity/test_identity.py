"""Which device each box is: by name, address, chassis and file, and on day 0 by where its cables go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.verify.dumps.sighting import Box, Dump, Sighting
from fabricgen.verify.identity.identify import identify_boxes
from fabricgen.verify.identity.names import (
    How,
    KnownAddress,
    index_device_names,
    is_default,
    list_known_addresses,
    read_known_addresses,
)
from fabricgen.verify.resolve import resolve_sightings
from fabricgen.verify.sightings import SightingsBuilder
from tests.conftest import example_cluster
from tests.verify.identity.halls import all_links, by_name, mac, planned, sightings_of

FAMILIES = ("leaf-spine", "bonded-pair", "superpod-b200", "mixed-breakouts", "small-pair", "known-hardware")
LARGER = ("dual-tor", "mixed-generations", "mi300x-roce", "nvl72-gb200", "patched-hall", "rail-groups", "two-site")


def of_box(name: str, box: Box, known: tuple[KnownAddress, ...] = ()) -> tuple[str, How]:
    """The device of one box alone, and how it is known."""
    cabling = planned(name)
    builder = SightingsBuilder()
    builder.add_dump(Dump(box, ()))
    found = identify_boxes(cabling, builder.make_sightings(), known)
    device = int(found.device[0])
    return (cabling.device_names[device] if device >= 0 else ""), How(int(found.how[0]))


@pytest.mark.parametrize(
    ("box", "device", "how"),
    [
        (Box(name="p1-su01-n002"), "p1-su01-n002", How.NAME),
        (Box(name="P1-SU01-N002"), "p1-su01-n002", How.NAME),
        (Box(name="p1-su01-n002.hall.example.com"), "p1-su01-n002", How.NAME),
        (Box(name="p1-su01-n002 mlx5_0"), "p1-su01-n002", How.NAME),
        (Box(name="'p1-su01-n002 HCA-1'"), "p1-su01-n002", How.NAME),
        (Box(name="MF0;compute-leaf-p1-su01-r1-01:MQM9700/U1"), "compute-leaf-p1-su01-r1-01", How.NAME),
        (Box(name="sonic", address="192.168.0.3"), "p1-su01-n002", How.ADDRESS),
        (Box(file="dumps/p1-su01-n002.json"), "p1-su01-n002", How.FILE),
        (Box(file="p1-su01-n002/lldp.json"), "p1-su01-n002", How.FILE),
        (Box(file="p1-su01-n001/lldp_p1-su01-n002.txt"), "p1-su01-n002", How.FILE),
        (Box(file="lldp-p1-su01-n002.txt"), "p1-su01-n002", How.FILE),
        (Box(file="P1-SU01-N002.example.com.json"), "p1-su01-n002", How.FILE),
        (Box(file="all.tar/192.168.0.3.json"), "p1-su01-n002", How.FILE),
        (Box(name="p1-su01-n003", file="p1-su01-n002.json"), "p1-su01-n003", How.NAME),
        (Box(file="old-p1-su01-n002.json"), "", How.UNKNOWN),
        (Box(file="p1-su01-n0021.json"), "", How.UNKNOWN),
        (Box(name="elsewhere", file="lldp.json"), "", How.UNKNOWN),
    ],
)
def test_what_a_box_tells(box: Box, device: str, how: How) -> None:
    assert of_box("superpod-b200", box) == (device, how)


def test_texts_that_two_devices_share_tell_nothing() -> None:
    names = index_device_names(planned("superpod-b200"))
    assert names.find_by_file("p1-su01-n001_p1-su01-n002.json") == -1
    assert names.find_by_file("p1-su01-n001/p1-su01-n001_p1-su01-n002.json") == 0


@pytest.mark.parametrize(
    "name",
    [
        "",
        "sonic",
        "localhost.localdomain",
        "sonic-1a2b3c",
        "ONIE",
        "MT4129 ConnectX7",
        "localhost mlx5_0",
        "ubuntu HCA-2",
    ],
)
def test_names_that_images_come_with(name: str) -> None:
    assert is_default(name)
    assert not is_default("rack7-switch")
    assert not is_default("rack7-node mlx5_0")


def test_hardware_that_is_known_before() -> None:
    """MACs and GUIDs of the inventory; GUIDs of InfiniBand that are planned, from a blueprint and from its files."""
    known = list_known_addresses(example_cluster("known-hardware"))
    by_port = {(row.device, row.port): row.address for row in known if row.address.startswith("0x")}
    assert of_box("known-hardware", Box(chassis=by_port["compute-leaf-01", ""]), known)[1] == How.CHASSIS
    cabling = planned("known-hardware")
    builder = SightingsBuilder()
    leaf = Box(name="compute-leaf-01")
    host = Box(name="MT4129 ConnectX7", chassis=by_port["p1-su01-n001", "OSFP3P2"])
    builder.add_dump(Dump(leaf, [Sighting("2", host, "1")], "ib"))
    sightings = builder.make_sightings()
    seen, _ = resolve_sightings(cabling, sightings, identify_boxes(cabling, sightings, known))
    pairs = {(cabling.name_port(p), cabling.name_port(int(m))) for p, m in enumerate(seen.joined_to.tolist()) if m >= 0}
    assert ("compute-leaf-01:1/2", "p1-su01-n001:OSFP3P2") in pairs


def test_a_chassis_that_another_box_names_proves_it() -> None:
    """A dump tells MAC and name of a host; a neighbour knows the MAC alone."""
    cabling = planned("leaf-spine")
    boxes = [Box(name=name, chassis=mac(i)) for i, name in enumerate(cabling.device_names)]
    bare = [Box(chassis=box.chassis) for box in boxes]
    sightings = sightings_of(cabling, bare, files=dict(enumerate(boxes)))
    found = identify_boxes(cabling, sightings)
    assert set(found.how.tolist()) == {How.NAME, How.CHASSIS}
    assert found.notes == ()
    assert (found.device >= 0).all()


@pytest.mark.tenth
@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_a_hall_known_by_macs_is_the_hall_known_by_names(name: str, seed: int) -> None:
    """All boxes are called sonic, and dumps of two thirds of the devices are told by their files."""
    same_by_macs(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGER)
def test_a_larger_hall_known_by_macs_is_the_hall_known_by_names(name: str) -> None:
    same_by_macs(name, 1)


def same_by_macs(name: str, seed: int) -> None:
    cabling = planned(name)
    boxes = [Box(name="sonic", chassis=mac(i)) for i in range(len(cabling.device_names))]
    chance = np.random.default_rng(seed)
    ports = np.bincount(cabling.device, minlength=len(boxes))
    owners = [d for d in range(len(boxes)) if ports[d] > 2 and chance.random() < 0.7]
    files = {d: Box(file=f"{cabling.device_names[d]}.json") for d in owners}
    sightings = sightings_of(cabling, boxes, files=files, owners=owners)
    found = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, found)
    named, _ = resolve_sightings(cabling, *(s := sightings_of(cabling, owners=owners), identify_boxes(cabling, s)))
    assert (seen.joined_to == named.joined_to).all()
    assert (seen.towards == named.towards).all()
    assert (seen.dumped == named.dumped).all()
    assert seen.strangers == named.strangers == ()


def test_a_hall_of_which_one_box_is_known_is_found_from_there() -> None:
    """Tier by tier: the leaf's dump tells the spines, the spines' dumps the other leaves, these their hosts."""
    cabling = planned("leaf-spine")
    boxes = [Box(name="sonic", chassis=mac(i)) for i in range(len(cabling.device_names))]
    leaf = cabling.device_numbers["compute-leaf-p1-su01-r1-01"]
    boxes[leaf] = Box(name="compute-leaf-p1-su01-r1-01")
    sightings = sightings_of(cabling, boxes)
    found = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, found)
    assert (found.device >= 0).all()
    assert (seen.joined_to == np.arange(cabling.ports) ^ 1).all()


def test_a_swap_among_nameless_boxes_stays_a_swap() -> None:
    cabling = planned("superpod-b200")
    number = cabling.device_numbers
    one, other = (cabling.list_device_ports(number[name]).tolist()[0] for name in ("p1-su01-n001", "p1-su01-n002"))
    mates = {one: other ^ 1, other ^ 1: one, other: one ^ 1, one ^ 1: other}
    boxes = [
        Box(chassis=mac(i)) if cabling.read_device("tier", i) == "node" else box
        for i, box in enumerate(by_name(cabling))
    ]
    sightings = sightings_of(cabling, boxes, mates=mates)
    found = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, found)
    assert {port: int(seen.joined_to[port]) for port in mates} == mates
    assert any("is inferred to be p1-su01-n001: 12 of 13 ports" in note for note in found.notes)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_what_most_ports_say_is_right_in_spite_of_faults(seed: int) -> None:
    """Nodes of 13 ports are known by MAC alone, and three plugs of each rail of switches are elsewhere."""
    cabling = planned("superpod-b200")
    chance = np.random.default_rng(seed)
    nodes = [cabling.read_device("tier", device) == "node" for device in range(len(cabling.device_names))]
    boxes = [Box(chassis=mac(i)) if nodes[i] else box for i, box in enumerate(by_name(cabling))]
    mates: dict[int, int] = {}
    plugs = [p for p in range(cabling.ports) if nodes[cabling.device[p]] and p & 1 == 0]
    chosen = chance.choice(plugs, 24, replace=False).tolist()
    for a, b in zip(chosen[::2], chosen[1::2], strict=True):
        mates |= {a: b ^ 1, b ^ 1: a, b: a ^ 1, a ^ 1: b}
    sightings = sightings_of(cabling, boxes, mates=mates)
    found = identify_boxes(cabling, sightings)
    number = {box: device for device, box in enumerate(boxes)}
    for i, box in enumerate(sightings.boxes):
        assert found.device[i] in (number[box], -1)
    seen, _ = resolve_sightings(cabling, sightings, found)
    right = seen.joined_to == [mates.get(port, port ^ 1) for port in range(cabling.ports)]
    assert right[[len(cabling.list_device_ports(d)) > 3 for d in cabling.device]].all()


def test_boxes_with_a_name_are_never_taken_for_another() -> None:
    """Two named nodes stand in each other's place: that is an exchange, and their names stay theirs."""
    cabling = planned("superpod-b200")
    one, other = (cabling.device_numbers[name] for name in ("p1-su01-n001", "p1-su01-n002"))
    boxes = by_name(cabling)
    boxes[one], boxes[other] = boxes[other], boxes[one]
    found = identify_boxes(cabling, sightings_of(cabling, boxes))
    assert set(found.how.tolist()) == {How.NAME}


def test_of_two_boxes_that_may_be_either_each_is_one() -> None:
    """Nodes of two ports, swapped at one leaf: whichever is which, one swap mends it."""
    cabling = planned("leaf-spine")
    number = cabling.device_numbers
    boxes = [Box(chassis=mac(i)) if i < 8 else box for i, box in enumerate(by_name(cabling))]
    boxes = [Box("ubuntu", mac(i)) if cabling.read_device("tier", i) == "node" else b for i, b in enumerate(boxes)]
    one, other = cabling.list_device_ports(number["compute-leaf-p1-su01-r1-01"]).tolist()[1:3]
    mates = {one: other ^ 1, other ^ 1: one, other: one ^ 1, one ^ 1: other}
    switches = [i for i in range(16) if cabling.read_device("nos", i)]
    sightings = sightings_of(cabling, boxes, owners=switches, mates=mates)
    found = identify_boxes(cabling, sightings)
    assert sorted(found.device.tolist()) == list(range(16))
    assert found.how.tolist().count(How.WEAK) == 2
    assert sum("1 of 2 ports" in note for note in found.notes) == 2
    seen, _ = resolve_sightings(cabling, sightings, found)
    assert (seen.joined_to != np.arange(cabling.ports) ^ 1).sum() == 4


def test_no_box_has_a_port_that_is_elsewhere() -> None:
    """At the port of n001 a box without a name is seen, but n001's own port is seen at another switch."""
    cabling = planned("leaf-spine")
    builder = SightingsBuilder()
    leaf, other = Box(name="compute-leaf-p1-su01-r1-01"), Box(name="compute-leaf-p1-su01-r2-01")
    builder.add_dump(Dump(leaf, [Sighting("Ethernet0", Box(chassis=mac(9)), "")]))
    builder.add_dump(Dump(other, [Sighting("Ethernet4", Box(name="p1-su01-n001"), "eth1")]))
    found = identify_boxes(cabling, builder.make_sightings())
    assert found.notes == (f"{mac(9)} cannot be matched with a device",)


def test_a_stranger_is_listed() -> None:
    cabling = planned("leaf-spine")
    builder = SightingsBuilder()
    leaf = Box(name="compute-leaf-p1-su01-r1-01")
    builder.add_dump(Dump(leaf, [Sighting("Ethernet0", Box(name="coffee-machine", chassis=mac(9)), "eth1")]))
    sightings = builder.make_sightings()
    found = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, found)
    assert found.notes == (f"coffee-machine ({mac(9)}) cannot be matched with a device",)
    assert [stranger.text for stranger in seen.strangers] == [f"coffee-machine ({mac(9)}) port eth1"]


def test_built_folders_tell_guids(tmp_path: Path) -> None:
    (tmp_path / "configs" / "compute").mkdir(parents=True)
    text = '# names\n0x02f0000000000001 "compute-leaf-01"\n0x02f0000000000002 "p1-su01-n001 OSFP4P2"\n'
    (tmp_path / "configs" / "compute" / "ib-node-name-map").write_text(text)
    assert read_known_addresses(tmp_path) == (
        KnownAddress("0x02f0000000000001", "compute-leaf-01"),
        KnownAddress("0x02f0000000000002", "p1-su01-n001", "OSFP4P2"),
    )


def test_the_plan_as_columns_is_the_plan() -> None:
    cabling = planned("mixed-generations")
    sightings = all_links(cabling)
    seen, notes = resolve_sightings(cabling, sightings, identify_boxes(cabling, sightings))
    assert (seen.joined_to == np.arange(cabling.ports) ^ 1).all()
    assert notes == ()
