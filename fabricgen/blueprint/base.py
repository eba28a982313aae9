"""What every part of the language is made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A part of the language: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=False)


def as_list(value: Any) -> Any:
    """A single word where a list may stand."""
    return [value] if isinstance(value, str) else value
