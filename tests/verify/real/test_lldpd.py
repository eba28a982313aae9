"""The whole path on a hall of lldpd: what its dumps say is what was plugged.

Needs lldpd and the right to make network namespaces; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.identity.identify import identify_boxes
from fabricgen.verify.identity.names import Identities
from fabricgen.verify.resolve import resolve_sightings
from fabricgen.verify.sightings import SeenPorts
from tests.conftest import BLUEPRINTS, Ran, require
from tests.verify.dumps.reading import read_dumps
from tests.verify.identity.halls import planned
from tests.verify.real import lldp_lab
from tests.verify.real.lldp_lab import End, Lab, lab

pytestmark = pytest.mark.daemon


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    """What the lab starts."""
    lacking = lldp_lab.missing()
    require(f"{lacking}: apt-get install lldpd iproute2" if lacking else "")


@pytest.fixture(scope="module")
def cabling() -> PlannedCabling:
    return planned("leaf-spine")


def end(cabling: PlannedCabling, port: int) -> End:
    return cabling.device_names[cabling.device[port]], cabling.port_text(port)


def aliases(cabling: PlannedCabling) -> dict[End, str]:
    """What SONiC calls the ports of the switches, from its port table."""
    platform = Catalog().sonic_platform("sn4700")
    assert platform
    found = {}
    for port in range(cabling.ports):
        device, name = end(cabling, port)
        if cabling.read_device("nos", int(cabling.device[port])) == "sonic":
            cage = next(c for c in platform.cages if c.port <= int(name[8:]) < c.port + len(c.lanes))
            ways = 2 if int(cabling.read_link("speed_gbps", port)) == 200 else 1
            part = (int(name[8:]) - cage.port) * ways // len(cage.lanes)
            found[device, name] = platform.find_alias(cage, ways, part)
    return found


class Hall:
    """Faults: the tails of a splitter rolled, two uplinks swapped, and one uplink cut."""

    def __init__(self, cabling: PlannedCabling) -> None:
        def ports(device: str) -> list[int]:
            own: list[int] = cabling.list_device_ports(cabling.device_numbers[device]).tolist()
            return own

        self.cut = ports("compute-spine-01")[0]
        self.peers = {port: port ^ 1 for port in range(cabling.ports) if port >> 1 != self.cut >> 1}
        for one, other in (ports("compute-leaf-p1-su01-r1-01")[:2], ports("compute-leaf-p1-su02-r2-01")[5:7]):
            self.peers |= {one: other ^ 1, other ^ 1: one, other: one ^ 1, one ^ 1: other}
        self.links = [(end(cabling, a), end(cabling, b)) for a, b in sorted(self.peers.items()) if a < b]
        self.cuts = [end(cabling, self.cut), end(cabling, self.cut ^ 1)]


@pytest.fixture(scope="module")
def hall(cabling: PlannedCabling) -> Hall:
    return Hall(cabling)


@pytest.fixture(scope="module")
def running(cabling: PlannedCabling, hall: Hall) -> Iterator[Lab]:
    with started(cabling, hall, {name: name for name in cabling.device_names}) as found:
        yield found


@contextlib.contextmanager
def started(cabling: PlannedCabling, hall: Hall, names: Mapping[str, str]) -> Iterator[Lab]:
    """The hall with host names; sockets lie in a folder with a short name, after which its namespaces are called."""
    with (
        tempfile.TemporaryDirectory(prefix="fv") as folder,
        lab(hall.links, hall.cuts, names, aliases(cabling), Path(folder)) as running,
    ):
        yield running


def seen_in(cabling: PlannedCabling, folder: Path) -> tuple[Identities, SeenPorts, tuple[str, ...]]:
    sightings, ignored, _ = read_dumps([str(folder)])
    assert ignored == []
    identities = identify_boxes(cabling, sightings)
    return identities, *resolve_sightings(cabling, sightings, identities)


@pytest.mark.parametrize("form", ["json", "json0"])
def test_dumps_of_all_devices_are_the_hall(
    cabling: PlannedCabling, hall: Hall, running: Lab, tmp_path: Path, form: str
) -> None:
    running.dump(tmp_path / "dumps", form, cabling.device_names)
    identities, seen, notes = seen_in(cabling, tmp_path / "dumps")
    assert seen.joined_to.tolist() == [hall.peers.get(port, -1) for port in range(cabling.ports)]
    assert seen.dumped.all()
    assert (seen.spare, seen.strangers, seen.conflicts, notes, identities.notes) == ((), (), (), (), ())


def test_the_command_names_the_plugs(
    cabling: PlannedCabling, hall: Hall, running: Lab, tmp_path: Path, fabricgen: Callable[..., Ran]
) -> None:
    running.dump(tmp_path / "dumps", "json0", cabling.device_names)
    ran = fabricgen("verify", BLUEPRINTS / "leaf-spine.yaml", tmp_path / "dumps", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    report = json.loads(ran.out)
    found = [(action["kind"], action["moves"]) for action in report["actions"]]
    assert found == [("dark", 0), ("swap", 2), ("splitter", 2)]
    dark, swap, rolled = ({f"{end['device']}:{end['port']}" for end in each["ends"]} for each in report["actions"])
    assert rolled == {"p1-su01-n001:eth1", "p1-su01-n002:eth1"}
    assert swap == {f"compute-leaf-p1-su02-r2-01:Ethernet{port}" for port in (232, 240)}
    assert dark == {f"{device}:{port}" for device, port in hall.cuts}


def test_dumps_of_the_switches_suffice(cabling: PlannedCabling, hall: Hall, running: Lab, tmp_path: Path) -> None:
    """A host's port is its MAC there, and its name the description."""
    running.dump(tmp_path / "dumps", "json0", [name for name in cabling.device_names if name.startswith("compute")])
    _, seen, _ = seen_in(cabling, tmp_path / "dumps")
    assert seen.joined_to.tolist() == [hall.peers.get(port, -1) for port in range(cabling.ports)]
    assert not seen.dumped.all()


def test_dumps_of_one_leaf_show_its_own_ports(
    cabling: PlannedCabling, hall: Hall, running: Lab, tmp_path: Path
) -> None:
    leaf = "compute-leaf-p1-su01-r1-01"
    running.dump(tmp_path / "dumps", "json", [leaf])
    _, seen, _ = seen_in(cabling, tmp_path / "dumps")
    own = cabling.list_device_ports(cabling.device_numbers[leaf]).tolist()
    assert {port for port, dumped in enumerate(seen.dumped.tolist()) if dumped} == set(own)
    assert {port: int(seen.joined_to[port]) for port in own} == {port: hall.peers.get(port, -1) for port in own}
    assert set(seen.joined_to.tolist()) == {-1} | {hall.peers[p] for p in own if p in hall.peers} | {
        p for p in own if p in hall.peers
    }


def test_day_0(cabling: PlannedCabling, hall: Hall, tmp_path: Path) -> None:
    """Switches are called sonic, hosts ubuntu, but two leaves and the hosts at fault: the others are inferred."""
    named = ("compute-leaf-p1-su01-r1-01", "compute-leaf-p1-su02-r1-01", "p1-su01-n001", "p1-su01-n002")
    names = {
        name: name if name in named else "sonic" if name.startswith("compute") else "ubuntu"
        for name in cabling.device_names
    }
    with started(cabling, hall, names) as running:
        dumps = tmp_path / "dumps"
        running.dump(dumps, "json0", cabling.device_names)
        for number, name in enumerate(cabling.device_names):
            if name not in named:
                (dumps / f"{name}.json").rename(dumps / f"dump{number}.json")
    identities, seen, _ = seen_in(cabling, dumps)
    assert seen.joined_to.tolist() == [hall.peers.get(port, -1) for port in range(cabling.ports)]
    assert any("is inferred to be compute-spine-01" in note for note in identities.notes)
