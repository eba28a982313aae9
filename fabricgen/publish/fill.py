"""Filling the stage of a folder: what is there already stays, and workers make all else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain

from fabricgen.kernel.diagnostics import InputError
from fabricgen.publish.bundles import Bundle, Told, expect, large, portions, prepare, workers_for
from fabricgen.publish.known import Staged
from fabricgen.publish.stage import Stage
from fabricgen.publish.stager import Stager
from fabricgen.publish.state import Made
from fabricgen.publish.workers import as_given

_AT_A_TIME = 64
"""Bundles that are looked at before workers are looked after."""
_OF_FEW = 4
"""Tasks in one where most may stay: for a few switches, it takes longer to read templates and lay out shapes in each
of several processes than to make them in one. If there are no more, that is the parent, which had to look at what they
follow from, while workers are at the largest bundles."""


def fill(stage: Stage, bundles: Sequence[Bundle], jobs: int, told: Told) -> list[Made]:
    """Stage the files of bundles, and take those that need not be made as they are.

    Workers begin with the largest bundles, while their parent reads what is remembered of the folder, finds out which
    of the others must be made, and makes them itself if they are few. Raises as the producers do: of several that
    cannot use their input the first one, whoever began first.
    """
    if not stage.memory.has_bundles:
        prepare(bundle for bundle in bundles if not bundle.here)
    staging = _Staging(stage.stager(), bundles)
    filling = _Filling(stage, bundles, told, staging)
    first = large([0 if bundle.here else bundle.cost for bundle in bundles])
    ready = [(number,) for number in filling.changed(first)]
    later = filling.to_make([number for number in range(len(bundles)) if number not in first])
    made = as_given(staging, ready, later, workers_for(bundles, jobs))
    faults: dict[int, InputError] = {}
    with closing(made):
        for number, files in chain(chain.from_iterable(made), filling.few):
            if isinstance(files, InputError):
                faults[number] = files
            else:
                filling.enter(number, files)
            if faults and number not in first and number >= min(faults):
                break
    if faults:
        raise faults[min(faults)]
    return filling.made


@dataclass(frozen=True, slots=True)
class _Staging:
    """What a worker does: make the files of bundles, by their numbers, and stage them."""

    stager: Stager
    bundles: Sequence[Bundle]

    def __call__(self, numbers: Sequence[int]) -> list[tuple[int, list[Staged] | InputError]]:
        """What became of the files of each, or why they cannot be made."""
        return [(number, self._staged(self.bundles[number])) for number in numbers]

    def _staged(self, bundle: Bundle) -> list[Staged] | InputError:
        try:
            return [self.stager.put(bundle.part, path, content) for path, content in bundle.make()]
        except InputError as error:
            return error


@dataclass(frozen=True, slots=True)
class _Filling:
    """What the parent of workers does: enter the files of each bundle into a stage."""

    stage: Stage
    bundles: Sequence[Bundle]
    told: Told
    staging: _Staging
    inputs: dict[int, bytes | None] = field(default_factory=dict)
    made: list[Made] = field(default_factory=list)
    few: list[tuple[int, list[Staged] | InputError]] = field(default_factory=list)
    """What became of bundles that were made here."""

    def to_make(self, numbers: Sequence[int]) -> Iterator[tuple[int, ...] | None]:
        """Yield, in portions for workers, bundles that must be made, and None whenever some were looked at."""
        yield from self._make(self.changed(number for number in numbers if self.bundles[number].here))
        numbers = [number for number in numbers if not self.bundles[number].here]
        left: tuple[int, ...] = ()
        rebuilds = bool(self.stage.memory.state.bundles)
        worth, handed_out = _OF_FEW if rebuilds else 1, not rebuilds
        for start in range(0, len(numbers), _AT_A_TIME):
            found = (*left, *self.changed(numbers[start : start + _AT_A_TIME]))
            *whole, left = [*portions(found, lambda number: self.bundles[number].cost, worth)] or [()]
            yield from whole
            yield None
            handed_out = handed_out or bool(whole)
        if handed_out:
            yield left or None
        else:
            expect(self.bundles[number] for number in left)
            yield from self._make(left)

    def _make(self, numbers: Iterable[int]) -> Iterator[None]:
        """Make some here, and yield whenever one is made."""
        for number in numbers:
            self.few.extend(self.staging((number,)))
            yield None

    def changed(self, numbers: Iterable[int]) -> Iterator[int]:
        """Yield the numbers of bundles that must be made; the others are entered as they are."""
        stager = self.stage.stager()
        for number in numbers:
            bundle = self.bundles[number]
            inputs = self.inputs[number] = bundle.inputs() if bundle.inputs else None
            files = None
            if inputs is not None:  # else the state is not read: to begin with large tables, nobody waits for it
                key = (bundle.part, bundle.key)
                files = self.stage.memory.state.still_made(key, inputs, stager.real, stager.old)
            if files is None:
                yield number
            else:
                self.enter(number, files)

    def enter(self, number: int, files: list[Staged]) -> None:
        """Note what became of the files of a bundle; raises ValueError for those that no producer may make."""
        for staged in files:
            self.stage.enter(staged)
        bundle = self.bundles[number]
        self.made.append(Made((bundle.part, bundle.key), self.inputs[number], files))
        self.told(bundle)
