"""Search the shortest page that gives the facts: words are added and taken away, and each page is measured.

The length of a page is the number of its words (`words.count_words`) plus that of the words that would say what it
does not give: WORDS_OF_LINK for each link, WORDS_OF_NAME for each name. A missing link of which the page has a part
counts less, so that the first of two words that give it together is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any

import numpy as np

from fabricgen.adopt.facts import Facts, PagePath
from fabricgen.adopt.forms import PLACES, FabricForm, TierForm, group_members
from fabricgen.adopt.matching import encode_links
from fabricgen.adopt.models import Models, is_management
from fabricgen.adopt.positions import BY_NAMES, Order
from fabricgen.adopt.proof import PAGE, HopelessError, Trial, is_node_of_unit, try_page
from fabricgen.adopt.tiers import list_cage_words
from fabricgen.adopt.units import Units
from fabricgen.adopt.words import (
    Edit,
    Named,
    PairTable,
    Words,
    count_words_by_fabric,
    drop_empty,
    edit_words,
    find_template,
    get,
    list_deletions,
)
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.kernel.diagnostics import InputError
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import SWITCH

WORDS_OF_LINK = 4
"""The words of a row of `cable_of`: the id of a cable, its end, and the cage there."""
WORDS_OF_NAME = 2
"""The words of a row of `names.devices`."""
WORDS_OF_PATTERN = 20
"""What names of a tier cost that are not the default ones: a template, and the chance that another page gives them."""
MAX_ORDERED = 3
"""The most dimensions of a mesh of which all orders are tried."""
MANY_PODS = 8
"""With so many pods, `reserve` is not tried."""


@dataclass
class PageSearch:
    """Tries changes of a page, and keeps those that make it shorter.

    `page` is the shortest page so far, `trial` how it compares with the facts, and `cost` its length by fabric, with
    that of the rest of the page under "".
    """

    facts: Facts
    units: Units
    forms: Sequence[FabricForm]
    models: Models
    catalog: Catalog
    page: Words
    order: Order = BY_NAMES
    stem: str = Path(PAGE).stem
    """The name of the page's file without its ending, with which names of tables beside it begin."""
    trial: Trial = field(init=False)
    cost: dict[str, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._tier_of_switch = {s: (f.network.name, t.name) for f in self.forms for t in f.tiers.values() for s in t.at}
        self._seen = encode_links(self.facts, self.models, self.forms)
        self._fabrics = [*sorted(form.network.name for form in self.forms), ""]
        owners = (self._tier_of_switch.get(name, ("", ""))[0] for name in (*self._seen.devices, ""))
        self._fabric_of_device = np.array([self._fabrics.index(fabric) for fabric in owners], dtype=np.int64)
        devices, texts = zip(*self._seen.ends, strict=True)
        of_texts = [[self._seen.texts[text] for text in side.tolist()] for side in texts]
        self._fabric_of_link = self._find_fabrics(devices, of_texts)

    def try_page(self, words: Words, edited: Collection[str] = ()) -> Trial:
        """Wire a page and compare it with the facts; raises InputError if it cannot be wired, HopelessError if none of
        the fabrics that were `edited` can be shorter, by the names of ports alone.
        """

        def is_hopeless(trial: Trial) -> bool:
            rows, counts = trial.count_surely_missing()
            missing = np.bincount(self._fabric_of_link[rows], counts, len(self._fabrics)).tolist()
            # the plan may join the devices of a missing link, and use both of its ports: half of the words
            trial.unexplained = {name: WORDS_OF_LINK / 2 * n for name, n in zip(self._fabrics, missing, strict=True)}
            cost = self._measure_page(words, trial)
            if len(edited) == 1:
                return sum(cost.values()) >= sum(self.cost.values())
            return bool(edited) and all(cost[name] >= self.cost[name] for name in edited)

        page = words, self.facts, self._seen, self.units, self.forms, self.catalog, self.order
        return try_page(*page, getattr(self, "trial", None), is_hopeless)

    def wire_page(self) -> None:
        """Wire `page`, and set `trial` and `cost`; raises InputError if no page can be wired.

        If a fabric cannot be wired, changes of it are tried in turn: slower ports of nodes, then derived numbers of
        links and of switches.
        """
        first_page, remaining = self.page, dict[str, Iterator[Edit]]()
        kept: dict[str, Edit] = {}
        while True:
            try:
                self.trial = self.try_page(self.page)
                break
            except InputError as error:
                path = error.diagnostics[0].path
                name = str(path[1]) if path[:1] == ("fabrics",) else ""
                if not (edit := next(remaining.setdefault(name, self._relax_fabric(name)), None)):
                    raise
                kept[name] = edit
                self.page = edit_words(first_page, kept.values())
        self.cost = self._measure_page(self.page, self.trial)

    def keep_page(self, words: Words) -> bool:
        """Take a page, although it may be longer, if it gives as many links; return whether; raises InputError."""
        trial = self.try_page(words)
        if is_kept := bool(trial.is_wrong.sum() <= self.trial.is_wrong.sum()):
            self.page, self.trial, self.cost = words, trial, self._measure_page(words, trial)
        return is_kept

    def _relax_fabric(self, name: str) -> Iterator[Edit]:
        """Yield changes with which a fabric may be wired that cannot be as its switches tell."""
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
        """If devices are found by their ports, omit the slots for which no node was found."""
        is_whole = not self.trial.is_missing.any() and not self.trial.unplaced
        if self.order.by_names or (self.page.get("omit") and is_whole):
            return
        patterns = [slot for slot in self.page.get("omit", ()) if "*" in slot]
        if patterns != self.page.get("omit", []):
            # take back slots that were omitted for an earlier page
            self.page = edit_words(self.page, [((("omit",), patterns or None),)])
            self.wire_page()
        pods, planned = list(self.units.pods), zip(self.trial.wired.names, self.trial.keys, strict=True)
        unseen = [key[1:] for name, key in planned if is_node_of_unit(key) and name not in self.trial.seen_names]
        if slots := [f"{pods[pod]}/su-{su + 1}/node-{node + 1}" for pod, su, node in unseen]:
            self.units.omitted = slots
            self.page = edit_words(self.page, [((("omit",), [*patterns, *slots]),)])
            self.wire_page()

    def measure_links(self, trial: Trial) -> Counter[str]:
        """Return by fabric how many links a page lacks or gives at another rate, or how many it gives beside the
        facts if these are more.
        """
        beside = self._find_fabrics(*trial.unseen_ends)
        missing = self._fabric_of_link[trial.is_wrong]
        wrong = np.maximum(*(np.bincount(fabrics, minlength=len(self._fabrics)) for fabrics in (missing, beside)))
        return Counter({name: count for name, count in zip(self._fabrics, wrong.tolist(), strict=True) if count})

    def _find_fabrics(self, devices: Sequence[Ints64], ports: Sequence[Sequence[str]]) -> Ints64:
        """Return the fabric of each link by its place in `_fabrics`, int64, from devices and ports of either end.

        It is the fabric of the device that is not at its management port, else the first of both.
        """
        a, b = (self._fabric_of_device[np.minimum(rows, len(self._fabric_of_device) - 1)] for rows in devices)
        a_is_managed, b_is_managed = (np.array([is_management(port) for port in texts], dtype=bool) for texts in ports)
        fabrics: Ints64 = np.where(a_is_managed, b, np.where(b_is_managed, a, np.minimum(a, b)))
        return fabrics

    def _measure_page(self, words: Words, trial: Trial) -> dict[str, float]:
        """Return the length of a page by fabric, with that of the rest of the page under ""."""
        trial.unexplained = trial.unexplained or self._measure_unexplained(trial)
        cost = defaultdict[str, float](float, trial.unexplained)
        for name, count in count_words_by_fabric(words).items():
            cost[name] += count
        return cost

    def _measure_unexplained(self, trial: Trial) -> dict[str, float]:
        """Return the length of what a page does not give, by fabric, with that of the rest under ""."""
        wrong = self.measure_links(trial)
        in_part = np.bincount(self._fabric_of_link[trial.is_wrong], trial.nearness, len(self._fabrics)).tolist()
        cost = {name: WORDS_OF_LINK * wrong[name] - part for name, part in zip(self._fabrics, in_part, strict=True)}
        tiers = [(self._tier_of_switch.get(s, ("", "")), planned != s) for planned, s in trial.seen_names.items()]
        sizes = Counter(tier for tier, _ in tiers)
        for tier, renamed in Counter(tier for tier, is_renamed in tiers if is_renamed).items():
            cost[tier[0]] += WORDS_OF_PATTERN if 2 * renamed >= sizes[tier] else WORDS_OF_NAME * renamed
        cost[""] += WORDS_OF_LINK * len(trial.unplaced)
        return cost

    def try_edits(self, edits: Mapping[str, Edit]) -> set[str]:
        """Try changes of several fabrics at once, one of each ("" is the rest of the page); return where it was kept.

        If not all fabrics become shorter, those that do are tried again without the others, in the end one by one.
        """
        words = edit_words(self.page, edits.values())
        if len(edits) == 1 and sum(count_words_by_fabric(words).values()) >= self._find_least_length():
            return set()
        try:
            trial = self.try_page(words, edits)
        except HopelessError:
            return set()
        except InputError as error:
            better = edits.keys() - {str(d.path[1]) for d in error.diagnostics if d.path[:1] == ("fabrics",)}
        else:
            cost = self._measure_page(words, trial)
            better = {name for name in edits if cost[name] < self.cost[name]}
            if sum(cost.values()) < sum(self.cost.values()) and (len(better) == len(edits) or len(edits) == 1):
                self.page, self.trial, self.cost = words, trial, cost
                return set(edits)
        if len(edits) == 1 or not better:
            return set()
        if len(better) < len(edits):
            return self.try_edits({name: edits[name] for name in sorted(better)})
        return {name for name in sorted(better) if self.try_edits({name: edits[name]})}

    def _find_least_length(self) -> float:
        """Return the length below which the words of a page have to be, so that it can be shorter than `page`.

        Names that tell nothing are as long on all pages that give all links.
        """
        is_whole = not (self.trial.is_wrong.any() or self.trial.unseen_ends[0][0].size or self.trial.unplaced)
        lengths = count_words_by_fabric(self.page) if is_whole and not self.order.by_names else self.cost
        return sum(lengths.values())

    def try_all(self, candidates: Mapping[str, Iterable[Edit]]) -> int:
        """Try all changes of each fabric in turn, side by side with those of the others; return how many were kept."""
        queues = {name: list(edits) for name, edits in candidates.items()}
        kept = 0
        while any(queues.values()):
            edits = {name: queue.pop(0) for name, queue in queues.items() if queue}
            kept += len(self.try_edits(edits))
        return kept


def follow_pattern(search: PageSearch) -> bool:
    """Whether the names of most devices are default names, or follow a template."""
    regular = total = 0
    for _, devices in _list_named(search, search.trial):
        by_default = 2 * sum(device.name == device.default for device in devices) >= len(devices)
        regular += len(devices) if by_default or find_template(devices) else 0
        total += len(devices)
    return 2 * regular >= total


def search_page(search: PageSearch) -> None:
    """Find the words that give most links and ports, take away words that change nothing, and name the devices.

    The first page of the search must have been wired.
    """
    search.omit_empty_slots()
    for _ in range(4):
        wrong = search.measure_links(search.trial)
        kept = search.try_all({f.network.name: _list_edits(f, search) for f in search.forms if wrong[f.network.name]})
        if search.measure_links(search.trial):
            kept += search.try_all({"": _list_sizes(search)})
        wrong = search.measure_links(search.trial)
        kept += search.try_all({f.network.name: _list_cage_edits(f) for f in search.forms if wrong[f.network.name]})
        if not kept or not search.measure_links(search.trial):
            break
    search.omit_empty_slots()
    search.try_all(list_deletions(search.page))
    name_devices(search)


def name_devices(search: PageSearch) -> None:
    """Put names into the page: templates that give most names of a kind of devices, and names of single devices."""
    if lists := list(_order_extras(search)):
        search.page = edit_words(search.page, lists)
        search.wire_page()
    for path, devices in list(_list_named(search, search.trial)):
        if template := find_template(devices):
            words = edit_words(search.page, [((path, template),)])
            # a template that gives two devices one name is refused: then rows of single devices say the names
            with suppress(InputError):
                search.trial, search.page = search.try_page(words), words
    if renamed := {planned: seen for planned, seen in search.trial.seen_names.items() if planned != seen}:
        search.page = edit_words(search.page, [((("names", "devices"), renamed),)])
        search.wire_page()


def _order_extras(search: PageSearch) -> Iterator[Edit]:
    """Yield changes that put names of extra devices into the order in which their ports were found."""
    for fabric, stated in search.page["fabrics"].items():
        for label, extra in stated.get("extra", {}).items():
            ordered = [search.trial.seen_names.get(name, name) for name in extra.get("names", ())]
            if ordered != extra.get("names", []):
                yield ((("fabrics", fabric, "extra", label, "names"), ordered),)


def _list_named(search: PageSearch, trial: Trial) -> Iterator[tuple[tuple[str, ...], list[Named]]]:
    """Yield (path of the template of their names, devices) for each kind of nodes and switches that was found."""
    units, ordinal, pods = search.units, trial.wired.plan.devices.ordinal.tolist(), list(search.units.pods)
    named: dict[tuple[str, ...], list[Named]] = defaultdict(list)
    for row, (name, device_key) in enumerate(zip(trial.wired.names, trial.keys, strict=True)):
        seen_name, index = trial.seen_names.get(name, ""), ordinal[row] + 1
        if seen_name in units.at and is_node_of_unit(device_key):
            pod, su, node = device_key[1:]
            per_rack, label = units.kinds[units.kind_of[pods[pod]]].per_rack or 1, units.set_of[seen_name]
            coordinates = {"pod": pods[pod], "su": su + 1, "rack": node // per_rack + 1, "node": node + 1}
            fields = {**coordinates, "n": node % per_rack + 1, "set": label, "index": index}
            named[("names", "nodes", label) if label else ("names", "nodes")].append(Named(seen_name, name, fields))
        elif seen_name and device_key[0] == SWITCH:
            fabric, tier, site, *numbers = map(str, device_key[1:])
            per = get(search.page, ("fabrics", fabric, "tiers", tier, "per")) or []
            fields = _list_fields([int(number) for number in numbers], [per] if isinstance(per, str) else per, pods)
            fields |= {"fabric": fabric, "tier": tier, "index": index} | ({"site": site} if site else {})
            named["fabrics", fabric, "names", tier].append(Named(seen_name, name, fields))
    yield from named.items()


def _list_fields(numbers: Sequence[int], per: Sequence[str], pods: Sequence[str]) -> dict[str, str | int]:
    """Return the values of the fields that a template of names of a tier may have, for a switch.

    `numbers`, from 0, are its pod, unit and rack, each -1 if its group serves several; its inner dimensions; and its
    number in the group. `per` is that of its tier, `pods` are the names of pods.
    """
    fields: dict[str, str | int] = {"n": numbers[-1] + 1}
    places = zip(("pod", "su", "rack"), numbers, strict=False)
    inner = zip([d for d in per if d not in PLACES], numbers[3:], strict=False)
    fields |= {place: pods[number] if place == "pod" else number + 1 for place, number in places if number >= 0}
    return fields | {dimension: number + 1 for dimension, number in inner}


def _list_edits(form: FabricForm, search: PageSearch) -> Iterator[Edit]:
    """Yield changes with which a fabric may give more of its links."""
    path = ("fabrics", form.network.name)
    lowest = (*path, "tiers", form.network.leaf)
    yield from _try_values((*lowest, "spread"), ("stripe", "block"))
    for tier in form.tiers.values():
        yield from _list_tier_edits(tier, (*path, "tiers", tier.name), lowest, search)
    extras = get(search.page, (*path, "extra")) or {}
    split_tiers = {
        tier for tier, stated in search.page["fabrics"][form.network.name]["tiers"].items() if "breakout" in stated
    }
    profiles = {label: search.catalog.node(e["device"]) for label, e in extras.items() if e.get("to") in split_tiers}
    extra_speeds = [(label, max(s for nic in p.roles.values() for s in nic.speeds)) for label, p in profiles.items()]
    for role in form.network.roles:
        fabric = form.network.name if role == form.network.role else role
        for speed in _list_node_speeds(role, search):
            slower = (("fabrics", fabric, "speed"), f"{speed}G")
            yield (slower,)
            # extra devices on a tier that is split for them keep their own speed, as a rule their fastest
            yield (slower, *(((*path, "extra", label, "speed"), f"{fastest}G") for label, fastest in extra_speeds))
    speeds = {speed for node in search.models.profiles for nic in node.roles.values() for speed in nic.speeds}
    breakouts = _list_breakouts(search.catalog.switch(form.tiers[form.network.leaf].profile), speeds)
    yield from _try_values((*lowest, "breakout"), [f"{legs} x {speed}G" for legs, speed in breakouts])
    # cages for faster extra devices beside those that are split
    mixed = [
        [f"{legs} x {speed}G", f"1 x {other_speed}G"]
        for (legs, speed), (other_legs, other_speed) in permutations(breakouts, 2)
        if speed > other_speed and other_legs == 1
    ]
    yield from _try_values((*lowest, "breakout"), mixed if search.units.extras else ())
    last_tier = list(form.tiers.values())[-1]
    for speed in _list_speeds(search.catalog.switch(last_tier.profile)) if form.spans else ():
        yield tuple(
            ((*path, "spans", f"{a}-{b}", "links"), f"{links} x {speed}G") for (a, b), links in form.spans.items()
        )
    for lower, upper in pairwise(form.tiers):
        yield (((*path, "tiers", upper, "parallel"), "adjacent"),)
        yield (((*path, "tiers", upper, "spread"), "uneven"),)
        yield from _hang_below(form, lower, upper)
    yield from _list_extra_edits(form, search)


def _try_values(path: PagePath, values: Iterable[object]) -> Iterator[Edit]:
    """Yield a change of one key for each of some values."""
    yield from (((path, value),) for value in values)


def _list_cage_edits(form: FabricForm) -> list[Edit]:
    """Return changes that state the cages that ports in use tell."""
    of = ("fabrics", form.network.name, "tiers")
    return [(((*of, t.name, "cages"), cages),) for t in form.tiers.values() for cages in list_cage_words(t)]


def _hang_below(form: FabricForm, lower: str, upper: str) -> Iterator[Edit]:
    """Yield a change that hangs the last tier below the one that it meets, as border leaves hang below spines."""
    of, links = ("fabrics", form.network.name, "tiers"), form.tiers[upper].downlinks
    if upper == list(form.tiers)[-1] and links and not form.tiers.keys() & set(form.tiers[upper].per):
        hung = (((*of, lower, "uplinks"), None), ((*of, upper, "above"), None), ((*of, upper, "below"), lower))
        yield (*hung, ((*of, upper, "uplinks"), links))


def _list_extra_edits(form: FabricForm, search: PageSearch) -> Iterator[Edit]:
    """Yield changes of extra devices: speeds of their ports, and how the ports are dealt to switches."""
    of = ("fabrics", form.network.name)
    extras = get(search.page, (*of, "extra")) or {}
    yield tuple(((*of, "extra", label, "speed"), None) for label in extras)
    for label, extra in extras.items():
        yield (((*of, "extra", label, "spread"), "stripe"),)
        speeds = {speed for nic in search.catalog.node(extra["device"]).roles.values() for speed in nic.speeds}
        tier = form.tiers.get(extra.get("to", ""), form.tiers[form.network.leaf])
        breakouts = _list_breakouts(search.catalog.switch(tier.profile), speeds)
        slower = [f"{speed}G" for speed in sorted(speeds, reverse=True)[1:]]
        yield from _try_values((*of, "extra", label, "speed"), slower)
        for ways, speed in breakouts if tier.name != form.network.leaf else ():
            split = ((*of, "tiers", tier.name, "breakout"), f"{ways} x {speed}G")
            yield (split,)
            yield (split, ((*of, "extra", label, "speed"), f"{speed}G"))


def _list_tier_edits(tier: TierForm, path: PagePath, lowest: PagePath, search: PageSearch) -> Iterator[Edit]:
    """Yield changes of a tier: its `per`, and the speeds of its links up and within the tier.

    `path` is that of the tier, `lowest` that of the lowest tier of its fabric.
    """
    speeds = _list_speeds(search.catalog.switch(tier.profile))
    for per, count in _list_pers(tier):
        for spread in ("stripe", "block") if count > 1 and path == lowest else (None,):
            yield (((*path, "per"), per), ((*path, "count"), count), ((*path, "spread"), spread))
    uplinks = tier.uplinks or get(search.page, (*path, "uplinks"))
    of_pods = {pod: links for pod, links in tier.of_pod.items() if links != tier.uplinks}
    for speed in speeds if tier.of_pod else ():
        key = ("tiers", f"{path[1]}.{tier.name}", "uplinks")
        yield (
            ((*path, "uplinks"), f"{tier.uplinks} x {speed}G"),
            *((("pods", pod, *key), f"{links} x {speed}G") for pod, links in of_pods.items()),
        )
    orders = list(permutations(tier.mesh.items()))[1:] if len(tier.mesh) <= MAX_ORDERED else []
    yield from _try_values((*path, "mesh"), map(dict, orders))
    for dimension, stated in tier.mesh.items():
        links = (*path, "mesh", dimension, *(("links",) if isinstance(stated, dict) else ()))
        count = stated["links"] if isinstance(stated, dict) else stated
        yield from _try_values(links, [f"{count} x {speed}G" for speed in speeds])
    for dimension, (count, tables) in tier.tables.items():
        for rows, stated in product(tables, (count if count > 1 else 0, *(f"{count} x {speed}G" for speed in speeds))):
            table = PairTable(f"{search.stem}.{path[1]}.{dimension}.csv", rows)
            mesh = (get(search.page, (*path, "mesh")) or {}) | {dimension: drop_empty(table=table, links=stated)}
            # as for rules, ports are dealt to links within groups first
            yield (((*path, "mesh"), dict(sorted(mesh.items(), key=lambda entry: entry[0] in tier.per))),)
    if uplinks and isinstance(uplinks, int):
        yield from _try_values((*path, "uplinks"), [f"{uplinks} x {speed}G" for speed in speeds])
    units = max(search.units.pods.values(), default=1)
    for speed in speeds if tier.peers else ():
        yield (((*path, "peer"), f"{tier.peers} x {speed}G"),)
        yield (((*path, "peer"), f"{-(-tier.peers // units)} x {speed}G per su"),)


def _list_sizes(search: PageSearch) -> list[Edit]:
    """Return changes that give pods more slots: a `reserve` of units, or larger units whose last slots are omitted.

    Ports that are left free behind those of nodes tell of such slots.
    """
    units, pods = search.units, search.page.get("pods", {"p1": {"su": 1}})
    reserves = product((2, 3, 4, 8, 16), pods.items() if len(pods) < MANY_PODS else ())
    edits: list[Edit] = [((("pods", pod), {**at, "reserve": n * at["su"]}),) for n, (pod, at) in reserves]
    if list(units.kinds) != [""] or list(units.kinds[""].sets) != [""]:
        return edits
    profile, size = units.kinds[""].sets[""]
    for slots in sorted({-(-(size + 1) // step) * step for step in (1, 2, 4, 8)}):
        empty = [f"*/su-*/node-{number}" for number in range(size + 1, slots + 1)]
        nodes = (("scalable_unit", "nodes"), f"{slots} x {profile}")
        edits.append((nodes, (("omit",), [*units.omitted, *empty])))
    return edits


def _list_pers(tier: TierForm) -> Iterator[tuple[Any, int]]:
    """Yield (other `per` of a tier, switches in each group then): by a wider or narrower place, with or without
    legs.
    """
    dimensions = set.intersection(*(set(values) for values in tier.at.values()))
    legs = [d for d in tier.per if d not in PLACES]
    for place in ("", *(p for p in reversed(PLACES) if p in dimensions)):
        for inner in (legs, []) if legs else (legs,):
            per = [*([place] if place else []), *inner]
            groups = group_members(tier.at, per)
            if tuple(per) != tier.per and len(tier.at) % len(groups) == 0:
                yield (per if len(per) > 1 else per[0] if per else None), len(tier.at) // len(groups)


def _list_speeds(profile: SwitchProfile) -> list[int]:
    """Return the speeds of ports of a switch in Gb/s, those of whole cages first."""
    by_ways = (offered for cages in profile.cages for _, offered in sorted(cages.breakouts.items()))
    return list(dict.fromkeys(speed for offered in by_ways for speed in offered[:1]))


def _list_breakouts(profile: SwitchProfile, speeds: Collection[int]) -> list[tuple[int, int]]:
    """Return (ports, Gb/s of each) of the ways in which the cages of a switch split into ports of some speeds."""
    ways = [(w, s) for c in profile.cages for w, offered in sorted(c.breakouts.items()) for s in offered if s in speeds]
    return list(dict.fromkeys(ways))


def _list_node_speeds(role: str, search: PageSearch) -> list[int]:
    """Return the speeds of node ports of a role in Gb/s, without the fastest if it is the default."""
    speeds = [s for p in search.models.profiles if role in p.roles for s in p.roles[role].speeds]
    # extra devices may be faster; a stated speed of nodes holds for them as well
    return list(dict.fromkeys(speeds))[0 if search.units.extras else 1 :]
