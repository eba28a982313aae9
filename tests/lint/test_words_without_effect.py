"""Words that change nothing where they stand are told (FG806, FG521), and those that do change something are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.design.model import Design
from fabricgen.lint.rules.fg521_dhcp_serves_nobody import DhcpServesNobody
from fabricgen.lint.rules.fg806_setting_without_effect import SettingWithoutEffect

TWO_FABRICS = """
fabricgen: 1
name: words
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, count: 4}
  storage:
    protocol: ethernet
    speed: 200G
    extra: {array: {device: storage-array, count: 2}}
    tiers:
      leaf: {switch: sn4700, count: 2, spread: stripe}
      spine: {switch: sn4700, count: 2}
"""
BLUE = "tenants={blue: {nodes: [p1/su-1/node-1], FABRICS extra: [array]}}"


@pytest.mark.parametrize(
    ("sets", "path", "says"),
    [
        (
            ("scalable_units={gold: {nodes: 2 x dgx-b200}}",),
            ("scalable_units", "gold"),
            "no pod has units of the kind gold",
        ),
        (
            ("scalable_units={gold: {nodes: 2 x dgx-b200}}", "pods.p1.unit=gold"),
            ("scalable_unit",),
            "no pod has units of `scalable_unit`: they have `gold`",
        ),
        (("routing.first_vni=20000",), ("routing", "first_vni"), "no VNI is numbered"),
        (("routing.overlay=evpn",), ("routing", "overlay"), "no VRF passes between its switches"),
        (("fabrics.compute.routing.overlay=evpn",), ("fabrics", "compute", "routing", "overlay"), "no VRF passes"),
        (
            ("management.ztp={url: 'http://10.0.0.9', images: {eos: {file: x.swi}}}",),
            ("management", "ztp", "images", "eos"),
            "no switch runs eos or is one: they run or are sn4700, sn5600, sonic",
        ),
        (
            (BLUE.replace("FABRICS", "fabrics: [compute],"),),
            ("tenants", "blue", "extra", 0),
            "array is in storage, and blue is kept apart in compute",
        ),
    ],
)
def test_words_without_effect_are_told(
    design_of: Callable[..., Design], sets: tuple[str, ...], path: tuple[str | int, ...], says: str
) -> None:
    (found,) = SettingWithoutEffect().check(design_of(TWO_FABRICS, sets))
    assert found.path == path
    assert says in found.message
    assert not any(
        edit for edit in found.fix if path[0] in ("scalable_unit", "scalable_units", "tenants", "management")
    )


@pytest.mark.parametrize(
    "sets",
    [
        ("scalable_units={gold: {nodes: 2 x dgx-b200}}", "pods.p2={unit: gold, su: 1}"),
        ("routing={overlay: evpn, first_vni: 20000}", BLUE.replace("FABRICS", "")),
        ("management.ztp={url: 'http://10.0.0.9', images: {sonic: {file: x.bin}, sn4700: {file: y.bin}}}",),
        (BLUE.replace("FABRICS", "fabrics: [storage],"),),
    ],
)
def test_words_with_effect_are_not(design_of: Callable[..., Design], sets: tuple[str, ...]) -> None:
    assert not list(SettingWithoutEffect().check(design_of(TWO_FABRICS, sets)))


def test_a_fallback_of_no_bond_is_told(design_of: Callable[..., Design]) -> None:
    (found,) = DhcpServesNobody().check(design_of(TWO_FABRICS, ("fabrics.storage.lacp_fallback=true",)))
    assert (found.path, found.message) == (("fabrics", "storage", "lacp_fallback"), "storage has no bonds")
    bonded = ("fabrics.storage.lacp_fallback=true", "fabrics.storage.bond=node", "fabrics.storage.tiers.leaf.pair=evpn")
    assert not list(DhcpServesNobody().check(design_of(TWO_FABRICS, bonded)))
