"""A key is given twice in one mapping."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class DuplicateKey(Fault):
    """The same key stands twice in a mapping.

    Most readers keep the last one without a word, so that a line that is plainly there has no effect. YAML 1.2.2
    (3.2.1.3) requires keys to be unique. Keep one of the two; to change what an included file or an anchor says,
    give the key in the file that includes, or beside `<<`.
    """

    id = "FG003"
    title = "a key is given twice in one mapping"
    bad = """
        floor:
          row_pitch_m: 2.4
          row_pitch_m: 3.0  # <-
    """
    good = """
        floor:
          row_pitch_m: 3.0
    """
