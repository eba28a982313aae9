"""Phases."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG095 = Fault(
    id="FG095",
    name="PhaseOfNothing",
    title="a phase names what there is not",
    text="""
    A phase says what is there of what the whole blueprint has, and this is no part of it; or `--phase` names no phase.

    Pods, sites and fabrics are those of the blueprint (of a pod with `count`, each has its number), planes and rails
    count from 1, `units` and `switches` are at most those of the end, and a tier is named `FABRIC.TIER`. What comes
    later than the last phase belongs into the blueprint all the same: the last phase may be `{}`.
    """,
    bad="""
    phases:
      now: {pods: [p7]}  # <-
      end: {}
    """,
    good="""
    phases:
      now: {pods: [p1]}
      end: {}
    """,
)

FG096 = Fault(
    id="FG096",
    name="EmptyPhase",
    title="a phase has nothing of something",
    text="""
    A phase without any unit, plane, rail or fabric, or without any switch of a tier, cannot be built.

    A key that is left out means all of it. Leave out the phase if there is nothing yet.
    """,
    bad="""
    phases:
      now: {fabrics: []}  # <-
    """,
    good="""
    phases:
      now: {}
    """,
)

FG097 = Fault(
    id="FG097",
    name="PhaseShrinks",
    title="a phase lacks what an earlier one has",
    text="""
    Phases are in the order of time, and each has all of the one before it: going on to the next only adds.

    Put them in order, or repeat in the later phase what is there already. A cluster that shrinks is an edit of the
    blueprint, whose effects `fabricgen plan` shows.
    """,
    bad="""
    pods: {p1: {su: 2}}
    phases:
      now: {}
      later: {units: {p1: 1}}  # <-
    """,
    good="""
    pods: {p1: {su: 2}}
    phases:
      now: {units: {p1: 1}}
      later: {}
    """,
)
