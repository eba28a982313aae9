"""Laws that hold over all examples: a seeded tenth of their cases, or all of them with `pytest --whole`.

A law bears `@pytest.mark.law`. It asks `law_cases` for its cases, or `law_examples` how many Hypothesis shall draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TypeVar

Case = TypeVar("Case")

SEED = 59
"""Which tenth is taken; another number takes another one."""

SHARE = 10


class Asked:
    """What the command line asked for; conftest.py sets it before any test is collected."""

    whole = False


def law_cases(law: str, cases: Iterable[Case], name: Callable[[Case], object] = repr) -> list[Case]:
    """Return the cases of a law in their order: all of them with `--whole`, else a tenth and at least one.

    Cases are ranked by a digest of `SEED`, the law and what `name` calls a case, which must tell cases apart and be the
    same on every machine. So laws take different tenths, and a case that is added moves at most one other.
    """
    every = list(cases)
    return every if Asked.whole else take_tenth(law, every, name)


def take_tenth(subject: str, cases: Iterable[Case], name: Callable[[Case], object] = repr) -> list[Case]:
    """Return a tenth of some cases in their order, at least one where there are any; see `law_cases`."""
    every = list(cases)
    ranks = sorted(range(len(every)), key=lambda at: sha256(f"{SEED} {subject} {name(every[at])}".encode()).digest())
    return [every[at] for at in sorted(ranks[: -(-len(every) // SHARE)])]


def law_examples(number: int) -> int:
    """Return how many of so many random cases of a law are drawn: all with `--whole`, else a tenth and at least five.

    Hypothesis draws simple cases first: of fewer than five, none would be of any size.
    """
    return number if Asked.whole else min(number, max(5, -(-number // SHARE)))
