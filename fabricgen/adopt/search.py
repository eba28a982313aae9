"""The shortest page that explains: words are tried and taken away, and what is left is measured.

The length of a page is its words (`page.count_words`), and what it leaves unexplained in the words that would say it:
`OF_LINK` for each link that it does not give, `OF_NAME` for each name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from fabricgen.adopt.facts import End, Facts
from fabricgen.adopt.models import is_management
from fabricgen.adopt.naming import Named, find_template
from fabricgen.adopt.page import count_words
from fabricgen.adopt.proof import Trial, try_page
from fabricgen.adopt.tiers import PLACES, FabricForm, TierForm
from fabricgen.adopt.units import Units
from fabricgen.adopt.words import Words, get, put
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.kernel.diagnostics import InputError

OF_LINK = 4
"""Words of a row of `cable_of`: the id of a cable, its end, and the cage there."""
OF_NAME = 2
"""Words of a row of `names.devices`."""
OF_PATTERN = 20
"""Words of a template of names, and of the chance that a form without one would give the names that are there."""
LARGE = 30_000
"""Links from which on fewer words are tried, since each trial builds the cluster."""

Edit = tuple[tuple[tuple[str, ...], Any], ...]
"""Changes of a page: paths with their new values, None for none."""


@dataclass
class Search:
    """Tries pages against the facts. `best` is the one that explains most so far, `trial` what it gives."""

    facts: Facts
    units: Units
    forms: Sequence[FabricForm]
    catalog: Catalog
    best: Words
    trial: Trial | None = None
    tried: int = 0
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tier_of = {s: (f.network.name, t.name) for f in self.forms for t in f.tiers.values() for s in t.at}
        self._network_of = {s: f.network.name for f in self.forms for t in f.tiers.values() for s in t.at}
        self._cost: Counter[str] = Counter()

    def start(self) -> None:
        """Build the first page; raises InputError where no page can be built."""
        self.trial = try_page(self.best, self.facts, self.units, self.forms, self.catalog)
        self._cost = self._measure_page(self.best, self.trial)

    def measure_links(self, trial: Trial) -> Counter[str]:
        """Links that a page does not give, or gives beside those of the facts, by fabric."""
        missing = Counter(self.find_fabric(joint.a, joint.b) for joint in trial.missing)
        unseen = Counter(self.find_fabric(*ends) for ends in trial.unseen)
        return missing | unseen

    def find_fabric(self, a: End, b: End) -> str:
        """The fabric of a link: that of its upper end."""
        if is_management(a.port):
            return self._network_of.get(b.device, "")
        if is_management(b.port):
            return self._network_of.get(a.device, "")
        one, two = self._network_of.get(a.device, ""), self._network_of.get(b.device, "")
        return min(filter(None, (one, two)), default="")

    def _measure_page(self, words: Words, trial: Trial) -> Counter[str]:
        """The length of each fabric's part of a page, and "" for the rest."""
        cost = Counter({name: OF_LINK * count for name, count in self.measure_links(trial).items()})
        kinds = Counter(self._tier_of.get(seen, ("", "")) for seen in trial.names.values())
        wrong = Counter(self._tier_of.get(seen, ("", "")) for planned, seen in trial.names.items() if planned != seen)
        for kind, count in wrong.items():
            cost[kind[0]] += OF_PATTERN if 2 * count >= kinds[kind] else OF_NAME * count
        cost[""] += OF_LINK * len(trial.unplaced)
        for name, fabric in words["fabrics"].items():
            cost[name] += count_words(fabric)
        cost[""] += count_words({key: value for key, value in words.items() if key != "fabrics"})
        return cost

    def try_edits(self, edits: Mapping[str, Edit]) -> set[str]:
        """Try one change in each of some fabrics at once ("" for the page); the fabrics where it was kept.

        They are kept together where the whole becomes shorter, else those alone that do.
        """
        edits = dict(edits)
        trial = words = None
        while edits and trial is None:
            words = deepcopy(self.best)
            for edit in edits.values():
                for path, value in edit:
                    put(words, path, value)
            self.tried += 1
            try:
                trial = try_page(words, self.facts, self.units, self.forms, self.catalog)
            except InputError as error:
                blamed = {str(d.path[1]) for d in error.diagnostics if d.path[:1] == ("fabrics",)} & edits.keys()
                for name in blamed or list(edits):
                    del edits[name]
        if trial is None or words is None:
            return set()
        cost = self._measure_page(words, trial)
        better = {name for name in edits if cost[name] < self._cost[name]}
        if cost.total() < self._cost.total() and (len(better) == len(edits) or len(edits) == 1):
            self.best, self.trial, self._cost = words, trial, cost
            return set(edits)
        if len(edits) == 1 or not better:
            return set()
        if len(better) < len(edits):
            return self.try_edits({name: edits[name] for name in sorted(better)})
        return {name for name in sorted(better) if self.try_edits({name: edits[name]})}

    def run(self, candidates: Mapping[str, Sequence[Edit]]) -> int:
        """Try all changes of each fabric, those of different ones side by side; how many were kept."""
        queues = {name: list(edits) for name, edits in candidates.items()}
        kept = 0
        while any(queues.values()):
            edits = {name: queue.pop(0) for name, queue in queues.items() if queue}
            kept += len(self.try_edits(edits))
        return kept


def search_page(search: Search) -> None:
    """Find the words that explain the ports, then take away those that say nothing more."""
    search.start()
    for _ in range(4):
        wrong = search.measure_links(_require_trial(search.trial))
        candidates = {f.network.name: list(_list_edits(f, search, wrong[f.network.name])) for f in search.forms}
        kept = search.run(candidates)
        kept += search.run({"": _list_sizes(search)} if search.measure_links(_require_trial(search.trial)) else {})
        if not kept or not search.measure_links(_require_trial(search.trial)):
            break
    search.run(list_deletions(search.best))
    name_devices(search)


def name_devices(search: Search) -> None:
    """Put in the names: a template where it gives most of the names of a kind, and those of single devices."""
    trial = _require_trial(search.trial)
    for path, devices in _list_named(search, trial):
        template = find_template(devices)
        if not template:
            continue
        words = deepcopy(search.best)
        put(words, path, template)
        try:
            trial = try_page(words, search.facts, search.units, search.forms, search.catalog)
        except InputError as error:
            search.refused.append(f"names of {path[-1]} like {template}: {error.diagnostics[0].message}")
            continue
        search.best, search.trial = words, trial
    trial = _require_trial(search.trial)
    own = {planned: seen for planned, seen in trial.names.items() if planned != seen}
    if own:
        put(search.best, ("names", "devices"), own)
        search.start()


def _list_named(search: Search, trial: Trial) -> Iterator[tuple[tuple[str, ...], list[Named]]]:
    """(where the template of their names stands, the devices) of each kind of devices."""
    planned = {seen: name for name, seen in trial.names.items()}
    rows = {name: row for row, name in enumerate(trial.cluster.names)}
    ordinal = trial.cluster.plan.devices.ordinal
    for label in search.units.sets:
        nodes = [n for n in search.units.at if n in planned and search.units.set_of[n] == label]
        per_rack = search.units.per_rack or 1
        fields = [
            {**search.units.at[n], "n": (int(search.units.at[n]["node"]) - 1) % per_rack + 1, "set": label}
            | {"index": int(ordinal[rows[planned[n]]]) + 1}
            for n in nodes
        ]
        named = [Named(n, planned[n], f) for n, f in zip(nodes, fields, strict=True)]
        yield ("names", "nodes", label) if label else ("names", "nodes"), named
    for form in search.forms:
        for tier in form.tiers.values():
            per = get(search.best, ("fabrics", form.network.name, "tiers", tier.name, "per")) or []
            inner = [per] if isinstance(per, str) else per
            named = []
            for switch, values in tier.at.items():
                if switch in planned:
                    fields_of = _list_fields(values, inner, tier.name)
                    fields_of |= {"fabric": form.network.name, "tier": tier.name}
                    fields_of["index"] = int(ordinal[rows[planned[switch]]]) + 1
                    named.append(Named(switch, planned[switch], fields_of))
            yield ("fabrics", form.network.name, "names", tier.name), named


def _list_fields(values: Mapping[str, object], per: Sequence[str], tier: str) -> dict[str, str | int]:
    """The fields that a template of a tier has, of a switch: its places, the wider ones too, and its number."""
    fields: dict[str, str | int] = {"n": int(str(values[tier]))}
    for dimension in per:
        value = values.get(dimension)
        parts = value if isinstance(value, tuple) else (value,)
        names = ("pod", "su", "rack") if dimension in PLACES else (dimension,)
        for name, part in zip(names, parts, strict=False):
            fields[name] = str(part) if name == "pod" else int(str(part))
    return fields


def _require_trial(trial: Trial | None) -> Trial:
    assert trial is not None  # noqa: S101 - `start` has built it
    return trial


def _list_edits(form: FabricForm, search: Search, wrong: int) -> Iterator[Edit]:
    """Changes of a fabric that may explain more of it, where some of its links are wrong."""
    if not wrong:
        return
    of = ("fabrics", form.network.name)
    lowest = (*of, "tiers", form.network.leaf)
    for spread in ("stripe", "block"):
        yield (((*lowest, "spread"), spread),)
    for tier in form.tiers.values():
        yield from _list_tier_edits(tier, (*of, "tiers", tier.name), lowest, search)
    for place, role in enumerate(form.network.roles):
        for speed in _list_node_speeds(role, search):
            yield ((("fabrics", role if place else form.network.name, "speed"), f"{speed}G"),)
    breakouts = _list_breakouts(search.catalog.switch(form.tiers[form.network.leaf].profile))
    for ways, speed in breakouts:
        yield (((*lowest, "breakout"), f"{ways} x {speed}G"),)
    for first, second in permutations(breakouts, 2) if search.units.extras else ():
        if first[1] > second[1] and second[0] == 1:
            yield (((*lowest, "breakout"), [f"{ways} x {speed}G" for ways, speed in (first, second)]),)
    for upper in list(form.tiers)[1:]:
        yield (((*of, "tiers", upper, "parallel"), "adjacent"),)
        yield (((*of, "tiers", upper, "spread"), "uneven"),)
    for label in get(search.best, (*of, "extra")) or {}:
        yield (((*of, "extra", label, "spread"), "stripe"),)


def _list_tier_edits(tier: TierForm, path: tuple[str, ...], lowest: tuple[str, ...], search: Search) -> Iterator[Edit]:
    """Changes of a tier: what it is grouped by, and how fast its links are."""
    for per, count in _list_pers(tier):
        for spread in ("stripe", "block") if count > 1 and path == lowest else (None,):
            yield (((*path, "per"), per), ((*path, "count"), count), ((*path, "spread"), spread))
    for word, links in (("uplinks", tier.uplinks), ("peer", tier.peers)):
        for speed in _list_speeds(search.catalog.switch(tier.profile)) if links else ():
            yield (((*path, word), f"{links} x {speed}G"),)


def _list_sizes(search: Search) -> list[Edit]:
    """More slots: units reserved, or larger ones whose last slots are left empty, as ports between nodes and what
    follows them tell.
    """
    units, edits = search.units, list[Edit]()
    for times in (2, 3, 4, 8, 16):
        pods = search.best.get("pods", {"p1": {"su": 1}})
        if len(pods) == 1:
            edits.append(
                tuple((("pods", pod), {**stated, "reserve": times * stated["su"]}) for pod, stated in pods.items())
            )
    if list(units.sets) != [""]:
        return edits
    profile, size = units.sets[""]
    for slots in sorted({-(-(size + 1) // step) * step for step in (1, 2, 4, 8)}):
        empty = [f"*/su-*/node-{number}" for number in range(size + 1, slots + 1)]
        nodes = (("scalable_unit", "nodes"), f"{slots} x {profile}")
        edits.append((nodes, (("omit",), [*units.omitted, *empty])))
    return edits


def _list_pers(tier: TierForm) -> Iterator[tuple[Any, int]]:
    """(other words for the groups of a tier, switches in each): by a wider or narrower place, or by no legs."""
    known = set.intersection(*(set(values) for values in tier.at.values()))
    legs = [d for d in tier.per if d not in PLACES]
    for place in ("", *(p for p in reversed(PLACES) if p in known)):
        for inner in (legs, []) if legs else (legs,):
            per = [*([place] if place else []), *inner]
            groups = {tuple(values.get(d) for d in per) for values in tier.at.values()}
            if tuple(per) != tier.per and len(tier.at) % len(groups) == 0:
                yield (per if len(per) > 1 else per[0] if per else None), len(tier.at) // len(groups)


def _list_speeds(profile: SwitchProfile) -> list[int]:
    """The speeds of ports of a switch, those of whole cages first."""
    speeds = [
        speed for cages in profile.cages for _, offered in sorted(cages.breakouts.items()) for speed in offered[:1]
    ]
    return list(dict.fromkeys(speeds))


def _list_breakouts(profile: SwitchProfile) -> list[tuple[int, int]]:
    """(ports, Gb/s) into which the cages of a switch split."""
    return list(
        dict.fromkeys((w, s) for c in profile.cages for w, offered in sorted(c.breakouts.items()) for s in offered[:2])
    )


def _list_node_speeds(role: str, search: Search) -> list[int]:
    """The speeds of node ports, but the fastest, which is usual."""
    profiles: Iterable[NodeProfile] = [search.catalog.node(profile) for profile, _ in search.units.sets.values()]
    speeds = [s for p in profiles if role in p.roles for s in p.roles[role].speeds]
    return list(dict.fromkeys(speeds))[1:]


def list_deletions(words: Words) -> dict[str, list[Edit]]:
    """Every word that could be idle, to be taken away one by one, by fabric; "" for the page's own."""
    deletions: dict[str, list[Edit]] = {"": []}
    for name, fabric in words["fabrics"].items():
        of = ("fabrics", name)
        paths: list[tuple[str, ...]] = [(*of, key) for key in ("attach", "nic") if key in fabric]
        for tier, stated in fabric.get("tiers", {}).items():
            idle = ("spread", "parallel", "breakout", "above", "count", "uplinks")
            paths += [(*of, "tiers", tier, key) for key in idle if key in stated]
        for label, stated in fabric.get("extra", {}).items():
            paths += [(*of, "extra", label, key) for key in ("ports", "attach", "to", "count") if key in stated]
        deletions[name] = [((path, None),) for path in paths]
    if get(words, ("pods",)) == {"p1": {"su": 1}}:
        deletions[""].append(((("pods",), None),))
    if get(words, ("scalable_unit", "racks")):
        deletions[""].append(((("scalable_unit", "racks"), None),))
    return deletions
