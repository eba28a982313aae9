"""Capacity and oversubscription: limits at their boundary, hints that work when applied, and what is no fault."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity
from fabricgen.lint.engine import lint
from fabricgen.lint.examples import BASE
from tests.conftest import BLUEPRINTS

Find = Callable[..., list[Diagnostic]]


@pytest.fixture
def find(tmp_path: Path) -> Find:
    """Findings of some codes on a fragment over the small valid blueprint, with values changed."""
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")

    def found(fragment: str, *codes: str, sets: tuple[str, ...] = ()) -> list[Diagnostic]:
        file = tmp_path / "example.yaml"
        file.write_text(f"include: base.yaml\n{fragment}\n", encoding="utf-8")
        findings = lint(build_design(load_blueprint(str(file), sets))).findings
        return [d for d in findings if d.code in codes]

    return found


def of_example(name: str, *sets: str) -> list[Diagnostic]:
    """Design findings on an example blueprint with values changed."""
    return list(lint(build_design(load_blueprint(str(BLUEPRINTS / f"{name}.yaml"), sets))).findings)


UPLINKS = "fabrics: {{compute: {{tiers: {{leaf: {{switch: sn5600, per: [su, rail], uplinks: {}}}}}}}}}"


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "uplinks"), [(9, "4 x 400G"), (6, "2 x 800G"), (30, "20 x 400G")])
def test_the_hint_of_fg201_works(find: Find, nodes: int, uplinks: str) -> None:
    sets = (f"scalable_unit.nodes={nodes} x dgx-b200",)
    (finding,) = find(UPLINKS.format(uplinks), "FG201", sets=sets)
    value = re.search(r"`uplinks: (.*?)`", finding.hint)
    assert value
    applied = find(UPLINKS.format(value[1]), "FG201", "FG203", sets=sets)
    assert applied == []


def test_a_single_switch_is_no_count_to_advise(find: Find) -> None:
    spines = (
        "fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail], uplinks: 7 x 400G}, spine: {count: 3}}}}"
    )
    (finding,) = find(spines, "FG203")
    assert finding.hint.startswith("counts that divide evenly and fit: 7;")


def test_a_stated_leaf_without_ports_for_the_reserve_is_found(find: Find) -> None:
    leaf = "fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: rail, count: 1}, spine: null}}}"
    (finding,) = find(leaf, "FG106", sets=("pods.p1.reserve=64",))
    assert finding.path[-2:] == ("leaf", "count")
    assert find(leaf, "FG106", sets=("pods.p1.reserve=16",)) == []
    value = re.search(r"`count: (\d+)`", finding.hint)
    assert value
    assert find(leaf.replace("count: 1", f"count: {value[1]}"), "FG106", sets=("pods.p1.reserve=64",)) == []


def test_border_pairs_are_no_spines(find: Find) -> None:
    across = "{protocol: roce, oversubscription: 8, tiers: {border: {switch: sn5600, count: 2, above: compute.spine}}}"
    assert find(f"fabrics: {{across: {across}}}", "FG303") == []
    assert [d.path[3] for d in find("fabrics: {compute: {tiers: {spine: {count: 2}}}}", "FG303")] == ["spine"]


FULL = "fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}}}}"


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("nodes", "limit", "codes"),
    [
        (64, "", ["FG105"]),
        (64, "0", []),
        (64, "1", ["FG118"]),
        (63, "1", []),
        (60, "8", []),
        (60, "9", ["FG118"]),
        (60, "6.25%", []),
        (60, "7%", ["FG118"]),
    ],
)
def test_spare_ports_are_judged_by_one_rule(find: Find, nodes: int, limit: str, codes: list[str]) -> None:
    sets = [f"scalable_unit.nodes={nodes} x dgx-b200", "pods.p1.su=1"]
    sets += [f"lint.limits.spare_ports={limit}"] if limit else []
    found = find(FULL, "FG105", "FG118", sets=tuple(sets))
    assert [d.code for d in found if d.path[-1] == "leaf"] == codes


@pytest.mark.parametrize("limit", ["-1", "'x'", "120%", "1.5"])
def test_spare_ports_are_a_number_or_a_share(find: Find, limit: str) -> None:
    with pytest.raises(InputError):
        find(f"lint: {{limits: {{spare_ports: {limit}}}}}")


NARROW = """
pods: {p1: {su: 2, count: 2}}
fabrics: {compute: {tiers: {
  leaf: {switch: sn5600, per: [su, rail], oversubscription: 2},
  spine: {switch: sn5600, per: pod, count: 2, oversubscription: 4},
  core: {switch: sn5600, count: 2}}}}
"""


@pytest.mark.slow
def test_end_to_end_is_judged_by_the_limit_or_told_without_one(find: Find) -> None:
    assert [(d.severity.label, d.path[-2]) for d in find(NARROW, "FG205")] == [("info", "spine")]
    (stated,) = find(NARROW, "FG205", sets=("lint.limits.oversubscription=7:1",))
    assert stated.severity.label == "warning"
    value = re.search(r'oversubscription: "(.*?)"', stated.hint)
    assert value
    sets = ("lint.limits.oversubscription=7:1", f"fabrics.compute.tiers.spine.oversubscription={value[1]}")
    assert find(NARROW, "FG205", sets=sets) == []
    assert find(NARROW, "FG205", sets=("lint.limits.oversubscription=8:1",)) == []


def test_spans_count_from_end_to_end() -> None:
    (finding,) = [d for d in of_example("two-site", "lint.limits.oversubscription=8:1") if d.code == "FG205"]
    assert "16:1 from its nodes up (leaf 1:1 x spine 8:1 x border 2:1)" in finding.message


ISLANDS = """
fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: null}}}
"""


@pytest.mark.slow
def test_islands_have_no_bisection_and_rails_alone_have(find: Find) -> None:
    """Places that nothing joins are told once, as FG315; leaves that stand apart in one place have both rules."""
    limit = "lint.limits.bisection_gbps_per_accelerator=100"
    assert find(ISLANDS, "FG206") == []
    assert len(find(ISLANDS, "FG315")) == 1
    assert [d.path for d in find(ISLANDS, "FG206", sets=(limit,))] == [("fabrics", "compute", "tiers")]
    assert find(ISLANDS.replace("[su, rail]", "rail"), "FG206", sets=(limit,)) == []
    assert find(ISLANDS, "FG206", sets=("pods.p1.su=1", limit)) == []
    apart = of_example("collapsed-pair", "fabrics.compute.tiers.leaf.spread=block")
    assert [d.path for d in apart if d.code == "FG206"] == [("fabrics", "compute", "tiers")]


@pytest.mark.slow
def test_a_tier_that_is_too_narrow_is_told_once() -> None:
    """FG201 has the cause, of which a narrow bisection is the effect; so have links between sites, as stated."""
    narrow = of_example("superpod-b300", "fabrics.compute.tiers.leaf.uplinks=32 x 400G")
    assert {d.code for d in narrow if d.severity > Severity.INFO} == {"FG201"}
    assert not [d for d in of_example("two-site", "pods.w1.su=4") if d.severity > Severity.INFO]


@pytest.mark.slow
def test_a_bisection_within_what_is_allowed_is_no_fault_until_a_limit_is_stated() -> None:
    assert not [d for d in of_example("dual-tor") if d.code == "FG206"]
    found = of_example("dual-tor", "lint.limits.bisection_gbps_per_accelerator=200")
    (finding,) = [d for d in found if d.code == "FG206"]
    assert "is 176.5G per accelerator" in finding.message
    assert finding.path[-2:] == ("agg", "uplinks")


def test_storage_at_other_speeds_does_no_harm(find: Find) -> None:
    assert not [d for d in of_example("mixed-speeds") if d.code == "FG117"]
    faster = "fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail], uplinks: 8 x 200G}}}}"
    assert [d.path[-1] for d in find(faster, "FG117")] == ["uplinks"]
    assert find(faster, "FG117", sets=("routing.load_balance=dynamic",)) == []


STORAGE = """
fabrics: {storage: {protocol: roce, oversubscription: 4, tiers: {
  leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 4}},
  extra: {array: {device: storage-array, count: 8}}}}
"""


def test_storage_is_as_fast_as_its_narrowest_part(find: Find) -> None:
    limit = "lint.limits.storage_gbps_per_accelerator"
    (finding,) = find(STORAGE, "FG207", sets=(f"{limit}=200",))
    assert finding.path[-2:] == ("leaf", "oversubscription")
    (finding,) = find(STORAGE, "FG207", sets=(f"{limit}=20", "fabrics.storage.extra.array.count=1"))
    assert finding.path[-1] == "array"
    assert "gives an accelerator 12.5G; the limit is 20G" in finding.message
    assert find(STORAGE, "FG207", sets=(f"{limit}=12.5", "fabrics.storage.extra.array.count=1")) == []
    assert find(STORAGE, "FG207") == []


def test_uplinks_are_wasted_at_any_tier_but_not_those_to_every_spine(find: Find) -> None:
    three = (
        "pods: {p1: {su: 2, count: 2}}\nfabrics: {compute: {tiers: {"
        "spine: {switch: sn5600, per: pod, count: 4, uplinks: 64 x 400G}, core: {switch: sn5600, count: 4}}}}"
    )
    (finding,) = find(three, "FG202")
    assert (finding.path[-2:], finding.hint) == (("spine", "uplinks"), "`uplinks: 16 x 400G` is enough")
    assert find(three, "FG202", sets=("pods.p1.reserve=8",)) == [], "more units may come"
    assert find(UPLINKS.format("4 x 400G"), "FG202", sets=("scalable_unit.nodes=1 x dgx-b200",)) == []


def test_nics_are_held_back_only_where_nobody_says_so() -> None:
    hdr = [f"fabrics.compute.tiers.{tier}.switch=qm8790" for tier in ("leaf", "spine", "core")]
    for stated, expected in ((), 1), (("fabrics.compute.speed=200G",), 0), (("fabrics.compute.nic=1x200",), 0):
        found = [d for d in of_example("superpod-b200-3tier", *hdr, *stated) if d.code == "FG123"]
        assert len(found) == expected


def test_lanes_of_nics_are_told_where_they_hold_back(find: Find) -> None:
    """A NIC makes 800G of four lanes of 200G, the switch of eight of 100G."""
    (finding,) = find(
        "scalable_unit: {nodes: 4 x helios-tray}\n"
        "fabrics: {compute: {tiers: {leaf: {switch: 7060xe7-128pe}, spine: {switch: 7060xe7-128pe, count: 4}}}}",
        "FG123",
    )
    assert finding.message.endswith(
        "800G over lanes of 100G takes 8 lanes, and 800G ports of helios-tray have 4, of 200G"
    )


@pytest.mark.slow
def test_servers_beside_accelerators_are_no_oversubscription_of_theirs() -> None:
    """A port of UFM on a leaf that is as wide as its accelerators; an array in its place is an error."""
    half = ("scalable_unit.nodes=16 x dgx-b200", "omit=[]")
    (ufm,) = [d for d in of_example("superpod-b200", *half) if d.code == "FG201"]
    assert (ufm.severity, ufm.path[1]) == (Severity.INFO, "compute")
    assert "1.06:1 (17 x 400G down, 16 x 400G up); the limit is 1:1, kept without ufm" in ufm.message
    narrow = of_example("superpod-b200", *half, "fabrics.compute.tiers.leaf.uplinks=8 x 400G")
    assert Severity.ERROR in {d.severity for d in narrow if d.code == "FG201"}
    storage = of_example("mixed-speeds", "fabrics.compute.tiers.leaf.uplinks=16 x 800G")
    assert {d.severity for d in storage if d.code == "FG201"} == {Severity.ERROR}


@pytest.mark.slow
def test_more_spines_are_named_where_uplinks_need_them() -> None:
    sets = ("fabrics.storage.oversubscription=1:1", "fabrics.storage.tiers.leaf.uplinks=8 x 400G")
    (finding,) = [d for d in of_example("superpod-b200", *sets) if d.code == "FG201"]
    value = re.search(r"`uplinks: (.*?)` with `count: (\d+)` of spine, or", finding.hint)
    assert value
    leaf, spine = "fabrics.storage.tiers.leaf.uplinks", "fabrics.storage.tiers.spine.count"
    mended = of_example("superpod-b200", sets[0], f"{leaf}={value[1]}", f"{spine}={value[2]}")
    assert not [d for d in mended if d.severity > Severity.INFO]


def test_what_lands_unequally_is_told_once() -> None:
    found = of_example("four-tier", "fabrics.compute.tiers.agg.count=3")
    assert [d.code for d in found if d.severity > Severity.INFO] == ["FG203"]


def test_the_number_of_arrays_that_would_do() -> None:
    (finding,) = [
        d for d in of_example("superpod-b200", "lint.limits.storage_gbps_per_accelerator=10") if d.code == "FG207"
    ]
    assert "storage gives an accelerator 3.15G" in finding.message  # 4 arrays x 2 x 400G for 1016
    assert (
        finding.hint == "set `count: 13` on array, which needs more ports of leaves or spines"
    )  # 13 x 800G / 1016 = 10.2G


def test_spare_ports_tell_what_they_cost() -> None:
    found = of_example("superpod-b300", "lint.limits.spare_ports=2")
    (leaf,) = [d for d in found if d.code == "FG118" and d.path[1:] == ("compute", "tiers", "leaf")]
    assert "with 128 switches instead of 64" in leaf.hint
