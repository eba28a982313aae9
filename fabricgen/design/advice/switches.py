"""Which switches of the catalogue would fit in place of one that is too small, and which devices draw power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from fabricgen.catalog.loads import Device, find_power_basis
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.advice.trials import Advice, Target, Trials, write_path
from fabricgen.design.model import Design
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.grouping import group_pairs

MAX_SWITCHES = 3
"""How many switches a hint names at most."""


def propose_larger_switches(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield switches of the catalogue with the same protocol that make the tier fit, the smallest first."""
    larger = [
        s
        for s in list_alternative_switches(trials, target.spec)
        if sum_cage_bandwidth(s) > sum_cage_bandwidth(target.spec.profile)
    ]
    yield from propose_switches(trials, target.spec, larger)


def propose_switches(trials: Trials, spec: TierSpec, candidates: Sequence[SwitchProfile]) -> Iterator[Advice]:
    """Yield the first candidates that make a tier fit in place of its switch. If none does, yield those that make it
    fit if all tiers of the fabric with the same switch change to them.
    """
    same_switch = [s for s in trials.specs.values() if s.fabric == spec.fabric and s.profile.id == spec.profile.id]
    for changed in ([spec], same_switch) if len(same_switch) > 1 else ([spec],):
        fitting = list(islice(_try_switches(trials, changed, candidates), MAX_SWITCHES))
        yield from fitting
        if fitting:
            return


def _try_switches(trials: Trials, changed: Sequence[TierSpec], candidates: Sequence[SwitchProfile]) -> Iterator[Advice]:
    """Yield the candidates that fit if they replace the switch of all tiers in `changed`; of switches with equal ports
    only one is tried.
    """
    fits_by_front_panel: dict[str, bool] = {}
    names = " and ".join(spec.name for spec in changed)
    for profile in candidates:
        change = {write_path(spec, "switch"): profile.id for spec in changed}
        front_panel = repr((profile.cages, profile.line_cards))
        if front_panel not in fits_by_front_panel:
            fits_by_front_panel[front_panel] = trials.fits(change)
        if fits_by_front_panel[front_panel]:
            yield Advice("switch", f"{profile.id} as {names}", change)


def list_alternative_switches(trials: Trials, spec: TierSpec) -> list[SwitchProfile]:
    """Return other switches that could serve a tier, by capacity, those of the same vendor first.

    If the blueprint states a NOS for the tier, they run it. Switches without a table of port names for their NOS are
    left out.
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
    """Return the total bandwidth of a switch's cages, Gb/s."""
    return sum(cage.count * cage.speed_gbps for cage in profile.cages)


# The devices of a design that draw power, and the figures that its power is based on.


def list_powered_devices(design: Design) -> Iterator[tuple[Device, Path, int]]:
    """Yield (profile, path in the blueprint, how many) of nodes, extra devices and the switches of tiers."""
    for nodes in design.layout.node_sets:
        yield nodes.profile, nodes.path, design.layout.count_present(nodes)
    places = {extra.name: extra.path for fabric in design.fabrics for extra in fabric.extras}
    for name, (profile, devices, _) in design.extra_devices.items():
        yield profile, (*places[name], "device"), len(devices)
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            yield tier.profile, (*tier.path, "switch"), tier.switches


def describe_power_basis(design: Design) -> str:
    """Return in words the figures, other than published maxima without optics, that `power_w` of the summary is based
    on, with the profiles concerned: `estimates: PROFILE, PROFILE; no figure: PROFILE`. Return "" if there are none.
    """
    # a basis such as `estimate-with-optics` counts as both of its kinds
    profiles_by_kind = group_pairs(
        (kind, profile.id)
        for profile, _, count in list_powered_devices(design)
        for kind in ((find_power_basis(profile) or "").split("-with-") if count else ())
    )
    titles = (
        ("typical", "typical draws"),
        ("estimate", "estimates"),
        ("unknown", "no figure"),
        ("optics", "maxima with optics"),
    )
    named = ((title, dict.fromkeys(profiles_by_kind[kind])) for kind, title in titles if kind in profiles_by_kind)
    return "; ".join(f"{title}: {', '.join(profiles)}" for title, profiles in named)
