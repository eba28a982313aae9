"""Structured cabling at a phase: the trunks and panels that cables use which are there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabricgen.cluster import AtPhase
from fabricgen.wiring.patching.tables import Patching, PatchTable
from fabricgen.wiring.tables import Ints64


def patching_at(found: Patching, phase: AtPhase) -> Patching:
    """Trunks with a cable that is there, whole as they are pulled, and the panels of these."""
    patches, kept = _patches(found.patches, phase)
    used = np.unique(kept)
    trunk = np.full(len(found.trunks), -1, dtype=np.int32)
    trunk[used] = np.arange(len(used), dtype=np.int32)
    idle = np.ones(len(found.panels), dtype=bool)
    idle[found.trunks.a_panel] = idle[found.trunks.b_panel] = False
    holds = idle.copy()
    holds[found.trunks.a_panel[used]] = holds[found.trunks.b_panel[used]] = True
    panel = (np.cumsum(holds, dtype=np.int32) - 1).astype(np.int32)
    trunks, panels = found.trunks, found.panels
    return replace(
        found,
        policy=found.policy[phase.cables],
        a_jumper_m=found.a_jumper_m[phase.cables],
        b_jumper_m=found.b_jumper_m[phase.cables],
        split=found.split[phase.cables],
        panels=replace(
            panels,
            **{key: getattr(panels, key)[holds] for key in ("policy", "fibre", "place", "rack", "u", "number")},
        ),
        trunks=replace(
            trunks,
            **{
                key: getattr(trunks, key)[used]
                for key in ("policy", "fibre", "number", "a_port", "b_port", "used", "length_m")
            },
            a_panel=panel[trunks.a_panel[used]],
            b_panel=panel[trunks.b_panel[used]],
        ),
        patches=replace(patches, trunk=trunk[patches.trunk]),
    )


def _patches(table: PatchTable, phase: AtPhase) -> tuple[PatchTable, Ints64]:
    """(the patches of cable ends that are there, by new end rows; the former trunk of each)."""
    size = max(int(table.row.max(initial=-1)), int(phase.ends.max(initial=-1))) + 1
    end = np.full(size, -1, dtype=np.int32)
    end[phase.ends] = np.arange(len(phase.ends), dtype=np.int32)
    kept = np.flatnonzero(end[table.row] >= 0)
    columns = {key: getattr(table, key)[kept] for key in ("trunk", "port", "flipped", "lanes")}
    return replace(table, row=end[table.row[kept]], **columns), table.trunk[kept].astype(np.int64)
