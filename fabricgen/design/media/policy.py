"""The media policy: which cable profiles may carry links without stated media, and in what order of preference."""

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
"""Optics without retimers, which work only with ports made for them at both ends."""

_FIBRES = {"single-mode": "smf", "multi-mode": "mmf"}


@dataclass(frozen=True, slots=True)
class CablePolicy:
    """A blueprint's media policy. The default takes the cheapest standard medium that reaches.

    `linear`: the ports at both ends drive linear optics. `path` is where the policy is stated; () where nothing is.
    """

    allow: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    fibre: str = "any"
    copper_to_m: float | None = None
    linear: bool = False
    path: Path = ()

    def permits(self, cable: CableProfile) -> bool:
        """Whether a medium may be used. Twisted pair for RJ45 cages is always permitted."""
        if "RJ45" in cable.form_factors:
            return cable.selectable
        usual = cable.selectable or named(self.allow, cable)
        return usual and not self.explain_refusal(cable)

    def explain_refusal(self, cable: CableProfile) -> str:
        """The key of the policy that forbids a medium; "" where none does."""
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
        """Whether the policy asks for copper, up to a length or by name."""
        return bool(self.copper_to_m) or any(word in COPPER for word in self.prefer)

    def most_m(self, cable: CableProfile) -> float:
        """The longest cable of a medium that the policy allows, m."""
        if cable.copper and self.copper_to_m is not None:
            return min(cable.reach_m, self.copper_to_m)
        return cable.reach_m

    def place(self, cable: CableProfile) -> int:
        """The rank of a medium in `prefer`, from 0; media that are not named rank last."""
        places = (i for i, word in enumerate(self.prefer) if named((word,), cable))
        return next(places, len(self.prefer))


OPEN = CablePolicy()
"""The policy where a blueprint states none."""


def named(words: tuple[str, ...], cable: CableProfile) -> bool:
    """Whether a cable profile is among those that `words` name, by medium or by id."""
    return cable.medium in words or cable.id in words


def policy_of(blueprint: Blueprint, fabric: str, ends: Iterable[str]) -> CablePolicy:
    """The policy for links of a fabric between devices of some profiles: each key from the fabric, else from the
    cluster.
    """
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
    """The fabric's value, else the cluster's, else the default."""
    return own if own is not None else top if top is not None else default


def stock_of(blueprint: Blueprint, catalog: Catalog) -> tuple[CableProfile, ...]:
    """The cable profiles, the cheapest first, with the lengths that the blueprint says are in stock."""
    stock = blueprint.cabling.stock_m
    if not stock:
        return catalog.cables
    found = []
    for cable in catalog.cables:
        lengths = stock.get(cable.id) or stock.get(cable.medium)
        found.append(cable.model_copy(update={"stock_m": lengths}) if lengths else cable)
    return tuple(found)
