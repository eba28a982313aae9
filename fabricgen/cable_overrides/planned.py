"""The planned wiring, beside the wiring as built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.numbering.ports import PortNames
from fabricgen.wiring.tables import WiringPlan


@dataclass(frozen=True, slots=True)
class Planned:
    """The wiring plan without overrides of cables; cable ids and addresses of links follow from it.

    `own` are the overrides, by row of the cable table.
    """

    plan: WiringPlan
    port_names: PortNames
    own: Mapping[int, CableOverride]
