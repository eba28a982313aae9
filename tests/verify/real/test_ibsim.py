"""The whole path on a simulated InfiniBand subnet: what ibnetdiscover says is what was plugged.

The DGX SuperPOD B200 at its size, 1020 adapters and 48 switches. Needs ibsim and ibnetdiscover; elsewhere it is
skipped, in CI it must run.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from fabricgen.addons.emulation.emulate import emulate_hall
from fabricgen.api import ClusterView
from fabricgen.verify.actions import Kind
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.diagnosing import diagnose
from fabricgen.verify.identity.identify import identify_boxes
from fabricgen.verify.identity.names import Identities, list_known_addresses
from fabricgen.verify.resolve import resolve_sightings
from fabricgen.verify.sightings import SeenPorts
from tests.conftest import example_cluster, require
from tests.render import ib_lab
from tests.render.ib_lab import parse, simulated
from tests.render.rendered import files_of
from tests.verify.dumps.reading import read_dumps
from tests.verify.identity.halls import planned

pytestmark = pytest.mark.daemon

NAME = "superpod-b200"
HCAS = {
    name: f"mlx5_{number}"
    for number, name in enumerate(
        ("OSFP4P2", "OSFP3P2", "OSFP3P1", "OSFP4P1", "OSFP1P2", "OSFP2P2", "OSFP2P1", "OSFP1P1")
    )
}


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    """What the lab starts."""
    lacking = ib_lab.missing()
    require(f"{lacking}: apt-get install opensm ibsim-utils infiniband-diags" if lacking else "")


@pytest.fixture(scope="module")
def cabling() -> PlannedCabling:
    return planned(NAME)


@pytest.fixture(scope="module")
def files() -> Mapping[str, str]:
    """The files of the fabric."""
    prefix = "configs/compute/"
    return {path.removeprefix(prefix): text for path, text in files_of(NAME).items() if path.startswith(prefix)}


def ports_of(cabling: PlannedCabling, device: str) -> list[int]:
    """The ports of a device that are in the subnet, in the order of links."""
    own = cabling.list_device_ports(cabling.device_numbers[device]).tolist()
    return [port for port in own if cabling.read_link("fabric", port) == "compute"]


class Faults:
    """What is plugged instead: two rails of a node crossed, a ring of three, two nodes exchanged, two cables dark."""

    def __init__(self, cabling: PlannedCabling) -> None:
        self.peers: dict[int, int] = {}
        self.cabling = cabling
        crossed = ports_of(cabling, "p1-su01-n005")
        self.ring(crossed[0] ^ 1, crossed[1] ^ 1)
        leaf = ports_of(cabling, "compute-leaf-p1-su02-r3-01")
        self.ring(leaf[4], leaf[9], leaf[11])
        one, other = (ports_of(cabling, f"p1-su03-n0{n}") for n in (12, 13))
        for a, b in zip(one, other, strict=True):
            self.ring(a ^ 1, b ^ 1)
        for dark in (ports_of(cabling, "compute-spine-04")[7], ports_of(cabling, "p1-su04-n001")[2]):
            self.peers |= {dark: -1, dark ^ 1: -1}

    def ring(self, *ports: int) -> None:
        """The plugs in some ports move on by one."""
        planned = [port ^ 1 for port in ports]
        for port, far in zip(ports, [*planned[1:], planned[0]], strict=True):
            self.peers |= {port: far, far: port}

    def expected(self) -> list[int]:
        """The far port of each port of the subnet, -1 for others."""
        cabling = self.cabling
        return [
            self.peers.get(port, port ^ 1) if cabling.read_link("fabric", port) == "compute" else -1
            for port in range(cabling.ports)
        ]

    def plugged(self, topology: str) -> str:
        """A topology file with these faults."""
        graph = parse(topology)
        node = {name: key for key, name in graph.names.items()}

        def end(port: int) -> tuple[str, int]:
            device, text = self.cabling.name_port(port).split(":")
            cage, _, sub = text.partition("/")
            return (node[device], 2 * int(cage) + int(sub) - 2) if sub else (node[f"{device} {text}"], 1)

        links = dict(graph.links)
        for port, far in self.peers.items():
            if far < 0:
                links.pop(end(port))
            else:
                links[end(port)] = end(far)
        return with_links(topology, links)


def with_links(topology: str, links: Mapping[tuple[str, int], tuple[str, int]]) -> str:
    """A topology file with other links."""
    lines, node = [], ""
    for line in topology.splitlines():
        if head := re.match(r'(?:Switch|Ca)\s+\d+ "([^"]+)"', line):
            node = head[1]
        if row := re.match(r"\[(\d+)\](\([0-9a-f]+\))?", line):
            if far := links.get((node, int(row[1]))):
                lines.append(f'{row[0]}\t"{far[0]}"[{far[1]}]')
        else:
            lines.append(line)
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def faults(cabling: PlannedCabling) -> Faults:
    return Faults(cabling)


@pytest.fixture(scope="module")
def discovered(files: Mapping[str, str], faults: Faults) -> Iterator[str]:
    """What ibnetdiscover prints of the subnet with its faults."""
    with tempfile.TemporaryDirectory(prefix="ib") as folder:
        topology = faults.plugged(files["topology.net"])
        with simulated({**files, "topology.net": topology}, Path(folder)) as subnet:
            yield subnet.discover()


def seen_in(cabling: PlannedCabling, text: str, folder: Path) -> tuple[Identities, SeenPorts, tuple[str, ...]]:
    """What a dump says; GUIDs are known, as they are planned."""
    (folder / "subnet.txt").write_text(text)
    sightings, ignored, _ = read_dumps([str(folder)])
    assert ignored == []
    identities = identify_boxes(cabling, sightings, list_known_addresses(example_cluster(NAME)))
    return identities, *resolve_sightings(cabling, sightings, identities)


def test_the_subnet_is_what_was_plugged(
    cabling: PlannedCabling, faults: Faults, discovered: str, tmp_path: Path
) -> None:
    assert len(parse(discovered).names) in (1067, 1068)
    identities, seen, notes = seen_in(cabling, discovered, tmp_path)
    assert seen.joined_to.tolist() == faults.expected()
    assert (seen.spare, seen.strangers, seen.conflicts, notes, identities.notes) == ((), (), (), (), ())
    compute = [cabling.read_link("fabric", port) == "compute" for port in range(cabling.ports)]
    lost = {port for port, far in faults.peers.items() if far < 0}
    silent = {port for port in range(cabling.ports) if seen.dumped[port] and seen.joined_to[port] < 0}
    assert silent == {port for port in lost if cabling.read_device("nos", int(cabling.device[port])) == "opensm"}
    assert not any(seen.dumped[port] for port in range(cabling.ports) if not compute[port])


def test_a_simulator_takes_a_subnet_of_paper(files: Mapping[str, str]) -> None:
    emulated = emulate_hall(ClusterView(example_cluster(NAME)), faults=5).write_dumps("ibnetdiscover")
    text = emulated["compute-ibnetdiscover.txt"]
    with (
        tempfile.TemporaryDirectory(prefix="ib") as folder,
        simulated({**files, "topology.net": text}, Path(folder)) as subnet,
    ):
        found = parse(subnet.discover())
    planned = parse(text)
    assert (found.names, found.links) == (planned.names, planned.links)


def test_the_faults_are_explained_as_they_were_made(cabling: PlannedCabling, discovered: str, tmp_path: Path) -> None:
    _, seen, _ = seen_in(cabling, discovered, tmp_path)
    found = diagnose(cabling, seen)
    assert [(action.kind, action.moves, action.boxes) for action in found.actions] == [
        (Kind.EXCHANGE, 0, 2),
        (Kind.CROSSED, 2, 0),
        (Kind.RING, 3, 0),
        (Kind.DARK, 0, 0),
        (Kind.DARK, 0, 0),
    ]
    assert found.actions[0].alternatives[0].moves == 16
    assert {end.device for end in found.actions[0].ends} == {"p1-su03-n012", "p1-su03-n013"}
    assert (found.extra, found.harmless, found.notes) == ((), (), ())


def test_names_of_adapters_are_inferred(
    cabling: PlannedCabling, faults: Faults, discovered: str, tmp_path: Path
) -> None:
    """Node descriptions as the driver writes them, `HOST mlx5_4`, and hardware of which nothing is known."""
    text = re.sub(r'(p1-su\d+-n\d+) (OSFP\dP\d)"', lambda found: f'{found[1]} {HCAS[found[2]]}"', discovered)
    assert '"p1-su01-n001 mlx5_4"' in text
    (tmp_path / "subnet.txt").write_text(text)
    sightings, _, _ = read_dumps([str(tmp_path)])
    identities = identify_boxes(cabling, sightings)
    seen, _ = resolve_sightings(cabling, sightings, identities)
    assert seen.joined_to.tolist() == faults.expected()
    assert any(note.startswith("port mlx5_4 of dgx-b200 is taken for OSFP1P2: 12") for note in identities.notes)


def test_guids_tell_adapters_without_names(
    cabling: PlannedCabling, faults: Faults, discovered: str, tmp_path: Path
) -> None:
    """Day 0: no host has written its name into its adapters, but their GUIDs are known."""
    text = re.sub(r'"p1-su\d+-n\d+ OSFP\dP\d"', '"MT4129 ConnectX7   Mellanox Technologies"', discovered)
    _, seen, _ = seen_in(cabling, text, tmp_path)
    assert seen.joined_to.tolist() == faults.expected()
