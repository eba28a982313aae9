"""The order in which switches of a tier fill a run of shared racks, such that growth moves none of those already there.

Switches are addressed by group number (reserved ones included) and number in the group. A history of how many groups
and switches there were says which came first. Within a step the first switch of every group comes before the second of
any; where groups belong to units, switches go group after group. All expressions work on ints and on int arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabricgen.blueprint.beside.stacked import Step


@dataclass(frozen=True, slots=True)
class RunOrder:
    """The order of one part of a tier's switches; `parts` runs share them round-robin, or by whole groups if these are
    smaller.
    """

    steps: tuple[Step, ...]
    by_group: bool
    part: int
    parts: int

    def place(self, group: Any, number: Any, where: Any) -> Any:
        """The place of a switch in its run, from 0; `where(condition, one, other)` is `numpy.where` or its like for
        ints.
        """
        whole_groups = self.steps[-1].switches < self.parts
        if whole_groups:
            group = group // self.parts
        else:
            number = number // self.parts
        steps = [self._of_part(step, whole_groups=whole_groups) for step in self.steps]
        found: Any = 0
        outer, inner = (group, number) if self.by_group else (number, group)
        for before, after in zip([Step(0, 0), *steps], steps, strict=False):
            old, new = ((b.groups, b.switches) if self.by_group else (b.switches, b.groups) for b in (before, after))
            start = before.groups * before.switches
            within = start + outer * (new[1] - old[1]) + (inner - old[1])
            beyond = start + old[0] * (new[1] - old[1]) + (outer - old[0]) * new[1] + inner
            inside = (group >= before.groups) | (number >= before.switches)
            found = where(inside, where(outer < old[0], within, beyond), found)
        return found

    @property
    def places(self) -> int:
        """The number of places."""
        last = self._of_part(self.steps[-1], whole_groups=self.steps[-1].switches < self.parts)
        return last.groups * last.switches

    def _of_part(self, step: Step, *, whole_groups: bool) -> Step:
        if whole_groups:
            return Step(-(-step.groups // self.parts), step.switches)
        return Step(step.groups, (step.switches - self.part + self.parts - 1) // self.parts)
