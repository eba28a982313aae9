"""The lock keeps how tiers were sized: what is racked stays, whatever is derived anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import format_lock, parse_lock
from fabricgen.blueprint.beside.sized import SIZED, SizedBefore, parse_sized
from fabricgen.cluster import Cluster
from fabricgen.pipeline import compile_cluster, compile_design
from tests.conftest import EXAMPLES, Ran, built_files, example_cluster

FabricGen = Callable[..., Ran]

BLUEPRINT = """\
fabricgen: 1
name: demo
scalable_unit: {nodes: 29 x dgx-h100}
pods: {p1: {su: 4}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600}
"""
NODES, SU, RATIO = "scalable_unit.nodes", "pods.p1.su", "fabrics.compute.oversubscription"
LEAF_LINE = (
    "  compute leaf (site, pod, su, rail): 1 x sn5600 for 29, 32 x 400g to compute spine for 29 at 1, down 2 x 400g"
)
OLD = "1 x sn5600 for 29, 29 x 400g to compute spine for 29 at 1, down 2 x 400g, up 2 x 400g"


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    """A blueprint whose leaves have three uplinks more than they need, without a lock."""
    file = tmp_path / "demo.yaml"
    file.write_text(BLUEPRINT, encoding="utf-8")
    return file


def find_lock(blueprint: Path) -> Path:
    return blueprint.with_suffix(".lock.yaml")


def write_lock(blueprint: Path) -> Path:
    """Lock a blueprint as it is built now."""
    find_lock(blueprint).write_text(format_lock(compile_blueprint(blueprint).lock), encoding="utf-8")
    return find_lock(blueprint)


def write_older_lock(blueprint: Path) -> Path:
    """Lock it as it was built before more uplinks were weighed: 29 of each leaf, 29 spines, and no section for it."""
    lock = write_lock(blueprint)
    parsed = parse_lock(lock.read_bytes(), str(lock))
    words = {**parsed.words, SIZED: {**parsed.words[SIZED]}}
    words[SIZED] |= {"compute leaf (site, pod, su, rail)": OLD, "compute spine": "29 x sn5600"}
    lock.write_text(format_lock(replace(parsed, words=words)), encoding="utf-8")
    words = dict(compile_blueprint(blueprint).lock.words)
    del words[SIZED]
    lock.write_text(format_lock(replace(parsed, words=words)), encoding="utf-8")
    return lock


def compile_blueprint(blueprint: Path, *sets: str) -> Cluster:
    return compile_cluster(compile_design(str(blueprint), sets))


def count_sizes(blueprint: Path, *sets: str) -> tuple[int, int]:
    """(uplinks of a leaf, spines)."""
    leaf, spine = compile_design(str(blueprint), sets).tiers
    return leaf.up.count if leaf.up else 0, spine.switches


def test_a_lock_has_one_line_a_tier(blueprint: Path) -> None:
    text = write_lock(blueprint).read_text(encoding="utf-8")
    assert f"sized:\n{LEAF_LINE}, up 2 x 400g\n  compute spine: 8 x sn5600, down 2 x 400g\n" in text


@pytest.mark.parametrize("name", EXAMPLES)
def test_locks_of_examples_are_read_back(name: str) -> None:
    lock = example_cluster(name).lock
    again = parse_lock(format_lock(lock).encode(), "x.lock.yaml")
    assert again.find_words(SIZED) == lock.find_words(SIZED)
    assert all(parse_sized(word).text() == word for word in lock.find_words(SIZED).values())


def test_a_lock_without_sizes_builds_what_it_built(blueprint: Path) -> None:
    lock = write_older_lock(blueprint)
    assert SIZED not in lock.read_text(encoding="utf-8")
    before = compile_blueprint(blueprint)
    assert count_sizes(blueprint) == (29, 29)
    lock.write_text(format_lock(before.lock), encoding="utf-8")
    assert f"  compute leaf (site, pod, su, rail): {OLD}" in lock.read_text(encoding="utf-8")
    after = compile_blueprint(blueprint)
    assert built_files(after, "links", "cables", "addresses") == built_files(before, "links", "cables", "addresses")
    assert format_lock(after.lock) == format_lock(before.lock)


def test_show_says_what_the_lock_keeps(blueprint: Path, fabricgen: FabricGen) -> None:
    assert "32 uplinks a leaf instead of 29: 8 spine switches instead of 29" in fabricgen("show", blueprint).out
    write_older_lock(blueprint)
    output = fabricgen("show", blueprint).out
    assert "the lock keeps 29 spine switches; derived anew it would be 8" in output
    assert "lock --release 'compute spine count'" in output
    compute = json.loads(fabricgen("show", blueprint, "--format", "json").out)["fabrics"]["compute"]
    assert [(k["tier"], k["part"], k["kept"], k["anew"]) for k in compute["kept_by_lock"]] == [
        ("leaf", "uplinks", 29, 32),
        ("spine", "count", 29, 8),
    ]
    assert "FG124" in fabricgen("lint", "--fast", "--verbose", blueprint).out


@pytest.mark.slow
def test_plan_prices_what_a_release_would_do(blueprint: Path, fabricgen: FabricGen) -> None:
    lock = write_older_lock(blueprint)
    was = lock.read_bytes()
    ran = fabricgen("plan", blueprint, blueprint, "--release", "compute spine count")
    assert ran.code == 1
    assert "compute spine: 29 -> 8 switches" in ran.out
    assert "-21 sn5600" in ran.out
    assert lock.read_bytes() == was
    assert fabricgen("plan", blueprint, blueprint).code == 0


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("compute spine count", (32, 8)),
        ("compute leaf uplinks", (32, 8)),
        ("compute leaf count", (29, 29)),
        ("compute leaf breakout", (29, 29)),
    ],
)
@pytest.mark.parametrize("section", [True, False])
def test_a_size_is_released(
    blueprint: Path, fabricgen: FabricGen, path: str, found: tuple[int, int], section: bool
) -> None:
    lock = write_older_lock(blueprint)
    if section:
        lock.write_text(format_lock(compile_blueprint(blueprint).lock), encoding="utf-8")
    assert fabricgen("lock", blueprint, "--release", path).code == 0
    assert count_sizes(blueprint) == found
    assert fabricgen("lock", blueprint, "--check").code == 0


@pytest.mark.parametrize("path", ["compute spin count", "compute spine counts", "compute count"])
def test_what_is_no_size_is_not_released(blueprint: Path, fabricgen: FabricGen, path: str) -> None:
    write_lock(blueprint)
    ran = fabricgen("lock", blueprint, "--release", path)
    assert (ran.code, "FG038" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("sets", "found"),
    [
        ([f"{SU}=5"], (32, 16)),  # a divisor of the uplinks that leaves have: half of them stay
        ([f"{SU}=3"], (32, 8)),
        ([f"{SU}=1"], (32, 8)),
        ([f"{NODES}=30 x dgx-h100"], (30, 10)),  # another unit is another design
        ([f"{NODES}=20 x dgx-h100"], (20, 5)),
        ([f"{RATIO}=2:1"], (15, 5)),
        (["fabrics.compute.tiers.leaf.uplinks=40"], (40, 10)),
        (["fabrics.compute.tiers.spine.count=16"], (32, 16)),
    ],
)
def test_growth_keeps_the_uplinks_and_edits_derive_anew(
    blueprint: Path, sets: list[str], found: tuple[int, int]
) -> None:
    write_lock(blueprint)
    assert count_sizes(blueprint, *sets) == found


def test_old_exact_uplinks_grow_as_they_did(blueprint: Path) -> None:
    lock = write_older_lock(blueprint)
    assert count_sizes(blueprint, f"{SU}=6") == (29, 29)
    lock.write_text(format_lock(compile_blueprint(blueprint).lock), encoding="utf-8")
    assert count_sizes(blueprint, f"{SU}=6") == (29, 29)
    assert count_sizes(blueprint, f"{SU}=6", f"{RATIO}=1:1") == (29, 29)


def test_growth_with_a_lock_doubles_the_spines_and_moves_half(blueprint: Path) -> None:
    before = compile_blueprint(blueprint)
    write_lock(blueprint)
    after = compile_blueprint(blueprint, f"{SU}=8")
    ends = [
        {
            (c.names[a], port): (c.names[b], far_port)
            for a, port, b, far_port in zip(
                c.plan.links.a_device.tolist(),
                c.a_port.tolist(),
                c.plan.links.b_device.tolist(),
                c.b_port.tolist(),
                strict=True,
            )
            if "spine" in c.names[b]
        }
        for c in (before, after)
    ]
    assert ends[0].keys() <= ends[1].keys()
    assert 2 * sum(ends[1][end] != far for end, far in ends[0].items()) <= len(ends[0])


@pytest.mark.parametrize(
    "word",
    ["eight", "0 x sn5600", "8 x sn5600 for", "8 x sn5600, 8 x sn5600", "down 0 x 400g", "up 2 x 400", "8"],
)
def test_a_damaged_size_is_refused_at_its_line(blueprint: Path, fabricgen: FabricGen, word: str) -> None:
    lock = write_lock(blueprint)
    text = lock.read_text(encoding="utf-8")
    line = "  compute spine: 8 x sn5600, down 2 x 400g"
    assert text.count(line) == 1
    lock.write_text(text.replace(line, f"  compute spine: {word}"), encoding="utf-8")
    ran = fabricgen("show", blueprint)
    number = 1 + text[: text.index(line)].count("\n")
    assert ran.code == 2
    assert f"{lock}:{number}:" in ran.err
    assert "FG038" in ran.err


@pytest.mark.parametrize(
    ("count", "found"),
    [(16, 16), (8, 8), (32, 32), (4, 8), (12, 8), (1, 8), (10**11, 8)],
)
def test_a_kept_count_holds_only_where_it_suffices_and_divides(blueprint: Path, count: int, found: int) -> None:
    lock = write_lock(blueprint)
    text = lock.read_text(encoding="utf-8").replace("spine: 8 x sn5600", f"spine: {count} x sn5600")
    lock.write_text(text, encoding="utf-8")
    assert count_sizes(blueprint) == (32, found)


def test_a_kept_breakout_holds_where_the_cage_offers_it(blueprint: Path) -> None:
    lock = write_lock(blueprint)
    text = lock.read_text(encoding="utf-8")
    for line, breakout in (("down 1 x 400g", 1), ("down 7 x 400g", 2)):
        lock.write_text(
            text.replace("spine: 8 x sn5600, down 2 x 400g", f"spine: 8 x sn5600, {line}"), encoding="utf-8"
        )
        _, spine = compile_design(str(blueprint)).tiers
        assert spine.downs[0].ways == breakout


def test_parts_of_a_size_are_forgotten_one_by_one() -> None:
    size = SizedBefore(8, "x", 3, 32, 400, "compute core", 29, Fraction(4, 3), {400: 2, 800: 1}, 2)
    assert parse_sized(size.text()) == size
    assert parse_sized(size.forget_part("count").text()).count == 0
    assert parse_sized(size.forget_part("uplinks").text()).uplinks == 0
    assert parse_sized(size.forget_part("breakout").text()).downs == {}
