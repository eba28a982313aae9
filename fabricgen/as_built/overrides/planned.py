"""What was planned, beside what was built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.numbering.ports import PortNames
from fabricgen.wiring.tables import WiringPlan


@dataclass(frozen=True, slots=True)
class Planned:
    """What was planned, where some cables were built otherwise: ids of cables and addresses of links follow it.

    `own` is what single cables have of their own, by their row in the table of cables.
    """

    plan: WiringPlan
    port_names: PortNames
    own: Mapping[int, CableOverride]
