"""Which links are patched, and over which panels and trunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from fabricgen.blueprint.sections.cabling import Patch
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CableProfile, PanelProfile, TrunkProfile
from fabricgen.catalog.patch_models import Polarity
from fabricgen.design.capacity.counts import link_counts
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean

FIBRES = ("mmf-om4", "smf-os2")
"""Fibre types, in the order in which trunks of one policy are numbered."""

_JUMPERS: Mapping[Polarity, tuple[Polarity, Polarity]] = {"A": ("A", "B"), "B": ("B", "B"), "C": ("B", "B")}
"""Polarity types of the jumpers at both ends for parallel optics, by polarity method (ANSI/TIA-568.3,
array systems).
"""


@dataclass(frozen=True, slots=True)
class PatchPolicy:
    """One `patching` entry of the blueprint: its panel, and its trunk for each of `FIBRES` (None where none exists)."""

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
        """Whether it deals out fibre pairs in shuffles, without trunks."""
        return self.panel.shuffle > 0

    @property
    def jumpers(self) -> tuple[Polarity, Polarity]:
        """Polarity types of the jumpers at the a and b end."""
        stated = self.spec.jumpers
        return (stated[0], stated[1]) if stated else _JUMPERS[self.spec.method]

    def is_usual(self, medium: CableProfile, end: int) -> bool:
        """Whether jumpers of a medium at the a (0) or b (1) end are of type B, like direct fibres."""
        return self.jumpers[end] == "B" or not medium.connector.startswith("MPO")

    @property
    def ports_per_trunk(self) -> int:
        """Front ports that a trunk serves at each end."""
        return self.spec.trunk_fibres // self.spec.base * len(self.panel.positions)

    @property
    def trunks_per_panel(self) -> int:
        """Whole trunks that a panel takes; 0 where one trunk needs more ports than the panel has."""
        return self.panel.ports // self.ports_per_trunk

    @property
    def mating_db(self) -> float:
        """Maximum loss of a mated connector pair, dB."""
        return self.panel.mating_db if self.spec.mating_db is None else self.spec.mating_db

    def trunk(self, medium: CableProfile) -> TrunkProfile | None:
        """The trunk for a medium's fibre; None for copper, and where none exists."""
        return self.trunks[FIBRES.index(medium.fibre)] if medium.fibre else None

    def takes(self, fabric: str, pair: str) -> bool:
        """Whether it patches the links of a fabric between two tiers."""
        spec = self.spec
        return (not spec.fabrics or fabric in spec.fabrics) and (not spec.between or pair in spec.between)

    def loss_db(self, medium: CableProfile, length_m: float) -> float:
        """Maximum loss of a channel over two panels, dB; connections at transceivers are part of their own budget."""
        trunk = self.trunk(medium)
        return 2 * self.panel.matings * self.mating_db + length_m / 1000 * (trunk.db_per_km if trunk else 0)


def policies_of(design: Design) -> tuple[PatchPolicy, ...]:
    """The patching policies of a blueprint, by name; raises InputError (FG011) for an unknown panel."""
    patch = design.loaded.blueprint.cabling.patch
    return tuple(_policy(name, spec, design.catalog) for name, spec in sorted(patch.items()))


def check_patching(design: Design) -> None:
    """Raise InputError (FG011, FG085) for policies that name unknown things, or links that cannot be patched."""
    policies = policies_of(design)
    faults = [found for policy in policies for found in _faults(policy, design)]
    if len(policies) > 1:
        faults += _claimed_twice(policies, design)
    if faults:
        raise InputError(faults)


def _policy(name: str, spec: Patch, catalog: Catalog) -> PatchPolicy:
    panel = catalog.panel(spec.panel, ("cabling", "patch", name, "panel"))
    trunks = tuple(next((t for t in catalog.trunks if _serves(t, fibre, spec, panel)), None) for fibre in FIBRES)
    return PatchPolicy(name, spec, panel, trunks)


def _serves(trunk: TrunkProfile, fibre: str, spec: Patch, panel: PanelProfile) -> bool:
    return (
        (trunk.fibre, trunk.fibres_per_connector, trunk.connector) == (fibre, spec.base, panel.rear)
        and spec.trunk_fibres in trunk.fibres
        and spec.method in trunk.polarity
    )


def _faults(policy: PatchPolicy, design: Design) -> Iterator[Diagnostic]:
    known, spec = {fabric.name: fabric for fabric in design.fabrics}, policy.spec
    for i, name in enumerate(spec.fabrics):
        if name not in known:
            yield _fault(policy, f"there is no fabric '{name}'", ("fabrics", i), did_you_mean(name, known))
    named = [known[name] for name in spec.fabrics or known if name in known]
    pairs = {count.key for fabric in named for count in link_counts(design, fabric)} if spec.between else set()
    for i, pair in enumerate(spec.between):
        if pair not in pairs:
            yield _fault(policy, f"no links go '{pair}'", ("between", i), did_you_mean(pair, pairs))
    if policy.shuffles:
        yield from _shuffle_faults(policy)
    elif spec.end:
        yield _fault(policy, f"{policy.panel.id} is no fibre shuffle, and stands at both ends", ("end",), "remove it")
    elif not any(policy.trunks):
        what = f"{spec.trunk_fibres} fibres in {policy.panel.rear} of {spec.base}, polarity {spec.method}"
        hint = "state `trunk_fibres` and `base` of one, or add a trunk to `catalog/trunks`"
        yield _fault(policy, f"the catalogue has no trunk of {what}", ("trunk_fibres",), hint)
    elif not policy.trunks_per_panel:
        what = f"a trunk of {spec.trunk_fibres} fibres takes {policy.ports_per_trunk} ports, {policy.panel.id} has "
        yield _fault(policy, f"{what}{policy.panel.ports}", ("trunk_fibres",), "smaller trunks, or a larger panel")


def _shuffle_faults(policy: PatchPolicy) -> Iterator[Diagnostic]:
    """Settings of a policy with shuffles that are of trunks, and jumpers with which light would not arrive."""
    for key in ("trunk_fibres", "base", "method", "spare"):
        if key in policy.spec.model_fields_set:
            what = f"`{key}` is of trunks, and fibre shuffles have none"
            yield Diagnostic("FG075", Severity.ERROR, what, (*policy.path, key), "remove it")
    if policy.jumpers.count("B") == 1:
        what = "jumpers of types A and B, a shuffle between them, bring transmitters to transmitters"
        yield Diagnostic("FG075", Severity.ERROR, what, (*policy.path, "jumpers"), "state [A, A] or [B, B]")


def _claimed_twice(policies: tuple[PatchPolicy, ...], design: Design) -> Iterator[Diagnostic]:
    """Links that two policies would patch, one diagnostic for each pair of policies."""
    told: set[tuple[str, str]] = set()
    kinds = [(fabric.name, count.key) for fabric in design.fabrics for count in link_counts(design, fabric)]
    for fabric, pair in kinds:
        for first, other in pairwise(p for p in policies if p.takes(fabric, pair)):
            if (first.name, other.name) not in told:
                told.add((first.name, other.name))
                what = f"{fabric} {pair} links are patched by '{first.name}' and by '{other.name}'"
                yield _fault(other, what, (), "state `fabrics` and `between` so that each link has one policy")


def _fault(policy: PatchPolicy, message: str, at: Path, hint: str) -> Diagnostic:
    return Diagnostic("FG085", Severity.ERROR, message, (*policy.path, *at), hint)
