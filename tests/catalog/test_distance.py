"""Media by distance: the cheapest that reaches, from a rack to a span of 120 km, and fibre in lengths that are sold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.bom import bill
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.wiring.cabling.media import fits_segment
from fabricgen.wiring.cabling.stock import round_up_to_stock

BLUEPRINT = Path(__file__).with_name("hpn_chassis.yaml")
AT_800G = "fabrics.compute.tiers.leaf.uplinks=2 x 800G"
NO_WAN = "fabrics.compute.extra={}"
FOUR = {"400zr", "400zr-plus"}


def far_apart(monkeypatch: pytest.MonkeyPatch, metres: float, *sets: str) -> Cluster:
    """The cluster with every run of one length."""
    runs: Any = lambda devices, racks, floor, a, b: np.full(len(a), float(metres))  # noqa: E731
    monkeypatch.setattr("fabricgen.wiring.cabling.cables.measure_device_runs", runs)
    return build_cluster(build_design(load_blueprint(str(BLUEPRINT), sets)))


def uplink_media(cluster: Cluster) -> set[tuple[str, bool]]:
    """(medium, whether it reaches) of the cables between leaves and spines."""
    table, links = cluster.plan.cables, cluster.plan.links
    found = set()
    for cable, row in zip(table.end_cable.tolist(), table.end_link.tolist(), strict=True):
        if links.segments[links.segment[row]].key == "leaf-spine":
            found.add((table.media[table.medium[cable]].id, bool(table.reaches[cable])))
    return found


@pytest.mark.parametrize(
    ("metres", "medium"),
    [
        (400, "dr8-500m"),
        (1_900, "2fr4"),
        (9_000, "lr4"),
        (11_000, "800zr"),
        (80_000, "800zr"),
        (119_000, "800zr-plus"),
    ],
)
def test_the_cheapest_medium_that_reaches_is_taken_at_800g(
    metres: float, medium: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert uplink_media(far_apart(monkeypatch, metres, AT_800G, NO_WAN)) == {(medium, True)}


@pytest.mark.parametrize(("metres", "medium"), [(400, "dr8-500m"), (1_900, "2fr4"), (9_000, "lr4")])
def test_two_400g_ports_of_a_cage_go_as_far_as_duplex_optics(
    metres: float, medium: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert uplink_media(far_apart(monkeypatch, metres)) == {(medium, True)}


def test_one_coherent_module_does_not_serve_two_links(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {reaches for _, reaches in uplink_media(far_apart(monkeypatch, 30_000))} == {False}


def test_a_coherent_module_draws_what_it_draws_and_has_one_pair_of_fibres(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = far_apart(monkeypatch, 60_000, AT_800G, NO_WAN)
    lines = {line.part: line for line in bill.make_bill(cluster).lines}
    assert lines["800zr-osfp-800g"].power_w == 30
    assert lines["fibre-smf-os2-lc-duplex-60000m"].quantity == 64


def test_coherent_modules_carry_links_of_their_own_speed_over_lanes_of_either_rate() -> None:
    plan = build_cluster(build_design(load_blueprint(str(BLUEPRINT), (AT_800G, NO_WAN)))).plan
    segment = next(s for s in plan.links.segments if s.key == "leaf-spine")
    for speed, lane, fitting in ((800, 100, {"800zr", "800zr-plus"}), (400, 100, FOUR), (400, 50, FOUR)):
        asked = segment._replace(speed_gbps=speed, lane_gbps=lane)
        assert {c.id for c in plan.cables.media if c.medium == "ZR" and fits_segment(asked, c)} == fitting


@pytest.mark.parametrize(
    ("run", "length"),
    [
        (480, 500),
        (501, 600),
        (1_950, 2_000),
        (2_000, 2_000),
        (2_000.000_000_5, 3_000),  # more than a rounding error beyond the reels, of which there is none of 2,100 m
        (2_001, 3_000),
        (9_400, 10_000),
        (80_000, 80_000),
    ],
)
def test_long_fibre_comes_by_100_m_and_then_by_the_kilometre(run: float, length: float) -> None:
    fibre = next(c for c in Catalog().cables if c.id == "lr4")
    assert round_up_to_stock(fibre, np.array([float(run)])).tolist() == [length]
