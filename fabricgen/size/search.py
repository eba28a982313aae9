"""From wishes to candidates: closed forms prune, what is left is compiled, and what is shown is wired and linted.

Every shape that the arithmetic of ports does not exclude becomes a blueprint and a design (some milliseconds each), of
which is known what it costs at least. Those on the front by that are expanded into wiring plans, judged by every rule
of lint, and counted with their lengths, media and prices; what does not lint clean goes. Then the front is taken again,
until all of it has been judged: what is left out is beaten even if it cost no more than it does at least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError, Severity
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.size.figures import Figures, count_replugged, find_figures, measure_figures
from fabricgen.size.front import HUNGRY, Candidate, find_front, find_near_alike, refuse_all, refuse_hungry_nodes
from fabricgen.size.page import write_blueprint
from fabricgen.size.shapes import (
    Hardware,
    Ports,
    Shape,
    count_most_nodes,
    count_nodes,
    find_likeness,
    list_shapes,
)
from fabricgen.size.wishes import Wishes

SHUFFLED = "fibre shuffles between split NICs and split cages deal out the pairs"
ACCOUNTS_RULE = "FG719"
ACCOUNTS = "accounts are for you to state, in management.users"


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


def search_designs(wishes: Wishes, *, folder: Path, jobs: int, every: bool = False) -> SearchResult:
    """Search for what is wished; own profiles lie in `catalog/` of the folder.

    With `every` the candidates that are beaten are wired and linted too. Raises InputError: FG150 where nothing fits,
    with the reasons and the nearest that would; FG011 for a profile that is not there; FG001 and FG031 for prices.
    """
    hardware = Hardware(wishes, Catalog(folder / "catalog"))
    nodes = count_nodes(wishes.gpus, hardware)
    refuse_hungry_nodes(hardware, nodes)
    work = Work(hardware, nodes, str(folder / "size.yaml"), _read_prices(wishes, folder))
    reasons = Counter[str]()
    tried = list(dict.fromkeys(list_shapes(hardware, nodes)))
    designed = size_shapes(tried, work, jobs, reasons)
    axes = wishes.compared_by
    judged = partial(_judge_selected, work=work, jobs=jobs, reasons=reasons)
    candidates = judged(designed, (lambda all_of_them: all_of_them) if every else partial(find_front, axes=axes))
    if not candidates:
        raise refuse_all(hardware, nodes, reasons, _find_most_frugal(tried, work, jobs) if HUNGRY in reasons else None)
    candidates = judged(candidates, partial(_keep_near, axes=axes))
    candidates = sorted(candidates, key=lambda candidate: (candidate.list_axis_values(axes), candidate.name))
    front, beaten = _split_front(candidates, axes)
    counts = (tuple(tried), len(designed), tuple(reasons.most_common()))
    return SearchResult(
        wishes, hardware, axes, tuple(front), tuple(beaten), *counts, find_near_alike(front, beaten, axes)
    )


def _find_most_frugal(tried: Sequence[Shape], work: Work, jobs: int) -> Candidate | None:
    """The design that draws least of all that lint clean, whatever is allowed, with the figures of its plan."""
    wishes = work.hardware.wishes.model_copy(update={"max_power": None})
    free = replace(work, hardware=Hardware(wishes, work.hardware.catalog))
    designed = [
        candidate for candidate in size_shapes(tried, free, jobs, Counter()) if candidate.figures.power_w is not None
    ]
    judged = _judge_selected(designed, lambda candidates: find_front(candidates, ("power",)), free, jobs, Counter())
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


def size_shapes(tried: Sequence[Shape], work: Work, jobs: int, reasons: Counter[str]) -> list[Candidate]:
    """The designs of some shapes, those alike as one; `reasons` counts the others by why they are no candidates."""
    fitting: dict[object, list[Shape]] = {}
    short: list[tuple[Shape, int]] = []
    for shape in tried:
        ports, reach = work.hardware.ports(shape.switch, shape.planes), count_most_nodes(shape, work.hardware)
        if isinstance(ports, str):
            reasons[ports] += 1
        elif reach < work.nodes:
            short.append((shape, reach))
        else:
            fitting.setdefault(find_likeness(shape, work.hardware, work.nodes), []).append(shape)
    carried = [shape for shapes_alike in fitting.values() for shape in shapes_alike]
    reasons.update(_count_too_small(short, carried, work.hardware))
    return _merge_alike(_run_all(work.size_alike, list(fitting.values()), jobs, reasons))


_MEET = {
    "spine": ", rails meeting in spines",
    "core": ", rails meeting in cores",
    "leaf": ", rails meeting in the leaf",
    "": ", rails apart",
}


def _count_too_small(short: Sequence[tuple[Shape, int]], carried: Sequence[Shape], hardware: Hardware) -> Counter[str]:
    """How many shapes carry too few nodes, and how many they carry: of tiers, switch and planes together.

    Where others of these carry enough, by where rails meet; and where others of that do too, with the greatest of them.
    """
    fits = {(shape.tiers, shape.switch, shape.planes) for shape in carried}
    fits_so = {(shape.tiers, shape.switch, shape.planes, shape.meet) for shape in carried}
    groups: dict[tuple[str, bool], list[tuple[int, str]]] = {}
    for shape, reach in short:
        model = (shape.tiers, shape.switch, shape.planes)
        where = f"{shape.tiers} tier{'s' * (shape.tiers > 1)} of {shape.switch}"
        where += f" in {shape.planes} plane{'s' * (shape.planes > 1)}"
        where += _MEET[shape.meet] if model in fits else ""
        groups.setdefault((where, (*model, shape.meet) in fits_so), []).append((-reach, shape.name))
    counts = Counter[str]()
    for (where, has_example), shortfalls in groups.items():
        most, name = min(shortfalls)
        gpus = f"{-most * hardware.gpus_per_node:,} GPUs at most" if most else "a leaf is too small"
        counts[f"{where}{f', such as {name}' * has_example}: {gpus}"] += len(shortfalls)
    return counts


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


@dataclass(frozen=True)
class Work:
    """What worker processes do with a shape or a candidate; a reason in words where it is none."""

    hardware: Hardware
    nodes: int
    path: str
    prices: dict[str, float] | None

    def size_alike(self, alike: Sequence[Shape]) -> list[Candidate | str]:
        """The candidates of the first of some shapes that are alike, or of the next where that cannot be wired."""
        results: list[Candidate | str] = []
        for number, shape in enumerate(alike, 1):
            candidates = self._size_shape(shape)
            other_shapes = alike[number:]
            for result in candidates:
                if isinstance(result, Candidate):
                    ready = tuple(replace(other_shape, ready=result.shape.ready) for other_shape in other_shapes)
                    results.append(replace(result, alike=ready))
                else:
                    results.append(result)
            if any(isinstance(result, Candidate) for result in candidates):
                break
        return results

    def find_next_alike(self, candidate: Candidate) -> list[Candidate]:
        """The candidate that takes the place of one that does not lint clean, if any."""
        results = self.size_alike([replace(shape, ready=False) for shape in candidate.alike])
        return [
            result
            for result in results
            if isinstance(result, Candidate) and result.shape.ready == candidate.shape.ready
        ]

    def _size_shape(self, shape: Shape) -> list[Candidate | str]:
        """The candidates of a shape: as it is, and with the upper tiers that its growth takes."""
        try:
            text = write_blueprint(shape, self.hardware, self.nodes)
            design = self._compile_design(text)
            candidates = [self._make_candidate(shape, text, design, None)]
        except InputError as error:
            return [f"{error.diagnostics[0].code}: {error.diagnostics[0].message}"]
        later = count_nodes(self.hardware.wishes.growth_to or 0, self.hardware)
        # a shape that growth does not fit is shown without it
        if not later or count_most_nodes(shape, self.hardware) < later:
            return [*candidates]
        try:
            grown = self._compile_design(write_blueprint(shape, self.hardware, later))
        except InputError:
            return [*candidates]
        candidates = [self._make_candidate(shape, text, design, grown)]
        # a further candidate: upper tiers of the size that growth takes, built on the first day
        counts = {tier.name: tier.count for tier in grown.fabrics[0].tiers[1:]}
        if counts != {tier.name: tier.count for tier in design.fabrics[0].tiers[1:]}:
            ready = replace(shape, ready=True)
            text = write_blueprint(ready, self.hardware, self.nodes, counts)
            with suppress(InputError):
                candidates.append(self._make_candidate(ready, text, self._compile_design(text), grown))
        return [*candidates]

    def _compile_design(self, text: str) -> Design:
        return compile_design(self.path, unsaved={self.path: text.encode()}, advise=False)

    def _make_candidate(self, shape: Shape, text: str, design: Design, grown: Design | None) -> Candidate | str:
        figures = find_figures(design, self.prices)
        if grown is not None:
            figures = replace(figures, growth=count_replugged(design, grown))
        return self._explain_hunger(figures) or Candidate(shape, text, figures)

    def _explain_hunger(self, figures: Figures) -> str:
        """Why a candidate draws too much; "" where it does not, or nobody knows what it draws."""
        limit = self.hardware.wishes.max_power
        return HUNGRY if limit is not None and figures.draw_w > limit else ""

    def judge_candidate(self, candidate: Candidate) -> list[Candidate | str]:
        """A candidate with the figures of its wiring plan, if it lints clean; else why not, as text."""
        messages, cluster = self._lint_text(candidate.text)
        waivers_by_code = self._list_waivers(candidate.shape)
        if cluster is None or messages.keys() - waivers_by_code.keys():
            code, message = min(messages.items())
            return [f"{code}: {message}"]
        if messages:
            waivers = "".join(f"    - {waivers_by_code[code]}\n" for code in sorted(messages))
            candidate = replace(candidate, text=f"{candidate.text}lint:\n  waive:\n{waivers}")
        figures = measure_figures(cluster, candidate.figures, self.prices)
        return [self._explain_hunger(figures) or replace(candidate, figures=figures, checked=True)]

    def _lint_text(self, text: str) -> tuple[dict[str, str], Cluster | None]:
        """(what is found against a blueprint, by code; its cluster, None where the design alone is refused)."""
        from fabricgen.lint.engine import LintSettings, lint
        from fabricgen.lint.rule import load_all_rules

        try:
            design = self._compile_design(text)
            weighed = design.loaded.project.lint.severity
            infos = (r.id for r in load_all_rules() if r.severity is Severity.INFO and r.id not in weighed)
            settings = LintSettings(ignore=tuple(infos))

            def list_messages(cluster: Cluster | None) -> dict[str, str]:
                findings = lint(design, cluster, settings).findings
                return {d.code: d.message for d in findings if d.severity > Severity.INFO}

            messages = list_messages(None)
            if messages.keys() - {ACCOUNTS_RULE}:  # most that is refused is refused for its design: spare its wiring
                return messages, None
            cluster = compile_cluster(design)
        except InputError as error:
            return {d.code: d.message for d in error.diagnostics}, None
        return list_messages(cluster), cluster

    def _list_waivers(self, shape: Shape) -> dict[str, str]:
        """Waivers of what a blueprint from here leaves to its user, by code."""
        ports = self.hardware.ports(shape.switch, shape.planes)
        waivers = {ACCOUNTS_RULE: f'{{rule: {ACCOUNTS_RULE}, why: "{ACCOUNTS}"}}'}
        if isinstance(ports, Ports) and ports.ways >= 4:
            waivers["FG603"] = f"{{rule: FG603, at: fabrics/compute, why: {SHUFFLED}}}"
        return waivers


Item = TypeVar("Item")
Outcomes = list[Candidate | str]


def _run_all(
    work: Callable[[Item], Outcomes], tasks: Sequence[Item], jobs: int, reasons: Counter[str]
) -> list[Candidate]:
    """What workers make of all items, in order; reasons of those that are no candidates are counted."""
    from fabricgen.publish.workers import run_in_order

    candidates: list[Candidate] = []
    for results in run_in_order(partial(_run_nth, work, tasks), len(tasks), jobs if len(tasks) > 8 else 1):
        for result in results:
            if isinstance(result, str):
                reasons[result] += 1
            else:
                candidates.append(result)
    return candidates


def _run_nth(work: Callable[[Item], Outcomes], tasks: Sequence[Item], number: int) -> Outcomes:
    return work(tasks[number])


def _merge_alike(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of one switch whose designs are alike in every figure as one, under the name of the first."""
    by_figures: dict[object, list[Candidate]] = {}
    for candidate in candidates:
        figures = candidate.figures
        shape_key = (
            candidate.shape.switch,
            candidate.shape.planes,
            candidate.shape.attach == "tor",
            candidate.shape.ready,
        )
        key = (*shape_key, tuple(figures.switches.items()), *(figures.on(axis) for axis in _COUNTED))
        by_figures.setdefault(key, []).append(candidate)
    return [
        replace(
            candidate,
            alike=(
                *candidate.alike,
                *(shape for duplicate in duplicates for shape in (duplicate.shape, *duplicate.alike)),
            ),
        )
        for candidate, *duplicates in by_figures.values()
    ]


_COUNTED = ("links", "cables", "optics", "bisection", "growth", "hops")


def _judge_selected(
    candidates: list[Candidate],
    select: Callable[[list[Candidate]], list[Candidate]],
    work: Work,
    jobs: int,
    reasons: Counter[str],
) -> list[Candidate]:
    """The candidates without those wanted of them that do not lint clean, in whose place comes the next that is alike;
    what is judged has the figures of its plan.
    """
    while True:
        unchecked = [candidate for candidate in select(candidates) if not candidate.checked]
        if not unchecked:
            return candidates
        checked = {candidate.name: candidate for candidate in _run_all(work.judge_candidate, unchecked, jobs, reasons)}
        instead = {
            candidate.name: work.find_next_alike(candidate) for candidate in unchecked if candidate.name not in checked
        }
        candidates = [
            replacement
            for candidate in candidates
            for replacement in instead.get(candidate.name, [checked.get(candidate.name, candidate)])
        ]
