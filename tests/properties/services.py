"""Strategies for what stands beside compute: extra devices, borders, storage, in-band and out-of-band."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.properties.tier_chains import Chain, Tree, chains, often


@st.composite
def extras(draw: st.DrawFn, fabric: str, chain: Chain) -> dict[str, Tree]:
    """One or two sets of devices: counted or named, on any tier or on named switches, of any speed."""
    found: dict[str, Tree] = {}
    for name in ("helper", "gate")[: draw(st.sampled_from([1, 1, 2]))]:
        tier = draw(st.sampled_from(list(chain.tiers)))
        extra: Tree = {"device": "toy-box", "to": tier, "attach": draw(st.sampled_from(["compute", "inband"]))}
        if often(draw, 1, 2):
            extra["names"] = [f"{name}-{letter}" for letter in "abc"[: draw(st.integers(1, 3))]]
        else:
            extra["count"] = draw(st.integers(1, 3))
        if often(draw, 1, 2):
            extra["ports"] = draw(st.integers(1, 2))
        if often(draw, 1, 3):
            extra["speed"] = draw(st.sampled_from(["100G", "200G", "400G"]))
        if often(draw, 1, 4):
            extra["spread"] = "stripe"
        if often(draw, 1, 3):
            extra["switches"] = chain.first_switches(
                fabric, tier, draw(st.integers(1, chain.tiers[tier].get("count", 1)))
            )
        found[name] = extra
    return found


@st.composite
def border(draw: st.DrawFn, chain: Chain) -> dict[str, Tree]:
    """A tier that takes no nodes and hangs below the top one, in as many groups as that has."""
    top = list(chain.tiers)[-1]
    per = [d for d in chain.tiers[top]["per"] if d not in chain.tiers]
    tier: Tree = {"switch": "toy-24", "below": top, "count": draw(st.integers(1, 2)), "per": per}
    if often(draw, 1, 2):
        tier["uplinks"] = draw(st.sampled_from(["2 x 400G", "1 x 200G", 2, 4]))
    return {"border": tier}


@st.composite
def at_border(draw: st.DrawFn) -> dict[str, Tree]:
    """One to three sets of devices at a border, of one speed or several, whose names are in any order."""
    speeds = {"wan": None, "array": "400G", "zone": "100G"}
    names = draw(st.permutations(sorted(speeds)))[: draw(st.sampled_from([1, 2, 3]))]
    found: dict[str, Tree] = {}
    for name in names:
        found[name] = {"device": "toy-box", "to": "border", "attach": "inband", "count": draw(st.integers(1, 2))}
        speed = speeds[name] or draw(st.sampled_from([None, "200G"]))
        found[name] |= {"ports": draw(st.integers(1, 2))} | ({"speed": speed} if speed else {})
    return found


@st.composite
def side_fabrics(draw: st.DrawFn, compute: Chain, underlays: tuple[str, ...]) -> dict[str, Tree]:
    """Storage apart or below the compute spine, and in-band carried by one of these or apart."""
    found: dict[str, Tree] = {}
    top = list(compute.tiers)[-1]
    storage: Tree = {"protocol": "roce", "routing": {"underlay": draw(st.sampled_from(underlays))}}
    if len(compute.tiers) == 2 and not compute.tiers[top]["per"] and often(draw, 1, 2):
        leaf: Tree = {"switch": "toy-24", "per": draw(st.sampled_from([["su"], ["pod"], ["rack"], ["su", "rail"]]))}
        storage |= {"tiers": {"leaf": leaf | {"below": "compute.spine"}}}
        if often(draw, 1, 3):
            storage["tiers"] = {"leaf": leaf}
            compute.tiers["spine"]["above"] = ["leaf", "storage.leaf"]
    else:
        storage["tiers"] = draw(chains(("toy-24", "toy-16-4"), ("rail",), most=2)).tiers
        if often(draw, 1, 6):  # takes nodes beside the switches below it
            first = next(iter(storage["tiers"].values()))
            first |= {"per": [d for d in first["per"] if d not in ("su", "rack", "rail")], "above": f"compute.{top}"}
    if often(draw, 2, 3):
        storage["extra"] = {"array": {"device": "toy-box", "count": draw(st.integers(1, 3))}}
    if often(draw, 2, 3):
        found["storage"] = storage
    inband: Tree = {"protocol": "ethernet"}
    if often(draw, 1, 2):
        inband["carried_by"] = draw(st.sampled_from(["compute", *found]))
        if often(draw, 1, 3):
            inband |= {"vrf": "tenant", "hosts": draw(st.sampled_from(["routed", "bridged", "none"]))}
    else:
        inband["tiers"] = draw(chains(("toy-24", "toy-16-4"), (), most=2)).tiers
    if often(draw, 1, 3):
        inband["extra"] = {"login": {"device": "toy-box", "count": draw(st.integers(1, 2)), "ports": 1}}
    if often(draw, 2, 3):
        found["inband"] = inband
        if "tiers" in inband and often(draw, 1, 2):
            inband |= draw(bonds())
        if "tiers" in inband and often(draw, 1, 2):
            tags = draw(st.sampled_from([(None, "tagged"), ("tagged", "tagged"), ("tagged", "untagged")]))
            inband["host_ports"] = tags[0]
            found["files"] = {"protocol": "ethernet", "carried_by": "inband", "host_ports": tags[1]}
    return found


@st.composite
def bonds(
    draw: st.DrawFn, per: tuple[list[str], ...] = ([], ["su"], ["pod"]), words: tuple[str, ...] = ("node",)
) -> Tree:
    """Bonded ports over leaves of one switch, over pairs, or over what may be neither and is refused."""
    leaf: Tree = {"switch": "toy-24", "per": draw(st.sampled_from(per))}
    if often(draw, 3, 4):
        count, spread = draw(st.sampled_from([(2, "stripe"), (2, "stripe"), (4, "stripe"), (2, "block")]))
        leaf |= {"count": count, "spread": spread, "peer": draw(st.sampled_from([1, 2]))}
    else:
        leaf["count"] = 1
    tiers = {"leaf": leaf, **({"spine": {"switch": "toy-24", "count": 2}} if often(draw, 1, 3) else {})}
    return {"bond": draw(st.sampled_from(words)), "tiers": tiers}


@st.composite
def oob(draw: st.DrawFn, leaf: str = "toy-mgmt", spine: str = "toy-24", below: tuple[str, ...] = ()) -> Tree:
    """Management of BMCs and perhaps of all switches; its leaves perhaps `below` one of some tiers that take nodes."""
    tiers: dict[str, Tree] = {"leaf": {"switch": leaf, "per": draw(st.sampled_from(["su", "rack", "pod", []]))}}
    if below and often(draw, 1, 2):
        tiers["leaf"]["below"] = draw(st.sampled_from(below))
    elif often(draw, 2, 3):
        tiers["spine"] = {"switch": spine, "count": draw(st.integers(1, 2))}
    found: Tree = {"protocol": "ethernet", "attach": "bmc", "tiers": tiers}
    return found | ({"also": "switches"} if often(draw, 2, 3) else {})
