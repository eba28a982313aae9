"""What a build hands to publishing: bundles of files, and how they are portioned out to workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from fabricgen.publish.manifest import Content

Item = TypeVar("Item")

Make: TypeAlias = Callable[[], Iterable[tuple[str, Content]]]

TASK = 64
"""Cost, in switches, from which a task is worth a message to a worker."""
WORKERS_FROM = 512
"""Cost, in switches, from which worker processes pay; below, starting them costs more than they save."""


class Bundle(NamedTuple):
    """Files of one part that follow from the same inputs and are made together, in whatever process takes them.

    `make` yields (path below the output folder, content), in the order that archives have. It must be safe to call in
    a forked or spawned process: a `functools.partial` of a module's function over what the bundles share, say, which
    goes over once however many bundles hold it; what it caches there serves all bundles that the process makes.

    `key` names the bundle within its part and stays the same from build to build: a switch's name, say.

    `inputs`, called in the order of the bundles before `make` would be, gives a digest of everything that its files
    follow from, apart from fabricgen itself. If it is what it was when the files in the target folder were made, and
    nobody touched them since, `make` is not called. None: unknown.

    `prepare` computes what bundles share when they are made: it is called once before processes are started, unless
    they will hardly make any.

    `expect` is called where a rebuild makes few bundles, before the first of them, with the keys of those that are its
    own: no others will be made.

    `here` says that, in a folder, the parent of workers makes them once these have begun: what they follow from takes
    some time to find out, and the parent needs it too.

    `cost` is what it takes to make, roughly, with the configuration of one switch as the unit.
    """

    part: str
    key: str
    make: Make
    inputs: Callable[[], bytes | None] | None = None
    cost: int = 1
    prepare: Callable[[], object] | None = None
    expect: Callable[[Sequence[str]], None] | None = None
    here: bool = False


Told: TypeAlias = Callable[[Bundle], None]
"""Called, in the parent, for each bundle that is done, in order."""


def silent(bundle: Bundle) -> None:
    """Tell nobody of a bundle that is done."""


def prepare(bundles: Iterable[Bundle]) -> None:
    """Let bundles compute what they share; raises as their makers do."""
    for each in dict.fromkeys(bundle.prepare for bundle in bundles):
        if each is not None:
            each()


def expect(bundles: Iterable[Bundle]) -> None:
    """Tell those who make bundles which of theirs will be made."""
    keys: dict[Callable[[Sequence[str]], None], list[str]] = {}
    for bundle in bundles:
        if bundle.expect is not None:
            keys.setdefault(bundle.expect, []).append(bundle.key)
    for told, named in keys.items():
        told(named)


def workers_for(bundles: Sequence[Bundle], jobs: int) -> int:
    """How many of `jobs` processes pay for these bundles."""
    pays = sum(bundle.cost for bundle in bundles) >= WORKERS_FROM
    return min(jobs, len(bundles)) if pays else 1


def large(costs: Sequence[int]) -> tuple[int, ...]:
    """Places of tasks that are started first, the costliest before others, so that nobody waits for one at the end."""
    found = [place for place, cost in enumerate(costs) if cost > 2 * TASK]
    return tuple(sorted(found, key=lambda place: -costs[place]))


def portions(items: Iterable[Item], cost: Callable[[Item], int], worth: int = 1) -> Iterator[tuple[Item, ...]]:
    """Join neighbours until they are worth a task, or several."""
    portion: list[Item] = []
    total = 0
    for item in items:
        if portion and total + cost(item) > worth * TASK:
            yield tuple(portion)
            portion, total = [], 0
        portion.append(item)
        total += cost(item)
    if portion:
        yield tuple(portion)
