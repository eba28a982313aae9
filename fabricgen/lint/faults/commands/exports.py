"""What the parts of a build cannot say of a cluster: simulators, schedulers, labs, NetBox, what boots switches."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG146 = Fault(
    id="FG146",
    name="NotForASimulator",
    title="a network that a simulator's form cannot express",
    text="""
    `build --only astra-sim`, `astra-sim-ns3` or `simai` is asked for a network that the simulator's files cannot say,
    and no figure is made up for it.

    ASTRA-sim's analytical model multiplies dimensions: every scale-up domain has as many accelerators, every
    accelerator sends as much, every switch of a tier passes on the same share. ns-3 takes any graph of switches, of up
    to 65,536 vertices and 64,770 links, with up to 1,024 neighbours each, but accelerators forward nothing, as they do
    in a torus. SimAI also takes scale-up domains of one size that are joined by switches.
    """,
    in_words=True,
    bad="""
    fabricgen build three-generations.yaml -o out --only astra-sim, whose accelerators have 200, 400 and 800 Gb/s
    """,
    good="""
    fabricgen build three-generations.yaml -o out --only astra-sim-ns3
    """,
)

FG155 = Fault(
    id="FG155",
    name="NotForAScheduler",
    title="a cluster whose places a scheduler cannot be told",
    text="""
    `build --only slurm` or `topograph` is asked for a cluster whose nodes no fabric joins, or Slurm for more nodes than
    it can have.

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

FG156 = Fault(
    id="FG156",
    name="TooLargeALab",
    title="a cluster with more devices than one containerlab topology is written for",
    text="""
    `build --only containerlab` writes a container for each device: of at most 20,000, which is far above what one
    machine starts (Arista says 50 of cEOS, containerlab's page of the kind). `--lab` has a part of the cluster.
    """,
    in_words=True,
    bad="""
    fabricgen build colossus-200k.yaml -o out --only containerlab
    """,
    good="""
    fabricgen build superpod-b200.yaml -o lab --only configs,containerlab --lab 2su
    """,
)

FG157 = Fault(
    id="FG157",
    name="NoSuchLab",
    title="a lab that cannot be cut out of a cluster",
    text="""
    `--lab` says how many of what a lab keeps: `2su` the first two units of each pod, `4n` the first four nodes of each
    kind in a unit, `3pod` three of the pods that are alike (two where nothing is said), and `4spine` or
    `4compute.spine` the first four switches of each group of a tier.

    Each cut is a number above 0 and one such word, once. The switches that nodes attach to are not cut: they come and
    go with their nodes.
    """,
    in_words=True,
    bad="""
    fabricgen build superpod-b300.yaml -o out --lab 2units
    """,
    good="""
    fabricgen build superpod-b300.yaml -o out --lab 2su,4n,8spine
    """,
)

FG170 = Fault(
    id="FG170",
    name="NowhereToBootFrom",
    title="a part that tells switches where to boot from, and no server",
    text="""
    `build --only ztp` writes the files that switches run at their first boot, with the URL from which they fetch the
    rest. The blueprint states none, and no DHCP server of the management network that could be one.
    """,
    in_words=True,
    bad="""
    fabricgen build leaf-spine.yaml -o out --only ztp
    """,
    good="""
    management: {ztp: {url: "http://10.32.0.9"}}
    """,
)

FG171 = Fault(
    id="FG171",
    name="ImageForNobody",
    title="an image for a switch or NOS that there is not",
    text="""
    `management.ztp.images` has images by model of switch, as the catalogue calls it, or by NOS: `sonic`, `eos` or
    `cumulus`. With a key that is neither no switch would fetch the image.
    """,
    in_words=True,
    bad="""
    management: {ztp: {images: {sonik: {file: images/sonic.bin}}}}
    """,
    good="""
    management: {ztp: {images: {sonic: {file: images/sonic.bin}}}}
    """,
)

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

FG164 = Fault(
    id="FG164",
    name="RefusedByNetBox",
    title="a NetBox that cannot be reached, or does not take what is pushed",
    text="""
    `push netbox`, and what reads from NetBox, ends at its first answer that is an error, with what it says: a token
    that it does not know or that may not write (403), a name that another object has (400), a defect of its own (500).
    Where it is busy (429, 502, 503, 504), or the connection breaks, a request is made four times again before that.
    Its first answer has 30 s, a page of records 120 s and a batch that is written 300 s, all tries together, and all
    reading has an hour. An answer of more than 16 MiB, records that come twice or without end, and fields of another
    type than NetBox gives them are told by the request and the record.
    What was written is kept: mend the cause and push again, and it goes on from there.
    """,
    in_words=True,
    bad="""
    fabricgen push netbox cluster.yaml --url https://netbox.example.com --token env:OLD, with a token of another NetBox
    """,
    good="""
    fabricgen push netbox cluster.yaml --url https://netbox.example.com --token env:NETBOX_TOKEN
    """,
)
