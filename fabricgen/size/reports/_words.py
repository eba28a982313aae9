"""What reports say of candidates in words."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analyze.reckoned import Reckoning, cited
from fabricgen.size.front import Candidate, beaten_by, off
from fabricgen.size.search import Found
from fabricgen.size.shapes import nodes_for
from fabricgen.size.wishes import AXES

COLUMNS = ("switches", "links", "cables", "optics", "power", "price", "hops", "latency", "bisection", "growth", "loss")
"""The figures that tables have, in order; those that no candidate has are left out, and `loss` where it is no axis."""

HEADS = {"power": "kW", "latency": "ns", "bisection": "bisection", "growth": "re-plugged", "loss": "NICs lost"}
"""The heads of columns that have a unit, or another name than the axis."""


TYPICAL = "typical"
"""The basis of a power that is marked in tables."""


def head(axis: str) -> str:
    """The head of a column."""
    return HEADS.get(axis, axis)


def value(candidate: Candidate, axis: str) -> str:
    """A figure as tables have it; "-" for what nobody knows."""
    figure = candidate.figures.on(axis)
    if figure is None:
        return "-"
    if axis == "power":
        return f"{'~' * (candidate.figures.power_basis == TYPICAL)}{figure / 1000:,.1f}"
    if axis == "bisection":
        return f"{figure:.3g}"
    if axis == "switches":
        return f"{int(figure):,} = {' + '.join(f'{count:,}' for count in candidate.figures.switches.values())}"
    return f"{figure:,.0f}"


def columns(found: Found) -> list[str]:
    """The figures that some candidate has, and those of the axes."""
    shown = (*found.front, *found.beaten)
    known = {axis for axis in COLUMNS if axis != "loss" and any(one.figures.on(axis) is not None for one in shown)}
    return [axis for axis in COLUMNS if axis in found.axes or axis in known]


def why_beaten(candidate: Candidate, found: Found) -> str:
    """Who beats a candidate, and on which axes."""
    winner = beaten_by(candidate, found.front, found.axes)
    if winner is None:
        return ""
    ours, theirs = candidate.place(found.axes), winner.place(found.axes)
    worse = [axis for axis, own, other in zip(found.axes, ours, theirs, strict=True) if other < own]
    told = ", ".join(f"{head(axis)} {_plain(winner, axis)} against {_plain(candidate, axis)}" for axis in worse)
    return f"{winner.name} is no worse on any axis, and better: {told}"


def _plain(candidate: Candidate, axis: str) -> str:
    return value(candidate, axis).split(" = ")[0]


def heading(found: Found) -> str:
    """What was asked, and how many GPUs the nodes have where that is more, in a line."""
    asked, each = found.wishes.gpus, found.hardware.gpus_per_node
    nodes = nodes_for(asked, found.hardware)
    told = f"{_gpus(asked)} in {nodes:,} x {found.wishes.node}"
    if asked == nodes * each:
        return told
    return f"{told}: {nodes:,} node{'s' * (nodes > 1)} of {each} = {_gpus(nodes * each)} for {asked:,} asked"


def _gpus(count: int) -> str:
    return f"{count:,} GPU{'s' * (count != 1)}"


def typical(found: Found, *, every: bool) -> list[str]:
    """What the mark of a power is, where some candidate that is shown has it."""
    shown = (*found.front, *(found.beaten if every else ()))
    switches = sorted({one.shape.switch for one in shown if one.figures.power_basis == TYPICAL})
    told = f"~ typical draw of {', '.join(switches)}, of which no maximum is published: more can be drawn"
    others = any(one.figures.power_basis not in (TYPICAL, "unknown") for one in shown)
    return [told + ("; other switches count at their maximum" if others else "")] if switches else []


def unknown(found: Found) -> list[str]:
    """The axes that compare nothing, since no candidate has a figure on them, and why."""
    reasons = {
        "growth": f"no design of these grows to {_gpus(found.wishes.growth_to or 0)}",
        "price": "every design has switches or transceivers without a price",
        "power": "nobody publishes what these switches draw",
        "latency": "nobody publishes the latency of these switches",
    }
    shown = (*found.front, *found.beaten)
    axes = (axis for axis in found.axes if all(one.figures.on(axis) is None for one in shown))
    return [f"{head(axis)} compares nothing: {reasons[axis]}" for axis in axes]


def counted(found: Found) -> str:
    """How many were looked at, and what became of them."""
    front, beaten = len(found.front), len(found.beaten)
    tried = len(found.tried)
    shapes, designs = "shape" + "s" * (tried != 1), "design" + "s" * (found.compiled != 1)
    return (
        f"{tried:,} {shapes} tried, {found.compiled:,} {designs} of different figures; {front:,} on the front of "
        f"{', '.join(found.axes)}, {beaten:,} beaten, "
        f"{sum(count for _, count in found.reasons):,} excluded"
    )


def loss(candidate: Candidate) -> str:
    """What one lost switch of each tier costs."""
    told = []
    for tier, lost in candidate.figures.lost.items():
        dark = lost["node_ports"]
        ports = f" and {dark:,} node port{'s' * (dark != 1)} dark" if dark else ""
        told.append(f"{tier} {lost['bisection_left']:.2%}{ports}")
    return "; ".join(told)


def cut_off(candidate: Candidate) -> str:
    """What one lost link to a node, and one lost switch, leaves without any link."""
    figures = candidate.figures
    if not figures.nics_cut_off:
        return f"no lost link or switch cuts a NIC off: each has {figures.nic_links} links in as many planes"
    link = "a NIC" if figures.nic_links == 1 else "no NIC"
    return f"one lost link to a node cuts {link} off, one lost leaf {figures.nics_cut_off:,}"


def near(candidate: Candidate, found: Found) -> list[str]:
    """Those of other planes that are nearly alike, what they cost more, and what they lose less."""
    lines = []
    for other in found.near.get(candidate.name, ()):
        planes = f"{other.shape.planes} plane{'s' * (other.shape.planes > 1)}"
        parts = off(candidate, other, found.axes).items()
        told = ", ".join(f"{head(axis)} {part:+.1%}" for axis, part in parts) or "no axis differs"
        cuts = other.figures.nics_cut_off
        lost = f"one lost leaf cuts {f'{cuts:,} NICs' if cuts else 'no NIC'} off"
        keep = " (with the axis `loss` it is on the front)" if cuts < candidate.figures.nics_cut_off else ""
        lines.append(f"nearly alike in {planes}: {other.name} ({told}); {lost}{keep}")
    return lines


def optics(candidate: Candidate) -> str:
    """Optics by kind."""
    kinds = sorted(candidate.figures.optics_by_kind.items())
    return ", ".join(f"{count:,} x {part}" for part, count in kinds) or "none"


def axes_words(found: Found) -> list[str]:
    """What each axis is, in words."""
    return [f"{head(axis)}: {AXES[axis]}" for axis in found.axes]


_FORMULAS = {
    "power": "kW = what switches are planned to draw, and optics that are not in it",
    "price": "price = pieces of the bill without nodes x what the price file has",
    "latency": "ns = switches of the longest path + metres of the longest cables on it x that of a metre, one way",
    "bisection": "bisection = worst cut into halves over half of what nodes send; after a loss: over that before",
    "growth": "re-plugged = links between switches whose upper end moves",
}
"""How figures that are not counted are reckoned."""


ALIKE = 4
"""Shapes of the same figures that are listed."""


def beside(one: Candidate, found: Found) -> list[str]:
    """What a candidate of the front has beside the columns."""
    figures = one.figures
    racks = f"{figures.network_racks:,} rack{'s' * (figures.network_racks != 1)}"
    lines = [
        f"optics: {optics(one)}",
        f"{racks} beside those of the nodes; the longest cable is {figures.longest_m:g} m",
        f"bisection after one lost switch: {loss(one)}",
        cut_off(one),
        *near(one, found),
    ]
    if not one.shape.meet:
        lines.append(
            "rails never meet: what goes to another rail crosses a scale-up domain first (`--rails meet`: none)"
        )
    if figures.without_price:
        lines.append(f"no price, since none is given of {', '.join(figures.without_price)}")
    if figures.unpriced:
        lines.append(f"{figures.unpriced:,} pieces have no price: cables, racks and what belongs to them")
    if one.alike:
        more = f" and {len(one.alike) - ALIKE} more" if len(one.alike) > ALIKE else ""
        lines.append(
            f"of the same figures, and not judged: {', '.join(other.name for other in one.alike[:ALIKE])}{more}"
        )
    return lines


def reckoning(found: Found) -> Iterator[Reckoning]:
    """How the figures of tables were reckoned, with which constants."""
    latency = found.hardware.catalog.constants().latency
    profiles = [found.hardware.catalog.switch(name) for name in sorted({one.shape.switch for one in found.front})]
    yield "formula", (*(_FORMULAS[axis] for axis in columns(found) if axis in _FORMULAS),)
    switches = []
    for profile in profiles:
        ns, watts = latency.switch_ns(profile), profile.power_w.planning_w
        draw = "of unknown draw" if watts is None else f"{watts:,.4g} W ({profile.power_w.basis.replace('-', ' ')})"
        switches.append(f"{profile.id} {'of unknown latency' if ns is None else f'{ns:,.4g} ns'}, {draw}")
    yield "constants", (*switches, f"cable {latency.medium.fibre_ns_per_m:g} ns/m")
    sources = {f"ns of {profile.id}": latency.switch_source(profile) for profile in profiles}
    yield (
        "source",
        (*cited({**sources, "cable": latency.medium.source}), "W: profiles; derived in docs/size.md#figures"),
    )
