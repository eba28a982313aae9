"""Published figures of collectives hold together: with their ranks, with what links carry, and with the constants.

The figures are what an analysis prints its error against; a slip of the pen in them would be an error of the analysis.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.catalog.loader import Catalog

CATALOG = Catalog()
USUAL = CATALOG.constants()
FIGURES: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("collectives.yaml").read_text())[
    "figures"
]
NAMES = [figure["id"] for figure in FIGURES]
KEYS = {"id", "title", "source", "reads", "collective", "node", "nodes", "ranks", "points"}
FACTOR = {
    "all-reduce": lambda n: 2 * (n - 1) / n,
    "all-gather": lambda n: (n - 1) / n,
    "reduce-scatter": lambda n: (n - 1) / n,
    "all-to-all": lambda n: (n - 1) / n,
    "broadcast": lambda n: 1,
}


def link_gbytes(figure: dict[str, Any]) -> float:
    """Bandwidth of an accelerator in its scale-up domain, GB/s each way."""
    domain = CATALOG.scale_up(CATALOG.node(figure["node"]).scale_up)
    links = sum(domain.links_per_switch) or domain.links_per_pair * ((domain.accelerators or 0) - 1)
    return links * domain.link_gbps / 8


def domain_ranks(figure: dict[str, Any]) -> int:
    """Ranks of one scale-up domain."""
    return min(figure["ranks"], CATALOG.scale_up(CATALOG.node(figure["node"]).scale_up).accelerators or 0)


def test_there_are_figures_of_enough_clusters_and_collectives() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert {figure["collective"] for figure in FIGURES} == set(FACTOR)
    assert len({figure["title"] for figure in FIGURES if "network" in figure}) >= 4


@pytest.mark.parametrize("figure", FIGURES, ids=NAMES)
def test_figure_is_of_its_ranks_and_times(figure: dict[str, Any]) -> None:
    assert KEYS <= set(figure) <= KEYS | {"algorithm", "network"}
    accelerators = CATALOG.node(figure["node"]).accelerators
    assert accelerators
    assert figure["ranks"] == figure["nodes"] * accelerators.count
    assert ("network" in figure) == (figure["ranks"] > domain_ranks(figure))
    sizes = [point[0] for point in figure["points"]]
    assert sizes == sorted(set(sizes))
    for size, bus, *time in figure["points"]:
        for us in time:
            assert size / us / 1000 * FACTOR[figure["collective"]](figure["ranks"]) == pytest.approx(
                bus, rel=0.01, abs=0.005
            )


@pytest.mark.parametrize("figure", [each for each in FIGURES if "network" in each], ids=lambda each: each["id"])
def test_no_figure_is_above_what_its_network_carries(figure: dict[str, Any]) -> None:
    """Of a reduction within domains first, as little crosses the network as can; of an all-to-all, what must."""
    ranks, within = figure["ranks"], domain_ranks(figure)
    domains, nic = ranks / within, figure["network"]["gbps"] / 8
    apart = domains / (domains - 1) * (ranks - 1) / ranks
    most = nic * apart * (1 if figure["collective"] == "all-to-all" else within)
    assert max(bus for _, bus, *_ in figure["points"]) < most


@pytest.mark.parametrize("figure", [each for each in FIGURES if "network" not in each], ids=lambda each: each["id"])
def test_constants_of_scale_up_domains_are_those_of_large_messages(figure: dict[str, Any]) -> None:
    efficiency = USUAL.efficiency.find_domain_efficiency(CATALOG.node(figure["node"]).scale_up)
    factor = FACTOR[figure["collective"]](figure["ranks"])
    largest = max(bus for _, bus, *_ in figure["points"])
    if figure.get("algorithm") == "in-switch":
        assert efficiency.in_switch
        expected = efficiency.in_switch * link_gbytes(figure) * factor
    else:
        expected = efficiency.reached * link_gbytes(figure)
    assert largest == pytest.approx(expected, rel=0.13)


@pytest.mark.parametrize("name", ["aws-h200-32", "aws-h200-128", "oci-mi355x-32", "coreweave-h100-64"])
def test_constant_of_networks_is_that_of_large_messages(name: str) -> None:
    """A ring through all ranks of a node has all its NICs: its bus bandwidth is theirs together."""
    figure = FIGURES[NAMES.index(name)]
    expected = USUAL.efficiency.network.reached * domain_ranks(figure) * figure["network"]["gbps"] / 8
    assert max(bus for _, bus, *_ in figure["points"]) == pytest.approx(expected, rel=0.06)
