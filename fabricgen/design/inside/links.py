"""Links inside a tier in the symmetric form: between the switches of a pair, between sites, and along dimensions."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Path


class SiteSpan(NamedTuple):
    """Links between the border switches of two sites: each switch has `links` links, over `km` of fibre.

    `fibre_pairs` is how many pairs of fibre the blueprint states between the sites.
    """

    name: str
    sites: tuple[int, int]
    links: int
    first: tuple[int, int]
    """The first port of the run at each of the two sites."""
    km: float
    fibre_pairs: int
    path: Path


class PeerLinks(NamedTuple):
    """Links inside a tier, all from one run of ports: between the two switches of a pair, or to other sites."""

    run: PortRun
    spans: tuple[SiteSpan, ...]
    """Links to other sites; empty if every two neighbouring switches of a group are joined as a pair."""
    max_links: int = 0
    """How many links a pair has with all reserved units, which all get addresses; 0 for links to other sites."""


class Mesh(NamedTuple):
    """Links inside a tier along one dimension, all from one run of ports."""

    dimension: str
    links: int
    """How many links join every two switches that meet, or with `spread` every two groups."""
    reach: int
    """Over how many steps of a ring switches are linked; 0 if every two switches are linked."""
    spread: bool
    run: PortRun
    max_links: int
    """How many links a switch has with all reserved places."""
    path: Path
    pairs: tuple[tuple[int, int], ...] = ()
    """Numbers of the switches that are linked, from 0, ascending, if a table lists them; empty if a rule says it."""
