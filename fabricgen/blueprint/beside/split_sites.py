"""The lock of a cluster that stood at one site, or in one hall, once there are several.

Its tiers of the whole cluster become those of that site, and what stood in the hall stays there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from fabricgen.blueprint.beside.lock import UNNUMBERED, Lock
from fabricgen.blueprint.beside.sized import SIZED, STACKED
from fabricgen.blueprint.dimensions import list_scopes

_Value = TypeVar("_Value")

_SITE = "site"


def find_only_site(lock: Lock) -> str:
    """Return the name of a lock's site if it has exactly one, which never had another beside it; else ""."""
    alone = [site for site in lock.find_allocations("sites") if not was_one_of_several(lock, site)]
    return alone[0] if len(alone) == len(lock.find_allocations("sites")) == 1 else ""


def was_one_of_several(lock: Lock, site: str) -> bool:
    """Return whether a site numbers its pods by itself in a lock (section `pods SITE`), as a site does if there are
    several.
    """
    return f"pods {site}" in lock.held


def split_by_site(lock: Lock, site: str) -> Lock:
    """Return the lock of a cluster at one site with its holders named as if there were several.

    `compute spine` becomes `compute spine (site)`, and `managed all` becomes `managed at east` at the site east. The
    lines of `sized` say which tiers are of the whole cluster; a lock from before these lines keeps its names.
    """
    cluster_tiers = _list_cluster_tiers(lock)

    def rename_holders(held: Mapping[str, _Value], *, bare: bool) -> dict[str, _Value]:
        """Return the same values with each holder renamed by `_rename_for_site`; `bare` is passed on to that."""
        return {_rename_for_site(name, cluster_tiers, bare=bare): value for name, value in held.items()}

    renamed_kinds = {"managed all": f"managed at {site}", "managed leaves": f"managed leaves at {site}"}
    renamed_kinds = {kind: new for kind, new in renamed_kinds.items() if new not in lock.held}
    held = {renamed_kinds.get(kind, kind): holders for kind, holders in lock.held.items()}
    for kind, holders in held.items():
        if kind in ("asns", "srv6", "ipv4", "ipv6"):
            held[kind] = rename_holders(holders, bare=True)
        elif kind.startswith("managed areas"):
            held[kind] = {_SITE if holder == "all" else holder: areas for holder, areas in holders.items()}
    rooms = rename_holders(lock.rooms, bare=False)
    rooms = {f"managed {_SITE}" if name == "managed all" else name: room for name, room in rooms.items()}
    places = {port: _place_at_site(place, cluster_tiers, site) for port, place in lock.find_words("extras").items()}
    words = {**lock.words, SIZED: rename_holders(lock.find_words(SIZED), bare=True), "extras": places}
    return replace(lock, held=held, rooms=rooms, words={kind: holders for kind, holders in words.items() if holders})


def split_by_hall(lock: Lock, site: str, hall: str) -> Lock:
    """Return the lock of a cluster in one hall with sections and holders named as if there were several halls.

    The section `floor` becomes `floor h1`, for example. `hall` is the name of the hall that the cluster stood in; if
    the blueprint names no hall at its site, it is "", and the name of the site is used instead. A lock that has several
    halls already is returned as it is.
    """
    if "floor" not in lock.held or any(re.fullmatch(r"floor (?!row ends).*", kind) for kind in lock.held):
        return lock
    suffix = f" {hall or site}"
    # a text times False is "": only these kinds and names get the suffix
    held = {kind + suffix * (kind in _OF_HALLS): holders for kind, holders in lock.held.items()}
    held = {kind + f" at{suffix}" * kind.startswith("joined "): holders for kind, holders in held.items()}
    rooms = {name + suffix * (name in _COUNTS_OF_HALLS): room for name, room in lock.rooms.items()}
    stacked = {f"{name} at{suffix}": steps for name, steps in lock.find_words(STACKED).items()}
    only_hall = {UNNUMBERED: {**lock.find_words(UNNUMBERED), name_hall_holder(site): hall}} if hall else {}
    words = {**lock.words, STACKED: stacked, **only_hall}
    return replace(lock, held=held, rooms=rooms, words={kind: holders for kind, holders in words.items() if holders})


def name_hall_holder(site: str) -> str:
    """Return the name under which the lock remembers the first hall of a site: `hall of east`.

    Racks of that hall are named without the hall, since it was the only one when they got their names.
    """
    return f"hall of {site}"


_OF_HALLS = frozenset({"floor", "floor row ends", "rows", "shelved"})
_COUNTS_OF_HALLS = frozenset({"floor network rows", "floor rows before networks", "floor row ends"})


def _list_cluster_tiers(lock: Lock) -> frozenset[str]:
    """Return the tiers of the whole cluster, such as `compute spine`: those whose `per`, in `sized`, names no place."""
    tiers = (name.partition(" (") for name in lock.find_words(SIZED))
    places = set(list_scopes()[1:])  # all scopes but the first, which is the whole cluster
    return frozenset(tier for tier, _, per in tiers if places.isdisjoint(per.rstrip(")").split(", ")))


def _rename_for_site(name: str, cluster_tiers: frozenset[str], *, bare: bool) -> str:
    """Return the name of a holder of a tier of the whole cluster, as if the tier were per site; other names as they
    are.

    `compute spine (plane) uplink` becomes `compute spine (site, plane) uplink`. A name that is the tier alone, as
    `compute spine`, is changed only with `bare`.
    """
    match = re.fullmatch(r"(\S+ \S+)(?: \(([^)]*)\))?( .*)?", name)
    if not match or match[1] not in cluster_tiers or (match[3] or "").startswith(" for extras "):
        return name
    tier, per, rest = match[1], match[2], match[3] or ""
    return f"{tier} ({_SITE}{f', {per}' if per else ''}){rest}" if per or rest or bare else name


def _place_at_site(place: str, cluster_tiers: frozenset[str], site: str) -> str:
    """Return the text `place` of an extra device's port with the site put behind the tier with which the text begins.

    A text that begins with `compute spine` then begins with `compute spine east`. This is done only if the tier is one
    of the whole cluster; other texts stay as they are.
    """
    tier = " ".join(place.split()[:2])
    return f"{tier} {site}{place.removeprefix(tier)}" if tier in cluster_tiers else place
