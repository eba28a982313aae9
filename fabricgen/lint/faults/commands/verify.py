"""What `verify` is given and cannot use."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG065 = Fault(
    id="FG065",
    name="UnusableDump",
    title="a dump cannot be used",
    text="""
    A file that `verify` was given is none of the dumps that it reads, is cut off or damaged, has wrong columns or
    values, or is too large; or a folder or archive has no dump in it; or the dumps tell of no device of the plan, as
    those of another hall.

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

FG066 = Fault(
    id="FG066",
    name="NotToBeVerified",
    title="verify is asked for what is not there",
    text="""
    `--only` names a place that the plan does not have, or `--since`, or `view --verify`, a file that is no report of
    `verify`, or one of another hall.

    A place is a site, a pod, a unit (p1/su3), the nth rack of its nodes (p1/su3/rack2), a rack or a device by name, a
    fabric, or a tier (compute.spine). A report is what `fabricgen verify --format json` wrote. A misspelt place would
    have all of its cables count as verified, so it is refused.
    """,
    in_words=True,
    bad="""
    fabricgen verify example.yaml dumps --only p1/su9
    """,
    good="""
    fabricgen verify example.yaml dumps --only p1/su1
    """,
)

FG070 = Fault(
    id="FG070",
    name="LearntOtherwise",
    title="the dumps contradict the hardware table",
    text="""
    With `--learn`, a line of `inventory` gives a device or port another MAC or GUID than the dumps have there, or gives
    it one that the dumps have elsewhere. Nothing is written.

    Either a box was replaced, and the line is old; or two boxes stand in each other's place, and the table tells which
    is which. That is not for a program to choose: correct the line, or the cables, and learn again.
    """,
    in_words=True,
    bad="""
    leaf-01 has MAC b8:3f:d2:a1:b2:c4 in inventory.csv, and b8:3f:d2:00:11:22 in the dumps
    """,
    good="""
    leaf-01 has MAC b8:3f:d2:00:11:22 in inventory.csv, as in the dumps
    """,
)

FG076 = Fault(
    id="FG076",
    name="CannotBeAccepted",
    title="what was found cannot be accepted",
    text="""
    `verify --accept` names an id that the verification does not have, or something in which the hall cannot win.

    What is accepted becomes the plan, which must work: a cable may be on another port of the same kind, and a box of
    the same model may stand in another's place. What is dark, a wrong module, and a neighbour that is not known cannot
    be planned so; nor can a host on a leaf that does not announce its address, or a bond over two switches that are no
    pair. What the blueprint states itself wins over the overlay. The hint says what to do in the hall instead.
    """,
    in_words=True,
    bad="""
    fabricgen verify example.yaml dumps --accept dark-0a1b2c3d -o as-built.yaml
    """,
    good="""
    fabricgen verify example.yaml dumps --accept swap-0a1b2c3d -o as-built.yaml
    """,
)

FG144 = Fault(
    id="FG144",
    name="UnusableRunning",
    title="running configurations cannot be compared",
    text="""
    The folder of `check --running` is not there, or has no running configuration of a device of the plan, or the
    built folder that it is compared with has no configurations.

    Configurations are known by what is in them, and their devices by the name of a file or folder, or by the host name
    in the file. A folder of another cluster would have every device look as if it were gone, so it is refused.
    """,
    in_words=True,
    bad="""
    fabricgen check --running no-such-folder blueprints/leaf-spine.yaml
    """,
    good="""
    fabricgen check --running collected blueprints/leaf-spine.yaml
    """,
)
