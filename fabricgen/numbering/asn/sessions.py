"""Checks that switches at both ends of a link have different AS numbers, as eBGP sessions require."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED, adopted_of
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Path, fault
from fabricgen.numbering.asn.plan import asn_plan
from fabricgen.numbering.names import default_rows
from fabricgen.wiring.tables import Ints64, LinkTable, WiringPlan


def check_sessions(design: Design, plan: WiringPlan, names: Sequence[str], asn: Ints64) -> None:
    """Raise InputError where two neighbours have one AS number: an iBGP session would pass no routes on.

    The error is at the line that states the number.
    """
    links = plan.links
    between = [i for i, s in enumerate(links.segments) if isinstance(s.a, PortRun) and isinstance(s.b, PortRun)]
    same = next((row for i in between for row in _alike(links, links.rows_of(i), asn)), None)
    if same is None:
        return
    ends = [int(links.a_device[same]), int(links.b_device[same])]
    one, other = (names[end] for end in ends)
    raise fault(
        "FG049",
        f"{one} and {other} are neighbours and would both have AS number {int(asn[ends[0]])}",
        path=_stated(design, plan, names, ends),
        hint="sessions are eBGP: give one of them another number, or take the plan `rfc7938` or `per-switch`",
    )


def _alike(links: LinkTable, rows: slice, asn: Ints64) -> list[int]:
    """The rows of those links, among some, whose ends have the same AS number."""
    lower = asn[links.a_device[rows]]
    alike: list[int] = np.flatnonzero((lower == asn[links.b_device[rows]]) & (lower > 0)).tolist()
    return [rows.start + i for i in alike]


def _stated(design: Design, plan: WiringPlan, names: Sequence[str], ends: Sequence[int]) -> Path:
    """The path that the AS number of two switches comes from: a single device, a tier, or the plan."""
    own = design.loaded.blueprint.address_of
    for end in ends:
        if names[end] in own and own[names[end]].asn is not None:
            return ("address_of", names[end], "asn")
    adopted = {key.device: key for key in adopted_of(design.layout.lock.words_of(ADOPTED)) if key.what == "asn"}
    defaults = default_rows(design, plan.devices) if adopted else {}
    for key in adopted.values():
        if defaults.get(key.device) in ends:
            return (ADOPTED, key.text())
    cls = plan.devices.classes[plan.devices.device_class[ends[0]]]
    numbers, paths = asn_plan(design, design.fabric(cls.fabric))
    return (*paths["tiers"], cls.tier) if cls.tier in numbers.tiers else paths["plan"]
