"""What `size` is asked for and cannot find."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG150 = Fault(
    id="FG150",
    name="NothingFits",
    title="no design carries so many accelerators as wished",
    text="""
    `fabricgen size` found no design for its wishes. The message has the commonest reasons: how many accelerators so
    many tiers of a switch reach, what a rule of lint finds, what the devices draw.

    A switch of R ports carries R^2/2 in two tiers and R^3/4 in three, less with ports that are kept free. Take more
    tiers, more planes, a switch of more ports, or a wish back: the hint says which would be enough, and how many
    accelerators fit as it is.
    """,
    in_words=True,
    bad="""
    fabricgen size --gpus 4096 --node dgx-b200 --switch qm9700 --tiers 2 --rails meet
    """,
    good="""
    fabricgen size --gpus 4096 --node dgx-b200 --switch qm9700 --tiers 3 --rails meet
    """,
)
