"""An include is not allowed."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class RefusedInclude(Fault):
    """An include leaves the blueprint's folder, includes itself, goes too deep, or does not hold what its place needs.

    A blueprint may come from a stranger's pull request, and what it includes can be shown in an error: so it reads
    files of its own folder alone (CWE-22), and ends. Move the file below the blueprint, or pass `--allow-outside`
    where you trust it.
    """

    id = "FG007"
    title = "an include is not allowed"
    bad = """
        floor: !include ../hall.yaml  # <-
    """
    good = """
        floor: {row_pitch_m: 2.4}
    """
