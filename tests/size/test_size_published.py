"""`size` finds published designs among its candidates without being told of them."""

from __future__ import annotations

import pytest

from fabricgen.catalog.loader import Catalog
from tests.size.wished import count_switches, make_designs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gpus", "switches"),
    [
        (1016, (32, 16)),  # 127 nodes, a prime number
        (2048, (64, 32)),
        (4096, (128, 128, 64)),
        (16384, (512, 512, 256)),
    ],
)
def test_superpod_b200(gpus: int, switches: tuple[int, ...]) -> None:
    """NVIDIA DGX SuperPOD B200 reference architecture: network fabrics, Table 4, and DGX SuperPOD architecture."""
    designs = make_designs(gpus=gpus, node="dgx-b200", switch="qm9700", attach="rail", tiers=len(switches))
    assert switches in [count_switches(design) for design in designs]


@pytest.mark.parametrize(("gpus", "switches"), [(512, (16, 8)), (4096, (128, 64)), (8192, (256, 128))])
def test_superpod_b300(gpus: int, switches: tuple[int, ...]) -> None:
    """NVIDIA DGX SuperPOD B300 reference architecture: twin-plane, 64 nodes a unit."""
    designs = make_designs(gpus=gpus, node="dgx-b300", switch="sn5600", attach="rail", tiers=2)
    assert (2, switches) in [(design.shape.planes, count_switches(design)) for design in designs]


@pytest.mark.parametrize(("gpus", "switches"), [(576, (8, 4)), (1152, (16, 8)), (2304, (32, 18)), (4608, (64, 36))])
def test_superpod_b300_xdr(gpus: int, switches: tuple[int, ...]) -> None:
    """NVIDIA DGX SuperPOD B300 XDR reference architecture, Table 3: units of 72 nodes, which its profile names."""
    reference = Catalog().node("dgx-b300-xdr").reference
    assert reference is not None
    wishes = {"switch": reference.switch, "unit_size": reference.unit or 0, "attach": "rail", "tiers": 2}
    designs = make_designs(gpus=gpus, node="dgx-b300-xdr", **wishes)
    assert switches in [count_switches(design) for design in designs]


@pytest.mark.slow
def test_two_tiers_of_eight_planes_against_three_tiers() -> None:
    """MRC (Araujo et al., arXiv:2605.04333): two tiers of eight planes need 3/5 of the switches and 2/3 of the optics
    of three tiers of one plane.
    """
    flat = make_designs(gpus=65536, node="dgx-b300-8p", switch="sn5640", planes=8, tiers=2, attach="group")
    tall = make_designs(gpus=65536, node="dgx-b300-8p", switch="sn5600", planes=1, tiers=3, attach="group")
    two_tiers, three_tiers = (
        min((design.figures for design in designs), key=lambda f: f.on("switches") or 0) for designs in (flat, tall)
    )
    assert two_tiers.on("switches") == 0.6 * (three_tiers.on("switches") or 0) == 3072
    assert 3 * two_tiers.optics == 2 * three_tiers.optics == 786_432
    assert (two_tiers.hops, three_tiers.hops) == (3, 5)
    assert two_tiers.bisection == three_tiers.bisection == 1


@pytest.mark.slow
def test_two_hundred_thousand_gpus() -> None:
    """The fabric of blueprints/colossus-200k.yaml: 391 units, 49 pods, cores of each rail and spine number."""
    designs = make_designs(gpus=200_000, node="colossus-h100", switch="sn5600", attach="rail", tiers=3)
    assert (3128, 3136, 2048) in [count_switches(design) for design in designs]


def test_multi_plane_fat_tree_of_rails_apart() -> None:
    """16,384 endpoints on eight planes, here the rails, take 768 switches of 64 ports, against 1,280 in three tiers
    (DeepSeek-V3, ISCA 2025, arXiv:2505.09343, table of topologies).
    """
    designs = make_designs(gpus=16384, node="dgx-b200", switch="qm9700", attach="rail", tiers=2, rails="apart")
    assert (512, 256) in [count_switches(design) for design in designs if design.shape.meet == ""]
