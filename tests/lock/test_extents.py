"""Numbers are handed out once, stay with their holder, and go on in free space."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.kernel.extents import Demand, Extent, NoRoomError, overlap, settle, total

WINDOW = (Extent(16, 200), Extent(512, 512))


@st.composite
def demands(draw: st.DrawFn) -> list[Demand]:
    """Who asks for how many, in the order of asking; a name may ask again for more."""
    aligned = draw(st.booleans())
    size = st.sampled_from([1, 2, 4, 8, 16, 32]) if aligned else st.integers(1, 40)
    asked = draw(st.lists(st.tuples(st.sampled_from("abcdefgh"), size), max_size=20))
    return [Demand(name, count, WINDOW, aligned=aligned) for name, count in asked]


@given(demands())
def test_numbers_are_given_once_and_never_taken_back(asked: list[Demand]) -> None:
    held: dict[str, tuple[Extent, ...]] = {}
    for demand in asked:
        before = held.get(demand.name, ())
        try:
            held |= settle(held, [demand])
        except NoRoomError:
            continue
        now = held[demand.name]
        assert total(now) >= demand.size
        numbers = [n for e in now for n in range(e.first, e.end)]
        assert numbers[: total(before)] == [n for e in before for n in range(e.first, e.end)]
        assert all(any(w.first <= n < w.end for w in WINDOW) for n in numbers)
        assert overlap(held) is None


@given(demands())
def test_one_after_the_other_is_as_all_at_once(asked: list[Demand]) -> None:
    one_by_one: dict[str, tuple[Extent, ...]] = {}
    try:
        for demand in asked:
            one_by_one |= settle(one_by_one, [demand])
    except NoRoomError:
        with pytest.raises(NoRoomError):
            settle({}, asked)
        return
    assert settle({}, asked) == one_by_one


def test_a_block_lies_at_a_multiple_of_its_size() -> None:
    held = settle({}, [Demand("a", 2, (Extent(0, 64),), aligned=True), Demand("b", 16, (Extent(0, 64),), aligned=True)])
    assert held == {"a": (Extent(0, 2),), "b": (Extent(16, 16),)}


def test_gaps_before_aligned_blocks_are_filled_last() -> None:
    held = {"a": (Extent(0, 2),), "b": (Extent(16, 16),)}
    window = (Extent(0, 64),)
    assert settle(held, [Demand("c", 4, window, aligned=True)])["c"] == (Extent(32, 4),)
    full = {**held, "c": (Extent(32, 32),)}
    assert settle(full, [Demand("d", 4, window, aligned=True)])["d"] == (Extent(4, 4),)


def test_a_gap_that_a_hole_left_is_used_first() -> None:
    held = {"p1": (Extent(0, 4),), "p3": (Extent(8, 4),)}
    assert settle(held, [Demand("p4", 4, (Extent(0, 1 << 20),))])["p4"] == (Extent(4, 4),)


def test_what_is_missing_is_told() -> None:
    with pytest.raises(NoRoomError) as error:
        settle({"a": (Extent(0, 10),)}, [Demand("b", 7, (Extent(0, 16),))])
    assert (error.value.missing, error.value.largest) == (7, 6)
