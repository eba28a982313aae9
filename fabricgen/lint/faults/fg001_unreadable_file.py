"""A file cannot be read."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnreadableFile(Fault):
    """A file that is named is not there, is no text in UTF-8, is larger than 4 MiB, or may not be read.

    Nothing can be said of a blueprint that cannot be read whole; YAML 1.2.2 (5.2) makes UTF-8 the encoding that
    every reader takes. A link to another kind of file is refused too, since an error would show a line of it.
    Correct the name, or save the file as UTF-8.
    """

    id = "FG001"
    title = "a file cannot be read"
    bad = """
        floor: !include hall.yaml  # <-
    """
    good = """
        floor: {row_pitch_m: 2.4}
    """
