"""How NIC ports are run, of all kinds of nodes or of each; what a hint offers halves none in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.design.capacity.fg123_nic_held_back import NicHeldBack

MIXED = """
fabricgen: 1
name: mixed
scalable_unit: {nodes: {old: 2 x dgx-h100, new: 2 x dgx-b300}}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    nic: MODE
    tiers:
      leaf: {switch: LEAF, per: [su, rail]}
      spine: {switch: sn5600, count: 4}
"""


def ports(design: Design) -> dict[str, tuple[int, int]]:
    """By profile, (ports of each NIC port, Gb/s of one)."""
    attachments = design.fabric("compute").attachments
    return {a.profile.id: (a.links_per_connector, a.speed_gbps) for _, a in attachments}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("{dgx-b300: 2x400}", {"dgx-h100": (1, 400), "dgx-b300": (2, 400)}),
        ("{all: 1x400, dgx-b300: 1x800}", {"dgx-h100": (1, 400), "dgx-b300": (1, 800)}),
        ("1x400", {"dgx-h100": (1, 400), "dgx-b300": (1, 400)}),
    ],
)
def test_each_kind_of_node_runs_its_nics_as_stated(
    design_of: Callable[..., Design], mode: str, expected: dict[str, tuple[int, int]]
) -> None:
    assert ports(design_of(MIXED.replace("MODE", mode).replace("LEAF", "sn5600"))) == expected


def test_a_mode_for_all_that_halves_some_is_told(design_of: Callable[..., Design]) -> None:
    text = MIXED.replace("LEAF", "sn5600")
    (found,) = NicHeldBack().check(design_of(text.replace("MODE", "1x400")))
    assert found.path == ("fabrics", "compute", "nic")
    assert found.message == "`nic: 1x400` runs each compute port of dgx-b300 at 400G of its 800G"
    assert "`dgx-b300: 1x800`" in found.hint
    for mode in ("{dgx-b300: 1x400}", "{dgx-b300: 2x400}", "{all: 1x400, dgx-b300: 2x400}"):
        assert not list(NicHeldBack().check(design_of(text.replace("MODE", mode)))), mode
    alone = text.replace("old: 2 x dgx-h100, ", "").replace("MODE", "1x400")
    assert not list(NicHeldBack().check(design_of(alone))), "one kind, and its mode is stated"


@pytest.mark.slow
def test_a_hint_offers_what_halves_none_or_says_what_it_halves(design_of: Callable[..., Design]) -> None:
    with pytest.raises(InputError) as refused:
        design_of(MIXED.replace("MODE", "2x400").replace("LEAF", "sn5600"))
    assert refused.value.diagnostics[0].hint == "this fits: `nic: {dgx-b300: 2x400, dgx-h100: 1x400}`"
    with pytest.raises(InputError) as refused:
        design_of(MIXED.replace("nic: MODE", "speed: 800G").replace("LEAF", "sn5600"))
    assert "`speed: 400G` (dgx-b300 has 400 of 800 Gb/s at each port then)" in refused.value.diagnostics[0].hint
