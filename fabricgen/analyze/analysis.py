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
"""What a report has said of how figures are reckoned, by section."""


def list_sections() -> tuple[str, ...]:
    """The names of all sections, in the order in which they are told."""
    names = discovery.list_modules(SECTIONS)
    return tuple(sorted(names, key=lambda name: discovery.load_module(SECTIONS, name).ORDER))


def analyze_cluster(
    cluster: Cluster,
    question: Question,
    make_job: Callable[[Network], Job],
    sections: Collection[str] = (),
    fabric: str | None = None,
) -> dict[str, Any]:
    """Figures by section (all where none is named) and fabric: {"blueprint", SECTION: {FABRIC: figures}}.

    Raises InputError (FG145) where no network joins nodes, or none of the name that is asked for.
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
    """An analysis for people, section by section, each with how its figures were reckoned.

    What is `told_already` of that, for another fabric or blueprint, is not told again; what is told is added to it.
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
    """The first lines of each section, as many as a screen holds, and how to see the rest."""
    parts = []
    for name in list_sections():
        for fabric, figures in figures_by_section.get(name, {}).items():
            module = _load_section(name, meshed="within_tier" in figures)
            headlines = getattr(module, "headlines", module.lines)
            parts.append((name, fabric, [line for line in headlines(figures) if line.strip()]))
    # of cluster and rest a line each, of each section its title: short sections leave their room to long ones
    room, lines_of_part = SCREEN - 2 - len(parts), {}
    by_length = sorted(range(len(parts)), key=lambda number: len(parts[number][2]))
    for parts_left, number in zip(range(len(parts), 0, -1), by_length, strict=True):
        lines_of_part[number] = min(len(parts[number][2]), max(2, room // parts_left))
        room -= lines_of_part[number]
    yield figures_by_section["blueprint"]
    for number, (name, fabric, lines) in enumerate(parts):
        yield f"{name.replace('_', ' ')} of {fabric}"
        most = lines_of_part[number]
        cut = lines if len(lines) <= most else lines[: most - 1]
        yield from (line if line.startswith("  ") else f"  {line}" for line in cut)
        if len(cut) < len(lines):
            yield f"    ... {len(lines) - len(cut)} more lines: --section {name}"
    yield "all of it, with formulas and constants: --all, or -o FILE"


def _load_section(name: str, *, meshed: bool) -> Any:
    """The module of a section, of networks whose switches meet within a tier that for these, if it has one."""
    has_own = meshed and name in discovery.list_modules(MESHED)
    return discovery.load_module(MESHED if has_own else SECTIONS, name)


def _add_derivation(section: str, rows: Iterable[Reckoning]) -> Iterator[Reckoning]:
    """How a section is reckoned, with where that is derived."""
    derived = f"derived in docs/analyze.md#{section.replace('_', '-')}"
    for kind, texts in rows:
        yield kind, (*texts, derived) if kind == "source" else texts
