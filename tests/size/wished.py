"""Searches that several tests of `size` look at, each made once."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from fabricgen.catalog.loader import Catalog
from fabricgen.size.front import Candidate
from fabricgen.size.search import Found, Work, find, sized
from fabricgen.size.shapes import Hardware, Shape, nodes_for, shapes
from fabricgen.size.wishes import Wishes, read_wishes


def wished(**wishes: str | int) -> Wishes:
    return read_wishes(None, wishes)[0]


@cache
def designed(**wishes: str | int) -> tuple[Candidate, ...]:
    """The designs for some wishes, before any is wired."""
    hardware = Hardware(wished(**wishes), Catalog())
    work = Work(hardware, nodes_for(hardware.wishes.gpus, hardware), "size.yaml", None)
    return tuple(sized(list(shapes(hardware, work.nodes)), work, 1, Counter()))


@cache
def searched(every: bool = True, **wishes: str | int) -> Found:
    return find(wished(**wishes), folder=Path(), jobs=1, every=every)


def counts(candidate: Candidate) -> tuple[int, ...]:
    """Switches by tier, leaves first."""
    return tuple(candidate.figures.switches.values())


def alone(shape: Shape, **wishes: str | int) -> Candidate:
    """The design of one shape for some wishes."""
    hardware = Hardware(wished(**wishes), Catalog())
    (made,) = Work(hardware, nodes_for(hardware.wishes.gpus, hardware), "size.yaml", None).sized([shape])
    assert isinstance(made, Candidate), made
    return made
