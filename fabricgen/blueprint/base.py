"""What every part of the language is made of."""

from __future__ import annotations

from typing import Any

from fabricgen.kernel.frozen_model import FrozenModel


class Model(FrozenModel):
    """A part of the language: unknown keys are errors, values never change."""


def as_list(value: Any) -> Any:
    """A single word where a list may stand."""
    return [value] if isinstance(value, str) else value
