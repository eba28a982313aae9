"""Links inside a tier in the symmetric form: which of its switches meet, and by how many links."""

from typing import Literal, NamedTuple

from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Path


class Mesh(NamedTuple):
    """Links between switches of a tier that meet, all from one run of ports.

    `word` says which switches meet: with `peer` the two of each pair, with `spans` the border switches of two sites
    that have the same number in their site, with `mesh` those that differ in one dimension and agree in all others.
    """

    word: Literal["peer", "spans", "mesh"]
    dimension: str
    """The dimension in which switches that meet differ; "" for a pair, whose two are neighbours in their group."""
    links: int
    """How many links join every two switches that meet, or with `spread` every two groups."""
    run: PortRun
    """Its ports; all spans of a tier share one run."""
    max_links: int
    """How many ports of the run have links or may have them with all reserved places; all of them get addresses."""
    path: Path
    reach: int = 0
    """Over how many steps of a ring switches are linked; 0 if every two switches are linked."""
    spread: bool = False
    """Whether whole groups meet, and their links are dealt over the switches of each."""
    pairs: tuple[tuple[int, int], ...] = ()
    """Numbers of the switches that are linked, from 0, if a table or a span lists them; empty if a rule says it."""
    name: str = ""
    """The name of a span; other links have none of what follows."""
    first_ports: tuple[int, int] = (0, 0)
    """Its first port in the run at each of the two sites, which the lock keeps."""
    sites: tuple[int, int] = (0, 0)
    """The two sites of a span, by their index in the layout."""
    km: float = 0.0
    """Length of a span's fibre."""
    fibre_pairs: int = 0
    """How many pairs of fibre the blueprint states for a span."""
