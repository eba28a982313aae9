"""Strategies that make blueprints: most can be wired, and what cannot must be refused with a located error.

A family is a way of building that draws on one part of the language; together they cover it. Switches and nodes are
mostly toys (`catalog/` beside this file) whose faces are so small that their limits are met often.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.properties.halls import halls
from tests.properties.kinds import mixed
from tests.properties.services import at_border, bonds, border, extras, oob, side_fabrics
from tests.properties.tier_chains import Chain, Tree, chains, often

TOYS = ("toy-24", "toy-24", "toy-24", "toy-16-4", "toy-chassis", "toy-8")
UNDERLAYS = ("ebgp-numbered", "ebgp-unnumbered", "static", "none")


def _blueprint(hall: Tree, fabrics: dict[str, Tree], **more: Any) -> Tree:
    return {"fabricgen": 1, "name": "generated"} | hall | {"fabrics": fabrics} | more


@st.composite
def _ethernet(draw: st.DrawFn, chain: Chain, name: str = "compute") -> Tree:
    """A fabric of Ethernet over some tiers, with what is said of it as a whole."""
    fabric: Tree = {"protocol": draw(st.sampled_from(["roce", "ethernet"])), "tiers": chain.tiers}
    if often(draw, 1, 3):
        fabric["oversubscription"] = draw(st.sampled_from(["1:1", "2:1", "3:2", "1:2", "1:1.16"]))
    if often(draw, 1, 2):
        fabric["routing"] = {"underlay": draw(st.sampled_from(UNDERLAYS))}
    if often(draw, 1, 3):
        plan = {"plan": draw(st.sampled_from(["per-rack", "per-switch"]))}
        fabric["routing"] = fabric.get("routing", {}) | {"asn": plan}
    if often(draw, 1, 3):
        fabric["hosts"] = draw(st.sampled_from(["routed", "bridged", "rail-subnets", "none"]))
    if often(draw, 1, 3):
        fabric["extra"] = draw(extras(name, chain))
    if often(draw, 1, 5):
        fabric["tiers"] = chain.tiers | draw(border(chain))
        fabric["extra"] = fabric.get("extra", {}) | draw(at_border())
    return fabric


@st.composite
def clos(draw: st.DrawFn) -> Tree:
    """One to four tiers under one or two node sets, of unequal speeds; or leaves to which NICs bond both ports."""
    if often(draw, 1, 8):
        bonded = {"protocol": "roce", "hosts": "bridged"} | draw(bonds((["su", "rail"], ["rail"]), ("nic",)))
        return _blueprint(draw(halls({"node": "toy-dual"}, 4)), {"compute": bonded})
    sets = {"node": draw(st.sampled_from(["toy-wide", "toy-four", "toy-dual", "toy-twin"]))}
    if often(draw, 1, 3):
        sets = {"cpu": "toy-four", "gpu": draw(st.sampled_from(["toy-wide", "toy-dual", "toy-twin"]))}
    chain = draw(chains(TOYS, ("rail", "port") if "toy-dual" in sets.values() else ("rail",)))
    fabric = draw(_ethernet(chain))
    if often(draw, 1, 4):
        fabric["speed"] = draw(st.sampled_from(["200G", "400G", "100G"]))
    return _blueprint(draw(halls(sets, 8 if len(sets) == 1 else 4)), {"compute": fabric})


@st.composite
def planes(draw: st.DrawFn) -> Tree:
    """Two, four or eight planes: the ports of split or of dual-port NICs."""
    number = draw(st.sampled_from([2, 2, 4, 8]))
    splitting = {2: ["toy-wide", "toy-four", "toy-dual"], 4: ["toy-wide", "toy-four"], 8: ["toy-wide"]}
    node = draw(st.sampled_from(splitting[number]))
    chain = draw(chains(("toy-24", "toy-24", "toy-chassis"), ("rail",), ("plane",), most=3))
    fabric = draw(_ethernet(chain)) | {"planes": number}
    return _blueprint(draw(halls({"node": node}, 4)), {"compute": fabric})


@st.composite
def dual_ported(draw: st.DrawFn) -> Tree:
    """NIC ports split over the switches of a pair, `per` port, without planes."""
    node, ways = draw(st.sampled_from([("toy-dual", 1), ("toy-four", 2), ("toy-wide", 2), ("toy-wide", 4)]))
    chain = draw(chains(("toy-24", "toy-24", "toy-16-4"), ("rail",), ("port",), most=3))
    for name in list(chain.tiers)[1:]:
        if often(draw, 2, 3):
            chain.tiers[name]["per"] = [d for d in chain.tiers[name]["per"] if d != "port"]
    fabric = draw(_ethernet(chain))
    if ways > 1:
        fabric["nic"] = f"{ways}x{draw(st.sampled_from([100, 200]))}"
    return _blueprint(draw(halls({"node": node}, 5)), {"compute": fabric})


@st.composite
def rail_grouped(draw: st.DrawFn) -> Tree:
    """Rails that share leaves in groups."""
    groups = draw(st.sampled_from([[[1, 2], [3, 4]], [[1, 3], [2, 4]], [[1, 2, 3], [4]], [[4, 1], [2], [3]]]))
    chain = draw(chains(TOYS[:4], (), ("rail-group",), most=3))
    for name in list(chain.tiers)[1:]:
        if often(draw, 2, 3):
            chain.tiers[name]["per"] = [d for d in chain.tiers[name]["per"] if d != "rail-group"]
    if often(draw, 1, 2):
        chain.tiers["leaf"]["per"] = ["rail" if d == "rail-group" else d for d in chain.tiers["leaf"]["per"]]
    fabric = draw(_ethernet(chain)) | {"rail_groups": groups}
    return _blueprint(draw(halls({"node": draw(st.sampled_from(["toy-four", "toy-twin"]))}, 5)), {"compute": fabric})


@st.composite
def many_fabrics(draw: st.DrawFn) -> Tree:
    """Compute beside storage, in-band and out-of-band: apart, joined or carried."""
    node = draw(st.sampled_from(["toy-wide", "toy-four", "toy-dual"]))
    chain = draw(chains(TOYS[:4], ("rail",), most=2))
    fabrics = {"compute": draw(_ethernet(chain))} | draw(side_fabrics(chain, UNDERLAYS))
    if often(draw, 1, 2):
        leaves = tuple(f"{name}.leaf" for name, fabric in fabrics.items() if "tiers" in fabric)
        fabrics["oob"] = draw(oob(below=leaves))
    if often(draw, 1, 4):
        hall = draw(halls({"node": node, "spare": node}, 2))
        kept = sorted(fabrics)
        skip = draw(st.lists(st.sampled_from(kept), min_size=1, max_size=max(1, len(kept) - 1), unique=True))
        nodes = hall["scalable_unit"]["nodes"]
        nodes["spare"] = {"nodes": nodes["spare"], "skip": skip}
        return _blueprint(hall, fabrics)
    return _blueprint(draw(halls({"node": node}, 4)), fabrics)


@st.composite
def infiniband(draw: st.DrawFn) -> Tree:
    """Twin-port cages at both ends, and UFM on them."""
    chain = draw(chains(("toy-ib", "toy-ib", "qm9700"), ("rail",), most=3))
    fabric: Tree = {"protocol": "infiniband", "tiers": chain.tiers}
    for tier in chain.tiers.values():
        if "x" in str(tier.get("uplinks", "")) or "breakout" in tier:
            tier.pop("uplinks", None), tier.pop("breakout", None)
    if often(draw, 1, 2):
        fabric["extra"] = {"ufm": {"device": "ufm", "count": draw(st.integers(1, 2)), "ports": 1}}
    if often(draw, 1, 3):
        fabric["speed"] = draw(st.sampled_from(["200G", "400G"]))
    fabrics = {"compute": fabric}
    if often(draw, 1, 3):
        fabrics["oob"] = draw(oob())
    return _blueprint(draw(halls({"node": draw(st.sampled_from(["toy-twin", "dgx-h100"]))}, 6)), fabrics)


@st.composite
def real_hardware(draw: st.DrawFn) -> Tree:
    """Switches, nodes and scale-up domains of the catalogue, on SONiC and EOS."""
    node, domain, node_planes = draw(
        st.sampled_from(
            [
                ("dgx-b300", {"domain": "hgx-b300"}, 2),
                ("dgx-b300-8p", {"domain": "hgx-b300"}, 4),
                ("dgx-b300-8p", {"domain": "hgx-b300"}, 8),
                ("dgx-b200", {"domain": "hgx-b200"}, 1),
                ("mi300x-8", {"domain": "mi300x-8"}, 1),
                ("hpn-node", None, 2),
                ("gb200-tray", {"domain": "nvl72-gb200", "per": "rack"}, 1),
            ]
        )
    )
    leaf, spine = (
        draw(st.sampled_from(["sn5600", "sn5640", "7060x6-64pe"])),
        draw(st.sampled_from(["sn5600", "7808r4"])),
    )
    plane = ("plane",) if node_planes > 1 else ()
    chain = draw(chains((leaf,), ("rail",), plane, most=2))
    if "spine" in chain.tiers:
        chain.tiers["spine"]["switch"] = spine
    fabric: Tree = {"protocol": "roce", "planes": node_planes, "tiers": chain.tiers}
    hall = draw(halls({"node": node}, 4))
    if node == "gb200-tray":
        hall["scalable_unit"] = {"nodes": "18 x gb200-tray", "racks": {"nodes_per_rack": 18}}
        hall["pods"], hall["omit"] = {"p1": {"su": draw(st.integers(1, 2)), "reserve": 4}}, []
    fabrics = {"compute": fabric}
    if often(draw, 1, 2):
        fabrics["oob"] = draw(oob("sn2201", "sn4700"))
    more: Tree = {"scale_up": {"inner": domain}} if domain and often(draw, 1, 2) else {}
    if node_planes == 8 and often(draw, 2, 3):
        shuffle = {
            "between": "node-leaf",
            "panel": "shuffle-4x4-mpo12",
            "at": draw(st.sampled_from(["rack", "row-end"])),
        }
        shuffle["end"] = draw(st.sampled_from("ab"))
        more["cabling"] = {"copper_to_m": 0, "patch": {"planes": shuffle}}
    return _blueprint(hall, fabrics, **more)


MIXED = (1, 4)
"""How often a blueprint has several kinds of units: so many times out of so many."""


def _varied(family: Callable[[], st.SearchStrategy[Tree]]) -> Callable[[], st.SearchStrategy[Tree]]:
    """Blueprints of a family with IPv4, IPv6 or both, and some with several kinds of units."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Tree:
        ip = {"ip": draw(st.sampled_from(["v4", "v6", "dual"]))} if often(draw, 1, 2) else {}
        tree = draw(family())
        return (draw(mixed(tree)) if often(draw, *MIXED) else tree) | ip

    return drawn


FAMILIES: dict[str, Callable[[], st.SearchStrategy[Tree]]] = {
    family.__name__: _varied(family)
    for family in (clos, planes, dual_ported, rail_grouped, many_fabrics, infiniband, real_hardware)
}


def blueprints() -> st.SearchStrategy[Tree]:
    """A blueprint of any family."""
    return st.one_of([family() for family in FAMILIES.values()])
