"""Try changes of a blueprint: would it be accepted with them? A trial takes milliseconds, as nothing is expanded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from fabricgen.blueprint.beside.sized import SIZED
from fabricgen.blueprint.models import Blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.floor.unit_plan import check_racks
from fabricgen.design.layout import lay_out
from fabricgen.design.slots import SlotTable
from fabricgen.design.tiers import FabricContext, TierSpec, list_tier_specs
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.diagnostics import Path as Place
from fabricgen.models.forms import FrozenModel

if TYPE_CHECKING:
    from fabricgen.catalog.sonic_models import SonicPlatform


class Advice(NamedTuple):
    """A change that was tried and fits."""

    kind: str
    """What it changes: count, oversubscription, uplinks, breakout, per, tier, switch, ..."""
    text: str
    set: Mapping[str, Any]
    """Values by dotted path, as for `--set`; None removes the value."""


MAX_UNITS = 300_000
"""Budget of all trials together, in scalable units designed (a pod counts as four), so that hints take seconds at any
size.
"""

MIN_TRIES = 4
"""How many changes are tried however large the cluster is."""


class Trials:
    """Tries changes on fabrics that are linked with each other, within a budget that keeps the time to seconds."""

    def __init__(
        self, context: FabricContext, names: Sequence[str], design: Callable[[FabricContext], list[FabricDesign]]
    ) -> None:
        self.context, self.names, self._design = context, names, design
        self._tries_left = max(MIN_TRIES, MAX_UNITS // (context.layout.unit_slots + 4 * len(context.layout.pods)))

    @property
    def exhausted(self) -> bool:
        """Whether the budget is used up, so that changes that fit may have been missed."""
        return not self._tries_left

    @property
    def blueprint(self) -> Blueprint:
        """The blueprint as written."""
        return self.context.blueprint

    @cached_property
    def specs(self) -> dict[TierKey, TierSpec]:
        """The tiers as the blueprint states them; empty if the blueprint is refused before that."""
        try:
            return list_tier_specs(self.context, self.names)
        except InputError:
            return {}

    def apply_change(self, change: Mapping[str, Any]) -> Trials:
        """Return trials of the blueprint with a change made; raises InputError or ValidationError if the change is not
        allowed.
        """
        blueprint = self.blueprint
        for path, value in change.items():
            blueprint = Blueprint.model_validate(_replace_in_section(blueprint, path.split("."), value))
        context = self.context._replace(blueprint=blueprint)
        if any(not path.startswith("fabrics.") for path in change):
            context = context._replace(layout=lay_out(blueprint, context.catalog, context.layout.lock))
        return Trials(context, self.names, self._design)

    def size_without_lock(self) -> tuple[FabricDesign, ...]:
        """Return the fabrics as if the lock did not keep how tiers were sized; empty if they cannot be wired."""
        layout = self.context.layout
        lock = replace(layout.lock, words={**layout.lock.words, SIZED: {}})
        try:
            return tuple(self._design(self.context._replace(layout=replace(layout, lock=lock))))
        except InputError:
            return ()

    def size_with_one_port_less(self, key: TierKey) -> TierDesign | None:
        """Return a tier as sized with one more port kept free on each switch; None if that cannot be wired, if racks
        cannot hold the devices, if the budget is used up, or if the blueprint states no such tier.
        """
        spec = self.specs.get(key)
        if spec is None:
            return None
        fabrics = self.wire_fabrics({write_path(spec, "spare_ports"): spec.spec.spare_ports + 1})
        return next((tier for fabric in fabrics for tier in fabric.tiers if tier.key == key), None)

    def find_outcome(self, change: Mapping[str, Any]) -> tuple[FabricDesign, ...]:
        """Return the fabrics with a change; empty if `wire_fabrics` returns none, if switches of a group would differ,
        or if a tier would exceed its oversubscription.
        """
        fabrics = self.wire_fabrics(change)
        return fabrics if all(_has_even_groups(fabric, fabrics) for fabric in fabrics) else ()

    def wire_fabrics(self, change: Mapping[str, Any]) -> tuple[FabricDesign, ...]:
        """Return the fabrics with a change, whether or not the switches of a group are alike.

        Empty if they cannot be wired, if racks cannot hold their devices, and if the budget is used up.
        """
        if self.exhausted:
            return ()
        self._tries_left -= 1
        try:
            context = self.apply_change(change).context
            fabrics = tuple(self._design(context))
            check_racks(context.layout, context.catalog, fabrics, ())
        except (InputError, ValidationError):
            return ()
        return fabrics

    def fits(self, change: Mapping[str, Any]) -> bool:
        """Whether a change fits, that is, `find_outcome` returns fabrics."""
        return bool(self.find_outcome(change))

    def divides_evenly(self, key: TierKey, change: Mapping[str, Any]) -> bool:
        """Whether the fabrics can be wired with a change and all uplinks into a tier divide equally, whatever the
        oversubscription.
        """
        tiers = [tier for fabric in self.wire_fabrics(change) for tier in fabric.tiers]
        links = [t.uplink for t in tiers if t.uplink and t.uplink.upper == key]
        return bool(tiers) and all(u.uneven or u.links_per_group % u.upper_count == 0 for u in links)

    def design_tier(self, key: TierKey, change: Mapping[str, Any]) -> TierDesign | None:
        """Return the tier of a key designed with a change; None if the change does not fit (see `find_outcome`)."""
        tiers = (tier for fabric in self.find_outcome(change) for tier in fabric.tiers)
        return next((tier for tier in tiers if tier.key == key), None)


def propose_first(trials: Trials, candidates: Iterable[Advice]) -> Iterator[Advice]:
    """Yield the first of some changes that fits, if one does."""
    yield from islice((advice for advice in candidates if trials.fits(advice.set)), 1)


class Target(NamedTuple):
    """The tier that is too small, and the tiers below it."""

    spec: TierSpec
    lowers: tuple[TierSpec, ...]

    @property
    def linked_up_tiers(self) -> tuple[TierSpec, ...]:
        """The tiers whose uplinks matter: those below, and the tier itself if it has uplinks."""
        return (*self.lowers, *((self.spec,) if self.spec.upper else ()))


def find_target(trials: Trials, key: TierKey) -> Target | None:
    """Return a tier with the tiers below it; None if there is no such tier."""
    spec = trials.specs.get(key)
    if spec is None:
        return None
    return Target(spec, tuple(lower for lower in trials.specs.values() if lower.upper == key))


def write_path(spec: TierSpec, *keys: str) -> str:
    """Return the path of a tier's setting, as for `--set`: `fabrics.compute.tiers.leaf.count`."""
    return ".".join(("fabrics", spec.fabric, "tiers", spec.name, *keys))


def _replace_in_section(section: Any, path: Sequence[str], value: Any) -> dict[str, Any]:
    """Return a section of a blueprint as a mapping of its stated keys, with `value`, not validated, at a path of keys.

    Sections along the path become mappings too; other values are unchanged. None removes the key from a section that is
    a model.
    """
    name, inner_path = path[0], path[1:]
    if isinstance(section, Mapping):
        return {**section, name: _replace_in_section(section[name], inner_path, value) if inner_path else value}
    assert isinstance(section, FrozenModel)  # noqa: S101 - paths of advice lead through models and maps
    new_value = _replace_in_section(getattr(section, name), inner_path, value) if inner_path else value
    # keys that are not stated take their defaults again, which need not be values that one may state
    stated_values = {key: getattr(section, key) for key in section.model_fields_set - {name}}
    return stated_values if new_value is None else stated_values | {name: new_value}


def _has_even_groups(fabric: FabricDesign, fabrics: Sequence[FabricDesign]) -> bool:
    """Whether the switches of every group of a fabric are alike, and no tier exceeds its allowed oversubscription.

    `fabrics` has all fabrics of the trial: the leaves may be those of another one.
    """
    for tier in fabric.tiers:
        uplink, ratio = tier.uplink, tier.oversubscription
        # the links of a lower switch do not divide over its upper switches
        unequal = uplink and not uplink.uneven and uplink.links_per_group % uplink.upper_count
        if uplink and tier.up and (tier.up.count % uplink.upper_groups or unequal):
            return False
        if tier.up and ratio is not None and ratio > tier.allowed:
            return False
    leaves = [tier for f in fabrics for tier in f.tiers if tier.key in fabric.leaves]
    return all(slots % leaf.count == 0 for leaf in leaves for slots in count_node_slots(fabric, leaf))


def count_node_slots(fabric: FabricDesign, leaf: TierDesign) -> list[int]:
    """Return the node slots that the fullest group of a fabric's leaves is sized for, by kind of port."""
    tables = [
        SlotTable(leaf.layout.of_part(feed.part), leaf.per, leaf.sizes, feed.attachments)
        for feed in fabric.feeds_of(leaf.key)
    ]
    return [table.count_slots_to_serve(reserve=leaf.for_reserve) for table in tables]


# A catalogue whose switches have more ports than real ones: to judge the other parts of a design that lacks ports.


class RoomyCatalog(Catalog):
    """The catalogue with `times` as many cages of each kind on every switch; speeds, lanes and all else stay."""

    def __init__(self, own: Path | None, times: int) -> None:
        super().__init__(own)
        self._plain = Catalog(own)
        self._times = times
        self._wider: dict[str, SwitchProfile] = {}

    def sonic_platform(self, switch: str) -> SonicPlatform | None:
        """Return the table of the real front panel, as `Catalog.sonic_platform` does."""
        return self._plain.sonic_platform(switch)

    def switch(self, name: str, path: Place = ()) -> SwitchProfile:
        """Return a switch as `Catalog.switch` does, with more cages, and without line cards and pipelines, which name
        cages.
        """
        if name not in self._wider:
            profile = super().switch(name, path)
            fields = {field: getattr(profile, field) for field in SwitchProfile.model_fields}
            cages = tuple(cage.model_copy(update={"count": cage.count * self._times}) for cage in profile.cages)
            wider = fields | {"cages": cages, "line_cards": (), "pipelines": None}
            self._wider[name] = SwitchProfile.model_construct(**wider)
        return self._wider[name]
