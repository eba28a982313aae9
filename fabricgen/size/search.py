"""From wishes to candidates: closed forms prune, other shapes are compiled, and those that are shown wired and linted.

Every shape that the arithmetic of ports does not exclude becomes a blueprint and a design (some milliseconds each),
which gives lower bounds of its costs. The front by these bounds is expanded into wiring plans, judged by every rule of
lint, and counted with its lengths, media and prices; a design that does not lint clean is dropped. Then the front is
taken again, until all of it has been judged: any other design is beaten even if it costs no more than its bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import InputError
from fabricgen.size.candidates import Work, judge_selected, judge_until_clean, size_shapes
from fabricgen.size.front import HUNGRY, Candidate, find_front, find_near_alike, refuse_all, refuse_hungry_nodes
from fabricgen.size.hardware import Hardware, Shape, count_nodes
from fabricgen.size.shapes import count_most_nodes, list_shapes
from fabricgen.size.wishes import Wishes


@dataclass(frozen=True)
class SearchResult:
    """What a search found: the front, the candidates that it beats, and why other shapes are no candidates.

    `tried` are all shapes that were considered; `compiled` is how many designs were made of them. `reasons` has (why
    shapes are no candidates, how many shapes), the commonest reason first.
    """

    wishes: Wishes
    hardware: Hardware
    axes: tuple[str, ...]
    front: tuple[Candidate, ...]
    beaten: tuple[Candidate, ...]
    tried: tuple[Shape, ...]
    compiled: int
    reasons: tuple[tuple[str, int], ...]
    near: Mapping[str, tuple[Candidate, ...]]
    """By name of a candidate of the front: beaten ones with other numbers of planes that are nearly alike."""
    reference: Candidate | None = None
    """The design that the maker of the nodes publishes, on the front or not; None if none is known."""

    @property
    def rows(self) -> tuple[Candidate, ...]:
        """The candidates of the first screen."""
        return choose_rows(self.front, self.reference, self.axes, self.hardware)

    def list_shown(self, *, every: bool) -> tuple[Candidate, ...]:
        """Return the front, the candidates that it beats with `every`, and last the maker's design."""
        shown = (*self.front, *(self.beaten if every else ()))
        names = {candidate.name for candidate in shown}
        return (*shown, *([self.reference] if self.reference and self.reference.name not in names else []))


def search_designs(wishes: Wishes, *, folder: Path, jobs: int, every: bool = False) -> SearchResult:
    """Search for designs that fit some wishes; the user's profiles and prices are read from `folder`.

    With `every`, candidates that are beaten are wired and linted too. Up to `jobs` processes work at it. Raises
    InputError: FG150 if nothing fits, with the reasons and the nearest that would; FG011 for an unknown profile; FG001
    and FG031 for prices that cannot be read.
    """
    hardware = Hardware(wishes, Catalog(folder / "catalog"))
    nodes = count_nodes(wishes.gpus, hardware)
    refuse_hungry_nodes(hardware, nodes)
    work = Work(hardware, nodes, str(folder / "size.yaml"), _read_prices(wishes, folder), every)
    reasons = Counter[str]()
    tried = list(dict.fromkeys(list_shapes(hardware, nodes)))
    designed = size_shapes(tried, work, jobs, reasons)
    compiled, reference = len(designed), find_reference(work, jobs)
    if reference is not None:
        designed = put_reference(designed, reference)
    axes = wishes.compared_by
    judged = partial(judge_selected, work=work, jobs=jobs, reasons=reasons)
    candidates = judged(designed, (lambda all_of_them: all_of_them) if every else partial(find_front, axes=axes))
    if not candidates:
        raise refuse_all(hardware, nodes, reasons, _find_most_frugal(tried, work, jobs) if HUNGRY in reasons else None)
    candidates = judged(candidates, partial(_select_front_and_near, axes=axes))
    candidates = sorted(candidates, key=lambda candidate: (candidate.list_axis_values(axes), candidate.name))
    front, beaten = _split_front(candidates, axes)
    counts = (tuple(tried), compiled, tuple(reasons.most_common()))
    near = find_near_alike(front, beaten, axes)
    return SearchResult(wishes, hardware, axes, tuple(front), tuple(beaten), *counts, near, reference)


def _find_most_frugal(tried: Sequence[Shape], work: Work, jobs: int) -> Candidate | None:
    """Return the design that draws least of those that lint clean, without the limit of power; None if there is none.

    It has the figures of its wiring plan.
    """
    wishes = work.hardware.wishes.model_copy(update={"max_power": None})
    unlimited = replace(work, hardware=Hardware(wishes, work.hardware.catalog), every=False)
    designed = [
        candidate
        for candidate in size_shapes(tried, unlimited, jobs, Counter())
        if candidate.figures.power_w is not None
    ]
    judged = judge_selected(designed, lambda candidates: find_front(candidates, ("power",)), unlimited, jobs, Counter())
    return min(
        (candidate for candidate in judged if candidate.checked),
        key=lambda candidate: (candidate.figures.draw_w, candidate.name),
        default=None,
    )


def _split_front(candidates: Sequence[Candidate], axes: tuple[str, ...]) -> tuple[list[Candidate], list[Candidate]]:
    """Return (the front, the candidates that it beats), each in the order given."""
    front = find_front(candidates, axes)
    names = {candidate.name for candidate in front}
    return front, [candidate for candidate in candidates if candidate.name not in names]


def _select_front_and_near(candidates: Sequence[Candidate], axes: tuple[str, ...]) -> list[Candidate]:
    """Return the front, and beaten candidates with other numbers of planes that are nearly alike."""
    front, beaten = _split_front(candidates, axes)
    near = {
        neighbor.name: neighbor for neighbors in find_near_alike(front, beaten, axes).values() for neighbor in neighbors
    }
    return [*front, *near.values()]


def _read_prices(wishes: Wishes, folder: Path) -> dict[str, float] | None:
    """Return unit prices by part, or None if the wishes name no file of prices.

    Raises InputError like `read_price_list` (FG001, FG031). If the wishes name the file by a relative path, it may be
    anybody's file: then errors do not repeat what is in it.
    """
    from fabricgen.bom.prices import read_price_list

    try:
        return read_price_list(folder / wishes.prices).unit_prices if wishes.prices else None
    except InputError as error:  # a file that is not there has no line of its own
        if wishes.prices and not Path(wishes.prices).is_absolute():
            message, hint = (
                "the prices cannot be read from here on",
                f"`fabricgen bom --prices {wishes.prices}` says why",
            )
            diagnostics = [
                replace(d, message=message, hint=hint) if d.code == "FG031" else replace(d, span=None)
                for d in error.diagnostics
            ]
            error = InputError(diagnostics)
        raise InputError(d if d.span else replace(d, path=("prices",)) for d in error.diagnostics) from error


# The design that the maker of a node publishes for it, at the number of nodes that is asked for.


def find_reference(work: Work, jobs: int) -> Candidate | None:
    """Return the design that the maker of a search's node publishes, for its number of nodes, wired and linted.

    It obeys only those wishes that are for the nodes of a rack, for growth, and for ports that are kept free. If the
    maker does not publish the size of a unit, it is the design with fewest switches. None if no design is published, or
    if the published one does not carry all of the nodes.
    """
    design = work.hardware.node.reference
    if design is None or design.switch not in work.hardware.catalog.ids("switches"):
        return None
    wishes = work.hardware.wishes
    obeyed = {key: getattr(wishes, key) for key in ("gpus", "node", "growth_to", "spare_ports", "nodes_per_rack")}
    published = {"switch": design.switch, "planes": design.planes, "unit_size": [design.unit] if design.unit else []}
    free_wishes = Wishes.model_validate({**obeyed, **published, "tiers": (2, 3), "attach": "rail"})
    free = Hardware(free_wishes, work.hardware.catalog)
    shapes = [shape for shape in list_shapes(free, work.nodes) if _is_published(shape, design.pod, free, work.nodes)]
    fewest_tiers = [shape for shape in shapes if shape.tiers == shapes[0].tiers]
    designed = size_shapes(fewest_tiers, replace(work, hardware=free), jobs, Counter())
    built = [candidate for candidate in designed if not candidate.shape.ready]
    ordered = sorted(built, key=lambda one: (one.figures.on("switches"), one.figures.optics, one.name))
    return judge_until_clean(ordered, replace(work, hardware=free))


def _is_published(shape: Shape, pod: int | None, hardware: Hardware, nodes: int) -> bool:
    """Whether a shape is the maker's and carries the nodes: rails meet in spines, pods have the published units."""
    pods_fit = shape.tiers == 2 or pod in (None, shape.pod)
    return shape.meet == "spine" and pods_fit and count_most_nodes(shape, hardware) >= nodes


def put_reference(candidates: Sequence[Candidate], reference: Candidate) -> list[Candidate]:
    """Return the candidates with `reference`, the maker's design, in place of the one that has its shape.

    That is the candidate of this shape, or one that has the shape among its `alike`. If the maker's design is not as
    wished, there is none, and all candidates are returned as they are.
    """
    merged = []
    for candidate in candidates:
        shapes = (candidate.shape, *candidate.alike)
        is_reference = reference.shape in shapes
        alike = tuple(shape for shape in shapes if shape != reference.shape)
        merged.append(replace(reference, alike=alike) if is_reference else candidate)
    return merged


# The rows of the first screen: the few designs among which a buyer decides. The maker's design comes first, then the
# nearest to the best of each kind (InfiniBand or Ethernet, planes, how nodes attach) that nobody would call too many
# switches, then the cheapest on each axis, then the nearest of all.

MOST_ROWS = 8
MOST_TIMES = 4
"""A design is shown for its kind only if it has at most so many times the fewest switches of its protocol."""


def choose_rows(
    front: Sequence[Candidate], reference: Candidate | None, axes: Sequence[str], hardware: Hardware
) -> tuple[Candidate, ...]:
    """Return at most `MOST_ROWS` candidates to show first, chosen as said above, in the order of the front.

    They are the maker's design (last, if it is not on the front), the best of each kind, the best on each axis of
    costs, and then those nearest to the best figures (`measure_distances_to_best`).
    """
    distances = measure_distances_to_best(front, axes)
    nearest = sorted(front, key=lambda one: (distances[one.name], one.name))
    switches = {one.name: sum(one.figures.switches.values()) for one in front}
    protocols = {one.name: hardware.catalog.switch(one.shape.switch).protocol for one in front}
    fewest = {
        protocol: min(switches[n] for n in switches if protocols[n] == protocol) for protocol in protocols.values()
    }
    # the nearest of a kind comes last, and stays
    kinds = {
        _describe_kind(one, protocols[one.name]): one
        for one in reversed(nearest)
        if switches[one.name] <= MOST_TIMES * fewest[protocols[one.name]]
    }
    # the best on the axes of losses are left out: they have the smallest leaves and the most switches
    costs = [axis for axis in axes if axis not in ("loss", "left") and len(_list_values(front, axis)) > 1]
    best = [min(nearest, key=lambda one: one.list_axis_values((axis,))) for axis in costs]
    wanted = [*([reference] if reference else []), *sorted(kinds.values(), key=nearest.index), *best, *nearest]
    names = list(dict.fromkeys(candidate.name for candidate in wanted))[:MOST_ROWS]
    shown = {candidate.name: candidate for candidate in (*front, *([reference] if reference else []))}
    return tuple(candidate for name, candidate in shown.items() if name in names)


def _describe_kind(candidate: Candidate, protocol: str) -> tuple[object, ...]:
    """Return the kind of a candidate, of which the first screen shows one: a tuple that is equal for equal kinds."""
    shape = candidate.shape
    return (protocol, shape.form, shape.planes, shape.attach, shape.meet == "", shape.ready)


def measure_distances_to_best(candidates: Sequence[Candidate], axes: Sequence[str]) -> Mapping[str, float]:
    """Return, by name of a candidate, how far it is from the best figures: a sum over the axes.

    On each axis the best figure is at distance 0 and the worst at 1; an unknown figure is at 1.
    """
    distances = dict.fromkeys((candidate.name for candidate in candidates), 0.0)
    for axis in axes:
        values = _list_values(candidates, axis)
        for candidate in candidates if len(values) > 1 or inf in values else ():
            (value,) = candidate.list_axis_values((axis,))
            known_values = values - {inf}
            best, spread = min(known_values, default=0), max(known_values, default=0) - min(known_values, default=0)
            distances[candidate.name] += 1.0 if value == inf else (value - best) / spread if spread else 0.0
    return distances


def _list_values(candidates: Sequence[Candidate], axis: str) -> set[float]:
    """Return the different values (`list_axis_values`) that candidates have on an axis."""
    return {value for candidate in candidates for value in candidate.list_axis_values((axis,))}
