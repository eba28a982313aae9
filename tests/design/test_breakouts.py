"""Several breakouts on the switches of a tier, one for each speed of their down ports."""

from __future__ import annotations

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError

EXAMPLE = "blueprints/mixed-breakouts.yaml"
OF_LEAF = "fabrics.compute.tiers.leaf.breakout"


def _design(*settings: str) -> Design:
    return build_design(load_blueprint(EXAMPLE, settings))


def test_each_speed_has_its_breakout() -> None:
    """64 ports of 400G and 8 of 100G on two leaves: 16 cages and 4 of each."""
    (leaf,) = _design().tiers
    assert [(run.speed_gbps, run.ways, run.count) for run in leaf.downs] == [(400, 2, 32), (100, 1, 4)]


def test_servers_may_share_cages() -> None:
    (leaf,) = _design(f"{OF_LEAF}=[2x400, 2x100]").tiers
    assert [(run.ways, -(-run.count // run.ways)) for run in leaf.downs] == [(2, 16), (2, 2)]


@pytest.mark.parametrize(
    ("breakout", "code", "words"),
    [
        ("[2x400, 4x200]", "FG141", "ports of 100G over 25G lanes, and `breakout` makes 2 x 400G, 4 x 200G"),
        ("[2x400, 4x100]", "FG119", "takes 16 lanes"),  # optics with a gearbox would do, but none is allowed
        ("2x400", "FG103", "no cage split 2 x 400G for 100G ports"),
        ("[2x400, 1x400]", "FG010", "two breakouts make ports of 400G"),
    ],
)
def test_refused(breakout: str, code: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        _design(f"{OF_LEAF}={breakout}", "fabrics.compute.media=[SR, DAC]")
    assert [(d.code, words in d.message) for d in error.value.diagnostics] == [(code, True)]


def test_sn5600_runs_100g_in_a_whole_cage() -> None:
    """The port table of SONiC for the SN5600 has 1x100G and 2x100G (sonic-buildimage, x86_64-nvidia_sn5600-r0)."""
    cage = Catalog().switch("sn5600").cages[0]
    assert 100 in cage.breakouts[1]
    assert cage.carries(2, 100, 25)
    assert not cage.carries(4, 100, 25)
