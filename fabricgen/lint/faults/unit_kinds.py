"""Kinds of scalable units, and what pods state of their own."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG090 = Fault(
    id="FG090",
    name="UnknownUnitKind",
    title="a pod has units of a kind that there is not, or does not say which",
    text="""
    A pod names a kind of scalable unit that `scalable_units` does not state, or names none where there are several.

    Pods that name no kind have units of `scalable_unit`, or of the only kind in `scalable_units`. Where there are
    several of these, each pod says which it has: racks, nodes and switches follow from it.
    """,
    bad="""
    scalable_units: {b300: {nodes: 4 x dgx-b300}}
    pods: {p2: {unit: b200, su: 1}}  # <-
    """,
    good="""
    scalable_units: {b300: {nodes: 4 x dgx-b300}}
    pods: {p2: {unit: b300, su: 1}}
    """,
)

FG091 = Fault(
    id="FG091",
    name="UnknownPodTier",
    title="a pod states a tier that there is not, or whose switches serve more than it",
    text="""
    The `tiers` of a pod name what is no FABRIC.TIER of the blueprint, or a tier that is wider than a pod.

    A pod can have spines, counts, uplinks or switch models of its own where it has switches of its own: of tiers that
    are `per: pod`, or per a unit or rack in it. What serves all pods is stated once, at the tier.
    """,
    bad="""
    pods: {p1: {tiers: {compute.spine: {count: 2}}}}  # <-
    """,
    good="""
    pods: {p1: {tiers: {compute.spine: {count: 2}}}}
    fabrics: {compute: {tiers: {spine: {switch: sn5600, per: pod, count: 4}}}}
    """,
)

FG092 = Fault(
    id="FG092",
    name="UnequalParts",
    title="a tier is grouped by switches of which parts of the cluster have unequal numbers",
    text="""
    A tier of all pods has a group for each switch of a number in the tier below (`per: spine`), and pods of several
    kinds, or with tiers of their own, have unequal numbers of those.

    The second spine of each pod meets the cores of group two; where some pods have four spines and others eight, half
    of the groups would join only some of the pods. State one `count`, or group the tier by something else.
    """,
    bad="""
    pods: {p1: {su: 1}, p2: {su: 1, tiers: {compute.spine: {count: 2}}}}
    fabrics: {compute: {tiers: {
      spine: {switch: sn5600, per: pod, count: 4},
      core: {switch: sn5600, per: spine}}}}  # <-
    """,
    good="""
    pods: {p1: {su: 1}, p2: {su: 1}}
    fabrics: {compute: {tiers: {
      spine: {switch: sn5600, per: pod, count: 4},
      core: {switch: sn5600, per: spine}}}}
    """,
)
