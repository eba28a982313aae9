"""What a build hands to publishing: bundles of files, and the tasks that they are made in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fabricgen.kernel.publish_manifest import Content

Make: TypeAlias = Callable[[], Iterable[tuple[str, Content]]]

TASK = 64
"""Cost, in switches, from which a task is worth a message to a worker."""
WORKERS_FROM = 512
"""Cost, in switches, from which worker processes pay; below, starting them costs more than they save."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files of one part that follow from the same inputs and are made together, in whatever process takes them.

    `make` yields (path below the output folder, content), in the order that archives have. It must be safe to call in
    a forked or spawned process: a `functools.partial` of a module's function over what the bundles share, say, which
    goes over once however many bundles hold it; what it caches there serves all bundles that the process makes.

    `key` names the bundle within its part and stays the same from build to build: a switch's name, say.

    `inputs`, called where `make` would be, gives a digest of everything that its files follow from, apart from
    fabricgen itself. If it is what it was when the files in the target folder were made, and nobody touched them since,
    `make` is not called. None: unknown.

    `prepare` computes what bundles share when they are made: it is called once before processes are started, unless
    they will hardly make any.

    `cost` is what it takes to make, roughly, with the configuration of one switch as the unit.
    """

    part: str
    key: str
    make: Make
    inputs: Callable[[], bytes | None] | None = None
    cost: int = 1
    prepare: Callable[[], None] | None = None


Told: TypeAlias = Callable[[Bundle], None]
"""Called, in the parent, for each bundle that is done, in order."""


def silent(bundle: Bundle) -> None:
    """Tell nobody of a bundle that is done."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """Bundles in portions for workers."""

    groups: tuple[tuple[Bundle, ...], ...]

    @property
    def large(self) -> tuple[int, ...]:
        """Tasks that are started first, the costliest before others, so that nobody waits for one at the end."""
        cost = {i: sum(bundle.cost for bundle in group) for i, group in enumerate(self.groups)}
        return tuple(sorted((i for i in cost if cost[i] > 2 * TASK), key=lambda i: -cost[i]))

    def prepare(self) -> None:
        """Let bundles compute what they share; raises as their makers do."""
        for prepare in dict.fromkeys(bundle.prepare for group in self.groups for bundle in group):
            if prepare is not None:
                prepare()

    def workers(self, jobs: int) -> int:
        """How many of `jobs` processes pay for these tasks."""
        pays = sum(bundle.cost for group in self.groups for bundle in group) >= WORKERS_FROM
        return min(jobs, len(self.groups)) if pays else 1


def tasks_of(bundles: Sequence[Bundle]) -> Tasks:
    """Join neighbours until they are worth a task."""
    return Tasks(tuple(_groups(bundles)))


def _groups(bundles: Sequence[Bundle]) -> Iterator[tuple[Bundle, ...]]:
    group: list[Bundle] = []
    cost = 0
    for bundle in bundles:
        if group and cost + bundle.cost > TASK:
            yield tuple(group)
            group, cost = [], 0
        group.append(bundle)
        cost += bundle.cost
    if group:
        yield tuple(group)
