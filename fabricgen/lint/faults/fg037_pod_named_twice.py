"""Counting pods gives two of them one name."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class PodNamedTwice(Fault):
    """`count` repeats a pod under names that are counted on, and one of these is another pod's key.

    Slots, addresses and names of a pod hang on its name. p1 with count 2 is p1 and p2: call the other pod
    otherwise.
    """

    id = "FG037"
    title = "counting pods gives two of them one name"
    bad = """
        pods: {p1: {count: 2}, p2: {su: 5}}  # <-
    """
    good = """
        pods: {p1: {count: 2}, p3: {su: 5}}
    """
