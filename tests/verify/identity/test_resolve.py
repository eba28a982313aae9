"""Both directions of every link joined: what agrees, what contradicts, what is silent and what proves nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import DOWN, SILENT, Box, Dump, Sighting
from fabricgen.verify.identity.identify import identify_boxes
from fabricgen.verify.identity.learn import learn_hardware
from fabricgen.verify.resolve import resolve_sightings
from fabricgen.verify.sightings import Conflict, SeenPorts, Sightings, SightingsBuilder
from tests.effort import calls
from tests.verify.identity.halls import all_links, by_name, mac, planned, sightings_of

LEAF, OTHER = "compute-leaf-p1-su01-r1-01", "compute-leaf-p1-su01-r2-01"


@pytest.fixture(scope="module")
def cabling() -> PlannedCabling:
    return planned("leaf-spine")


def resolved(cabling: PlannedCabling, *dumps: Dump) -> tuple[SeenPorts, tuple[str, ...]]:
    builder = SightingsBuilder()
    for dump in dumps:
        builder.add_dump(dump)
    return of(cabling, builder.make_sightings())


def of(cabling: PlannedCabling, sightings: Sightings) -> tuple[SeenPorts, tuple[str, ...]]:
    return resolve_sightings(cabling, sightings, identify_boxes(cabling, sightings))


def port(cabling: PlannedCabling, device: str, text: str) -> int:
    own = cabling.list_device_ports(cabling.device_numbers[device]).tolist()
    return next(each for each in own if cabling.port_text(each) == text)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**20))
def test_dumps_of_some_devices_give_the_links_that_they_see(seed: int) -> None:
    """Any replugging of the ports, and dumps of any devices, some of them twice."""
    cabling = planned("bonded-pair")
    chance = np.random.default_rng(seed)
    order = chance.permutation(cabling.ports).tolist()
    mates = dict.fromkeys(range(cabling.ports), -1)
    for a, b in zip(order[0:100:2], order[1:100:2], strict=True):
        mates |= {a: b, b: a}
    owners = [device for device in range(len(cabling.device_names)) if chance.random() < 0.6]
    seen, notes = of(cabling, sightings_of(cabling, mates=mates, owners=[*owners, *owners[:3]]))
    told = np.isin(cabling.device, owners)
    expected = [far if told[p] or (far >= 0 and told[far]) else -1 for p, far in mates.items()]
    assert seen.joined_to.tolist() == expected
    assert seen.conflicts == ()
    assert not seen.doubtful.any()
    assert [note for note in notes if "has no neighbour" not in note] == []


def test_two_sides_that_contradict(cabling: PlannedCabling) -> None:
    """The leaf sees the host's eth1, which itself sees the other leaf: the pair on which both agree stays."""
    host, leaf, other = Box("p1-su01-n001"), Box(LEAF), Box(OTHER)
    seen, _ = resolved(
        cabling,
        Dump(leaf, [Sighting("Ethernet0", host, "eth1")]),
        Dump(host, [Sighting("eth1", other, "Ethernet0")]),
        Dump(other, [Sighting("Ethernet0", host, "eth1")]),
    )
    eth1 = port(cabling, "p1-su01-n001", "eth1")
    away = port(cabling, OTHER, "Ethernet0")
    assert int(seen.joined_to[eth1]) == away
    assert seen.conflicts == (Conflict(port(cabling, LEAF, "Ethernet0"), eth1, away),)


def test_two_neighbours_at_a_port(cabling: PlannedCabling) -> None:
    """A port behind an unmanaged switch, or an old entry: the planned one is kept, and the other is a conflict."""
    seen, _ = resolved(
        cabling,
        Dump(
            Box(LEAF),
            [Sighting("Ethernet0", Box("p1-su01-n002"), "eth2"), Sighting("Ethernet0", Box("p1-su01-n001"), "eth1")],
        ),
    )
    own, other = port(cabling, LEAF, "Ethernet0"), port(cabling, "p1-su01-n002", "eth2")
    assert int(seen.joined_to[own]) == own ^ 1
    assert seen.conflicts == (Conflict(own, other, -1, itself=False, beside=own ^ 1),)


def test_a_port_that_denies_what_another_says_of_it(cabling: PlannedCabling) -> None:
    """The host says that it is at the leaf as planned; the leaf sees another host there, which sees the other leaf."""
    host, stray, leaf = Box("p1-su01-n001"), Box("p1-su01-n002"), Box(LEAF)
    seen, _ = resolved(
        cabling,
        Dump(host, [Sighting("eth1", leaf, "Ethernet0")]),
        Dump(leaf, [Sighting("Ethernet0", stray, "eth1")]),
        Dump(stray, [Sighting("eth1", Box(OTHER), "Ethernet0")]),
    )
    own = port(cabling, LEAF, "Ethernet0")
    assert [(conflict.port, conflict.itself) for conflict in seen.conflicts] == [(own, True)]


def test_a_port_that_sees_itself_is_neither_dark_nor_as_planned(cabling: PlannedCabling) -> None:
    seen, _ = resolved(cabling, Dump(Box(LEAF), [Sighting("Ethernet0", Box(LEAF), "Ethernet0")]))
    own = port(cabling, LEAF, "Ethernet0")
    assert seen.conflicts == (Conflict(own, own, own),)


def test_a_stranger_at_a_spare_port_of_a_switch_is_known(cabling: PlannedCabling) -> None:
    """A host may have ports in networks of which the plan knows nothing."""
    stranger = Box("somebody")
    seen, _ = resolved(
        cabling,
        Dump(Box(LEAF), [Sighting("Ethernet128", stranger, "eth1")]),
        Dump(Box("p1-su01-n001"), [Sighting("eno7", stranger, "eth2")]),
    )
    assert [spare.port for spare in seen.spare] == ["Ethernet128"]
    assert [other.port for other in seen.strangers] == [cabling.ports]


def test_dumps_that_contradict_each_other_are_told(cabling: PlannedCabling) -> None:
    host = Box("p1-su01-n001")
    _, notes = resolved(
        cabling,
        Dump(Box(file=f"a/{LEAF}.json"), [Sighting("Ethernet0", host, "eth1")]),
        Dump(Box(file=f"b/{LEAF}.json"), [Sighting("Ethernet0", host, "eth2")]),
    )
    assert any(f"are both taken for {LEAF}, and contradict each other at 1 of its ports" in note for note in notes)


def test_down_and_silent_ports(cabling: PlannedCabling) -> None:
    seen, notes = resolved(
        cabling,
        Dump(Box(LEAF), [Sighting("Ethernet0", None, state=DOWN), Sighting("Ethernet4", None, state=SILENT)]),
    )
    own = cabling.list_device_ports(cabling.device_numbers[LEAF])
    assert seen.dumped[own].all()
    assert np.flatnonzero(seen.down).tolist() == [port(cabling, LEAF, "Ethernet0")]
    assert not seen.doubtful.any()
    assert notes == (f"the dump of {LEAF} has no neighbour",)


def test_the_output_for_single_ports_leaves_others_unseen(cabling: PlannedCabling) -> None:
    seen, _ = resolved(cabling, Dump(Box(LEAF), [Sighting("Ethernet4", None, state=SILENT)], "lldp", False))
    assert np.flatnonzero(seen.dumped).tolist() == [port(cabling, LEAF, "Ethernet4")]


def test_an_agent_that_loses_neighbours(cabling: PlannedCabling) -> None:
    """A host sees the leaf, whose dump lacks that host and one more: neither silence proves anything."""
    host, other = (port(cabling, LEAF, name) for name in ("Ethernet0", "Ethernet4"))
    mates = {host: -1, other: -1}
    hosts = [device for device in range(16) if cabling.read_device("tier", device) == "node" and device]
    owners = [cabling.device_numbers[LEAF], cabling.device_numbers["p1-su01-n001"]]
    seen, notes = of(cabling, sightings_of(cabling, mates=mates, owners=owners))
    assert hosts
    assert int(seen.joined_to[host]) == host ^ 1
    assert np.flatnonzero(seen.doubtful).tolist() == [other]
    text = f"the agent of {LEAF} lists 6 neighbours and lacks 1 that see it: its silence proves nothing"
    assert notes == (text,)


def test_silence_above_200_neighbours_is_doubtful() -> None:
    cabling = planned("trn2-ultraserver")
    leaf = next(d for d in range(len(cabling.device_names)) if len(cabling.list_device_ports(d)) == 256)
    first, *_ = cabling.list_device_ports(leaf).tolist()
    seen, _ = of(cabling, sightings_of(cabling, mates={first: -1}, owners=[leaf]))
    assert np.flatnonzero(seen.doubtful).tolist() == [first]


def test_a_leaf_that_is_dumped_often_has_no_more_neighbours(cabling: PlannedCabling) -> None:
    told = [
        Sighting(f"Ethernet{4 * lane}", Box(f"p1-su01-n00{lane // 2 + 1}"), f"eth{lane % 2 + 1}") for lane in (0, 2)
    ]
    seen, _ = resolved(cabling, *[Dump(Box(LEAF), told) for _ in range(150)])
    assert seen.dumped.any()
    assert not seen.doubtful.any()


def test_a_host_does_not_speak_of_its_bmc_nor_of_infiniband() -> None:
    cabling = planned("superpod-b200")
    host = cabling.device_numbers["p1-su01-n001"]
    seen, _ = of(cabling, sightings_of(cabling, owners=[host], mates=dict.fromkeys(range(cabling.ports), -1)))
    silent = [cabling.port_text(p) for p in cabling.list_device_ports(host).tolist() if seen.dumped[p]]
    assert "SLOT1P1" in silent
    assert not any(text.startswith(("OSFP", "BMC")) for text in silent)


def test_a_nic_that_is_not_in_the_plan_hides_no_dark_port(cabling: PlannedCabling) -> None:
    """eno1 is unknown, but others of the model call their ports eth1 and eth2: the silence of eth2 is its own."""
    leaf, office = Box(LEAF), Box("office-switch")
    seen, _ = resolved(
        cabling,
        Dump(Box("p1-su01-n001"), [Sighting("eth1", leaf, "Ethernet0"), Sighting("eno1", office, "gi1")]),
        Dump(Box("p1-su01-n002"), [Sighting("eth2", Box(OTHER), "Ethernet4"), Sighting("eth1", leaf, "Ethernet4")]),
        Dump(Box("p1-su01-n003"), [Sighting("ens1", leaf, "Ethernet8"), Sighting("ens2", leaf, "Ethernet12")]),
    )
    assert seen.dumped[port(cabling, "p1-su01-n001", "eth2")]
    assert seen.joined_to[port(cabling, "p1-su01-n001", "eth2")] == -1


def test_two_boxes_of_one_name_are_two(cabling: PlannedCabling) -> None:
    """n002 was set up with the configuration of n001: by its cables it is n002."""
    boxes = by_name(cabling)
    for i in range(len(boxes)):
        boxes[i] = boxes[i]._replace(chassis=mac(i))
    boxes[1] = boxes[1]._replace(name=boxes[0].name)
    switches = [device for device in range(16) if cabling.read_device("nos", device)]
    sightings = sightings_of(cabling, boxes, owners=switches)
    found = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, found)
    assert (seen.joined_to == np.arange(cabling.ports) ^ 1).all()
    assert found.notes == (
        f"p1-su01-n001 ({mac(1)}) has the name of another box, and is inferred to be p1-su01-n002: 2 of 2 ports",
    )


def test_an_empty_hall(cabling: PlannedCabling) -> None:
    seen, notes = resolved(cabling)
    assert (seen.joined_to == -1).all()
    assert not seen.dumped.any()
    assert notes == ()


def test_30000_sightings_take_a_call_each() -> None:
    cabling = planned("dual-tor")
    sightings = all_links(cabling)
    assert calls(lambda: of(cabling, sightings)) < 60_000
    seen, _ = of(cabling, sightings)
    assert (seen.joined_to == np.arange(cabling.ports) ^ 1).all()


WORDS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            *(
                "Ethernet0",
                "ethernet0",
                "etp1",
                "1/1",
                "999999/99",
                "eth1",
                "0x",
                "0x02f0000000000001",
                mac(1),
                "a" * 300,
            ),
            *(
                "p1-su01-n001",
                "p1-su01-n001 mlx5_0",
                "p1-su01-n001 ",
                "MF0;:x",
                LEAF,
                f"{LEAF}.",
                "sonic",
                "/",
                "..",
                ".",
            ),
        ]
    ),
)
BOXES = st.builds(Box, WORDS, WORDS, WORDS, WORDS)
STATES = st.sampled_from([0, 0, 0, SILENT, DOWN])


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    dumps=st.lists(
        st.tuples(
            BOXES,
            st.lists(st.tuples(WORDS, st.one_of(st.none(), BOXES), WORDS, WORDS, STATES), max_size=6),
            st.sampled_from(["lldp", "ib", "list"]),
            st.booleans(),
        ),
        max_size=5,
    )
)
def test_whatever_dumps_say_is_symmetrical(
    dumps: list[tuple[Box, list[tuple[str, Box | None, str, str, int]], str, bool]],
) -> None:
    """No text leads astray: mates are mutual, and no port is both joined and unknown."""
    cabling = planned("leaf-spine")
    builder = SightingsBuilder()
    for box, rows, agent, lists_all in dumps:
        seen_rows = [
            Sighting(text, neighbor if not state else None, far, told, state if neighbor or state else SILENT)
            for text, neighbor, far, told, state in rows
        ]
        builder.add_dump(Dump(box, seen_rows, agent, lists_all))
    sightings = builder.make_sightings()
    found = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, found)
    joined = np.flatnonzero(seen.joined_to >= 0)
    assert (seen.joined_to[seen.joined_to[joined]] == joined).all()
    assert (seen.joined_to[joined] != joined).all()
    assert not ((seen.joined_to >= 0) & (seen.towards >= 0)).any()
    assert not (seen.doubtful & (seen.joined_to >= 0)).any()
    assert len(seen.joined_to) == cabling.ports + len(seen.spare)
    learn_hardware(cabling, sightings, found, ())
