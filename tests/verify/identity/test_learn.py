"""The hardware table that dumps tell, and how it is read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.tables import parse_inventory
from fabricgen.kernel.diagnostics import InputError
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box, Dump, Sighting
from fabricgen.verify.identity.identify import identify_boxes
from fabricgen.verify.identity.learn import learn_hardware
from fabricgen.verify.identity.names import How, read_inventory_addresses
from fabricgen.verify.sightings import Sightings, SightingsBuilder
from tests.conftest import BLUEPRINTS, Ran
from tests.verify.identity.halls import by_name, mac, planned, sightings_of


def chassis(cabling: PlannedCabling, *, named: bool = True) -> list[Box]:
    """Every device with a MAC."""
    return [Box(name if named else "", mac(i)) for i, name in enumerate(cabling.device_names)]


def of_hosts(cabling: PlannedCabling) -> Sightings:
    """Dumps of the switches: ports of hosts are told as MACs, with their names as descriptions."""
    boxes, builder = chassis(cabling), SightingsBuilder()
    for device in range(len(boxes)):
        if cabling.read_device("nos", device):
            seen = [
                Sighting(
                    cabling.port_text(port),
                    boxes[int(cabling.device[port ^ 1])],
                    mac(1000 + (port ^ 1)),
                    cabling.port_text(port ^ 1),
                )
                for port in cabling.list_device_ports(device).tolist()
            ]
            builder.add_dump(Dump(boxes[device], seen))
    return builder.make_sightings()


def table(cabling: PlannedCabling, sightings: Sightings, before: str = "") -> str:
    inventory = parse_inventory(before, "inventory.csv") if before else ()
    found = learn_hardware(
        cabling, sightings, identify_boxes(cabling, sightings, read_inventory_addresses(inventory)), inventory
    )
    assert not found.left_out
    return found.table.decode()


def test_what_dumps_tell_of_several_devices_is_left_out_and_said() -> None:
    cabling = planned("leaf-spine")
    leaves = [f"compute-leaf-p1-su01-r{rail}-01" for rail in (1, 2)]
    spine = Box("compute-spine-01", mac(2))
    builder = SightingsBuilder()
    for leaf in leaves:
        builder.add_dump(
            Dump(Box(leaf, mac(1)), [Sighting("Ethernet224", spine, "Ethernet0" if leaf == leaves[0] else "Ethernet8")])
        )
    builder.add_dump(Dump(Box("compute-spine-01", mac(3)), []))
    sightings = builder.make_sightings()
    found = learn_hardware(cabling, sightings, identify_boxes(cabling, sightings, read_inventory_addresses(())), ())
    assert found.table == b"device,port,mac,guid,serial\n"
    assert found.left_out == (
        f"MAC {mac(1)} is told of {leaves[0]}, {leaves[1]}: it is not learnt",
        f"compute-spine-01 tells several MACs, {mac(2)}, {mac(3)}: none is learnt",
    )


def test_macs_of_switches_and_of_ports_are_learnt() -> None:
    cabling = planned("leaf-spine")
    text = table(cabling, of_hosts(cabling))
    rows = {(row.device, row.port): row.mac for row in parse_inventory(text, "learnt.csv")}
    leaf = "compute-leaf-p1-su01-r1-01"
    assert rows[leaf, ""] == mac(cabling.device_numbers[leaf])
    assert rows["p1-su01-n001", "eth1"].startswith("02:00:00:00:")
    assert ("p1-su01-n001", "") not in rows
    assert len(rows) == 8 + 16 + 2 * 16, "switches, ports of hosts, ports between switches"


def test_what_was_learnt_tells_boxes_and_is_learnt_again() -> None:
    """The second run knows by the table what the first knew by names."""
    cabling = planned("leaf-spine")
    sightings = sightings_of(cabling, chassis(cabling))
    text = table(cabling, sightings)
    nameless = sightings_of(cabling, chassis(cabling, named=False))
    found = identify_boxes(cabling, nameless, read_inventory_addresses(parse_inventory(text, "learnt.csv")))
    switches = [device for device in range(16) if cabling.read_device("nos", device)]
    how = {box.chassis: int(found.how[i]) for i, box in enumerate(nameless.boxes)}
    assert {how[mac(device)] for device in switches} == {How.CHASSIS}
    assert table(cabling, nameless, text) == text


def test_serial_numbers_stay_and_lines_are_in_the_order_of_the_plan() -> None:
    cabling = planned("leaf-spine")
    before = "serial,device\nX-2,p1-su01-n002\nX-1,compute-spine-01\n"
    lines = table(cabling, of_hosts(cabling), before).splitlines()
    assert lines[0] == "device,port,mac,guid,serial"
    assert "p1-su01-n002,,,,X-2" in lines
    assert f"compute-spine-01,,{mac(cabling.device_numbers['compute-spine-01'])},,X-1" in lines
    devices = [line.partition(",")[0] for line in lines[1:]]
    assert list(dict.fromkeys(devices)) == sorted(dict.fromkeys(devices), key=cabling.device_numbers.__getitem__)


def test_an_inventory_that_the_dumps_contradict_is_refused_at_its_cells() -> None:
    cabling = planned("leaf-spine")
    other = mac(cabling.device_numbers["compute-spine-02"])
    with pytest.raises(InputError) as error:
        table(cabling, of_hosts(cabling), f"device,mac\ncompute-spine-01,{other}\n")
    assert [(found.code, str(found.span)) for found in error.value.diagnostics] == [("FG070", "inventory.csv:2:18")]
    assert "compute-spine-01 has MAC" in error.value.diagnostics[0].message


def test_what_the_command_learns_goes_beside_the_blueprint(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    """With all that the blueprint's inventory has already."""
    cabling = planned("leaf-spine")
    text = table(cabling, of_hosts(cabling))
    dump, learnt_file = tmp_path / "dump.csv", tmp_path / "hardware.csv"
    dump.write_text(
        "device,port,neighbor,neighbor_port\ncompute-spine-01,Ethernet0,compute-leaf-p1-su01-r1-01,Ethernet224\n"
    )
    example = tmp_path / "hall.yaml"
    example.write_text((BLUEPRINTS / "leaf-spine.yaml").read_text() + "inventory: first.csv\n")
    (tmp_path / "first.csv").write_text(text)
    ran = fabricgen("verify", example, dump, "--learn", learnt_file)
    assert (ran.code, ran.err) == (1, ""), "other ports of the spine see nobody"
    assert learnt_file.read_text() == text
    again = fabricgen("verify", example, dump, "--learn", "-")
    assert (again.code, "only one of --learn" in again.err) == (2, True)


def test_guids_of_hardware_are_learnt_and_planned_ones_are_not() -> None:
    cabling = planned("known-hardware")
    boxes, builder = by_name(cabling), SightingsBuilder()
    leaf = cabling.device_numbers["compute-leaf-01"]
    own = cabling.list_device_ports(leaf).tolist()[:2]
    real, planned_guid = "0xb83fd20300aa0001", "0x02f0000000000001"
    seen = [
        Sighting(str(i + 1), Box(f"{cabling.name_port(port ^ 1).replace(':', ' ')}", guid), "1")
        for i, (port, guid) in enumerate(zip(own, (real, planned_guid), strict=True))
    ]
    builder.add_dump(Dump(Box(boxes[leaf].name, "0xb83fd20300aa0010"), seen, "ib"))
    text = table(cabling, builder.make_sightings())
    assert text.splitlines()[1:] == [
        "p1-su01-n001,OSFP4P2,,b83fd20300aa0001,",
        "compute-leaf-01,,,b83fd20300aa0010,",
    ]
