"""The analysis of a cluster: its sections, of each network that joins accelerators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from fabricgen.analyze.reckoned import Reckoning, reckoned
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import did_you_mean, fault

if TYPE_CHECKING:
    from fabricgen.analyze.asked import Asked, Job
    from fabricgen.analyze.network import Network
    from fabricgen.cluster import Cluster

SECTIONS = "fabricgen.analyze.sections"

Said = set[tuple[str, Reckoning]]
"""What a report has said of how figures are reckoned, by section."""


def section_names() -> tuple[str, ...]:
    """The names of all sections, in the order in which they are told."""
    names = discovery.list_modules(SECTIONS)
    return tuple(sorted(names, key=lambda name: discovery.load_module(SECTIONS, name).ORDER))


def analysis(
    cluster: Cluster,
    asked: Asked,
    job_of: Callable[[Network], Job],
    sections: Collection[str] = (),
    fabric: str | None = None,
) -> dict[str, Any]:
    """Figures by section (all where none is named) and fabric: {"blueprint", SECTION: {FABRIC: figures}}.

    Raises InputError (FG145) where no network joins nodes, or none of the name that is asked for.
    """
    from fabricgen.analyze.network import networks_of

    networks = list(networks_of(cluster))
    known = [network.fabric.name for network in networks]
    if not networks:
        raise fault("FG145", "no fabric attaches nodes", hint="`attach: compute` names their NICs")
    if fabric is not None and fabric not in known:
        raise fault("FG145", f"no accelerators are joined by '{fabric}'", hint=did_you_mean(fabric, known))
    networks = [network for network in networks if fabric in (None, network.fabric.name)]
    jobs = [job_of(network) for network in networks]
    found: dict[str, Any] = {"blueprint": cluster.design.loaded.blueprint.name}
    for name in section_names():
        if not sections or name in sections:
            module = discovery.load_module(SECTIONS, name)
            pairs = zip(networks, jobs, strict=True)
            found[name] = {network.fabric.name: module.figures(network, job, asked) for network, job in pairs}
    return found


def text(found: Mapping[str, Any], said: Said) -> Iterator[str]:
    """An analysis for people, section by section, each with how its figures were reckoned.

    What was `said` of that already, of another fabric or blueprint, is not said again; what is said is added.
    """
    yield found["blueprint"]
    for name in section_names():
        for fabric, figures in found.get(name, {}).items():
            title = f"{name.replace('_', ' ')} of {fabric}"
            yield from ("", title, "-" * len(title))
            module = discovery.load_module(SECTIONS, name)
            yield from cast("Iterator[str]", module.lines(figures))
            rows = [row for row in _reckoning(name, module.reckoning(figures)) if (name, row) not in said]
            said.update((name, row) for row in rows)
            yield from ("", *reckoned(rows)) if rows else ()


def _reckoning(section: str, rows: Iterable[Reckoning]) -> Iterator[Reckoning]:
    """How a section is reckoned, with where that is derived."""
    derived = f"derived in docs/analyze.md#{section.replace('_', '-')}"
    for kind, items in rows:
        yield kind, (*items, derived) if kind == "source" else items
