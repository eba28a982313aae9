"""Digests of what configurations follow from: where two are the same, so are the files, whatever was changed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

import fabricgen
from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.render.bundles import config_bundles
from fabricgen.render.engine import render_options
from fabricgen.render.secrets import SecretStore
from tests.conftest import BLUEPRINTS, SMALLER
from tests.render.rendered import BFD, BRIDGED, CUMULUS, DUAL, ONE_NUMBER, PER_RACK, RADIUS, STATIC, UNNUMBERED, V6

HASH = "$6$Zq1x$" + "ab/.Cd12" * 10 + "abcdef"
PACKAGE = Path(fabricgen.__file__).parent
LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"
GROWN = ("pods.p1.su=3", "pods.p1.reserve=4")
OOB = "fabrics.oob={protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}"
ADMIN = "management.users.admin.password=env:FABRICGEN_ADMIN"


class Known(NamedTuple):
    """What is known of a switch: the digest of what its files follow from, and these."""

    inputs: bytes | None
    files: tuple[tuple[str, bytes], ...]


def known_of(path: Path, sets: Sequence[str], templates: Path | None = None) -> dict[str, Known]:
    """Everything known of the switches of a blueprint, by name."""
    cluster = build_cluster(build_design(load_blueprint(str(path), sets)))
    options = render_options(cluster, overrides=templates, look=SecretStore(path.parent))
    return {
        bundle.key: Known(bundle.inputs() if bundle.inputs else None, tuple(bundle.make()))  # type: ignore[arg-type]
        for bundle in config_bundles(cluster, options, "configs", digests=True)
    }


def assert_sound(*builds: Mapping[str, Known]) -> None:
    """Assert that what has the same digest has the same files."""
    files: dict[bytes, tuple[tuple[str, bytes], ...]] = {}
    for build in builds:
        for name, known in build.items():
            if known.inputs is not None:
                assert files.setdefault(known.inputs, known.files) == known.files, name


def same(one: Mapping[str, Known], other: Mapping[str, Known]) -> list[str]:
    """Switches with the same digest in both."""
    return [name for name in one if name in other and one[name].inputs == other[name].inputs is not None]


VARIANTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "leaf-spine": (
        ("name=other",),
        (f"names.devices={{{SPINE}: edge}}",),
        (f"names.devices={{{SPINE}: compute-spine-02, compute-spine-02: {SPINE}}}",),
        ("pools.loopback=10.9.0.0/16",),
        ("pools.hosts=172.20.0.0/14",),
        PER_RACK,
        ONE_NUMBER,
        ("routing.asn={plan: per-switch, pool: 4200000000-4200009999}",),
        UNNUMBERED,
        STATIC,
        BFD,
        ("routing.max_prefixes=17",),
        ("routing.load_balance=dynamic",),
        BRIDGED,
        DUAL,
        V6,
        CUMULUS,
        ("nos={leaf: cumulus}",),
        ("fabrics.compute.tiers.leaf.switch=sn5600",),
        ("fabrics.compute.tiers.spine.switch=sn5600",),
        ("fabrics.compute.tiers.leaf.uplinks=4 x 200G",),
        ("fabrics.compute.tiers.spine.count=2",),
        ("floor={row_pitch_m: 9.0, racks_per_row: 1}",),
        ("scalable_unit.racks.nodes_per_rack=1",),
        ("cabling.avoid=[AOC]",),
        ("qos.profile=best-effort",),
        ("snippets.a={nos: sonic, tree: {LLDP: {GLOBAL: {mode: RECEIVE}}}}",),
        ("pods.p1.site=muc",),
        ("qos={ecn: {400G: 300-900}, mark_percent: 40}",),
        ("qos.watchdog={detect_ms: 250, restore_ms: 1000, poll_ms: 125, action: forward}",),
        ("management.ntp=[10.16.0.30]",),
        ("management.dns={servers: [10.16.0.40], domain: fabric.example.net}",),
        ("fabrics.compute.management.ntp=[10.16.0.31]",),
        (ADMIN,),
        (OOB,),
        (OOB, "scalable_unit.racks.nodes_per_rack=1"),
        ("fabrics.compute.extra={probe: {device: ufm, count: 1, ports: 1, to: leaf}}",),
        ("omit=[p1/su-last/node-last]",),
        ("snippets.a={nos: sonic, tree: {LLDP: {GLOBAL: {mode: TRANSMIT}}}}",),
        ("fabrics.compute.tiers.leaf.snippets.a={nos: sonic, tree: {LLDP: {GLOBAL: {mode: TRANSMIT}}}}",),
        (f"config_of.{LEAF}.snippets.a={{nos: sonic, tree: {{LLDP: {{GLOBAL: {{mode: TRANSMIT}}}}}}}}",),
        (f"config_of.{LEAF}.ports.Ethernet0={{description: spare, shutdown: true}}",),
        (f"config_of.{LEAF}.ports.Ethernet0={{mtu: 9000, fec: none}}",),
        (f"address_of={{{LEAF}: {{loopback: 192.0.2.7}}}}",),
        (f"address_of={{{LEAF}: {{asn: 64999}}}}",),
        (f"address_of={{{LEAF}: {{mgmt: 10.16.0.14}}}}",),
        (f'cable_of={{"{LEAF}:29": {{a_cage: 30}}, "{LEAF}:30": {{a_cage: 29}}}}',),
        (f'cable_of={{"{LEAF}:29": {{length_m: 90}}}}',),
        GROWN,
    ),
    "mixed-speeds": (
        ("fabrics.inband.vrf=default",),
        ("fabrics.inband.vrf=default", "name=other"),
        ("fabrics.inband.vrf=default", "pools.hosts=172.20.0.0/14"),
        ("fabrics.inband.vrf=default", "fabrics.inband.hosts=bridged"),
    ),
    "dual-stack": (
        (),
        ("pods.p1.su=3",),
        ("ip=v4", "pools={loopback: 10.0.0.0/20, fabric: 10.64.0.0/16, hosts: 10.128.0.0/12}"),
        ("fabrics.oob.ip=dual",),
        ("pools.loopback=[10.0.0.0/20, 'fd5a:19c3:2e41:0:1::/80']",),
        ("pools.hosts=[10.144.0.0/12, 'fd5a:19c3:2e41:8000::/49']",),
        ("fabrics.compute.tiers.spine.switch=sn5600", "fabrics.compute.nos.spine=sonic"),
        ("fabrics.compute.hosts=routed",),
        ("fabrics.compute.rail_groups=[[1, 2, 3, 4], [5, 6, 7, 8]]",),
        (ADMIN, *RADIUS),
    ),
}


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FABRICGEN_ADMIN", "FABRICGEN_OPS"):
        monkeypatch.setenv(name, HASH)
    monkeypatch.setenv("FABRICGEN_RADIUS", "correct-horse-battery")


@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_digest_means_the_same_files(name: str) -> None:
    path = BLUEPRINTS / f"{name}.yaml"
    builds = [known_of(path, sets) for sets in ((), *VARIANTS[name])]
    assert_sound(*builds)
    kept = [len(same(one, other)) for one, other in combinations(builds, 2)]
    assert max(kept) > 0 == min(kept)  # or there was nothing to compare, or nothing to tell apart


def test_one_unit_more_leaves_most_switches_alone() -> None:
    path = BLUEPRINTS / "colossus-200k.yaml"
    before, after = (
        known_of(
            path,
            [*SMALLER["colossus-200k"], "routing.max_prefixes=20000", f"pods.p49.su={su}", f"pods.p49.nodes={nodes}"],
        )
        for su, nodes in ((3, 168), (4, 232))
    )
    assert_sound(before, after)
    assert len(same(before, after)) > 0.6 * len(before)
    assert all(before[name].files == after[name].files for name in same(before, after))


def test_a_secret_with_another_value_is_another_input(monkeypatch: pytest.MonkeyPatch) -> None:
    path = BLUEPRINTS / "leaf-spine.yaml"
    before = known_of(path, RADIUS)
    monkeypatch.setenv("FABRICGEN_RADIUS", "battery-horse-correct")
    after = known_of(path, RADIUS)
    assert not same(before, after)
    assert all(before[name].files != after[name].files for name in before)
    assert same(after, known_of(path, RADIUS)) == list(after)


def test_what_the_catalogue_beside_a_blueprint_says_is_an_input(tmp_path: Path) -> None:
    path, own = tmp_path / "leaf-spine.yaml", tmp_path / "catalog" / "platforms" / "sonic"
    shutil.copy(BLUEPRINTS / path.name, path)
    before = known_of(path, ())
    own.mkdir(parents=True)
    text = (PACKAGE / "catalog" / "platforms" / "sonic" / "sn4700.yaml").read_text(encoding="utf-8")
    (own / "sn4700.yaml").write_text(text.replace("ACS-MSN4700", "Own-MSN4700"), encoding="utf-8")
    after = known_of(path, ())
    assert all(before[name].files != after[name].files for name in before)
    assert_sound(before, after)


def test_what_own_templates_make_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "sonic").mkdir()
    (tmp_path / "sonic" / "frr.conf.j2").write_text("hostname {{ hostname }}\n", encoding="utf-8")
    known = known_of(BLUEPRINTS / "leaf-spine.yaml", (), tmp_path)
    assert {each.inputs for each in known.values()} == {None}
