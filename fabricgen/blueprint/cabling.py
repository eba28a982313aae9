"""The language of cabling."""

from __future__ import annotations

from pydantic import Field

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.patching import Patch
from fabricgen.blueprint.scalars import Name


class Cabling(Model):
    """How links are cabled."""

    patch: dict[Name, Patch] = Field(
        default_factory=dict, max_length=16, description="Fibre that goes through patch panels, by policy."
    )
