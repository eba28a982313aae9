"""What a blueprint carries along without effect, and its repair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import jsonschema
import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.blueprint.overlays import spell_as_written
from fabricgen.blueprint.schema import make_blueprint_schema
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.engine import LintResult, lint
from fabricgen.lint.examples import BASE
from fabricgen.lint.repair import repair_blueprint
from tests.conftest import example_design

SPINE = "compute-spine-01"

DesignOf = Callable[..., Design]


def found_by(design: Design, code: str, *, whole: bool = False) -> list[Diagnostic]:
    return [d for d in lint(design, build_cluster(design) if whole else None).findings if d.code == code]


def mended(tmp_path: Path, text: str) -> str:
    """The text of a blueprint once all of its certain repairs are made."""
    file = tmp_path / "mended.yaml"
    file.write_text(text, encoding="utf-8")

    def judge(unsaved: Mapping[str, bytes]) -> tuple[Design, LintResult]:
        design = build_design(load_blueprint(str(file), unsaved=unsaved))
        return design, lint(design, build_cluster(design))

    files = repair_blueprint(judge).files
    return files[str(file)][1].decode() if files else text


IDLE: list[tuple[str | tuple[str, ...], str]] = [
    ("fabrics.compute.vlan=200", "nodes of compute are in no VLAN with `hosts: routed`"),
    ("fabrics.compute.tiers.spine.size_for=reserve", "`size_for` has no effect: the count of compute spine is stated"),
    ("fabrics.compute.tiers.spine.spread=stripe", "`spread` has no effect: no nodes attach to compute spine"),
    ("fabrics.compute.tiers.leaf.spread=stripe", "`spread` has no effect: a group of compute leaf is one switch"),
    ("qos={profile: best-effort, roce_dscp: 24}", "no fabric has a class of RoCE, so `roce_dscp` has no effect"),
    (
        "fabrics.compute.qos={profile: best-effort, cnp_class: 5}",
        "compute has no class of RoCE, so `cnp_class` has no effect",
    ),
    (
        "fabrics.compute.qos={profile: roce-lossy, watchdog: {}}",
        "compute has no lossless class, so `watchdog` has no effect",
    ),
    ("qos={profile: roce-lossy, watchdog: {}}", "no fabric has a lossless class, so `watchdog` has no effect"),
    (
        "scalable_unit.nodes={gpu: 4 x dgx-b200, box: {nodes: 1 x mgmt-server, skip: compute}}",
        "`skip: compute` has no effect: box has no 'compute' ports",
    ),
    (
        ("qos.ecn_max_kb=500", "fabrics.compute.qos.ecn_min_kb=500"),
        "`ecn_max_kb` 500 has no effect in compute, whose `ecn_min_kb` is 500",
    ),
    ("omit=[p1/su-2/node-4, p1/su-last/node-last]", "p1/su-last/node-last is already omitted"),
]


@pytest.mark.parametrize(("setting", "why"), IDLE)
def test_a_setting_without_effect_is_found(design_of: DesignOf, setting: str | tuple[str, ...], why: str) -> None:
    (found,) = found_by(design_of(BASE, [setting] if isinstance(setting, str) else setting), "FG806")
    assert found.message == why


@pytest.mark.tenth
@pytest.mark.parametrize(
    "sets",
    [
        ["fabrics.compute.hosts=bridged", "fabrics.compute.vlan=200"],
        ["fabrics.compute.tiers.spine={switch: sn5600, size_for: reserve}"],
        ["fabrics.compute.tiers.leaf={switch: sn5600, per: [su], count: 2, spread: stripe}"],
        ["qos.roce_dscp=24"],
        ["qos.ecn_max_kb=500", "fabrics.compute.qos.ecn_min_kb=499"],
        ["nos=sonic"],
        ["omit=[p1/su-1/node-4, p1/su-2/node-4]"],
        ["fabrics.compute.oversubscription=2:1"],
    ],
)
def test_a_setting_with_effect_is_not(design_of: DesignOf, sets: list[str]) -> None:
    assert not found_by(design_of(BASE, sets), "FG806")


def test_a_nos_that_no_tier_of_the_name_can_run_is_refused(design_of: DesignOf) -> None:
    mixed = ["fabrics.compute.tiers.spine.switch=7060x6-64pe"]
    for change in ("nos.leaf=eos", "fabrics.compute.nos.leaf=eos", "nos.spine=cumulus"):
        with pytest.raises(InputError) as refused:
            design_of(BASE, [*mixed, change])
        assert [d.code for d in refused.value.diagnostics] == ["FG018"]
    assert not found_by(design_of(BASE, [*mixed, "nos=eos"]), "FG806")


def test_a_nos_that_is_stated_nearer_for_all_is_found(design_of: DesignOf) -> None:
    (found,) = found_by(design_of(BASE, ["nos.leaf=cumulus", "fabrics.compute.nos.leaf=sonic"]), "FG806")
    assert (found.path, found.message) == (("nos", "leaf"), "no switch in its scope runs cumulus")


@pytest.mark.slow
def test_infiniband_takes_neither_addresses_nor_a_nos() -> None:
    for setting in ("ip=v6", "hosts=bridged", "vlan=7", "nos={leaf: sonic}"):
        key = setting.partition("=")[0]
        found = found_by(example_design("superpod-b200", f"fabrics.compute.{setting}"), "FG806")
        assert f"`{key}` has no effect on InfiniBand fabric compute" in {d.message for d in found}


@pytest.mark.parametrize(
    ("sets", "unused"),
    [
        (["pools.fabric=10.64.0.0/12", "routing.underlay=ebgp-unnumbered"], "10.64.0.0/12 in pools.fabric"),
        (["pools.hosts=[10.128.0.0/9, 'fd5a:19c3:2e41::/48']"], "fd5a:19c3:2e41::/48 in pools.hosts"),
        (["fabrics.compute.pools.management=10.17.0.0/16"], "10.17.0.0/16 in pools.management"),
        (["pools.hosts=10.128.0.0/9", "fabrics.compute.pools.hosts=172.16.0.0/12"], "10.128.0.0/9 in pools.hosts"),
    ],
)
def test_a_pool_of_nobody_is_found(design_of: DesignOf, sets: list[str], unused: str) -> None:
    (found,) = found_by(design_of(BASE, sets), "FG805")
    assert found.message == f"nothing uses addresses of {unused}"


def test_a_pool_of_as_numbers_that_a_fabric_hides(design_of: DesignOf) -> None:
    sets = ["routing.asn.pool=64512-65534", "fabrics.compute.routing.asn.pool=4200000000-4200099999"]
    (found,) = found_by(design_of(BASE, sets), "FG805")
    assert found.path == ("routing", "asn", "pool")
    assert not found_by(design_of(BASE, sets[:1]), "FG805")


def test_the_version_may_be_missing_and_is_inserted(tmp_path: Path) -> None:
    text = "# a pilot\n" + BASE.removeprefix("fabricgen: 1\n")
    assert mended(tmp_path, text) == "# a pilot\n" + BASE


def test_without_its_version_a_blueprint_means_the_same(design_of: DesignOf) -> None:
    digest = design_of(BASE).loaded.digest
    assert design_of(BASE.removeprefix("fabricgen: 1\n")).loaded.digest == digest


OWN = BASE + f"address_of:\n  {SPINE}: {{mgmt: 10.16.0.30}}  # the console server knows it\n"


def test_an_old_name_holds_and_is_renamed(tmp_path: Path, design_of: DesignOf) -> None:
    new = OWN.replace("mgmt", "management")
    assert design_of(OWN).loaded.blueprint == design_of(new).loaded.blueprint
    assert mended(tmp_path, OWN) == new


def test_an_old_name_is_deprecated_in_the_schema_and_goes_not_with_the_new() -> None:
    override = make_blueprint_schema()["$defs"]["Override"]
    assert override["properties"]["mgmt"]["deprecated"] is True
    judge = jsonschema.Draft202012Validator({"$defs": make_blueprint_schema()["$defs"], "$ref": "#/$defs/Override"})
    assert judge.is_valid({"mgmt": "10.16.0.9"})
    assert not judge.is_valid({"mgmt": "10.16.0.9", "management": "10.16.0.9"})
    assert not judge.is_valid({"mgmt": 9})


def test_old_and_new_name_together_are_refused(design_of: DesignOf) -> None:
    with pytest.raises(InputError) as caught:
        design_of(OWN.replace("{mgmt: 10.16.0.30}", "{mgmt: 10.16.0.30, management: 10.16.0.30}"))
    assert "mgmt" in str(caught.value)


def test_a_path_is_found_under_its_old_name() -> None:
    data = {"address_of": {SPINE: {"mgmt": ["10.16.0.30"]}}}
    assert spell_as_written(data, ("address_of", SPINE, "management", 0)) == ("address_of", SPINE, "mgmt", 0)
    assert spell_as_written(data, ("address_of", SPINE, "asn")) == ("address_of", SPINE, "asn")
    assert spell_as_written(data, ("pools", "hosts")) == ("pools", "hosts")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("management.syslog={level: debug}", "syslog has no servers"),
        ("management.banner={}", "banner has no text"),
        ("fabrics.compute.management.dns={}", "dns has no servers and no domain"),
        ("management.snmp={contact: noc}", "snmp has no users"),
        (f"config_of.{SPINE}={{}}", f"the entry of {SPINE} is empty"),
        (f"config_of.{SPINE}.ports.Ethernet0={{}}", f"the entry of {SPINE} Ethernet0 is empty"),
        (f"address_of.{SPINE}={{}}", f"the entry of {SPINE} is empty"),
    ],
)
def test_an_empty_group_is_found(design_of: DesignOf, setting: str, message: str) -> None:
    (found,) = found_by(design_of(BASE, [setting]), "FG809")
    assert found.message == message


def test_gnmi_without_a_port_says_enough(design_of: DesignOf) -> None:
    sets = ["management.gnmi={}", "management.dns={domain: fabric.example.net}"]
    assert not found_by(design_of(BASE, sets), "FG809")


@pytest.mark.parametrize(
    ("zone", "known"),
    [
        ("UTC", True),
        ("Europe/Berlin", True),
        ("America/Argentina/Ushuaia", True),
        ("Etc/GMT+5", True),
        ("Europa/Berlin", False),
        ("Berlin", False),
        ("Utc", False),
        ("Etc", False),
    ],
)
def test_timezones(design_of: DesignOf, zone: str, known: bool) -> None:
    assert (not found_by(design_of(BASE, [f"management.timezone={zone}"]), "FG814")) == known


def waived(*waivers: str) -> str:
    return BASE + "lint:\n  waive:\n" + "".join(f"    - {{rule: FG303, why: late, {w}}}\n" for w in waivers)


@pytest.mark.parametrize(
    ("waivers", "flagged"),
    [
        (["until: 2027-01-31", "until: 2026-01-31"], [1]),
        (["until: 2026-01-31", "until: 2027-01-31"], [0]),
        (["until: 2026-01-31", "at: fabrics"], []),
        (["at: fabrics/compute", "at: fabrics.compute"], [1]),
        (["at: fabrics/compute", "at: fabrics/storage"], []),
        (["at: fabrics/compute, until: 2027-01-31", "at: ''"], [0]),
    ],
)
def test_of_two_waivers_the_one_without_effect_is_found(
    design_of: DesignOf, waivers: list[str], flagged: list[int]
) -> None:
    assert [d.path[-1] for d in found_by(design_of(waived(*waivers)), "FG812")] == flagged


def test_a_waiver_of_a_fault_or_of_nothing(design_of: DesignOf) -> None:
    sets = ["lint.waive=[{rule: FG024, why: late}, {rule: FG398, why: late}, {rule: FG802, why: late}]"]
    found = found_by(design_of(BASE, sets), "FG811")
    assert [d.message for d in found] == ["no rule has the code FG024", "no rule has the code FG398"]
    assert found[0].hint.startswith("that is a fault")


def test_what_is_idle_is_taken_away_and_the_rest_stays(tmp_path: Path) -> None:
    text = BASE + "omit: [p1/su-1/node-4, p1/su-1/node-4]  # broken\n"
    text = text.replace("management: {", "management: {dns: {}, ")
    after = mended(tmp_path, text)
    assert "dns" not in after
    assert "omit: [p1/su-1/node-4]  # broken" in after
    assert mended(tmp_path, after) == after


def test_an_anchor_counts_as_used_where_it_is_stated_last(design_of: DesignOf) -> None:
    text = BASE.replace("{switch: sn5600, count: 4}", "{switch: *model, count: 4}")
    text = "x-a: &model 7060x6-64pe\nx-b: &model sn5600\n" + text
    (found,) = found_by(design_of(text), "FG815")
    assert found.span
    assert found.span.line == 1


def test_an_empty_group_of_a_fabric_takes_away_what_the_cluster_states(design_of: DesignOf) -> None:
    sets = ["fabrics.compute.management.dns={}"]
    assert len(found_by(design_of(BASE, sets), "FG809")) == 1
    assert not found_by(design_of(BASE, [*sets, "management.dns.servers=10.32.0.1"]), "FG809")


def test_what_some_nos_writes_lines_for_is_left_to_people(design_of: DesignOf) -> None:
    sets = ["management.banner={}", "management.snmp={}", "management.syslog={}"]
    assert [len(d.fix) for d in found_by(design_of(BASE, sets), "FG809")] == [0, 0, 1]


def test_management_ports_of_infiniband_switches_have_the_families_of_the_cluster() -> None:
    assert not found_by(example_design("collapsed-pair"), "FG806")
    text = "fabrics.compute.tiers={leaf: {switch: qm9700, per: rail}}"
    design = example_design("rail-only", "fabrics.compute.protocol=infiniband", text, "ip=dual")
    assert ("ip",) not in {d.path for d in found_by(design, "FG806")}
