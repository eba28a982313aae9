"""From what was read to a page: the whole way, on one screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fabricgen.adopt.configurations import Configurations
from fabricgen.adopt.facts import NODE, Coordinates, DeviceFacts, Facts, Inference, Question, Topology
from fabricgen.adopt.gathering import gather_facts
from fabricgen.adopt.models import Models, find_models
from fabricgen.adopt.networks import find_networks, list_legs
from fabricgen.adopt.proof import PAGE, Trial
from fabricgen.adopt.search import Search, search_page
from fabricgen.adopt.settings.infer import InferredSettings, infer_settings
from fabricgen.adopt.tiers import FabricForm, find_tiers
from fabricgen.adopt.units import Units, choose_main, find_units
from fabricgen.adopt.wires import sort_wires
from fabricgen.adopt.words import Words, get, order_words, write_words
from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import fault


@dataclass(frozen=True)
class Adoption:
    """What was found: the form with the words of its page, and what that page gives of the facts."""

    facts: Facts
    topology: Topology
    trial: Trial
    tried: int
    settings: InferredSettings | None = None

    @property
    def words(self) -> Words:
        """The page as nested mappings."""
        return dict(self.topology.words)


class UndecidedError(Exception):
    """What the sources do not decide, without which there is no page."""

    def __init__(self, questions: Sequence[Question]) -> None:
        super().__init__("; ".join(question.what for question in questions))
        self.questions = tuple(questions)


def adopt(
    name: str,
    dumps: Sequence[str],
    lists: Sequence[str] = (),
    devices: Iterable[DeviceFacts] = (),
    stated: Sequence[tuple[str, str]] = (),
    catalog: Catalog | None = None,
    jobs: int = 0,
    configurations: Configurations | None = None,
    file: str = PAGE,
) -> Adoption:
    """The page of a cluster called `name`; `stated` are profiles of devices by patterns of their names.

    `file` is where the page will stand.

    Raises InputError for what cannot be read or is no cluster, UndecidedError where profiles have to be stated.
    """
    catalog = catalog or Catalog()
    told = configurations.devices if configurations else []
    facts = gather_facts(dumps, lists, [*devices, *told], jobs)
    models = find_models(facts, catalog, stated)
    if models.questions:
        raise UndecidedError(models.questions)
    wires = sort_wires(facts, models)
    main = choose_main(models)
    everything = find_networks(wires, models, main)
    networks = [network for network in everything if network.role]
    idle = [name for n in everything if not n.role for names in n.tiers.values() for name in names]
    if not networks:
        raise fault("FG066", "no switch serves a port of a node that is known", hint="are these dumps of one cluster?")
    units = find_units(facts, models, wires, networks, main)
    legs = [[wire for wire in list_legs(wires, network) if wire.node in units.at] for network in networks]
    forms = [find_tiers(network, models, wires, units, of) for network, of in zip(networks, legs, strict=True)]
    search = Search(facts, units, forms, catalog, write_words(name, units, forms, wires, models))
    search_page(search)
    settings = _add_settings(search, configurations, file) if configurations else None
    assert search.trial is not None  # noqa: S101 - the search has built its page
    notes = [*(configurations.notes if configurations else ()), *facts.notes, *wires.notes, *units.notes]
    notes += [note for form in forms for note in form.notes]
    notes += [f"{name} serves no port of a node that is known, and is left out" for name in idle]
    topology = Topology(
        order_words(search.best),
        _place_devices(models, units, forms),
        _keep_stated(
            [*models.inferences, *_count_units(units), *(i for form in forms for i in form.inferences)], search.best
        ),
        notes,
        {seen: planned for planned, seen in search.trial.names.items()},
    )
    return Adoption(facts, topology, search.trial, search.tried, settings)


def _add_settings(search: Search, configurations: Configurations, file: str) -> InferredSettings:
    """Put what running configurations tell into the page that was found."""
    settings = infer_settings(configurations.switches, search.best, file)
    search.best = dict(settings.page)
    search.start()
    return settings


def _place_devices(models: Models, units: Units, forms: Sequence[FabricForm]) -> dict[str, Coordinates]:
    """Where each device belongs."""
    places: dict[str, Coordinates] = {}
    for node, at in units.at.items():
        places[node] = Coordinates("", NODE, units.set_of[node], models.nodes[node].id, "", at)
    for label, names in units.extras.items():
        for number, name in enumerate(names, 1):
            places[name] = Coordinates("", NODE, label, models.nodes[name].id, "", {"n": number})
    for form in forms:
        for tier in form.tiers.values():
            for switch, values in tier.at.items():
                own = {d: v[-1] if isinstance(v, tuple) else v for d, v in values.items() if d != tier.name}
                at = {**own, "n": int(str(values[tier.name]))}
                model = models.switches[switch].id
                places[switch] = Coordinates(form.network.name, tier.name, "", model, models.nos[switch], at)
    return places


def _count_units(units: Units) -> list[Inference]:
    """What was found of nodes."""
    if not units.at:
        return []
    full = sum(count for _, count in units.sets.values()) * sum(units.pods.values())
    sets = ", ".join(f"{count} x {profile}" for profile, count in units.sets.values())
    note = f"{sum(units.pods.values()):,} units in {len(units.pods):,} pods, by shared leaves and by names"
    return [Inference(("scalable_unit", "nodes"), sets, len(units.at), full, note)]


def _keep_stated(inferences: Sequence[Inference], words: Words) -> list[Inference]:
    """The inferences with the words that the page has of them: a word that was taken away follows from the others."""
    kept = []
    for row in inferences:
        value = get(words, row.what)
        follows = row.what[0] == "fabrics" and value is None and row.what[-1] != "per"
        kept.append(row._replace(note=f"{row.note}; follows from the rest".removeprefix("; ")) if follows else row)
    return kept
