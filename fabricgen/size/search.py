"""From wishes to candidates: closed forms prune, what is left is compiled, and what is shown is wired and linted.

Every shape that the arithmetic of ports does not exclude becomes a blueprint and a design (some milliseconds each), of
which is known what it costs at least. Those on the front by that are expanded into wiring plans, judged by every rule
of lint, and counted with their lengths, media and prices; what does not lint clean goes. Then the front is taken again,
until all of it has been judged: what is left out is beaten even if it cost no more than it does at least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import InputError
from fabricgen.size.candidates import Work, judge_selected, size_shapes
from fabricgen.size.front import HUNGRY, Candidate, find_front, find_near_alike, refuse_all, refuse_hungry_nodes
from fabricgen.size.hardware import Hardware, Shape, count_nodes
from fabricgen.size.reference import find_reference, put_reference
from fabricgen.size.rows import choose_rows
from fabricgen.size.shapes import list_shapes
from fabricgen.size.wishes import Wishes


@dataclass(frozen=True)
class SearchResult:
    """What a search found: the front, the candidates that it beats, and why others are none.

    `tried` shapes were looked at, `compiled` were made into designs; `reasons` counts the others by why they are no
    candidates.
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
    """By name of one of the front: those of other planes that are nearly alike, though beaten."""
    reference: Candidate | None = None
    """The design that the maker of the nodes publishes, on the front or not; None where none is known."""

    @property
    def rows(self) -> tuple[Candidate, ...]:
        """Those of the first screen."""
        return choose_rows(self.front, self.reference, self.axes, self.hardware)

    def list_shown(self, *, every: bool) -> tuple[Candidate, ...]:
        """The front, with `every` what it beats, and the maker's design."""
        shown = (*self.front, *(self.beaten if every else ()))
        names = {candidate.name for candidate in shown}
        return (*shown, *([self.reference] if self.reference and self.reference.name not in names else []))


def search_designs(wishes: Wishes, *, folder: Path, jobs: int, every: bool = False) -> SearchResult:
    """Search for what is wished; own profiles lie in `catalog/` of the folder.

    With `every` the candidates that are beaten are wired and linted too. Raises InputError: FG150 where nothing fits,
    with the reasons and the nearest that would; FG011 for a profile that is not there; FG001 and FG031 for prices.
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
    candidates = judged(candidates, partial(_keep_near, axes=axes))
    candidates = sorted(candidates, key=lambda candidate: (candidate.list_axis_values(axes), candidate.name))
    front, beaten = _split_front(candidates, axes)
    counts = (tuple(tried), compiled, tuple(reasons.most_common()))
    near = find_near_alike(front, beaten, axes)
    return SearchResult(wishes, hardware, axes, tuple(front), tuple(beaten), *counts, near, reference)


def _find_most_frugal(tried: Sequence[Shape], work: Work, jobs: int) -> Candidate | None:
    """The design that draws least of all that lint clean, whatever is allowed, with the figures of its plan."""
    wishes = work.hardware.wishes.model_copy(update={"max_power": None})
    free = replace(work, hardware=Hardware(wishes, work.hardware.catalog), every=False)
    designed = [
        candidate for candidate in size_shapes(tried, free, jobs, Counter()) if candidate.figures.power_w is not None
    ]
    judged = judge_selected(designed, lambda candidates: find_front(candidates, ("power",)), free, jobs, Counter())
    return min(
        (candidate for candidate in judged if candidate.checked),
        key=lambda candidate: (candidate.figures.draw_w, candidate.name),
        default=None,
    )


def _split_front(candidates: Sequence[Candidate], axes: tuple[str, ...]) -> tuple[list[Candidate], list[Candidate]]:
    """The front, and what it beats."""
    front = find_front(candidates, axes)
    names = {candidate.name for candidate in front}
    return front, [candidate for candidate in candidates if candidate.name not in names]


def _keep_near(candidates: Sequence[Candidate], axes: tuple[str, ...]) -> list[Candidate]:
    """The front, and those of other planes that are nearly alike."""
    front, beaten = _split_front(candidates, axes)
    near = {
        neighbor.name: neighbor for neighbors in find_near_alike(front, beaten, axes).values() for neighbor in neighbors
    }
    return [*front, *near.values()]


def _read_prices(wishes: Wishes, folder: Path) -> dict[str, float] | None:
    """Unit prices; of a file that the wishes name, and not an option, no fault repeats what is in it."""
    from fabricgen.bom.prices import read_price_list

    try:
        return read_price_list(folder / wishes.prices).unit_prices if wishes.prices else None
    except InputError as error:  # a file that is not there has no line of its own
        if wishes.prices and not Path(wishes.prices).is_absolute():
            untold = "the prices cannot be read from here on", f"`fabricgen bom --prices {wishes.prices}` says why"
            diagnostics = [
                replace(d, message=untold[0], hint=untold[1]) if d.code == "FG031" else replace(d, span=None)
                for d in error.diagnostics
            ]
            error = InputError(diagnostics)
        raise InputError(d if d.span else replace(d, path=("prices",)) for d in error.diagnostics) from error
