"""A page that is completed setting by setting: what was read of switches, and the cluster that the page comes to.

What is inferred is a value at a path of the page, with the switches that say so and those that say otherwise. A value
with which the page could not be built is left out, and told.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from fabricgen.adopt.settings.far_ends import FarEnd, index_far_ends
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_design
from fabricgen.switch.model import Switch
from fabricgen.views.model.switch import model_switch
from fabricgen.views.switch import SwitchPort, SwitchView

Page = dict[str, Any]
Keys = tuple[str, ...]
Value = TypeVar("Value", bound=Hashable)

MOST_OF_A_TIER = 24
"""So many switches of a tier are asked for what all of them share; numbers are compared on every switch."""


EVERY = 1 << 30
"""All switches of a tier."""


class ReadSwitch(NamedTuple):
    """What was read of one switch: its NOS, its model, its files by name, and what of these was not read."""

    nos: str
    model: Switch
    files: Mapping[str, str]
    unread: tuple[str, ...] = ()


class Pair(NamedTuple):
    """A switch as the page has it so far, and as it runs."""

    view: SwitchView
    nos: str
    running: Switch
    far_ends: Mapping[str, list[FarEnd]]

    @property
    def fabric(self) -> str:
        """The fabric that owns it."""
        return self.view.fabric.name

    def list_hosts(self, fabric: str) -> Iterator[SwitchPort]:
        """Its ports of nodes and extra devices of a fabric."""
        return (port for port in self.view.ports if port.role == "host" and port.service == fabric)

    def list_links(self) -> Iterator[SwitchPort]:
        """Its routed ports to other switches."""
        return (port for port in self.view.ports if port.role in ("up", "down", "peer") and not port.bond)


class Vote(NamedTuple):
    """What most switches say, how many these are, and which say otherwise."""

    value: Any
    facts: int
    against: tuple[str, ...]


class Stated(NamedTuple):
    """A value of the page that was inferred; None takes the key away. `note` says what is not sure of it."""

    path: Keys
    value: Any
    facts: int = 0
    against: tuple[str, ...] = ()
    note: str = ""


class Evidence(NamedTuple):
    """A row of what could not be inferred, or contradicts it.

    `kind`: "unsure", where inputs do not decide; "refused", a value that the page cannot have; "unexplained", what many
    switches have and no section says; "drifted", what one switch has otherwise than its like; "kept", a number that no
    rule gives; "unread", what of a switch could not be read. `line` is that of the file, 0 for none.
    """

    kind: str
    where: str
    text: str
    facts: int = 0
    device: str = ""
    file: str = ""
    line: int = 0


def find_majority(votes: Iterable[tuple[str, Value]]) -> Vote | None:
    """The value of most of (switch, value); of equally many the one that is met first. None where nobody votes."""
    ballots = list(votes)
    if not ballots:
        return None
    value, facts = Counter(value for _, value in ballots).most_common(1)[0]
    return Vote(value, facts, tuple(dict.fromkeys(name for name, other in ballots if other != value)))


@dataclass
class Draft:
    """A page under way; `path` is where it stands or will, so that its lock and tables beside it count."""

    page: Page
    path: str
    switches: Mapping[str, ReadSwitch]
    evidence: list[Evidence] = field(default_factory=list)
    stated: dict[Keys, Stated] = field(default_factory=dict)
    cluster: Cluster = field(init=False)
    _sample: tuple[int, int, list[Pair]] = field(init=False, default=(0, 0, []))
    _far_ends: dict[str, Mapping[str, list[FarEnd]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.cluster = self.build(self.page)

    @cached_property
    def catalog(self) -> Catalog:
        """The catalogue of the page's folder."""
        return self.cluster.design.catalog

    def build(self, page: Page) -> Cluster:
        """The cluster of a page; raises InputError where it is none."""
        catalog = self.catalog if hasattr(self, "cluster") else None
        text = write_page(page).encode()
        return build_cluster(compile_design(self.path, unsaved={self.path: text}, advise=False, catalog=catalog))

    def state(self, values: Iterable[Stated]) -> None:
        """Put values into the page, all together or, where they cannot be, those that can; the others are told."""
        fresh = [stated for stated in values if find_value(self.page, stated.path) != stated.value]
        if not fresh or self._take(fresh):
            return
        for stated in fresh:
            self._take([stated], tell=True)

    def _take(self, values: Sequence[Stated], *, tell: bool = False) -> bool:
        page = edit_page(self.page, values)
        try:
            cluster = self.build(page)
        except InputError as error:
            if tell:
                (stated,) = values
                why = error.diagnostics[0].message
                where = ".".join(stated.path)
                self.evidence.append(Evidence("refused", where, f"{stated.value!r}: {why}", stated.facts))
            return False
        self.page, self.cluster = page, cluster
        self.stated |= {stated.path: stated for stated in values}
        return True

    def tell(self, kind: str, where: str, text: str, facts: int = 0) -> None:
        """Add a row of evidence of no single switch."""
        self.evidence.append(Evidence(kind, where, text, facts))

    def list_pairs(self, most: int = MOST_OF_A_TIER) -> Sequence[Pair]:
        """Switches of the page that were read, up to so many of each tier, evenly; in the order of devices."""
        if self._sample[:2] != (id(self.cluster), most):
            self._sample = id(self.cluster), most, list(self.iterate_pairs(self.cluster, most))
        return self._sample[2]

    def iterate_pairs(self, cluster: Cluster, most: int) -> Iterator[Pair]:
        """Yield switches of a cluster that were read, up to so many of each tier."""
        for cls in cluster.plan.devices.classes:
            rows = [row for row in range(cls.first, cls.first + cls.count) if cluster.names[row] in self.switches]
            for row in rows[:: max(1, -(-len(rows) // most))]:
                read = self.switches[cluster.names[row]]
                yield Pair(cluster.switch(row), read.nos, read.model, self._find_far_ends(cluster.names[row]))

    def _find_far_ends(self, name: str) -> Mapping[str, list[FarEnd]]:
        if name not in self._far_ends:
            self._far_ends[name] = index_far_ends(self.switches[name].model)
        return self._far_ends[name]

    def list_fabrics(self) -> list[FabricDesign]:
        """The Ethernet fabrics in the order of the page."""
        return [fabric for fabric in self.cluster.design.fabrics if fabric.protocol != "infiniband"]

    def find_owner(self, fabric: str) -> str:
        """The fabric that owns the switches of one: itself, or its carrier."""
        return self.cluster.design.fabric(fabric).carrier or fabric

    def model(self, view: SwitchView) -> Switch:
        """What a switch would be told by the page so far."""
        return model_switch(view, self.catalog)

    def count_votes(self, fabrics: Iterable[str], ask: Callable[[str, Pair], Iterable[Hashable]]) -> dict[str, Vote]:
        """By fabric, what most of its switches say to a question; a fabric of which none answers is left out."""
        pairs, votes = self.list_pairs(), dict[str, Vote]()
        for fabric in fabrics:
            answers = ((pair.view.name, answer) for pair in pairs for answer in ask(fabric, pair))
            if vote := find_majority(answers):
                votes[fabric] = vote
        return votes


def write_page(page: Mapping[str, Any]) -> str:
    """A page as the flow form of YAML, in which no text is taken for another kind of value."""
    return json.dumps(page, ensure_ascii=False)


def find_value(page: Mapping[str, Any], path: Keys) -> Any:
    """The value at a path of a page, None where there is none."""
    value: Any = page
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def edit_page(page: Page, values: Iterable[Stated]) -> Page:
    """A page with values at their paths, in the order of the language; what becomes empty is taken away."""
    edited = deepcopy(page)
    for stated in values:
        above, steps = edited, list[tuple[Page, str]]()
        for key in stated.path[:-1]:
            steps.append((above, key))
            if not isinstance(above.get(key), dict):
                above[key] = {}
            above = above[key]
        if stated.value is not None:
            above[stated.path[-1]] = stated.value
            continue
        above.pop(stated.path[-1], None)
        for outer, key in reversed(steps):
            if outer[key] == {}:
                del outer[key]
    return sort_page(edited)


def sort_page(page: Page) -> Page:
    """A page with the keys of the cluster and of its fabrics in the order of the language."""
    ordered = _sort_keys(page, Blueprint.model_fields)
    if isinstance(ordered.get("fabrics"), dict):
        ordered["fabrics"] = {n: _sort_keys(f, Fabric.model_fields) for n, f in ordered["fabrics"].items()}
    return ordered


def _sort_keys(section: Page, names: Iterable[str]) -> Page:
    places = {name: place for place, name in enumerate(names)}
    return dict(sorted(section.items(), key=lambda entry: places.get(entry[0], len(places))))


def state_by_fabric(votes: Mapping[str, Vote], keys: Keys, usual: Any = None, *, together: bool = True) -> list[Stated]:
    """Values of a setting that the cluster states for all fabrics, or a fabric for itself.

    `votes` by fabric, `usual` what holds where nothing is stated. What most fabrics have is the cluster's, unless all
    of them are not to be put `together`; fabrics that have something else state it.
    """
    if not votes:
        return []
    counts = Counter[Any]()
    for vote in votes.values():
        counts[_freeze(vote.value)] += vote.facts
    top = counts.most_common(1)[0][0]
    shared = [vote for vote in votes.values() if _freeze(vote.value) == top]
    is_shared = together and (len(shared) > 1 or len(votes) == 1) and _freeze(usual) != top
    common = shared[0].value if is_shared else usual
    stated = [
        Stated(("fabrics", fabric, *keys), vote.value, vote.facts, vote.against)
        for fabric, vote in votes.items()
        if vote.value != common
    ]
    if is_shared:
        against = tuple(name for vote in shared for name in vote.against)
        stated.insert(0, Stated(keys, common, sum(vote.facts for vote in shared), against))
    return stated


def _freeze(value: Any) -> Hashable:
    """Something equal for equal values, which can be counted."""
    return repr(value)
