"""What `analyze` is asked for and cannot tell."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG145 = Fault(
    id="FG145",
    name="NotToBeAnalyzed",
    title="analyze is asked for what is not there",
    text="""
    `--job` names more accelerators than there are, or a pod or unit that the cluster does not have; `--fabric` a fabric
    that no accelerators attach to; `--constant` no constant of the profile, or a value that it cannot have; or no
    fabric of the blueprint joins accelerators.

    A job is `all`, a number of accelerators, or either of them at a pod or unit: `2048@p1`, `all@p1/su2`. Constants and
    their ranges are in `fabricgen catalog usual`.
    """,
    in_words=True,
    bad="""
    fabricgen analyze example.yaml --job 4096@p1, of a pod with 2048
    """,
    good="""
    fabricgen analyze example.yaml --job 2048@p1
    """,
)
