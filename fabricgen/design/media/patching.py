"""Which links are patched, and over which panels and trunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.blueprint.sections.cabling import Patch
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CableProfile
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean

if TYPE_CHECKING:
    from fabricgen.catalog.patch_models import PanelProfile, Polarity, TrunkProfile

FIBRES = ("mmf-om4", "smf-os2")
"""Fibre types, in the order in which trunks of one policy are numbered."""

_JUMPERS: Mapping[Polarity, tuple[Polarity, Polarity]] = {"A": ("A", "B"), "B": ("B", "B"), "C": ("B", "B")}
"""Polarity types of the jumpers at both ends of parallel optics, by polarity method (ANSI/TIA-568.3, array systems)."""


class PatchPolicy(NamedTuple):
    """An entry of `cabling.patch`: its panel, and its trunk for each of `FIBRES` (None if the catalogue has none)."""

    name: str
    spec: Patch
    panel: PanelProfile
    trunks: tuple[TrunkProfile | None, ...]

    @property
    def path(self) -> Path:
        """Its path in the blueprint."""
        return ("cabling", "patch", self.name)

    @property
    def shuffles(self) -> bool:
        """Whether its panel is a fibre shuffle, which deals out fibre pairs without trunks."""
        return self.panel.shuffle > 0

    @property
    def jumpers(self) -> tuple[Polarity, Polarity]:
        """The polarity types of the jumpers at the a end and the b end."""
        stated = self.spec.jumpers
        return (stated[0], stated[1]) if stated else _JUMPERS[self.spec.method]

    def has_type_b_jumpers(self, medium: CableProfile, end: int) -> bool:
        """Whether jumpers of a medium at the a (0) or b (1) end are of type B, the type of fibres that join devices
        directly. Jumpers without MPO connectors count as type B.
        """
        return self.jumpers[end] == "B" or not medium.connector.startswith("MPO")

    @property
    def connectors_per_trunk(self) -> int:
        """How many connectors a trunk has at each end."""
        return self.spec.trunk_fibres // self.spec.base

    @property
    def ports_per_trunk(self) -> int:
        """How many front ports a trunk serves at each end."""
        return self.connectors_per_trunk * len(self.panel.positions)

    @property
    def trunks_per_panel(self) -> int:
        """How many whole trunks a panel takes; 0 if one trunk needs more ports than the panel has."""
        return self.panel.ports // self.ports_per_trunk

    @property
    def mating_db(self) -> float:
        """Maximum loss of a mated connector pair, dB."""
        return self.panel.mating_db if self.spec.mating_db is None else self.spec.mating_db

    def find_trunk(self, medium: CableProfile) -> TrunkProfile | None:
        """Return the trunk for a medium's fibre; None for copper, and if no trunk exists."""
        return self.trunks[FIBRES.index(medium.fibre)] if medium.fibre else None

    def covers_links(self, fabric: str, pair: str) -> bool:
        """Whether it patches the links of a fabric between two tiers; `pair` is `leaf-spine`."""
        spec = self.spec
        return (not spec.fabrics or fabric in spec.fabrics) and (not spec.between or pair in spec.between)

    def loss_db(self, medium: CableProfile, length_m: float) -> float:
        """Return the maximum loss of a channel over two panels, dB; connections at transceivers are part of the
        transceivers' budget.
        """
        trunk = self.find_trunk(medium)
        return 2 * self.panel.matings * self.mating_db + length_m / 1000 * (trunk.db_per_km if trunk else 0)


def list_patch_policies(design: Design) -> tuple[PatchPolicy, ...]:
    """Return the patching policies of a blueprint, by name; raises InputError (FG011) for an unknown panel."""
    patch = design.loaded.blueprint.cabling.patch
    return tuple(_make_policy(name, spec, design.catalog) for name, spec in sorted(patch.items()))


def check_patching(design: Design) -> None:
    """Raise InputError for patching policies that cannot be used, and for links that two policies patch.

    FG011 is an unknown panel, FG075 a setting that fibre shuffles do not take, FG085 any other fault.
    """
    policies = list_patch_policies(design)
    faults = [diagnostic for policy in policies for diagnostic in _find_faults(policy, design)]
    if len(policies) > 1:
        faults += _find_double_claims(policies, design)
    if faults:
        raise InputError(faults)


def _make_policy(name: str, spec: Patch, catalog: Catalog) -> PatchPolicy:
    """Return a patching policy with its panel and, for each fibre type, the first trunk of the catalogue that fits it.

    Raises InputError (FG011) for an unknown panel.
    """
    panel = catalog.panel(spec.panel, ("cabling", "patch", name, "panel"))
    trunks = tuple(next((t for t in catalog.trunks if _is_trunk_for(t, fibre, spec, panel)), None) for fibre in FIBRES)
    return PatchPolicy(name, spec, panel, trunks)


def _is_trunk_for(trunk: TrunkProfile, fibre: str, spec: Patch, panel: PanelProfile) -> bool:
    """Whether a trunk fits the rear of a panel and has the fibre, connectors and polarity that the blueprint states."""
    return (
        (trunk.fibre, trunk.fibres_per_connector, trunk.connector) == (fibre, spec.base, panel.rear)
        and spec.trunk_fibres in trunk.fibres
        and spec.method in trunk.polarity
    )


def _find_faults(policy: PatchPolicy, design: Design) -> Iterator[Diagnostic]:
    """Yield the faults of a patching policy: unknown fabrics, pairs of tiers without links, and panels or trunks that
    cannot serve it.
    """
    fabrics_by_name, spec = {fabric.name: fabric for fabric in design.fabrics}, policy.spec
    for i, name in enumerate(spec.fabrics):
        if name not in fabrics_by_name:
            yield _make_fault(
                policy, f"there is no fabric '{name}'", ("fabrics", i), did_you_mean(name, fabrics_by_name)
            )
    patched_fabrics = [fabrics_by_name[name] for name in spec.fabrics or fabrics_by_name if name in fabrics_by_name]
    pairs = (
        {count.key for fabric in patched_fabrics for count in count_links(design, fabric)} if spec.between else set()
    )
    for i, pair in enumerate(spec.between):
        if pair not in pairs:
            yield _make_fault(policy, f"no links go '{pair}'", ("between", i), did_you_mean(pair, pairs))
    if policy.shuffles:
        yield from _find_shuffle_faults(policy)
    elif spec.end:
        yield _make_fault(
            policy, f"{policy.panel.id} is no fibre shuffle, and stands at both ends", ("end",), "remove it"
        )
    elif not any(policy.trunks):
        message = f"{spec.trunk_fibres} fibres in {policy.panel.rear} of {spec.base}, polarity {spec.method}"
        hint = "state `trunk_fibres` and `base` of one, or add a trunk to `catalog/trunks`"
        yield _make_fault(policy, f"the catalogue has no trunk of {message}", ("trunk_fibres",), hint)
    elif not policy.trunks_per_panel:
        message = f"a trunk of {spec.trunk_fibres} fibres takes {policy.ports_per_trunk} ports, {policy.panel.id} has "
        yield _make_fault(
            policy, f"{message}{policy.panel.ports}", ("trunk_fibres",), "smaller trunks, or a larger panel"
        )


def _find_shuffle_faults(policy: PatchPolicy) -> Iterator[Diagnostic]:
    """Yield a fault for each setting of trunks in a policy with shuffles, and for jumpers that join transmitters."""
    for key in ("trunk_fibres", "base", "method", "spare"):
        if key in policy.spec.model_fields_set:
            message = f"`{key}` is of trunks, and fibre shuffles have none"
            yield Diagnostic("FG075", Severity.ERROR, message, (*policy.path, key), "remove it")
    if policy.jumpers.count("B") == 1:
        message = "jumpers of types A and B, a shuffle between them, bring transmitters to transmitters"
        yield Diagnostic("FG075", Severity.ERROR, message, (*policy.path, "jumpers"), "state [A, A] or [B, B]")


def _find_double_claims(policies: tuple[PatchPolicy, ...], design: Design) -> Iterator[Diagnostic]:
    """Yield a fault for each pair of policies that would patch the same links. Of three such policies, the first and
    second are a pair, and the second and third.
    """
    reported: set[tuple[str, str]] = set()
    fabrics_and_pairs = [(fabric.name, count.key) for fabric in design.fabrics for count in count_links(design, fabric)]
    for fabric, tier_pair in fabrics_and_pairs:
        for policy, other_policy in pairwise(p for p in policies if p.covers_links(fabric, tier_pair)):
            if (policy.name, other_policy.name) not in reported:
                reported.add((policy.name, other_policy.name))
                message = f"{fabric} {tier_pair} links are patched by '{policy.name}' and by '{other_policy.name}'"
                yield _make_fault(
                    other_policy, message, (), "state `fabrics` and `between` so that each link has one policy"
                )


def _make_fault(policy: PatchPolicy, message: str, keys: Path, hint: str) -> Diagnostic:
    return Diagnostic("FG085", Severity.ERROR, message, (*policy.path, *keys), hint)
