"""What of a design is there at each phase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabricgen.blueprint.sections.phases import ALL, NumbersOf, Phase
from fabricgen.design.fabric_model import FabricDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import did_you_mean, fault


@dataclass(frozen=True, slots=True)
class Selection:
    """What is there at a phase. Units count from 0 in the cluster, planes and rails from 1, by fabric; None: all.

    `switches` has the number of switches that are there in each group of every tier, `nodes` that of each set of nodes
    in a unit.
    """

    units: frozenset[int]
    fabrics: frozenset[str]
    planes: Mapping[str, frozenset[int] | None]
    rails: Mapping[str, frozenset[int] | None]
    switches: Mapping[TierKey, int]
    extra: frozenset[str]
    nodes: int | None = None

    def lacks(self, earlier: Selection) -> str:
        """What it lacks of an earlier phase, in words; "" for nothing."""
        if units := earlier.units - self.units:
            return f"{len(units)} scalable unit{'s' * (len(units) != 1)}"
        for word, mine, before in (
            ("fabrics", self.fabrics, earlier.fabrics),
            ("extra devices", self.extra, earlier.extra),
        ):
            if gone := before - mine:
                return f"{word}: {', '.join(sorted(gone))}"
        for word, now, then in (("planes", self.planes, earlier.planes), ("rails", self.rails, earlier.rails)):
            for fabric in sorted(earlier.fabrics):
                had, has = then[fabric], now[fabric]
                if has is not None and (had is None or had - has):
                    return f"{word} of {fabric}: {_listed(had - has) if had else 'all but ' + _listed(has)}"
        for key, count in earlier.switches.items():
            if key.fabric in earlier.fabrics and self.switches[key] < count:
                return f"switches of {key.fabric}.{key.tier}: {count - self.switches[key]} in each group"
        return ""


def _listed(numbers: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def selection_of(design: Design, name: str) -> Selection:
    """What is there at a phase; raises InputError (FG095) for a name that no phase has."""
    phases = design.loaded.blueprint.phases
    if name not in phases:
        hint = did_you_mean(name, phases) or "`phases` of a blueprint names them"
        raise fault("FG095", f"there is no phase '{name}'", path=("phases",) if phases else (), hint=hint)
    return selected(design, phases[name])


def selected(design: Design, phase: Phase) -> Selection:
    """What is there at a phase that `check_phases` has passed."""
    fabrics = frozenset(f.name for f in design.fabrics if phase.fabrics is None or f.name in phase.fabrics)
    attached = {e.name for f in design.fabrics if f.name in fabrics for e in f.extras}
    return Selection(
        units=frozenset(units_of(design, phase)),
        fabrics=fabrics,
        planes={f.name: _numbers(phase.planes, f, f.planes) for f in design.fabrics},
        rails={f.name: _numbers(phase.rails, f, f.rails) for f in design.fabrics},
        switches={t.key: min(t.count, phase.switches.get(f"{t.fabric}.{t.name}", t.count)) for t in design.tiers},
        extra=frozenset(attached if phase.extra is None else attached.intersection(phase.extra)),
    )


def units_of(design: Design, phase: Phase) -> Iterator[int]:
    """The scalable units of the cluster, from 0, that are there at a phase."""
    for pod in design.layout.pods:
        if (phase.sites is None or pod.site in phase.sites) and (phase.pods is None or pod.name in phase.pods):
            yield from range(pod.first_su, pod.first_su + min(pod.su, phase.units.get(pod.name, pod.su)))


def _numbers(stated: NumbersOf | None, fabric: FabricDesign, most: int) -> frozenset[int] | None:
    numbers = (stated or {}).get(fabric.name, (stated or {}).get(ALL) if most > 1 else None)
    return None if numbers is None or set(range(1, most + 1)) <= set(numbers) else frozenset(numbers)
