"""A network as ASTRA-sim's analytical model has it: dimensions, each of which multiplies the number of accelerators.

Source: github.com/astra-sim/astra-network-analytical@599a0473: common/network-parser/NetworkParser.cpp (keys, more than
one NPU in a dimension), congestion_unaware/multi-dim-topology/MultiDimTopology.cpp (the first dimension varies fastest
over numbers), basic-topology/*.cpp (a message takes latency once in FullyConnected, twice in a Switch, for each hop of
a Ring, and its bytes at the bandwidth of one link), common/NetworkFunction.cpp (1 GB/s is 2^30 bytes a second).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from fabricgen.analyze.collectives.model import find_domain_profile
from fabricgen.analyze.latency import latency_us
from fabricgen.analyze.network import NONE, Network
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.design.scale_up.kinds import torus
from fabricgen.export.table import File, make_csv_file
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.reports.table import Cell, Table
from fabricgen.wiring.arrays import Floats, Ints64

TOLERANCE = 1e-9
"""Shares and rates that differ by less are equal."""
GBPS_OF_GB = 8 * 2**30 / 1e9
"""Gb/s in a GB/s of the analytical model."""


@dataclass(frozen=True, slots=True)
class NetworkDimension:
    """A dimension: its building block, accelerators along it, Gb/s and ns of one of its links, and what it is."""

    topology: str
    npus: int
    gbps: float
    ns: float
    label: str


def list_dimensions(network: Network) -> tuple[NumberedAccelerators, list[NetworkDimension]]:
    """The accelerators in the order that the dimensions need, and these: the scale-up domain, then levels.

    A level of unequal parts is told with the one above it where a rank sends as much through both; the farther one's
    latency is that of all. Raises InputError (FG146) where the network is not regular enough.
    """
    numbers = number_accelerators(network)
    size, kinds = numbers.size, np.unique(numbers.kind)
    if size.min() != size.max():
        raise make_refusal(
            network, f"its scale-up domains have from {size.min()} to {size.max()} accelerators", "domains of one size"
        )
    if len(kinds) > 1:
        names = " and ".join(profile.id for profile in numbers.profiles)
        raise make_refusal(network, f"its scale-up domains are {names}", "one kind of domain")
    domain = numbers.profiles[kinds[0]] if kinds[0] != NONE else None
    inside = list(_list_domain_dimensions(numbers, domain)) if domain else []
    grid = numbers.rows.reshape(len(size), -1)
    if domain and domain.shape == "torus":
        cells = torus.list_coordinates(domain, domain.dims)
        # accelerators are in order block by block; in ASTRA-sim the first axis turns fastest over all of them
        grid = grid[:, sorted(range(len(cells)), key=lambda cell: cells[cell][::-1])]
    parts = _find_parts(network, grid)
    network_dimensions = [*inside, *_list_level_dimensions(numbers, parts)]
    if not network_dimensions:
        raise make_refusal(network, "one accelerator is no network", "two or more")
    # domains of one leaf next to each other, then those of one part of the level above, and so on
    order = np.lexsort([part for part in parts if part is not None])
    return replace(numbers, rows=grid[order].ravel()), network_dimensions


def _list_domain_dimensions(numbers: NumberedAccelerators, domain: ScaleUpDomainProfile) -> Iterator[NetworkDimension]:
    """The dimensions within a scale-up domain."""
    size, step_us = int(numbers.size[0]), numbers.step_us
    if domain.shape == "switched":
        gbps = numbers.reduce_bandwidth(domain, float(numbers.network.ranks.domain_gbps[0]))
        yield NetworkDimension("Switch", size, gbps, 500 * step_us, domain.id)
    elif domain.shape in ("mesh", "point_to_point"):
        pair = numbers.reduce_bandwidth(domain, domain.links_per_pair * domain.link_gbps)
        yield NetworkDimension("FullyConnected", size, pair, 1000 * step_us, domain.id)
    elif domain.shape == "torus" and prod(domain.dims) == size and not domain.switches:
        links_per_axis = domain.links_per_neighbour or (1,) * len(domain.dims)
        for number, (length, links) in enumerate(zip(domain.dims, links_per_axis, strict=True), start=1):
            if length > 1 and links:
                gbps = numbers.reduce_bandwidth(domain, links * domain.link_gbps)
                yield NetworkDimension("Ring", length, gbps, 1000 * step_us, f"axis {number} of {domain.id}")
    else:
        raise make_refusal(
            numbers.network,
            f"{domain.id} is a {domain.shape} of {size:,} accelerators whose form its switches set",
            "a domain that is switched, a full mesh, or a torus of fixed dimensions",
        )


def _find_parts(network: Network, grid: Ints64) -> list[Ints64 | None]:
    """By level: for each domain (int64) the first one in the same part, None where its accelerators are not alike.

    `grid` are the rows of accelerators in the network, a line a domain.
    """
    leaf = network.leaf[grid].reshape(len(grid), -1)
    if (leaf == NONE).any():
        lacking = int((network.leaf == NONE).any(axis=1).sum())
        raise make_refusal(network, f"{lacking:,} of {grid.size:,} accelerators lack a port", "the same ports on all")
    first_domains: list[Ints64 | None] = []
    for level in network.levels:
        columns = np.stack([_find_first_equal(column) for column in level.component[leaf].T])
        first_domains.append(columns[0] if (columns == columns[0]).all() else None)
    return first_domains


def _find_first_equal(column: Ints64) -> Ints64:
    """By place the first place that has the same value."""
    _, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    first_equal: Ints64 = first[inverse]
    return first_equal


def _list_level_dimensions(numbers: NumberedAccelerators, parts: list[Ints64 | None]) -> Iterator[NetworkDimension]:
    """The dimensions of the network, from the leaf up."""
    network, constants = numbers.network, numbers.constants
    nic_us = min(steps.nic_us for _, steps in constants.latency.ring.protocols)
    rates = list(_list_rates(network))
    # `below`: the part that each domain is in at the last level that became a dimension; `lowest`: the first level
    # since then
    below, lowest = np.arange(len(numbers.size)), 0
    for number, part in enumerate(parts):
        # how many parts of the level below each part of this one joins; of unequal ones it is told with the next level
        counts = np.zeros(2) if part is None else np.unique(part[np.unique(below)], return_counts=True)[1]
        if part is None or counts.min() != counts.max():
            continue
        below = part
        # a level that joins nothing new is no dimension
        if counts[0] > 1:
            if abs(rates[number] - rates[lowest]) > TOLERANCE:
                raise _refuse_narrowing(network, rates, lowest, number)
            us = nic_us + latency_us(network, number, constants) - latency_us(network, 0, constants)
            name = " and ".join(name_level(network, level) for level in range(lowest, number + 1))
            gbps = rates[number] * constants.efficiency.network.reached
            # us to ns, halved: ASTRA-sim counts the latency of a switch twice, to it and from it
            yield NetworkDimension("Switch", int(counts[0]), gbps, 500 * us, name)
        lowest = number + 1
    if (below != below[0]).any():
        apart = len(np.unique(below))
        raise make_refusal(network, f"{apart:,} groups of scale-up domains do not all reach each other", "one network")


def _refuse_narrowing(network: Network, rates: list[float], lowest: int, number: int) -> InputError:
    """The fault that levels to be told as one do not pass on as much."""
    return make_refusal(
        network,
        f"{name_level(network, lowest)} switches do not all join as many scale-up domains, and a rank sends "
        f"{rates[lowest]:,.6g} Gb/s to others there, {rates[number]:,.6g} Gb/s beyond",
        "as many at each switch, or no narrowing above them",
    )


def _list_rates(network: Network) -> Iterator[float]:
    """What a rank sends to ranks that it meets at each level, Gb/s, when all do; raises where ranks differ."""
    rank_gbps = network.gbps.sum(axis=1)
    if rank_gbps.max() - rank_gbps.min() > TOLERANCE:
        raise make_refusal(
            network, f"its accelerators have from {rank_gbps.min():g} to {rank_gbps.max():g} Gb/s", "the same for all"
        )
    share = 1.0
    for number, level in enumerate(network.levels):
        yield float(rank_gbps[0]) * share
        if number + 1 < len(network.levels):
            shares = _compute_shares(level.component[network.leaf.ravel()], network.gbps.ravel(), level.out_gbps)
            if shares.max() - shares.min() > TOLERANCE:
                raise make_refusal(
                    network,
                    f"{name_level(network, number)} switches pass on from {shares.min():.1%} to {shares.max():.1%} of "
                    "what their accelerators send",
                    "the same share for all",
                )
            # what a lower level has held back, a wider one above it does not bring back
            share = min(share, float(shares[0]))


def _compute_shares(component: Ints64, gbps: Floats, out_gbps: Floats) -> Floats:
    """What each component with ranks below it passes on of what these send, at most 1."""
    sent = np.bincount(component, gbps, len(out_gbps))
    shares: Floats = np.minimum(1.0, out_gbps[sent > 0] / sent[sent > 0])
    return shares


def name_level(network: Network, number: int) -> str:
    """What the switches of a level are called; links between sites join the last one."""
    level = network.levels[number]
    return level.name or "/".join(sorted({key.name for key in level.tiers})) or "site"


# Accelerators as simulators number them: those of a scale-up domain follow each other.

CONSTANTS = "usual"
"""The profile of constants that latency and efficiency are taken from."""


@dataclass(frozen=True, slots=True)
class NumberedAccelerators:
    """Accelerators in the order of their numbers: `rows` (int64) are rows of the network's ranks.

    By scale-up domain (int64): `starts` is its first number, `size` how many it has, `kind` which of `profiles` it is,
    -1 for a domain of one accelerator.
    """

    network: Network
    constants: ConstantsProfile
    rows: Ints64
    starts: Ints64
    size: Ints64
    kind: Ints64
    profiles: tuple[ScaleUpDomainProfile, ...]

    @property
    def step_us(self) -> float:
        """A step within a domain, us, the time in both accelerators in it: a ring's with the quickest protocol."""
        return min(steps.scale_up_us for _, steps in self.constants.latency.ring.protocols)

    def reduce_bandwidth(self, profile: ScaleUpDomainProfile, gbps: float) -> float:
        """What is reached of some bandwidth within a domain, Gb/s."""
        return gbps * self.constants.efficiency.find_domain_efficiency(profile.id).reached


def number_accelerators(network: Network) -> NumberedAccelerators:
    """Number accelerators by domain, in the order of nodes; raises InputError (FG146) where a domain is unknown."""
    ranks, catalog = network.ranks, network.cluster.design.catalog
    _, first, inverse, size = np.unique(ranks.domain, return_index=True, return_inverse=True, return_counts=True)
    # ranks by the domain that comes first, and domains in that order
    rows, order = np.argsort(first[inverse], kind="stable"), np.argsort(first)
    classes, class_index = np.unique(
        network.cluster.plan.devices.device_class[ranks.device[first[order]]], return_inverse=True
    )
    # a rank of each class of nodes, which stands for the class
    class_ranks = [int(first[order][np.flatnonzero(class_index == number)[0]]) for number in range(len(classes))]
    names = [find_domain_profile(network, rank) for rank in class_ranks]
    profiles = sorted(set(names) & set(catalog.ids("scale_up")))
    index = np.array([profiles.index(name) if name in profiles else -1 for name in names], dtype=np.int64)
    kind = np.where(size[order] > 1, index[class_index], -1)
    is_unknown = (size[order] > 1) & ((kind < 0) | (ranks.domain_gbps[first[order]] == 0))
    if is_unknown.any():
        raise make_refusal(
            network,
            f"{int(is_unknown.sum()):,} nodes with several accelerators each do not say how these are joined",
            "a scale-up domain whose bandwidth is known: `scale_up` of the node's profile names it",
        )
    starts = np.cumsum(size[order]) - size[order]
    domain_profiles = tuple(catalog.scale_up(name) for name in profiles)
    return NumberedAccelerators(network, catalog.constants(CONSTANTS), rows, starts, size[order], kind, domain_profiles)


def make_refusal(network: Network, problem: str, needed: str) -> InputError:
    """The fault that a network cannot be told in a simulator's form, located at the fabric."""
    name = network.fabric.name
    error = fault("FG146", f"{name}: {problem}", path=("fabrics", name), hint=f"the simulator takes {needed}")
    return network.cluster.design.loaded.locate_error(error)


def make_numbers_file(numbers: NumberedAccelerators, folder: str, above: Iterable[tuple[str, int]] = ()) -> File:
    """FABRIC-ids.csv: what each number is; `above` are (kind, row of the device) of numbers above the accelerators."""
    network, name = numbers.network, numbers.network.cluster.name_column
    ranks, vertices_above = network.ranks, list(above)
    device = [*ranks.device[numbers.rows].tolist(), *(row for _, row in vertices_above)]
    kinds = [network.what.removesuffix("s")] * len(ranks) + [kind for kind, _ in vertices_above]
    accelerator = ranks.accelerator[numbers.rows].tolist()
    columns: dict[str, list[Cell]] = {
        "id": list(range(len(device))),
        "kind": list(kinds),
        "device": name[device].tolist(),
        "accelerator": [*accelerator, *[""] * len(vertices_above)],
    }
    return make_csv_file(Table(f"{folder}/{network.fabric.name}-ids", columns))
