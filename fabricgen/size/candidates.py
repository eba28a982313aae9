"""Candidates: shapes that are sized as designs, those alike as one, and judged on their wiring plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TypeVar

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError, Severity
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.size.figures import Figures, add_losses, count_replugged, find_figures, measure_figures
from fabricgen.size.front import HUNGRY, UNKNOWN_DRAW, Candidate
from fabricgen.size.hardware import SHUFFLED_WAYS, Hardware, Ports, Shape, count_nodes
from fabricgen.size.page import write_blueprint
from fabricgen.size.shapes import count_most_nodes, find_likeness

SHUFFLED = "fibre shuffles between split NICs and split cages deal out the pairs"
ACCOUNTS_RULE = "FG719"
ACCOUNTS = "accounts are for you to state, in management.users"


@dataclass(frozen=True)
class Work:
    """What worker processes do with a shape or a candidate: they return candidates, or texts that say why it is none.

    `path` is the file that diagnostics of blueprints name. `prices` are prices by part, None if there are none.
    """

    hardware: Hardware
    nodes: int
    path: str
    prices: dict[str, float] | None
    every: bool = False
    """Whether every candidate is judged; then losses are computed when it is judged, after candidates were merged."""

    def size_alike(self, alike: Sequence[Shape]) -> list[Candidate | str]:
        """Return the candidates of the first of some alike shapes that can be designed, and why earlier ones cannot.

        Each candidate has the shapes after its own as `alike`; a reason is a text.
        """
        results: list[Candidate | str] = []
        for number, shape in enumerate(alike, 1):
            for result in self._size_shape(shape):
                if isinstance(result, Candidate):
                    untried = tuple(replace(other_shape, ready=result.shape.ready) for other_shape in alike[number:])
                    results.append(replace(result, alike=untried))
                else:
                    results.append(result)
            if any(isinstance(result, Candidate) for result in results):
                break
        return results

    def find_next_alike(self, candidate: Candidate) -> list[Candidate]:
        """Return the candidate that replaces one that does not lint clean, in a list; empty if no further shape fits.

        Shapes of the same kind that are not tried yet (`candidate.alike`) are tried in order, up to the first that can
        be designed.
        """
        results = self.size_alike([replace(shape, ready=False) for shape in candidate.alike])
        return [
            result
            for result in results
            if isinstance(result, Candidate) and result.shape.ready == candidate.shape.ready
        ]

    def _size_shape(self, shape: Shape) -> list[Candidate | str]:
        """Return the candidates of a shape, or a single text that says why there is none.

        The first has the tiers that the nodes take. If upper tiers for the wished growth are larger, a second candidate
        has them from the first day (`ready`).
        """
        try:
            text, design = self._design_shape(shape, self.nodes)
            candidates = [self._make_candidate(shape, text, design, None)]
        except InputError as error:
            return [f"{error.diagnostics[0].code}: {error.diagnostics[0].message}"]
        grown_nodes = count_nodes(self.hardware.wishes.growth_to or 0, self.hardware)
        # a shape that cannot grow so far is shown without growth
        if not grown_nodes or count_most_nodes(shape, self.hardware) < grown_nodes:
            return [*candidates]
        try:
            _, grown = self._design_shape(shape, grown_nodes)
        except InputError:
            return [*candidates]
        candidates = [self._make_candidate(shape, text, design, grown)]
        # the second candidate: upper tiers of the size that growth takes, built on the first day
        counts = {tier.name: tier.count for tier in grown.fabrics[0].tiers[1:]}
        if counts != {tier.name: tier.count for tier in design.fabrics[0].tiers[1:]}:
            ready = replace(shape, ready=True)
            text = write_blueprint(ready, self.hardware, self.nodes, counts)
            with suppress(InputError):
                candidates.append(self._make_candidate(ready, text, self._compile_design(text), grown))
        return [*candidates]

    def _design_shape(self, shape: Shape, nodes: int) -> tuple[str, Design]:
        """Return (text of the blueprint, design) of a shape with `nodes` nodes; raises InputError if it cannot be.

        The number of spines is derived. If a lossless network needs more (`count_least_spines`), the blueprint states
        that number.
        """
        text = write_blueprint(shape, self.hardware, nodes)
        design = self._compile_design(text)
        if counts := count_least_spines(design):
            text = write_blueprint(shape, self.hardware, nodes, counts)
            design = self._compile_design(text)
        return text, design

    def _compile_design(self, text: str) -> Design:
        return _compile_text(self.path, text, self.hardware.catalog)

    def _make_candidate(self, shape: Shape, text: str, design: Design, grown: Design | None) -> Candidate | str:
        """Return the candidate of a design with its figures, or why it is none; `grown` is its growth, if any."""
        figures = find_figures(design, self.prices)
        figures = figures if self.every else add_losses(figures, design)
        if grown is not None:
            figures = replace(figures, growth=count_replugged(design, grown))
        return self._explain_hunger(figures) or Candidate(shape, text, figures)

    def _explain_hunger(self, figures: Figures) -> str:
        """Return why a candidate may draw more than the wished limit; "" if it does not, or if there is no limit.

        The draw of nodes counts if it is known.
        """
        limit = self.hardware.wishes.max_power
        if limit is None:
            return ""
        return UNKNOWN_DRAW if figures.power_w is None else HUNGRY if figures.draw_w > limit else ""

    def judge_candidate(self, candidate: Candidate) -> list[Candidate | str]:
        """Return a candidate with the figures of its wiring plan if it lints clean, else why it does not; one entry.

        Findings of `list_waivers` do not count: the blueprint gets their waivers.
        """
        messages, cluster = self._lint_text(candidate.text)
        waivers_by_code = list_waivers(candidate.shape, self.hardware)
        if cluster is None or messages.keys() - waivers_by_code.keys():
            code, message = min(messages.items())
            return [f"{code}: {message}"]
        if messages:
            waivers = "".join(f"    - {{rule: {code}, {waivers_by_code[code]}}}\n" for code in sorted(messages))
            candidate = replace(candidate, text=f"{candidate.text}lint:\n  waive:\n{waivers}")
        figures = measure_figures(cluster, candidate.figures, self.prices)
        figures = add_losses(figures, cluster.design) if self.every else figures
        return [self._explain_hunger(figures) or replace(candidate, figures=figures, checked=True)]

    def _lint_text(self, text: str) -> tuple[dict[str, str], Cluster | None]:
        """Return (message of each warning or error of lint by code, the cluster) of a blueprint.

        The cluster is None if the design is refused already: its plan is not wired then.
        """
        from fabricgen.lint.engine import LintSettings, lint
        from fabricgen.lint.rule import load_all_rules, load_design_rules

        try:
            design = self._compile_design(text)
            weighed = design.loaded.project.lint.severity
            infos = tuple(r.id for r in load_all_rules() if r.severity is Severity.INFO and r.id not in weighed)

            def list_messages(cluster: Cluster | None, ignore: tuple[str, ...]) -> dict[str, str]:
                findings = lint(design, cluster, LintSettings(ignore=ignore)).findings
                return {d.code: d.message for d in findings if d.severity > Severity.INFO}

            messages = list_messages(None, infos)
            if messages.keys() - {ACCOUNTS_RULE}:  # most blueprints are refused for their design: save their wiring
                return messages, None
            cluster = compile_cluster(design)
        except InputError as error:
            return {d.code: d.message for d in error.diagnostics}, None
        judged = tuple(rule.id for rule in load_design_rules())
        return messages | list_messages(cluster, (*infos, *judged)), cluster


KEPT = 512
"""Designs that are cached until they are judged, at most; some 90 kB each."""


@lru_cache(maxsize=KEPT)
def _compile_text(path: str, text: str, catalog: Catalog) -> Design:
    """Return the design of a blueprint's text; cached, since it is sized first and judged later."""
    return compile_design(path, unsaved={path: text.encode()}, advise=False, catalog=catalog)


def list_waivers(shape: Shape, hardware: Hardware) -> dict[str, str]:
    """Return the waivers of findings that a proposed blueprint leaves to its user: code -> text of the waiver."""
    ports = hardware.find_ports(shape.switch, shape.planes)
    waivers = {ACCOUNTS_RULE: f'why: "{ACCOUNTS}"'}
    if isinstance(ports, Ports) and ports.ways >= SHUFFLED_WAYS:
        waivers["FG603"] = f"at: fabrics/compute, why: {SHUFFLED}"
    return waivers


def count_least_spines(design: Design) -> dict[str, int]:
    """Return the number of spines to state, by name of the tier; empty if it need not be stated.

    It is stated for a RoCE fabric of two tiers in one plane, if fewer spines are derived than a lossless network has at
    least (FG303): the fewest that suffice and divide the uplinks of a leaf.
    """
    from fabricgen.lint.rules.design.topology.fg303_few_spines import FEWEST

    fabric = design.fabrics[0]
    uplink = fabric.tiers[0].uplink
    if uplink is None or len(fabric.tiers) > 2 or fabric.planes > 1 or fabric.protocol != "roce":
        return {}
    if uplink.upper_count * uplink.upper_groups >= FEWEST:
        return {}
    needed = -(-FEWEST // uplink.upper_groups)
    counts = (n for n in range(needed, uplink.links_per_group + 1) if uplink.links_per_group % n == 0)
    count = next(counts, 0)
    return {fabric.tiers[1].name: count} if count else {}


def size_shapes(tried: Sequence[Shape], work: Work, jobs: int, reasons: Counter[str]) -> list[Candidate]:
    """Return the candidates of some shapes, alike shapes as one candidate.

    `reasons` is added to: the number of shapes that are no candidates, by the text that says why. Up to `jobs`
    processes work at it.
    """
    fitting: dict[object, list[Shape]] = {}
    short: list[tuple[Shape, int]] = []
    for shape in tried:
        ports, reach = work.hardware.find_ports(shape.switch, shape.planes), count_most_nodes(shape, work.hardware)
        if isinstance(ports, str):
            reasons[ports] += 1
        elif reach < work.nodes:
            short.append((shape, reach))
        else:
            fitting.setdefault(find_likeness(shape, work.hardware, work.nodes), []).append(shape)
    carried = [shape for shapes_alike in fitting.values() for shape in shapes_alike]
    reasons.update(_count_too_small(short, carried, work.hardware))
    # if all are judged, the judging processes are forked from this one and inherit the designs that it makes
    jobs = 1 if work.every and len(fitting) <= KEPT else jobs
    return _merge_alike(_run_all(work.size_alike, list(fitting.values()), jobs, reasons))


_FORMS = {"dragonfly": "a dragonfly", "hyperx": "a HyperX"}
_MEET = {
    "spine": ", rails meeting in spines",
    "core": ", rails meeting in cores",
    "leaf": ", rails meeting in the leaf",
    "": ", rails apart",
}


def _count_too_small(short: Sequence[tuple[Shape, int]], carried: Sequence[Shape], hardware: Hardware) -> Counter[str]:
    """Return how many shapes carry too few nodes, by reason: what they are, and the most GPUs that one of them carries.

    `short` has (shape, most nodes) of the shapes that carry too few, `carried` has those that carry enough. A reason is
    for shapes of equal tiers, form, switch and planes. If other such shapes carry enough, it also tells where rails
    meet; if others whose rails meet in the same tier do, it names the greatest shape that does not.
    """
    fits = {(shape.tiers, shape.form, shape.switch, shape.planes) for shape in carried}
    fits_with_meet = {(shape.tiers, shape.form, shape.switch, shape.planes, shape.meet) for shape in carried}
    groups: dict[tuple[str, bool], list[tuple[int, str]]] = {}
    for shape, reach in short:
        model = (shape.tiers, shape.form, shape.switch, shape.planes)
        where = f"{_FORMS.get(shape.form) or f'{shape.tiers} tier' + 's' * (shape.tiers > 1)} of {shape.switch}"
        where += f" in {shape.planes} plane{'s' * (shape.planes > 1)}"
        where += _MEET[shape.meet] if model in fits else ""
        groups.setdefault((where, (*model, shape.meet) in fits_with_meet), []).append((-reach, shape.name))
    counts = Counter[str]()
    for (where, has_example), shortfalls in groups.items():
        # of the shapes with the greatest reach the first by name
        negative_reach, name = min(shortfalls)
        gpus = f"{-negative_reach * hardware.gpus_per_node:,} GPUs at most" if negative_reach else "a leaf is too small"
        counts[f"{where}{f', such as {name}' * has_example}: {gpus}"] += len(shortfalls)
    return counts


Item = TypeVar("Item")
Outcomes = list[Candidate | str]


def _run_all(
    work: Callable[[Item], Outcomes], tasks: Sequence[Item], jobs: int, reasons: Counter[str]
) -> list[Candidate]:
    """Return the candidates that workers make of all tasks, in order; count in `reasons` why tasks give none."""
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
    """Merge candidates of one kind and switch whose designs are alike in every figure, under the name of the first."""
    by_figures: dict[object, list[Candidate]] = {}
    for candidate in candidates:
        figures = candidate.figures
        shape_key = (
            candidate.shape.form,
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


def judge_selected(
    candidates: list[Candidate],
    select: Callable[[list[Candidate]], list[Candidate]],
    work: Work,
    jobs: int,
    reasons: Counter[str],
) -> list[Candidate]:
    """Judge the candidates that `select` selects, again and again until all that it selects are judged; return all.

    A candidate that does not lint clean is replaced by the next shape alike to it, if any. Candidates that were judged
    have the figures of their wiring plans. `reasons` counts why others fail.
    """
    while True:
        unchecked = [candidate for candidate in select(candidates) if not candidate.checked]
        if not unchecked:
            return candidates
        checked = {candidate.name: candidate for candidate in _run_all(work.judge_candidate, unchecked, jobs, reasons)}
        replacements = {
            candidate.name: work.find_next_alike(candidate) for candidate in unchecked if candidate.name not in checked
        }
        # each is replaced by itself as checked, or if it failed by the next alike, if any
        candidates = [
            replacement
            for candidate in candidates
            for replacement in replacements.get(candidate.name, [checked.get(candidate.name, candidate)])
        ]


def judge_until_clean(candidates: Sequence[Candidate], work: Work) -> Candidate | None:
    """Return the first candidate that lints clean, with the figures of its wiring plan; None if there is none."""
    results = (result for candidate in candidates for result in work.judge_candidate(candidate))
    return next((result for result in results if isinstance(result, Candidate)), None)
