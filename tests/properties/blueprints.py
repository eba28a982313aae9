"""Strategies that make blueprints: most can be wired, and what cannot must be refused with a located error."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NODES = ("dgx-b200", "dgx-b300", "dgx-h100", "generic-server", "gb200-tray")
LEAVES = ("sn5600", "sn4700", "7060x6-64pe", "sn5640")
LEAF_PER = ([], ["pod"], ["su"], ["rack"], ["su", "rail"], ["pod", "rail"], ["rail"])
SPINE_PER = ([], ["pod"], ["rail"], ["pod", "rail"], ["su"])


@st.composite
def blueprints(draw: st.DrawFn) -> dict[str, Any]:
    """A blueprint of one to three tiers over one to three pods, with slots omitted and reserved."""
    nodes = draw(st.integers(1, 12))
    planes = draw(st.sampled_from([1, 1, 2]))
    node = "dgx-b300" if planes == 2 else draw(st.sampled_from(NODES))
    infiniband = planes == 1 and node in ("dgx-b200", "dgx-h100") and draw(st.booleans())
    plane = ["plane"] if planes == 2 else []
    switch = "qm9700" if infiniband else draw(st.sampled_from(LEAVES))
    leaf: dict[str, Any] = {"switch": switch, "per": draw(st.sampled_from(LEAF_PER)) + plane}
    if draw(st.booleans()):
        leaf["oversubscription"] = draw(st.sampled_from(["1:1", "2:1", "4:3", "1:2"]))
    tiers: dict[str, Any] = {"leaf": leaf}
    if draw(st.integers(0, 3)):
        tiers["spine"] = {"switch": switch, "per": draw(st.sampled_from(SPINE_PER)) + plane}
        if draw(st.booleans()):
            tiers["spine"]["count"] = draw(st.integers(1, 5))
        if draw(st.integers(0, 2)) == 0:
            tiers["core"] = {
                "switch": switch,
                "per": draw(st.sampled_from([[], ["rail"], ["spine"]])) + plane,
            }
    pods = {
        f"p{i + 1}": {"su": (su := draw(st.integers(1, 4))), "reserve": su + draw(st.integers(0, 3))}
        for i in range(draw(st.integers(1, 3)))
    }
    fabric: dict[str, Any] = {
        "protocol": "infiniband" if infiniband else draw(st.sampled_from(["roce", "ethernet"])),
        "planes": planes,
        "tiers": tiers,
    }
    if node == "generic-server" or infiniband:
        device = {
            "device": "ufm" if infiniband else node,
            "attach": "compute",
            "to": draw(st.sampled_from(list(tiers))),
        }
        fabric["extra"] = {"helper": device | {"count": draw(st.integers(1, 3)), "ports": draw(st.integers(1, 2))}}
    if not infiniband:
        fabric["routing"] = {"underlay": draw(st.sampled_from(["ebgp-numbered", "ebgp-unnumbered", "static", "none"]))}
    fabrics: dict[str, Any] = {"compute": fabric}
    if draw(st.booleans()):
        fabrics["oob"] = {
            "protocol": "ethernet",
            "attach": "bmc",
            "also": "switches",
            "tiers": {
                "leaf": {"switch": "sn2201", "per": draw(st.sampled_from(["su", "rack", "pod"]))},
                "spine": {"switch": "sn4700", "count": 2},
            },
        }
    omit = draw(
        st.lists(
            st.tuples(st.integers(1, len(pods)), st.sampled_from(["1", "last"]), st.integers(1, nodes)),
            max_size=3,
        )
    )
    return {
        "fabricgen": 1,
        "name": "generated",
        "scalable_unit": {"nodes": f"{nodes} x {node}", "racks": {"nodes_per_rack": draw(st.integers(1, 4))}},
        "pods": pods,
        "omit": sorted({f"p{pod}/su-{su}/node-{number}" for pod, su, number in omit}),
        "fabrics": fabrics,
    }
