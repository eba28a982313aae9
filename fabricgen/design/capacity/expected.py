"""Expected figures of a blueprint, held against those of its design."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from fabricgen.design.capacity.end_to_end import end_to_end
from fabricgen.design.model import Design
from fabricgen.design.summary import summary
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean
from fabricgen.kernel.units import number

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
    stated: float
    found: float | None
    """None where the design has no such figure: the top tier is not oversubscribed."""

    @property
    def holds(self) -> bool:
        """Whether it is so."""
        return self.found is not None and round(float(self.stated), DIGITS) == round(float(self.found), DIGITS)


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
    if faults:
        raise InputError(faults)
    return tuple(own)


def unmet(design: Design) -> Iterator[Diagnostic]:
    """A finding for each expected figure that is not so."""
    for one in expected(design):
        if not one.holds:
            has = "none" if one.found is None else _text(one.found)
            message = f"{one.what}: {_text(one.stated)} expected, the design has {has}"
            yield Diagnostic(CODE, Severity.ERROR, message, one.path, "correct the figure, or what it is a figure of")


def require_expected(design: Design) -> None:
    """Raise InputError (FG820) where a figure of the design is not what its author expects."""
    if faults := tuple(unmet(design)):
        raise design.loaded.located(InputError(faults))


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
    return number(round(float(value), DIGITS))
