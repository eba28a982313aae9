"""Which switches of the catalogue would fit in place of one that is too small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from fabricgen.catalog.loads import Device, find_power_basis
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.advice.trials import Advice, Target, Trials, write_path
from fabricgen.design.model import Design
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import Path

MOST_SWITCHES = 3
"""How many larger switches a hint names."""


def propose_larger_switches(trials: Trials, target: Target) -> Iterator[Advice]:
    """Switches of the catalogue with the same protocol that make the tier fit, the smallest first."""
    larger = [
        s
        for s in list_alternative_switches(trials, target.spec)
        if sum_cage_bandwidth(s) > sum_cage_bandwidth(target.spec.profile)
    ]
    yield from propose_switches(trials, target.spec, larger)


def propose_switches(trials: Trials, spec: TierSpec, candidates: Sequence[SwitchProfile]) -> Iterator[Advice]:
    """The first candidates that make a tier fit; where none does, those that do when all tiers with the same switch
    change.
    """
    same_switch = [s for s in trials.specs.values() if s.fabric == spec.fabric and s.profile.id == spec.profile.id]
    for changed in ([spec], same_switch) if len(same_switch) > 1 else ([spec],):
        fitting = list(islice(_try_switches(trials, changed, candidates), MOST_SWITCHES))
        yield from fitting
        if fitting:
            return


def _try_switches(trials: Trials, changed: Sequence[TierSpec], candidates: Sequence[SwitchProfile]) -> Iterator[Advice]:
    """Candidates that fit when they replace the switch of all tiers in `changed`; of switches with equal ports only one
    is tried.
    """
    fits_by_face: dict[str, bool] = {}
    names = " and ".join(spec.name for spec in changed)
    for profile in candidates:
        change = {write_path(spec, "switch"): profile.id for spec in changed}
        face = repr((profile.cages, profile.line_cards))
        if face not in fits_by_face:
            fits_by_face[face] = trials.fits(change)
        if fits_by_face[face]:
            yield Advice("switch", f"{profile.id} as {names}", change)


def list_alternative_switches(trials: Trials, spec: TierSpec) -> list[SwitchProfile]:
    """Other switches that could serve a tier, by capacity, those of the same vendor first.

    Where the blueprint states a NOS they run it. Switches whose default NOS has no port table for them are left out.
    """
    catalog, blueprint = trials.context.catalog, trials.blueprint
    stated_nos = [
        nos.get(key) for nos in (blueprint.fabrics[spec.fabric].nos, blueprint.nos) for key in (spec.name, "all")
    ]
    profiles = []
    for name in catalog.ids("switches"):
        profile = catalog.switch(name)
        nos = spec.nos if spec.nos in stated_nos else catalog.find_usual_nos(profile)
        names_ports = catalog.names_ports(profile, nos)
        if profile.protocol == spec.profile.protocol and names_ports and name != spec.profile.id:
            profiles.append(profile)
    # by capacity, so that the smallest that fits is tried first
    return sorted(profiles, key=lambda s: (sum_cage_bandwidth(s), s.vendor != spec.profile.vendor, s.id))


def sum_cage_bandwidth(profile: SwitchProfile) -> int:
    """Total bandwidth of a switch's cages, Gb/s."""
    return sum(cage.count * cage.speed_gbps for cage in profile.cages)


# What of a design draws power, and on what figures its power stands.


def list_powered_devices(design: Design) -> Iterator[tuple[Device, Path, int]]:
    """(profile, path in the blueprint, how many) of nodes, extra devices and the switches of tiers."""
    for nodes in design.layout.node_sets:
        yield nodes.profile, nodes.path, design.layout.count_present(nodes)
    places = {extra.name: extra.path for fabric in design.fabrics for extra in fabric.extras}
    for name, (profile, devices, _) in design.extra_devices.items():
        yield profile, (*places[name], "device"), len(devices)
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            yield tier.profile, (*tier.path, "switch"), tier.switches


def describe_power_basis(design: Design) -> str:
    """On what `power_w` of the summary stands, beside published maxima without optics; "" where on nothing else."""
    profiles_by_kind: dict[str, dict[str, None]] = {}
    for profile, _, count in list_powered_devices(design):
        for kind in (find_power_basis(profile) or "").split("-with-") if count else ():
            profiles_by_kind.setdefault(kind, {})[profile.id] = None
    titles = (
        ("typical", "typical draws"),
        ("estimate", "estimates"),
        ("unknown", "no figure"),
        ("optics", "maxima with optics"),
    )
    return "; ".join(
        f"{title}: {', '.join(profiles_by_kind[kind])}" for kind, title in titles if kind in profiles_by_kind
    )
