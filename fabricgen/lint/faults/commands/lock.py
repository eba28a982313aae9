"""The lock, and the adoption of a running fabric into it."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG038 = Fault(
    id="FG038",
    name="BadLock",
    title="the lock does not fit the blueprint, or is no lock",
    text="""
    The lock file is damaged, is of another blueprint, gives one number to two holders, is not up to date
    (`--locked`), or has no room for what is new.

    The lock keeps numbers and addresses where they are through later edits; docs/lock.md says what it holds. Two
    branches that took the same numbers meet here. Run `fabricgen lock` on the merged blueprint and commit what it
    writes.
    """,
    in_words=True,
    bad="""
    fabricgen build example.yaml -o out --locked, after an edit that was not followed by `fabricgen lock`
    """,
    good="""
    fabricgen lock example.yaml, then git add example.yaml example.lock.yaml
    """,
)

FG050 = Fault(
    id="FG050",
    name="BadAdoption",
    title="a list of a running fabric cannot be taken into the lock",
    text="""
    A list that `lock --import` was given lacks columns, names devices or ports that the blueprint has none of, or
    says two things of one. So does a NetBox, or its export: two devices of one name, a rack that the plan has not, an
    address outside the pool.

    What runs is kept as it is only where every line of the list finds its place; a line that were dropped would be
    renumbered on the next build. The message has the line. Correct the list, or the blueprint until it describes
    what is there.
    """,
    in_words=True,
    bad="""
    device,port,address
    leaf-7,Ethernet0,10.0.0.300/31
    """,
    good="""
    device,port,address
    compute-leaf-p1-su01-r1-01,Ethernet0,10.0.0.30/31
    """,
)
