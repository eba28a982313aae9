"""The order in which to push, as text and for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.diff.stages import PushStage

FEW = 6
"""The most switches of a wave, and waves of a stage, that are listed; others are counted."""


def format_stages(stages: Sequence[PushStage] | None, *, every: bool) -> str:
    """Return the stages as text, to be put below the changes; "" if they were not asked for. Nothing is pushed."""
    if stages is None:
        return ""
    count = sum(len(stage.devices) for stage in stages)
    return "\n".join(["\n", f"push order: {count:,} switch{'es' * (count != 1)}", *_list_lines(stages, count, every)])


def _list_lines(stages: Sequence[PushStage], count: int, every: bool) -> Iterator[str]:
    """Yield the lines of the order of pushing: what to do first, a numbered line for each stage, and what to do last.

    `count` is the number of switches. Without `every`, only the first `FEW` waves and switches are listed.
    """
    if not stages:
        return
    yield f"  first: management answers on all {count:,}, and `fabricgen check --running` knows what they run"
    for number, stage in enumerate(stages, 1):
        largest_wave = max(map(len, stage.waves))
        waves = (
            f"in {len(stage.waves)} waves of up to {largest_wave}, check between" if len(stage.waves) > 1 else "at once"
        )
        yield f"  {number}. {stage.what}: {len(stage.devices):,}, {waves}"
        shown = stage.waves if every else stage.waves[:FEW]
        for wave in shown:
            unlisted = "" if every or len(wave) <= FEW else f" and {len(wave) - FEW} more (--all)"
            yield f"     {', '.join(wave if every else wave[:FEW])}{unlisted}"
        if len(shown) < len(stage.waves):
            yield f"     and {len(stage.waves) - len(shown):,} more waves (--all)"
    yield f"  last: management answers on all {count:,}, and `fabricgen check --running` finds nothing"
