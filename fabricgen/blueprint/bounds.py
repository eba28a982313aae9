"""Figures that a blueprint states of what is computed: a number, or from where on it is right."""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.kernel.units import format_number, parse_size
from fabricgen.models import forms
from fabricgen.models.forms import FrozenModel, make_text_form

_SLACK = 1e-9


class Bound(FrozenModel):
    """A number, or the least or most that is right: `3`, `<= 0.8`, `>= 90%`.

    A number by itself is what is computed, rounded to the `decimals` that are written.
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
        """Whether a figure keeps the bound, but for what rounding makes of it."""
        if self.sign == ">=":
            return figure >= self.value - _SLACK
        if self.sign == "<=":
            return figure <= self.value + _SLACK
        return abs(figure - self.value) <= 0.5 * float(10**-self.decimals) + _SLACK

    def text(self, figure: float | None = None) -> str:
        """Return the bound in words, or a figure as it is written beside it, to four digits at least."""
        shown = self.value if figure is None else round(figure, max(4, self.decimals))
        words = f"{format_number(100 * shown)}%" if self.percent else format_number(shown)
        return words if figure is not None else {"<=": "at most ", ">=": "at least "}.get(self.sign, "") + words


def _parse_bound(value: Any, form: str, expected: str) -> Any:
    """Read a bound of some form into the fields of `Bound`; `expected` is what the error names."""
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
