"""What a build hands to publishing: bundles of files, and how they are portioned out to workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from fabricgen.publish.manifest import Content
from fabricgen.publish.workers import in_order

Result = TypeVar("Result")

Make: TypeAlias = Callable[[], Iterable[tuple[str, Content]]]

TASK = 64
"""Cost, in switches, from which a task is worth a message to a worker."""
WORKERS_FROM = 512
"""Cost, in switches, from which worker processes pay; below, starting them costs more than they save."""


class Bundle(NamedTuple):
    """Files of one part that are made together, in whatever process takes them.

    `make` yields (path below the output folder, content), in the order that archives have. It must be safe to call in
    a forked or spawned process: a `functools.partial` of a module's function over what the bundles share, say, which
    goes over once however many bundles hold it; what it caches there serves all bundles that the process makes.

    `key` names the bundle within its part: a switch's name, say.

    `cost` is what it takes to make, roughly, with the configuration of one switch as the unit.

    `prepare` computes what bundles share when they are made: it is called once, before processes are started.
    """

    part: str
    key: str
    make: Make
    cost: int = 1
    prepare: Callable[[], object] | None = None


Told: TypeAlias = Callable[[Bundle], None]
"""Called, in the parent, for each bundle that is done, in order."""


def silent(bundle: Bundle) -> None:
    """Tell nobody of a bundle that is done."""


def in_tasks(
    bundles: Sequence[Bundle], work: Callable[[Sequence[Bundle]], Result], jobs: int
) -> Iterator[tuple[tuple[Bundle, ...], Result]]:
    """Yield, in order, portions of bundles and what `work` makes of each, in up to `jobs` processes.

    Raises as the makers of the bundles do, InputError FG023 when a worker is killed.
    """
    for prepare in dict.fromkeys(bundle.prepare for bundle in bundles):
        if prepare is not None:
            prepare()
    tasks = tuple(_portions(bundles))
    costs = [sum(bundle.cost for bundle in task) for task in tasks]
    large = [number for number, cost in enumerate(costs) if cost > 2 * TASK]
    first = sorted(large, key=lambda number: -costs[number])  # so that nobody waits for one at the end
    workers = jobs if sum(costs) >= WORKERS_FROM else 1
    results = in_order(partial(_numbered, work, tasks), len(tasks), workers, first=first)
    yield from zip(tasks, results, strict=True)


def _numbered(work: Callable[[Sequence[Bundle]], Result], tasks: Sequence[Sequence[Bundle]], number: int) -> Result:
    return work(tasks[number])


def _portions(bundles: Iterable[Bundle]) -> Iterator[tuple[Bundle, ...]]:
    """Join neighbours until they are worth a task."""
    portion: list[Bundle] = []
    total = 0
    for bundle in bundles:
        if portion and total + bundle.cost > TASK:
            yield tuple(portion)
            portion, total = [], 0
        portion.append(bundle)
        total += bundle.cost
    if portion:
        yield tuple(portion)
