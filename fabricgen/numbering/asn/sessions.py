"""Whether the switches at both ends of a link can speak eBGP: they must not have the same AS number."""

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
    """Refuse neighbours with one AS number: their session would be iBGP, which passes no routes on.

    Raises InputError where the number is stated.
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
    """Those of some links whose ends have one AS number."""
    lower = asn[links.a_device[rows]]
    alike: list[int] = np.flatnonzero((lower == asn[links.b_device[rows]]) & (lower > 0)).tolist()
    return [rows.start + i for i in alike]


def _stated(design: Design, plan: WiringPlan, names: Sequence[str], ends: Sequence[int]) -> Path:
    """Where the number of two switches comes from: of a single device, of a tier, or of the plan."""
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
