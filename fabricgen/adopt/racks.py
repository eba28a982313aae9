"""Racks that lists tell of nodes and switches: the words of an adopted page with which these stand together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from fabricgen.adopt.facts import Inference, PagePath
from fabricgen.adopt.networks import group_by
from fabricgen.adopt.proof import design_page
from fabricgen.adopt.search import PageSearch
from fabricgen.adopt.words import Words, edit_words
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.names import find_stated_places, name_devices
from fabricgen.wiring.expand import place_devices

MOST_RACKS = 8
"""The most racks over which switches of a tier are tried to be dealt."""


def state_racks(search: PageSearch) -> tuple[list[Inference], list[str]]:
    """State how many nodes a rack has, and over how many racks the switches of a tier stand, where a list of devices
    groups them into other racks than the page that was found; no link tells of racks.

    Returns the rows of the report on what was stated, and notes on nodes and tiers for which no statement gives the
    listed racks. Nodes, or a tier, of which only some have a rack in the list are left as they are.
    """
    listed_racks = {name: device.rack for name, device in search.facts.devices.items()}
    subjects = {path: names for path, names in _list_subjects(search) if all(listed_racks[name] for name in names)}
    racks = _find_racks(search, search.page) if subjects else {}
    inferences, notes = list[Inference](), list[str]()
    for path, names in subjects.items():
        together = _group_by_rack(names, listed_racks)
        if together == _group_by_rack(names, racks):
            continue
        for number in (
            range(2, min(len(together), MOST_RACKS) + 1) if path[0] == "fabrics" else (max(map(len, together)),)
        ):
            words = edit_words(search.page, [((path, number),)])
            try:
                new_racks = _find_racks(search, words)
                if together == _group_by_rack(names, new_racks) and search.keep_page(words):
                    racks = new_racks
                    inferences.append(Inference(path, str(number), len(names), len(names), "as a list has the racks"))
                    break
            except InputError:
                continue
        else:
            notes.append(
                f"{'.'.join(path[:-1])}: lists have these in other racks; `racks`, `stand` or `floor` say where"
            )
    return inferences, notes


def _list_subjects(search: PageSearch) -> Iterator[tuple[PagePath, Collection[str]]]:
    """Yield (path of the word that puts them in racks, names) for the nodes, and for the switches of each tier."""
    if "" in search.units.kinds:
        yield ("scalable_unit", "racks", "nodes_per_rack"), search.units.at
    for form in search.forms:
        for tier in form.tiers.values():
            yield ("fabrics", form.network.name, "tiers", tier.name, "racks"), tier.at


def _find_racks(search: PageSearch, words: Words) -> dict[str, int]:
    """Return the rack of each seen device on a page, by its number there; raises InputError if the page has an error.

    The page is not wired, and its devices are those that have the same planned names as on the page of the search.
    """
    design = design_page(words, search.catalog)
    devices, _ = place_devices(design, find_stated_places)
    names = zip(name_devices(design, devices), devices.rack.tolist(), strict=True)
    return {search.trial.seen_names[name]: rack for name, rack in names if name in search.trial.seen_names}


def _group_by_rack(names: Collection[str], racks: Mapping[str, object]) -> set[frozenset[str]]:
    """Return the sets of devices that share a rack; devices without a rack in `racks` are one set."""
    return {frozenset(members) for _, members in group_by(names, {name: racks.get(name) for name in names})}
