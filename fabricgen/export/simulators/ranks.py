"""Accelerators as simulators number them: those of a scale-up domain follow each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.collectives.model import domain_profile
from fabricgen.analyze.network import Network
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.export.table import Cell, File, Table, csv_file
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.wiring.tables import Ints64

CONSTANTS = "usual"
"""The profile of constants that latency and efficiency are taken from."""


@dataclass(frozen=True, slots=True)
class Numbered:
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

    def reached(self, profile: ScaleUpDomainProfile, gbps: float) -> float:
        """What is reached of some bandwidth within a domain, Gb/s."""
        return gbps * self.constants.efficiency.of_domain(profile.id).reached


def numbered(network: Network) -> Numbered:
    """Number accelerators by domain, in the order of nodes; raises InputError (FG146) where a domain is unknown."""
    ranks, catalog = network.ranks, network.cluster.design.catalog
    _, first, inverse, size = np.unique(ranks.domain, return_index=True, return_inverse=True, return_counts=True)
    rows, order = np.argsort(first[inverse], kind="stable"), np.argsort(first)
    classes, of_class = np.unique(
        network.cluster.plan.devices.device_class[ranks.device[first[order]]], return_inverse=True
    )
    some = [int(first[order][np.flatnonzero(of_class == number)[0]]) for number in range(len(classes))]
    names = [domain_profile(network, rank) for rank in some]
    profiles = sorted(set(names) & set(catalog.ids("scale_up")))
    index = np.array([profiles.index(name) if name in profiles else -1 for name in names], dtype=np.int64)
    kind = np.where(size[order] > 1, index[of_class], -1)
    lost = (size[order] > 1) & ((kind < 0) | (ranks.domain_gbps[first[order]] == 0))
    if lost.any():
        raise refusal(
            network,
            f"{int(lost.sum()):,} nodes with several accelerators each do not say how these are joined",
            "a scale-up domain whose bandwidth is known: `scale_up` of the node's profile names it",
        )
    starts = np.cumsum(size[order]) - size[order]
    known = tuple(catalog.scale_up(name) for name in profiles)
    return Numbered(network, catalog.constants(CONSTANTS), rows, starts, size[order], kind, known)


def refusal(network: Network, found: str, needed: str) -> InputError:
    """The fault that a network cannot be told in a simulator's form, located at the fabric."""
    name = network.fabric.name
    error = fault("FG146", f"{name}: {found}", path=("fabrics", name), hint=f"the simulator takes {needed}")
    return network.cluster.design.loaded.located(error)


def numbers_file(numbers: Numbered, folder: str, above: Iterable[tuple[str, int]] = ()) -> File:
    """FABRIC-ids.csv: what each number is; `above` are (kind, row of the device) of numbers above the accelerators."""
    network, name = numbers.network, numbers.network.cluster.name_column
    ranks, others = network.ranks, list(above)
    device = [*ranks.device[numbers.rows].tolist(), *(row for _, row in others)]
    kinds = [network.what.removesuffix("s")] * len(ranks) + [kind for kind, _ in others]
    accelerator = ranks.accelerator[numbers.rows].tolist()
    columns: dict[str, list[Cell]] = {
        "id": list(range(len(device))),
        "kind": list(kinds),
        "device": name[device].tolist(),
        "accelerator": [*accelerator, *[""] * len(others)],
    }
    return csv_file(Table(f"{folder}/{network.fabric.name}-ids", columns))
