"""What reports say about candidates in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.analyze.reckoned import Reckoning, cite_sources
from fabricgen.size.front import Candidate, find_winner, measure_distances
from fabricgen.size.hardware import count_nodes
from fabricgen.size.search import SearchResult
from fabricgen.size.wishes import AXES

COLUMNS = (
    *("switches", "links", "cables", "optics", "power", "price"),
    *("hops", "latency", "bisection", "growth", "loss", "left"),
)
"""The axes that tables have as columns, in order; an axis on which no candidate has a figure is left out."""

HEADS = {"power": "kW", "latency": "ns", "growth": "re-plugged", "loss": "NICs lost"}
"""The heads of columns that differ from the name of the axis, such as units."""


TYPICAL = "typical"
"""The basis of a power that is marked in tables."""


def name_column(axis: str) -> str:
    """Return the head of an axis's column."""
    return HEADS.get(axis, axis)


def format_value(candidate: Candidate, axis: str) -> str:
    """Return a candidate's figure on an axis, as tables have it; "-" if nobody knows it."""
    figure = candidate.figures.on(axis)
    if figure is None:
        return "-"
    if axis == "power":
        return f"{'~' * (candidate.figures.power_basis == TYPICAL)}{figure / 1000:,.1f}"
    if axis == "bisection":
        return f"{figure:.3g}"
    if axis == "left":
        return f"{figure:.1%}"
    if axis == "switches":
        return f"{int(figure):,} = {' + '.join(f'{count:,}' for count in candidate.figures.switches.values())}"
    return f"{figure:,.0f}"


def list_columns(result: SearchResult) -> list[str]:
    """Return the columns of tables: the axes of the search, and all on which some candidate has a figure."""
    shown = (*result.front, *result.beaten)
    known_axes = {axis for axis in COLUMNS if any(candidate.figures.on(axis) is not None for candidate in shown)}
    return [axis for axis in COLUMNS if axis in result.axes or axis in known_axes]


def explain_beaten(candidate: Candidate, result: SearchResult) -> str:
    """Say which candidate of the front beats a candidate, and on which axes; "" if none does."""
    winner = find_winner(candidate, result.front, result.axes)
    if winner is None:
        return ""
    loser_values, winner_values = (one.list_axis_values(result.axes) for one in (candidate, winner))
    values = zip(result.axes, loser_values, winner_values, strict=True)
    worse = [axis for axis, loser_value, winner_value in values if winner_value < loser_value]
    advantages = ", ".join(
        f"{name_column(axis)} {_format_plain(winner, axis)} against {_format_plain(candidate, axis)}" for axis in worse
    )
    return f"{winner.name} is no worse on any axis, and better: {advantages}"


def _format_plain(candidate: Candidate, axis: str) -> str:
    return format_value(candidate, axis).split(" = ")[0]


def describe_search(result: SearchResult) -> str:
    """Say in a line what was asked, and how many GPUs the nodes have if they have more than was asked."""
    gpus, per_node = result.wishes.gpus, result.hardware.gpus_per_node
    nodes = count_nodes(gpus, result.hardware)
    text = f"{_format_gpus(gpus)} in {nodes:,} x {result.wishes.node}"
    if gpus == nodes * per_node:
        return text
    return (
        f"{text}: {nodes:,} node{'s' * (nodes > 1)} of {per_node} = {_format_gpus(nodes * per_node)} for {gpus:,} asked"
    )


def _format_gpus(count: int) -> str:
    return f"{count:,} GPU{'s' * (count != 1)}"


def explain_typical(result: SearchResult, *, every: bool) -> list[str]:
    """Explain the mark of typical power, in a line; [] if no candidate that is shown has it."""
    shown = (*result.front, *(result.beaten if every else ()))
    switches = sorted({candidate.shape.switch for candidate in shown if candidate.figures.power_basis == TYPICAL})
    text = f"~ typical draw of {', '.join(switches)}, of which no maximum is published: more can be drawn"
    has_others = any(candidate.figures.power_basis not in (TYPICAL, "unknown") for candidate in shown)
    return [text + ("; other switches count at their maximum" if has_others else "")] if switches else []


def list_unknown(result: SearchResult) -> list[str]:
    """Return a line for each axis on which no candidate has a figure: that it compares nothing, and why."""
    reasons = {
        "growth": f"no design of these grows to {_format_gpus(result.wishes.growth_to or 0)}",
        "price": "every design has switches or transceivers without a price",
        "power": "nobody publishes what these switches draw",
        "latency": "nobody publishes the latency of these switches",
    }
    shown = (*result.front, *result.beaten)
    axes = (axis for axis in result.axes if all(candidate.figures.on(axis) is None for candidate in shown))
    return [f"{name_column(axis)} compares nothing: {reasons[axis]}" for axis in axes]


def summarize_counts(result: SearchResult) -> str:
    """Say how many shapes were tried, and how many are on the front, beaten and excluded."""
    front, beaten = len(result.front), len(result.beaten)
    tried = len(result.tried)
    shapes, designs = "shape" + "s" * (tried != 1), "design" + "s" * (result.compiled != 1)
    return (
        f"{tried:,} {shapes} tried, {result.compiled:,} {designs} of different figures; {front:,} on the front of "
        f"{', '.join(result.axes)}, {beaten:,} beaten, "
        f"{sum(count for _, count in result.reasons):,} excluded"
    )


REFERENCE_MARK = "^"
"""What the maker's design is marked with."""


def name_candidate(candidate: Candidate, result: SearchResult) -> str:
    """Return the name of a candidate, with `REFERENCE_MARK` if it is the maker's design."""
    is_reference = result.reference is not None and candidate.name == result.reference.name
    return f"{candidate.name} {REFERENCE_MARK}" if is_reference else candidate.name


def explain_reference(result: SearchResult) -> str:
    """Explain the mark of the maker's design, or say that no design of the maker is known."""
    node, reference = result.hardware.node, result.reference
    if reference is None or node.reference is None:
        published = "that is known carries so many" if node.reference else "is known to be published"
        return f"no design of the maker of {node.id} {published}"
    shapes = {shape for candidate in (*result.front, *result.beaten) for shape in (candidate.shape, *candidate.alike)}
    apart = "" if reference.shape in shapes else ", not among what is wished for"
    return f"{REFERENCE_MARK} the maker's design{apart}: {node.reference.source.partition(' (')[0]}"


def describe_stand(candidate: Candidate, rows: Sequence[Candidate], axes: Sequence[str]) -> str:
    """Say on which axes a candidate is the best of `rows`, and how far it is behind the best on the others."""
    best_axes, behind = [], []
    for axis in axes:
        values = [row.list_axis_values((axis,)) for row in rows]
        best = rows[values.index(min(values))]
        if candidate.list_axis_values((axis,)) == min(values):
            best_axes += [name_column(axis)] if len(set(values)) > 1 else []
        else:
            behind.append(f"{name_column(axis)} {_format_plain(candidate, axis)} to {_format_plain(best, axis)}")
    return "; ".join(
        [
            f"best in {', '.join(best_axes)}" if best_axes else "best in nothing",
            *([f"behind in {', '.join(behind)}"] if behind else []),
        ]
    )


def describe_rails_apart(candidate: Candidate, result: SearchResult) -> str:
    """Say what is lost with a candidate whose rails never meet."""
    rails = result.hardware.rails
    crossing = (rails - candidate.shape.rails) / rails
    return (
        f"rails never meet: {crossing:.1%} of what GPUs send to all others beyond their node crosses a scale-up domain "
        "first, and no other rail reaches a GPU whose NIC fails"
    )


def describe_losses(candidate: Candidate) -> str:
    """Say in a line what one lost switch of each tier, and one lost link, leaves of the bisection and of NICs."""
    figures = candidate.figures
    parts = []
    for tier, lost in figures.lost.items():
        cut = f"{figures.nics_cut_off:,} NICs cut off, " if lost["node_ports"] and figures.nics_cut_off else ""
        parts.append(f"{tier}: {cut}{lost['bisection_left']:.1%} left")
    cut = "1 NIC cut off, " if figures.nic_links == 1 else ""
    parts.append(f"link: {cut}{min(figures.lost_link.values(), default=1.0):.2%} left")
    return f"one lost {'; '.join(parts)}"


def list_near(candidate: Candidate, result: SearchResult) -> list[str]:
    """Return a line for each beaten candidate with other planes that is nearly alike: how it differs, what it loses."""
    lines = []
    for neighbor in result.near.get(candidate.name, ()):
        planes = f"{neighbor.shape.planes} plane{'s' * (neighbor.shape.planes > 1)}"
        distances = measure_distances(candidate, neighbor, result.axes).items()
        differences = ", ".join(f"{name_column(axis)} {off:+.1%}" for axis, off in distances) or "no axis differs"
        cuts = neighbor.figures.nics_cut_off
        lost = f"one lost leaf cuts {f'{cuts:,} NICs' if cuts else 'no NIC'} off"
        keep = " (with the axis `loss` it is on the front)" if cuts < candidate.figures.nics_cut_off else ""
        lines.append(f"nearly alike in {planes}: {neighbor.name} ({differences}); {lost}{keep}")
    return lines


def list_optics(candidate: Candidate) -> str:
    """Return the optics of a candidate by kind, as text."""
    kinds = sorted(candidate.figures.optics_by_kind.items())
    return ", ".join(f"{count:,} x {part}" for part, count in kinds) or "none"


def describe_axes(result: SearchResult) -> list[str]:
    """Return what each axis of a search is, in words."""
    return [f"{name_column(axis)}: {AXES[axis]}" for axis in result.axes]


_FORMULAS = {
    "power": "kW = what switches are planned to draw, and optics that are not in it",
    "price": "price = pieces of the bill without nodes x what the price file has",
    "latency": "ns = switches of the longest path + metres of the longest cables on it x that of a metre, one way",
    "bisection": "bisection = worst cut into halves over half of what nodes send; after a loss: over that before",
    "left": "left = least bisection after the loss of one switch or link, over that before, dark ports counted",
    "growth": "re-plugged = links between switches whose upper end moves",
}
"""How figures that are not plain counts are computed, by axis."""


ALIKE = 4
"""How many shapes of the same figures are listed, at most."""


def list_details(candidate: Candidate, result: SearchResult) -> list[str]:
    """Return lines about a candidate of the front with what the columns of the table do not have."""
    figures = candidate.figures
    racks = f"{figures.network_racks:,} rack{'s' * (figures.network_racks != 1)}"
    lines = [
        f"optics: {list_optics(candidate)}",
        f"{racks} beside those of the nodes; the longest cable is {figures.longest_m:g} m",
        *list_near(candidate, result),
    ]
    if not candidate.shape.meet:
        lines.append(describe_rails_apart(candidate, result))
    if figures.without_price:
        lines.append(f"no price, since none is given of {', '.join(figures.without_price)}")
    if figures.unpriced:
        lines.append(f"{figures.unpriced:,} pieces have no price: cables, racks and what belongs to them")
    if candidate.alike:
        more = f" and {len(candidate.alike) - ALIKE} more" if len(candidate.alike) > ALIKE else ""
        lines.append(
            f"of the same figures, and not judged: {', '.join(shape.name for shape in candidate.alike[:ALIKE])}{more}"
        )
    return lines


def list_reckonings(result: SearchResult) -> Iterator[Reckoning]:
    """Yield how the figures of tables were computed: (heading, texts) for formulas, constants and their sources."""
    latency = result.hardware.catalog.constants().latency
    profiles = [
        result.hardware.catalog.switch(name) for name in sorted({candidate.shape.switch for candidate in result.front})
    ]
    yield "formula", (*(_FORMULAS[axis] for axis in list_columns(result) if axis in _FORMULAS),)
    switches = []
    for profile in profiles:
        ns, watts = latency.switch_ns(profile), profile.power_w.planning_w
        draw = "of unknown draw" if watts is None else f"{watts:,.4g} W ({profile.power_w.basis.replace('-', ' ')})"
        switches.append(f"{profile.id} {'of unknown latency' if ns is None else f'{ns:,.4g} ns'}, {draw}")
    yield "constants", (*switches, f"cable {latency.medium.fibre_ns_per_m:g} ns/m")
    sources = {f"ns of {profile.id}": latency.switch_source(profile) for profile in profiles}
    yield (
        "source",
        (*cite_sources({**sources, "cable": latency.medium.source}), "W: profiles; derived in docs/size.md#figures"),
    )
