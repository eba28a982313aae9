"""The order in which a change is pushed keeps the fabric whole, and what to go back to is written beside it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS, Ran, example_cluster

EVERY = "management.timezone=Europe/Berlin"


def stages(fabricgen: Callable[..., Ran], name: str, *options: str) -> list[dict[str, Any]]:
    file = BLUEPRINTS / f"{name}.yaml"
    ran = fabricgen("plan", file, file, "--set-new", EVERY, "--stages", "--format", "json", *options)
    assert ran.code == 1, ran.err
    found: list[dict[str, Any]] = json.loads(ran.out)["stages"]
    return found


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("name", "at_once"),
    [
        *(("full-cluster", at_once) for at_once in ("8", "100%")),
        *((name, at_once) for name in ("bonded-pair", "collapsed-pair") for at_once in ("1", "50%", "100%")),
    ],
)
def test_no_wave_takes_what_the_fabric_needs(name: str, at_once: str, fabricgen: Callable[..., Ran]) -> None:
    cluster = example_cluster(name)
    plan, names = cluster.plan, cluster.names
    switches = {names[row] for row in cluster.switch_rows()}
    hangs, mates = defaultdict(set), set()
    for a, b in zip(plan.links.a_device.tolist(), plan.links.b_device.tolist(), strict=True):
        one, other = names[a], names[b]
        if one in switches and other in switches:
            mates.add(frozenset((one, other)))
        else:
            hangs[one if other in switches else other].add(other if other in switches else one)
    found = stages(fabricgen, name, "--at-once", at_once)
    pushed = [device for stage in found for wave in stage["waves"] for device in wave]
    assert len(pushed) == len(set(pushed))
    for stage in found:
        for wave in stage["waves"]:
            assert all(len(set(wave) & leaves) <= 1 for leaves in hangs.values()), wave
            assert at_once != "1" or len(wave) == 1
            assert not any(mate <= set(wave) for mate in mates), wave


@pytest.mark.slow
def test_upper_tiers_go_first_and_the_management_network_last(fabricgen: Callable[..., Ran]) -> None:
    order = [stage["what"] for stage in stages(fabricgen, "full-cluster")]
    assert order.index("storage spine") < order.index("storage leaf")
    assert order[-2:] == ["oob spine", "oob leaf"]
    file = BLUEPRINTS / "leaf-spine.yaml"
    ran = fabricgen("plan", file, file, "--set-new", "pods.p1.su=3", "--stages")
    assert "1. new switches, which carry nothing yet: 2, at once" in ran.out
    assert "push order" in ran.out
    grown = BLUEPRINTS / "full-cluster.yaml"
    ran = fabricgen("plan", grown, grown, "--set-old", "pods.p1.su=1", "--stages")
    assert "1. new oob leaf, over which other new switches boot: 16, at once" in ran.out
    assert "2. new switches, which carry nothing yet: 6, at once" in ran.out
    assert "stages" not in json.loads(fabricgen("plan", file, file, "--format", "json").out)


@pytest.mark.slow
def test_what_to_go_back_to_is_what_the_old_side_has(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    file, built = BLUEPRINTS / "leaf-spine.yaml", tmp_path / "built"
    fabricgen("build", file, "-o", built, "--only", "devices,links,cables,configs")
    for old, folder in ((built, tmp_path / "one"), (file, tmp_path / "two")):
        fabricgen("plan", old, file, "--set-new", "routing.asn.pool=65100-65199", "--rollback", folder)
        for path in folder.rglob("*.json"):
            assert path.read_bytes() == (built / path.relative_to(folder)).read_bytes()
            assert path.stat().st_mode & 0o77 == 0
    written = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*.json"))
    assert written == sorted(p.relative_to(tmp_path / "two") for p in (tmp_path / "two").rglob("*.json"))
    assert len(written) == 8
    assert fabricgen("plan", built, file, "--rollback", tmp_path / "one").code == 2
    assert fabricgen("plan", built, file, "--stages", "--at-once", "0").code == 2
