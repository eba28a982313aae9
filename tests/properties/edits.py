"""Edits of a blueprint, as its owner makes them over the years."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from tests.properties.halls import Tree
from tests.properties.kinds import other_nodes

POD_NAMES = ("a1", "p0", "p1", "p2", "p3", "p10", "z")
SIDE = {
    "aside": {"protocol": "ethernet", "attach": "inband", "tiers": {"leaf": {"switch": "toy-24", "per": "su"}}},
    "zside": {
        "protocol": "roce",
        "attach": "inband",
        "tiers": {"leaf": {"switch": "toy-24", "per": "su"}, "spine": {"switch": "toy-24", "count": 2}},
    },
}


def grow(draw: st.DrawFn, tree: Tree) -> None:
    """One more unit in a pod, within what is reserved or beyond it."""
    pod = tree["pods"][draw(st.sampled_from(sorted(tree["pods"])))]
    pod.pop("nodes", None)
    pod["su"] = pod.get("su", 1) + 1


def grow_inside(draw: st.DrawFn, tree: Tree) -> None:
    """One more unit in a pod that has a slot reserved for it."""
    roomy = [pod for _, pod in sorted(tree["pods"].items()) if pod.get("su", 1) < pod.get("reserve", 1)]
    if roomy:
        pod = draw(st.sampled_from(roomy))
        pod.pop("nodes", None)
        pod["su"] = pod.get("su", 1) + 1


def shrink(draw: st.DrawFn, tree: Tree) -> None:
    """One unit less in a pod."""
    pod = tree["pods"][draw(st.sampled_from(sorted(tree["pods"])))]
    pod.pop("nodes", None)
    pod["su"] = max(1, pod.get("su", 1) - 1)


def add_pod(draw: st.DrawFn, tree: Tree) -> None:
    """A pod whose name may come before those of others."""
    name = draw(st.sampled_from(POD_NAMES))
    like = deepcopy(tree["pods"][sorted(tree["pods"])[0]])
    tree["pods"].setdefault(name, {k: v for k, v in like.items() if k not in ("nodes", "count")} | {"su": 1})


def second_site(draw: st.DrawFn, tree: Tree) -> None:
    """A pod at another site, whose name may come before or after that of the first."""
    name = draw(st.sampled_from(POD_NAMES))
    like = deepcopy(tree["pods"][sorted(tree["pods"])[0]])
    pod = {k: v for k, v in like.items() if k not in ("nodes", "count")} | {"su": 1}
    tree["pods"].setdefault(name, pod | {"site": draw(st.sampled_from(["east", "west"]))})


def repeat_pod(draw: st.DrawFn, tree: Tree) -> None:
    """Another pod like one of those there are."""
    pod = tree["pods"][draw(st.sampled_from(sorted(tree["pods"])))]
    pod["count"] = pod.get("count", 1) + 1


def split_racks(draw: st.DrawFn, tree: Tree) -> None:
    """The switches of a tier over another network rack."""
    tiers = [tier for fabric in tree["fabrics"].values() for tier in fabric.get("tiers", {}).values()]
    tier = draw(st.sampled_from(tiers))
    tier["racks"] = tier.get("racks", 1) + 1


def add_kind(draw: st.DrawFn, tree: Tree) -> None:
    """Pods with units of another kind, whose name may come before or after those of others."""
    unit = tree.get("scalable_unit") or next(iter(tree["scalable_units"].values()))
    name = draw(st.sampled_from(["aa", "zz"]))
    tree.setdefault("scalable_units", {}).setdefault(name, {"nodes": other_nodes(draw, unit["nodes"])})
    pod = {"unit": name, "su": draw(st.integers(1, 2)), "reserve": draw(st.integers(1, 3))}
    tree["pods"].setdefault(draw(st.sampled_from(POD_NAMES)), pod)


def remove_pod(draw: st.DrawFn, tree: Tree) -> None:
    """A pod less, where there are several."""
    if len(tree["pods"]) > 1:
        del tree["pods"][draw(st.sampled_from(sorted(tree["pods"])))]


def reserve_more(draw: st.DrawFn, tree: Tree) -> None:
    """A larger reserve."""
    pod = tree["pods"][draw(st.sampled_from(sorted(tree["pods"])))]
    pod["reserve"] = pod.get("reserve", pod.get("su", 1)) + draw(st.integers(1, 3))


def add_fabric(draw: st.DrawFn, tree: Tree) -> None:
    """A fabric on the in-band ports, whose name comes first or last."""
    name = draw(st.sampled_from(sorted(SIDE)))
    if not any(f.get("attach") == "inband" or key == "inband" for key, f in tree["fabrics"].items()):
        tree["fabrics"].setdefault(name, deepcopy(SIDE[name]))


def remove_fabric(draw: st.DrawFn, tree: Tree) -> None:
    """That fabric again."""
    for name in SIDE:
        if name in tree["fabrics"] and draw(st.booleans()):
            del tree["fabrics"][name]


def add_extra(draw: st.DrawFn, tree: Tree) -> None:
    """Devices beside the nodes of any fabric, whose name comes first or last, on ports of any kind."""
    having = [key for key, f in sorted(tree["fabrics"].items()) if f.get("tiers") and f["protocol"] != "infiniband"]
    if not having:
        return
    owner = draw(st.sampled_from(having))
    fabric = tree["fabrics"][owner]
    name = draw(st.sampled_from(["aide", "zone"]))
    tier = draw(st.sampled_from(sorted(fabric["tiers"])))
    role = "bmc" if fabric.get("attach") == "bmc" and tier == "leaf" else draw(st.sampled_from(["inband", "compute"]))
    extra = {"device": "toy-box", "to": tier, "attach": role, "count": draw(st.integers(1, 2))}
    fabric.setdefault("extra", {}).setdefault(name if owner == "compute" else f"{name}-{owner}", extra)


def _extras(tree: Tree) -> list[tuple[str, str]]:
    return [(key, name) for key, fabric in sorted(tree["fabrics"].items()) for name in sorted(fabric.get("extra", {}))]


def more_extras(draw: st.DrawFn, tree: Tree) -> None:
    """Another one of some devices, in every fabric that they attach to."""
    found = [(key, name) for key, name in _extras(tree) if "names" not in tree["fabrics"][key]["extra"][name]]
    if found:
        _, chosen = draw(st.sampled_from(found))
        for fabric in tree["fabrics"].values():
            if chosen in fabric.get("extra", {}):
                fabric["extra"][chosen]["count"] = fabric["extra"][chosen].get("count", 1) + 1


def remove_extra(draw: st.DrawFn, tree: Tree) -> None:
    """Some of these devices again."""
    if found := _extras(tree):
        key, name = draw(st.sampled_from(found))
        del tree["fabrics"][key]["extra"][name]


def manage_switches(_: st.DrawFn, tree: Tree) -> None:
    """Management ports of all switches on the management fabric, or no longer."""
    fabric = tree["fabrics"].get("oob")
    if fabric and fabric.pop("also", None) is None:
        fabric["also"] = "switches"


def back(_: st.DrawFn, __: Tree) -> None:
    """The last edit undone; see `histories`."""


def more_switches(draw: st.DrawFn, tree: Tree) -> None:
    """Another stated count of a tier above the lowest."""
    tiers = [tier for tier in list(tree["fabrics"]["compute"]["tiers"].values())[1:] if "below" not in tier]
    if tiers:
        tier = draw(st.sampled_from(tiers))
        tier["count"] = draw(st.sampled_from([1, 2, 4, 8]))


def reorder(draw: st.DrawFn, tree: Tree) -> None:
    """The same keys in another order."""
    for key in ("pods", "fabrics"):
        tree[key] = dict(draw(st.permutations(list(tree[key].items()))))


EDITS: tuple[Callable[[st.DrawFn, Tree], None], ...] = (
    grow,
    grow,
    shrink,
    add_pod,
    second_site,
    repeat_pod,
    split_racks,
    add_kind,
    remove_pod,
    reserve_more,
    add_fabric,
    remove_fabric,
    add_extra,
    more_extras,
    remove_extra,
    manage_switches,
    more_switches,
    reorder,
    back,
    back,
)


REMOVING = frozenset(edit.__name__ for edit in (shrink, remove_pod, remove_fabric, remove_extra, more_switches, back))
"""Edits that may take devices away."""


@st.composite
def histories(draw: st.DrawFn, first: st.SearchStrategy[Tree], edits: Any = EDITS) -> list[tuple[str, Tree]]:
    """A blueprint and what becomes of it: (what was done, the blueprint then)."""
    tree = draw(first)
    tree["omit"] = []
    found = [("first", tree)]
    for _ in range(draw(st.integers(1, 6))):
        edit = draw(st.sampled_from(edits))
        tree = deepcopy(found[-2][1] if edit is back and len(found) > 1 else tree)
        edit(draw, tree)
        found.append((edit.__name__, tree))
    return found
