"""The policy of media: which cable profiles may carry links for which the blueprint states none, and in what order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.cabling import MediaPolicy
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import COPPER, CableProfile
from fabricgen.kernel.diagnostics import Path

T = TypeVar("T")

LINEAR = ("LPO", "LRO", "NPO")
"""Optics without retimers of their own, which the ports at both ends must be made for."""

_FIBRES = {"single-mode": "smf", "multi-mode": "mmf"}


@dataclass(frozen=True, slots=True)
class CablePolicy:
    """What a blueprint says of media as a whole; as it is by default, the cheapest of the usual ones that reaches.

    `linear`: both ends of the links drive linear optics. `path`: where it is stated, () where nothing is.
    """

    allow: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    fibre: str = "any"
    copper_to_m: float | None = None
    linear: bool = False
    path: Path = ()

    def permits(self, cable: CableProfile) -> bool:
        """Whether a medium may be taken. Twisted pair is what goes into RJ45 cages, whatever is said of others."""
        if "RJ45" in cable.form_factors:
            return cable.selectable
        usual = cable.selectable or named(self.allow, cable)
        return usual and not self.refusal(cable)

    def refusal(self, cable: CableProfile) -> str:
        """Why a medium must not be taken, as the key that says so; "" where nothing does."""
        if named(self.avoid, cable):
            return "avoid"
        wanted = _FIBRES.get(self.fibre)
        if wanted and cable.fibre and not cable.fibre.startswith(wanted):
            return "fibre"
        if cable.copper and self.copper_to_m == 0:
            return "copper_to_m"
        if cable.medium in LINEAR and not self.linear:
            return "linear_hosts"
        return ""

    @property
    def wants_copper(self) -> bool:
        """Whether copper is asked for: up to a length, or by name."""
        return bool(self.copper_to_m) or any(word in COPPER for word in self.prefer)

    def most_m(self, cable: CableProfile) -> float:
        """The longest cable of a medium that may be taken, m."""
        if cable.copper and self.copper_to_m is not None:
            return min(cable.reach_m, self.copper_to_m)
        return cable.reach_m

    def place(self, cable: CableProfile) -> int:
        """The place of a medium in `prefer`, from 0; beyond the last where it is not there."""
        places = (i for i, word in enumerate(self.prefer) if named((word,), cable))
        return next(places, len(self.prefer))


OPEN = CablePolicy()
"""No policy."""


def named(words: tuple[str, ...], cable: CableProfile) -> bool:
    """Whether a cable profile is one of those that words name, by medium or by id."""
    return cable.medium in words or cable.id in words


def policy_of(blueprint: Blueprint, fabric: str, ends: Iterable[str]) -> CablePolicy:
    """What holds for links of a fabric between devices of some profiles: key by key its own, else the cluster's."""
    top, own = blueprint.cabling, blueprint.fabrics[fabric].cabling
    keys = set(MediaPolicy.model_fields)
    stated = {("cabling",): keys & top.model_fields_set, ("fabrics", fabric, "cabling"): keys & own.model_fields_set}
    if not any(stated.values()):
        return OPEN
    return CablePolicy(
        allow=_first(own.allow, top.allow, ()),
        avoid=_first(own.avoid, top.avoid, ()),
        prefer=_first(own.prefer, top.prefer, ()),
        fibre=_first(own.fibre, top.fibre, "any"),
        copper_to_m=top.copper_to_m if own.copper_to_m is None else own.copper_to_m,
        linear=all(end in top.linear_hosts for end in ends),
        path=[path for path, told in stated.items() if told][-1],
    )


def _first(own: T | None, top: T | None, default: T) -> T:
    """What a fabric says, else the cluster, else the default."""
    return own if own is not None else top if top is not None else default


def stock_of(blueprint: Blueprint, catalog: Catalog) -> tuple[CableProfile, ...]:
    """The cable profiles, the cheapest first, each with the lengths that the blueprint says are stocked of it."""
    stock = blueprint.cabling.stock_m
    if not stock:
        return catalog.cables
    found = []
    for cable in catalog.cables:
        lengths = stock.get(cable.id) or stock.get(cable.medium)
        found.append(cable.model_copy(update={"stock_m": lengths}) if lengths else cable)
    return tuple(found)
