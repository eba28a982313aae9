"""Both ends of a link have one MTU in the files of their switches, whatever the two NOSes support at most."""

from __future__ import annotations

import pytest

from fabricgen.render.nos_protocol import known_nos
from tests.conftest import SMALLER
from tests.parity.switches import read, switches_of
from tests.render.rendered import EXAMPLES

NOSES = known_nos(whole_fabric=False)


def mtus(name: str, sets: tuple[str, ...]) -> dict[tuple[str, str], tuple[int, int]]:
    """(MTU here, MTU at the far end) by switch and port, for links whose two switches are both read."""
    switches = [
        (switch, files) for switch, files in switches_of(name, sets) if switch.nos in known_nos(whole_fabric=False)
    ]
    stated = {switch.name: read(switch, files).interfaces for switch, files in switches}
    return {
        (switch.name, port.name): (stated[switch.name][port.name].mtu, stated[port.peer][port.peer_port].mtu)
        for switch, _ in switches
        for port in switch.ports
        if port.role != "host" and port.peer in stated
    }


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.slow
def test_both_ends_of_a_link_have_one_mtu(name: str) -> None:
    found = mtus(name, SMALLER.get(name, ()))
    assert not {end: pair for end, pair in found.items() if pair[0] != pair[1]}


def test_a_link_between_sonic_and_eos_has_the_mtu_of_eos() -> None:
    spines = ("nos.spine=eos", "fabrics.compute.tiers.spine={switch: 7060x6-64pe, count: 4}")
    assert set(mtus("leaf-spine", spines).values()) == {(9214, 9214)}


def test_a_stated_mtu_is_no_more_than_the_nos_takes() -> None:
    own = ("nos.spine=eos", "fabrics.compute.tiers.spine={switch: 7060x6-64pe, count: 4}")
    stated = ("config_of.compute-spine-01.ports={Ethernet1/1: {mtu: 9216}, Ethernet2/1: {mtu: 9000}}",)
    found = mtus("leaf-spine", own + stated)
    assert found["compute-spine-01", "Ethernet1/1"][0] == 9214
    assert found["compute-spine-01", "Ethernet2/1"] == (9000, 9214)
