"""What an analysis is asked: about which ranks, at which sizes of messages, with which constants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabricgen.analyze.network import Network
from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.wiring.arrays import Ints64, rank_within


@dataclass(frozen=True, slots=True)
class Job:
    """The accelerators that one job runs on, in the order of its ranks: int64 rows of a network's `Ranks`.

    `text` says which they are: "2048 at p1, in order".
    """

    text: str
    ranks: Ints64

    def __len__(self) -> int:
        return len(self.ranks)


@dataclass(frozen=True, slots=True)
class Question:
    """What an analysis is asked.

    `sizes` are those of messages, in bytes; `queue_pairs` are numbers of queue pairs between two ranks. `trials` and
    `seed` are the number of trials of a Monte Carlo and the seed of its random numbers. `pairs` says whether failures
    are also taken two at a time.
    """

    constants: ConstantsProfile
    sizes: tuple[int, ...] = (2**20, 2**24, 2**28, 2**33)
    queue_pairs: tuple[int, ...] = (1, 4, 16)
    trials: int = 0
    seed: int = 1
    pairs: bool = False


def override_constants(constants: ConstantsProfile, settings: Sequence[str]) -> ConstantsProfile:
    """Return constants in which some are replaced by settings PATH=VALUE, such as `latency.ring.simple.nic_us=10`.

    The source of a changed constant tells that it was stated. Raises InputError (FG145) for an unknown path, or for a
    value that the constant cannot have.
    """
    tree = constants.model_dump()
    for text in settings:
        path, equals, value = text.partition("=")
        *group_names, constant = path.split(".")
        branch: Any = tree
        group = tree
        for name in group_names:
            branch = branch.get(name) if isinstance(branch, dict) else None
            # the nearest group around the constant that has a source: it has to tell that a value was stated
            group = branch if isinstance(branch, dict) and "source" in branch else group
        if not equals or not isinstance(branch, dict) or not isinstance(branch.get(constant), int | float):
            known_names = sorted(branch) if isinstance(branch, dict) else sorted(tree)
            raise fault("FG145", f"'{text}' states no constant", hint=did_you_mean(constant, known_names))
        try:
            branch[constant] = float(value)
            if path == "efficiency.network.reached":  # stated for every network: drop the values fitted to some
                branch["by_protocol"] = {}
            group["source"] = f"{path}={value} as stated, else {group['source']}"
            constants = type(constants).model_validate(tree)
        except ValueError as error:
            raise fault("FG145", f"{path} cannot be {value}", hint="`fabricgen catalog usual` has its range") from error
    return constants


# Which accelerators a job runs on, and in which order its ranks are.


def read_job(network: Network, text: str = "all", placement: str = "packed", ranks: str = "aligned") -> Job:
    """Return the job that a text asks for: `all`, `2048`, `2048@p1`, `512@p1/su2` or `all@p2`.

    The placement `packed` takes accelerators in the order of nodes, `scattered` takes a domain of each unit in turn.
    With `rotated` ranks, the ranks of the k-th domain are shifted by k, so that neighbours in a ring are on different
    rails. Raises InputError (FG145) if there is no such pod or unit, or if it has fewer accelerators.
    """
    number, _, location = text.partition("@")
    rows = _find_ranks(network, location)
    if not re.fullmatch(r"all|[1-9][0-9]{0,8}", number):
        raise fault("FG145", f"'{text}' is no job", hint="write `all`, a number of accelerators, or `2048@p1/su2`")
    count = len(rows) if number == "all" else int(number)
    if count > len(rows) or count < 2:
        where = f" at {location}" if location else ""
        raise fault(
            "FG145",
            f"a job of {count:,} accelerators: {network.fabric.name} has {len(rows):,}{where}",
            hint=f"take 2 to {len(rows):,}" if len(rows) > 1 else "",
        )
    rows = rows[:count] if placement == "packed" else rows[_deal_by_unit(network, rows)][:count]
    rows = _group_by_domain(network, rows)
    if ranks == "rotated":
        rows = _rotate_domains(network, rows)
    return Job(f"{count:,}{f' at {location}' if location else ''}, {placement}, {ranks}", rows)


def _find_ranks(network: Network, location: str) -> Ints64:
    """Return the ranks in a pod (`p1`) or unit (`p1/su2`), ascending, int64; all ranks if `location` is "".

    Raises InputError (FG145) for an unknown pod or unit.
    """
    all_ranks = np.arange(len(network.ranks), dtype=np.int64)
    if not location:
        return all_ranks
    layout, units = network.cluster.design.layout, network.ranks.unit
    pod, _, unit = location.partition("/")
    names = [layout_pod.name for layout_pod in layout.pods]
    if pod not in names:
        raise fault("FG145", f"there is no pod '{pod}'", hint=f"pods are {', '.join(names)}")
    inside: Ints64 = np.flatnonzero(network.ranks.pod == names.index(pod))
    if not unit:
        return inside
    numbers = sorted(set(units[inside].tolist()))
    match = re.fullmatch(r"su([0-9]{1,6})", unit)
    if not match or not 0 < int(match[1]) <= len(numbers):
        raise fault("FG145", f"there is no unit '{unit}' in {pod}", hint=f"its units are su1 to su{len(numbers)}")
    return np.flatnonzero(units == numbers[int(match[1]) - 1])


def _deal_by_unit(network: Network, rows: Ints64) -> Ints64:
    """Return an order of `rows` (indexes into it, int64) that takes a scale-up domain of each unit in turn."""
    domain, unit = network.ranks.domain[rows], network.ranks.unit[rows]
    _, first_rank, domain_index = np.unique(domain, return_index=True, return_inverse=True)
    home = unit[first_rank]
    # the turn of a domain is its number among the domains of its unit, in the order of their first ranks
    turn = rank_within(home, first_rank)
    # the last key counts first: the first domains of all units, then the second ones; a domain stays together
    return np.lexsort((np.arange(len(rows)), first_rank[domain_index], home[domain_index], turn[domain_index]))


def _group_by_domain(network: Network, rows: Ints64) -> Ints64:
    """Return ranks with those of a domain side by side, domains in the order of their first rank."""
    _, first_rank, domain_index = np.unique(network.ranks.domain[rows], return_index=True, return_inverse=True)
    order: Ints64 = rows[np.lexsort((np.arange(len(rows)), first_rank[domain_index]))]
    return order


def _rotate_domains(network: Network, rows: Ints64) -> Ints64:
    """Return ranks in which those of the k-th domain are shifted by k; those of a domain are side by side."""
    domain = network.ranks.domain[rows]
    # ranks of a domain are side by side in the job
    starts = np.flatnonzero(np.r_[True, domain[1:] != domain[:-1]])
    size = np.diff(np.r_[starts, len(rows)])
    number = np.repeat(np.arange(len(starts)), size)
    inside = np.arange(len(rows)) - starts[number]
    # place i of the k-th domain is taken by what stands k places further, and the first ones follow the last
    turned: Ints64 = rows[starts[number] + (inside + number) % size[number]]
    return turned
