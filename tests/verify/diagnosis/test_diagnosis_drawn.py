"""The laws of diagnosis over halls of drawn blueprints, and what was found by them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.verify.actions import Kind
from fabricgen.verify.cabling import make_cabling
from fabricgen.verify.diagnosis import diagnose
from fabricgen.verify.sightings import SeenPorts
from tests.properties.blueprints import FAMILIES
from tests.properties.compiling import cases, compiled, compiled_or_dropped
from tests.verify.diagnosis.faults import FAULTS, dark, near_swap, rolled, splitter, swap
from tests.verify.diagnosis.hall import Hall, cabling
from tests.verify.diagnosis.test_diagnosis_laws import check_cables, check_mended
from tests.verify.diagnosis.test_diagnosis_partly_seen import check_none_makes_it_worse, known

MOST_PORTS = 1200
HISTORIES = 3
"""How often faults are put into one drawn hall: to draw it takes longer than to diagnose it."""

mended_for_certain = [fault for fault in FAULTS if fault is not splitter]


def histories(faults):
    made = st.lists(st.tuples(st.sampled_from(faults), st.integers(0, 10**6)), min_size=1, max_size=6)
    return st.lists(st.tuples(made, known), min_size=HISTORIES, max_size=HISTORIES)


def drawn_cabling(tree):
    found = make_cabling(compiled_or_dropped(tree))
    assume(0 < found.ports <= MOST_PORTS)
    return found


def check_rows(cabling):
    """Each link is of a row of its cable that joins its two devices."""
    for port in range(cabling.ports):
        side = "b" if port & 1 else "a"
        assert cabling.read_cable(f"{side}_device", port) == cabling.device_names[cabling.device[port]]
        assert cabling.read_cable("cable", port) == cabling.cable_ids[cabling.cable[port >> 1]]
    plugs = [cabling.list_plug_ports(plug) for plug in range(int(cabling.plug.max(initial=-1)) + 1)]
    assert all(len({(int(cabling.device[port]), cabling.find_cage(port)) for port in plug}) == 1 for plug in plugs)


@pytest.mark.slow
@pytest.mark.law
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_drawn_halls(family):
    @cases(10)
    @given(FAMILIES[family](), histories(mended_for_certain), histories(FAULTS))
    def law(tree, certain, any_faults):
        cabling = drawn_cabling(tree)
        check_rows(cabling)
        for made, _ in certain:
            check_mended(cabling, made)
        for made, share in any_faults:
            check_none_makes_it_worse(cabling, made, share)

    law()


def test_the_links_of_a_breakout_go_to_its_ends_by_turns():
    tree = {
        "fabricgen": 1,
        "name": "generated",
        "scalable_unit": {"nodes": "2 x toy-dual", "racks": {"nodes_per_rack": 2}},
        "pods": {"p1": {"su": 1, "reserve": 4}},
        "fabrics": {
            "compute": {
                "protocol": "roce",
                "hosts": "bridged",
                "bond": "nic",
                "tiers": {
                    "leaf": {"switch": "toy-24", "per": ["su", "rail"], "count": 1},
                    "spine": {"switch": "toy-24", "count": 2},
                },
            }
        },
    }
    found = make_cabling(compiled(tree))
    check_rows(found)
    for seed in range(20):
        check_mended(found, [(swap, seed), (rolled, seed)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fabrics", "spines", "plugs"),
    [
        ({"inband": {"protocol": "ethernet", "carried_by": "compute"}}, {"count": 2, "peer": 1}, 3),
        ({}, {"count": 3}, 2),
    ],
)
def test_exchanged_boxes_whose_plugs_carry_different_numbers_of_links(fabrics, spines, plugs):
    """Of three links in one plug and of one and two in two plugs (and a peer link, which stays); of two and of one."""
    spine = {"switch": "toy-24", "per": [], "spread": "uneven"} | spines
    tree = {
        "fabricgen": 1,
        "name": "generated",
        "scalable_unit": {"nodes": "1 x toy-dual"},
        "pods": {"p1": {"su": 1, "reserve": 2}},
        "fabrics": {
            "compute": {
                "protocol": "ethernet",
                "tiers": {"leaf": {"switch": "toy-24", "per": [], "breakout": "2x200"}, "spine": spine},
            },
        }
        | fabrics,
    }
    found = make_cabling(compiled(tree))
    names = [f"compute-spine-0{number}" for number in (1, 2)]
    one, two = (found.device_numbers[name] for name in names)
    widths = [sorted(Counter(found.plug[found.list_device_ports(device)].tolist()).values()) for device in (one, two)]
    assert widths[0] != widths[1]

    def exchanged(hall, _random=None):
        hall.tells[one], hall.tells[two] = two, one
        return sum(device in (one, two) for device in hall.device)

    hall = Hall(found)
    exchanged(hall)
    (action,) = diagnose(found, hall.seen()).actions
    assert (action.kind, action.renamed) == (Kind.EXCHANGE, dict(zip(names, reversed(names), strict=True)))
    assert action.text.endswith(f" are exchanged: swap the two boxes, or move {plugs} plugs.")
    check_mended(found, [(exchanged, 0)])
    for seed in range(10):
        check_mended(found, [(exchanged, 0), (near_swap, seed)])
        check_mended(found, [(exchanged, 0), (dark, seed)])


def test_a_hall_without_links():
    tree = {
        "fabricgen": 1,
        "name": "generated",
        "scalable_unit": {"nodes": "1 x toy-four"},
        "pods": {"p1": {"su": 2}},
        "omit": ["*/su-*/node-1"],
        "fabrics": {
            "compute": {"protocol": "roce", "planes": 2, "tiers": {"leaf": {"switch": "toy-chassis", "per": ["plane"]}}}
        },
    }
    found = make_cabling(compiled(tree))
    none = np.zeros(0, dtype=np.int32)
    flags = none.astype(bool)
    assert found.ports == 0
    assert not diagnose(found, SeenPorts(none, none, flags, flags, flags)).actions


def test_lanes_that_are_swapped_within_a_cable_do_not_go_round_for_ever():
    """The free end of the one cable is looked for along the other, whose lanes lead back to itself."""
    hall = Hall(cabling("end-of-row"))
    leaf = hall.cabling.device_numbers["frontend-leaf-p1-su01-r1-01"]
    one, other = (hall.numbers[leaf, f"Ethernet{port}"] for port in (448, 456))
    assert hall.cabling.list_plug_ports(int(hall.cabling.plug[other])) == [other, other + 2]
    joined_to = hall.seen().joined_to
    joined_to[[one, one + 1, one + 2, one + 3, other, other + 1, other + 2, other + 3]] = -1
    for a, b in ((one + 1, other), (other + 1, other + 2)):
        joined_to[a], joined_to[b] = b, a
    seen = hall.seen()
    found = diagnose(hall.cabling, replace(seen, joined_to=joined_to))
    check_cables(hall, found)
