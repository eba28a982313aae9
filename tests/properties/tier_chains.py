"""Strategies for tiers: how they are grouped, what is stated of them, and how they chain up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Tree = dict[str, Any]
NAMES = ("leaf", "spine", "core", "roof")
WIDE_TO_NARROW = ("all", "pod", "su", "rack")
SHORT = {"rail": "r", "rail-group": "rg", "plane": "pl", "port": "pt"}
FACES = {"toy-8": 8, "toy-24": 24, "toy-16-4": 20, "toy-chassis": 28, "toy-ib": 8}
"""Cages of the toy switches that may be kept for a purpose."""


def often(draw: st.DrawFn, times: int, out_of: int) -> bool:
    """True in so many cases out of so many; shrinks to false."""
    return draw(st.integers(0, out_of - 1)) >= out_of - times


@dataclass(frozen=True)
class Chain:
    """The tiers of a fabric by name from the nodes up, and where their groups stand."""

    tiers: dict[str, Tree]
    scopes: dict[str, str]

    def first_switches(self, fabric: str, tier: str, number: int) -> list[str]:
        """Names of the first switches of a tier's first group."""
        spec, scope = self.tiers[tier], self.scopes[tier]
        place = "".join(
            part
            for level, part in (("pod", "-p1"), ("su", "-su01"), ("rack", "-rk01"))
            if WIDE_TO_NARROW.index(scope) >= WIDE_TO_NARROW.index(level)
        )
        dimensions = [d for d in SHORT if d in spec["per"]]
        dimensions += sorted(d for d in spec["per"] if d in self.tiers)
        inside = "".join(f"-{SHORT.get(d, d)}1" for d in dimensions)
        return [f"{fabric}-{tier}{place}{inside}-{i + 1:02d}" for i in range(number)]


@st.composite
def chains(
    draw: st.DrawFn, switches: tuple[str, ...], legs: tuple[str, ...], always: tuple[str, ...] = (), most: int = 4
) -> Chain:
    """One to `most` tiers of some switches; `legs` are dimensions they may be grouped by, `always` those they are."""
    number = draw(st.sampled_from([n for n in (1, 2, 2, 2, 3, 3, 4) if n <= most]))
    scope = draw(st.sampled_from(WIDE_TO_NARROW if number > 1 else ("all", "all", "pod")))
    inner = [*always, *(d for d in legs if often(draw, 1, 2))]
    tiers: dict[str, Tree] = {}
    scopes: dict[str, str] = {}
    for i, name in enumerate(NAMES[:number]):
        if i:
            scope = draw(st.sampled_from(WIDE_TO_NARROW[: WIDE_TO_NARROW.index(scope) + 1]))
            inner = [d for d in inner if d in always or (d not in NAMES and often(draw, 1, 2))]
            if i == 2 and often(draw, 1, 3):
                scope, inner = "all", [*inner, "spine"]
        tiers[name] = {"switch": draw(st.sampled_from(switches)), "per": ([scope] if scope != "all" else []) + inner}
        scopes[name] = scope
        tiers[name] |= draw(_stated(top=i == number - 1, lowest=i == 0, switch=tiers[name]["switch"]))
        if i == 0 and "down" in tiers[name].get("cages", {}) and often(draw, 1, 2):
            tiers[name]["cages"] = _by_purpose(tiers[name]["cages"])
        if often(draw, 1, 8):
            tiers[name]["reserved_ports"] = {"wan": draw(st.integers(1, 2))}
            if "cages" not in tiers[name]:
                tiers[name]["reserved_ports"]["test"] = {"cages": draw(st.integers(2, 3))}
        if i and often(draw, 1, 3):
            tiers[name]["spread"] = "uneven"
        if i and often(draw, 1, 4):
            tiers[name]["parallel"] = "adjacent"
    if "roof" in tiers:
        tiers["roof"]["above"] = "core"
    return Chain(tiers, scopes)


def _by_purpose(cages: Tree) -> Tree:
    """Cages of down ports kept for compute nodes, not from the first one on, and for management."""
    last = int(cages["down"].removeprefix("1-"))
    third = max(1, (last - 1) // 3)
    purposes = {"down.compute": f"{third + 1}-{last - 1},1-{third}", "down.management": last}
    return {role: some for role, some in cages.items() if role != "down"} | purposes


@st.composite
def _stated(draw: st.DrawFn, *, top: bool, lowest: bool, switch: str) -> Tree:
    """What is said of a tier, or left to be derived."""
    found: Tree = {}
    if often(draw, 1, 3):
        found["count"] = draw(st.integers(1, 4))
    if not top and often(draw, 1, 3):
        found["oversubscription"] = draw(st.sampled_from(["1:1", "2:1", "4:3", "1:2", "3:1"]))
    if not top and often(draw, 1, 5):
        found["uplinks"] = draw(st.sampled_from([1, 2, 3, 4, 6, "2 x 400G", "4 x 200G", "400G", "200G"]))
    if often(draw, 1, 6):
        found["size_for"] = "reserve"
    if lowest and often(draw, 1, 2):
        found["spread"] = draw(st.sampled_from(["block", "stripe"]))
    if often(draw, 1, 6):
        found["spare_ports"] = draw(st.integers(1, 4))
    if often(draw, 1, 6):
        found["count"] = draw(st.sampled_from([2, 4]))
        found["peer"] = draw(st.sampled_from([1, 2, "2 x 400G", "1 x 200G", "1 x 400G per su"]))
    if lowest and often(draw, 1, 8):
        found["breakout"] = draw(st.sampled_from(["1x400", "2x400", "2x200", "4x200", "1x200"]))
    if switch in FACES and often(draw, 1, 6):
        middle, cages = draw(st.integers(FACES[switch] // 2, FACES[switch] - 1)), FACES[switch]
        found["cages"] = {"down": f"1-{middle}", "up": f"{middle + 1}-{cages}"}
        if not top and "peer" in found and middle + 1 < cages:
            found["cages"] |= {"up": f"{middle + 1}-{cages - 1}", "peer": cages}
        elif "peer" in found:
            found["cages"] = {"down": f"1-{middle}"}
    return found
