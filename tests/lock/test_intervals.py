"""Numbers are handed out once, stay with their holder, and go on in free space."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.kernel.intervals import (
    AllocationRequest,
    Interval,
    NoRoomError,
    allocate_intervals,
    count_numbers,
    find_overlap,
)

WINDOW = (Interval(16, 200), Interval(512, 512))


@st.composite
def demands(draw: st.DrawFn) -> list[AllocationRequest]:
    """Who asks for how many, in the order of asking; a name may ask again for more."""
    aligned = draw(st.booleans())
    size = st.sampled_from([1, 2, 4, 8, 16, 32]) if aligned else st.integers(1, 40)
    requests = draw(st.lists(st.tuples(st.sampled_from("abcdefgh"), size), max_size=20))
    return [AllocationRequest(name, count, WINDOW, aligned=aligned) for name, count in requests]


@given(demands())
def test_numbers_are_given_once_and_never_taken_back(asked: list[AllocationRequest]) -> None:
    held: dict[str, tuple[Interval, ...]] = {}
    for demand in asked:
        before = held.get(demand.name, ())
        try:
            held |= allocate_intervals(held, [demand])
        except NoRoomError:
            continue
        now = held[demand.name]
        assert count_numbers(now) >= demand.size
        numbers = [n for e in now for n in range(e.first, e.end)]
        assert numbers[: count_numbers(before)] == [n for e in before for n in range(e.first, e.end)]
        assert all(any(w.first <= n < w.end for w in WINDOW) for n in numbers)
        assert find_overlap(held) is None


@given(demands())
def test_one_after_the_other_is_as_all_at_once(asked: list[AllocationRequest]) -> None:
    one_by_one: dict[str, tuple[Interval, ...]] = {}
    try:
        for demand in asked:
            one_by_one |= allocate_intervals(one_by_one, [demand])
    except NoRoomError:
        with pytest.raises(NoRoomError):
            allocate_intervals({}, asked)
        return
    assert allocate_intervals({}, asked) == one_by_one


def test_a_block_lies_at_a_multiple_of_its_size() -> None:
    held = allocate_intervals(
        {},
        [
            AllocationRequest("a", 2, (Interval(0, 64),), aligned=True),
            AllocationRequest("b", 16, (Interval(0, 64),), aligned=True),
        ],
    )
    assert held == {"a": (Interval(0, 2),), "b": (Interval(16, 16),)}


def test_gaps_before_aligned_blocks_are_filled_last() -> None:
    held = {"a": (Interval(0, 2),), "b": (Interval(16, 16),)}
    window = (Interval(0, 64),)
    assert allocate_intervals(held, [AllocationRequest("c", 4, window, aligned=True)])["c"] == (Interval(32, 4),)
    full = {**held, "c": (Interval(32, 32),)}
    assert allocate_intervals(full, [AllocationRequest("d", 4, window, aligned=True)])["d"] == (Interval(4, 4),)


def test_a_gap_that_a_hole_left_is_used_first() -> None:
    held = {"p1": (Interval(0, 4),), "p3": (Interval(8, 4),)}
    assert allocate_intervals(held, [AllocationRequest("p4", 4, (Interval(0, 1 << 20),))])["p4"] == (Interval(4, 4),)


def test_what_is_missing_is_told() -> None:
    with pytest.raises(NoRoomError) as error:
        allocate_intervals({"a": (Interval(0, 10),)}, [AllocationRequest("b", 7, (Interval(0, 16),))])
    assert (error.value.missing, error.value.largest) == (7, 6)
