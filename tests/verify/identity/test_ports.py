"""Names of ports: what the NOS calls them, what a host calls them, and what the plan does not use."""

from __future__ import annotations

import numpy as np
import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.dumps.sighting import Box, Dump, Sighting
from fabricgen.verify.identity.identify import identify_boxes
from fabricgen.verify.port_numbers import UNKNOWN, PortNumbers, list_synonyms
from fabricgen.verify.resolve import resolve_sightings
from fabricgen.verify.sightings import SightingsBuilder, SparePort, name_port
from tests.verify.identity.halls import by_name, mac, planned, sightings_of

SPLIT = ["Ethernet0", "Ethernet4", "Ethernet8", "Ethernet16", "Ethernet20"]


@pytest.mark.parametrize(
    ("model", "nos", "planned_names", "text", "name"),
    [
        ("sn5600", "sonic", SPLIT, "Ethernet4", "Ethernet4"),
        ("sn5600", "sonic", SPLIT, "etp1b", "Ethernet4"),
        ("sn5600", "sonic", SPLIT, "etp3a", "Ethernet16"),
        ("sn5600", "sonic", SPLIT, "etp2", "Ethernet8"),
        ("sn5600", "sonic", SPLIT, "etp9", "Ethernet64"),
        ("sn5600", "sonic", ["Ethernet0", "Ethernet2"], "etp1b", "Ethernet2"),
        ("7060x6-64pe", "sonic", ["Ethernet0"], "Ethernet0", "Ethernet0"),
        ("sn5600", "sonic", SPLIT, "Eth4", ""),
        ("7060x6-64pe", "eos", ["Ethernet1/1", "Ethernet1/5", "Ethernet2/1"], "Et1/5", "Ethernet1/5"),
        ("7060x6-64pe", "eos", ["Ethernet1/1", "Ethernet1/5", "Ethernet2/1"], "ethernet2", "Ethernet2/1"),
        ("7060x6-64pe", "eos", ["Ethernet1/1"], "Ethernet9/1", "Ethernet9/1"),
        ("7060x6-64pe", "eos", ["Ethernet1/1"], "Management1", "Management1"),
        ("sn4600c", "cumulus", ["swp1", "swp2s0"], "SWP2S0", "swp2s0"),
        ("sn4600c", "cumulus", ["swp1", "swp2s0"], "swp9s1", "swp9s1"),
        ("qm9700", "opensm", ["1/1", "1/2", "33/1"], "2", "1/2"),
        ("qm9700", "opensm", ["1/1", "1/2"], "64", "32/2"),
        ("qm9700", "opensm", ["1/1", "1/4"], "5", "2/1"),
        ("dgx-b200", "", ["OSFP4P2", "BMC"], "ens6np0", ""),
        ("generic-server", "", ["eth1"], "eth7", "eth7"),
    ],
)
def test_what_a_port_is_called(model: str, nos: str, planned_names: list[str], text: str, name: str) -> None:
    assert list_synonyms(model, nos, planned_names, Catalog()).find_name(text) == name


@pytest.mark.parametrize(
    ("legs", "text", "name"),
    [
        ({"9/1": 2}, "37", "10/1"),
        ({"9/1": 1}, "37", "10/1"),
        ({"9/1": 2}, "34", "9/2"),
        ({"9/2": 2}, "5", "2/1"),
        ({"9": 4}, "5", "2/1"),
        ({"9": 2}, "19", "10/1"),
        ({}, "19", "10/1"),
    ],
)
def test_a_splitter_in_one_connector_makes_a_switch_count_its_ports_by_halves(
    legs: dict[str, int], text: str, name: str
) -> None:
    """The plan may use two of the four ports that such a cage has, 9/1 and 9/2, or one of them."""
    assert list_synonyms("qm9700", "opensm", ["1/1", "9/1", "9/2", "10/1"], Catalog(), legs).find_name(text) == name


@pytest.mark.parametrize("ports", [pytest.param(4, id="both legs"), pytest.param(1, id="one leg")])
def test_a_switch_with_splitters_is_read_by_the_numbers_that_its_subnet_manager_is_given(ports: int) -> None:
    numbers = PortNumbers(planned("pkeys", f"fabrics.compute.extra.array.ports={ports}"), Catalog())
    leaf, array = (numbers.cabling.device_names.index(name) for name in ("compute-leaf-p1-su01-01", "array"))
    uplink, split = numbers.find_ports(np.array([leaf] * 2), np.array([1, 2]), ["", "93", "33"]).tolist()
    assert numbers.cabling.name_port(uplink) == "compute-leaf-p1-su01-01:24/1"
    assert numbers.cabling.device[split ^ 1] == array


def test_ports_are_found_by_device_and_text() -> None:
    cabling = planned("superpod-b200")
    ports = PortNumbers(cabling, Catalog())
    texts = ("", "etp1a", "1", "OSFP4P2", "mlx5_0", "Ethernet999")
    names = ("storage-leaf-p1-su01-r1-01", "compute-leaf-p1-su01-r1-01", "p1-su01-n001", "p1-su01-n001")
    device = np.array(
        [*(cabling.device_numbers[name] for name in names), -1, cabling.device_numbers[names[0]]], np.int32
    )
    found = ports.find_ports(device, np.array([1, 2, 3, 4, 3, 5], np.int32), texts)
    assert [cabling.name_port(port) for port in found[:3].tolist()] == [
        "storage-leaf-p1-su01-r1-01:Ethernet0",
        "compute-leaf-p1-su01-r1-01:1/1",
        "p1-su01-n001:OSFP4P2",
    ]
    assert found[3:5].tolist() == [UNKNOWN, UNKNOWN]
    assert ports.spare_names()[-2 - int(found[5])] == "Ethernet999"


def test_a_port_that_only_another_device_uses_is_spare() -> None:
    cabling = planned("superpod-b200")
    leaf, host = "compute-leaf-p1-su04-r8-01", Box("p1-su01-n001")
    builder = SightingsBuilder()
    builder.add_dump(Dump(Box(leaf), [Sighting("32", host, "OSFP4P2")], "ib"))
    sightings = builder.make_sightings()
    seen, _ = resolve_sightings(cabling, sightings, identify_boxes(cabling, sightings))
    assert seen.spare == (SparePort(cabling.device_numbers[leaf], "16/2"),)
    assert name_port(cabling, seen, int(seen.joined_to[cabling.ports])) == "p1-su01-n001:OSFP4P2"


HOST_NAMES = {"eth1": "ens6np0", "eth2": "enp27s0f0np0"}


def test_interfaces_are_what_most_hosts_say() -> None:
    """Hosts call their ports by names of their own; a swap of one host does not hide."""
    cabling = planned("leaf-spine")

    def text(port: int) -> str:
        name = cabling.port_text(port)
        return HOST_NAMES.get(name, name)

    one, other = cabling.list_device_ports(cabling.device_numbers["p1-su01-n001"]).tolist()
    mates = {one: other ^ 1, other ^ 1: one, other: one ^ 1, one ^ 1: other}
    sightings = sightings_of(cabling, port_text=text, mates=mates)
    found = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, found)
    assert seen.joined_to.tolist() == [mates.get(port, port ^ 1) for port in range(cabling.ports)]
    assert found.notes == (
        "port enp27s0f0np0 of generic-server is taken for eth2: 7 of 8 devices that have it are joined so",
        "port ens6np0 of generic-server is taken for eth1: 7 of 8 devices that have it are joined so",
    )


def test_one_host_alone_does_not_tell_its_interfaces() -> None:
    cabling = planned("leaf-spine")
    host, builder = "p1-su01-n001", SightingsBuilder()
    leaf = Box("compute-leaf-p1-su01-r1-01")
    builder.add_dump(Dump(Box(host), [Sighting("ens6np0", leaf, "Ethernet0")]))
    sightings = builder.make_sightings()
    found = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, found)
    port = cabling.list_device_ports(cabling.device_numbers[leaf.name]).tolist()[0]
    assert int(seen.towards[port]) == cabling.device_numbers[host]
    assert (seen.joined_to == -1).all()
    assert not seen.dumped.any()
    assert found.notes == ()


def test_macs_of_ports_are_known_by_the_inventory() -> None:
    from fabricgen.verify.identity.names import KnownAddress

    cabling = planned("leaf-spine")
    leaf, host = "compute-leaf-p1-su01-r1-01", "p1-su01-n001"
    known = (KnownAddress(mac(7), host, "eth1"),)
    builder = SightingsBuilder()
    builder.add_dump(Dump(Box(leaf), [Sighting("Ethernet0", Box(chassis=mac(7)), mac(7))]))
    sightings = builder.make_sightings()
    seen, _ = resolve_sightings(cabling, sightings, identify_boxes(cabling, sightings, known))
    port = cabling.list_device_ports(cabling.device_numbers[leaf]).tolist()[0]
    assert cabling.name_port(int(seen.joined_to[port])) == f"{host}:eth1"


def test_boxes_of_a_plan_have_their_own_names() -> None:
    assert len(set(by_name(planned("dual-tor")))) == 864
