"""Structured cabling at a phase: the trunks and panels that cables use which are there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabricgen.cluster import AtPhase
from fabricgen.wiring.patching.tables import Patching, PatchTable
from fabricgen.wiring.tables import Ints, Ints64


def patching_at(found: Patching, phase: AtPhase) -> Patching:
    """Trunks with a cable that is there, whole as they are pulled, and the panels of these."""
    patches, kept = _patches(found.patches, phase)
    shuffles, housings = _shuffles(found.shuffles, phase)
    used = np.unique(kept)
    trunk = np.full(len(found.trunks), -1, dtype=np.int32)
    trunk[used] = np.arange(len(used), dtype=np.int32)
    holds = np.ones(len(found.panels), dtype=bool)  # those without any cable, for growth, stay
    holds[found.trunks.a_panel] = holds[found.trunks.b_panel] = holds[found.shuffles.panel] = False
    holds[found.trunks.a_panel[used]] = holds[found.trunks.b_panel[used]] = holds[housings] = True
    panel = np.cumsum(holds, dtype=np.int32) - 1
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
        shuffles=replace(shuffles, panel=panel[housings]),
    )


def _patches(table: PatchTable, phase: AtPhase) -> tuple[PatchTable, Ints64]:
    """(the patches of cable ends that are there, by new end rows; the former trunk of each)."""
    rows, kept = _ends_kept(table.row, phase)
    columns = {key: getattr(table, key)[kept] for key in ("trunk", "port", "flipped", "lanes")}
    return replace(table, row=rows, **columns), table.trunk[kept].astype(np.int64)


def _shuffles(table: ShuffleTable, phase: AtPhase) -> tuple[ShuffleTable, Ints64]:
    """(the fibre pairs of cable ends that are there, by new end rows; the former panel of each)."""
    rows, kept = _ends_kept(table.row, phase)
    columns = {key: getattr(table, key)[kept] for key in ("panel", "shuffle", "port_in", "port_out")}
    return replace(table, row=rows, **columns), table.panel[kept].astype(np.int64)


def _ends_kept(row: Ints, phase: AtPhase) -> tuple[Ints, Ints64]:
    """(the new end row of each row whose cable end is there, which rows these are)."""
    size = max(int(row.max(initial=-1)), int(phase.ends.max(initial=-1))) + 1
    end = np.full(size, -1, dtype=np.int32)
    end[phase.ends] = np.arange(len(phase.ends), dtype=np.int32)
    kept = np.flatnonzero(end[row] >= 0)
    return end[row[kept]], kept
