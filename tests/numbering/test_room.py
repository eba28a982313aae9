"""A pool that is too small: the message says what asks for how much and why, and what it advises makes it less."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.kernel.intervals import AllocationRequest, Interval, NoRoomError, allocate_intervals

BORDERS = """\
fabricgen: 1
name: small
scalable_unit: {nodes: 8 x dgx-b200}
pods: {p1: {su: 2, reserve: 4}}
fabrics:
  inband:
    protocol: ethernet
    attach: inband
    tiers:
      leaf: {switch: sn5600, per: su, uplinks: 64 x 400G}
      border: {switch: sn5600, count: 2}
    extra:
      wan: {device: external-router, names: [isp-1, isp-2], to: border, speed: 400G}
pools: {hosts: 10.128.0.0/20}
"""


def find_refusal(tmp_path: Path, *sets: str) -> Diagnostic | None:
    """What speaks against the blueprint with some settings; None for nothing."""
    file = tmp_path / "small.yaml"
    file.write_text(BORDERS, encoding="utf-8")
    try:
        build_cluster(build_design(load_blueprint(str(file), sets=sets)))
    except InputError as error:
        (diagnostic,) = error.diagnostics
        return diagnostic
    return None


def test_two_borders_that_ask_for_thousands_say_why_and_what_takes_less(tmp_path: Path) -> None:
    diagnostic = find_refusal(tmp_path)
    assert diagnostic
    assert diagnostic.code == "FG024"
    assert diagnostic.message == (
        "pool hosts (10.128.0.0/20) has 4096 addresses: 512 used, 2048 free in one block; nodes on each inband border "
        "need 16384 (a /24 each for 64 switches, of which there are 2, so that growth changes no address: border can "
        "grow to 64 in a group, one for each of the 64 uplinks of a leaf)"
    )
    assert diagnostic.hint == "add a prefix of /18 or shorter to the pool; less is needed with fewer `uplinks` on leaf"
    assert find_refusal(tmp_path, "fabrics.inband.tiers.leaf.uplinks=8 x 400G") is None


def test_units_that_are_reserved_are_named_and_lowering_the_reserve_takes_less(tmp_path: Path) -> None:
    few = ("fabrics.inband.tiers.leaf.uplinks=2 x 400G", "pools.hosts=10.128.0.0/23")
    diagnostic = find_refusal(tmp_path, *few, "pods.p1.reserve=64")
    assert diagnostic
    assert (
        "for 64 switches, of which there are 2, so that growth changes no address: 64 scalable units are"
        in diagnostic.message
    )
    assert diagnostic.hint.endswith("; less is needed with a lower `reserve`")
    less = find_refusal(tmp_path, *few, "pods.p1.reserve=2", "pools.hosts=10.128.0.0/22")
    assert less is None


@pytest.mark.parametrize("pool", ["10.128.0.0/24", "10.128.0.128/25", "10.129.255.0/26"])
def test_a_pool_of_which_nothing_is_used_is_free(tmp_path: Path, pool: str) -> None:
    diagnostic = find_refusal(tmp_path, f"pools.hosts={pool}", "pods.p1.reserve=64")
    assert diagnostic
    size = 1 << 32 - int(pool.partition("/")[2])
    assert f"has {size} addresses: 0 used, {size} free in one block" in diagnostic.message


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 60)), max_size=6),
    st.integers(0, 500),
    st.integers(1, 300),
    st.integers(0, 9),
)
def test_the_largest_free_block_that_is_told_could_be_had(
    taken: list[tuple[int, int]], first: int, size: int, power: int
) -> None:
    """However many numbers are asked for in vain, as many as are said to be free in one block can be had."""
    held = {str(i): (Interval(*pair),) for i, pair in enumerate(taken)}

    def try_to_allocate(numbers: int) -> NoRoomError | None:
        try:
            allocate_intervals(held, [AllocationRequest("new", numbers, (Interval(first, size),), aligned=True)])
        except NoRoomError as error:
            return error
        return None

    if refused := try_to_allocate(1 << power):
        assert refused.largest < 1 << power
        prefix = 1 << refused.largest.bit_length() - 1 if refused.largest else 0
        assert not prefix or try_to_allocate(prefix) is None
        assert try_to_allocate(2 * prefix or 1)
