"""What tests need of the machine: programs, which a mark tells, and what is said where they are missing."""

from __future__ import annotations

import os

import pytest

MARKS = ("browser", "daemon", "office", "slow")
"""Marks of tests that `python -m pytest` leaves out."""

LEFT_OUT = f"not ({' or '.join(MARKS)})"
"""What pyproject.toml gives `-m` where nobody else does."""


class Running:
    """The test that a process runs now, as conftest.py has it from pytest."""

    test: pytest.Item | None = None


def require(lacking: str, *, marked: bool = True) -> None:
    """End a test that lacks something of the machine: in CI as a failure, elsewhere as a skip that says what to do.

    What asks for a program bears one of `MARKS`, also where the program is there; `marked=False` is for what every
    Linux has.
    """
    if marked and Running.test and not any(Running.test.get_closest_marker(mark) for mark in MARKS):
        pytest.fail(f"{Running.test.nodeid} may lack a program: mark it as one of {', '.join(MARKS)}")
    if lacking and os.environ.get("CI") == "true":
        pytest.fail(lacking)
    if lacking:
        pytest.skip(lacking)
