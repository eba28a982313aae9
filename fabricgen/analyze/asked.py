"""What an analysis is asked: of which ranks, at which sizes, with which constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabricgen.catalog.constant_models import ConstantsProfile
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.wiring.tables import Ints64


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
class Asked:
    """What an analysis is asked.

    `sizes` of messages in bytes, `queue_pairs` of each pair of ranks, `trials` of a Monte Carlo and the `seed` of its
    random numbers, `pairs` whether failures are also taken two at a time.
    """

    constants: ConstantsProfile
    sizes: tuple[int, ...] = (2**20, 2**24, 2**28, 2**33)
    queue_pairs: tuple[int, ...] = (1, 4, 16)
    trials: int = 0
    seed: int = 1
    pairs: bool = False


def with_stated(constants: ConstantsProfile, stated: Sequence[str]) -> ConstantsProfile:
    """Constants with some of them stated as PATH=VALUE, for example `latency.ring.simple.nic_us=10`.

    Raises InputError (FG145) for a path that is not there, or a value that it cannot have.
    """
    tree = constants.model_dump()
    for text in stated:
        path, equals, value = text.partition("=")
        *above, last = path.split(".")
        at: Any = tree
        group = tree
        for name in above:
            at = at.get(name) if isinstance(at, dict) else None
            group = at if isinstance(at, dict) and "source" in at else group
        if not equals or not isinstance(at, dict) or not isinstance(at.get(last), int | float):
            known = sorted(at) if isinstance(at, dict) else sorted(tree)
            raise fault("FG145", f"'{text}' states no constant", hint=did_you_mean(last, known))
        try:
            at[last] = float(value)
            group["source"] = f"{path}={value} as stated, else {group['source']}"
            constants = type(constants).model_validate(tree)
        except ValueError as error:
            raise fault("FG145", f"{path} cannot be {value}", hint="`fabricgen catalog usual` has its range") from error
    return constants
