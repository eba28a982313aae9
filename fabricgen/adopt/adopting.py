"""From what was read to a page, the whole way on one screen; and what is told of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabricgen.adopt.configurations import Configurations
from fabricgen.adopt.facts import Facts, Inference, Question
from fabricgen.adopt.gathering import gather_facts
from fabricgen.adopt.models import Models, find_models
from fabricgen.adopt.networks import STRAY, Network, Wires, find_networks, sort_wires
from fabricgen.adopt.positions import BY_NAMES, Order, order_by_ports
from fabricgen.adopt.proof import PAGE, Trial
from fabricgen.adopt.search import Search, follow_pattern, search_page
from fabricgen.adopt.settings.draft import edit_page
from fabricgen.adopt.settings.infer import InferredSettings, infer_settings
from fabricgen.adopt.tiers import find_cages, find_tiers
from fabricgen.adopt.units import Units, choose_main, find_scale_up, find_units
from fabricgen.adopt.words import Words, get, write_words
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.kernel.diagnostics import InputError, fault, make_printable
from fabricgen.reports.tables.text import align_columns
from fabricgen.verify.report import Report
from fabricgen.wiring.tables import TRAY


@dataclass(frozen=True)
class Adoption:
    """What was found: the words of a page, what they were inferred from, and what that page gives of the facts."""

    facts: Facts
    words: Words
    inferences: Sequence[Inference]
    notes: Sequence[str]
    trial: Trial
    cluster: Cluster | None
    settings: InferredSettings | None = None


class UndecidedError(Exception):
    """What the sources do not decide, without which there is no page."""

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
    """The page of a cluster called `name`; `sources` are facts of others, as of a NetBox, and `stated` profiles
    of devices by patterns of their names.

    `file` is where the page will stand.

    Raises InputError for what cannot be read or is no cluster, UndecidedError where profiles have to be stated.
    """
    catalog = catalog or Catalog()
    told = [configurations.facts] if configurations else []
    facts = gather_facts(dumps, lists, [*sources, *told], jobs)
    models = find_models(facts, catalog, stated)
    if models.questions:
        raise UndecidedError(models.questions)
    wires = sort_wires(facts, models)
    everything = find_networks(wires, models, choose_main(models))
    networks = [network for network in everything if network.role]
    idle = [name for n in everything if not n.role for names in n.tiers.values() for name in names]
    if not networks:
        raise fault("FG066", "no switch serves a port of a node that is known", hint="are these dumps of one cluster?")
    search = _find_page(name, facts, models, wires, networks, catalog)
    units, forms = search.units, search.forms
    settings = _add_settings(search, configurations, file) if configurations else None
    of_forms = [note for form in forms for note in form.notes]
    of_idle = [f"{name} serves no port of a node that is known, and is left out" for name in idle]
    notes = [*facts.notes, *wires.notes, *units.notes, *of_forms, *of_idle]
    inferences = [*models.inferences, *_count_units(units), *(i for form in forms for i in form.inferences)]
    cluster = None
    try:
        cluster = build_cluster(search.trial.wired.design)
    except InputError as error:
        notes.append(f"the page cannot be built yet: {error.diagnostics[0].message}")
    return Adoption(
        facts,
        edit_page(search.best, ()),
        [*_keep_stated(inferences, search.best), *(settings.inferences if settings else ())],
        notes,
        search.trial,
        cluster,
        settings,
    )


def _find_page(
    name: str, facts: Facts, models: Models, wires: Wires, networks: Sequence[Network], catalog: Catalog
) -> Search:
    """The search that found the shortest page: with devices in the order of their names, or of ports where names say
    little. Where names follow no pattern, their order is not searched at all.
    """

    def start_search(order: Order) -> Search:
        units = find_units(facts, models, wires, networks, choose_main(models), order)
        find_scale_up(models.trays, units, (profile.id for profile in models.profiles), catalog)
        forms = [find_tiers(network, models, wires, units, order) for network in networks]
        find_cages(forms, wires, models, units)
        search = Search(facts, units, forms, models, catalog, write_words(name, units, forms, wires, models), order)
        search.start()
        return search

    search, most = start_search(BY_NAMES), STRAY * len(facts.links)
    says_nothing = search.trial.is_missing.sum() > most and not follow_pattern(search)
    if not says_nothing:
        search_page(search)
    if search.trial.is_missing.sum() > most:
        other = start_search(order_by_ports(wires, networks))
        search_page(other)
        search = other if says_nothing else min(search, other, key=lambda tried: sum(tried.cost.values()))
    return search


def _add_settings(search: Search, configurations: Configurations, file: str) -> InferredSettings:
    """Put what running configurations tell into the page that was found."""
    settings = infer_settings(configurations.switches, search.best, file)
    search.best = dict(settings.page)
    search.start()
    return settings


def _count_units(units: Units) -> list[Inference]:
    """What was found of nodes."""
    if not units.at:
        return []
    counts = {kind: sum(count for _, count in units.kinds[kind].sets.values()) for kind in units.kinds}
    full = sum(counts[units.kind_of[pod]] * count for pod, count in units.pods.items())
    sets = ", ".join(f"{count} x {profile}" for kind in units.kinds.values() for profile, count in kind.sets.values())
    note = f"{sum(units.pods.values()):,} units in {len(units.pods):,} pods, by shared leaves and by names"
    return [Inference(("scalable_unit", "nodes"), sets, len(units.at), full, note)]


def _keep_stated(inferences: Sequence[Inference], words: Words) -> list[Inference]:
    """The inferences with the words that the page has of them: a word that was taken away follows from the others."""
    return [
        row._replace(note=f"{row.note}; follows from the rest".removeprefix("; "))
        if row.path[0] == "fabrics" and get(words, row.path) is None and row.path[-1] != "per"
        else row
        for row in inferences
    ]


_SHOWN = 20
"""Links that are told one by one."""


def write_text(adoption: Adoption, report: Report | None) -> str:
    """The table of what was inferred, in lines for people."""
    rows = [("word", "value", "facts", "how")]
    for row in adoption.inferences:
        rows.append((".".join(row.path), row.value, f"{row.facts:,} of {row.total:,}", row.note))
    lines = [line.rstrip() for line in align_columns(list(zip(*rows, strict=True)), (False, False, True, False))]
    lines += ["", _count_links(adoption.trial)]
    lines += [f"note: {note}" for note in adoption.notes]
    lines += [f"not in the page: {text}" for text in list_unexplained(adoption)]
    for remark in adoption.settings.remarks if adoption.settings else ():
        words = (remark.kind, remark.where or remark.device, remark.text)
        lines.append(": ".join(filter(None, words)))
    if report is not None:
        lines += [f"{action.id}: {action.text}" for action in report.actions]
    return "\n".join(map(make_printable, lines)) + "\n"


def write_json(adoption: Adoption, report: Report | None, page: str) -> str:
    """The same as JSON, and the page itself."""
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
        "page": page,
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _count_links(trial: Trial) -> str:
    seen = len(trial.facts.links)
    beside = f"; {len(trial.unseen):,} links of the page were not seen" if trial.unseen else ""
    return f"{seen - len(trial.missing):,} of {seen:,} links come back, with both of their ports{beside}"


def list_unexplained(adoption: Adoption) -> list[str]:
    """In sentences, the links and devices of the facts that the page does not give; of many the first."""
    trial = adoption.trial
    placed = set(trial.names.values()) | set(trial.wired.names)
    links = [f"{a.device} port {a.port} to {b.device} port {b.port}" for a, b, _ in trial.missing]
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
    """The devices that a list names and no link leads to, but the switch trays of domains that are found."""
    trial, trays = adoption.trial, set[str]()
    for name, key in zip(trial.wired.names, trial.keys, strict=True):
        if key[0] == TRAY and name in trial.names:
            trays.add(trial.names[name])
    linked = {end.device for link in trial.facts.links for end in (link.a, link.b)}
    return sorted(trial.facts.devices.keys() - linked - trays)


def is_whole(adoption: Adoption) -> bool:
    """Whether the page can be built and gives all of the facts, and nothing beside them."""
    wrong = adoption.trial.missing or adoption.trial.unseen or adoption.trial.unplaced
    return adoption.cluster is not None and not wrong
