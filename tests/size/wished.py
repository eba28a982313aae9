"""Searches that several tests of `size` look at, each made once."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from fabricgen.catalog.loader import Catalog
from fabricgen.size.front import Candidate
from fabricgen.size.hardware import Hardware, Shape, count_nodes
from fabricgen.size.search import SearchResult, Work, search_designs, size_shapes
from fabricgen.size.shapes import list_shapes
from fabricgen.size.wishes import Wishes, read_wishes


def read_options(**wishes: str | int) -> Wishes:
    return read_wishes(None, wishes)[0]


@cache
def make_designs(**wishes: str | int) -> tuple[Candidate, ...]:
    """The designs for some wishes, before any is wired."""
    hardware = Hardware(read_options(**wishes), Catalog())
    work = Work(hardware, count_nodes(hardware.wishes.gpus, hardware), "size.yaml", None)
    return tuple(size_shapes(list(list_shapes(hardware, work.nodes)), work, 1, Counter()))


@cache
def run_search(every: bool = True, **wishes: str | int) -> SearchResult:
    return search_designs(read_options(**wishes), folder=Path(), jobs=1, every=every)


def count_switches(candidate: Candidate) -> tuple[int, ...]:
    """Switches by tier, leaves first."""
    return tuple(candidate.figures.switches.values())


def design_shape(shape: Shape, **wishes: str | int) -> Candidate:
    """The design of one shape for some wishes."""
    hardware = Hardware(read_options(**wishes), Catalog())
    (design,) = Work(hardware, count_nodes(hardware.wishes.gpus, hardware), "size.yaml", None).size_alike([shape])
    assert isinstance(design, Candidate), design
    return design
