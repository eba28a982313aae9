"""Reasons for the size of a change: derived counts that changed, and slots that moved with growth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from fabricgen.blueprint.models import make_natural_key
from fabricgen.catalog.models import COPPER_MEDIA
from fabricgen.diff.delta import Delta
from fabricgen.diff.listing import Lists, Rows, find_rows, index_rows
from fabricgen.diff.sizing_figures import SizingFigures, TierFigures, TierName
from fabricgen.diff.tenant_moves import join_names
from fabricgen.diff.vrfs import Vrfs

_LISTED = 4


def explain_change(
    old: SizingFigures, new: SizingFigures, links: Delta, cables: Delta, lists: Lists
) -> tuple[str, ...]:
    """Return sentences about derived values that differ between two sides, and how many links move because of them.

    `links` and `cables` are the differences of these lists, `lists` the lists of the old side.
    """
    moved = _MovedLinks(links, lists)
    return (
        *_explain_growth(old, new),
        *_explain_tiers(old, new, moved),
        *_explain_omits(old, new),
        *_explain_spares(old, new),
        *_explain_hardware(old, new),
        *_explain_lengths(old, new),
        *_explain_media(cables),
        *_explain_vrfs(old.vrfs, new.vrfs),
    )


def _explain_growth(old: SizingFigures, new: SizingFigures) -> Iterator[str]:
    """Yield a sentence about pods with more or fewer units than before, if there are any, and the number of nodes."""
    names = dict.fromkeys((*old.units, *new.units))
    changed_pods = [pod for pod in names if old.units.get(pod) != new.units.get(pod)]
    counts = [f"{pod} {old.units.get(pod, 0)} -> {new.units.get(pod, 0)}" for pod in changed_pods[:_LISTED]]
    if changed_pods:
        unlisted = f" and {len(changed_pods) - _LISTED} more pods" if len(changed_pods) > _LISTED else ""
        yield f"scalable units: {', '.join(counts)}{unlisted}; nodes: {old.nodes:,} -> {new.nodes:,}"


def _explain_tiers(old: SizingFigures, new: SizingFigures, moved: _MovedLinks) -> Iterator[str]:
    """Yield a sentence about each tier that comes, goes or has other figures, with how many links up to it move."""
    for fabric_and_tier in dict.fromkeys((*old.tiers, *new.tiers)):
        was, now = old.tiers.get(fabric_and_tier), new.tiers.get(fabric_and_tier)
        name = " ".join(fabric_and_tier)
        if was is None and now is not None:
            yield f"{name}: new, {now.groups * now.count:,} x {now.model}"
        elif now is None and was is not None:
            yield f"{name}: gone, {was.groups * was.count:,} x {was.model}"
        elif was is not None and now is not None:
            sentences = [*_explain_tier(was, now)]
            if sentences:
                yield f"{name}: {'; '.join(sentences)}{moved.describe_moved(fabric_and_tier)}"


def _explain_tier(was: TierFigures, now: TierFigures) -> Iterator[str]:
    """Yield phrases about what differs in one tier."""
    if was.model != now.model:
        yield f"{was.model} -> {now.model}"
    if was.nos != now.nos:
        yield f"{was.nos} -> {now.nos}"
    if was.count != now.count:
        per_group = f" in each of {now.groups} groups" if now.groups > 1 else ""
        yield f"{was.count} -> {now.count} switches{per_group}{_explain_count(was, now)}"
    if was.groups != now.groups:
        yield f"{was.groups} -> {now.groups} groups of {now.count} switch{'es' * (now.count != 1)}"
    if was.uplinks != now.uplinks:
        yield f"uplinks of each switch {was.uplinks} -> {now.uplinks}"
    if was.pair_links != now.pair_links and was.pair_links and now.pair_links and now.upper:
        yield f"links of each to each {now.upper[1]} {_join_numbers(was.pair_links)} -> {_join_numbers(now.pair_links)}"
    if was.downs != now.downs:
        yield f"down ports {' + '.join(was.downs) or 'none'} -> {' + '.join(now.downs) or 'none'}"
    if was.ups != now.ups and was.ups and now.ups:
        yield f"up ports {was.ups} -> {now.ups}"


def _explain_count(was: TierFigures, now: TierFigures) -> str:
    """Say where a switch count comes from: stated, or required by the tiers below; "" if not known."""
    if now.stated is None:
        return ""
    if now.stated:
        return " (stated)"
    if not now.asked or was.model != now.model:
        return " (derived)"
    ports = sum(lowers * links for _, lowers, links in now.asked)
    who = " + ".join(f"{lowers} {tier} x {links} uplinks" for tier, lowers, links in now.asked)
    return f" ({who} ask a group for {ports:,} ports, {was.count} switches have {was.count * was.capacity:,})"


def _join_numbers(numbers: tuple[int, ...]) -> str:
    return " or ".join(map(str, numbers))


class _MovedLinks:
    """Counts the links of the old side up to a tier that are moved or removed."""

    def __init__(self, links: Delta, lists: Lists) -> None:
        # the number of the tier of each device of the old side; the last entry, -1, is for a device that is not listed
        self._links, self._lists = links, lists
        self._row = index_rows(lists.devices["device"].tolist())
        tiers = list(zip(lists.devices["fabric"].tolist(), lists.devices["tier"].tolist(), strict=True))
        self._number: dict[TierName, int] = {}
        self._tier = np.array([self._number.setdefault(t, len(self._number)) for t in tiers] + [-1], dtype=np.int64)
        self._upper: Rows | None = None

    def describe_moved(self, key: TierName) -> str:
        """Return a phrase about the links up to a tier that move or go; "" if none does."""
        if self._upper is None:
            self._upper = self._tier[find_rows(self._row, self._lists.links["b_device"])]
        # -2 for an unknown tier, since -1 stands for devices that are not listed
        number = self._number.get(key, -2)
        moved_rows, _ = self._links.find_changed("moved")
        total = int((self._upper == number).sum())
        moved = int((self._upper[moved_rows] == number).sum())
        removed = int((self._upper[self._links.removed] == number).sum())
        phrases = [f"{count:,} {verb}" for count, verb in ((moved, "move"), (removed, "go")) if count]
        return f": of {total:,} links up to it, {' and '.join(phrases)}" if phrases else ""


def _explain_omits(old: SizingFigures, new: SizingFigures) -> Iterator[str]:
    """Yield a sentence about each `omit` of both sides that means other slots now, such as `su-last` after growth."""
    for text, slots in new.omits.items():
        was = old.omits.get(text)
        if was is not None and was != slots:
            old_slots, new_slots = _shorten_slots(was), _shorten_slots(slots)
            yield f"omit {text}: was {old_slots}, is {new_slots}; what counts from the last moves with growth"


def _explain_spares(old: SizingFigures, new: SizingFigures) -> Iterator[str]:
    if old.spares != new.spares:
        yield f"spare nodes: {_shorten_slots(old.spares) or 'none'} -> {_shorten_slots(new.spares) or 'none'}"


def _explain_hardware(old: SizingFigures, new: SizingFigures) -> Iterator[str]:
    """Yield a sentence about the MACs, GUIDs, serial numbers and PCI addresses that differ in the inventory."""
    kinds = ("mac", "guid", "serial", "pci")
    none = ("",) * len(kinds)
    changes: list[str] = []
    for port in sorted(old.hardware.keys() | new.hardware.keys()):
        pairs = zip(kinds, old.hardware.get(port, none), new.hardware.get(port, none), strict=True)
        changed = [f"{kind} {was or 'unknown'} -> {now or 'unknown'}" for kind, was, now in pairs if was != now]
        changes += [f"{' '.join(filter(None, port))} {', '.join(changed)}"] if changed else []
    if changes:
        yield f"inventory: {_shorten_slots(tuple(changes))}"


def _explain_lengths(old: SizingFigures, new: SizingFigures) -> Iterator[str]:
    """Yield a sentence if only one side counts the way inside racks, since the other has a lock from before that."""
    if None not in (old.ways_inside, new.ways_inside) and old.ways_inside != new.ways_inside:
        with_ways, without_ways = ("new", "old") if new.ways_inside else ("old", "new")
        yield (
            f"lengths: the {with_ways} side counts the way inside racks, "
            f"the {without_ways} one has a lock from before that"
        )


def _explain_media(cables: Delta) -> Iterator[str]:
    """Yield a sentence about how many cables change from copper to another medium; reports list each of them."""
    was_rows, now_rows = cables.find_changed("other-medium")
    changed = zip(cables.old["medium"][was_rows].tolist(), cables.new["medium"][now_rows].tolist(), strict=True)
    media = Counter(changed)
    leaving = {pair: n for pair, n in media.items() if pair[0] in COPPER_MEDIA and pair[1] not in COPPER_MEDIA}
    if leaving:
        counts = ", ".join(f"{n:,} {was} -> {now}" for (was, now), n in sorted(leaving.items()))
        yield f"cables that leave copper: {counts}; `other medium` lists each"


def _shorten_slots(slots: tuple[str, ...]) -> str:
    return ", ".join(slots[:_LISTED]) + (f" and {len(slots) - _LISTED} more" if len(slots) > _LISTED else "")


def _explain_vrfs(old: Vrfs, new: Vrfs) -> Iterator[str]:
    """Yield sentences about the switches that the VRF of each tenant appears on, and those that it goes from."""
    for tenant in sorted(old.keys() | new.keys(), key=make_natural_key):
        old_switches, new_switches = (vrfs.get(tenant, frozenset[str]()) for vrfs in (old, new))
        for verb, switches in (("appears on", new_switches - old_switches), ("goes from", old_switches - new_switches)):
            if switches:
                yield f"VRF {tenant} {verb} {join_names(sorted(switches, key=make_natural_key))}"
