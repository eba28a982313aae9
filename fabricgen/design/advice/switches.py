"""Which switches of the catalogue would fit in place of one that is too small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from fabricgen.catalog.loads import Device, find_power_basis
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.advice.trials import Advice, Target, Trials, path_of
from fabricgen.design.model import Design
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import Path

MOST_SWITCHES = 3
"""How many larger switches a hint names."""


def larger_switches(trials: Trials, target: Target) -> Iterator[Advice]:
    """Switches of the catalogue with the same protocol that make the tier fit, the smallest first."""
    larger = [s for s in same_protocol(trials, target.spec) if capacity(s) > capacity(target.spec.profile)]
    yield from switches(trials, target.spec, larger)


def switches(trials: Trials, spec: TierSpec, candidates: Sequence[SwitchProfile]) -> Iterator[Advice]:
    """The first candidates that make a tier fit; where none does, those that do when all tiers with the same switch
    change.
    """
    alike = [s for s in trials.specs.values() if s.fabric == spec.fabric and s.profile.id == spec.profile.id]
    for changed in ([spec], alike) if len(alike) > 1 else ([spec],):
        found = list(islice(_switches(trials, changed, candidates), MOST_SWITCHES))
        yield from found
        if found:
            return


def _switches(trials: Trials, changed: Sequence[TierSpec], candidates: Sequence[SwitchProfile]) -> Iterator[Advice]:
    """Candidates that fit when they replace the switch of all tiers in `changed`; of switches with equal ports only one
    is tried.
    """
    known: dict[str, bool] = {}
    names = " and ".join(spec.name for spec in changed)
    for profile in candidates:
        change = {path_of(spec, "switch"): profile.id for spec in changed}
        face = repr((profile.cages, profile.line_cards))
        if face not in known:
            known[face] = trials.fits(change)
        if known[face]:
            yield Advice("switch", f"{profile.id} as {names}", change)


def same_protocol(trials: Trials, spec: TierSpec) -> list[SwitchProfile]:
    """Other switches that could serve a tier, by capacity, those of the same vendor first.

    Where the blueprint states a NOS they run it. Switches whose default NOS has no port table for them are left out.
    """
    catalog, blueprint = trials.context.catalog, trials.blueprint
    stated = [nos.get(key) for nos in (blueprint.fabrics[spec.fabric].nos, blueprint.nos) for key in (spec.name, "all")]
    found = []
    for name in catalog.ids("switches"):
        profile = catalog.switch(name)
        nos = spec.nos if spec.nos in stated else catalog.find_usual_nos(profile)
        known = catalog.names_ports(profile, nos)
        if profile.protocol == spec.profile.protocol and known and name != spec.profile.id:
            found.append(profile)
    return sorted(found, key=lambda s: (capacity(s), s.vendor != spec.profile.vendor, s.id))


def capacity(profile: SwitchProfile) -> int:
    """Total bandwidth of a switch's cages, Gb/s."""
    return sum(cage.count * cage.speed_gbps for cage in profile.cages)


# What of a design draws power, and on what figures its power stands.


def drawing_devices(design: Design) -> Iterator[tuple[Device, Path, int]]:
    """(profile, path in the blueprint, how many) of nodes, extra devices and the switches of tiers."""
    for nodes in design.layout.node_sets:
        yield nodes.profile, nodes.path, design.layout.present(nodes)
    places = {extra.name: extra.path for fabric in design.fabrics for extra in fabric.extras}
    for name, (profile, devices, _) in design.extra_devices.items():
        yield profile, (*places[name], "device"), len(devices)
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            yield tier.profile, (*tier.path, "switch"), tier.switches


def power_words(design: Design) -> str:
    """On what `power_w` of the summary stands, beside published maxima without optics; "" where on nothing else."""
    found: dict[str, dict[str, None]] = {}
    for profile, _, count in drawing_devices(design):
        for kind in (find_power_basis(profile) or "").split("-with-") if count else ():
            found.setdefault(kind, {})[profile.id] = None
    said = (
        ("typical", "typical draws"),
        ("estimate", "estimates"),
        ("unknown", "no figure"),
        ("optics", "maxima with optics"),
    )
    return "; ".join(f"{words}: {', '.join(found[kind])}" for kind, words in said if kind in found)
