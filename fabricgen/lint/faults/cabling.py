"""Cables as they are built, redlined sheets, and patching."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG075 = Fault(
    id="FG075",
    name="CannotBeShuffled",
    title="a fibre shuffle cannot serve the cables of its policy",
    text="""
    A shuffle of n ports in and out deals the n pairs of each connector over n connectors, which links do not fit.

    It takes cables of split connectors whose links are one pair each, to at most n far connectors, on the same lane of
    all of these (as the NICs of eight planes have), over fibre that plugs into its ports. Keys of trunks do not apply,
    and jumpers on both sides are of one type, so that transmitters meet receivers. See docs/patching.md.
    """,
    bad="""
    fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600}}}}
    cabling: {copper_to_m: 0, patch: {planes: {between: leaf-spine,
      panel: shuffle-4x4-mpo12}}}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600}}}}
    cabling: {copper_to_m: 0, patch: {planes: {between: leaf-spine}}}
    """,
)

FG077 = Fault(
    id="FG077",
    name="NotOnThatDevice",
    title="a cable is said to be on a device that cannot have it",
    text="""
    `cable_of` puts an end of a cable onto another device than planned, whose ports are not of that kind, or where the
    link could not work with the addresses, bond or trunk that it keeps.

    An end may be on another switch of its tier, or on another node of its set, in a port of the same kind. A link keeps
    its addresses: those of a host are announced by the leaf that is planned for it, so that its other end is the one to
    state. The ports of a bond stay on one switch or pair, and a patched cable in its rack.
    """,
    bad="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        a_cage: "compute-spine-01:63"  # <-
    """,
    good="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63": {a_cage: "compute-leaf-p1-su02-r1-01:63"}
      "compute-leaf-p1-su02-r1-01:63": {a_cage: "compute-leaf-p1-su01-r1-01:63"}
    """,
)

FG079 = Fault(
    id="FG079",
    name="UnknownCable",
    title="a cable of its own is none, or its end is not clear",
    text="""
    `cable_of` names a cable that there is none of, or an end that the cable does not have, or one of several.

    Cables are called as cables.csv calls them: by the device and cage that they are planned to hang on, wherever they
    are plugged in now. The far ends of a splitter are told apart by their planned DEVICE:CAGE. The hint has the nearest
    name; where the cable is gone from the plan, take the line out.
    """,
    bad="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:99": {length_m: 12}  # <-
    """,
    good="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63": {length_m: 12}
    """,
)

FG080 = Fault(
    id="FG080",
    name="NoSuchCage",
    title="a cable is said to be in a cage that its device does not have",
    text="""
    `cable_of` puts an end of a cable into a cage or port that its device does not have, or onto a device that there is
    not.

    A cage alone is one of the planned device; `DEVICE:CAGE` is one of another device of the same kind.
    """,
    bad="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        a_cage: 77  # <-
    """,
    good="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        a_cage: 60
    """,
)

FG081 = Fault(
    id="FG081",
    name="CageTaken",
    title="a cable is said to be in a cage that another one is in",
    text="""
    `cable_of` puts a cable where another one is planned that does not move away, or two cables into one place.

    A connector takes one cable. Two cables that are swapped are two lines, a ring of them as many as it has; so is a
    cable that growth plans for a cage which a moved one is in. The hint has cages of that kind which are free.
    """,
    bad="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        a_cage: 2  # <-
    """,
    good="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63": {a_cage: 64}
      "compute-leaf-p1-su01-r1-01:64": {a_cage: 63}
    """,
)

FG082 = Fault(
    id="FG082",
    name="CageUnfit",
    title="a cable is said to be in a cage that cannot carry it",
    text="""
    `cable_of` puts a cable into a cage of another kind, one that is split otherwise for other cables, one that a
    neighbour's breakout disables, or one that its pipeline or the port table of the NOS cannot run so.

    The link would not come up, or take another one down. Move the cable to a cage of the kind that it is planned for,
    alone or with cables that split it alike.
    """,
    bad="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        a_cage: 65  # <-
    """,
    good="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        a_cage: 60
    """,
)

FG083 = Fault(
    id="FG083",
    name="MediumUnfit",
    title="a cable is said to be of a medium that does not fit it",
    text="""
    `cable_of` states a medium that carries no such lanes, goes into no cage at one of the ends, or does not split.

    What is pulled must fit what it is plugged into. The hint has the cable profiles that do; add one to the
    blueprint's own catalogue where a part is not in it.
    """,
    bad="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        medium: COPPER  # <-
    """,
    good="""
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        medium: DR
    """,
)

FG084 = Fault(
    id="FG084",
    name="BadRedlines",
    title="a redlined sheet cannot be taken as it is",
    text="""
    A sheet that `as-built` was given is damaged or too large, lacks columns, is of another cluster or an older plan,
    says two things of one cable, or puts a cable where it cannot be.

    What stands in the hall is written down once, by hand; a line that were dropped or guessed would send the next
    technician to the wrong port. The message has file, sheet, row and column. Correct the cell, or export the sheet
    anew where its planned columns are old; nothing is written before all lines are right.
    """,
    in_words=True,
    bad="""
    cable,a_device,a_cage,b_device,b_cage,done,built_b_cage
    leaf-01:33,leaf-01,33,spine-01,1,x,=B7
    """,
    good="""
    cable,a_device,a_cage,b_device,b_cage,done,built_b_cage
    leaf-01:33,leaf-01,33,spine-01,1,x,7
    """,
)

FG085 = Fault(
    id="FG085",
    name="CannotBePatched",
    title="a patching policy cannot be carried out",
    text="""
    A policy below `cabling.patch` names a fabric or a pair of tiers that there is none of, or asks for a trunk that
    the catalogue does not have, that no panel takes, or for links that another policy has patched already.

    Pairs of tiers are named as in summary.json: node-leaf, leaf-spine. Trunks lie below `catalog/trunks`; each is
    offered with some fibre counts, polarity types and connectors, and those have to be the ones of the panel's rear.
    """,
    bad="""
    cabling: {patch: {uplinks: {
      trunk_fibres: 145}}}  # <-
    """,
    good="""
    cabling: {patch: {uplinks: {trunk_fibres: 144}}}
    """,
)

FG086 = Fault(
    id="FG086",
    name="NoRoomForPanels",
    title="a rack has no room for its patch panels",
    text="""
    Panels stand in the free units of the racks whose cables they take, from the top down, with those that reserved
    units of the cluster will need; a rack of switches has more fibres than its last two units have ports for.

    Let panels stand at the end of the row (`at: row-end`), take panels with more ports, or deal the switches of the
    tier over more racks with its `racks`.
    """,
    bad="""
    scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, units: 40}}
    cabling: {patch: {
      all: {between: node-leaf}}}  # <-
    """,
    good="""
    scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, units: 48}}
    cabling: {patch: {all: {between: node-leaf}}}
    """,
)

FG087 = Fault(
    id="FG087",
    name="PatchedAsOnePiece",
    title="a patched cable is stated as if it were one piece",
    text="""
    `cable_of` states the length, part or medium of a cable that is patched.

    Such a cable is two jumpers and a trunk: patches.csv and trunks.csv have the length and part of each, and a single
    one for all of them would contradict these lists and the order. Its cages may be stated. Leave the rest out, or
    leave its links out of `cabling.patch`.
    """,
    bad="""
    cabling: {copper_to_m: 0, patch: {all: {between: leaf-spine}}}
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        length_m: 30  # <-
    """,
    good="""
    cabling: {copper_to_m: 0}
    cable_of:
      "compute-leaf-p1-su01-r1-01:63":
        length_m: 30
    """,
)
