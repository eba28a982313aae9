"""What NetBox cannot hold."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG163 = Fault(
    id="FG163",
    name="NotForNetBox",
    title="a name that is longer than NetBox takes",
    text="""
    `build --only netbox`, or `push netbox`, is asked for a cluster one of whose names NetBox would refuse: it takes 64
    characters for a device and an interface, and 100 for a rack and the label of a cable. Nothing is cut short, since
    two names could become one.
    """,
    in_words=True,
    bad="""
    names: {node: "a-very-long-name-of-the-building-and-of-its-owner-{pod}-{su}-{n}"}
    """,
    good="""
    names: {node: "{pod}-{su}-{n}"}
    """,
)
