"""The language of spares."""

from __future__ import annotations

from pydantic import Field

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Percent


class Spares(Model):
    """Spares ordered beside what is installed, each kind by its share, rounded up."""

    cables: Percent = Field(0.0, description="Cables and fibres.")
    transceivers: Percent = Field(0.0, description="Transceivers.")
    switches: Percent = Field(0.0, description="Switches.")
    nodes: Percent = Field(0.0, description="Nodes and extra devices.")
