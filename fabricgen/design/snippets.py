"""Snippets of raw configuration: which ones a blueprint has, and whether their NOS has the place that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.configuration import Snippet
from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault


def list_snippets(blueprint: Blueprint) -> Iterator[tuple[Path, Snippet]]:
    """Yield every snippet with its path in the blueprint."""
    yield from _list_with_path((), blueprint.snippets)
    for fabric, spec in blueprint.fabrics.items():
        yield from _list_with_path(("fabrics", fabric), spec.snippets)
        for tier, tier_spec in spec.tiers.items():
            yield from _list_with_path(("fabrics", fabric, "tiers", tier), tier_spec.snippets)
    for device, configuration in blueprint.config_of.items():
        yield from _list_with_path(("config_of", device), configuration.snippets)


def _list_with_path(path: Path, snippets: Mapping[str, Snippet]) -> Iterator[tuple[Path, Snippet]]:
    return (((*path, "snippets", name), snippet) for name, snippet in snippets.items())


def check_snippets(blueprint: Blueprint, catalog: Catalog) -> None:
    """Raise InputError (FG052) with a fault for each snippet whose NOS lacks the place that it names."""
    faults: list[Diagnostic] = []
    for path, snippet in list_snippets(blueprint):
        try:
            find_snippet_place(snippet, catalog, path)
        except InputError as error:
            faults += error.diagnostics
    if faults:
        raise InputError(faults)


def find_snippet_place(snippet: Snippet, catalog: Catalog, path: Path) -> str:
    """Return the name of the place in a configuration where a snippet goes.

    Raises InputError (FG052) if its NOS is unknown, has no place for this form of snippet, lacks the place that the
    snippet names, or takes another form there.
    """
    if snippet.nos not in catalog.list_known_nos():
        hint = did_you_mean(snippet.nos, catalog.list_known_nos())
        raise fault("FG052", f"there is no NOS '{snippet.nos}'", path=(*path, "nos"), hint=hint)
    configuration = catalog.find_naming(snippet.nos, (*path, "nos")).configuration
    places_by_name, form = configuration.places, "tree" if snippet.text is None else "text"
    place_name = snippet.at or configuration.find_usual_place(form)
    if not place_name:
        raise fault("FG052", f"configurations of '{snippet.nos}' have no place for a `{form}`", path=path)
    if place_name not in places_by_name:
        hint = did_you_mean(place_name, places_by_name)
        raise fault("FG052", f"'{snippet.nos}' has no place '{place_name}'", path=(*path, "at"), hint=hint)
    if places_by_name[place_name].form != form:
        raise fault(
            "FG052",
            f"the place '{place_name}' of '{snippet.nos}' takes a `{places_by_name[place_name].form}`, and this is a "
            f"`{form}`",
            path=(*path, form),
        )
    return place_name
