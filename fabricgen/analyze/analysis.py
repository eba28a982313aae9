"""The analysis of a cluster: its sections, of each network that joins accelerators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from fabricgen.analyze.reckoned import Reckoning, format_reckonings
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import did_you_mean, fault

if TYPE_CHECKING:
    from fabricgen.analyze.asked import Job, Question
    from fabricgen.analyze.network import Network
    from fabricgen.cluster import Cluster

SECTIONS, MESHED = "fabricgen.analyze.sections", "fabricgen.analyze.meshed"

ToldReckonings = set[tuple[str, Reckoning]]
"""(section, reckoning) of everything that a report has already said about how figures are computed."""


def list_sections() -> tuple[str, ...]:
    """Return the names of all sections, in the order in which reports have them."""
    names = discovery.list_modules(SECTIONS)
    return tuple(sorted(names, key=lambda name: discovery.load_module(SECTIONS, name).ORDER))


def analyze_cluster(
    cluster: Cluster,
    question: Question,
    make_job: Callable[[Network], Job],
    sections: Collection[str] = (),
    fabric: str | None = None,
) -> dict[str, Any]:
    """Return the name of the blueprint, and figures by section and fabric: {"blueprint", SECTION: {FABRIC: figures}}.

    Only `sections` are computed, or all if it is empty, and only networks of `fabric`, or of all if it is None.
    `make_job` makes the job of each network. Raises InputError (FG145) if no network joins nodes, or if no network is
    that of `fabric`.
    """
    from fabricgen.analyze.network import list_networks

    networks = list(list_networks(cluster, meshed=True))
    fabric_names = [network.fabric.name for network in networks]
    if not networks:
        raise fault("FG145", "no fabric attaches nodes", hint="`attach: compute` names their NICs")
    if fabric is not None and fabric not in fabric_names:
        raise fault("FG145", f"no accelerators are joined by '{fabric}'", hint=did_you_mean(fabric, fabric_names))
    networks = [network for network in networks if fabric in (None, network.fabric.name)]
    jobs = [make_job(network) for network in networks]
    figures: dict[str, Any] = {"blueprint": cluster.design.loaded.blueprint.name}
    for name in list_sections():
        if not sections or name in sections:
            pairs = zip(networks, jobs, strict=True)
            figures[name] = {
                network.fabric.name: _load_section(name, meshed=network.is_meshed).figures(network, job, question)
                for network, job in pairs
            }
    return figures


def describe_analysis(figures_by_section: Mapping[str, Any], told_already: ToldReckonings) -> Iterator[str]:
    """Yield the lines of an analysis, section by section, each with how its figures were computed.

    What is in `told_already`, from another fabric or blueprint, is not repeated; what is yielded is added to it.
    """
    yield figures_by_section["blueprint"]
    for name in list_sections():
        for fabric, figures in figures_by_section.get(name, {}).items():
            title = f"{name.replace('_', ' ')} of {fabric}"
            yield from ("", title, "-" * len(title))
            module = _load_section(name, meshed="within_tier" in figures)
            yield from cast("Iterator[str]", module.lines(figures))
            rows = [row for row in _add_derivation(name, module.reckoning(figures)) if (name, row) not in told_already]
            told_already.update((name, row) for row in rows)
            yield from ("", *format_reckonings(rows)) if rows else ()


SCREEN = 40
"""Lines of the first screen, at most."""


def describe_first_screen(figures_by_section: Mapping[str, Any]) -> Iterator[str]:
    """Yield the most important lines of each section, in all at most `SCREEN`, and how to see the others."""
    parts = []  # (section, fabric, its lines)
    for name in list_sections():
        for fabric, figures in figures_by_section.get(name, {}).items():
            module = _load_section(name, meshed="within_tier" in figures)
            headlines = getattr(module, "headlines", module.lines)
            parts.append((name, fabric, [line for line in headlines(figures) if line.strip()]))
    # one line is for the name of the cluster, one for the last line, and one for the title of each part; parts share
    # the other lines, shortest first, so that long parts get what short ones leave
    lines_left, line_limits = SCREEN - 2 - len(parts), {}
    by_length = sorted(range(len(parts)), key=lambda number: len(parts[number][2]))
    for parts_left, number in zip(range(len(parts), 0, -1), by_length, strict=True):
        line_limits[number] = min(len(parts[number][2]), max(2, lines_left // parts_left))
        lines_left -= line_limits[number]
    yield figures_by_section["blueprint"]
    for number, (name, fabric, lines) in enumerate(parts):
        yield f"{name.replace('_', ' ')} of {fabric}"
        limit = line_limits[number]
        shown = lines if len(lines) <= limit else lines[: limit - 1]
        yield from (line if line.startswith("  ") else f"  {line}" for line in shown)
        if len(shown) < len(lines):
            yield f"    ... {len(lines) - len(shown)} more lines: --section {name}"
    yield "all of it, with formulas and constants: --all, or -o FILE"


def _load_section(name: str, *, meshed: bool) -> Any:
    """Return the module of a section; with `meshed`, the one for switches that meet within a tier, if there is one."""
    has_own = meshed and name in discovery.list_modules(MESHED)
    return discovery.load_module(MESHED if has_own else SECTIONS, name)


def _add_derivation(section: str, rows: Iterable[Reckoning]) -> Iterator[Reckoning]:
    """Yield reckonings of a section; to its sources, the page that derives its formulas is added."""
    derived = f"derived in docs/analyze.md#{section.replace('_', '-')}"
    for kind, texts in rows:
        yield kind, (*texts, derived) if kind == "source" else texts
