"""The language of expected figures: what the author of a blueprint believes of it, as numbers or as bounds."""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Ratio
from fabricgen.kernel.units import format_number, parse_size
from fabricgen.models import forms
from fabricgen.models.forms import FrozenModel, make_text_form

_SLACK = 1e-9


class Bound(FrozenModel):
    """What the author of a blueprint expects of a figure: a number, or the least or most that is right.

    It is written `3`, `<= 0.8` or `>= 90%`. A number without a sign has to equal the computed figure rounded to
    `decimals` places, as many as are written. A share (`percent`) is kept as a fraction of 1: `93.75%` has the `value`
    0.9375, and 4 `decimals`, two more than are written.
    """

    sign: Literal["", "<=", ">="]
    value: float
    decimals: int
    percent: bool = False

    @classmethod
    def read(cls, value: Any) -> Any:
        """Read `3`, `"<= 0.8"` and `">= 380"`; raises ValueError for anything else."""
        return _parse_bound(value, forms.BOUND, 'a number such as 3, or a bound such as "<= 3"')

    @classmethod
    def read_share(cls, value: Any) -> Any:
        """Read `93.75%` and `">= 90%"`; raises ValueError for anything else."""
        return _parse_bound(value, forms.SHARE_BOUND, 'a share such as 93.75%, or a bound such as ">= 90%"')

    def holds(self, figure: float) -> bool:
        """Whether a figure is within the bound; the rounding of floats is allowed for."""
        if self.sign == ">=":
            return figure >= self.value - _SLACK
        if self.sign == "<=":
            return figure <= self.value + _SLACK
        return abs(figure - self.value) <= 0.5 * float(10**-self.decimals) + _SLACK

    def text(self, figure: float | None = None) -> str:
        """Return the bound in words, such as `at most 0.8`; or with `figure` that figure, as written beside the bound.

        The figure is rounded to `decimals` places, and to four at least.
        """
        shown = self.value if figure is None else round(figure, max(4, self.decimals))
        words = f"{format_number(100 * shown)}%" if self.percent else format_number(shown)
        return words if figure is not None else {"<=": "at most ", ">=": "at least "}.get(self.sign, "") + words


def _parse_bound(value: Any, form: str, expected: str) -> Any:
    """Return the fields of `Bound` for a text or number that has the form `form`, a regular expression.

    A `Bound` is returned as it is. Raises ValueError for anything else; `expected` says in its message what would be
    right.
    """
    if isinstance(value, Bound):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text = format(Decimal(repr(value)), "f") if is_number else value
    if not isinstance(text, str) or not re.fullmatch(form, text, re.ASCII):
        raise ValueError(f"expected {expected}")
    sign, digits, percent = re.fullmatch(r"\s*([<>]=)?\s*([0-9.]+)\s*(%?)\s*", text).groups()  # type: ignore[union-attr]
    decimals = len(digits.partition(".")[2]) + (2 if percent else 0)
    stated = float(digits) / (100 if percent else 1)
    return {"sign": sign or "", "value": stated, "decimals": decimals, "percent": bool(percent)}


BoundOf = Annotated[
    Bound,
    BeforeValidator(Bound.read),
    WithJsonSchema(
        make_text_form(
            forms.BOUND,
            'a number, which is that computed rounded to its digits, or a bound in quotes such as "<= 3"',
            "<= 3",
            type=["string", "number"],
            minimum=0,
        )
    ),
]
"""A figure, or the least or most of it."""

ShareBoundOf = Annotated[
    Bound,
    BeforeValidator(Bound.read_share),
    WithJsonSchema(
        make_text_form(forms.SHARE_BOUND, 'a share such as 93.75%, or a bound in quotes such as ">= 90%"', ">= 90%")
    ),
]
"""A share, or the least or most of it."""


def _check_size(text: str) -> str:
    """Return the size of a message, such as `8G`, as it is; raises ValueError for text that is no size."""
    parse_size(text)
    return text


Size = Annotated[
    str,
    AfterValidator(_check_size),
    WithJsonSchema(make_text_form(forms.SIZE, "a size of messages in powers of 1024 bytes, such as 8G", "8G")),
]
"""A size of messages, as it is written."""

Collective = Literal["all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all"]
Pattern = Literal["ring", "tree", "everyone"]
"""A pattern of traffic: neighbours on each rail in a ring or in trees, or every accelerator to each other."""

Least = Annotated[float, Field(gt=0)]

Count = Annotated[int, Field(ge=0)]

_BY_TIER = "by tier ({leaf: 32}), by fabric ({compute: 48}) or by both ({compute: {leaf: 32}})"
_BY_PAIR = "in all, by fabric, or as summary.json has them ({compute: {node-leaf: 1024}})"
_OF_FABRICS = "of every fabric{which}, or by fabric ({{compute: {example}}})."
_JOINING = " that joins accelerators"

OF_THE_PLAN = ("hops", "paths", "latency_us", "slowdown", "busbw_gbytes")
"""The figures that only the wired plan has."""


class Expect(Model):
    """Figures that the author expects, as `show` and `analyze` have them. Where one is not so, nothing is built."""

    gpus: Count | None = Field(None, description="Accelerators.")
    nodes: Count | None = Field(None, description="Nodes of the scalable units; extra devices do not count.")
    switches: Count | dict[str, Count | dict[str, Count]] | None = Field(
        None, description=f"Switches, in all, {_BY_TIER}."
    )
    links: Count | dict[str, Count | dict[str, Count]] | None = Field(None, description=f"Links, {_BY_PAIR}.")
    cables: Count | dict[str, Count | dict[str, Count]] | None = Field(None, description=f"Cables, {_BY_PAIR}.")
    oversubscription: dict[str, Ratio | dict[str, Ratio]] | None = Field(
        None,
        description=f"Downlink : uplink bandwidth, {_BY_TIER.replace('32', '1').replace('48', '1')}; "
        "of a fabric from its nodes up to its narrowest point.",
    )
    power_w: float | None = Field(None, ge=0, description="Greatest power of all devices without optics, W.")
    bisection_gbps_per_accelerator: BoundOf | dict[str, BoundOf] | None = Field(
        None,
        description="What each accelerator of one half can send to the other half at once, Gb/s, "
        + _OF_FABRICS.format(which=_JOINING, example=400),
    )
    left_after_switch: ShareBoundOf | dict[str, ShareBoundOf] | None = Field(
        None,
        description="Share of the bisection that is left after the loss of any one switch, of whatever tier, "
        + _OF_FABRICS.format(which=" that is not for management", example="93.75%"),
    )
    hops: BoundOf | dict[str, BoundOf] | None = Field(
        None,
        description="Switches on a shortest path between the accelerators that are farthest apart, "
        + _OF_FABRICS.format(which=_JOINING, example=3),
    )
    paths: BoundOf | dict[str, BoundOf] | None = Field(
        None,
        description="Fewest equal shortest paths between accelerators that share no leaf, "
        + _OF_FABRICS.format(which=_JOINING, example=64),
    )
    latency_us: BoundOf | dict[str, BoundOf] | None = Field(
        None,
        description="Latency of switches and cables between the accelerators that are farthest apart, one way, us, "
        + _OF_FABRICS.format(which=_JOINING, example='"<= 1"'),
    )
    slowdown: dict[Pattern, BoundOf] | None = Field(
        None,
        description="Times that crowded uplinks make a pattern of traffic between all accelerators slower than their "
        'ports, 1 where nothing is crowded ({ring: 1, everyone: "<= 2"}).',
    )
    busbw_gbytes: dict[Collective, dict[Size, BoundOf]] | None = Field(
        None,
        description="Bus bandwidth of collectives of all accelerators by size of message, GB/s as nccl-tests has it "
        '({all-reduce: {8G: ">= 380"}}).',
    )

    @property
    def needs_the_plan(self) -> bool:
        """Whether a figure is expected that only the wired plan has."""
        return not self.model_fields_set.isdisjoint(OF_THE_PLAN)
