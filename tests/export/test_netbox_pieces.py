"""What NetBox 4.5 and later are told of cabling: NetBox's own way of tracing finds the links of the plan in it.

The tracer follows netbox/dcim/models/cables.py (CablePath.from_origin) and netbox/dcim/cable_profiles.py of v4.6.8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from fabricgen.addons.netbox import list_objects
from fabricgen.addons.netbox_objects.kinds import Ends, Kind
from fabricgen.api import ClusterView
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.export.files.patches import make_table
from tests.conftest import example_cluster

LISTED = (
    "single-1c1p single-1c2p single-1c4p single-1c6p single-1c8p single-1c12p single-1c16p trunk-2c1p trunk-2c2p "
    "trunk-2c4p trunk-2c6p trunk-2c8p trunk-2c12p trunk-4c1p trunk-4c2p trunk-4c4p trunk-4c6p trunk-4c8p trunk-8c4p "
    "breakout-1c2p-2c1p breakout-1c4p-4c1p breakout-1c6p-6c1p breakout-1c8p-8c1p"
)
PROFILES = set(LISTED.split())
"""Of CableProfileChoices (v4.6.8: netbox/dcim/choices.py), those that are no shuffles."""

pytestmark = pytest.mark.slow

SPLIT = """
name: split
scalable_unit: {nodes: 4 x dgx-a100, racks: {nodes_per_rack: NODES}}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: sn4700, per: [su, rail]}, spine: {switch: sn4700, count: 2}}}
cabling: {copper_to_m: 0, patch: {all: {between: node-leaf}}}
"""

Port = tuple[str, tuple[str, ...]]
Made = tuple[dict[str, Kind], ClusterView]


class Cabling:
    """Cables and ports of panels, and the way through them."""

    def __init__(self, kinds: dict[str, Kind]) -> None:
        cables = kinds["cables"]
        self.at: dict[Port, tuple[str, tuple[Ends, Ends], int, int]] = {}
        for profile, joins in zip(cables.columns["profile"], cables.joins, strict=True):
            for side in (0, 1):
                for place, port in enumerate(joins[side]):
                    assert port not in self.at
                    self.at[port] = (str(profile), joins, side, place)
        self.leads: dict[tuple[Port, int], tuple[Port, int]] = {}
        self.positions: dict[Port, int] = {}
        for name in ("front-ports", "rear-ports") if "front-ports" in kinds else ():
            for row in kinds[name].rows():
                self.positions[name, (row["device"], row["name"])] = row["positions"]
        for row in kinds["front-ports"].rows() if "front-ports" in kinds else ():
            front = ("front-ports", (row["device"], row["name"]))
            for position, key, rear_position in row["rear_ports"]:
                self.leads[front, position] = (("rear-ports", key), rear_position)
                assert self.leads.setdefault((("rear-ports", key), rear_position), (front, position)) == (
                    front,
                    position,
                )

    def trace(self, origin: Port) -> set[Port]:
        """The ends of the path from an interface."""
        ports, stack = {origin}, [self._own_positions(origin)] if self.at[origin][0] else []
        while True:
            positions = stack.pop() if self.at[min(ports)][0] and stack else None
            far: dict[Port, list[int]] = {}
            for port in sorted(ports):
                for peer, position in self._cross(port, positions):
                    far.setdefault(peer, []).append(position)
            if positions is not None:
                stack.append([position for found in far.values() for position in found])
            if all(name not in ("front-ports", "rear-ports") for name, _ in far):
                return set(far)
            landed = [(port, p) for port in far for p in (stack.pop() if self.positions[port] > 1 else [1])]
            onward = [self.leads[port, position] for port, position in landed if (port, position) in self.leads]
            ports = {port for port, _ in onward}
            if any(self.positions[port] > 1 for port in ports):
                stack.append([position for _, position in onward])

    def _own_positions(self, port: Port) -> list[int]:
        profile, _, side, _ = self.at[port]
        words = [tuple(map(int, re.findall(r"\d+", word))) for word in profile.split("-")[1:]]
        return list(range(1, words[min(side, len(words) - 1)][1] + 1))

    def _cross(self, port: Port, positions: list[int] | None) -> Iterator[tuple[Port, int]]:
        profile, joins, side, place = self.at[port]
        other = joins[1 - side]
        if not profile:
            yield from ((peer, 1) for peer in other)
            return
        for position in self._own_positions(port):
            if positions is None or position in positions:
                to = (place, position)
                if profile.startswith("breakout"):
                    to = (position - 1, 1) if side == 0 else (0, place + 1)
                if to[0] < len(other):
                    yield other[to[0]], to[1]


def make(cluster: Cluster) -> Made:
    view = ClusterView(cluster)
    return {kind.name: kind for kind in list_objects(view, pieces=True)}, view


def check(made: Made) -> None:
    kinds, view = made
    cabling, links = Cabling(kinds), view.links
    for a, a_port, b, b_port, cable in zip(
        links.a_device, links.a_port, links.b_device, links.b_port, links.cable, strict=True
    ):
        ends = [("interfaces", (a, a_port)), ("interfaces", (b, b_port))]
        if cable >= 0:
            assert [cabling.trace(end) for end in ends] == [{ends[1]}, {ends[0]}]
    assert set(kinds["cables"].columns["profile"]) - {""} <= PROFILES


@pytest.mark.parametrize("name", ["leaf-spine", "bonded-pair", "mixed-breakouts"])
def test_cables_of_several_links_lead_each_to_its_far_end(name: str) -> None:
    kinds, view = make(example_cluster(name))
    check((kinds, view))
    labels = kinds["cables"].columns["label"]
    assert sorted(labels) == sorted(view.cables.name)


@pytest.mark.parametrize(
    ("name", "sets"), [("patched-hall", ("pods.p1.su=1",)), ("shuffled-planes", ("pods.p1.su=1",))]
)
def test_links_pass_panels_and_shuffles(name: str, sets: tuple[str, ...]) -> None:
    kinds, view = make(example_cluster(name, *sets))
    check((kinds, view))
    assert len(kinds["panels"]) == len(view.panels) > 0


@pytest.mark.parametrize(("nodes", "jumper"), [("1", "trunk-2c1p"), ("4", "breakout-1c2p-2c1p")])
def test_splitters_are_where_they_split(design_of: Callable[..., Design], nodes: str, jumper: str) -> None:
    """At the common end, with a port of the panel for each leg, or at the far end, where all legs have one port."""
    kinds, view = make(build_cluster(design_of(SPLIT.replace("NODES", nodes))))
    check((kinds, view))
    assert jumper in kinds["cables"].columns["profile"]


def test_jumpers_are_in_the_ports_that_patches_say() -> None:
    cluster = example_cluster("patched-hall", "pods.p1.su=1", "scalable_unit.nodes=4 x xe9680-h200")
    kinds, _ = make(cluster)
    assert cluster.plan.patching is not None
    listed = make_table(cluster, cluster.plan.patching)
    wanted = {
        tuple(map(str, row))
        for row in zip(*(listed.columns[n] for n in ("cable", "device", "panel", "port")), strict=True)
    }
    found = set()
    for label, joins in zip(kinds["cables"].columns["label"], kinds["cables"].joins, strict=True):
        (near, (device, *_)), (far, (panel, port)) = joins[0][0], joins[1][0]
        if (near, far) == ("interfaces", "front-ports"):
            found.add((label, device, panel, port))
    assert found == wanted


def test_power_goes_from_feeds_to_supplies() -> None:
    kinds, view = make(example_cluster("leaf-spine", "floor.feeds=[A, B]"))
    joined = [joins for joins in kinds["cables"].joins if joins[0][0][0].startswith("power")]
    feeds = {joins[0][0][1]: joins[1][0][1][0] for joins in joined if joins[0][0][0] == "power-feeds"}
    pdus = dict(zip(kinds["pdus"].columns["name"], kinds["pdus"].columns["rack"], strict=True))
    assert {(panel, rack) for panel, rack in feeds} == {(f, r) for f in "AB" for r in set(view.racks.name)}
    assert all(pdus[pdu] == rack for (_, rack), pdu in feeds.items())
    supplies = {joins[1][0][1]: joins[0][0][1][0] for joins in joined if joins[0][0][0] == "power-outlets"}
    devices = dict(
        zip(view.devices.name, zip(view.devices.rack, view.devices.power_supplies, strict=True), strict=True)
    )
    for device, (rack, number) in devices.items():
        fed = [supplies[device, f"PSU{supply + 1}"] for supply in range(number)]
        assert [pdus[pdu] for pdu in fed] == [rack] * number
        assert len(set(fed)) == min(2, number)
