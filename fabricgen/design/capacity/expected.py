"""Expected figures of a blueprint, compared with those of its design."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from fabricgen.blueprint.sections.expect import Bound, Expect
from fabricgen.design.capacity.bisection import compute_bisection_per_accelerator
from fabricgen.design.capacity.end_to_end import compute_end_to_end
from fabricgen.design.capacity.failure import list_failure_analyses
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean
from fabricgen.kernel.units import format_number

CODE = "FG820"
DIGITS = 4
"""Decimals to which ratios are compared: those of summary.json."""

Figures: TypeAlias = Mapping[str, Mapping[str, float]]
"""By fabric, and by tier or pair of tiers, a figure."""


class ExpectedFigure(NamedTuple):
    """A figure that is expected: where it is written, what it counts (`what`), and what the design has (`actual`)."""

    path: Path
    what: str
    stated: float | Bound
    actual: float | None
    """None if the design has no such figure: the top tier has no oversubscription."""

    @property
    def holds(self) -> bool:
        """Whether the design has the expected figure."""
        if isinstance(self.stated, Bound):
            return self.actual is not None and self.stated.holds(self.actual)
        return self.actual is not None and round(float(self.stated), DIGITS) == round(float(self.actual), DIGITS)

    def make_finding(self, code: str, owner: str) -> Diagnostic:
        """Return the finding that the figure is not the expected one; `owner` is what has the figure, in words."""
        if isinstance(self.stated, Bound):
            stated, actual = self.stated.text(), None if self.actual is None else self.stated.text(self.actual)
        else:
            stated, actual = _spell_figure(self.stated), None if self.actual is None else _spell_figure(self.actual)
        message = f"{self.what}: {stated} expected, the {owner} has {actual or 'none'}"
        return Diagnostic(code, Severity.ERROR, message, self.path, "correct the figure, or what it is a figure of")


def list_expected(design: Design) -> tuple[ExpectedFigure, ...]:
    """Return every expected figure together with that of the design.

    Raises InputError (FG016) for fabrics and tiers that do not exist, and for tiers that several fabrics have.
    """
    expect = design.loaded.blueprint.expect
    if not expect.model_fields_set:
        return ()
    from fabricgen.design.summary import summarize_design

    figures = summarize_design(design)
    expectations: list[ExpectedFigure] = []
    faults: list[Diagnostic] = []
    for key, unit, actual in (
        ("gpus", "accelerators", figures["accelerators"]),
        ("nodes", "nodes", figures["nodes"]),
        ("power_w", "W of power", figures["power_w"]),
    ):
        if (value := getattr(expect, key)) is not None:
            expectations.append(ExpectedFigure(("expect", key), unit, value, actual))
    for key in ("switches", "links", "cables", "oversubscription"):
        by_fabric = {name: fabric[key] for name, fabric in figures["fabrics"].items()}
        totals = {name: sum(tiers.values()) for name, tiers in by_fabric.items()}
        if key == "oversubscription":
            totals = {fabric.name: compute_end_to_end(design, fabric).ratio for fabric in design.fabrics}
            for name, tiers in figures["fabrics"].items():
                # None for tiers at the top, which have no ratio
                by_fabric[name] = dict.fromkeys(tiers["switches"]) | tiers[key]
        for expectation in _expect_by_kind(key, getattr(expect, key), by_fabric, totals):
            if isinstance(expectation, Diagnostic):
                faults.append(expectation)
            else:
                expectations.append(expectation)
    for key, list_figures in (
        ("bisection_gbps_per_accelerator", _list_bisections),
        ("left_after_switch", _list_left_after_switch),
    ):
        if (value := getattr(expect, key)) is not None:
            expectations += expand_bound(key, value, list_figures(design))
    faults += _find_unknown_fabrics(expect, [fabric.name for fabric in design.fabrics])
    if faults:
        raise InputError(faults)
    return tuple(expectations)


def find_unmet(design: Design) -> Iterator[Diagnostic]:
    """Yield a finding for each expected figure that the design does not have."""
    for expectation in list_expected(design):
        if not expectation.holds:
            yield expectation.make_finding(CODE, "design")


def require_expected(design: Design) -> None:
    """Raise InputError (FG820) if a figure of the design is not the expected one."""
    if faults := tuple(find_unmet(design)):
        raise design.loaded.locate_error(InputError(faults))


WORDS: Mapping[str, str] = {
    "bisection_gbps_per_accelerator": "Gb/s of bisection for each accelerator",
    "left_after_switch": "bisection left after the loss of one switch",
    "hops": "switches between the farthest accelerators",
    "paths": "fewest paths between accelerators that share no leaf",
    "latency_us": "us between the farthest accelerators",
}
"""The name of each figure, in words."""


def expand_bound(key: str, stated: Any, actual: Mapping[str, float | None]) -> Iterator[ExpectedFigure]:
    """Yield what is expected of each fabric: one bound for every fabric that has a figure, or bounds stated by fabric.

    `actual` has the figures of the design by fabric. If it is empty, a bound for all becomes one figure of "the
    cluster", whose actual value is None.
    """
    bounds = stated if isinstance(stated, Mapping) else dict.fromkeys(actual or ("the cluster",), stated)
    for name, bound in bounds.items():
        path: Path = ("expect", key, name) if stated is bounds else ("expect", key)
        yield ExpectedFigure(path, f"{WORDS[key]}, {name}", bound, actual.get(name))


def _list_bisections(design: Design) -> dict[str, float | None]:
    """Return, for each fabric to which NICs of accelerators attach, what an accelerator can send to the other half of
    the cluster, Gb/s; None if it has no accelerators.
    """
    accelerator_fabrics = [
        fabric
        for fabric in design.fabrics
        if any(leg.gpu is not None for _, attachment in fabric.attachments for leg in attachment.legs)
    ]
    bandwidths = {fabric.name: compute_bisection_per_accelerator(design, fabric) for fabric in accelerator_fabrics}
    return {name: None if gbps is None else float(gbps) for name, gbps in bandwidths.items()}


def _list_left_after_switch(design: Design) -> dict[str, float | None]:
    """Return, for each fabric that is not for management, the least fraction of its bisection that the loss of one
    switch leaves.
    """
    return {
        fabric.name: min((float(survival.analyze_switch_loss(tier).share) for tier in survival.chain), default=None)
        for fabric, survival in list_failure_analyses(design)
    }


def _find_unknown_fabrics(stated: Expect, names: list[str]) -> Iterator[Diagnostic]:
    """Yield a fault for each fabric that an expected figure names and that does not exist."""
    for key in WORDS:
        value = getattr(stated, key)
        if isinstance(value, Mapping):
            for name in value:
                if name not in names:
                    yield _refuse_unknown(("expect", key, name), f"there is no fabric '{name}'", name, names)


def _expect_by_kind(
    key: str, stated: Any, figures: Figures, totals: Mapping[str, float]
) -> Iterator[ExpectedFigure | Diagnostic]:
    """Yield the expected figures of one kind as they are stated: in all, by fabric, by tier or pair of tiers, or by
    fabric and tier; and a fault (FG016) for each fabric or tier that does not exist, or that several fabrics have.

    `figures` are those of the design by fabric and tier, `totals` those of whole fabrics.
    """
    path: Path = ("expect", key)
    if stated is None:
        return
    if not isinstance(stated, Mapping):
        yield ExpectedFigure(path, key, stated, sum(totals.values()))
        return
    for name, value in stated.items():
        owners = [fabric for fabric, tiers in figures.items() if name in tiers]
        if isinstance(value, Mapping):
            if name not in figures:
                yield _refuse_unknown((*path, name), f"there is no fabric '{name}'", name, list(figures))
                continue
            for tier, figure in value.items():
                if tier in figures[name]:
                    yield ExpectedFigure((*path, name, tier), f"{key} of {name} {tier}", figure, figures[name][tier])
                else:
                    yield _refuse_unknown((*path, name, tier), f"{name} has no '{tier}'", tier, list(figures[name]))
        elif len(owners) == 1:
            yield ExpectedFigure((*path, name), f"{key} of {owners[0]} {name}", value, figures[owners[0]][name])
        elif owners:
            written = f"{{{owners[0]}: {{{name}: {_spell_figure(value)}}}}}"
            message = f"'{name}' is of {' and of '.join(owners)}: say which"
            yield Diagnostic("FG016", Severity.ERROR, message, (*path, name), f"write {written}")
        elif name in totals:
            yield ExpectedFigure((*path, name), f"{key} of {name}", value, totals[name])
        else:
            names = [*figures, *(tier for tiers in figures.values() for tier in tiers)]
            yield _refuse_unknown((*path, name), f"there is no fabric or tier '{name}'", name, names)


def _refuse_unknown(path: Path, message: str, name: str, names: list[str]) -> Diagnostic:
    return Diagnostic("FG016", Severity.ERROR, message, path, did_you_mean(name, names))


def _spell_figure(value: float) -> str:
    return format_number(round(float(value), DIGITS))
