"""What `verify` is given beside the plan: dumps of what devices see."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG065 = Fault(
    id="FG065",
    name="UnusableDump",
    title="a dump cannot be used",
    text="""
    A file that `verify` was given is none of the dumps that it reads, is cut off or damaged, has wrong columns or
    values, or is too large; or a folder or archive has no dump in it.

    Part of a dump would make cables look unplugged that are not. The message has file, line and column, and all
    faults of all files are told at once. Make the dump anew; files of a folder or archive that are no dumps are
    passed over, and listed.
    """,
    in_words=True,
    bad="""
    device,port,neighbor
    leaf-01,Ethernet0,spine-01
    """,
    good="""
    device,port,neighbor,neighbor_port
    leaf-01,Ethernet0,spine-01,Ethernet4
    """,
)
