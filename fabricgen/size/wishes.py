"""What a user wishes of a cluster: options of `size` and a YAML file of wishes are one and the same model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Ratio
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, did_you_mean, fault
from fabricgen.models.forms import FieldError

if TYPE_CHECKING:
    from fabricgen.yaml.located import Located

_FILE = "wishes'"
"""The owner of the folder that files have to be in, for messages of `resolve_contained`: "the wishes' folder"."""
AXES = {
    "switches": "switches of all tiers",
    "optics": "transceivers, and optical ends that cables have of their own",
    "cables": "cables between cages",
    "links": "links between ports",
    "power": "power of switches and optics",
    "price": "price of all but the nodes",
    "hops": "switches on the longest path",
    "latency": "time over the longest path",
    "bisection": "bandwidth across the worst cut, of that of the nodes; more is better",
    "loss": "NICs that the loss of one switch leaves without any link",
    "left": "bisection that the worst loss of one switch or link leaves, of 1; more is better",
    "growth": "links whose upper end is re-plugged when it grows",
}
"""What candidates are compared by: name -> what it is. Less is better unless the text says otherwise."""

USUAL_AXES = ("switches", "optics", "power", "hops", "loss", "left")
"""The axes if none are named.

Price is added to them with prices, growth with `growth_to`, and bisection with several oversubscriptions or with
another shape than clos.
"""


def _split_list(value: Any) -> Any:
    """Return a list: the words of a text `a,b`, one value as a list of it, and a list as it is."""
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return value if isinstance(value, list | tuple) else [value]


def _parse_numbers(value: Any) -> Any:
    """Return a list as `_split_list` makes it, with words of digits converted to int."""
    return [
        int(word) if isinstance(word, str) and word.isascii() and word.isdigit() else word
        for word in _split_list(value)
    ]


def _parse_watts(value: Any) -> Any:
    """Return watts from text such as 800kW or 2.5 MW, and any other value as it is; raises ValueError."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    for unit, times in (("MW", 1e6), ("kW", 1e3), ("W", 1.0), ("", 1.0)):
        if text.endswith(unit):
            try:
                return float(text.removesuffix(unit)) * times
            except ValueError:
                break
    raise ValueError(f"'{value}' is not a power; write it like 800kW")


def _check_axes(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in AXES:
            raise ValueError(f"there is no axis '{name}'. {did_you_mean(name, AXES)}")
    return tuple(dict.fromkeys(names))


def _parse_widths(value: Any) -> Any:
    """Return the numbers of a text such as 4x4x4 as a list, and any other value as it is."""
    return _parse_numbers(value.lower().split("x")) if isinstance(value, str) else value


Widths = Annotated[
    tuple[Annotated[int, Field(ge=2, le=4096)], ...], BeforeValidator(_parse_widths), Field(min_length=1, max_length=4)
]
Numbers = Annotated[tuple[Annotated[int, Field(ge=1, le=4096)], ...], BeforeValidator(_parse_numbers)]
Words = Annotated[tuple[str, ...], BeforeValidator(_split_list)]


class Wishes(Model):
    """What is wished of a cluster; where a key is not stated, every value that the hardware has is tried."""

    gpus: int = Field(ge=1, le=16_777_216, description="Accelerators.")
    node: str = Field(description="Node profile, for example dgx-b300.")
    switch: Words = Field((), description="Switch profiles, each tried in all tiers. Default: one of each face.")
    shape: Annotated[tuple[Literal["clos", "dragonfly", "hyperx"], ...], BeforeValidator(_split_list)] = Field(
        ("clos",), description="Tiers that meet in full, or one tier whose switches meet: dragonflies, HyperX."
    )
    widths: Annotated[tuple[Widths, ...], BeforeValidator(_split_list)] = Field(
        (),
        description="Groups x switches of a dragonfly; switches along each dimension of a HyperX, first that of units: "
        "9x8, 4x4x4. Default: those with fewest switches.",
    )
    tiers: Annotated[tuple[Literal[1, 2, 3], ...], BeforeValidator(_parse_numbers)] = Field(
        (1, 2, 3), description="Tiers of switches."
    )
    planes: Numbers = Field((), description="Planes. Default: all that the NICs can be split into.")
    attach: Annotated[tuple[Literal["rail", "group", "tor"], ...], BeforeValidator(_split_list)] = Field(
        ("rail", "group", "tor"), description="A leaf a rail, for several rails, or for a rack."
    )
    rails: Annotated[tuple[Literal["meet", "apart"], ...], BeforeValidator(_split_list)] = Field(
        ("meet",),
        description="Whether rails meet in some tier, or traffic between them crosses the scale-up domain of a node.",
    )
    oversubscription: Annotated[tuple[Ratio, ...], BeforeValidator(_split_list)] = Field(
        (Fraction(1),), description="Downlink : uplink bandwidth of the leaves."
    )
    unit_size: Numbers = Field((), description="Nodes of a scalable unit. Default: those that fill leaves.")
    nodes_per_rack: int | None = Field(None, ge=1, le=64, description="Default: as many as fit.")
    spare_ports: int = Field(0, ge=0, le=1024, description="Down ports that each leaf keeps free.")
    growth_to: int | None = Field(None, ge=1, le=16_777_216, description="Accelerators that it is to grow to.")
    max_power: Annotated[float, BeforeValidator(_parse_watts), Field(gt=0)] | None = Field(
        None, description="What nodes, switches and optics may draw together: W, or text such as 800kW."
    )
    prices: str | None = Field(None, description="CSV of part,unit_price, as for `bom`.")
    axes: Annotated[Words, AfterValidator(_check_axes)] = Field(
        (), description=f"What candidates are compared by: {', '.join(AXES)}."
    )

    @model_validator(mode="after")
    def _refuse_conflicts(self) -> Wishes:
        """Refuse axes on which no figure would be known, and growth to fewer accelerators than there are at first."""
        if "price" in self.axes and not self.prices:
            raise FieldError("axes", "no prices are given: name a file of them (--prices FILE), or leave out price")
        if "growth" in self.axes and not self.growth_to:
            raise FieldError("axes", "nothing grows: say to how many GPUs (--growth-to N), or leave out growth")
        if self.growth_to is not None and self.growth_to < self.gpus:
            message = f"{self.growth_to:,} accelerators are fewer than the {self.gpus:,} that there are to be at first"
            raise FieldError("growth_to", message)
        meshed = set(self.shape) - {"clos"}
        if self.widths and not meshed:
            raise FieldError("widths", "only a dragonfly or a HyperX has widths: add `shape: dragonfly` or hyperx")
        if unlike := [widths for widths in self.widths if meshed == {"dragonfly"} and len(widths) != 2]:
            text = "x".join(map(str, unlike[0]))
            raise FieldError("widths", f"a dragonfly has groups x switches of a group, such as 9x8; {text} are not two")
        return self

    @property
    def compared_by(self) -> tuple[str, ...]:
        """The axes to compare by: those that are named, else the usual ones and those that wishes add to them."""
        bisections = len(self.oversubscription) > 1 or self.shape != ("clos",)
        optional_axes = {"bisection": bisections, "price": self.prices, "growth": self.growth_to}
        return self.axes or (*USUAL_AXES, *(axis for axis, wished in optional_axes.items() if wished))


def read_wishes(file: str | None, options: Mapping[str, str | int]) -> tuple[Wishes, Located]:
    """Return (the wishes, their source with the place of each); options override the wishes of the YAML `file`, if any.

    Raises InputError: FG001 to FG006 for a file that cannot be read or parsed; FG007 if the profiles or prices that go
    with it are outside its folder; FG010, at its line or its option, for a wish that is invalid or is missing.
    """
    from fabricgen.blueprint.overlays import lay_over
    from fabricgen.blueprint.source import resolve_contained
    from fabricgen.models.validation import validate
    from fabricgen.yaml.located import locate_tree, read_located
    from fabricgen.yaml.tree import MappingEntry, Node, describe_kind, make_mapping

    option_entries = {}
    for name, value in options.items():
        span = Span(f"--{name.replace('_', '-')}", 1, 1)
        option_entries[name] = MappingEntry(span, Node(value, span))
    if file is None:
        if unsaid := [
            name for name, wish in Wishes.model_fields.items() if wish.is_required() and name not in option_entries
        ]:
            raise InputError(map(_report_unsaid, unsaid))
        source = locate_tree(make_mapping(option_entries, Span("size", 1, 1)))
    else:
        base = read_located(Path(file)).root
        if not isinstance(base.value, dict):
            hint = "write each wish on a line, such as `gpus: 1024`"
            raise fault(
                "FG010", f"expected a mapping of wishes, found {describe_kind(base)}", span=base.span, hint=hint
            )
        source = locate_tree(lay_over(base, make_mapping(option_entries, base.span)))
    wishes = validate(Wishes, source)
    if file is not None:
        folder = Path(file).parent
        _refuse_outside(folder)
        if wishes.prices and "prices" not in options:
            span, shown = source.span(("prices",)), folder / wishes.prices
            resolve_contained(wishes.prices, shown, folder, span, allow_outside=False, endings=(".csv",), owner=_FILE)
    return wishes, source


def _refuse_outside(folder: Path) -> None:
    """Raise InputError (FG007) if `catalog/` beside the wishes, or a symlink in it, leads out of their folder."""
    root, catalogue = Path(os.path.realpath(folder)), folder / "catalog"
    for entry in (catalogue, *sorted(catalogue.rglob("*"))):
        if not Path(os.path.realpath(entry)).is_relative_to(root):
            message = f"'{entry}' leads out of the folder of the wishes"
            raise fault("FG007", message, span=Span(str(entry), 1, 1), hint="put the profiles themselves there")


def _report_unsaid(name: str) -> Diagnostic:
    """Return the diagnostic (FG010) for a required wish that no option states, if there is no file of wishes."""
    hint = f"{Wishes.model_fields[name].description} Say it here, or as `{name}` in a file of wishes (--wishes FILE)"
    return Diagnostic("FG010", Severity.ERROR, f"--{name} is not said", hint=hint, span=Span(f"--{name}", 1, 1))


def locate_error(error: InputError, source: Located) -> InputError:
    """Return an error in which each diagnostic without a place has the place of its wish in `source`."""
    return InputError(d if d.span else d.place_at(source.span(d.path)) for d in error.diagnostics)
