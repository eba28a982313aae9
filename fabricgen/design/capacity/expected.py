"""Expected figures of a blueprint, held against those of its design."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from fabricgen.blueprint.bounds import Bound
from fabricgen.blueprint.sections.expect import Expect
from fabricgen.design.capacity.bisection import bisection_per_accelerator
from fabricgen.design.capacity.end_to_end import end_to_end
from fabricgen.design.capacity.failure import failure_analyses
from fabricgen.design.model import Design
from fabricgen.design.summary import summary
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean
from fabricgen.kernel.units import format_number

CODE = "FG820"
DIGITS = 4
"""Decimals to which ratios are compared: those of summary.json."""

Figures: TypeAlias = Mapping[str, Mapping[str, float]]
"""Fabric -> tier, or pair of tiers -> a figure."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A figure that is expected, where it is written, what it counts, and what the design has."""

    path: Path
    what: str
    stated: float | Bound
    found: float | None
    """None where the design has no such figure: the top tier is not oversubscribed."""

    @property
    def holds(self) -> bool:
        """Whether it is so."""
        if isinstance(self.stated, Bound):
            return self.found is not None and self.stated.holds(self.found)
        return self.found is not None and round(float(self.stated), DIGITS) == round(float(self.found), DIGITS)

    def finding(self, code: str, of: str) -> Diagnostic:
        """That it is not so; `of` is what has the figure."""
        if isinstance(self.stated, Bound):
            stated, has = self.stated.text(), None if self.found is None else self.stated.text(self.found)
        else:
            stated, has = _text(self.stated), None if self.found is None else _text(self.found)
        message = f"{self.what}: {stated} expected, the {of} has {has or 'none'}"
        return Diagnostic(code, Severity.ERROR, message, self.path, "correct the figure, or what it is a figure of")


def expected(design: Design) -> tuple[Expected, ...]:
    """Every expected figure beside that of the design.

    Raises InputError (FG016) for fabrics and tiers that are not there, or that several fabrics have.
    """
    stated = design.loaded.blueprint.expect
    if not stated.model_fields_set:
        return ()
    figures = summary(design)
    own: list[Expected] = []
    faults: list[Diagnostic] = []
    for key, what, found in (
        ("gpus", "accelerators", figures["accelerators"]),
        ("nodes", "nodes", figures["nodes"]),
        ("power_w", "W of power", figures["power_w"]),
    ):
        if (value := getattr(stated, key)) is not None:
            own.append(Expected(("expect", key), what, value, found))
    for key in ("switches", "links", "cables", "oversubscription"):
        by_fabric = {name: fabric[key] for name, fabric in figures["fabrics"].items()}
        whole = {name: sum(tiers.values()) for name, tiers in by_fabric.items()}
        if key == "oversubscription":
            whole = {fabric.name: end_to_end(design, fabric).ratio for fabric in design.fabrics}
            for name, tiers in figures["fabrics"].items():
                by_fabric[name] = dict.fromkeys(tiers["switches"]) | tiers[key]
        for one in _of(key, getattr(stated, key), by_fabric, whole):
            if isinstance(one, Diagnostic):
                faults.append(one)
            else:
                own.append(one)
    for key, of_fabrics in (("bisection_gbps_per_accelerator", _bisections), ("left_after_switch", _left_after_switch)):
        if (value := getattr(stated, key)) is not None:
            own += by_fabric_or_all(key, value, of_fabrics(design))
    faults += _unknown_fabrics(stated, [fabric.name for fabric in design.fabrics])
    if faults:
        raise InputError(faults)
    return tuple(own)


def unmet(design: Design) -> Iterator[Diagnostic]:
    """A finding for each expected figure that is not so."""
    for one in expected(design):
        if not one.holds:
            yield one.finding(CODE, "design")


def require_expected(design: Design) -> None:
    """Raise InputError (FG820) where a figure of the design is not what its author expects."""
    if faults := tuple(unmet(design)):
        raise design.loaded.locate_error(InputError(faults))


WORDS: Mapping[str, str] = {
    "bisection_gbps_per_accelerator": "Gb/s of bisection for each accelerator",
    "left_after_switch": "bisection left after the loss of one switch",
    "hops": "switches between the farthest accelerators",
    "paths": "fewest paths between accelerators that share no leaf",
    "latency_us": "us between the farthest accelerators",
}
"""What each figure is, in words."""


def by_fabric_or_all(key: str, stated: Any, found: Mapping[str, float | None]) -> Iterator[Expected]:
    """A bound that is stated of each fabric that has a figure, or of some by name."""
    every = stated if isinstance(stated, Mapping) else dict.fromkeys(found or ("the cluster",), stated)
    for name, bound in every.items():
        path: Path = ("expect", key, name) if stated is every else ("expect", key)
        yield Expected(path, f"{WORDS[key]}, {name}", bound, found.get(name))


def _bisections(design: Design) -> dict[str, float | None]:
    """Of each fabric whose nodes' NICs belong to accelerators, what one can send to the other half, Gb/s."""
    joining = [f for f in design.fabrics if any(leg.gpu is not None for _, a in f.attachments for leg in a.legs)]
    found = {fabric.name: bisection_per_accelerator(design, fabric) for fabric in joining}
    return {name: None if gbps is None else float(gbps) for name, gbps in found.items()}


def _left_after_switch(design: Design) -> dict[str, float | None]:
    """Of each fabric that is not for management, the least share of its bisection that one lost switch leaves."""
    return {
        fabric.name: min((float(survival.after_switch(tier).share) for tier in survival.chain), default=None)
        for fabric, survival in failure_analyses(design)
    }


def _unknown_fabrics(stated: Expect, known: list[str]) -> Iterator[Diagnostic]:
    for key in WORDS:
        value = getattr(stated, key)
        if isinstance(value, Mapping):
            for name in value:
                if name not in known:
                    yield _unknown(("expect", key, name), f"there is no fabric '{name}'", name, known)


def _of(key: str, stated: Any, figures: Figures, whole: Mapping[str, float]) -> Iterator[Expected | Diagnostic]:
    """Figures of one kind: in all, by fabric, by tier or pair, or by both."""
    path: Path = ("expect", key)
    if stated is None:
        return
    if not isinstance(stated, Mapping):
        yield Expected(path, key, stated, sum(whole.values()))
        return
    for name, value in stated.items():
        holding = [fabric for fabric, tiers in figures.items() if name in tiers]
        if isinstance(value, Mapping):
            if name not in figures:
                yield _unknown((*path, name), f"there is no fabric '{name}'", name, list(figures))
                continue
            for tier, one in value.items():
                if tier in figures[name]:
                    yield Expected((*path, name, tier), f"{key} of {name} {tier}", one, figures[name][tier])
                else:
                    yield _unknown((*path, name, tier), f"{name} has no '{tier}'", tier, list(figures[name]))
        elif len(holding) == 1:
            yield Expected((*path, name), f"{key} of {holding[0]} {name}", value, figures[holding[0]][name])
        elif holding:
            written = f"{{{holding[0]}: {{{name}: {_text(value)}}}}}"
            message = f"'{name}' is of {' and of '.join(holding)}: say which"
            yield Diagnostic("FG016", Severity.ERROR, message, (*path, name), f"write {written}")
        elif name in whole:
            yield Expected((*path, name), f"{key} of {name}", value, whole[name])
        else:
            known = [*figures, *(tier for tiers in figures.values() for tier in tiers)]
            yield _unknown((*path, name), f"there is no fabric or tier '{name}'", name, known)


def _unknown(path: Path, message: str, name: str, known: list[str]) -> Diagnostic:
    return Diagnostic("FG016", Severity.ERROR, message, path, did_you_mean(name, known))


def _text(value: float) -> str:
    return format_number(round(float(value), DIGITS))
