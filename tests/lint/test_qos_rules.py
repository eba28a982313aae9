"""Rules on classes of RoCE, at their edges, and port tables of a user's own that do not hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from tests.conftest import example_design

DesignOf = Callable[..., Design]

BLUEPRINT = """\
fabricgen: 1
name: lossless
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2}}
nos: sonic
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, count: 4}
"""
MANAGED = "management: {ntp: 10.32.0.2, syslog: {servers: 10.32.0.3}}\n"
TABLE = Path(__file__).parents[2] / "fabricgen/catalog/platforms/sonic/sn5600.yaml"


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        (["qos.ecn_min_kb=79000"], ["FG711"]),
        (["qos.ecn_min_kb=79200"], ["FG707"]),
        (["qos.ecn_min_kb=79200", "qos.profile=best-effort"], ["FG767"]),
        (["qos.ecn_min_kb=79200", "qos.profile=roce-lossy"], ["FG767"]),
        (["qos.ecn.400G=5-50001", "qos.profile=roce-lossy"], ["FG711"]),
        (["qos.profile=roce-lossy", "qos.watchdog.detect_ms=2000"], []),
        (["qos.profile=roce-lossy", "qos.roce_dscp=48", "qos.cnp_dscp=46"], ["FG713"]),
        (["qos.profile=roce-lossy"], []),
        (["qos.ecn.400G=5-50000"], []),
        (["qos.ecn.400G=5-50001"], ["FG711"]),
        (["qos.ecn.400G=4-500"], ["FG711"]),
        (["qos.ecn.400G=5-50001", "lint.limits.ecn_queue_ms=2"], []),
        (["qos.watchdog.detect_ms=1000"], []),
        (["qos.watchdog.detect_ms=1001"], ["FG709"]),
        (["qos.watchdog.detect_ms=300", "lint.limits.watchdog_detect_ms=250"], ["FG709"]),
        (["qos.roce_dscp=48", "qos.cnp_dscp=46"], ["FG713"]),
        (["qos.roce_dscp=24"], []),
        (["routing.bfd.interval_ms=2999"], []),
        (["routing.bfd.interval_ms=3000"], ["FG714"]),
        (["routing.underlay=ebgp-unnumbered", "routing.asn.tiers.spine=65000"], []),
        (["routing.underlay=ebgp-unnumbered", "routing.asn.tiers.leaf=65000"], ["FG715"]),
        (["routing.underlay=ebgp-numbered", "routing.asn.tiers.leaf=65000"], []),
    ],
)
def test_edges(design_of: DesignOf, sets: list[str], expected: list[str]) -> None:
    codes = ("FG701", "FG707", "FG709", "FG711", "FG713", "FG714", "FG715", "FG767", "FG768")
    assert [d.code for d in lint(design_of(BLUEPRINT, sets)).findings if d.code in codes] == expected


SHALLOW = ("fabrics.across.tiers.border.switch=sn5600", "nos.border=sonic")


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ((), set()),
        (SHALLOW, set()),
        ((*SHALLOW, "fabrics.across.spans.haul.lossless=true"), {"FG712"}),
        (("fabrics.across.qos.profile=best-effort",), set()),
        (("fabrics.compute.qos.profile=best-effort",), {"FG708"}),
        (("fabrics.compute.qos.roce_class=4",), {"FG708"}),
        (("fabrics.across.qos.profile=roce-lossy",), set()),
        (("fabrics.compute.qos.profile=roce-lossy",), {"FG768"}),
        (("fabrics.compute.qos.profile=roce-lossy", "fabrics.across.qos.profile=roce-lossy"), set()),
        (("fabrics.compute.qos.profile=roce-lossy", "fabrics.across.qos.profile=best-effort"), set()),
        (("qos.profile=roce-lossy",), set()),
        (("qos.profile=roce-lossy", "fabrics.across.spans.haul.lossless=true"), {"FG768"}),
    ],
)
def test_what_crosses_sites_is_judged(sets: tuple[str, ...], expected: set[str]) -> None:
    found = {d.code for d in lint(example_design("two-site", *sets)).findings}
    assert found & {"FG708", "FG712", "FG768"} == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  - {port: 8,", "  # - {port: 8,", "sn5600.yaml has 64 cages of sn5600; the face of sn5600 has 65"),
        ("switch: sn5600", "switch: sn5400", "has 65 cages of sn5400"),
        ('"2": ["2x400G[', '"2": ["2x50G(8)[25G,10G]"]\n  "8": ["8x1G[', "no breakout mode for 2 x 400G"),
    ],
)
def test_a_port_table_of_ones_own_is_checked(
    design_of: DesignOf, tmp_path: Path, old: str, new: str, says: str
) -> None:
    text = TABLE.read_text(encoding="utf-8")
    folder = tmp_path / "catalog/platforms/sonic"
    folder.mkdir(parents=True)
    (folder / "sn5600.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        cluster = build_cluster(design_of(BLUEPRINT))
        (refusal,) = cluster.design.loaded.locate_error(InputError(cluster.port_names.faults[:1])).diagnostics
    except InputError as error:  # the table does not fit the switch: no list is made of it either
        (refusal,) = error.diagnostics
    assert says in refusal.message
    assert refusal.span or refusal.path


TRIMS = """
fabricgen: 1
name: trims
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2}}
qos: {profile: best-effort, trim: {}}
fabrics: {compute: {protocol: roce, tiers: {
  leaf: {switch: sn5640, per: [su, rail], uplinks: 4 x 400G}, spine: {switch: sn5640, count: 2}}}}
"""


@pytest.mark.parametrize(
    ("qos", "says"),
    [
        ("ecn_max_kb: 51867", "from 51867 kB, but packets are dropped from 51866 kB in a queue of sn5640"),
        ("ecn_max_kb: 51866", ""),
        ("ecn_min_kb: 51867, trim: {}", "mark from 51867 kB, but packets are trimmed from 51866 kB"),
    ],
)
def test_marks_come_before_a_queue_is_full(design_of: DesignOf, qos: str, says: str) -> None:
    """Of 103,732,224 bytes for lossy packets (sonic-buildimage, buffers_defaults_t0.j2) one queue has half."""
    found = lint(design_of(TRIMS, [f"qos={{profile: roce-lossy, {qos}}}"])).findings
    messages = [d.message for d in found if d.code == "FG767"]
    assert len(messages) == bool(says)
    assert all(says in message for message in messages)


@pytest.mark.parametrize(
    ("qos", "says"),
    [
        ("trim: {dscp: 26}", ["RoCE data and what is left of trimmed packets both have DSCP 26"]),
        ("cnp_dscp: 11, trim: {}", ["congestion notifications and what is left of trimmed packets both have DSCP 11"]),
        ("roce_class: 4, trim: {}", ["RoCE data and what is left of trimmed packets both have traffic class 4"]),
        ("roce_class: 4, trim: {traffic_class: 5}", []),
    ],
)
def test_what_trimming_leaves_has_a_class_of_its_own(design_of: DesignOf, qos: str, says: list[str]) -> None:
    found = lint(design_of(TRIMS, [f"qos={{profile: roce-lossy, {qos}}}"])).findings
    assert [d.message.partition(": ")[2] for d in found if d.code == "FG702"] == says


def test_a_port_table_without_lossy_buffers_cannot_trim(design_of: DesignOf, tmp_path: Path) -> None:
    table = TABLE.with_name("sn5640.yaml").read_text(encoding="utf-8")
    assert not [d for d in lint(design_of(TRIMS)).findings if d.code == "FG703"]
    folder = tmp_path / "catalog/platforms/sonic"
    folder.mkdir(parents=True)
    before, _, rest = table.partition("lossy_buffers:\n")
    own = before + "cages:\n" + rest.partition("cages:\n")[2]
    (folder / "sn5640.yaml").write_text(own, encoding="utf-8")
    (found,) = [d for d in lint(design_of(TRIMS)).findings if d.code == "FG703"]
    assert found.message == "sonic of compute leaf, compute spine does not support packet-trim"
    assert found.hint
    assert "lossy_buffers" in found.hint


def test_a_setting_of_the_cluster_is_told_once_with_all_fabrics(design_of: DesignOf) -> None:
    storage = "  storage: {protocol: roce, tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600}}}\n"
    found = lint(design_of(BLUEPRINT + storage + MANAGED, ["qos={roce_dscp: 0, watchdog: {detect_ms: 5000}}"])).findings
    told = [(d.code, d.message.partition(":")[0]) for d in found if d.code.startswith("FG7")]
    assert sorted(told) == [("FG709", "compute, storage"), ("FG713", "compute, storage")]


def test_a_span_beyond_the_buffer_is_told_once_and_lossy_is_an_answer() -> None:
    sets = [*SHALLOW, "fabrics.across.spans.haul.lossless=true"]
    cluster = build_cluster(example_design("two-site", *sets))
    spans = [d.code for d in lint(cluster.design, cluster).findings if d.path[:3] == ("fabrics", "across", "spans")]
    assert "FG712" in spans
    assert "FG716" not in spans
    lossy = example_design("two-site", *sets, "fabrics.across.qos.profile=best-effort")
    assert not {d.code for d in lint(lossy).findings} & {"FG701", "FG708", "FG712"}
