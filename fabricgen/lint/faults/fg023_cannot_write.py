"""A file cannot be written."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class CannotWrite(Fault):
    """The system refuses to write a file: no permission, no space, or it is there already and would be lost.

    Nothing is left half written: files appear whole, by rename. The message has the system's reason. Name another
    place, or make room.
    """

    id = "FG023"
    title = "a file cannot be written"
    in_words = True
    bad = """
        fabricgen init superpod-b200.yaml, where that file exists
    """
    good = """
        fabricgen init another.yaml
    """
