"""Clusters whose names tell nothing: devices are known by what their ports lead to."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from fabricgen.adopt.matching import PortWalk, make_port_graph
from fabricgen.api import compile_blueprint
from tests.adopt.round_trip import (
    compile_renamed,
    lay_out_hall,
    list_links,
    list_names_and_models,
)

ODD = Path(__file__).parent / "odd"
CITIES = ("lima", "oslo", "quito", "kyiv", "accra", "hanoi", "minsk", "sofia", "tunis", "dakar", "perth", "turin")


def draw_number(name: str, most: int) -> int:
    """A number below `most` that has nothing to do with where a device stands; the same everywhere."""
    return int(sha256(name.encode()).hexdigest(), 16) % most


def call_by_asset_tag(name: str) -> str:
    """All devices by the tags of an inventory."""
    return f"at{draw_number(name, 10**9):09}"


def call_by_city(name: str) -> str:
    """Switches by cities and numbers that say nothing; the first nodes as usual, those bought later by tags."""
    if "-n0" in name:
        return name if name.startswith("p1") else f"gpu-{draw_number(name, 10**6):06}"
    return f"{CITIES[draw_number(name, len(CITIES))]}-{draw_number(name, 10**5):05}"


def call_by_owner(name: str) -> str:
    """Nodes by who paid for them and a serial number; switches as a template calls them."""
    return f"{'bio' if draw_number(name, 2) else 'phys'}{draw_number(name, 10**7):07}" if "-n0" in name else name


CLUSTERS = {
    "arrays": call_by_asset_tag,
    "annex": call_by_city,
    "colo": call_by_asset_tag,
    "lab": call_by_owner,
}


@pytest.mark.slow
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_cluster_with_odd_names_comes_back(cluster: str, tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    view = compile_renamed(ODD / f"{cluster}.yaml", CLUSTERS[cluster], tmp_path)
    dumps, _ = lay_out_hall(view, tmp_path)
    found = tmp_path / "found.yaml"
    ran = fabricgen("adopt", dumps, "--netbox", list_names_and_models(view, tmp_path), "-o", found)
    assert (ran.code, ran.err) == (0, ""), ran.out
    assert list_links(compile_blueprint(str(found))) == list_links(view), found.read_text(encoding="utf-8")
    assert fabricgen("verify", found, dumps).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(("cluster", "seed"), [("annex", 0), ("colo", 5), ("lab", 1), ("lab", 3)])
def test_one_link_in_a_hundred_is_wrong_and_told(cluster: str, seed: int, tmp_path: Path, fabricgen) -> None:  # type: ignore[no-untyped-def]
    """The page gives what was planned, and what `verify` says of it is what it says of the plan.

    In seeds without boxes that were exchanged with all that leads to them: nobody sees it where names tell nothing.
    """
    view = compile_renamed(ODD / f"{cluster}.yaml", CLUSTERS[cluster], tmp_path)
    planned = list_links(view)
    dumps, _ = lay_out_hall(view, tmp_path, faults=3, seed=seed)
    found = tmp_path / "found.yaml"
    told = ("--netbox", list_names_and_models(view, tmp_path), "--format", "json")
    ran = fabricgen("adopt", dumps, *told, "-o", found)
    assert ran.code == 1, ran.err
    assert list_links(compile_blueprint(str(found))) == planned, found.read_text(encoding="utf-8")
    report = json.loads(fabricgen("verify", found, dumps, "--format", "json").out)
    assert report["actions"]
    assert {a["text"] for a in json.loads(ran.out)["actions"]} == {a["text"] for a in report["actions"]}


def test_devices_are_found_by_what_their_ports_lead_to() -> None:
    """Sixteen units of four leaves under eight spines; one link in fifty is crossed, and all devices are shuffled."""
    units, leaves, nodes, spines = 16, 4, 8, 8
    leaf, rank = np.arange(units * leaves), np.arange(units * leaves) % leaves
    first_leaf, first_spine = units * nodes, units * nodes + units * leaves
    down = [(leaf // leaves * nodes + n, 900 + rank, first_leaf + leaf, np.full_like(leaf, n)) for n in range(nodes)]
    up = [
        (first_leaf + leaf, np.full_like(leaf, 100 + s), np.full_like(leaf, first_spine + s), leaf)
        for s in range(spines)
    ]
    a, a_port, b, b_port = (np.concatenate(column) for column in zip(*down, *up, strict=True))
    kind = np.repeat([0, 1, 2], (first_leaf, units * leaves, spines))
    planned = make_port_graph(((a, a_port), (b, b_port)), kind)
    random = np.random.default_rng(61)
    number = random.permutation(len(kind))
    crossed = random.choice(len(a), len(a) // 50, replace=False)
    far, far_port = number[b], b_port.copy()
    far[crossed], far_port[crossed] = far[np.roll(crossed, 1)], b_port[np.roll(crossed, 1)]
    seen_kind = np.empty_like(kind)
    seen_kind[number] = kind
    walk = PortWalk(planned, make_port_graph(((number[a], a_port), (far, far_port)), seen_kind))
    places = walk.find_places(np.full(len(kind), -1))
    assert (places[number] == np.arange(len(kind))).all()
    assert walk.count_as_planned(places) == 2 * (len(a) - len(crossed))
