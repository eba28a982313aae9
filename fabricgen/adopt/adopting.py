"""Infer a page from dumps, lists and configurations: all steps on one screen; and the report on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fabricgen.adopt.configurations import Configurations
from fabricgen.adopt.exceptions import MEANT, judge_contradictions
from fabricgen.adopt.facts import Facts, Inference, Link, Question
from fabricgen.adopt.gathering import gather_facts
from fabricgen.adopt.models import Models, find_models
from fabricgen.adopt.networks import STRAY, Network, Wires, find_networks, sort_wires
from fabricgen.adopt.positions import BY_NAMES, Order, are_shuffled, order_by_ports
from fabricgen.adopt.proof import PAGE, Trial
from fabricgen.adopt.racks import state_racks
from fabricgen.adopt.search import PageSearch, follow_pattern, search_page
from fabricgen.adopt.settings.draft import edit_page
from fabricgen.adopt.settings.infer import InferredSettings, infer_settings
from fabricgen.adopt.tiers import find_cages, find_tiers
from fabricgen.adopt.units import Units, choose_main, find_scale_up, find_units
from fabricgen.adopt.words import Words, edit_words, get, list_tables, write_flow, write_words
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.kernel.diagnostics import InputError, fault, make_printable
from fabricgen.reports.tables.text import align_columns
from fabricgen.verify.report import Report
from fabricgen.verify.sightings import cap_notes
from fabricgen.wiring.tables import TRAY


@dataclass(frozen=True)
class Adoption:
    """What was found: the page (`words`), what it was inferred from, and how it compares with the facts (`trial`)."""

    facts: Facts
    words: Words
    inferences: Sequence[Inference]
    notes: Sequence[str]
    trial: Trial
    cluster: Cluster | None
    settings: InferredSettings | None = None


class UndecidedError(Exception):
    """Raised if the sources do not decide what a page needs."""

    def __init__(self, questions: Sequence[Question]) -> None:
        super().__init__("; ".join(question.what for question in questions))
        self.questions = tuple(questions)


def adopt(
    name: str,
    dumps: Sequence[str],
    lists: Sequence[str] = (),
    sources: Sequence[Facts] = (),
    stated: Sequence[tuple[str, str]] = (),
    catalog: Catalog | None = None,
    jobs: int = 0,
    configurations: Configurations | None = None,
    file: str = PAGE,
) -> Adoption:
    """Infer the page of a cluster called `name` from dumps, lists and other `sources`, as a NetBox.

    `stated` are (pattern of names, profile) of devices; `file` is where the page will stand; `jobs` is the number of
    processes, 0 for as many as processors. Raises InputError for what cannot be read or is no cluster, UndecidedError
    if profiles have to be stated.
    """
    catalog = catalog or Catalog()
    of_configurations = [configurations.facts] if configurations else []
    configured = configurations.configured if configurations else None
    facts = gather_facts(dumps, lists, [*sources, *of_configurations], jobs, configured)
    models = find_models(facts, catalog, stated)
    if models.questions:
        raise UndecidedError(models.questions)
    wires = sort_wires(facts, models)
    all_networks = find_networks(wires, models, choose_main(models))
    networks = [network for network in all_networks if network.role]
    without_nodes = [name for n in all_networks if not n.role for names in n.tiers.values() for name in names]
    if not networks:
        raise fault("FG066", "no switch serves a port of a node that is known", hint="are these dumps of one cluster?")
    search = _find_page(name, facts, models, wires, networks, catalog, Path(file).stem)
    _note_speeds(search)
    of_racks, rack_notes = state_racks(search)
    exceptions, contradictions = judge_contradictions(search.trial)
    if exceptions:
        search.page = edit_words(search.page, [((("cable_of",), exceptions),)])
        search.wire_page()
    settings = None
    if configurations:
        settings = infer_settings(configurations.switches, search.page, file)
        search.page = dict(settings.page)
        search.wire_page()
    of_forms = [note for form in search.forms for note in form.notes]
    of_idle = [f"{name} serves no port of a node that is known, and is left out" for name in without_nodes]
    notes = [*facts.notes, *wires.notes, *search.units.notes, *of_forms, *rack_notes, *of_idle, *contradictions]
    cluster, trial = _build_page(search, notes)
    return Adoption(
        facts,
        edit_page(search.page, ()),
        [*_list_inferences(search), *of_racks, *(settings.inferences if settings else ())],
        notes,
        trial,
        cluster,
        settings,
    )


def _build_page(search: PageSearch, notes: list[str]) -> tuple[Cluster | None, Trial]:
    """Return (the cluster of the found page, its trial); with `cable_of` the trial has the plan of the cluster.

    If the page cannot be built, the cluster is None, and a note is added that says why.
    """
    cluster, trial = None, search.trial
    try:
        cluster = build_cluster(trial.wired.design)
    except InputError as error:
        notes.append(f"the page cannot be built yet: {error.diagnostics[0].message}")
    if cluster and "cable_of" in search.page:
        # pages are tried without it
        trial = replace(trial, wired=trial.wired._replace(plan=cluster.plan, port_names=cluster.port_names))
    return cluster, trial


def _find_page(
    name: str, facts: Facts, models: Models, wires: Wires, networks: Sequence[Network], catalog: Catalog, stem: str
) -> PageSearch:
    """Return the search that found the shortest page: with devices in the order of their names, or in that of ports.
    Names of tables beside it begin with `stem`.

    The order of ports is searched if names of nodes are shuffled, if no page in the order of names can be wired, or if
    more than STRAY of the links contradict the names; that of names is not searched if, besides, names follow no
    pattern.
    """

    def start_search(order: Order) -> PageSearch:
        units = find_units(facts, models, wires, networks, choose_main(models), order)
        find_scale_up(models.trays, units, [profile.id for profile in models.profiles], catalog)
        forms = [find_tiers(network, models, wires, units, order) for network in networks]
        find_cages(forms, wires, models, units)
        words = write_words(name, units, forms, wires, models)
        search = PageSearch(facts, units, forms, models, catalog, words, order, stem)
        search.wire_page()
        return search

    max_missing = STRAY * len(facts.links)
    try:
        first_search = start_search(order_by_ports(wires, networks) if are_shuffled(wires) else BY_NAMES)
    except InputError as error:
        try:
            first_search = start_search(order_by_ports(wires, networks))
        except InputError:
            raise error from None
    if not first_search.order.by_names:
        search_page(first_search)
        return first_search
    names_tell = first_search.trial.is_missing.sum() <= max_missing or follow_pattern(first_search)
    if names_tell:
        search_page(first_search)
    if first_search.trial.is_missing.sum() <= max_missing:
        return first_search
    try:
        second_search = start_search(order_by_ports(wires, networks))
    except InputError:
        # no page in that order can be wired: that of names tells at least which links it does not give
        return first_search
    search_page(second_search)
    shorter = min(first_search, second_search, key=lambda search: sum(search.cost.values()))
    return shorter if names_tell else second_search


def _note_speeds(search: PageSearch) -> None:
    """Note for each InfiniBand fabric the other speeds of node ports with which the page gives as many links, and links
    whose rate is not that of the page.

    Ports of splitters are numbered over the face of a switch as those of whole cages are, and some dumps tell no rate.
    """
    wrong, trial = search.measure_links(search.trial), search.trial
    search.forms[0].notes += cap_notes(
        [
            f"{link.a.device} port {link.a.port} runs at {link.gbps}G, and the page has another speed"
            for link in map(search.facts.links.__getitem__, np.flatnonzero(trial.is_wrong & ~trial.is_missing))
        ],
        "links at other rates",
    )
    for form in [form for form in search.forms if form.network.infiniband]:
        path, role = ("fabrics", form.network.name, "speed"), form.network.role
        speeds = {speed: None for p in search.models.profiles if role in p.roles for speed in p.roles[role].speeds}
        present = get(search.page, path) or f"{max(speeds, default=0)}G"
        for speed in [f"{speed}G" for speed in speeds if f"{speed}G" != present]:
            with suppress(InputError):
                if search.measure_links(search.try_page(edit_words(search.page, [((path, speed),)]))) == wrong:
                    where = f"{form.network.name}: the numbers of its ports are those of node ports of {present}"
                    form.notes.append(f"{where}, and of {speed} by splitters; state `speed: {speed}` if it is that")


def _list_inferences(search: PageSearch) -> list[Inference]:
    """Return the rows of the report on all but settings."""
    of_forms = [inference for form in search.forms for inference in form.inferences]
    rows = [*search.models.inferences, *_count_units(search.units), *_keep_stated(of_forms, search.page)]
    exceptions = search.page.get("cable_of", {}).items()
    rows += [Inference(("cable_of", name), write_flow(ends), 2, 2, MEANT) for name, ends in exceptions]
    return [*rows, *_describe_tables(search)]


def _count_units(units: Units) -> list[Inference]:
    """Return the row of the report on the nodes of units."""
    counts = {kind: sum(count for _, count in units.kinds[kind].sets.values()) for kind in units.kinds}
    full = sum(counts[units.kind_of[pod]] * count for pod, count in units.pods.items())
    sets = ", ".join(f"{count} x {profile}" for kind in units.kinds.values() for profile, count in kind.sets.values())
    unit_count, pod_count = sum(units.pods.values()), len(units.pods)
    note = f"{unit_count:,} unit{'s' * (unit_count != 1)} in {pod_count:,} pod{'s' * (pod_count != 1)}"
    note += ", by shared leaves and by names"
    return [Inference(("scalable_unit", "nodes"), sets, len(units.at), full, note)] if units.at else []


def _describe_tables(search: PageSearch) -> Iterator[Inference]:
    """Yield a row of the report for each table of which switches meet: how many links of the tier come back by it."""
    for path, table in list_tables(search.page):
        kind = search.trial.seen.kinds.index((path[1], path[3]))
        (a, _), (b, _) = search.trial.seen.ends
        is_within = (search.trial.seen.kind[a] == kind) & (search.trial.seen.kind[b] == kind)
        given, total = (int(flags.sum()) for flags in (is_within & ~search.trial.is_missing, is_within))
        note = f"{len(table.rows):,} rows of who meets whom, which no rule says"
        yield Inference(path, table.name, given, total, note)


def _keep_stated(inferences: Sequence[Inference], words: Words) -> list[Inference]:
    """Return the rows of the report, with a note for each word that the search took away again."""
    return [
        row._replace(note=f"{row.note}; follows from the rest".removeprefix("; "))
        if get(words, row.path) is None and row.path[-1] != "per"
        else row
        for row in inferences
    ]


_SHOWN = 20
"""The most links that the report lists."""


def write_text(adoption: Adoption, report: Report | None) -> str:
    """Return the report for people: a table of what was inferred, and lines on what the page does not give."""
    rows = [(".".join(row.path), row.value, f"{row.facts:,} of {row.total:,}", row.note) for row in adoption.inferences]
    columns = list(zip(("word", "value", "facts", "how"), *rows, strict=True))
    lines = [line.rstrip() for line in align_columns(columns, (False, False, True, False))]
    lines += ["", _count_links(adoption.trial)]
    lines += [f"note: {note}" for note in adoption.notes]
    lines += [f"not in the page: {text}" for text in list_unexplained(adoption)]
    remarks = adoption.settings.remarks if adoption.settings else ()
    lines += [": ".join(filter(None, (remark.kind, remark.where or remark.device, remark.text))) for remark in remarks]
    unseen = adoption.trial.unseen[:_SHOWN] if report is None else ()
    lines += [f"in the page, and not seen: {Link(*ends).text}" for ends in unseen]
    if report is not None and report.actions:
        lines += [f"{action.id}: {action.text}" for action in report.actions]
        lines.append("to keep cables as they are: fabricgen verify PAGE DUMP... --accept IDS -o FILE writes `cable_of`")
    return "\n".join(map(make_printable, lines)) + "\n"


def write_json(adoption: Adoption, report: Report | None, page: str) -> str:
    """Return the report and the page as JSON."""
    trial = adoption.trial
    content: dict[str, Any] = {
        "inferences": [
            {"word": ".".join(row.path), "value": row.value, "facts": row.facts, "of": row.total, "how": row.note}
            for row in adoption.inferences
        ],
        "links": {
            "seen": len(trial.facts.links),
            "given": len(trial.facts.links) - len(trial.missing),
            "beside": len(trial.unseen),
        },
        "notes": list(adoption.notes),
        "unexplained": [[*link.a, *link.b] for link in trial.missing],
        "unplaced": list(trial.unplaced),
        "silent": _list_silent_devices(adoption),
        "actions": [{"id": a.id, "kind": a.kind.value, "text": a.text} for a in report.actions] if report else [],
        "settings": [remark._asdict() for remark in adoption.settings.remarks] if adoption.settings else [],
        "numbers": adoption.settings.lock if adoption.settings else [],
        "tables": {table.name: [list(row) for row in table.rows] for _, table in list_tables(adoption.words)},
        "page": page,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _count_links(trial: Trial) -> str:
    seen, missing, unseen = len(trial.facts.links), len(trial.missing), len(trial.unseen)
    unseen_text = f"; {unseen:,} links of the page were not seen" if unseen else ""
    return f"{seen - missing:,} of {seen:,} links come back, with both of their ports{unseen_text}"


def list_unexplained(adoption: Adoption) -> list[str]:
    """Return sentences on the links and devices of the facts that the page does not give; on the first _SHOWN links."""
    trial = adoption.trial
    placed = set(trial.seen_names.values()) | set(trial.wired.names)
    links = [link.text for link in trial.missing]
    return [
        *links[:_SHOWN],
        *([f"and {len(links) - _SHOWN:,} more links"] if len(links) > _SHOWN else []),
        *(f"{name} has no place" for name in trial.unplaced),
        *(
            f"{name} is in a list, and no link of it was seen" + ("; the page has it" if name in placed else "")
            for name in _list_silent_devices(adoption)
        ),
    ]


def _list_silent_devices(adoption: Adoption) -> list[str]:
    """Return the devices that a list names and no link leads to, without switch trays that the page has."""
    trial = adoption.trial
    planned_trays = (name for name, key in zip(trial.wired.names, trial.keys, strict=True) if key[0] == TRAY)
    trays = {trial.seen_names.get(name, "") for name in planned_trays}
    linked = {trial.seen.devices[row] for row in np.unique([devices for devices, _ in trial.seen.ends]).tolist()}
    return sorted(trial.facts.devices.keys() - linked - trays)


def is_whole(adoption: Adoption) -> bool:
    """Whether the page can be built, gives all of the facts, and gives nothing beside them."""
    trial = adoption.trial
    return adoption.cluster is not None and not (trial.is_wrong.any() or trial.unseen or trial.unplaced)
