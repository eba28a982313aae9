"""Fibre shuffles: every pair passes one, in the lane that NIC and leaf have; housings are placed and ordered.

What a shuffle does: J. M. Castro (Panduit), Optical Shuffle Architectures for Large AI Networks, IEEE 802.3 E4AI
workshop, 2026-02: lanes of a NIC go to as many switches, lanes of as many NICs to one switch port.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.plan.cabling.fg603_crowded_cage import CrowdedCage
from fabricgen.lint.rules.plan.cabling.fg634_channel_loses_light import ChannelLosesLight
from fabricgen.lint.rules.plan.cabling.fg641_shuffles_not_filled import ShufflesNotFilled
from tests.conftest import built_files, example_cluster

NAME = "shuffled-planes"


def listed(name: str, *sets: str) -> list[dict[str, str]]:
    files = built_files(example_cluster(NAME, *sets), name)
    return list(csv.DictReader(io.StringIO(files[f"{name}.csv"].decode())))


@pytest.mark.slow
@pytest.mark.parametrize("end", ["a", "b"])
def test_every_pair_passes_a_shuffle_and_keeps_its_lane(end: str) -> None:
    sets = (f"cabling.patch.planes.end={end}",)
    pairs = listed("shuffles", *sets)
    links = [row for row in listed("links", *sets) if "leaf" in row["b_device"] and "leaf" not in row["a_device"]]
    assert Counter((p["a_device"], p["a_port"], p["b_device"], p["b_port"]) for p in pairs) == Counter(
        (row["a_device"], row["a_port"], row["b_device"], row["b_port"]) for row in links
    )
    shuffles: dict[tuple[str, int], set[tuple[int, int]]] = defaultdict(set)
    into, out = defaultdict(set), defaultdict(set)
    for p in pairs:
        ports = {key: int(p[key]) - 1 for key in ("in_port", "in_pair", "out_port", "out_pair")}
        assert ports["in_port"] // 8 == ports["out_port"] // 8
        assert (ports["in_port"] % 8, ports["out_port"] % 8 - 4) == (ports["out_pair"], ports["in_pair"])
        shuffles[p["panel"], ports["in_port"] // 8].add((ports["in_pair"], ports["out_pair"]))
        into[p["panel"], ports["in_port"]].add((p["a_device"], p["a_cage"], (int(p["a_port"][-1]) - 1) // 4))
        out[p["panel"], ports["out_port"]].add((p["b_device"], int(p["b_port"].removeprefix("Ethernet")) // 4))
        assert (int(p["a_port"][-1]) - 1) % 4 == ports["in_pair"]
        assert int(p["b_port"].removeprefix("Ethernet")) % 4 == ports["out_pair"]
    assert {len(ends) for ends in (*into.values(), *out.values())} == {1}
    assert {len(own) for own in shuffles.values()} == {16}
    assert len(shuffles) == 2 * 32 * 8 * 2 // 4  # two connectors of 512 NICs
    racks = {p["rack"] for p in pairs}
    assert all(("net" in rack) == (end == "b") for rack in racks)


def test_housings_are_placed_and_ordered() -> None:
    cluster = example_cluster(NAME)
    panels = listed("panels")
    assert sum(int(p["used"]) for p in panels) == 256 * 8
    bill = {row["part"]: row for row in listed("bom")}
    assert bill["shuffle-4x4-mpo12"]["kind"] == "shuffle"
    assert int(bill["shuffle-4x4-mpo12"]["quantity"]) == len(panels)
    taken = {(row["rack"], int(row["u"])) for row in listed("devices")}
    assert not taken & {(p["rack"], int(p["u"])) for p in panels}
    pieces = [row["part"].split(" + ") for row in listed("cables") if row["b_device"].startswith("compute-leaf")]
    assert all(len(parts) == 2 and "1x" not in parts[0] + parts[1] for parts in pieces)
    for rule in (CrowdedCage(), ChannelLosesLight(), ShufflesNotFilled()):
        assert not list(rule.check(cluster))


SMALL = """
fabricgen: 1
name: small
scalable_unit: {nodes: 8 x dgx-b300-8p}
pods: {p1: {su: 1}}
fabrics: {compute: {protocol: roce, planes: 8, tiers: {
  leaf: {switch: sn5640, per: [su, plane]}, spine: {switch: sn5640, per: plane}}}}
cabling: {copper_to_m: 0, patch: {planes: {between: node-leaf, panel: shuffle-4x4-mpo12}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("panel:", "trunk_fibres: 144, panel:", "is of trunks"),
        ("panel:", "jumpers: [A, B], panel:", "transmitters to transmitters"),
        ("planes: 8,", "planes: 4,", "not one pair"),
    ],
)
def test_what_a_shuffle_cannot_serve_is_refused(
    design_of: Callable[..., Design], old: str, new: str, says: str
) -> None:
    with pytest.raises(InputError) as refused:
        build_cluster(design_of(SMALL.replace(old, new)))
    (found,) = refused.value.diagnostics
    assert found.code == "FG075"
    assert says in found.message
