"""What `fabricgen lab` asks of a machine, of its user, and of the labs that are there."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG172 = Fault(
    id="FG172",
    name="NotOnThisMachine",
    title="a lab that this machine cannot run",
    text="""
    `fabricgen lab` runs FRR in network namespaces: it needs Linux, the rights of root, iproute2 and FRR, and the
    message says which of them is missing and what installs it. Nothing is started.

    A lab also has a size. A switch takes some 30 MB for its daemons, a link 1 MB at both ends together, and a lab is
    refused that takes more than four fifths of the memory that is available. All namespaces share the kernel's tables
    of neighbours, of which there may be 1,024 unless `net.ipv4.neigh.default.gc_thresh3` and its like of IPv6 say
    otherwise; each link needs two, and sessions beyond that never come up. Take fewer units, nodes or spines: `--lab`.

    FRR stands for switches that route. A fabric of InfiniBand alone has none.
    """,
    in_words=True,
    bad="""
    fabricgen lab up superpod-b300.yaml, of 8,192 links
    """,
    good="""
    fabricgen lab up superpod-b300.yaml --lab 1su,4n,2spine
    """,
)

FG173 = Fault(
    id="FG173",
    name="WhichLab",
    title="a lab that is there already, or that is not there",
    text="""
    Each lab has a folder, `/run/fabricgen/NAME` unless `--state` names another, and namespaces whose names begin with
    that of the folder. `lab up` takes neither a folder that holds anything, nor a name that a namespace has already:
    what it did not make is never touched.

    `lab check`, `break`, `mend` and `down` take the only lab there is; where there are several, `--state` says which.
    Of one that was interrupted while it came up, `lab down` takes away what there is.
    """,
    in_words=True,
    bad="""
    fabricgen lab up leaf-spine.yaml, twice
    """,
    good="""
    fabricgen lab up leaf-spine.yaml --state /run/fabricgen/second
    """,
)

FG174 = Fault(
    id="FG174",
    name="NoSuchLink",
    title="a link that a lab does not have",
    text="""
    `lab break` and `lab mend` take a link by a cable or link of links.csv, by DEVICE:PORT of one of its ends, as
    `lab check` prints them, or all links of a DEVICE. A cable with several links loses them all. What is left out of a
    lab, such as links of management ports, cannot be broken in it.
    """,
    in_words=True,
    bad="""
    fabricgen lab break compute-leaf-p1-su01-r1-01:Ethernet999
    """,
    good="""
    fabricgen lab break compute-leaf-p1-su01-r1-01:Ethernet224
    """,
)

FG175 = Fault(
    id="FG175",
    name="LabFails",
    title="a lab in which something fails",
    text="""
    A command of a lab did not do what it should: `ip` refused a link or an address, FRR refused a line of a
    configuration, a daemon did not start or does not answer any more. The message has what the program said.

    `lab up` takes down what it had started. While a lab runs, `lab down` and `lab up` start it anew.
    """,
    in_words=True,
    bad="""
    fabricgen lab check, after bgpd of a switch was killed
    """,
    good="""
    fabricgen lab down
    fabricgen lab up leaf-spine.yaml
    """,
)
