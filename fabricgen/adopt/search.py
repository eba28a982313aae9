"""The shortest page that explains: words are tried and taken away, and what is left is measured.

The length of a page is its words (`page.count_words`), and what it leaves unexplained in the words that would say it:
`OF_LINK` for each link that it does not give, half of it where it joins its devices and uses its ports, so that one of
two words that explain a link together is kept; `OF_NAME` for each name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise, permutations
from typing import Any

import numpy as np

from fabricgen.adopt.facts import Facts
from fabricgen.adopt.models import Models, is_management
from fabricgen.adopt.positions import BY_NAMES, Order
from fabricgen.adopt.proof import Trial, encode_links, is_node_of_unit, try_page
from fabricgen.adopt.tiers import PLACES, FabricForm, TierForm, list_cage_words
from fabricgen.adopt.units import Units
from fabricgen.adopt.words import Edit, Named, Words, count_words, edit_words, find_template, get
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.kernel.diagnostics import InputError
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import SWITCH

OF_LINK = 4
"""Words of a row of `cable_of`: the id of a cable, its end, and the cage there."""
OF_NAME = 2
"""Words of a row of `names.devices`."""
OF_PATTERN = 20
"""Words of a template of names, and of the chance that a form without one would give the names that are there."""
MANY = 8
"""Pods from which on no slots are tried that they may reserve."""


@dataclass
class Search:
    """Tries pages against the facts. `best` is the one that explains most so far, `trial` what it gives."""

    facts: Facts
    units: Units
    forms: Sequence[FabricForm]
    models: Models
    catalog: Catalog
    best: Words
    order: Order = BY_NAMES
    trial: Trial = field(init=False)
    cost: dict[str, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._tier_of = {s: (f.network.name, t.name) for f in self.forms for t in f.tiers.values() for s in t.at}
        self._seen = encode_links(self.facts, self.models, self.forms)
        self._names = [*sorted(form.network.name for form in self.forms), ""]
        network_of = [self._names.index(self._tier_of.get(name, ("", ""))[0]) for name in (*self._seen.devices, "")]
        self._network_of = np.array(network_of, dtype=np.int64)
        devices, texts = zip(*self._seen.ends, strict=True)
        of_texts = [[self._seen.texts[text] for text in side.tolist()] for side in texts]
        self._fabric_of_link = self._find_fabrics(devices, of_texts)

    def try_page(self, words: Words) -> Trial:
        """Wire a page and hold it against the facts; raises InputError where it cannot be wired."""
        return try_page(words, self.facts, self._seen, self.units, self.forms, self.catalog, self.order)

    def start(self) -> None:
        """Wire the first page; raises InputError where no page can be wired.

        Where a fabric cannot be wired as most of its switches tell, its numbers of links, slower ports of nodes and its
        numbers of switches are tried by turns.
        """
        stated, relaxed = self.best, dict[str, Iterator[Edit]]()
        kept: dict[str, Edit] = {}
        while True:
            try:
                self.trial = self.try_page(self.best)
                break
            except InputError as error:
                path = error.diagnostics[0].path
                name = str(path[1]) if path[:1] == ("fabrics",) else ""
                if not (edit := next(relaxed.setdefault(name, self._relax_fabric(name)), None)):
                    raise
                kept[name] = edit
                self.best = edit_words(stated, kept.values())
        self.cost = self._measure_page(self.best, self.trial)

    def _relax_fabric(self, name: str) -> Iterator[Edit]:
        """What a fabric could say otherwise where it cannot be wired."""
        for form in [form for form in self.forms if form.network.name == name]:
            of = ("fabrics", name)
            speeds: list[Edit] = [
                (((*of, "speed"), f"{speed}G"),) for speed in _list_node_speeds(form.network.role, self)
            ]
            derived: list[Edit] = [
                tuple(((*of, "tiers", tier, word), None) for tier in form.tiers) for word in ("uplinks", "count")
            ]
            yield from (*speeds, derived[0], *(derived[0] + speed for speed in speeds), derived[0] + derived[1])

    def omit_empty_slots(self) -> None:
        """Where ports tell which node is which, leave out the slots in which none is."""
        if self.order.by_names:
            return
        kept = [slot for slot in self.best.get("omit", ()) if "*" in slot]
        if kept != self.best.get("omit", []):
            # slots that were left out before the ports of the page were known
            self.best = edit_words(self.best, [((("omit",), kept or None),)])
            self.start()
        pods, trial = list(self.units.pods), self.trial
        slots = list[str]()
        for name, key in zip(trial.wired.names, trial.keys, strict=True):
            if is_node_of_unit(key) and name not in trial.names:
                pod, su, node = (int(str(number)) for number in key[1:])
                slots.append(f"{pods[pod]}/su-{su + 1}/node-{node + 1}")
        if slots:
            self.units.omitted = slots
            self.best = edit_words(self.best, [((("omit",), [*kept, *slots]),)])
            self.start()

    def measure_links(self, trial: Trial) -> Counter[str]:
        """Links that a page does not give, or gives beside those of the facts, by fabric."""
        beside = self._find_fabrics(*trial.unseen_columns)
        wrong = np.maximum(
            *(np.bincount(of, minlength=len(self._names)) for of in (self._fabric_of_link[trial.is_missing], beside))
        )
        return Counter({name: count for name, count in zip(self._names, wrong.tolist(), strict=True) if count})

    def _find_fabrics(self, devices: Sequence[Ints64], ports: Sequence[Sequence[str]]) -> Ints64:
        """The fabric of each link by its place in `_names`: that of its upper end, or of what manages the other."""
        one, two = (self._network_of[np.minimum(of, len(self._network_of) - 1)] for of in devices)
        first, second = (np.array([is_management(port) for port in texts], dtype=bool) for texts in ports)
        found: Ints64 = np.where(first, two, np.where(second, one, np.minimum(one, two)))
        return found

    def _measure_page(self, words: Words, trial: Trial) -> dict[str, float]:
        """The length of each fabric's part of a page, and "" for the rest."""
        cost: dict[str, float] = defaultdict(float)
        for name, count in self.measure_links(trial).items():
            cost[name] += OF_LINK * count
        near = np.bincount(self._fabric_of_link[trial.is_missing], trial.nearness, len(self._names))
        for name, credit in zip(self._names, near.tolist(), strict=True):
            cost[name] -= credit
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
            words = edit_words(self.best, edits.values())
            try:
                trial = self.try_page(words)
            except InputError as error:
                blamed = {str(d.path[1]) for d in error.diagnostics if d.path[:1] == ("fabrics",)} & edits.keys()
                if not blamed and len(edits) > 1:
                    return {name for name in sorted(edits) if self.try_edits({name: edits[name]})}
                for name in blamed or list(edits):
                    del edits[name]
        if trial is None or words is None:
            return set()
        cost = self._measure_page(words, trial)
        better = {name for name in edits if cost[name] < self.cost[name]}
        if sum(cost.values()) < sum(self.cost.values()) and (len(better) == len(edits) or len(edits) == 1):
            self.best, self.trial, self.cost = words, trial, cost
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


def follow_pattern(search: Search) -> bool:
    """Whether the names of most devices are the usual ones, or follow a template, in the order that is tried."""
    regular = total = 0
    for _, devices in _list_named(search, search.trial):
        usual = 2 * sum(device.name == device.default for device in devices) >= len(devices)
        regular += len(devices) if usual or find_template(devices) else 0
        total += len(devices)
    return 2 * regular >= total


def search_page(search: Search) -> None:
    """In a search that was started, find the words that explain the ports, take away those that say nothing."""
    search.omit_empty_slots()
    for _ in range(4):
        wrong = search.measure_links(search.trial)
        candidates = {f.network.name: list(_list_edits(f, search, wrong[f.network.name])) for f in search.forms}
        kept = search.run(candidates)
        if search.measure_links(search.trial):
            kept += search.run({"": _list_sizes(search)})
        wrong = search.measure_links(search.trial)
        kept += search.run({f.network.name: _list_cage_edits(f) for f in search.forms if wrong[f.network.name]})
        if not kept or not search.measure_links(search.trial):
            break
    search.omit_empty_slots()
    search.run(list_deletions(search.best))
    name_devices(search)


def name_devices(search: Search) -> None:
    """Put in the names: a template where it gives most of the names of a kind, and those of single devices."""
    if lists := list(_order_extras(search)):
        search.best = edit_words(search.best, lists)
        search.start()
    for path, devices in list(_list_named(search, search.trial)):
        if template := find_template(devices):
            words = edit_words(search.best, [((path, template),)])
            # where names would be alike, rows of single devices have them
            with suppress(InputError):
                search.trial, search.best = search.try_page(words), words
    if own := {planned: seen for planned, seen in search.trial.names.items() if planned != seen}:
        search.best = edit_words(search.best, [((("names", "devices"), own),)])
        search.start()


def _order_extras(search: Search) -> Iterator[Edit]:
    """The names of the devices beside the nodes in the order that their ports tell."""
    for fabric, stated in search.best["fabrics"].items():
        for label, extra in stated.get("extra", {}).items():
            ordered = [search.trial.names.get(name, name) for name in extra.get("names", ())]
            if ordered != extra.get("names", []):
                yield ((("fabrics", fabric, "extra", label, "names"), ordered),)


def _list_named(search: Search, trial: Trial) -> Iterator[tuple[tuple[str, ...], list[Named]]]:
    """(where the template of their names stands, the devices) of each kind of devices, by where they are planned."""
    units, ordinal, pods = search.units, trial.wired.plan.devices.ordinal.tolist(), list(search.units.pods)
    kinds: dict[tuple[str, ...], list[Named]] = defaultdict(list)
    for row, (name, key) in enumerate(zip(trial.wired.names, trial.keys, strict=True)):
        seen, index = trial.names.get(name, ""), ordinal[row] + 1
        if seen in units.at and is_node_of_unit(key):
            pod, su, node = (int(str(number)) for number in key[1:])
            per_rack, label = units.kinds[units.kind_of[pods[pod]]].per_rack or 1, units.set_of[seen]
            at = {"pod": pods[pod], "su": su + 1, "rack": node // per_rack + 1, "node": node + 1}
            fields = {**at, "n": node % per_rack + 1, "set": label, "index": index}
            kinds[("names", "nodes", label) if label else ("names", "nodes")].append(Named(seen, name, fields))
        elif seen and key[0] == SWITCH:
            fabric, tier, *numbers = map(str, key[1:])
            per = get(search.best, ("fabrics", fabric, "tiers", tier, "per")) or []
            fields = _list_fields([int(number) for number in numbers], [per] if isinstance(per, str) else per, pods)
            fields |= {"fabric": fabric, "tier": tier, "index": index}
            kinds["fabrics", fabric, "names", tier].append(Named(seen, name, fields))
    yield from kinds.items()


def _list_fields(numbers: Sequence[int], per: Sequence[str], pods: Sequence[str]) -> dict[str, str | int]:
    """The fields that a template of a tier has, of a switch: its pod, unit and rack, each -1 where its group spans
    several, then its inner dimensions and its number.
    """
    fields: dict[str, str | int] = {"n": numbers[-1] + 1}
    places = zip(("pod", "su", "rack"), numbers, strict=False)
    inner = zip([d for d in per if d not in PLACES], numbers[3:], strict=False)
    fields |= {place: pods[number] if place == "pod" else number + 1 for place, number in places if number >= 0}
    return fields | {dimension: number + 1 for dimension, number in inner}


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
    extras = get(search.best, (*of, "extra")) or {}
    split = {
        tier for tier, stated in search.best["fabrics"][form.network.name]["tiers"].items() if "breakout" in stated
    }
    profiles = {label: search.catalog.node(e["device"]) for label, e in extras.items() if e.get("to") in split}
    apart = [(label, max(s for nic in p.roles.values() for s in nic.speeds)) for label, p in profiles.items()]
    for place, role in enumerate(form.network.roles):
        for speed in _list_node_speeds(role, search):
            slower = (("fabrics", role if place else form.network.name, "speed"), f"{speed}G")
            yield (slower,)
            # devices on a tier that is split for them keep a speed of their own, as a rule their fastest
            yield (slower, *(((*of, "extra", label, "speed"), f"{fastest}G") for label, fastest in apart))
    speeds = {speed for node in search.models.profiles for nic in node.roles.values() for speed in nic.speeds}
    breakouts = _list_breakouts(search.catalog.switch(form.tiers[form.network.leaf].profile), speeds)
    for ways, speed in breakouts:
        yield (((*lowest, "breakout"), f"{ways} x {speed}G"),)
    for first, second in permutations(breakouts, 2) if search.units.extras else ():
        if first[1] > second[1] and second[0] == 1:
            yield (((*lowest, "breakout"), [f"{ways} x {speed}G" for ways, speed in (first, second)]),)
    for lower, upper in pairwise(form.tiers):
        yield (((*of, "tiers", upper, "parallel"), "adjacent"),)
        yield (((*of, "tiers", upper, "spread"), "uneven"),)
        yield from _hang_below(form, lower, upper)
    yield from _list_extra_edits(form, search)


def _list_cage_edits(form: FabricForm) -> list[Edit]:
    """The cages that ports in use tell."""
    of = ("fabrics", form.network.name, "tiers")
    return [(((*of, t.name, "cages"), cages),) for t in form.tiers.values() for cages in list_cage_words(t)]


def _hang_below(form: FabricForm, lower: str, upper: str) -> Iterator[Edit]:
    """The last tier hung below the one that it meets, as one of border leaves is, with ports of some speeds."""
    of, links = ("fabrics", form.network.name, "tiers"), form.tiers[upper].downlinks
    if upper == list(form.tiers)[-1] and links and not form.tiers.keys() & set(form.tiers[upper].per):
        turned = (((*of, lower, "uplinks"), None), ((*of, upper, "above"), None), ((*of, upper, "below"), lower))
        yield (*turned, ((*of, upper, "uplinks"), links))


def _list_extra_edits(form: FabricForm, search: Search) -> Iterator[Edit]:
    """Changes of the devices beside the nodes: how fast their ports are, and how these are dealt."""
    of = ("fabrics", form.network.name)
    extras = get(search.best, (*of, "extra")) or {}
    yield tuple(((*of, "extra", label, "speed"), None) for label in extras)
    for label, extra in extras.items():
        yield (((*of, "extra", label, "spread"), "stripe"),)
        speeds = {speed for nic in search.catalog.node(extra["device"]).roles.values() for speed in nic.speeds}
        tier = form.tiers.get(extra.get("to", ""), form.tiers[form.network.leaf])
        breakouts = _list_breakouts(search.catalog.switch(tier.profile), speeds)
        for speed in sorted(speeds, reverse=True)[1:]:
            yield (((*of, "extra", label, "speed"), f"{speed}G"),)
        for ways, speed in breakouts if tier.name != form.network.leaf else ():
            split = ((*of, "tiers", tier.name, "breakout"), f"{ways} x {speed}G")
            yield (split,)
            yield (split, ((*of, "extra", label, "speed"), f"{speed}G"))


def _list_tier_edits(tier: TierForm, path: tuple[str, ...], lowest: tuple[str, ...], search: Search) -> Iterator[Edit]:
    """Changes of a tier: what it is grouped by, and how fast its links are."""
    for per, count in _list_pers(tier):
        for spread in ("stripe", "block") if count > 1 and path == lowest else (None,):
            yield (((*path, "per"), per), ((*path, "count"), count), ((*path, "spread"), spread))
    uplinks = tier.uplinks or get(search.best, (*path, "uplinks"))
    for speed in _list_speeds(search.catalog.switch(tier.profile)) if tier.of_pod else ():
        usual, name = tier.uplinks, f"{path[1]}.{tier.name}"
        own = {pod: {"uplinks": f"{links} x {speed}G"} for pod, links in tier.of_pod.items() if links != usual}
        yield (
            ((*path, "uplinks"), f"{usual} x {speed}G"),
            *((("pods", pod, "tiers", name), words) for pod, words in own.items()),
        )
    for dimension, stated in tier.mesh.items():
        for speed in _list_speeds(search.catalog.switch(tier.profile)):
            faster = (
                {**stated, "links": f"{stated['links']} x {speed}G"}
                if isinstance(stated, dict)
                else f"{stated} x {speed}G"
            )
            yield (((*path, "mesh", dimension), faster),)
    for word, links in (("uplinks", uplinks if isinstance(uplinks, int) else 0), ("peer", tier.peers)):
        for speed in _list_speeds(search.catalog.switch(tier.profile)) if links else ():
            yield (((*path, word), f"{links} x {speed}G"),)
            if word == "peer" and links % (units := max(search.units.pods.values(), default=1)) == 0:
                yield (((*path, word), f"{links // units} x {speed}G per su"),)


def _list_sizes(search: Search) -> list[Edit]:
    """More slots: units reserved, or larger ones whose last slots are left empty, as ports between nodes and what
    follows them tell.
    """
    units, edits = search.units, list[Edit]()
    pods = search.best.get("pods", {"p1": {"su": 1}})
    for times in (2, 3, 4, 8, 16):
        for pod, stated in pods.items() if len(pods) < MANY else ():
            edits.append(((("pods", pod), {**stated, "reserve": times * stated["su"]}),))
    if list(units.kinds) != [""] or list(units.kinds[""].sets) != [""]:
        return edits
    profile, size = units.kinds[""].sets[""]
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


def _list_breakouts(profile: SwitchProfile, speeds: Collection[int]) -> list[tuple[int, int]]:
    """(ports, Gb/s) into which the cages of a switch split for ports of some speeds."""
    ways = [(w, s) for c in profile.cages for w, offered in sorted(c.breakouts.items()) for s in offered if s in speeds]
    return list(dict.fromkeys(ways))


def _list_node_speeds(role: str, search: Search) -> list[int]:
    """The speeds of node ports, but the fastest where it says nothing, as it is usual."""
    speeds = [s for p in search.models.profiles if role in p.roles for s in p.roles[role].speeds]
    # devices beside the nodes may be faster, and have the speed of nodes where it is stated
    return list(dict.fromkeys(speeds))[0 if search.units.extras else 1 :]


def list_deletions(words: Words) -> dict[str, list[Edit]]:
    """Every word that could be idle, to be taken away one by one, by fabric; "" for the page's own."""
    deletions: dict[str, list[Edit]] = {"": []}
    for name, fabric in words["fabrics"].items():
        of = ("fabrics", name)
        paths: list[tuple[str, ...]] = [
            (*of, key) for key in ("attach", "nic", "rail_groups", "speed") if key in fabric
        ]
        for tier, stated in fabric.get("tiers", {}).items():
            idle = ("spread", "parallel", "breakout", "above", "below", "count", "uplinks", "cages")
            paths += [(*of, "tiers", tier, key) for key in idle if key in stated]
        for label, stated in fabric.get("extra", {}).items():
            paths += [
                (*of, "extra", label, key) for key in ("ports", "attach", "to", "count", "speed") if key in stated
            ]
        deletions[name] = [((path, None),) for path in paths]
    if get(words, ("pods",)) == {"p1": {"su": 1}}:
        deletions[""].append(((("pods",), None),))
    if get(words, ("scalable_unit", "racks")):
        deletions[""].append(((("scalable_unit", "racks"), None),))
    return deletions
