"""The order in which switches of a tier fill a run of shared racks.

Growth moves no switch that is already there. Switches are addressed by group number (counting reserved groups) and
number in the group. The lock has a history of how many groups and switches there were, which says which came first.
Within a step of growth the first switch of every group comes before the second of any; if groups belong to units,
switches go group after group. All expressions work on ints and on int arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fabricgen.blueprint.beside.stacked import Step


def choose(condition: bool, if_true: Any, if_false: Any) -> Any:
    """Return `if_true` or `if_false` as `numpy.where` does, for single values."""
    return if_true if condition else if_false


class RunOrder(NamedTuple):
    """The order of the switches of a tier in one of `parts` runs, which share the switches round-robin, or by whole
    groups if a group has fewer switches than there are parts.
    """

    steps: tuple[Step, ...]
    by_group: bool
    part: int
    parts: int

    def compute_position(self, group: Any, number: Any, where: Any) -> Any:
        """Return the position of a switch in its run, from 0; takes ints or int arrays.

        `where(condition, if_true, if_false)` is `numpy.where`, or `choose` for ints.
        """
        # groups with fewer switches than parts cannot be divided: whole groups are dealt to the parts in turn
        whole_groups = self.steps[-1].switches < self.parts
        if whole_groups:
            group = group // self.parts
        else:
            number = number // self.parts
        steps = [self._cut_to_part(step, whole_groups=whole_groups) for step in self.steps]
        position: Any = 0
        outer, inner = (group, number) if self.by_group else (number, group)
        # Switches form a rectangle of `outer` rows and `inner` columns. Each step of growth adds a frame around it:
        # positions of the rectangle before stay. New columns of old rows are numbered first, then whole new rows.
        for before, after in zip([Step(0, 0), *steps], steps, strict=False):
            (old_rows, old_columns), (_, new_columns) = (
                (step.groups, step.switches) if self.by_group else (step.switches, step.groups)
                for step in (before, after)
            )
            start = before.groups * before.switches
            in_old_row = start + outer * (new_columns - old_columns) + (inner - old_columns)
            in_new_row = start + old_rows * (new_columns - old_columns) + (outer - old_rows) * new_columns + inner
            is_new = (group >= before.groups) | (number >= before.switches)
            position = where(is_new, where(outer < old_rows, in_old_row, in_new_row), position)
        return position

    @property
    def places(self) -> int:
        """How many positions the run has."""
        last_step = self._cut_to_part(self.steps[-1], whole_groups=self.steps[-1].switches < self.parts)
        return last_step.groups * last_step.switches

    def _cut_to_part(self, step: Step, *, whole_groups: bool) -> Step:
        if whole_groups:
            return Step(-(-step.groups // self.parts), step.switches)
        # how many numbers below `switches` are `part` modulo `parts`
        return Step(step.groups, (step.switches - self.part + self.parts - 1) // self.parts)
