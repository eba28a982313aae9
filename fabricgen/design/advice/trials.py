"""Try changes of a blueprint: does what was refused wire with them? Nothing is expanded, one try takes milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from fabricgen.blueprint.models import Blueprint
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.floor.rack_fit import check_racks
from fabricgen.design.layout import Layout, lay_out
from fabricgen.design.slots import SlotTable
from fabricgen.design.tiers import FabricContext, TierSpec, tier_specs
from fabricgen.kernel.diagnostics import InputError
from fabricgen.models.base import FrozenModel


@dataclass(frozen=True, slots=True)
class Advice:
    """A change that was tried and found to fit."""

    kind: str
    """count, oversubscription, uplinks, breakout, per, tier, switch, ..."""
    text: str
    set: Mapping[str, Any]
    """Dotted path -> value, as `--set` takes them; None takes a value away."""


MOST_UNITS = 300_000
"""Units, a pod counted as four, that are designed anew for hints in all tries together: seconds at any size."""

FEWEST_TRIES = 4
"""So many changes are tried of the largest cluster too."""


class Trials:
    """Tries changes on fabrics that are linked with each other; so many that it takes seconds at most."""

    def __init__(
        self, context: FabricContext, names: Sequence[str], design: Callable[[FabricContext], list[FabricDesign]]
    ) -> None:
        self.context, self.names, self._design = context, names, design
        self._left = max(FEWEST_TRIES, MOST_UNITS // (context.layout.unit_slots + 4 * len(context.layout.pods)))

    @property
    def exhausted(self) -> bool:
        """Whether no more changes are tried, though some might fit."""
        return not self._left

    @property
    def blueprint(self) -> Blueprint:
        """The blueprint as written."""
        return self.context.blueprint

    @cached_property
    def specs(self) -> dict[TierKey, TierSpec]:
        """The tiers as written; empty where these cannot be told."""
        try:
            return tier_specs(self.context, self.names)
        except InputError:
            return {}

    def changed(self, change: Mapping[str, Any]) -> Trials:
        """The same with a change; raises InputError or ValidationError where it is not allowed."""
        blueprint = self.blueprint
        for path, value in change.items():
            blueprint = with_value(blueprint, path.split("."), value)
        context = replace(self.context, blueprint=blueprint)
        if any(not path.startswith("fabrics.") for path in change):
            context = replace(context, layout=lay_out(blueprint, context.catalog, context.layout.lock))
        return Trials(context, self.names, self._design)

    def outcome(self, change: Mapping[str, Any]) -> tuple[FabricDesign, ...]:
        """The fabrics with a change; empty where they cannot be wired, or not evenly."""
        found = self.wires(change)
        layout = self.changed(change).context.layout if found else self.context.layout
        return found if all(_is_even(layout, fabric, found) for fabric in found) else ()

    def wires(self, change: Mapping[str, Any]) -> tuple[FabricDesign, ...]:
        """The fabrics with a change, evenly or not.

        Empty where they cannot be wired, or racks cannot hold them, or nothing more is tried.
        """
        if self.exhausted:
            return ()
        self._left -= 1
        try:
            context = self.changed(change).context
            found = tuple(self._design(context))
            check_racks(context.layout, context.catalog, found, ())
        except (InputError, ValidationError):
            return ()
        return found

    def fits(self, change: Mapping[str, Any]) -> bool:
        """Whether the fabrics wire with a change."""
        return bool(self.outcome(change))

    def lands(self, key: TierKey, change: Mapping[str, Any]) -> bool:
        """Whether the fabrics wire with a change and all uplinks into a tier land equally, however wide tiers are."""
        found = [tier for fabric in self.wires(change) for tier in fabric.tiers]
        links = [t.uplink for t in found if t.uplink and t.uplink.upper == key]
        return bool(found) and all(uplink.links_per_group % uplink.upper_count == 0 for uplink in links)

    def tier(self, key: TierKey, change: Mapping[str, Any]) -> TierDesign | None:
        """A tier as it comes out with a change; None where that does not fit."""
        found = (tier for fabric in self.outcome(change) for tier in fabric.tiers)
        return next((tier for tier in found if tier.key == key), None)


@dataclass(frozen=True, slots=True)
class Target:
    """The tier that is too small, and those it stands on."""

    spec: TierSpec
    lowers: tuple[TierSpec, ...]

    @property
    def narrowing(self) -> tuple[TierSpec, ...]:
        """Tiers whose uplinks matter: those below, and its own where it has any."""
        return (*self.lowers, *((self.spec,) if self.spec.upper else ()))


def target_of(trials: Trials, key: TierKey) -> Target | None:
    """The tier of a name with its neighbours; None where there is none."""
    spec = trials.specs.get(key)
    if spec is None:
        return None
    return Target(spec, tuple(lower for lower in trials.specs.values() if lower.upper == key))


def path_of(spec: TierSpec, *keys: str) -> str:
    """A setting of a tier, as `--set` takes it."""
    return ".".join(("fabrics", spec.fabric, "tiers", spec.name, *keys))


def with_value(blueprint: Blueprint, keys: Sequence[str], value: Any) -> Blueprint:
    """A blueprint with the value at a path replaced; raises ValidationError where it is not allowed there."""
    return Blueprint.model_validate(_replaced(blueprint, keys, value))


def _replaced(part: Any, keys: Sequence[str], value: Any) -> dict[str, Any]:
    """A part of a blueprint as a mapping, with what lies on a path not validated yet and all else as it is."""
    key, rest = keys[0], keys[1:]
    if isinstance(part, Mapping):
        return {**part, key: _replaced(part[key], rest, value) if rest else value}
    assert isinstance(part, FrozenModel)  # noqa: S101 - paths of advice lead through models and maps
    inner = _replaced(getattr(part, key), rest, value) if rest else value
    if inner is None:
        inner = type(part).model_fields[key].get_default()
    return vars(part) | {key: inner}


def _is_even(layout: Layout, fabric: FabricDesign, fabrics: Sequence[FabricDesign]) -> bool:
    """Whether every switch of a group is like the others, and none is wider below than is allowed."""
    for tier in fabric.tiers:
        uplink, ratio = tier.uplink, tier.oversubscription
        if uplink and tier.up and (tier.up.count % uplink.upper_groups or uplink.links_per_group % uplink.upper_count):
            return False
        if tier.up and ratio is not None and ratio > tier.allowed:
            return False
    leaf = next((tier for f in fabrics for tier in f.tiers if tier.key == fabric.leaf), None)
    return leaf is None or all(slots % leaf.count == 0 for slots in node_slots(layout, fabric, leaf))


def node_slots(layout: Layout, fabric: FabricDesign, leaf: TierDesign) -> list[int]:
    """Node ports that the fullest group of a fabric's leaves is sized for, by kind of port."""
    tables = [SlotTable(layout, leaf.per, fabric.sizes, feed.attachments) for feed in fabric.node_feeds]
    return [table.slots_to_serve(reserve=leaf.for_reserve) for table in tables]
