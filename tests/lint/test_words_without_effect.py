"""Words that change nothing where they stand are told (FG806, FG521), and those that do change something are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.design.addressing.fg521_dhcp_serves_nobody import DhcpServesNobody
from fabricgen.lint.rules.design.hygiene.fg806_setting_without_effect import SettingWithoutEffect
from fabricgen.lint.rules.design.lossless.fg711_ecn_thresholds import EcnThresholds
from fabricgen.lint.rules.design.physical.fg626_linear_optics_undriven import LinearOpticsUndriven
from fabricgen.lint.rules.plan.ordering.fg631_spares_of_nothing import SparesOfNothing
from fabricgen.lint.rules.plan.tenants.fg832_leak_shows_nobody import LeakShowsNobody
from fabricgen.pipeline import compile_cluster
from tests.conftest import example_design

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
        (
            ("routing.load_balance={flow_aging_s: 60}",),
            ("routing", "load_balance", "flow_aging_s"),
            "flows are dealt by `mode: hash`",
        ),
        (
            ("fabrics.compute.tiers.leaf.cages={down.storage: 33-36}",),
            ("fabrics", "compute", "tiers", "leaf", "cages", "down.storage"),
            "nothing takes the 4 cages of compute leaf that `down.storage` keeps",
        ),
        (
            ("fabrics.storage.tiers.leaf.cages={down.management: 31}",),
            ("fabrics", "storage", "tiers", "leaf", "cages", "down.management"),
            "nothing takes the cage of storage leaf that `down.management` keeps",
        ),
        (("floor.storey_m=6",), ("floor", "storey_m"), "no two halls lie on different storeys"),
        (("floor.trays.risers=[[0, 0]]",), ("floor", "trays", "risers"), "no two halls lie on different storeys"),
        (("fabrics.compute.cabling.allow=[SR]",), ("fabrics", "compute", "cabling", "allow"), "SR is taken anyway"),
        (("cabling.third_party=[Arista]",), ("cabling", "third_party", 0), "no switch is of Arista"),
        (
            ("drift.waive=[{nos: eos, path: [x], why: known}]",),
            ("drift", "waive", 0, "nos"),
            "no switch runs eos",
        ),
        (
            ("pods.p1.tiers={compute.leaf: {cages: {down.management: 65}}}",),
            ("pods", "p1", "tiers", "compute.leaf", "cages", "down.management"),
            "nothing takes the cage of compute leaf that `down.management` keeps",
        ),
        (("lint.limits.after_loss={feed: 50%}",), ("lint", "limits", "after_loss", "feed"), "`floor` names no `feeds`"),
        (("lint.limits.after_loss={plane: 50%}",), ("lint", "limits", "after_loss", "plane"), "several planes"),
        (("lint.limits.inband_gbps_per_node=9",), ("lint", "limits", "inband_gbps_per_node"), "no in-band fabric"),
        (
            ("phases={a: {fabrics: [compute], switches: {storage.leaf: 1}}}",),
            ("phases", "a", "switches", "storage.leaf"),
            "phase 'a' has no storage.leaf",
        ),
        (("phases={a: {fabrics: [compute], extra: [array]}}",), ("phases", "a", "extra", 0), "phase 'a' has no array"),
        (
            ("pods.p2={su: 2}", "phases={a: {pods: [p1], units: {p2: 1}}}"),
            ("phases", "a", "units", "p2"),
            "phase 'a' has no pod p2",
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
        ("routing.load_balance={mode: cluster, flow_aging_s: 60}",),
        ("fabrics.storage.tiers.leaf.cages={down.storage: 1-8, extra.array: 9-12, up: 17-32}",),
        ("floor={storey_m: 6, halls: {a: {rows: 9}, b: {rows: 9, storey: 1}}, trays: {risers: [[0, 0]]}}",),
        ("lint.limits={storage_gbps_per_accelerator: 1, hops: 9, ecn_queue_ms: 1, after_loss: {switch: 1%}}",),
        ("phases={a: {fabrics: [compute], rails: {compute: [1]}}, b: {extra: [array], units: {p1: 2}}}",),
        ("cabling={allow: [LPO, LRO], linear_hosts: [sn5600]}",),
    ],
)
def test_words_with_effect_are_not(design_of: Callable[..., Design], sets: tuple[str, ...]) -> None:
    assert not list(SettingWithoutEffect().check(design_of(TWO_FABRICS, sets)))


def test_a_fallback_of_no_bond_is_told(design_of: Callable[..., Design]) -> None:
    (found,) = DhcpServesNobody().check(design_of(TWO_FABRICS, ("fabrics.storage.lacp_fallback=true",)))
    assert (found.path, found.message) == (("fabrics", "storage", "lacp_fallback"), "storage has no bonds")
    bonded = ("fabrics.storage.lacp_fallback=true", "fabrics.storage.bond=node", "fabrics.storage.tiers.leaf.pair=evpn")
    assert not list(DhcpServesNobody().check(design_of(TWO_FABRICS, bonded)))


def test_a_stated_limit_holds_the_usual_thresholds_too(design_of: Callable[..., Design]) -> None:
    (found,) = EcnThresholds().check(design_of(TWO_FABRICS, ("lint.limits.ecn_queue_ms=0.001",)))
    assert "400G ports mark all only from 512 kB, 0.01 ms; the limit is 0.001 ms" in found.message
    assert found.hint == "mark all from 50 kB on at 400G, or raise `lint.limits.ecn_queue_ms`"
    assert not list(EcnThresholds().check(design_of(TWO_FABRICS)))


@pytest.mark.parametrize("port", ["eth0", "Ethernet999"])
def test_settings_of_ports_that_take_none_are_refused(design_of: Callable[..., Design], port: str) -> None:
    oob = "fabrics.oob={protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}"
    with pytest.raises(InputError, match="is its management port" if port == "eth0" else "has no cable"):
        compile_cluster(design_of(TWO_FABRICS, (oob, f"config_of.compute-spine-01.ports={{{port}: {{mtu: 9000}}}}")))


@pytest.mark.parametrize(
    ("spares", "told"), [("{laser_modules: 5%, nodes: 1%}", 1), ("{laser_modules: 0}", 0), ("usual", 0)]
)
def test_spares_of_a_kind_that_nothing_needs_are_told(design_of: Callable[..., Design], spares: str, told: int) -> None:
    found = list(SparesOfNothing().check(compile_cluster(design_of(TWO_FABRICS, (f"spares={spares}",)))))
    assert [finding.message for finding in found] == ["the bill of materials has no laser modules"][:told]


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("tiers.border.above=leaf", "border hangs below spine, and is above no leaf: nothing joins them"),
    ],
)
def test_what_a_border_cannot_do_is_refused(setting: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        example_design("two-exits", f"fabrics.compute.{setting}")


@pytest.mark.parametrize(
    ("prefixes", "told"),
    [
        ("{default: 10.200.0.0/24}", ["array and nodes"]),
        ("{default: 10.128.0.16/28}", ["array"]),  # nodes of nobody, and not what all use
        ("{default: 10.128.0.32/28}", []),  # the array alone
        ("{blue: 10.128.0.0/28}", []),
        ("{blue: 10.200.0.0/24}", ["nodes"]),
    ],
)
def test_a_leak_that_shows_no_address_of_what_it_is_for_is_told(
    design_of: Callable[..., Design], prefixes: str, told: list[str]
) -> None:
    text = TWO_FABRICS.partition("  storage:\n")[0].replace("per: [su, rail]", "per: su, count: 2")
    array = "fabrics.compute.extra={array: {device: storage-array, count: 2, attach: storage}}"
    sets = (
        array,
        "tenants={blue: {nodes: [p1/su-1/node-1]}}",
        f"leaks={{a: {{between: [blue, default], prefixes: {prefixes}}}}}",
    )
    found = list(LeakShowsNobody().check(compile_cluster(design_of(text, sets))))
    assert [finding.message.partition(" address of ")[2].partition(" of ")[0] for finding in found] == told


@pytest.mark.parametrize(
    "setting",
    [
        "tenants={blue: {nodes: [p1/su-1], fabrics: []}}",
        "cabling.patch={all: {fabrics: []}}",
        "tenants={blue: {nodes: [p1/su-1]}}\nleaks={a: {between: [blue, default], fabrics: []}}",
    ],
)
def test_an_empty_list_is_not_taken_for_all(design_of: Callable[..., Design], setting: str) -> None:
    with pytest.raises(InputError, match="fabrics: expected at least 1 item, found 0"):
        design_of(TWO_FABRICS, setting.split("\n"))


@pytest.mark.parametrize(
    ("policy", "told"), [("", 1), ("allow: [LPO],", 0), ("allow: [lpo-100g],", 0), ("allow: [DR],", 1)]
)
def test_hosts_of_optics_that_nothing_lets_in_are_told(
    design_of: Callable[..., Design], policy: str, told: int
) -> None:
    design = design_of(TWO_FABRICS, (f"cabling={{{policy} linear_hosts: [sn5600, dgx-b200]}}",))
    assert sum("lets nothing in" in finding.message for finding in LinearOpticsUndriven().check(design)) == told


def test_communities_that_nothing_carries_are_told() -> None:
    design = example_design("two-exits", "fabrics.compute.exits.wan.announce=null")
    assert "wan announces nothing, so that `communities` are set on nothing" in [
        finding.message for finding in SettingWithoutEffect().check(design)
    ]


@pytest.mark.parametrize(("version", "told"), [("", 1), (", version: 5.13.0", 0)])
def test_an_image_that_is_never_installed_is_told(design_of: Callable[..., Design], version: str, told: int) -> None:
    ztp = f"management.ztp={{url: 'http://10.32.0.9', images: {{cumulus: {{file: cl.bin{version}}}}}}}"
    found = [finding.message for finding in SettingWithoutEffect().check(design_of(TWO_FABRICS, (ztp, "nos=cumulus")))]
    assert found == ["cl.bin is never installed: cumulus installs no image without knowing which version runs"][:told]
