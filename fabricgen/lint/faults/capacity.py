"""Ports, speeds, lanes and uplinks: what a switch or NIC cannot carry."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG062 = Fault(
    id="FG062",
    name="TooLargeToExpand",
    title="a cluster has more links or devices than are expanded",
    text="""
    Link by link a cluster takes about 340 bytes a link: 50,000,000 of them 17 GB, and as many rows in every list.

    The largest training clusters have a million accelerators and a few million links; what is far beyond is usually a
    figure with a digit too many in `pods`, `count` or `nodes`. The design alone is still sized and judged:
    `fabricgen show` and `fabricgen lint --fast` expand nothing.

    Lower the figure, or build sites or pods from blueprints of their own.
    """,
    bad="""
    scalable_unit: {nodes: 128 x dgx-b200}
    pods: {p1: {su: 60000}}  # <-
    fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: null}}}
    """,
    good="""
    scalable_unit: {nodes: 4 x dgx-b200}
    pods: {p1: {su: 2}}
    fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: null}}}
    """,
)

FG088 = Fault(
    id="FG088",
    name="FewerUplinksThanUppers",
    title="fewer uplinks than switches that they are to be dealt over",
    text="""
    With `spread: uneven`, a lower switch has m or m+1 links to every upper one, and m is at least 1.

    With fewer uplinks than switches above, some pairs would have no link: two leaves would be joined through some of
    the spines only, which is no folded Clos (Al-Fares et al., SIGCOMM 2008), and equal-cost routing would lose
    bandwidth where no figure here tells. Lower the `count`, or give the lower switches more, slower uplinks.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G},
      spine: {switch: sn5600, count: 6, spread: uneven}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G},
      spine: {switch: sn5600, count: 3, spread: uneven}}}}
    """,
)

FG089 = Fault(
    id="FG089",
    name="UnevenWithoutLower",
    title="`spread: uneven` on a tier that nodes attach to, or that nothing is below",
    text="""
    `spread: uneven` is said of a tier that only links of other switches land on; this is a lowest one.

    Of a lowest tier, `spread` says how node ports are dealt over the switches of a group: `block` or `stripe`; switches
    that are below it beside the nodes have equally many links to each of its switches. State
    `uneven` on the spine, or on whichever tier has more switches than its ports need.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: [su, rail], spread: uneven},  # <-
      spine: {switch: sn5600}}}}
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: [su, rail]},
      spine: {switch: sn5600, spread: uneven}}}}
    """,
)

FG101 = Fault(
    id="FG101",
    name="RadixExceeded",
    title="a switch has fewer ports than are needed",
    text="""
    A tier needs more ports of a speed than its switch has, after breakout and beside what is kept free.

    A switch of k ports reaches k nodes alone, k²/2 in two tiers and k³/4 in three (Al-Fares et al., SIGCOMM 2008):
    beyond that no cabling helps. The message counts what is needed and there. The hint tries single changes, each
    of which wires: a count, `spread: uneven` where a count does not divide, a breakout, another grouping, a tier above.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: su, count: 1, uplinks: 128 x 400G}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: su, count: 1, uplinks: 32 x 400G}}}}
    """,
)

FG102 = Fault(
    id="FG102",
    name="NicCannotSplit",
    title="a NIC cannot be run, or dealt over planes, as asked",
    text="""
    A NIC is asked for a mode that it does not have, or its ports do not divide by the number of planes.

    A NIC runs its cage as a few fixed numbers of ports (for ConnectX-8: one of 800G or two of 400G); each plane
    needs the same number of them. State a mode or a number of planes that the profile allows.
    """,
    bad="""
    fabrics:
      compute:
        planes: 2  # <-
    """,
    good="""
    scalable_unit: {nodes: 4 x dgx-b300}
    fabrics:
      compute:
        planes: 2
        nic: 2x400
        tiers: {leaf: {per: [su, rail, plane]}, spine: {per: plane}}
    """,
)

FG103 = Fault(
    id="FG103",
    name="NoCommonSpeed",
    title="two ends have no port speed or connector in common",
    text="""
    A NIC and a leaf, or two tiers, offer no common port: speed, lane rate and connector (form factor) must meet.

    Both ends of a link run one speed over one number of lanes (IEEE 802.3 defines each as a PHY of its own), and a
    cage takes modules of its form factor. State a speed that both offer, split the faster end with `breakout`, or
    take another switch.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, uplinks: 3 x 1G}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, uplinks: 4 x 400G}}}}
    """,
)

FG104 = Fault(
    id="FG104",
    name="NoPortForExtra",
    title="an extra device finds no free port",
    text="""
    An extra device, such as a subnet manager or a border router, needs more ports than its tier has free.

    Extras take what nodes and reserves leave. NVIDIA's DGX SuperPOD gives up one node slot for the UFM appliance
    (DGX SuperPOD reference architecture: 127 nodes rather than 128). Omit a node, add a switch, or attach it to
    another tier.
    """,
    bad="""
    scalable_unit: {nodes: 32 x dgx-b200}
    pods: {p1: {su: 1}}
    fabrics:
      compute:
        protocol: infiniband
        tiers: {leaf: {switch: qm9700, per: [su, rail]}, spine: {switch: qm9700}}
        extra:
          ufm: {device: ufm, count: 2, ports: 2}  # <-
    """,
    good="""
    scalable_unit: {nodes: 32 x dgx-b200}
    pods: {p1: {su: 1}}
    omit: [p1/su-last/node-last]
    fabrics:
      compute:
        protocol: infiniband
        tiers: {leaf: {switch: qm9700, per: [su, rail]}, spine: {switch: qm9700}}
        extra: {ufm: {device: ufm}}
    """,
)

FG107 = Fault(
    id="FG107",
    name="PeerLinksUneven",
    title="peer links or spans cannot be shared out",
    text="""
    Peer links are asked for in a group of an odd number of switches, or a span's links do not divide by the
    switches that carry it, or start from a tier that is not per site.

    Peer links join pairs (MLAG, the DRNI of IEEE 802.1AX-2020), and links of a span that land unevenly fill the thin
    side first. State an even count; put a border tier per site under a span, and a number of links that its
    switches divide.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: su, count: 3, peer: 2 x 400G}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: su, count: 2, peer: 2 x 400G}}}}
    """,
)

FG108 = Fault(
    id="FG108",
    name="RailGroupsIncomplete",
    title="rail_groups leave out a rail",
    text="""
    `rail_groups` does not name every rail of the nodes.

    Rails that are in no group would have no leaf, and their NICs no cable. Name every rail once.
    """,
    bad="""
    fabrics:
      compute:
        rail_groups: [[1, 2, 3, 4], [5, 6, 7]]  # <-
        tiers: {leaf: {per: [su, rail-group]}}
    """,
    good="""
    fabrics:
      compute:
        rail_groups: [[1, 2, 3, 4], [5, 6, 7, 8]]
        tiers: {leaf: {per: [su, rail-group]}}
    """,
)

FG109 = Fault(
    id="FG109",
    name="CagesOverlap",
    title="cages are kept twice, or beyond the switch's face",
    text="""
    `cages` keeps a cage for two uses, or one with a number that the switch does not have.

    Cages are numbered from 1 as on the front panel. Keep ranges apart and within the panel.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, cages: {down: 1-32, up: 33-72}}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, cages: {down: 1-32, up: 33-64}}}}}
    """,
)

FG110 = Fault(
    id="FG110",
    name="CountUnknown",
    title="a tier has nothing below it to be sized by, and no count",
    text="""
    A tier without nodes or switches below it has no `count`.

    How many switches a group has follows from what they carry; a border that only looks outward carries nothing
    that is known here. State its `count`.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      border: {switch: sn5600, below: spine}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      border: {switch: sn5600, below: spine, count: 2}}}}
    """,
)

FG111 = Fault(
    id="FG111",
    name="UplinksTooFew",
    title="a switch has fewer uplinks than groups above it",
    text="""
    A tier meets several groups of the tier above, and has fewer uplinks than groups.

    A leaf that does not reach every group cannot reach the nodes behind the one it misses. Give it as many uplinks
    as groups, or a multiple, or group the upper tier by fewer dimensions.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: su, uplinks: 4 x 400G},  # <-
      spine: {switch: sn5600, per: rail, count: 1}}}}
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: su, uplinks: 8 x 400G},
      spine: {switch: sn5600, per: rail, count: 1}}}}
    """,
)

FG119 = Fault(
    id="FG119",
    name="TooFewLanes",
    title="a breakout takes more lanes than a cage has",
    text="""
    A stated breakout is offered, but the far ends use lanes so slow that a cage has too few for it.

    A link runs at the lane rate of its slower end: 100G from a NIC of 25G lanes takes four lanes of the switch,
    whatever these could carry, so that four such ports want sixteen lanes of a cage of eight. Optics with a gearbox
    make one wavelength of those four (100GBASE-DR), and are taken for such a breakout where `media` allow them. The
    hint names a breakout that fits.
    """,
    bad="""
    scalable_unit: {nodes: 4 x generic-server}
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5400, per: [su, rail], media: {down: [SR, DAC]}, breakout: 4x100},  # <-
      spine: {switch: sn5400, count: 4}}}}
    """,
    good="""
    scalable_unit: {nodes: 4 x generic-server}
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5400, per: [su, rail], media: {down: [SR, DAC]}, breakout: 2x100},
      spine: {switch: sn5400, count: 4}}}}
    """,
)

FG120 = Fault(
    id="FG120",
    name="PipelinesFull",
    title="pipelines serve fewer ports than are needed",
    text="""
    The cages of a switch have the lanes for all ports, and the pipelines of its ASIC cannot serve so many.

    A pipeline serves a fixed number of ports, however its cages are split: on Celestica's DS5000 two cages share one
    of ten, so that one cage split into eight leaves two ports to the other. The catalogue lists pipelines with their
    source. Spread the ports over more switches, or take one whose ASIC serves them.
    """,
    bad="""
    scalable_unit: {nodes: 40 x dgx-b300-8p}
    pods: {p1: {su: 1}}
    fabrics: {compute: {planes: 8, oversubscription: "8:1", tiers: {
      leaf: {switch: ds5000, per: [su, plane], count: 1, uplinks: 8 x 800G}}}}  # <-
    """,
    good="""
    scalable_unit: {nodes: 40 x dgx-b300-8p}
    pods: {p1: {su: 1}}
    fabrics: {compute: {planes: 8, oversubscription: "8:1", tiers: {
      leaf: {switch: sn5640, per: [su, plane], count: 1, uplinks: 16 x 400G}}}}
    """,
)

FG121 = Fault(
    id="FG121",
    name="NeighbourDisabled",
    title="a breakout disables cages that are needed",
    text="""
    Cages are split so finely that the ones beside them are disabled, and the ports that are left are too few.

    Spectrum switches serve as many ports with every second cage split into eight as with all split into four (NVIDIA
    Cumulus Linux user guide, Switch Port Attributes, Breakout Ports): the cage after a split one stays empty, and
    `cages` must keep both. State a coarser breakout, keep whole pairs of cages, or use more switches.
    """,
    bad="""
    scalable_unit: {nodes: 16 x dgx-b300-8p}
    pods: {p1: {su: 1}}
    fabrics: {compute: {planes: 8, tiers: {
      leaf: {switch: sn5600, per: [su, plane], count: 1, breakout: 8x100, cages: {down: 2-32}}}}}  # <-
    nos: cumulus
    """,
    good="""
    scalable_unit: {nodes: 16 x dgx-b300-8p}
    pods: {p1: {su: 1}}
    fabrics: {compute: {planes: 8, tiers: {
      leaf: {switch: sn5600, per: [su, plane], count: 1, breakout: 8x100, cages: {down: 1-32}}}}}
    nos: cumulus
    """,
)

FG132 = Fault(
    id="FG132",
    name="PlanesTogether",
    title="switches lack ports, and hold those of all planes",
    text="""
    A fabric has `planes`, a tier is not grouped by `plane`, and switches have too few ports.

    Planes are disjoint copies of a fabric (each NIC port is split over them), so that each has switches of its own:
    a leaf that serves two needs the ports of two. Where the ports suffice FG305 tells of it as an error. Add `plane`
    to `per`; the shortage that is told beside it is gone then, or is that of one plane.
    """,
    bad="""
    scalable_unit: {nodes: 64 x dgx-b300}
    fabrics: {compute: {planes: 2, tiers: {
      leaf: {switch: sn5600, per: [su, rail], count: 1},  # <-
      spine: {switch: sn5600, per: plane, count: 4}}}}
    """,
    good="""
    scalable_unit: {nodes: 64 x dgx-b300}
    fabrics: {compute: {planes: 2, tiers: {
      leaf: {switch: sn5600, per: [su, rail, plane], count: 1},
      spine: {switch: sn5600, per: plane, count: 16}}}}
    """,
)

FG141 = Fault(
    id="FG141",
    name="NoBreakoutOfThatSpeed",
    title="none of the stated breakouts makes ports of a speed",
    text="""
    A tier states a breakout for each speed of its down ports, and something attaches at another speed.

    `breakout: [2 x 400G, 1 x 100G]` says how cages are split for 400G and for 100G ports. A device whose ports run at
    200G has none then. Add a breakout for it, or state another `speed` for what attaches.
    """,
    bad="""
    scalable_unit: {nodes: 4 x generic-server}
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: [su, rail], breakout: [2x400, 4x200]},  # <-
      spine: {switch: sn5600, count: 4}}}}
    """,
    good="""
    scalable_unit: {nodes: 4 x generic-server}
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, per: [su, rail], breakout: [2x400, 2x100]},
      spine: {switch: sn5600, count: 4}}}}
    """,
)

FG137 = Fault(
    id="FG137",
    name="CagesForNothing",
    title="cages are kept for what is not there",
    text="""
    A key of `cages` names no fabric, tier or extra device: `down.FABRIC`, `down.TIER`, `down.management` or
    `extra.NAME`.

    The cages would be empty, and the ports meant for them stand elsewhere. Name what is there.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, cages: {down.storag: 33-40}}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, cages: {down.compute: 1-40}}}}}
    """,
)

FG138 = Fault(
    id="FG138",
    name="CageRangeShort",
    title="the cages that are kept for a purpose have too few ports for it",
    text="""
    More down ports are asked for than the cages of their own range make, those of reserved units included where these
    are numbered.

    Ports of a purpose stand in its range and nowhere else, so that hands in the hall find them. Keep more cages for it.
    """,
    bad="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, count: 1, cages: {down.compute: 1}}}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {
      leaf: {switch: sn5600, count: 1, cages: {down.compute: 1-4}}}}}
    """,
)
