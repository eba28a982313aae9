"""What schedulers cannot be told."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG155 = Fault(
    id="FG155",
    name="NotForAScheduler",
    title="a cluster whose places a scheduler cannot be told",
    text="""
    `build --only slurm`, `topograph` or `kubernetes-labels` is asked for a cluster whose nodes no fabric joins, or for
    more nodes than the scheduler can have.

    Slurm has at most 65,536 nodes (`MAX_SLURM_NODES` in its slurm.h). No group of nodes is made up where no link joins
    them: a job would be placed over networks that cannot reach each other.
    """,
    in_words=True,
    bad="""
    fabricgen build cluster.yaml -o out --only slurm, of a cluster of 125,000 nodes
    """,
    good="""
    fabricgen build cluster.yaml -o out --only slurm --set pods.p2.count=0
    """,
)
