"""Advice is only given where it is true: each change a hint names makes the refused blueprint wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.advice import hints
from fabricgen.design.advice.trials import Advice
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.design.capacity.fg203_uneven_uplinks import UnevenUplinks
from fabricgen.lint.rules.design.capacity.fg204_uneven_leaves import UnevenLeaves

ERRORS = Path(__file__).parents[1] / "errors"
EXPECTED = {
    "leaf-too-small": {"count", "per"},
    "spine-too-small": {"per", "uplinks", "tier"},
    "spine-count-too-small": {"count", "per", "oversubscription", "tier"},
    "cage-ranges-too-small": {"count", "cages"},
    "breakout-too-coarse": {"count", "breakout", "switch"},
    "uplinks-take-too-many": {"count", "uplinks"},
    "peer-links-of-odd-count": {"count"},
    "nic-cannot-split": {"planes"},
    "nic-mode-unknown": {"nic"},
    "no-speed-in-common": {"switch"},
    "uplink-speed-not-in-common": {"uplinks"},
    "extra-without-port": {"omit", "to"},
    "radix-too-small": {"switch", "tier"},
    "two-tiers-for-200000": {"tier"},
    "management-leaf-too-small": {"count", "tier"},
    "planes-past-the-nic": {"planes"},
    "breakout-not-offered": {"breakout"},
    "lanes-too-few": {"breakout"},
    "neighbour-cage-disabled": {"cages", "count", "per", "switch", "tier"},
}


def applied(blueprint: dict[str, Any], advice: Advice) -> dict[str, Any]:
    """A blueprint with a piece of advice followed; None takes a key away."""
    changed = deepcopy(blueprint)
    for path, value in advice.set.items():
        *parents, last = path.split(".")
        place = changed
        for key in parents:
            place = place.setdefault(key, {})
        if value is None:
            place.pop(last, None)
        else:
            place[last] = value
    return changed


def designed(blueprint: dict[str, Any], folder: Path) -> Design:
    file = folder / "blueprint.yaml"
    file.write_text(json.dumps(blueprint), encoding="utf-8")
    return build_design(load_blueprint(str(file)))


def advice_on(blueprint: dict[str, Any], folder: Path) -> list[Advice]:
    """The advice that a blueprint is refused with; nothing where it is not refused."""
    given_out: list[Advice] = []
    original = hints.find_advice

    def spy(*arguments: Any) -> tuple[Advice, ...]:
        found = original(*arguments)
        given_out.extend(found)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hints, "find_advice", spy)
        try:
            designed(blueprint, folder)
        except InputError:
            return given_out
    return []


@pytest.mark.tenth
@pytest.mark.parametrize("case", EXPECTED)
def test_advice_of_each_kind_makes_the_refused_blueprint_wire(case: str, tmp_path: Path) -> None:
    blueprint = yaml.safe_load((ERRORS / f"{case}.yaml").read_text(encoding="utf-8"))
    found = advice_on(blueprint, tmp_path)
    assert {advice.kind for advice in found} == EXPECTED[case]
    for advice in found:
        design = designed(applied(blueprint, advice), tmp_path)
        if design.layout.units <= 16:
            build_cluster(design)


@pytest.mark.parametrize(
    ("omitted", "manager", "said"),
    [
        (["p1/su-last/node-last"], "opensm", "node-last, p1/su-last/node-7, p1/su-last/node-6]`; `to: spine` for a"),
        (["p1/su-2/node-8"], "opensm", "node-8, p1/su-last/node-7, p1/su-last/node-6]`; `to: spine` for a"),
        (["p1/su-2/node-7"], "ufm", "node-7, p1/su-last/node-last, p1/su-last/node-6]`"),
    ],
)
def test_slots_are_given_up_once_and_ufm_joins_no_spines(
    tmp_path: Path, omitted: list[str], manager: str, said: str
) -> None:
    leaf = {"switch": "qm9700", "per": "su", "count": 2}
    compute = {"protocol": "infiniband", "tiers": {"leaf": leaf, "spine": {"switch": "qm9700", "count": 4}}}
    arrays = {"device": "storage-array", "attach": "storage", "count": 10}
    blueprint = {"fabricgen": 1, "name": "tight", "scalable_unit": {"nodes": "8 x dgx-h100"}, "pods": {"p1": {"su": 2}}}
    compute |= {"subnet_manager": manager, "extra": {"a": arrays}}
    with pytest.raises(InputError) as error:
        designed({**blueprint, "omit": omitted, "fabrics": {"compute": compute}}, tmp_path)
    assert error.value.diagnostics[0].hint.endswith(said)


@st.composite
def tight_blueprints(draw: st.DrawFn) -> dict[str, Any]:
    """Blueprints whose switches are often too small or too few."""
    infiniband = draw(st.booleans())
    switch = "qm9700" if infiniband else draw(st.sampled_from(["sn5600", "sn4700", "7060dx5-32"]))
    leaf: dict[str, Any] = {
        "switch": switch,
        "per": draw(st.sampled_from([["su", "rail"], ["su"], ["rail"], ["rack"]])),
    }
    spine: dict[str, Any] = {"switch": switch}
    if draw(st.booleans()):
        leaf["count"] = draw(st.integers(1, 4))
    if draw(st.booleans()):
        leaf["uplinks"] = draw(st.sampled_from(["8 x 400G", "32 x 400G", "400G", "200G"]))
    if draw(st.booleans()):
        spine["count"] = draw(st.integers(1, 8))
    if draw(st.integers(0, 3)) == 0:
        leaf["cages"] = {"up": "1-8"}
    return {
        "fabricgen": 1,
        "name": "tight",
        "scalable_unit": {"nodes": f"{draw(st.sampled_from([4, 16, 32, 48]))} x dgx-b200"},
        "pods": {"p1": {"su": draw(st.sampled_from([1, 2, 8, 24]))}},
        "fabrics": {
            "compute": {"protocol": "infiniband" if infiniband else "roce", "tiers": {"leaf": leaf, "spine": spine}}
        },
    }


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(blueprint=tight_blueprints())
def test_whatever_is_advised_wires(blueprint: dict[str, Any], tmp_path: Path) -> None:
    for advice in advice_on(blueprint, tmp_path):
        designed(applied(blueprint, advice), tmp_path)


def test_a_stated_nos_is_kept_by_the_switches_named(tmp_path: Path) -> None:
    blueprint = yaml.safe_load((ERRORS / "breakout-too-coarse.yaml").read_text(encoding="utf-8")) | {"nos": "sonic"}
    assert not [advice for advice in advice_on(blueprint, tmp_path) if advice.set.get("switch", "").startswith("78")]


UNEVEN = """
fabricgen: 1
name: uneven
scalable_unit: {nodes: 32 x dgx-b200}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: infiniband
    tiers:
      leaf: {switch: qm9700, per: [su, rail], uplinks: 32 x 400G}
      spine: {switch: qm9700, count: 11}
"""


def test_uneven_uplinks_name_only_counts_that_have_the_ports(design_of: Callable[..., Design]) -> None:
    (finding,) = UnevenUplinks().check(design_of(UNEVEN))
    assert finding.hint == "counts that divide evenly and fit: 8, 16, 32; or `spread: uneven` of spine"


def test_uplinks_that_do_not_divide_by_the_upper_groups_name_numbers_that_fit(design_of: Callable[..., Design]) -> None:
    text = UNEVEN.replace("[su, rail], uplinks: 32 x 400G", "su, uplinks: 10 x 400G, oversubscription: 8")
    text = text.replace("count: 11", "count: 1, per: rail").replace("su: 2", "su: 1")
    findings = list(UnevenUplinks().check(design_of(text)))
    assert [f.hint for f in findings] == ["use a multiple of 8; these fit: 8 x 400G, 16 x 400G, 24 x 400G"]


def test_uneven_leaves_name_the_counts_nearest_to_the_stated_one(design_of: Callable[..., Design]) -> None:
    text = UNEVEN.replace(", count: 11}", "}").replace("[su, rail], uplinks: 32 x 400G", "su, count: 11")
    (finding,) = UnevenLeaves().check(design_of(text))
    assert finding.message.startswith(
        "256 node ports of compute do not divide evenly over 11 leaf switches: the fullest takes 24"
    )
    assert finding.hint == "counts that divide evenly and fit: 8, 16, 32"


def test_a_speed_that_halves_extra_devices_is_called_that(design_of: Callable[..., Design]) -> None:
    text = """
fabricgen: 1
name: slow
scalable_unit: {nodes: 32 x dgx-b200}
pods: {p1: {su: 1}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600}}
    extra: {store: {device: storage-array, attach: storage, count: 2, speed: 800G}}
"""
    with pytest.raises(InputError) as refused:
        design_of(text)
    (told,) = refused.value.diagnostics
    assert told.hint == "this fits: `speed: 200G` of store (storage-array has 200 of 400 Gb/s at each port then)"
