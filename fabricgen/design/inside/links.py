"""Links inside a tier in the symmetric form: of pairs, between sites, and along its dimensions."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Path


class SiteSpan(NamedTuple):
    """Links between the border switches of two sites: `links` of each switch, over `km` of fibre.

    `fibre_pairs` is how many pairs of fibre the blueprint says there are between the sites.
    """

    name: str
    sites: tuple[int, int]
    links: int
    first: tuple[int, int]
    """First port of the run at each of the two sites."""
    km: float
    fibre_pairs: int
    path: Path


class PeerLinks(NamedTuple):
    """Links inside a tier, all from one run of ports: between the two switches of a pair, or to other sites."""

    run: PortRun
    spans: tuple[SiteSpan, ...]
    """Links to other sites; empty where every two neighbouring switches of a group are joined as a pair."""
    most: int = 0
    """Links of a pair with all reserved units, which have addresses; 0 for links to other sites."""


class Mesh(NamedTuple):
    """Links inside a tier along one dimension, all from one run of ports."""

    dimension: str
    links: int
    """Of every two switches that meet, or with `spread` of every two groups."""
    reach: int
    """How far neighbours are in a ring; 0 where all meet all."""
    spread: bool
    run: PortRun
    most: int
    """Ports of a switch with all reserved places."""
    path: Path
    pairs: tuple[tuple[int, int], ...] = ()
    """Numbers of the switches that meet, from 0, ascending, where a table says so; empty where a rule does."""
