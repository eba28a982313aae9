"""Overrides of patched cables: other cages are allowed, another length, part or medium is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.cable_overrides.ends import CableIndex
from fabricgen.kernel.diagnostics import Diagnostic, fault

PATCHED = "FG087"

ONE_PIECE = ("length_m", "part", "medium")
"""Fields of an override that make sense only for a cable of one piece."""


def patched_faults(cables: CableIndex, own: Mapping[int, CableOverride]) -> Iterator[Diagnostic]:
    """Faults (FG087) of patched cables that state a length, part or medium."""
    patching = cables.plan.patching
    if patching is None:
        return
    for cable, stated in own.items():
        if patching.policy[cable] < 0:
            continue
        name = cables.ids[cable]
        for field in ONE_PIECE:
            if getattr(stated, field) is not None:
                message = f"{name} goes through panels: its jumpers and trunk have a `{field}` each"
                hint = "leave it out (patches.csv has theirs), or leave such links out of `cabling.patch`"
                yield from fault(PATCHED, message, path=("cable_of", name, field), hint=hint).diagnostics
